// SPDX-License-Identifier: GPL-2.0-only

#include "standing-topology.h"

#include "ns3/job-demand.h"
#include "ns3/job-groups.h"
#include "ns3/job-topology.h"
#include "ns3/port-partition.h"
#include "ns3/torus-plan.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/// @return the members of a rail, its ports cabled one domain after the other
std::vector<CircuitPlanner::Member>
MakeMembers(const DeviceMesh& mesh, uint32_t rail, uint32_t nicPorts)
{
    std::vector<CircuitPlanner::Member> members;
    for (uint32_t domain = 0; domain < mesh.GetDomains(); ++domain)
    {
        members.push_back({domain * mesh.GetRails() + rail, {}});
        for (uint32_t port = 0; port < nicPorts; ++port)
        {
            members.back().ports.push_back(OcsPortId{rail, domain * nicPorts + port});
        }
    }
    return members;
}

/// Add the circuits of a rail.
void
AddPlan(const CircuitPlan& plan,
        const std::vector<CircuitPlanner::Member>& members,
        StandingCircuits& circuits)
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

/// @return circuits by the traffic of the job, rail after rail
StandingTopology
MakeOneTopology(const DeviceMesh& mesh, const JobDemand& demand, uint32_t nicPorts)
{
    StandingTopology topology{StandingCircuits(mesh.GetWorldSize(), nicPorts), ""};
    for (uint32_t rail = 0; rail < mesh.GetRails(); ++rail)
    {
        const auto members = MakeMembers(mesh, rail, nicPorts);
        const auto [groups, pairs] = demand.GetRail(rail);
        const auto plan = JobTopology::Plan(members, groups, pairs);
        if (!plan.error.empty())
        {
            return {topology.circuits, plan.error};
        }
        AddPlan(plan.plan, members, topology.circuits);
        for (const auto& route : plan.routes.routes)
        {
            std::vector<uint32_t> ranks;
            for (const uint32_t member : route.members)
            {
                ranks.push_back(members[member].rank);
            }
            if (ranks.size() > 1)
            {
                topology.circuits.SetRoute(ranks);
            }
        }
    }
    return topology;
}

/// @return sizes of the dimensions of a torus, as equal as can be, the largest first
std::vector<uint32_t>
GetTorusSizes(uint32_t domains, uint32_t dimensions)
{
    std::vector<uint32_t> sizes;
    for (uint32_t left = dimensions; left > 0; --left)
    {
        // The divisor next to the root of what is left to be divided.
        uint32_t size = domains;
        for (uint32_t divisor = domains; divisor >= 1; --divisor)
        {
            if (domains % divisor == 0 && std::pow(divisor, left) >= domains)
            {
                size = divisor;
            }
        }
        sizes.push_back(size);
        domains /= size;
    }
    return sizes;
}

/// @return a torus on every rail
StandingTopology
MakeTorus(const DeviceMesh& mesh, uint32_t nicPorts)
{
    StandingTopology topology{StandingCircuits(mesh.GetWorldSize(), nicPorts), ""};
    const uint32_t dimensions = std::clamp(nicPorts / 2, 1U, 3U);
    for (uint32_t rail = 0; rail < mesh.GetRails(); ++rail)
    {
        const auto members = MakeMembers(mesh, rail, nicPorts);
        const auto plan = TorusPlan::Plan(members, GetTorusSizes(mesh.GetDomains(), dimensions));
        if (!plan.error.empty())
        {
            return {topology.circuits, plan.error};
        }
        AddPlan(plan.plan, members, topology.circuits);
    }
    return topology;
}

/// @return an empty string, or two ranks of a group that no row of circuits joins
std::string
CheckRoutes(const StandingCircuits& circuits, const DeviceMesh& mesh, const JobGroups& groups)
{
    for (const auto& [id, use] : groups.GetUses())
    {
        const ProcessGroup& group = mesh.GetGroups()[id];
        if (mesh.GetReach(group) != DeviceMesh::SCALE_OUT)
        {
            continue;
        }
        for (const uint32_t rank : group.ranks)
        {
            if (circuits.FindRoute(group.ranks[0], rank).empty())
            {
                return "no row of circuits joins ranks " + std::to_string(group.ranks[0]) +
                       " and " + std::to_string(rank) + " of " + ToString(use.role);
            }
        }
    }
    return "";
}

/// @return the circuits of a policy
StandingTopology
MakeCircuits(CircuitPolicy policy,
             const DeviceMesh& mesh,
             const JobDemand& demand,
             uint32_t nicPorts)
{
    switch (policy)
    {
    case CircuitPolicy::ONE_TOPOLOGY:
        return MakeOneTopology(mesh, demand, nicPorts);
    case CircuitPolicy::TORUS:
        return MakeTorus(mesh, nicPorts);
    default:
        const auto plan =
            PortPartition::Plan(demand.GetDimensions(), mesh.GetWorldSize(), nicPorts);
        return {plan.circuits, plan.error};
    }
}

} // namespace

StandingTopology
StandingTopology::Make(CircuitPolicy policy, const WorkloadSpec& workload, uint32_t nicPorts)
{
    WorkloadSpec spec = workload;
    spec.popularity = ExpertPopularity(); // which says nothing of who calls whom
    const DeviceMesh mesh(spec.parallelism);
    const RankClasses classes(spec, mesh);
    const auto programs = JobGroups::BuildPrograms(spec, mesh, classes);
    const JobDemand demand(mesh, classes, programs);
    StandingTopology topology = MakeCircuits(policy, mesh, demand, nicPorts);
    if (topology.error.empty())
    {
        topology.error = CheckRoutes(topology.circuits, mesh, JobGroups(mesh, classes, programs));
    }
    if (!topology.error.empty())
    {
        topology.error = "--policy=" + ToString(policy) + ": " + topology.error;
    }
    return topology;
}

} // namespace ns3
