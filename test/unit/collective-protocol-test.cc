// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/collective-protocol.h"

#include <gtest/gtest.h>
#include <string>

namespace ns3
{
namespace
{

/// @return the call as an algorithm carries it out, in domains of a number of ranks
CollectiveCost
GetCost(const char* algorithm, const GroupShape& shape, uint64_t bytes)
{
    RankContext part;
    part.call.bytes = bytes;
    part.shape = shape;
    return Variant<CollectiveAlgorithm>(algorithm)->GetCost(part).On(shape, true);
}

/// Two DGX H100.
constexpr GroupShape TWO_NODES{16, 8};
constexpr CollectiveRates H100{50e9, 370.8e9};

TEST(CollectiveProtocol, SmallMessagesTakeWhatNcclsLogPredicts)
{
    // NCCL_DEBUG=INFO of two nodes of eight H100, issue 1453 of github.com/NVIDIA/nccl: "64 Bytes
    // -> Algo 0 proto 0 time 25.207382", which is a tree with LL.
    const auto tree = GetCost("tree", TWO_NODES, 64);
    const auto protocol = CollectiveProtocol::Choose(tree, TWO_NODES, H100);
    EXPECT_STREQ(protocol.GetName(), "LL");
    EXPECT_NEAR(protocol.GetSeconds(tree) * 1e6, 25.207, 0.03);
    // A tree because a ring has 30 steps.
    const auto rings = GetCost("channels", TWO_NODES, 64);
    const auto other = CollectiveProtocol::Choose(rings, TWO_NODES, H100);
    EXPECT_GT(other.GetSeconds(rings), 1.4 * protocol.GetSeconds(tree));
}

TEST(CollectiveProtocol, LongerMessagesHaveFewerFlags)
{
    std::string last = "LL";
    std::string seen = last;
    for (uint64_t bytes = 64; bytes <= uint64_t{1} << 30; bytes *= 2)
    {
        const auto cost = GetCost("channels", TWO_NODES, bytes);
        const auto protocol = CollectiveProtocol::Choose(cost, TWO_NODES, H100);
        if (protocol.GetName() != last)
        {
            last = protocol.GetName();
            seen += " " + last;
        }
    }
    EXPECT_EQ(seen, "LL LL128 Simple");
}

TEST(CollectiveProtocol, FlagsTakeTimeOnALink)
{
    // A link of 10 GB/s, of which LL uses half for data.
    const GroupShape pair{2, 1};
    const auto protocol = CollectiveProtocol::Choose({1, 1000}, pair, {10e9, 0});
    EXPECT_STREQ(protocol.GetName(), "LL");
    const auto& link = protocol.GetLink(true);
    double free = 0;
    // 1000 bytes arrive in 0.1 us and have taken 0.2 us with their flags.
    EXPECT_NEAR(link.GetDelay(free, 1e-6, 1000) - link.step, 0.1e-6, 1e-12);
    EXPECT_NEAR(free, 1.1e-6, 1e-12);
    // What follows at once finds the link busy.
    EXPECT_NEAR(link.GetDelay(free, 1.1e-6, 1000) - link.step, 0.2e-6, 1e-12);
    // Nothing is left of that later.
    EXPECT_NEAR(link.GetDelay(free, 9e-6, 1000) - link.step, 0.1e-6, 1e-12);
    const auto simple = CollectiveProtocol::Choose({1, 1e9}, pair, {10e9, 0});
    EXPECT_STREQ(simple.GetName(), "Simple");
    EXPECT_EQ(simple.GetLink(true).GetDelay(free, 10e-6, 1000), simple.GetLink(true).step);
}

TEST(CollectiveProtocol, UnknownRatesTakeNoTime)
{
    const auto protocol = CollectiveProtocol::Choose({3, 1000}, {4, 1}, {});
    EXPECT_STREQ(protocol.GetName(), "");
    EXPECT_EQ(protocol.GetSeconds({3, 1000}), 0);
}

} // namespace
} // namespace ns3
