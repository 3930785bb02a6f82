// SPDX-License-Identifier: GPL-2.0-only

#include "opus-helper.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

/// Interval of the checks whether heartbeats are still needed.
constexpr int64_t END_MILLISECONDS = 100;
/// Time without a served message after which heartbeats stop.
constexpr int64_t STANDSTILL_SECONDS = 600;

} // namespace

OpusHelper::OpusHelper()
    : m_shimFactory("ns3::OpusShim"),
      // A doorbell or a small DMA write over PCIe takes about a microsecond.
      m_hostLatency(MicroSeconds(1))
{
    m_hostLink.SetDeviceAttribute("DataRate", DataRateValue(DataRate("200Gbps")));
}

void
OpusHelper::SetShimAttribute(const std::string& name, const AttributeValue& value)
{
    m_shimFactory.Set(name, value);
}

void
OpusHelper::SetControlLatency(Time latency)
{
    m_controlLatency = latency;
    m_management.SetLatency(latency);
}

void
OpusHelper::SetReliable()
{
    // Longer than a round trip, plus the time for which a receiver may delay an acknowledgement.
    const Time initial = Max(MilliSeconds(1), 4 * m_controlLatency);
    m_management.SetPortAttribute("Reliable", BooleanValue(true));
    m_management.SetPortAttribute("InitialTimeout", TimeValue(initial));
    m_management.SetPortAttribute("MaxTimeout", TimeValue(20 * initial));
    m_management.SetPortAttribute("GiveUpAfter", TimeValue(50 * 20 * initial));
}

void
OpusHelper::SetControlLoss(double share, int64_t stream)
{
    m_loss = share;
    m_lossStream = stream;
    SetReliable();
}

void
OpusHelper::SetControlExtraDelay(Ptr<RandomVariableStream> delay)
{
    m_management.SetExtraDelay(delay);
    SetReliable();
}

void
OpusHelper::AddControllerCrash(Time at, Time restart)
{
    m_crashes.emplace_back(at, restart);
    SetReliable();
}

void
OpusHelper::SetHostLinkLatency(Time latency)
{
    m_hostLatency = latency;
}

void
OpusHelper::SetPolicy(const Variant<LendingPolicy>& policy)
{
    policy->Configure(*this);
}

void
OpusHelper::SetInstantControl()
{
    const DataRate infinite(1000000000000000); // a frame takes picoseconds
    m_hostLink.SetDeviceAttribute("DataRate", DataRateValue(infinite));
    m_management.SetRate(infinite);
    SetControlLatency(Time());
    SetHostLinkLatency(Time());
}

void
OpusHelper::SetStandby()
{
    m_hasStandby = true;
    SetReliable();
}

void
OpusHelper::StopHeartbeatsWhen(const std::function<bool()>& hasEnded) const
{
    if (m_hasStandby)
    {
        Simulator::Schedule(MilliSeconds(END_MILLISECONDS),
                            &OpusHelper::CheckEnd,
                            m_planes,
                            hasEnded);
    }
}

void
OpusHelper::CheckEnd(std::vector<Plane> planes, std::function<bool()> hasEnded)
{
    Time lastServed;
    for (const Plane& plane : planes)
    {
        for (const auto& controller : GetBoth(plane))
        {
            lastServed = Max(lastServed, controller->GetLastServed());
        }
    }
    if (!hasEnded() && Simulator::Now() - lastServed < Seconds(STANDSTILL_SECONDS))
    {
        Simulator::Schedule(MilliSeconds(END_MILLISECONDS),
                            &OpusHelper::CheckEnd,
                            planes,
                            hasEnded);
        return;
    }
    for (const Plane& plane : planes)
    {
        plane.standby->StopWatching();
        plane.controller->StopHeartbeats();
    }
}

std::vector<Ptr<OpusController>>
OpusHelper::GetBoth(const Plane& plane)
{
    std::vector<Ptr<OpusController>> both{plane.controller};
    if (plane.second)
    {
        both.push_back(plane.second);
    }
    return both;
}

void
OpusHelper::SetFaultDetection(Time detectionTime, Time end)
{
    m_detectionTime = detectionTime;
    m_detectionEnd = end;
}

void
OpusHelper::SetControllerPerRail(bool perRail)
{
    m_perRail = perRail;
}

Ptr<OpusController>
OpusHelper::GetController(uint32_t rail) const
{
    return m_planes.at(m_perRail ? rail : 0).controller;
}

std::vector<Ptr<OpusController>>
OpusHelper::GetAllControllers() const
{
    std::vector<Ptr<OpusController>> all;
    for (const Plane& plane : m_planes)
    {
        const auto both = GetBoth(plane);
        all.insert(all.end(), both.begin(), both.end());
    }
    return all;
}

std::vector<Ptr<OpusController>>
OpusHelper::GetControllers() const
{
    std::vector<Ptr<OpusController>> controllers;
    for (const Plane& plane : m_planes)
    {
        const bool isOver = plane.standby && plane.standby->HasTakenOver();
        controllers.push_back(isOver ? plane.second : plane.controller);
    }
    return controllers;
}

OpusController::Lives
OpusHelper::GetLives() const
{
    OpusController::Lives sum;
    for (const Plane& plane : m_planes)
    {
        const auto lives = plane.controller->GetLives();
        sum.crashes += lives.crashes;
        if (!plane.standby || !plane.standby->HasTakenOver())
        {
            sum.down += lives.down;
            continue;
        }
        ++sum.takeovers;
        if (lives.downSince)
        {
            sum.down += plane.second->GetLives().recovered - *lives.downSince;
        }
    }
    return sum;
}

const std::vector<Ptr<ManagementPort>>&
OpusHelper::GetManagementPorts() const
{
    return m_ports;
}

Ptr<OpusShim>
OpusHelper::GetShim(uint32_t rank, uint32_t job) const
{
    return m_shims.at(job).at(rank);
}

Ptr<OpusManager>
OpusHelper::GetManager(uint32_t domain, uint32_t job, uint32_t rail) const
{
    return m_managers.at({job, domain, m_perRail ? rail : 0});
}

Ptr<OcsAgent>
OpusHelper::GetAgent(uint32_t rail) const
{
    return m_agents.at(rail);
}

} // namespace ns3
