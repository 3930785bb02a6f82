// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Routes of a switch: ranges, their neighbours, and the choice among equal-cost ports.
 */

#include "ns3/switch-forwarding.h"

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>

using namespace ns3;

namespace
{

using RoutePorts = SwitchRoutes::Ports;

/// Flows of one pair of hosts differ by source port only, as those of RoCEv2 do.
FlowTuple
GetFlow(uint32_t number)
{
    return {0x0a000001, 0x0a000100, static_cast<uint16_t>(0xc000 + number), 4791, 17};
}

} // namespace

TEST(SwitchRoutes, EveryAddressOfARangeAndNoOther)
{
    SwitchRoutes routes;
    EXPECT_EQ(routes.Find(0).ports, nullptr);
    routes.Add(100, 199, {3, 1, 2});
    routes.Add(0, 0, {7});
    routes.Add(0xffffffff, 0xffffffff, {8});
    for (const uint32_t inside : {100u, 150u, 199u})
    {
        ASSERT_NE(routes.Find(inside).ports, nullptr);
        EXPECT_EQ(*routes.Find(inside).ports, RoutePorts({1, 2, 3}));
    }
    for (const uint32_t outside : {1u, 99u, 200u, 0xfffffffeu})
    {
        EXPECT_EQ(routes.Find(outside).ports, nullptr) << outside;
    }
    EXPECT_EQ(*routes.Find(0).ports, RoutePorts({7}));
    EXPECT_EQ(*routes.Find(0xffffffff).ports, RoutePorts({8}));
}

TEST(SwitchRoutes, NeighboursWithEqualPortsBecomeOne)
{
    SwitchRoutes routes;
    routes.Add(10, 19, {1, 2});
    routes.Add(30, 39, {2, 1});
    EXPECT_EQ(routes.GetNRanges(), 2);
    routes.Add(20, 29, {1, 2});
    EXPECT_EQ(routes.GetNRanges(), 1);
    EXPECT_EQ(routes.Find(25).first, 10);
    EXPECT_EQ(routes.Find(25).last, 39);
    routes.Add(40, 40, {1});
    routes.Add(9, 9, {1, 2, 3});
    EXPECT_EQ(routes.GetNRanges(), 3);
}

TEST(SwitchRoutes, SameAsATableOfSingleAddresses)
{
    std::minstd_rand random(1);
    SwitchRoutes routes;
    std::map<uint32_t, RoutePorts> table;
    for (int i = 0; i < 300; ++i)
    {
        const uint32_t first = random() % 1000;
        const uint32_t last = first + random() % 10;
        bool overlaps = false;
        for (uint32_t address = first; address <= last; ++address)
        {
            overlaps |= table.count(address) > 0;
        }
        if (overlaps)
        {
            continue;
        }
        const uint32_t a = random() % 2;
        const uint32_t b = 2 + random() % 2;
        const RoutePorts ports{a, b};
        routes.Add(first, last, ports);
        for (uint32_t address = first; address <= last; ++address)
        {
            table[address] = ports;
        }
    }
    for (uint32_t address = 0; address < 1020; ++address)
    {
        const auto route = routes.Find(address);
        ASSERT_EQ(route.ports != nullptr, table.count(address) > 0) << address;
        if (route.ports)
        {
            ASSERT_EQ(*route.ports, table[address]) << address;
        }
    }
}

TEST(SwitchRoutesDeathTest, OverlapsAndNonsenseAbort)
{
    SwitchRoutes routes;
    routes.Add(0x0a000010, 0x0a00001f, {1});
    EXPECT_DEATH(routes.Add(0x0a00001f, 0x0a00002f, {1}),
                 "from 10.0.0.31 to 10.0.0.47 overlaps that from 10.0.0.16 to 10.0.0.31");
    EXPECT_DEATH(routes.Add(0x0a000000, 0x0a000010, {1}), "overlaps");
    EXPECT_DEATH(routes.Add(0x0a000012, 0x0a000013, {2}), "overlaps");
    EXPECT_DEATH(routes.Add(0x0a000000, 0x0a0000ff, {2}), "overlaps");
    EXPECT_DEATH(routes.Add(2, 1, {2}), "upside down");
    EXPECT_DEATH(routes.Add(1, 2, {}), "no port");
    EXPECT_DEATH(routes.Add(1, 2, {4, 4}), "twice");
}

TEST(SwitchRoutes, FlowsSpreadEvenlyAndStayWhereTheyAre)
{
    for (const uint32_t count : {2u, 3u, 8u, 16u})
    {
        constexpr uint32_t flows = 16000;
        std::vector<uint32_t> chosen(count);
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            const uint32_t choice = SwitchRoutes::Choose(GetFlow(flow), 5, count);
            ASSERT_LT(choice, count);
            ASSERT_EQ(choice, SwitchRoutes::Choose(GetFlow(flow), 5, count));
            ++chosen[choice];
        }
        const double expected = static_cast<double>(flows) / count;
        double chiSquare = 0;
        for (const uint32_t observed : chosen)
        {
            chiSquare += (observed - expected) * (observed - expected) / expected;
        }
        // 15 degrees of freedom exceed 37.7 once in a thousand times.
        EXPECT_LT(chiSquare, 37.7) << count;
    }
}

TEST(SwitchRoutes, EachFieldOfTheTupleCounts)
{
    constexpr uint32_t count = 1 << 20;
    const FlowTuple flow = GetFlow(0);
    std::vector<FlowTuple> others(5, flow);
    ++others[0].source;
    ++others[1].destination;
    ++others[2].sourcePort;
    ++others[3].destinationPort;
    ++others[4].protocol;
    for (const auto& other : others)
    {
        EXPECT_NE(SwitchRoutes::Choose(other, 0, count), SwitchRoutes::Choose(flow, 0, count));
    }
    EXPECT_NE(SwitchRoutes::Choose(flow, 1, count), SwitchRoutes::Choose(flow, 0, count));
}

TEST(SwitchRoutes, EqualSeedsPolariseTheNextTier)
{
    // Of the flows that the first tier sent to its first of two ports, the second tier uses one
    // port only if its seed is the same, and both evenly if it is not.
    uint32_t same = 0;
    uint32_t other = 0;
    uint32_t flows = 0;
    for (uint32_t flow = 0; flow < 4000; ++flow)
    {
        if (SwitchRoutes::Choose(GetFlow(flow), 1, 2) == 0)
        {
            ++flows;
            same += SwitchRoutes::Choose(GetFlow(flow), 1, 2);
            other += SwitchRoutes::Choose(GetFlow(flow), 2, 2);
        }
    }
    EXPECT_EQ(same, 0);
    EXPECT_NEAR(other / static_cast<double>(flows), 0.5, 0.05);
}
