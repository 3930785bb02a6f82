// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/static-circuits.h"

#include <gtest/gtest.h>
#include <random>

namespace ns3
{
namespace
{

using PortPairs = std::vector<std::pair<uint32_t, uint32_t>>;
using Route = std::vector<uint32_t>;

TEST(StaticCircuits, ACircuitTakesTheLowestFreePorts)
{
    StaticCircuits circuits(4, 2);
    EXPECT_TRUE(circuits.Join(2, 0, 0, 2));
    EXPECT_TRUE(circuits.Join(0, 1, 0, 2));
    EXPECT_EQ(circuits.Find(0, 2), (PortPairs{{0, 0}}));
    EXPECT_EQ(circuits.Find(0, 1), (PortPairs{{1, 0}}));
    EXPECT_EQ(circuits.Find(1, 0), (PortPairs{{0, 1}}));
    EXPECT_TRUE(circuits.Find(1, 2).empty());
    EXPECT_EQ(circuits.CountFree(0), 0u);
    EXPECT_EQ(circuits.CountFree(2), 1u);
    EXPECT_FALSE(circuits.Join(0, 3, 0, 2)) << "0 has no port left";
    EXPECT_EQ(circuits.CountFree(3), 2u) << "a refusal changes nothing";
    EXPECT_FALSE(circuits.Join(3, 3, 0, 2)) << "nobody is joined with itself";
}

TEST(StaticCircuits, PortsOutsideTheRangeAreLeftAlone)
{
    StaticCircuits circuits(2, 4);
    EXPECT_TRUE(circuits.Join(0, 1, 2, 3));
    EXPECT_FALSE(circuits.Join(0, 1, 2, 3));
    EXPECT_EQ(circuits.Find(0, 1), (PortPairs{{2, 2}}));
}

TEST(StaticCircuits, ParallelCircuitsComeInOneOrderFromBothSides)
{
    StaticCircuits circuits(3, 4);
    circuits.Join(1, 2, 0, 4);
    circuits.Join(0, 1, 0, 4);
    circuits.Join(0, 1, 0, 4);
    EXPECT_EQ(circuits.Find(0, 1), (PortPairs{{0, 1}, {1, 2}}));
    EXPECT_EQ(circuits.Find(1, 0), (PortPairs{{1, 0}, {2, 1}}));
}

TEST(StaticCircuits, MistakesAreDescribed)
{
    StaticCircuits circuits(3, 2);
    circuits.Join({1, 0, 0, 1});
    EXPECT_EQ(circuits.GetError(), "");
    EXPECT_EQ(circuits.GetJoints()[0].gpu, 0u) << "the lower GPU comes first";
    circuits.Join({0, 0, 1, 0});
    EXPECT_EQ(circuits.GetError(), "port 0 of GPU 1 is joined twice");
    EXPECT_EQ(circuits.GetJoints().size(), 1u);
    EXPECT_EQ(circuits.CountFree(0), 1u) << "a mistake takes no port";
    circuits.Join({0, 0, 3, 0});
    EXPECT_EQ(circuits.GetError(), "port 0 of GPU 1 is joined twice") << "the first mistake";

    StaticCircuits small(3, 2);
    small.Join({0, 0, 3, 0});
    EXPECT_EQ(small.GetError(), "port 0 of GPU 3 does not exist");
    StaticCircuits few(3, 2);
    few.Join({0, 2, 1, 0});
    EXPECT_EQ(few.GetError(), "port 2 of GPU 0 does not exist");
    StaticCircuits alone(3, 2);
    alone.Join({0, 1, 0, 1});
    EXPECT_EQ(alone.GetError(), "port 1 of GPU 0 is joined twice");
}

TEST(StaticCircuits, ARouteHasTheFewestCircuits)
{
    // A ring of 6 with a chord from 0 to 3.
    StaticCircuits circuits(7, 3);
    for (uint32_t gpu = 0; gpu < 6; ++gpu)
    {
        circuits.Join(gpu, (gpu + 1) % 6, 0, 3);
    }
    circuits.Join(0, 3, 0, 3);
    EXPECT_EQ(circuits.FindRoute(0, 0), (Route{0}));
    EXPECT_EQ(circuits.FindRoute(0, 1), (Route{0, 1}));
    EXPECT_EQ(circuits.FindRoute(0, 4), (Route{0, 3, 4}));
    EXPECT_EQ(circuits.FindRoute(4, 0), (Route{4, 3, 0}));
    EXPECT_TRUE(circuits.FindRoute(0, 6).empty()) << "nothing leads to 6";
}

TEST(StaticCircuits, RoutesAreAsShortAsDistances)
{
    std::mt19937 random(1);
    for (uint32_t round = 0; round < 200; ++round)
    {
        constexpr uint32_t gpus = 12;
        StaticCircuits circuits(gpus, 2 + random() % 3);
        std::vector<Route> distance(gpus, Route(gpus, gpus));
        for (uint32_t i = 0; i < 20; ++i)
        {
            const uint32_t a = random() % gpus;
            const uint32_t b = random() % gpus;
            if (circuits.Join(a, b, 0, 4))
            {
                distance[a][b] = distance[b][a] = 1;
            }
        }
        for (uint32_t k = 0; k < gpus; ++k)
        {
            for (uint32_t a = 0; a < gpus; ++a)
            {
                for (uint32_t b = 0; b < gpus; ++b)
                {
                    distance[a][b] = std::min(distance[a][b], distance[a][k] + distance[k][b]);
                }
            }
        }
        for (uint32_t a = 0; a < gpus; ++a)
        {
            for (uint32_t b = 0; b < gpus; ++b)
            {
                const Route route = circuits.FindRoute(a, b);
                if (a == b)
                {
                    continue;
                }
                ASSERT_EQ(route.empty(), distance[a][b] >= gpus);
                if (route.empty())
                {
                    continue;
                }
                ASSERT_EQ(route.size(), distance[a][b] + 1);
                ASSERT_EQ(route.front(), a);
                ASSERT_EQ(route.back(), b);
                for (std::size_t i = 0; i + 1 < route.size(); ++i)
                {
                    ASSERT_FALSE(circuits.Find(route[i], route[i + 1]).empty());
                }
                Route back = circuits.FindRoute(b, a);
                std::reverse(back.begin(), back.end());
                ASSERT_EQ(route, back);
            }
        }
    }
}

} // namespace
} // namespace ns3
