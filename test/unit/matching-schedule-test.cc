// SPDX-License-Identifier: GPL-2.0-only

#include "plan-check.h"
#include "plan-test-tools.h"

#include "ns3/matching-schedule.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace ns3
{
namespace
{

/// Each of the pairs occurs in exactly one matching, and nothing else does.
void
ExpectOnceEach(const MatchingSchedule& schedule,
               const std::vector<MemberPair>& pairs,
               bool isDirected)
{
    std::map<MemberPair, uint32_t> seen;
    for (const Matching& matching : schedule)
    {
        EXPECT_FALSE(matching.empty());
        std::set<uint32_t> senders;
        std::set<uint32_t> receivers;
        for (const auto& [a, b] : matching)
        {
            ++seen[{a, b}];
            EXPECT_TRUE(senders.insert(a).second) << a;
            EXPECT_TRUE((isDirected ? receivers : senders).insert(b).second) << b;
        }
    }
    std::map<MemberPair, uint32_t> expected;
    for (const auto& [a, b] : pairs)
    {
        expected[isDirected ? MemberPair{a, b} : MemberPair{std::min(a, b), std::max(a, b)}] = 1;
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

uint32_t
GetDegree(uint32_t n, const std::vector<MemberPair>& pairs, bool isDirected)
{
    std::vector<std::set<uint32_t>> out(n);
    std::vector<std::set<uint32_t>> in(n);
    for (const auto& [a, b] : pairs)
    {
        out[a].insert(b);
        (isDirected ? in : out)[b].insert(a);
    }
    std::size_t degree = 0;
    for (uint32_t i = 0; i < n; ++i)
    {
        degree = std::max({degree, out[i].size(), in[i].size()});
    }
    return static_cast<uint32_t>(degree);
}

TEST(MatchingSchedule, EverybodyMeetsEverybodyOnceInTheFewestRounds)
{
    EXPECT_TRUE(MakeRoundRobin(0).empty());
    EXPECT_TRUE(MakeRoundRobin(1).empty());
    for (uint32_t n = 2; n <= 64; ++n)
    {
        const auto schedule = MakeRoundRobin(n);
        EXPECT_EQ(schedule.size(), n % 2 == 0 ? n - 1 : n);
        ExpectOnceEach(schedule, GetAllPairs(n), false);
        for (const Matching& matching : schedule)
        {
            EXPECT_EQ(matching.size(), n / 2) << "of an odd number one is idle";
        }
    }
    EXPECT_EQ(MakeRoundRobin(4),
              (MatchingSchedule{{{0, 3}, {1, 2}}, {{1, 3}, {0, 2}}, {{2, 3}, {0, 1}}}));
}

TEST(MatchingSchedule, SomePairsTakeAtMostOneMatchingMoreThanTheLargestDegree)
{
    uint32_t withOneMore = 0;
    for (uint32_t seed = 1; seed <= 4000; ++seed)
    {
        std::mt19937 random(seed);
        const uint32_t n = 2 + random() % (seed % 50 == 0 ? 60 : 14);
        const uint32_t density = 1 + random() % 10;
        std::vector<MemberPair> pairs;
        for (auto [a, b] : GetAllPairs(n))
        {
            for (uint32_t times = random() % 10 < density ? 1 + random() % 2 : 0; times > 0;
                 --times)
            {
                pairs.push_back(random() % 2 == 0 ? MemberPair{a, b} : MemberPair{b, a});
            }
        }
        std::shuffle(pairs.begin(), pairs.end(), random);
        const auto schedule = ColourPairs(n, pairs);
        ExpectOnceEach(schedule, pairs, false);
        const uint32_t degree = GetDegree(n, pairs, false);
        EXPECT_GE(schedule.size(), degree) << "seed " << seed;
        EXPECT_LE(schedule.size(), degree + 1) << "seed " << seed;
        withOneMore += schedule.size() > degree ? 1 : 0;
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
    RecordProperty("withOneMore", static_cast<int>(withOneMore));
    EXPECT_GT(withOneMore, 0u) << "odd complete graphs, for example, need one more";
}

TEST(MatchingSchedule, TwoSidesNeedNoMoreThanTheLargestDegree)
{
    for (uint32_t seed = 1; seed <= 2000; ++seed)
    {
        std::mt19937 random(seed);
        const uint32_t n = 2 + random() % 40;
        std::vector<bool> isLeft(n);
        for (uint32_t i = 0; i < n; ++i)
        {
            isLeft[i] = random() % 2 == 0;
        }
        const uint32_t density = 1 + random() % 10;
        std::vector<MemberPair> pairs;
        for (const auto& pair : GetAllPairs(n))
        {
            if (isLeft[pair.a] != isLeft[pair.b] && random() % 10 < density)
            {
                pairs.push_back(pair);
            }
        }
        const auto schedule = ColourPairs(n, pairs);
        ExpectOnceEach(schedule, pairs, false);
        EXPECT_EQ(schedule.size(), GetDegree(n, pairs, false)) << "seed " << seed;
    }
}

TEST(MatchingSchedule, DirectedPairsNeedNoMoreThanTheLargestDegree)
{
    for (uint32_t seed = 1; seed <= 2000; ++seed)
    {
        std::mt19937 random(seed);
        const uint32_t n = 2 + random() % 24;
        const uint32_t density = 1 + random() % 10;
        std::vector<MemberPair> pairs;
        for (const auto& [a, b] : GetAllPairs(n))
        {
            for (const auto& pair : {MemberPair{a, b}, MemberPair{b, a}})
            {
                if (random() % 10 < density)
                {
                    pairs.push_back(pair);
                }
            }
        }
        const auto schedule = ColourDirectedPairs(n, pairs);
        ExpectOnceEach(schedule, pairs, true);
        EXPECT_EQ(schedule.size(), GetDegree(n, pairs, true)) << "seed " << seed;
    }
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
