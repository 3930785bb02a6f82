// SPDX-License-Identifier: GPL-2.0-only

#include "../../examples/pip-switch/pip-report.h"
#include "../random-search.h"

#include "ns3/pip-mesh.h"
#include "ns3/pip-placement.h"
#include "ns3/pip-plan.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

namespace ns3
{
namespace
{

/// @return all pairs of some matchings, each as often as it is there
std::multiset<std::pair<uint32_t, uint32_t>>
GetPairs(const std::vector<CircuitSet>& matchings)
{
    std::multiset<std::pair<uint32_t, uint32_t>> pairs;
    for (const auto& matching : matchings)
    {
        std::set<uint32_t> ports;
        for (const auto& circuit : matching)
        {
            EXPECT_LT(circuit.a, circuit.b);
            EXPECT_TRUE(ports.insert(circuit.a).second);
            EXPECT_TRUE(ports.insert(circuit.b).second);
            pairs.insert({circuit.a, circuit.b});
        }
    }
    return pairs;
}

/// @return true if each pair of ports is there once
bool
HasAllPairs(const std::vector<CircuitSet>& matchings, uint32_t ports)
{
    const auto pairs = GetPairs(matchings);
    const std::set<std::pair<uint32_t, uint32_t>> different(pairs.begin(), pairs.end());
    return pairs.size() == ports * (ports - 1) / 2 && different.size() == pairs.size() &&
           (pairs.empty() || pairs.rbegin()->first < ports);
}

TEST(PipFactorization, AllPairsInAsFewMatchingsAsThereCanBe)
{
    for (uint32_t ports = 2; ports <= 33; ++ports)
    {
        for (uint32_t stays : {0u, ports / 2, ports - 1})
        {
            const auto matchings = MakeCircleFactorization(ports, stays);
            EXPECT_EQ(matchings.size(), CountLeastMatchings(ports));
            EXPECT_TRUE(HasAllPairs(matchings, ports)) << ports;
        }
        if ((ports & (ports - 1)) == 0)
        {
            EXPECT_EQ(MakeBitFactorization(ports).size(), ports - 1);
            EXPECT_TRUE(HasAllPairs(MakeBitFactorization(ports), ports));
        }
    }
    EXPECT_EQ(CountLeastMatchings(32), 31u);
    EXPECT_EQ(CountLeastMatchings(31), 31u);
}

TEST(PipFactorization, ExchangesKeepAllPairs)
{
    std::mt19937 random(2);
    uint32_t changes = 0;
    for (uint32_t ports : {5u, 6u, 8u, 9u, 12u, 16u, 32u})
    {
        auto matchings = MakeCircleFactorization(ports, ports - 1);
        for (int round = 0; round < 300; ++round)
        {
            std::vector<std::size_t> order(matchings.size());
            std::iota(order.begin(), order.end(), 0);
            std::swap(order[0], order[random() % order.size()]);
            std::swap(order[1], order[1 + random() % (order.size() - 1)]);
            std::swap(order[2], order[2 + random() % (order.size() - 2)]);
            std::vector<CircuitSet*> chosen;
            for (std::size_t i = 0; i < 2 + random() % 2; ++i)
            {
                chosen.push_back(&matchings[order[i]]);
            }
            const auto before = matchings;
            const bool hasChanged = ExchangeCircuits(chosen, ports, random);
            EXPECT_EQ(hasChanged, matchings != before);
            changes += hasChanged ? 1 : 0;
            ASSERT_TRUE(HasAllPairs(matchings, ports)) << ports;
        }
    }
    EXPECT_GT(changes, 300u);
}

TEST(PipPlanner, PlansForFourToThirtyTwoPortsAreAsSmallAsCanBe)
{
    // Sides of the smallest square mesh on which this was found.
    const std::vector<std::pair<uint32_t, uint32_t>> sizes{{4, 2},
                                                           {5, 2},
                                                           {6, 2},
                                                           {8, 3},
                                                           {9, 3},
                                                           {10, 3},
                                                           {12, 4},
                                                           {14, 4},
                                                           {16, 5},
                                                           {20, 6},
                                                           {24, 7},
                                                           {28, 8},
                                                           {32, 9}};
    for (const auto& [ports, side] : test::TakeSample(sizes))
    {
        SCOPED_TRACE(std::to_string(ports) + " ports");
        const PipMesh mesh(side, side);
        const auto places = PlacePipPorts(mesh, ports);
        const auto plan = PlanPipMatchings(mesh, places, PipEffort());
        EXPECT_EQ(plan.Check(), "");
        EXPECT_EQ(plan.lowerBound, CountLeastMatchings(ports));
        EXPECT_TRUE(plan.IsSmallest()) << plan.matchings.size();
        // Once more from scratch, without Check: light from each port, in each matching.
        std::set<std::pair<uint32_t, uint32_t>> met;
        for (const auto& matching : plan.matchings)
        {
            for (const auto& circuit : matching.circuits)
            {
                const auto passage = FollowPipLight(mesh, matching.states, places[circuit.a]);
                EXPECT_EQ(passage.exit, places[circuit.b]);
                EXPECT_TRUE(met.insert({circuit.a, circuit.b}).second);
            }
        }
        EXPECT_EQ(met.size(), ports * (ports - 1) / 2);
        const auto cells = CountPipPlanCells(plan);
        EXPECT_GE(cells.least, 1u);
        EXPECT_LE(cells.least, cells.mean);
        EXPECT_LE(cells.mean, cells.most);
        if (ports <= 16)
        {
            EXPECT_EQ(PlanPipMatchings(mesh, places, PipEffort()).matchings.size(),
                      plan.matchings.size());
        }
    }
}

TEST(PipPlanner, TheSameArgumentsGiveTheSamePlan)
{
    const PipMesh mesh(4, 4); // too small for 16 ports in 15 matchings: all steps of the search
    const auto places = PlacePipPorts(mesh, 16);
    PipEffort effort;
    effort.exchanges = 40;
    const auto one = PlanPipMatchings(mesh, places, effort);
    const auto other = PlanPipMatchings(mesh, places, effort);
    EXPECT_EQ(one.Check(), "");
    EXPECT_FALSE(one.IsSmallest());
    ASSERT_EQ(one.matchings.size(), other.matchings.size());
    for (std::size_t i = 0; i < one.matchings.size(); ++i)
    {
        EXPECT_EQ(one.matchings[i].circuits, other.matchings[i].circuits);
        EXPECT_EQ(one.matchings[i].states, other.matchings[i].states);
    }
}

TEST(PipPlanner, PortsWithoutALightPathAreNamed)
{
    const PipMesh mesh(1, 1);
    const auto plan = PlanPipMatchings(mesh, PlacePipPorts(mesh, 2), PipEffort());
    EXPECT_EQ(plan.error, "no light path joins ports 0 and 1");
    EXPECT_EQ(plan.Check(), plan.error);
    EXPECT_FALSE(plan.IsSmallest());
}

TEST(PipPlanner, AnySizesGivePlansThatPassTheCheck)
{
    std::mt19937 random(9);
    uint32_t plans = 0;
    const uint64_t rounds = test::CountSeeds("plans of any size", 60);
    for (uint64_t round = 0; round < rounds; ++round)
    {
        const PipMesh mesh(1 + random() % 5, 1 + random() % 5);
        const uint32_t most = std::min<std::size_t>(14, mesh.GetFreeEnds().size());
        const uint32_t ports = 2 + random() % (most - 1);
        PipEffort effort;
        effort.exchanges = 20;
        effort.negotiation = 25;
        const auto plan = PlanPipMatchings(mesh, PlacePipPorts(mesh, ports), effort);
        if (plan.error.empty())
        {
            ++plans;
            EXPECT_EQ(plan.Check(), "");
            EXPECT_GE(plan.matchings.size(), CountLeastMatchings(ports));
        }
        else
        {
            EXPECT_EQ(plan.error.find("no light path joins ports"), 0u) << plan.error;
        }
    }
    EXPECT_GT(plans, rounds / 2);
}

} // namespace
} // namespace ns3
