// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-planner.h"

#include "ns3/assert.h"
#include "ns3/collective-call.h"
#include "ns3/path-migration.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace ns3
{

namespace
{

/// @return a rank and the n-th port of its list, for messages
std::string
Describe(const CircuitPlanner::Member& member, uint32_t port)
{
    return "rank " + std::to_string(member.rank) + " port " + std::to_string(port);
}

/// @return a port of a switch, for messages
std::string
Describe(const OcsPortId& port)
{
    return "switch " + std::to_string(port.ocs) + " port " + std::to_string(port.port);
}

/// User of each port of a switch.
using PortUsers = std::map<OcsPortId, std::string>;

/// @return an empty string if the port of the switch is free, otherwise an error with both users
std::string
Use(const CircuitPlanner::Member& member, uint32_t port, PortUsers& users)
{
    const OcsPortId& end = member.ports[port];
    const std::string user = Describe(member, port);
    auto [other, isFree] = users.emplace(end, user);
    return isFree ? "" : Describe(end) + " is used twice, by " + other->second + " and by " + user;
}

/// @return an empty string if a link joins existing ports of two ranks, otherwise an error
std::string
CheckLink(const std::vector<CircuitPlanner::Member>& members, const CircuitPlanner::Link& link)
{
    NS_ASSERT_MSG(link.a < members.size() && link.b < members.size(), "no such member");
    if (link.a == link.b)
    {
        return "rank " + std::to_string(members[link.a].rank) + " cannot be joined with itself";
    }
    for (const auto& [place, port] : {std::pair{link.a, link.portOfA}, {link.b, link.portOfB}})
    {
        if (port >= members[place].ports.size())
        {
            return Describe(members[place], port) + " does not exist: it has " +
                   std::to_string(members[place].ports.size());
        }
    }
    const OcsPortId& from = members[link.a].ports[link.portOfA];
    const OcsPortId& to = members[link.b].ports[link.portOfB];
    if (from.ocs != to.ocs)
    {
        return Describe(members[link.a], link.portOfA) + " is cabled to switch " +
               std::to_string(from.ocs) + ", " + Describe(members[link.b], link.portOfB) +
               " to switch " + std::to_string(to.ocs) + ": no circuit joins two switches";
    }
    return "";
}

} // namespace

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
    if (members.empty())
    {
        return "a group has no ranks";
    }
    std::set<uint32_t> seen;
    PortUsers users;
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
        for (uint32_t port = 0; port < member.ports.size(); ++port)
        {
            std::string error = Use(member, port, users);
            if (!error.empty())
            {
                return error;
            }
        }
    }
    return "";
}

std::string
CircuitPlanner::CheckRail(const std::vector<Member>& members)
{
    const Member& first = members.front();
    for (const Member& member : members)
    {
        for (const OcsPortId& port : member.ports)
        {
            if (port.ocs != first.ports.front().ocs)
            {
                return "rank " + std::to_string(member.rank) + " is cabled to switch " +
                       std::to_string(port.ocs) + ", rank " + std::to_string(first.rank) +
                       " to switch " + std::to_string(first.ports.front().ocs) +
                       ": a group must stay on one rail";
            }
        }
    }
    return "";
}

std::string
CircuitPlanner::AppendLinks(const std::vector<Member>& members,
                            uint32_t from,
                            uint32_t to,
                            bool isPair,
                            std::vector<Link>& links)
{
    const Member& a = members[from];
    const Member& b = members[to];
    const auto ports = static_cast<uint32_t>(a.ports.size());
    const auto whole = isPair ? PathMigration::GetPair(ports, a.broken, b.broken)
                              : PathMigration::GetConnector(ports, a.broken, b.broken);
    for (const auto& [portOfA, portOfB] : whole)
    {
        links.push_back({from, portOfA, to, portOfB});
    }
    return whole.empty() ? "ranks " + std::to_string(a.rank) + " and " + std::to_string(b.rank) +
                               " have no ports left that lead to each other"
                         : "";
}

CircuitPlanner::Result
CircuitPlanner::PlanLink(const std::vector<Member>& members)
{
    std::string error = members.size() == 2
                            ? CheckMembers(members)
                            : "a link joins 2 ranks, not " + std::to_string(members.size());
    if (error.empty())
    {
        error = CheckRail(members);
    }
    std::vector<Link> links;
    if (error.empty())
    {
        error = AppendLinks(members, 0, 1, false, links);
    }
    return error.empty() ? PlanLinks(members, links) : Result{{}, error};
}

