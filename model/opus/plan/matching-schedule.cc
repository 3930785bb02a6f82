// SPDX-License-Identifier: GPL-2.0-only

#include "matching-schedule.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

MatchingSchedule
MakeRoundRobin(uint32_t n)
{
    // If n is even, the last member stays in the middle of the circle of the others.
    const uint32_t circle = n - 1 + n % 2;
    MatchingSchedule schedule(n > 1 ? circle : 0);
    for (uint32_t round = 0; round < schedule.size(); ++round)
    {
        if (n % 2 == 0)
        {
            schedule[round].push_back({round, n - 1});
        }
        for (uint32_t k = 1; k <= (circle - 1) / 2; ++k)
        {
            const uint32_t x = (round + k) % circle;
            const uint32_t y = (round + circle - k) % circle;
            schedule[round].push_back({std::min(x, y), std::max(x, y)});
        }
    }
    return schedule;
}

uint32_t
CountSteps(uint32_t matchings, uint32_t ports)
{
    NS_ASSERT_MSG(ports > 0, "a rank has ports");
    return (matchings + ports - 1) / ports;
}

uint32_t
GetMatchingOfPort(uint32_t matchings, uint32_t ports, uint32_t step, uint32_t port)
{
    const uint32_t first = step * ports;
    NS_ASSERT_MSG(first < matchings && port < ports, "no such step or port");
    return first + port % std::min(ports, matchings - first);
}

std::vector<uint32_t>
FindMeetingPorts(const MatchingSchedule& schedule, uint32_t ports, const MemberPair& pair)
{
    std::vector<bool> meets(ports, false);
    const auto matchings = static_cast<uint32_t>(schedule.size());
    for (uint32_t step = 0; step < CountSteps(matchings, ports); ++step)
    {
        for (uint32_t port = 0; port < ports; ++port)
        {
            const Matching& matching = schedule[GetMatchingOfPort(matchings, ports, step, port)];
            meets[port] =
                meets[port] || std::find(matching.begin(), matching.end(), pair) != matching.end();
        }
    }
    std::vector<uint32_t> found;
    for (uint32_t port = 0; port < ports; ++port)
    {
        if (meets[port])
        {
            found.push_back(port);
        }
    }
    return found;
}

StepPlans
PlanSteps(const std::vector<CircuitPlanner::Member>& members, const MatchingSchedule& schedule)
{
    StepPlans plans;
    plans.error = CircuitPlanner::CheckMembers(members);
    if (!plans.error.empty())
    {
        return plans;
    }
    const auto ports = static_cast<uint32_t>(members.front().ports.size());
    const auto matchings = static_cast<uint32_t>(schedule.size());
    for (uint32_t step = 0; step < CountSteps(matchings, ports); ++step)
    {
        std::vector<CircuitPlanner::Link> links;
        for (uint32_t port = 0; port < ports; ++port)
        {
            for (const auto& [a, b] : schedule[GetMatchingOfPort(matchings, ports, step, port)])
            {
                links.push_back({a, port, b, port});
            }
        }
        auto result = CircuitPlanner::PlanLinks(members, links);
        if (!result.error.empty())
        {
            return {{}, result.error};
        }
        plans.steps.push_back(std::move(result.plan));
    }
    return plans;
}

} // namespace ns3
