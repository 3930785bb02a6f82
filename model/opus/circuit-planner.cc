// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-planner.h"

#include <algorithm>
#include <set>

namespace ns3
{

std::string
CircuitPlanner::CheckMatching(const CircuitSet& circuits)
{
    std::set<uint32_t> used;
    for (const Circuit& circuit : circuits)
    {
        for (uint32_t port : {circuit.a, circuit.b})
        {
            if (!used.insert(port).second)
            {
                return "port " + std::to_string(port) + " is used twice";
            }
        }
    }
    return "";
}

std::string
CircuitPlanner::CheckMembers(const std::vector<Member>& members)
{
    std::set<uint32_t> seen;
    const Member& first = members.front();
    for (const Member& member : members)
    {
        const std::string name = "rank " + std::to_string(member.rank);
        if (!seen.insert(member.rank).second)
        {
            return name + " occurs twice in its group";
        }
        if (member.ports.empty())
        {
            return name + " is not cabled to an optical circuit switch";
        }
        if (member.ports.size() != first.ports.size())
        {
            return name + " has " + std::to_string(member.ports.size()) + " ports, rank " +
                   std::to_string(first.rank) + " has " + std::to_string(first.ports.size());
        }
        for (const OcsPortId& port : member.ports)
        {
            // One rail a group, for now: the plan itself could span several switches.
            if (port.ocs != first.ports.front().ocs)
            {
                return name + " is cabled to switch " + std::to_string(port.ocs) + ", rank " +
                       std::to_string(first.rank) + " to switch " +
                       std::to_string(first.ports.front().ocs) + ": a group must stay on one rail";
            }
        }
    }
    if (first.ports.size() == 1 && members.size() > 2)
    {
        return "a ring of " + std::to_string(members.size()) +
               " ranks needs 2 ports a rank; rank " + std::to_string(first.rank) + " has 1";
    }
    return "";
}

CircuitPlanner::Result
CircuitPlanner::PlanRing(const std::vector<Member>& members)
{
    Result result;
    if (members.empty())
    {
        result.error = "a group has no ranks";
        return result;
    }
    result.error = CheckMembers(members);
    if (!result.error.empty() || members.size() == 1)
    {
        return result;
    }
    const std::size_t ports = members.front().ports.size();
    const std::size_t half = std::max<std::size_t>(1, ports / 2);
    std::map<uint32_t, std::set<Circuit>> circuits; // a pair with one port names its circuit twice
    for (std::size_t i = 0; i < members.size(); ++i)
    {
        const Member& here = members[i];
        const Member& next = members[(i + 1) % members.size()];
        for (std::size_t k = 0; k < half; ++k)
        {
            const OcsPortId& from = here.ports[k];
            const OcsPortId& to = next.ports[ports - half + k];
            circuits[from.ocs].insert(
                Circuit{std::min(from.port, to.port), std::max(from.port, to.port)});
        }
    }
    for (const auto& [ocs, set] : circuits)
    {
        CircuitSet& planned = result.plan[ocs];
        planned.assign(set.begin(), set.end());
        const std::string error = CheckMatching(planned);
        if (!error.empty())
        {
            // Only wrong cabling can lead here: two NIC ports on one port of the switch.
            result.plan.clear();
            result.error = "switch " + std::to_string(ocs) + ": " + error;
            return result;
        }
    }
    return result;
}

} // namespace ns3
