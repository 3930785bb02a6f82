// SPDX-License-Identifier: GPL-2.0-only

#include "rotor-helper.h"

#include "ns3/abort.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/fabric-matchings.h"
#include "ns3/log.h"
#include "ns3/matching-schedule.h"
#include "ns3/optical-fiber-link.h"
#include "ns3/rotor-scheduler.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RotorHelper");

namespace
{

/**
 * @brief Give switches that have a port for each GPU a plan of few matchings, if their fabric makes
 * one.
 * @return the matchings of the plan; empty for other switches
 */
MatchingSchedule
PlanFabrics(const RailCluster& cluster)
{
    const auto fabric = cluster.GetOcs(0)->GetFabric();
    if (cluster.GetNicPortCount() > 1 || fabric->GetPorts() != cluster.GetNDomains())
    {
        return {};
    }
    const auto planned = fabric->Copy();
    MatchingSchedule schedule;
    for (const CircuitSet& circuits : planned->PlanMatchings())
    {
        schedule.emplace_back();
        for (const Circuit& circuit : circuits)
        {
            // The port number of a GPU is its domain.
            schedule.back().push_back({circuit.a, circuit.b});
        }
    }
    for (uint32_t rail = 0; rail < cluster.GetGpusPerDomain() && !schedule.empty(); ++rail)
    {
        cluster.GetOcs(rail)->SetFabric(planned->Copy());
    }
    return schedule;
}

/// @return matchings that contain every pair, as the fabric of the switches allows
MatchingSchedule
MakeMatchings(const RailCluster& cluster)
{
    const auto fabric = cluster.GetOcs(0)->GetFabric();
    if (!fabric)
    {
        return MakeRoundRobin(cluster.GetNDomains());
    }
    MatchingSchedule plan = PlanFabrics(cluster);
    if (!plan.empty())
    {
        return plan;
    }
    FabricMatchings matchings = MakeFabricMatchings(cluster.GetMembers(0), *fabric);
    NS_ABORT_MSG_UNLESS(matchings.error.empty(), matchings.error);
    return matchings.schedule;
}

} // namespace

void
RotorHelper::SetSlotTime(Time time)
{
    NS_ABORT_MSG_IF(time.IsStrictlyNegative(), "a slot of a rotor of " << time);
    m_slotTime = time;
}

Time
RotorHelper::GetLeastSlotTime(DataRate rate, Time fiberDelay)
{
    constexpr int64_t FIBERS = 4; // from NIC to switch to NIC, and back
    constexpr uint32_t PACKETS = 64;
    constexpr uint32_t PACKET_BYTES = 4096;
    return rate.CalculateBytesTxTime(PACKETS * PACKET_BYTES) +
           Max(MicroSeconds(2), FIBERS * fiberDelay);
}

ApplicationContainer
RotorHelper::Install(RailCluster& cluster) const
{
    NS_ABORT_MSG_UNLESS(cluster.IsPhotonic(), "only photonic rails have circuits");
    const auto matchings = std::make_shared<const MatchingSchedule>(MakeMatchings(cluster));
    cluster.SetRotation(matchings);
    ApplicationContainer rotors;
    for (uint32_t rail = 0; rail < cluster.GetGpusPerDomain(); ++rail)
    {
        const StepPlans plans = PlanSteps(cluster.GetMembers(rail), *matchings);
        NS_ABORT_MSG_UNLESS(plans.error.empty(), plans.error);
        std::vector<CircuitSet> steps;
        for (const auto& plan : plans.steps)
        {
            steps.push_back(plan.at(rail));
        }
        const auto ocs = cluster.GetOcs(rail);
        auto rotor = CreateObject<RotorScheduler>();
        const auto port = cluster.GetNic(rail)->GetPort(0);
        const Time fiberDelay = DynamicCast<OpticalFiberLink>(port->GetChannel())->GetDelay();
        const Time own = Max(ocs->GetSwitchingTime() * SLOT_PER_SWITCHING,
                             GetLeastSlotTime(m_portRate, fiberDelay));
        const Time slot = m_slotTime.IsZero() ? own : m_slotTime;
        NS_LOG_INFO("rail " << rail << ": " << steps.size() << " matchings in slots of " << slot);
        rotor->SetAttribute("SlotTime", TimeValue(slot));
        rotor->SetSteps(std::move(steps));
        cluster.GetRail(rail)->AddApplication(rotor);
        rotors.Add(rotor);
    }
    return rotors;
}

} // namespace ns3
