// SPDX-License-Identifier: GPL-2.0-only

#include "cross-rail-planner.h"

#include "ns3/collective-call.h"

#include <algorithm>
#include <map>
#include <set>

namespace ns3
{

namespace
{

/// @return the switch of a member
uint32_t
GetSwitch(const CircuitPlanner::Member& member)
{
    return member.ports.front().ocs;
}

} // namespace

CrossRailPlanner::Result
CrossRailPlanner::Plan(const Group& group)
{
    Result result;
    result.error = CircuitPlanner::CheckMembers(group.members);
    if (!result.error.empty())
    {
        return result;
    }
    const auto size = static_cast<uint32_t>(group.members.size());
    std::set<uint32_t> left; // domains whose ranks have ended
    std::vector<uint32_t> rails;
    for (uint32_t i = 0; i < size; ++i)
    {
        rails.push_back(GetSwitch(group.members[i]));
        if (i > 0 && group.domains[i] != group.domains[i - 1])
        {
            left.insert(group.domains[i - 1]);
        }
        if (left.count(group.domains[i]) > 0)
        {
            result.error = "the ranks of a scale-up domain must follow each other in a group "
                           "across rails, and rank " +
                           std::to_string(group.members[i].rank) + " does not";
            return result;
        }
    }
    if (left.empty())
    {
        result.error = "all ranks share a scale-up domain and need no circuits";
        return result;
    }
    return GroupShape::IsAligned(group.domains, rails) ? PlanRails(group) : PlanHops(group);
}

CrossRailPlanner::Result
CrossRailPlanner::PlanRails(const Group& group)
{
    std::map<uint32_t, std::vector<Member>> rails;
    for (const Member& member : group.members)
    {
        rails[GetSwitch(member)].push_back(member);
    }
    Result result;
    for (const auto& [ocs, members] : rails)
    {
        auto ring = CircuitPlanner::PlanRing(members);
        result.plan.merge(ring.plan);
        result.error = result.error.empty() ? ring.error : result.error;
    }
    return result;
}

CrossRailPlanner::Result
CrossRailPlanner::PlanHops(const Group& group)
{
    Result result;
    if (group.members.size() > 2 && group.members.front().ports.size() == 1)
    {
        result.error = "a group of " + std::to_string(group.members.size()) +
                       " ranks across rails needs 2 ports a rank; rank " +
                       std::to_string(group.members.front().rank) + " has 1";
        return result;
    }
    std::vector<Member> all = group.members;
    std::map<uint32_t, uint32_t> places; // by global rank
    for (uint32_t i = 0; i < all.size(); ++i)
    {
        places[all[i].rank] = i;
    }
    // The GPU that shares the domain of a member and the switch of another one.
    const auto findProxy = [&](uint32_t near, uint32_t far) {
        const auto proxy = group.findProxy(near, GetSwitch(group.members[far]));
        if (!proxy)
        {
            result.error = "rank " + std::to_string(group.members[near].rank) +
                           " has no GPU in its domain on the rail of rank " +
                           std::to_string(group.members[far].rank) +
                           ": a group must stay on one rail";
            return near;
        }
        const auto [place, isNew] = places.emplace(proxy->rank, all.size());
        if (isNew)
        {
            all.push_back(*proxy);
            result.proxies.push_back(proxy->rank);
        }
        return place->second;
    };
    const auto size = static_cast<uint32_t>(group.members.size());
    std::vector<CircuitPlanner::Link> links;
    for (uint32_t i = 0; i < (size == 2 ? 1 : size) && result.error.empty(); ++i)
    {
        const uint32_t j = (i + 1) % size;
        if (group.domains[i] == group.domains[j])
        {
            continue;
        }
        const bool isOnRail = GetSwitch(all[i]) == GetSwitch(all[j]);
        const uint32_t proxyOfI = isOnRail ? i : findProxy(i, j);
        const uint32_t proxyOfJ = isOnRail ? j : findProxy(j, i);
        for (const auto& [from, to] :
             std::set<std::pair<uint32_t, uint32_t>>{{proxyOfI, j}, {i, proxyOfJ}})
        {
            if (result.error.empty())
            {
                result.error = CircuitPlanner::AppendLinks(all, from, to, size == 2, links);
            }
        }
    }
    if (result.error.empty())
    {
        auto [plan, error] = CircuitPlanner::PlanLinks(all, links);
        result.plan = std::move(plan);
        result.error = std::move(error);
    }
    return result;
}

} // namespace ns3
