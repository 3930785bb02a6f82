// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-congestion-control.h"

namespace ns3
{

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

RdmaCongestionControl::RdmaCongestionControl() = default;
RdmaCongestionControl::~RdmaCongestionControl() = default;

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

} // namespace ns3