CircuitPlanner::Result
CircuitPlanner::PlanRing(const std::vector<Member>& members)
{
    std::string error = CheckMembers(members);
    if (error.empty())
    {
        error = CheckRail(members);
    }
    const auto size = static_cast<uint32_t>(members.size());
    if (error.empty() && members.front().ports.size() == 1 && size > 2)
    {
        error = "a ring of " + std::to_string(size) + " ranks needs 2 ports a rank; rank " +
                std::to_string(members.front().rank) + " has 1";
    }
    if (!error.empty() || size == 1)
    {
        return {{}, error};
    }
    std::vector<Link> links;
    for (uint32_t i = 0; i + (size > 2 ? 0 : 1) < size; ++i)
    {
        if (error = AppendLinks(members, i, (i + 1) % size, size == 2, links); !error.empty())
        {
            return {{}, error};
        }
    }
    return PlanLinks(members, links);
}

CircuitPlanner::Result
CircuitPlanner::PlanLinks(const std::vector<Member>& members, const std::vector<Link>& links)
{
    Result result;
    PortUsers users;
    for (const Link& link : links)
    {
        std::string error = CheckLink(members, link);
        if (!error.empty())
        {
            return {{}, error};
        }
        const OcsPortId& from = members[link.a].ports[link.portOfA];
        const OcsPortId& to = members[link.b].ports[link.portOfB];
        for (const auto& [place, port] : {std::pair{link.a, link.portOfA}, {link.b, link.portOfB}})
        {
            error = Use(members[place], port, users);
            if (!error.empty())
            {
                return {{}, error};
            }
        }
        result.plan[from.ocs].push_back(
            Circuit{std::min(from.port, to.port), std::max(from.port, to.port)});
    }
    for (auto& [ocs, circuits] : result.plan)
    {
        std::sort(circuits.begin(), circuits.end());
    }
    return result;
}

CircuitPlanner::Split
CircuitPlanner::SplitPorts(uint32_t ports, const std::vector<uint32_t>& shares)
{
    const uint32_t wanted = std::accumulate(shares.begin(), shares.end(), 0U);
    if (wanted > ports)
    {
        return {{},
                std::to_string(shares.size()) + " dimensions need " + std::to_string(wanted) +
                    " ports a rank; a rank has " + std::to_string(ports)};
    }
    Split split;
    uint32_t taken = 0;
    for (uint32_t share : shares)
    {
        if (share % 2 != 0)
        {
            return {{},
                    "a dimension cannot have " + std::to_string(share) +
                        " ports: as many must lead on as back"};
        }
        std::vector<uint32_t> mine(share);
        for (uint32_t k = 0; k < share / 2; ++k)
        {
            mine[k] = taken + k;
            mine[share / 2 + k] = ports - ports / 2 + taken + k;
        }
        taken += share / 2;
        split.ports.push_back(mine);
    }
    return split;
}

CircuitPlanner::Member
CircuitPlanner::SelectPorts(const Member& member, const std::vector<uint32_t>& ports)
{
    Member selected{member.rank, {}};
    for (uint32_t port : ports)
    {
        NS_ASSERT_MSG(port < member.ports.size(), "no such port");
        selected.ports.push_back(member.ports[port]);
    }
    return selected;
}

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
    if (std::string error = CircuitPlanner::CheckMembers(group.members); !error.empty())
    {
        return {{}, error};
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
            return {{},
                    "the ranks of a scale-up domain must follow each other in a group across "
                    "rails, and rank " +
                        std::to_string(group.members[i].rank) + " does not"};
        }
    }
    if (left.empty())
    {
        return {{}, "all ranks share a scale-up domain and need no circuits"};
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
    const bool isPair = size == 2 && !group.isLink;
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
                result.error = CircuitPlanner::AppendLinks(all, from, to, isPair, links);
            }
        }
    }
    if (result.error.empty())
    {
        auto plan = CircuitPlanner::PlanLinks(all, links);
        result.plan = std::move(plan.plan);
        result.error = std::move(plan.error);
    }
    return result;
}

} // namespace ns3
