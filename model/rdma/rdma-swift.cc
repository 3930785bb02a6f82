// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-swift.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSwift");
NS_OBJECT_ENSURE_REGISTERED(RdmaSwift);

TypeId
RdmaSwift::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaSwift")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<RdmaSwift>()
            .AddAttribute("BaseTarget",
                          "Target delay of a large window: the round trip without queues and the "
                          "queueing that is wanted.",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&RdmaSwift::m_baseTarget),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("AdditiveIncrease",
                          "Packets that the window grows by in a round trip (ai), above 0.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaSwift::m_additiveIncrease),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("Beta",
                          "Weight of the excess delay when the window shrinks, 0 to 1.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaSwift::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxDecrease",
                          "Largest part of the window lost in a round trip (max_mdf), 0 to 1.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaSwift::m_maxDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MinWindow",
                          "Smallest window in packets, above 0.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&RdmaSwift::m_minWindow),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("MaxWindow",
                          "Largest window in packets; Window of the queue pair limits it too.",
                          DoubleValue(1000),
                          MakeDoubleAccessor(&RdmaSwift::m_maxWindow),
                          MakeDoubleChecker<double>(1))
            .AddAttribute("InitialWindow",
                          "Window in packets to begin with; 0 for what the line rate carries in "
                          "BaseTarget.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaSwift::m_initialWindow),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("FlowScalingRange",
                          "What flow scaling adds to the target at most.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RdmaSwift::m_flowScalingRange),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FlowScalingMinWindow",
                          "Window in packets below which it adds all, above 0.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&RdmaSwift::m_flowScalingMinWindow),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("FlowScalingMaxWindow",
                          "Window in packets above which it adds nothing; above the former.",
                          DoubleValue(100),
                          MakeDoubleAccessor(&RdmaSwift::m_flowScalingMaxWindow),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("ResetThreshold",
                          "Time-outs in a row that set the window to MinWindow.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaSwift::m_resetThreshold),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

std::string
RdmaSwift::GetName() const
{
    return "swift";
}

void
RdmaSwift::DoStart()
{
    CheckBounds();
    m_roundTrip = m_baseTarget;
    m_timeouts = 0;
    const double inTarget = GetLineRate() * m_baseTarget.GetSeconds() / 8 / GetMtu();
    Change(Time(0), m_initialWindow > 0 ? m_initialWindow : inTarget);
    m_hasDecreased = false;
}

void
RdmaSwift::CheckBounds() const
{
    NS_ABORT_MSG_UNLESS(m_minWindow <= m_maxWindow,
                        "RdmaSwift: MinWindow " << m_minWindow << " is above MaxWindow "
                                                << m_maxWindow);
    NS_ABORT_MSG_UNLESS(m_flowScalingMinWindow < m_flowScalingMaxWindow,
                        "RdmaSwift: FlowScalingMinWindow " << m_flowScalingMinWindow
                                                           << " is not below FlowScalingMaxWindow "
                                                           << m_flowScalingMaxWindow);
}

Time
RdmaSwift::GetTargetDelay() const
{
    CheckBounds(); // attributes may have been set meanwhile
    const double range = m_flowScalingRange.GetSeconds();
    const double least = 1 / std::sqrt(m_flowScalingMinWindow);
    const double most = 1 / std::sqrt(m_flowScalingMaxWindow);
    // The slope and the offset `slope * most` are alpha and beta of the paper.
    const double slope = range / (least - most);
    const double scaling = slope / std::sqrt(GetWindow()) - slope * most;
    return m_baseTarget + Seconds(std::clamp(scaling, 0.0, range));
}

void
RdmaSwift::Change(Time now, double window)
{
    window = std::max(m_minWindow, std::min(window, m_maxWindow));
    if (window < GetWindow())
    {
        m_lastDecrease = now;
        m_hasDecreased = true;
    }
    SetWindow(window);
    // The starts of paced packets are a round trip / window apart.
    const double apart = m_roundTrip.GetSeconds() / window;
    SetRate(window < 1 ? std::min(GetLineRate(), GetMtu() * 8 / apart) : GetLineRate());
}

void
RdmaSwift::PacketSent(Time /* now */, uint32_t /* wireBytes */)
{
}

void
RdmaSwift::Acknowledged(Time now, uint64_t packets, Time roundTrip)
{
    m_timeouts = 0;
    if (!roundTrip.IsStrictlyPositive())
    {
        return;
    }
    const Time target = GetTargetDelay();
    const bool canDecrease = CanDecrease(now); // uses the previous round trip
    m_roundTrip = roundTrip;
    double window = GetWindow();
    if (roundTrip < target)
    {
        const auto acknowledged = static_cast<double>(packets);
        window += m_additiveIncrease * acknowledged / std::max(1.0, window);
    }
    else if (canDecrease)
    {
        const double excess = (roundTrip - target).GetDouble() / roundTrip.GetDouble();
        window *= std::max(1 - m_beta * excess, 1 - m_maxDecrease);
    }
    Change(now, window);
}

void
RdmaSwift::Notified(Time /* now */)
{
}

void
RdmaSwift::Lost(Time now, Loss loss)
{
    NS_LOG_FUNCTION(this << now << (loss == TIME_OUT));
    m_timeouts = loss == TIME_OUT ? m_timeouts + 1 : 0;
    if (m_timeouts >= m_resetThreshold)
    {
        Change(now, m_minWindow);
    }
    else if (CanDecrease(now))
    {
        Change(now, GetWindow() * (1 - m_maxDecrease));
    }
    NS_LOG_LOGIC("the window is " << GetWindow() << " packets after " << m_timeouts
                                  << " time-outs in a row");
}

} // namespace ns3
