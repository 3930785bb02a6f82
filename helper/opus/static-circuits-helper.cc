// SPDX-License-Identifier: GPL-2.0-only

#include "static-circuits-helper.h"

#include "ns3/abort.h"
#include "ns3/circuit-planner.h"

#include <map>

namespace ns3
{

void
StaticCircuitsHelper::LightRings(const RailCluster& cluster)
{
    NS_ABORT_MSG_UNLESS(cluster.IsPhotonic(), "only photonic rails have circuits");
    for (uint32_t rail = 0; rail < cluster.GetGpusPerDomain(); ++rail)
    {
        const auto ring = CircuitPlanner::PlanRing(cluster.GetMembers(rail));
        NS_ABORT_MSG_UNLESS(ring.error.empty(), ring.error);
        for (const auto& [ocs, circuits] : ring.plan)
        {
            const std::string error = cluster.GetOcs(ocs)->Reconfigure({}, circuits);
            NS_ABORT_MSG_UNLESS(error.empty(), "the ring of rail " << rail << ": " << error);
        }
    }
}

void
StaticCircuitsHelper::Light(const RailCluster& cluster)
{
    NS_ABORT_MSG_UNLESS(cluster.IsPhotonic() && cluster.GetStaticCircuits(),
                        "no photonic rails with static circuits");
    std::map<uint32_t, CircuitSet> circuits; // by rail
    for (const auto& joint : cluster.GetStaticCircuits()->GetJoints())
    {
        const uint32_t rail = cluster.GetRailOf(joint.gpu);
        NS_ABORT_MSG_UNLESS(rail == cluster.GetRailOf(joint.peer),
                            "GPUs " << joint.gpu << " and " << joint.peer
                                    << " are on different rails");
        circuits[rail].push_back(Circuit{cluster.GetOcsPorts(joint.gpu).at(joint.port),
                                         cluster.GetOcsPorts(joint.peer).at(joint.peerPort)});
    }
    for (const auto& [rail, made] : circuits)
    {
        const std::string error = cluster.GetOcs(rail)->Reconfigure({}, made);
        NS_ABORT_MSG_UNLESS(error.empty(), "the circuits of rail " << rail << ": " << error);
    }
}

} // namespace ns3
