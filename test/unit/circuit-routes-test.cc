// SPDX-License-Identifier: GPL-2.0-only

#include "forwarding-time.h"
#include "plan-test-tools.h"

#include "ns3/job-topology.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace ns3
{
namespace
{

/// @return the links of a plan, by the places of the ranks in a list
std::vector<CircuitLink>
GetCircuitLinks(const CircuitPlan& plan, const std::vector<CircuitPlanner::Member>& members)
{
    std::map<uint32_t, uint32_t> places;
    for (uint32_t i = 0; i < members.size(); ++i)
    {
        places[members[i].rank] = i;
    }
    std::vector<CircuitLink> links;
    for (const auto& [ranks, circuits] : PlanCheck::CountLinks(plan, members))
    {
        links.push_back({places.at(ranks.first), places.at(ranks.second), circuits});
    }
    return links;
}

using Ends = std::pair<uint32_t, uint32_t>;

/// Hops between members, by the algorithm of Floyd and Warshall.
std::vector<std::vector<uint32_t>>
GetDistances(uint32_t n, const std::vector<CircuitLink>& links)
{
    constexpr uint32_t FAR = 1000000;
    std::vector<std::vector<uint32_t>> distances(n, std::vector<uint32_t>(n, FAR));
    for (uint32_t i = 0; i < n; ++i)
    {
        distances[i][i] = 0;
    }
    for (const CircuitLink& link : links)
    {
        distances[link.a][link.b] = distances[link.b][link.a] = 1;
    }
    for (uint32_t k = 0; k < n; ++k)
    {
        for (uint32_t i = 0; i < n; ++i)
        {
            for (uint32_t j = 0; j < n; ++j)
            {
                distances[i][j] = std::min(distances[i][j], distances[i][k] + distances[k][j]);
            }
        }
    }
    return distances;
}

/// Routes are shortest paths over the links, and loads are the sums of what takes them.
void
ExpectSound(uint32_t n,
            const std::vector<CircuitLink>& links,
            const std::vector<MemberDemand>& demands,
            const CircuitRoutes& routes)
{
    std::map<Ends, uint32_t> circuits;
    for (const CircuitLink& link : links)
    {
        circuits[{link.a, link.b}] += link.circuits;
        circuits[{link.b, link.a}] += link.circuits;
    }
    const auto distances = GetDistances(n, links);
    std::map<Ends, uint64_t> bytes;
    uint64_t forwarded = 0;
    uint32_t unreachable = 0;
    uint32_t maxHops = 0;
    ASSERT_EQ(routes.routes.size(), demands.size());
    for (std::size_t i = 0; i < demands.size(); ++i)
    {
        const auto& [demand, members] = routes.routes[i];
        ASSERT_EQ(demand.from, demands[i].from);
        ASSERT_EQ(demand.to, demands[i].to);
        if (members.empty())
        {
            ++unreachable;
            ASSERT_GT(distances[demand.from][demand.to], n);
            continue;
        }
        ASSERT_EQ(members.front(), demand.from);
        ASSERT_EQ(members.back(), demand.to);
        ASSERT_EQ(members.size() - 1, distances[demand.from][demand.to]);
        for (std::size_t hop = 0; hop + 1 < members.size(); ++hop)
        {
            ASSERT_EQ(circuits.count({members[hop], members[hop + 1]}), 1u);
            bytes[{members[hop], members[hop + 1]}] += demand.bytes;
            forwarded += hop > 0 ? demand.bytes : 0;
        }
        maxHops = std::max(maxHops, routes.routes[i].GetHops());
    }
    EXPECT_EQ(routes.unreachable, unreachable);
    EXPECT_EQ(routes.forwardedBytes, forwarded);
    EXPECT_EQ(routes.maxHops, maxHops);
    ASSERT_EQ(routes.loads.size(), circuits.size());
    for (const LinkLoad& load : routes.loads)
    {
        const Ends ends{load.from, load.to};
        EXPECT_EQ(load.circuits, circuits.at(ends));
        EXPECT_EQ(load.bytes, bytes[ends]);
    }
}

TEST(CircuitRoutes, ARingCarriesTheClosedForm)
{
    constexpr uint64_t BLOCK = 1000;
    for (uint32_t n = 3; n <= 64; ++n)
    {
        const auto links = MakeRingLinks(n, 2);
        const auto demands = MakeAllToAllDemands(n, BLOCK);
        const auto routes = RouteOverCircuits(n, links, demands);
        ExpectSound(n, links, demands, routes);
        EXPECT_EQ(routes.maxHops, n / 2);
        EXPECT_DOUBLE_EQ(routes.GetMeanHops(), (n * n / 4) / (n - 1.0));
        EXPECT_EQ(routes.forwardedBytes, BLOCK * n * (n * n / 4 - (n - 1)));
        const uint64_t mean = BLOCK * (n * n - n % 2) / 8;
        EXPECT_GE(routes.GetLargestLoad(), mean);
        EXPECT_LE(routes.GetLargestLoad(), n % 2 == 1 ? mean : mean + 2 * BLOCK) << n;
    }
}

TEST(CircuitRoutes, ParallelCircuitsShareTheLoad)
{
    EXPECT_EQ(
        RouteOverCircuits(5, MakeRingLinks(5, 4), MakeAllToAllDemands(5, 10)).GetLargestLoad(),
        15u);
    EXPECT_EQ(
        RouteOverCircuits(2, MakeRingLinks(2, 4), MakeAllToAllDemands(2, 10)).GetLargestLoad(),
        3u)
        << "rounded up";
    // Two ways from 0 to 3; that over 2 has twice the circuits.
    const auto routes = RouteOverCircuits(4,
                                          {{0, 1, 1}, {1, 3, 1}, {0, 2, 2}, {2, 3, 2}},
                                          {{0, 3, 5}, {0, 3, 6}, {0, 3, 10}});
    EXPECT_EQ(routes.routes[2].members, (std::vector<uint32_t>{0, 2, 3})) << "the heaviest first";
    EXPECT_EQ(routes.routes[1].members, (std::vector<uint32_t>{0, 1, 3})) << "6 is less than 16/2";
    EXPECT_EQ(routes.routes[0].members, (std::vector<uint32_t>{0, 2, 3})) << "15/2 is less than 11";
}

TEST(CircuitRoutes, WhatIsNotConnectedIsReported)
{
    const auto routes = RouteOverCircuits(4, {{0, 1, 1}}, {{0, 1, 5}, {1, 2, 5}, {3, 2, 1}});
    EXPECT_EQ(routes.unreachable, 2u);
    EXPECT_TRUE(routes.routes[1].members.empty());
    EXPECT_EQ(routes.routes[1].GetHops(), 0u);
    EXPECT_DOUBLE_EQ(routes.GetMeanHops(), 1.0);
    EXPECT_DOUBLE_EQ(CircuitRoutes().GetMeanHops(), 0.0);
}

TEST(CircuitRoutes, AnyCircuitsAreUsedOnShortestPaths)
{
    for (uint32_t seed = 1; seed <= 2000; ++seed)
    {
        std::mt19937 random(seed);
        const uint32_t n = 2 + random() % 12;
        std::vector<CircuitLink> links;
        for (uint32_t i = random() % (2 * n); i > 0; --i)
        {
            const uint32_t a = random() % n;
            links.push_back({a,
                             (a + 1 + static_cast<uint32_t>(random() % (n - 1))) % n,
                             1 + static_cast<uint32_t>(random() % 3)});
        }
        std::vector<MemberDemand> demands;
        for (uint32_t i = random() % 40; i > 0; --i)
        {
            const uint32_t from = random() % n;
            demands.push_back({from,
                               (from + 1 + static_cast<uint32_t>(random() % (n - 1))) % n,
                               random() % 1000});
        }
        ExpectSound(n, links, demands, RouteOverCircuits(n, links, demands));
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
}

TEST(CircuitRoutes, LinksAreThoseOfThePlan)
{
    for (uint32_t ports : {2u, 4u})
    {
        for (uint32_t n = 2; n <= 9; ++n)
        {
            std::mt19937 random(n);
            const auto members = MakeScatteredMembers(n, ports, random);
            auto ofPlan = GetCircuitLinks(CircuitPlanner::PlanRing(members).plan, members);
            std::map<Ends, uint32_t> circuits;
            for (const CircuitLink& link : ofPlan)
            {
                circuits[std::minmax(link.a, link.b)] += link.circuits;
            }
            for (const CircuitLink& link : MakeRingLinks(n, ports))
            {
                circuits[std::minmax(link.a, link.b)] -= link.circuits;
            }
            for (const auto& [ends, difference] : circuits)
            {
                EXPECT_EQ(difference, 0u);
            }
        }
    }
}

} // namespace
} // namespace ns3
