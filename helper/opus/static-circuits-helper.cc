// SPDX-License-Identifier: GPL-2.0-only

#include "static-circuits-helper.h"

#include "ns3/abort.h"
#include "ns3/circuit-planner.h"

namespace ns3
{

namespace
{

/// Make circuits on switches that are dark.
void
LightPlan(const RailCluster& cluster, const CircuitPlan& plan)
{
    for (const auto& [rail, circuits] : plan)
    {
        const std::string error = cluster.GetOcs(rail)->Reconfigure({}, circuits);
        NS_ABORT_MSG_UNLESS(error.empty(), "the circuits of rail " << rail << ": " << error);
    }
}

} // namespace

void
StaticCircuitsHelper::LightRings(const RailCluster& cluster)
{
    NS_ABORT_MSG_UNLESS(cluster.IsPhotonic(), "only photonic rails have circuits");
    for (uint32_t rail = 0; rail < cluster.GetGpusPerDomain(); ++rail)
    {
        const auto ring = CircuitPlanner::PlanRing(cluster.GetMembers(rail));
        NS_ABORT_MSG_UNLESS(ring.error.empty(), ring.error);
        LightPlan(cluster, ring.plan);
    }
}

void
StaticCircuitsHelper::Light(const RailCluster& cluster)
{
    NS_ABORT_MSG_UNLESS(cluster.IsPhotonic() && cluster.GetStaticCircuits(),
                        "no photonic rails with static circuits");
    const std::string mistake = cluster.GetStaticCircuits()->GetError();
    NS_ABORT_MSG_UNLESS(mistake.empty(), mistake);
    CircuitPlan plan;
    for (const auto& joint : cluster.GetStaticCircuits()->GetJoints())
    {
        const uint32_t rail = cluster.GetRailOf(joint.gpu);
        NS_ABORT_MSG_UNLESS(rail == cluster.GetRailOf(joint.peer),
                            "GPUs " << joint.gpu << " and " << joint.peer
                                    << " are on different rails");
        plan[rail].push_back(Circuit{cluster.GetOcsPorts(joint.gpu).at(joint.port),
                                     cluster.GetOcsPorts(joint.peer).at(joint.peerPort)});
    }
    LightPlan(cluster, plan);
}

} // namespace ns3
