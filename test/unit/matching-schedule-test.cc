// SPDX-License-Identifier: GPL-2.0-only

#include "plan-check.h"
#include "plan-test-tools.h"

#include "ns3/matching-schedule.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace ns3
{
namespace
{

/// Each of the pairs occurs in exactly one matching, and nothing else does.
void
ExpectOnceEach(const MatchingSchedule& schedule, const std::vector<MemberPair>& pairs)
{
    std::map<MemberPair, uint32_t> seen;
    for (const Matching& matching : schedule)
    {
        EXPECT_FALSE(matching.empty());
        std::set<uint32_t> members;
        for (const auto& [a, b] : matching)
        {
            ++seen[{a, b}];
            EXPECT_TRUE(members.insert(a).second) << a;
            EXPECT_TRUE(members.insert(b).second) << b;
        }
    }
    std::map<MemberPair, uint32_t> expected;
    for (const auto& pair : pairs)
    {
        expected[pair] = 1;
    }
    EXPECT_EQ(seen, expected);
}

std::vector<MemberPair>
GetAllPairs(uint32_t n)
{
    std::vector<MemberPair> pairs;
    for (uint32_t a = 0; a < n; ++a)
    {
        for (uint32_t b = a + 1; b < n; ++b)
        {
            pairs.push_back({a, b});
        }
    }
    return pairs;
}

TEST(MatchingSchedule, EverybodyMeetsEverybodyOnceInTheFewestRounds)
{
    EXPECT_TRUE(MakeRoundRobin(0).empty());
    EXPECT_TRUE(MakeRoundRobin(1).empty());
    for (uint32_t n = 2; n <= 64; ++n)
    {
        const auto schedule = MakeRoundRobin(n);
        EXPECT_EQ(schedule.size(), n % 2 == 0 ? n - 1 : n);
        ExpectOnceEach(schedule, GetAllPairs(n));
        for (const Matching& matching : schedule)
        {
            EXPECT_EQ(matching.size(), n / 2) << "of an odd number one is idle";
        }
    }
    EXPECT_EQ(MakeRoundRobin(4),
              (MatchingSchedule{{{0, 3}, {1, 2}}, {{1, 3}, {0, 2}}, {{2, 3}, {0, 1}}}));
}

TEST(MatchingSchedule, PortsAreMatchingsAtOnce)
{
    for (uint32_t n = 1; n <= 64; ++n)
    {
        const auto schedule = MakeRoundRobin(n);
        const auto rounds = static_cast<uint32_t>(schedule.size());
        for (uint32_t ports : {1u, 2u, 4u})
        {
            const auto members = MakeCabledMembers(n, ports);
            const auto plans = PlanSteps(members, schedule);
            ASSERT_EQ(plans.error, "");
            EXPECT_EQ(plans.steps.size(), (rounds + ports - 1) / ports);
            PlanCheck::LinkCount met;
            for (uint32_t step = 0; step < plans.steps.size(); ++step)
            {
                ASSERT_EQ(PlanCheck::Check(plans.steps[step], members, GetLimits(members)), "");
                const uint32_t matchings = std::min(ports, rounds - step * ports);
                for (const Circuit& circuit : plans.steps[step].at(3))
                {
                    EXPECT_EQ(circuit.a % ports, circuit.b % ports)
                        << "as connectors DIRECT have it";
                }
                for (const auto& [link, circuits] :
                     PlanCheck::CountLinks(plans.steps[step], members))
                {
                    EXPECT_GE(circuits, ports / matchings);
                    EXPECT_LE(circuits, (ports + matchings - 1) / matchings);
                    ++met[link];
                }
                const uint32_t busy = n % 2 == 0 ? n : n - 1;
                EXPECT_EQ(plans.steps[step].at(3).size(), busy / 2 * ports)
                    << "no port is dark but those of who is idle";
            }
            EXPECT_EQ(met.size(), n * (n - 1) / 2);
            for (const auto& [link, steps] : met)
            {
                EXPECT_EQ(steps, 1u) << "a pair meets once";
            }
        }
    }
}

TEST(MatchingSchedule, StepsNameRanksAndPortsThatCannotBeJoined)
{
    auto members = MakeCabledMembers(2, 2);
    members[1].ports[1].ocs = 4;
    EXPECT_EQ(PlanSteps(members, MakeRoundRobin(2)).error,
              "rank 0 port 1 is cabled to switch 3, rank 1 port 1 to switch 4: no circuit joins "
              "two switches");
    EXPECT_EQ(PlanSteps({}, {}).error, "a group has no ranks");
}

} // namespace

TEST(MatchingSchedule, PairsMeetOnThePortsThatTheStepsJoin)
{
    for (uint32_t n = 2; n <= 9; ++n)
    {
        const MatchingSchedule schedule = MakeRoundRobin(n);
        for (const uint32_t ports : {1U, 2U, 3U, 4U})
        {
            // The steps themselves, port by port.
            std::vector<CircuitPlanner::Member> members;
            for (uint32_t member = 0; member < n; ++member)
            {
                members.push_back({member, {}});
                for (uint32_t port = 0; port < ports; ++port)
                {
                    members.back().ports.push_back({0, member * ports + port});
                }
            }
            std::map<MemberPair, std::set<uint32_t>> met;
            for (const auto& step : PlanSteps(members, schedule).steps)
            {
                for (const Circuit& circuit : step.at(0))
                {
                    EXPECT_EQ(circuit.a % ports, circuit.b % ports);
                    met[{circuit.a / ports, circuit.b / ports}].insert(circuit.a % ports);
                }
            }
            for (const MemberPair& pair : GetAllPairs(n))
            {
                const auto found = FindMeetingPorts(schedule, ports, pair);
                EXPECT_FALSE(found.empty());
                EXPECT_EQ(std::set<uint32_t>(found.begin(), found.end()), met[pair])
                    << n << " members, " << ports << " ports";
            }
        }
    }
}

} // namespace ns3
