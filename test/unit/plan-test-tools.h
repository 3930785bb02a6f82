// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PLAN_TEST_TOOLS_H
#define PHOTONIC_RAILS_PLAN_TEST_TOOLS_H

#include "plan-check.h"

#include "ns3/circuit-planner.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace ns3
{

/// @return ranks 0 to n - 1 with the given number of ports each, cabled to switch 3 in order
inline std::vector<CircuitPlanner::Member>
MakeCabledMembers(uint32_t n, uint32_t ports)
{
    std::vector<CircuitPlanner::Member> members(n);
    for (uint32_t rank = 0; rank < n; ++rank)
    {
        members[rank].rank = rank;
        for (uint32_t port = 0; port < ports; ++port)
        {
            members[rank].ports.push_back(OcsPortId{3, rank * ports + port});
        }
    }
    return members;
}

/// @return some ranks with the given number of ports each, cabled to a switch in random order
inline std::vector<CircuitPlanner::Member>
MakeScatteredMembers(uint32_t n, uint32_t ports, std::mt19937& random)
{
    std::vector<uint32_t> places(2 * n * ports);
    for (uint32_t i = 0; i < places.size(); ++i)
    {
        places[i] = i;
    }
    std::shuffle(places.begin(), places.end(), random);
    auto members = MakeCabledMembers(n, ports);
    for (auto& member : members)
    {
        member.rank = 7 * member.rank + 3;
        for (auto& port : member.ports)
        {
            port.port = places[port.port];
        }
    }
    std::shuffle(members.begin(), members.end(), random);
    return members;
}

/// @return switches that are just large enough for all that is cabled
inline PlanCheck::Limits
GetLimits(const std::vector<CircuitPlanner::Member>& members)
{
    PlanCheck::Limits limits;
    for (const auto& member : members)
    {
        for (const auto& port : member.ports)
        {
            uint32_t& radix = limits.radix[port.ocs];
            radix = std::max(radix, port.port + 1);
        }
    }
    return limits;
}

} // namespace ns3

#endif // PHOTONIC_RAILS_PLAN_TEST_TOOLS_H
