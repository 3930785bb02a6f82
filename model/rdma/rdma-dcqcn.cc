// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-dcqcn.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaDcqcn");
NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcn);

namespace
{

constexpr double PAPER_RATE = 40e9; //!< line rate in bit/s of the testbed of the paper

} // namespace

TypeId
RdmaDcqcn::AddAttributes(TypeId type, const Constants& constants)
{
    return type
        .AddAttribute("Gain",
                      "Weight of news in alpha (g), above 0 to 1.",
                      DoubleValue(constants.gain),
                      MakeDoubleAccessor(&RdmaDcqcn::m_gain),
                      MakeDoubleChecker<double>(1e-6, 1))
        .AddAttribute("AlphaInterval",
                      "Alpha decays once in this time without a CNP (K).",
                      TimeValue(constants.alphaInterval),
                      MakeTimeAccessor(&RdmaDcqcn::m_alphaInterval),
                      MakeTimeChecker(NanoSeconds(1)))
        .AddAttribute("CutInterval",
                      "Minimum time between two cuts of the rate.",
                      TimeValue(constants.cutInterval),
                      MakeTimeAccessor(&RdmaDcqcn::m_cutInterval),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("IncreaseInterval",
                      "Time of a step of recovery (T).",
                      TimeValue(constants.increaseInterval),
                      MakeTimeAccessor(&RdmaDcqcn::m_increaseInterval),
                      MakeTimeChecker(NanoSeconds(1)))
        .AddAttribute("IncreaseBytes",
                      "Bytes of a step of recovery (B) at 40 Gbit/s; they scale with the line "
                      "rate. 0: steps of time only.",
                      UintegerValue(constants.increaseBytes),
                      MakeUintegerAccessor(&RdmaDcqcn::m_increaseBytes),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("FastRecoverySteps",
                      "Steps before the target is raised (F), 1 to 100.",
                      UintegerValue(constants.fastRecoverySteps),
                      MakeUintegerAccessor(&RdmaDcqcn::m_fastRecoverySteps),
                      MakeUintegerChecker<uint32_t>(1, 100))
        .AddAttribute("AdditiveIncrease",
                      "What a step raises the target by, as a fraction of the line rate.",
                      DoubleValue(constants.additiveIncrease),
                      MakeDoubleAccessor(&RdmaDcqcn::m_additiveIncrease),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("HyperIncrease",
                      "The same when both counters are beyond FastRecoverySteps.",
                      DoubleValue(constants.hyperIncrease),
                      MakeDoubleAccessor(&RdmaDcqcn::m_hyperIncrease),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("ClampTargetRate",
                      "Every CNP lowers the target to the rate, as in the paper (true), or only a "
                      "CNP before which the rate was raised since the last cut (false), as in "
                      "NICs: clamp_tgt_rate=0, clamp_tgt_rate_after_time_inc=1.",
                      BooleanValue(constants.clampTargetRate),
                      MakeBooleanAccessor(&RdmaDcqcn::m_clampTarget),
                      MakeBooleanChecker())
        .AddAttribute("MinRate",
                      "Lowest rate, as a fraction of the line rate, above 0 to 1.",
                      DoubleValue(constants.minRate),
                      MakeDoubleAccessor(&RdmaDcqcn::m_minRate),
                      MakeDoubleChecker<double>(1e-6, 1));
}

TypeId
RdmaDcqcn::GetTypeId()
{
    static TypeId tid = AddAttributes(TypeId("ns3::RdmaDcqcn")
                                          .SetParent<RdmaCongestionControl>()
                                          .SetGroupName("PhotonicRails")
                                          .AddConstructor<RdmaDcqcn>(),
                                      {(1024 - 1019) / 1024.0, // gain
                                       MicroSeconds(1),        // alphaInterval
                                       MicroSeconds(4),        // cutInterval
                                       MicroSeconds(300),      // increaseInterval
                                       0,                      // increaseBytes
                                       1,                      // fastRecoverySteps
                                       5e6 / 25e9,             // additiveIncrease
                                       50e6 / 25e9,            // hyperIncrease
                                       false,                  // clampTargetRate
                                       1e9 / 100e9});          // minRate
    return tid;
}

/// DCQCN with the constants of the paper.
class RdmaDcqcnPaper : public RdmaDcqcn
{
  public:
    static TypeId GetTypeId();
    // inherited from RdmaCongestionControl
    std::string GetName() const override;
};

NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcnPaper);

TypeId
RdmaDcqcnPaper::GetTypeId()
{
    // The attributes of RdmaDcqcn have other defaults, so that class cannot be the parent.
    static TypeId tid = AddAttributes(TypeId("ns3::RdmaDcqcnPaper")
                                          .SetParent<RdmaCongestionControl>()
                                          .SetGroupName("PhotonicRails")
                                          .AddConstructor<RdmaDcqcnPaper>(),
                                      {1.0 / 256,        // gain
                                       MicroSeconds(55), // alphaInterval
                                       MicroSeconds(50), // cutInterval
                                       MicroSeconds(55), // increaseInterval
                                       10'000'000,       // increaseBytes
                                       5,                // fastRecoverySteps
                                       40e6 / 40e9,      // additiveIncrease
                                       400e6 / 40e9,     // hyperIncrease
                                       true,             // clampTargetRate
                                       40e6 / 40e9});    // minRate
    return tid;
}

std::string
RdmaDcqcnPaper::GetName() const
{
    return "dcqcn-paper";
}

std::string
RdmaDcqcn::GetName() const
{
    return "dcqcn";
}

void
RdmaDcqcn::DoStart()
{
    m_alpha = 1;
    m_targetRate = GetLineRate();
    m_hasNotified = false;
    m_limiting = false;
    m_timeSteps = 0;
    m_byteSteps = 0;
}

void
RdmaDcqcn::Notified(Time now)
{
    NS_LOG_FUNCTION(this << now);
    if (m_hasNotified && now - m_cutAt < m_cutInterval)
    {
        return;
    }
    CatchUp(now);
    DecayAlpha(now);
    if (m_clampTarget || m_timeSteps + m_byteSteps > 0)
    {
        m_targetRate = GetRate();
    }
    SetRate(std::max(GetRate() * (1 - m_alpha / 2), GetLineRate() * m_minRate));
    m_alpha = (1 - m_gain) * m_alpha + m_gain;
    m_hasNotified = true;
    m_limiting = true;
    m_cutAt = now;
    m_alphaUpdated = now;
    m_stepBegun = now;
    m_bytesLeft = static_cast<double>(m_increaseBytes) * GetLineRate() / PAPER_RATE;
    m_timeSteps = 0;
    m_byteSteps = 0;
}

void
RdmaDcqcn::DecayAlpha(Time now)
{
    const int64_t steps = (now - m_alphaUpdated).GetTimeStep() / m_alphaInterval.GetTimeStep();
    if (steps > 0 && m_hasNotified)
    {
        m_alpha *= std::pow(1 - m_gain, static_cast<double>(steps));
    }
    m_alphaUpdated += steps * m_alphaInterval;
}

void
RdmaDcqcn::CatchUp(Time now)
{
    if (!m_limiting)
    {
        return;
    }
    int64_t steps = (now - m_stepBegun).GetTimeStep() / m_increaseInterval.GetTimeStep();
    for (int settled = 0; m_limiting && steps > 0;)
    {
        // After 64 steps with the same increase the rate has a constant distance to its target.
        settled += m_timeSteps > std::max<uint64_t>(m_byteSteps, m_fastRecoverySteps) ? 1 : 0;
        const int64_t skipped = settled > 64 ? SkipSteps(steps) : 0;
        if (skipped == 0)
        {
            m_stepBegun += m_increaseInterval;
            ++m_timeSteps;
            Increase();
        }
        steps -= std::max<int64_t>(skipped, 1);
    }
}

int64_t
RdmaDcqcn::SkipSteps(int64_t steps)
{
    const double increase = GetTargetIncrease();
    if (increase > 0)
    {
        const double toLine = std::floor((GetLineRate() - m_targetRate) / increase) - 1;
        steps = toLine < 1 ? 0 : static_cast<int64_t>(std::min(toLine, static_cast<double>(steps)));
    }
    if (steps > 0)
    {
        m_stepBegun += steps * m_increaseInterval;
        m_timeSteps += steps;
        m_targetRate += static_cast<double>(steps) * increase;
        SetRate(m_targetRate - increase);
    }
    return steps;
}

Time
RdmaDcqcn::Update(Time now)
{
    CatchUp(now);
    return m_limiting ? m_stepBegun + m_increaseInterval : Time::Max();
}

void
RdmaDcqcn::PacketSent(Time now, uint32_t wireBytes)
{
    if (!m_limiting)
    {
        return;
    }
    CatchUp(now);
    m_bytesLeft -= wireBytes;
    if (m_limiting && m_increaseBytes > 0 && m_bytesLeft <= 0)
    {
        m_bytesLeft += static_cast<double>(m_increaseBytes) * GetLineRate() / PAPER_RATE;
        ++m_byteSteps;
        Increase();
    }
}

double
RdmaDcqcn::GetTargetIncrease() const
{
    const bool countsBytes = m_increaseBytes > 0;
    const uint64_t least = countsBytes ? std::min(m_timeSteps, m_byteSteps) : m_timeSteps;
    if (least > m_fastRecoverySteps)
    {
        const uint64_t factor = countsBytes ? least - m_fastRecoverySteps : 1;
        return GetLineRate() * m_hyperIncrease * static_cast<double>(factor);
    }
    const bool additive = std::max(m_timeSteps, m_byteSteps) >= m_fastRecoverySteps;
    return additive ? GetLineRate() * m_additiveIncrease : 0;
}

void
RdmaDcqcn::Increase()
{
    NS_LOG_FUNCTION(this);
    const double line = GetLineRate();
    m_targetRate = std::min(m_targetRate + GetTargetIncrease(), line);
    const double rate = (GetRate() + m_targetRate) / 2;
    if (m_targetRate == line && rate > line * (1 - 1.0 / 1024))
    {
        m_limiting = false;
        SetRate(line);
        return;
    }
    SetRate(rate);
}

void
RdmaDcqcn::Acknowledged(Time /* now */, uint64_t /* packets */, Time /* roundTrip */)
{
}

void
RdmaDcqcn::Lost(Time /* now */, Loss /* loss */)
{
}

} // namespace ns3
