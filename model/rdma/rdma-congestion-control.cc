// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-congestion-control.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaCongestionControl");
NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionControl);

TypeId
RdmaCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaCongestionControl")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddTraceSource("RateChanged",
                            "The pacing rate in bit/s has changed: before, now.",
                            MakeTraceSourceAccessor(&RdmaCongestionControl::m_rateTrace),
                            "ns3::RdmaCongestionControl::ChangeTracedCallback")
            .AddTraceSource("CongestionWindow",
                            "The congestion window in packets has changed: before, now.",
                            MakeTraceSourceAccessor(&RdmaCongestionControl::m_windowTrace),
                            "ns3::RdmaCongestionControl::ChangeTracedCallback");
    return tid;
}

bool
RdmaCongestionControl::IsKnown(const std::string& name)
{
    TypeId tid;
    return name.empty() || name == "none" ||
           (TypeId::LookupByNameFailSafe(name, &tid) &&
            tid.IsChildOf(RdmaCongestionControl::GetTypeId()) && tid.HasConstructor());
}

void
RdmaCongestionControl::Start(DataRate lineRate, uint32_t mtu)
{
    NS_LOG_FUNCTION(this << lineRate << mtu);
    m_lineRate = static_cast<double>(lineRate.GetBitRate());
    m_mtu = mtu;
    m_rate = m_lineRate;
    m_window = NO_WINDOW;
    DoStart();
}

Time
RdmaCongestionControl::Update(Time /* now */)
{
    return Time::Max();
}

void
RdmaCongestionControl::SetRate(double rate)
{
    if (rate != m_rate)
    {
        const double before = m_rate;
        m_rate = rate;
        m_rateTrace(before, rate);
    }
}

void
RdmaCongestionControl::SetWindow(double packets)
{
    if (packets != m_window)
    {
        const double before = m_window;
        m_window = packets;
        m_windowTrace(before, packets);
    }
}

RdmaPacer::RdmaPacer(Ptr<RdmaCongestionControl> control)
    : m_control(control),
      m_stepsPerSecond(Seconds(1).GetDouble()),
      m_pacedRate(control->GetRate())
{
}

RdmaPacer::~RdmaPacer() = default;

uint32_t
RdmaPacer::LimitWindow(uint32_t packets) const
{
    const double window = std::max(1.0, m_control->GetWindow());
    return window < packets ? static_cast<uint32_t>(window) : packets;
}

uint32_t
RdmaPacer::LimitAckInterval(uint32_t packets) const
{
    if (m_control->GetRate() * packets <= m_control->GetLineRate())
    {
        return 1;
    }
    const double quarter = std::max(1.0, m_control->GetWindow() / 4);
    return quarter < packets ? static_cast<uint32_t>(quarter) : packets;
}

void
RdmaPacer::Sent(uint32_t wireBytes)
{
    const Time now = Simulator::Now();
    m_control->PacketSent(now, wireBytes);
    m_pacedRate = m_control->GetRate();
    if (m_pacedRate < m_control->GetLineRate())
    {
        // Count from the earliest possible send time unless it is long past, so that the average
        // rate holds.
        const double steps = 8.0 * wireBytes / m_pacedRate * m_stepsPerSecond;
        m_nextSend = std::max(m_nextSend + TimeStep(static_cast<uint64_t>(steps)), now);
    }
}

Time
RdmaPacer::Rest()
{
    const Time now = Simulator::Now();
    const Time change = m_control->Update(now);
    RateMayHaveRisen();
    if (m_nextSend <= now)
    {
        return m_nextSend;
    }
    // Wait for at least 1/1000 of the remaining time: a control may have steps of a nanosecond.
    return std::min(m_nextSend, std::max(change, now + (m_nextSend - now) / 1000));
}

void
RdmaPacer::RateMayHaveRisen()
{
    const double rate = m_control->GetRate();
    if (rate <= m_pacedRate)
    {
        return;
    }
    const Time now = Simulator::Now();
    if (rate >= m_control->GetLineRate())
    {
        m_nextSend = std::min(m_nextSend, now);
    }
    else if (m_nextSend > now)
    {
        // The remaining wait shrinks in proportion to the new rate.
        const double steps = (m_nextSend - now).GetDouble() * m_pacedRate / rate;
        m_nextSend = now + TimeStep(static_cast<uint64_t>(steps));
    }
    m_pacedRate = rate;
}

void
RdmaPacer::Measure(uint64_t psn)
{
    if (!m_samples.empty() && m_samples.back().psn >= psn)
    {
        ForgetMeasurements(); // later packets may have to wait for this one
    }
    m_samples.push_back(Sample{psn, Simulator::Now()});
}

void
RdmaPacer::Acknowledged(uint64_t from, uint64_t to)
{
    const Time now = Simulator::Now();
    Time roundTrip;
    while (!m_samples.empty() && m_samples.front().psn < to)
    {
        roundTrip = now - m_samples.front().at;
        m_samples.pop_front();
    }
    m_control->Acknowledged(now, to - from, roundTrip);
    RateMayHaveRisen();
}

void
RdmaPacer::Notified()
{
    m_control->Notified(Simulator::Now());
}

void
RdmaPacer::Lost(RdmaCongestionControl::Loss loss)
{
    NS_LOG_FUNCTION(this << m_control->GetRate() << m_control->GetWindow());
    ForgetMeasurements();
    m_control->Lost(Simulator::Now(), loss);
}

void
RdmaPacer::ForgetMeasurements()
{
    while (!m_samples.empty())
    {
        m_samples.pop_front();
    }
}

} // namespace ns3
