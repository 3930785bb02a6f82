// SPDX-License-Identifier: GPL-2.0-only

#include "static-policy.h"

#include "ns3/abort.h"
#include "ns3/circuit-planner.h"
#include "ns3/job-demand.h"
#include "ns3/light-path-check.h"
#include "ns3/rail-cluster.h"

#include <memory>

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

NS_OBJECT_ENSURE_REGISTERED(StaticPolicy);

namespace
{

/// @return an empty string, or an error with ports that no circuit can join
std::string
CheckPorts(const StaticCircuits& circuits, const RankLayout& layout)
{
    for (const auto& joint : circuits.GetJoints())
    {
        if (joint.gpu == joint.peer)
        {
            return "a circuit joins rank " + std::to_string(joint.gpu) + " to itself";
        }
        if (joint.gpu % layout.GetRails() != joint.peer % layout.GetRails())
        {
            return "a circuit joins ranks " + std::to_string(joint.gpu) + " and " +
                   std::to_string(joint.peer) + ", which are on different rails";
        }
    }
    return circuits.GetError();
}

/// @return pairs of GPUs on equal rails that need a path of circuits for a group
std::vector<std::pair<uint32_t, uint32_t>>
ListNeededPaths(const RankLayout& layout, const ProcessGroup& group)
{
    std::vector<std::pair<uint32_t, uint32_t>> paths;
    const auto reach = layout.GetReach(group);
    const uint32_t size = group.GetSize();
    for (uint32_t i = 0; i < size; ++i)
    {
        const uint32_t rank = group.ranks[i];
        const uint32_t next = group.ranks[(i + 1) % size];
        if (reach == RankLayout::SCALE_OUT)
        {
            paths.emplace_back(group.ranks[0], rank);
        }
        else if (reach == RankLayout::MIXED && layout.GetDomain(rank) != layout.GetDomain(next))
        {
            paths.emplace_back(layout.GetProxy(rank, next), next);
            paths.emplace_back(rank, layout.GetProxy(next, rank));
        }
    }
    return paths;
}

/// @return an empty string, or an error with two ranks of a group without a path of circuits
std::string
CheckRoutes(const StaticCircuits& circuits, const RankLayout& layout, const JobGroups& groups)
{
    for (const auto& [id, use] : groups.GetUses())
    {
        const ProcessGroup& group = layout.GetGroups()[id];
        for (const auto& [a, b] : ListNeededPaths(layout, group))
        {
            if (circuits.FindRoute(a, b).empty())
            {
                return "no row of circuits joins ranks " + std::to_string(a) + " and " +
                       std::to_string(b) + " of " + layout.GetRoleName(use.role);
            }
        }
    }
    return "";
}

} // namespace

TypeId
StaticPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::StaticPolicy").SetParent<CircuitPolicy>().SetGroupName("PhotonicRails");
    return tid;
}

StaticTopology
StaticPolicy::MakeTopology(const JobRanks& ranks, uint32_t nicPorts) const
{
    const RankLayout& layout = ranks.GetLayout();
    StaticTopology topology = MakeCircuits(layout, JobDemand(ranks), nicPorts);
    if (topology.error.empty())
    {
        topology.error = CheckPorts(topology.circuits, layout);
    }
    if (topology.error.empty())
    {
        topology.error = CheckRoutes(topology.circuits, layout, JobGroups(ranks));
    }
    return topology;
}

std::string
StaticPolicy::Check(const CircuitJob& job, const LightPathCheck& lightPaths) const
{
    const auto topology = MakeTopology(job.ranks, job.nicPorts);
    return topology.error.empty() ? lightPaths.CheckStatic(topology.circuits) : topology.error;
}

std::function<void()>
StaticPolicy::Install(RailCluster& cluster, OpusHelper&, const CircuitJob& job) const
{
    const auto topology = MakeTopology(job.ranks, job.nicPorts);
    NS_ABORT_MSG_UNLESS(topology.error.empty(), topology.error);
    cluster.SetStaticCircuits(std::make_shared<StaticCircuits>(topology.circuits));
    StaticCircuitsHelper::Light(cluster);
    return {};
}

std::vector<CircuitPlanner::Member>
StaticPolicy::MakeMembers(const RankLayout& layout, uint32_t rail, uint32_t nicPorts)
{
    std::vector<CircuitPlanner::Member> members;
    for (uint32_t domain = 0; domain < layout.GetDomains(); ++domain)
    {
        members.push_back({domain * layout.GetRails() + rail, {}});
        for (uint32_t port = 0; port < nicPorts; ++port)
        {
            members.back().ports.push_back(OcsPortId{rail, domain * nicPorts + port});
        }
    }
    return members;
}

void
StaticPolicy::AddPlan(const CircuitPlan& plan,
                      const std::vector<CircuitPlanner::Member>& members,
                      StaticCircuits& circuits)
{
    const auto nicPorts = static_cast<uint32_t>(members.front().ports.size());
    for (const auto& [ocs, set] : plan)
    {
        for (const Circuit& circuit : set)
        {
            circuits.Join({members[circuit.a / nicPorts].rank,
                           circuit.a % nicPorts,
                           members[circuit.b / nicPorts].rank,
                           circuit.b % nicPorts});
        }
    }
}

} // namespace ns3
