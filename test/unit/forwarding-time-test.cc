// SPDX-License-Identifier: GPL-2.0-only

#include "forwarding-time.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

/// 1 byte lasts 1 ns on one circuit.
CircuitService
MakeService()
{
    return {DataRate("8Gbps"), MilliSeconds(1), MicroSeconds(1)};
}

TEST(ForwardingTime, AllToAllOfFour)
{
    // Three matchings over two ports: one step of two, one of one with two circuits.
    const auto times = GetAllToAllTimes(4, 1000000, 2, MakeService(), true);
    EXPECT_EQ(times.matchings, MilliSeconds(2) + MicroSeconds(2) + MicroSeconds(1500));
    // Every link carries 4 * 4 / 8 = 2 blocks, and the farthest is two hops away.
    EXPECT_EQ(times.forwarded, MicroSeconds(2) + MilliSeconds(2));
    EXPECT_TRUE(times.IsForwardingFaster());
    EXPECT_EQ(GetAllToAllTimes(4, 1000000, 2, MakeService(), false).forwarded,
              MicroSeconds(2) + MilliSeconds(3));
}

TEST(ForwardingTime, ClosedFormsAreThoseOfThePlans)
{
    const CircuitService service = MakeService();
    for (uint32_t n = 2; n <= 40; ++n)
    {
        for (uint32_t ports : {2u, 4u})
        {
            constexpr uint64_t BYTES = 120000;
            const auto demands = MakeAllToAllDemands(n, BYTES);
            const auto closed = GetAllToAllTimes(n, BYTES, ports, service, true);
            EXPECT_EQ(GetMatchingsTime(demands, MakeRoundRobin(n), ports, service),
                      closed.matchings);
            const auto routes = RouteOverCircuits(n, MakeRingLinks(n, ports), demands);
            const Time forwarded = GetForwardedTime(routes, service, true);
            // Blocks are not divided between two equal ways.
            EXPECT_GE(forwarded, closed.forwarded);
            EXPECT_LE(forwarded,
                      closed.forwarded +
                          NanoSeconds(n % 2 == 1 || n == 2 ? 0 : 2 * BYTES / (ports / 2)));
            EXPECT_EQ(GetForwardedTime(routes, service, false), forwarded + MilliSeconds(1));
        }
    }
}

TEST(ForwardingTime, SmallMessagesAreForwardedAndLargeOnesGetCircuits)
{
    CircuitService service = MakeService();
    service.hopLatency = Time();
    for (uint32_t n = 8; n <= 64; ++n)
    {
        for (uint32_t ports : {2u, 4u})
        {
            // The border of the documented rule, for which all steps must have P matchings.
            const uint32_t matchings = n - 1 + n % 2;
            if (matchings % ports != 0)
            {
                continue;
            }
            const double steps = matchings / ports;
            const double blocks = (n * n - n % 2) / 8.0;
            const double border = steps * 1000000 / (2 * blocks / ports - steps);
            auto isFaster = [&](double bytes) {
                return GetAllToAllTimes(n, static_cast<uint64_t>(bytes), ports, service, true)
                    .IsForwardingFaster();
            };
            EXPECT_TRUE(isFaster(border * 0.99)) << n;
            EXPECT_FALSE(isFaster(border * 1.01)) << n;
        }
    }
    EXPECT_TRUE(GetAllToAllTimes(3, 1000000000, 2, service, true).IsForwardingFaster());
}

TEST(ForwardingTime, LimitsAreWhatTheyShouldBe)
{
    EXPECT_EQ(GetAllToAllTimes(1, 1000, 1, MakeService(), true).matchings, Time());
    EXPECT_FALSE(GetAllToAllTimes(3, 1000, 1, MakeService(), true).IsForwardingFaster());
    const auto pair = GetAllToAllTimes(2, 1000, 1, MakeService(), true);
    EXPECT_EQ(pair.forwarded, MicroSeconds(2));
    EXPECT_EQ(pair.matchings, MicroSeconds(2) + MilliSeconds(1));
}

TEST(ForwardingTime, AStepWaitsForItsHeaviestPair)
{
    // 0 to 1 both ways, 2 to 3 one way, over one port: one matching.
    EXPECT_EQ(GetMatchingsTime({{0, 1, 500}, {1, 0, 700}, {2, 3, 600}},
                               {{{0, 1}, {2, 3}}},
                               1,
                               MakeService()),
              MilliSeconds(1) + MicroSeconds(1) + NanoSeconds(700));
}

} // namespace
} // namespace ns3
