// SPDX-License-Identifier: GPL-2.0-only

#include "opus-random-strikes.h"

#include "lambda-call.h"

#include "ns3/ocs-agent.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/opus-controller.h"
#include "ns3/rdma-nic.h"

namespace ns3
{
namespace test
{

OpusStrikes::OpusStrikes(const OpusScenario& scenario,
                         const RailCluster& cluster,
                         const OpusHelper& opus,
                         const std::vector<RailCluster>& parts,
                         OpusWatch& watch)
    : m_scenario(scenario),
      m_trouble(scenario.trouble),
      m_cluster(cluster),
      m_opus(opus),
      m_parts(parts),
      m_watch(watch)
{
}

void
OpusStrikes::Schedule(const std::vector<Time>& moments)
{
    for (const OpusFault& fault : m_trouble.faults)
    {
        ScheduleCall(fault.GetTime(moments), [this, &fault] { Strike(fault); });
    }
}

bool
OpusStrikes::HasFlapped(uint32_t rail) const
{
    return m_flapped.count(rail) > 0;
}

void
OpusStrikes::Strike(const OpusFault& fault)
{
    switch (fault.kind)
    {
    case OpusFault::CRASH:
    case OpusFault::DEATH:
        Crash(fault);
        break;
    case OpusFault::STANDBY:
        CrashStandby(fault);
        break;
    case OpusFault::SHIM:
        ForgetShim(fault);
        break;
    case OpusFault::NIC_PORT:
        FlapNicPort(fault);
        break;
    case OpusFault::OCS:
        FailSwitch(fault);
        break;
    case OpusFault::OCS_PORT:
        StickPort(fault);
        break;
    }
}

void
OpusStrikes::ForgetShim(const OpusFault& fault)
{
    const auto job = static_cast<uint32_t>(fault.component % m_parts.size());
    const auto number = fault.component / m_parts.size() % m_parts[job].GetNGpus();
    const auto rank = static_cast<uint32_t>(number);
    const auto shim = m_opus.GetShim(rank, job);
    m_watch.LoseShim(job, rank);
    shim->Fail();
    ScheduleCall(fault.duration, [shim] { shim->Restart(); });
}

void
OpusStrikes::FlapNicPort(const OpusFault& fault)
{
    const auto gpu = static_cast<uint32_t>(fault.component % m_cluster.GetNGpus());
    const auto number = static_cast<uint32_t>(fault.port % m_scenario.nicPorts);
    const auto port = m_cluster.GetNic(gpu)->GetPort(number);
    m_flapped.insert(m_cluster.GetRailOf(gpu));
    port->SetFailed(true);
    ScheduleCall(fault.duration, [port] { port->SetFailed(false); });
}

void
OpusStrikes::FailSwitch(const OpusFault& fault)
{
    const auto rail = static_cast<uint32_t>(fault.component % m_scenario.rails);
    const auto agent = m_opus.GetAgent(m_watch.GetSwitch(rail));
    m_watch.LoseLight(rail);
    agent->Fail();
    m_watch.LoseCircuits(rail);
    if (m_trouble.spares == 0)
    {
        ScheduleCall(fault.duration, [agent] { agent->Repair(); });
    }
}

void
OpusStrikes::StickPort(const OpusFault& fault)
{
    const auto rail = static_cast<uint32_t>(fault.component % m_scenario.rails);
    const auto ports = uint64_t{m_cluster.GetNDomains()} * m_scenario.nicPorts;
    const auto port = static_cast<uint32_t>(fault.port % ports);
    const auto ocs = m_opus.GetAgent(m_watch.GetSwitch(rail))->GetNode();
    const auto device = ocs->GetObject<OpticalCircuitSwitch>();
    m_watch.Stick(rail, port, true);
    device->SetPortStuck(port, true);
    if (m_trouble.spares == 0)
    {
        ScheduleCall(fault.duration, [this, device, rail, port] {
            device->SetPortStuck(port, false);
            m_watch.Stick(rail, port, false);
        });
    }
}

void
OpusStrikes::Crash(const OpusFault& fault)
{
    const auto acting = m_opus.GetControllers();
    const std::size_t plane = fault.component % acting.size();
    // A node that was away may not know all yet, and then waits for the other one.
    const bool isFirstCrash = m_crashed.insert(plane).second;
    if (fault.kind == OpusFault::DEATH && isFirstCrash)
    {
        acting[plane]->CrashForGood();
        m_dead.insert(acting[plane]);
    }
    else if (m_dead.count(acting[plane]) == 0)
    {
        acting[plane]->Crash(fault.duration);
    }
}

void
OpusStrikes::CrashStandby(const OpusFault& fault)
{
    const auto acting = m_opus.GetControllers();
    const std::size_t plane = fault.component % acting.size();
    m_crashed.insert(plane);
    for (const auto& controller : GetPair(plane))
    {
        // Without the one that acts, it would wait for that.
        if (controller != acting[plane] && m_dead.empty())
        {
            controller->Crash(fault.duration);
        }
    }
}

std::vector<Ptr<OpusController>>
OpusStrikes::GetPair(std::size_t plane) const
{
    const auto all = m_opus.GetAllControllers();
    const std::size_t each = all.size() / m_opus.GetControllers().size();
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(plane * each);
    return {first, first + static_cast<std::ptrdiff_t>(each)};
}

} // namespace test
} // namespace ns3
