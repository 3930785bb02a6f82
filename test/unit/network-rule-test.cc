// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Which network a call takes, by its group and its volume.
 */

#include "ns3/connectivity-provider.h"
#include "ns3/ptr.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

constexpr uint64_t THRESHOLD = 1 << 20;

/// @return a call of so many bytes
CollectiveCall
MakeCall(uint64_t bytes, CollectiveKind kind = CollectiveKind::ALL_REDUCE)
{
    CollectiveCall call;
    call.kind = kind;
    call.bytes = bytes;
    return call;
}

TEST(NetworkRule, EveryCombination)
{
    using N = CollectiveNetwork;
    const NetworkRule rule{THRESHOLD};
    for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, THRESHOLD - 1, THRESHOLD, 2 * THRESHOLD})
    {
        const CollectiveCall call = MakeCall(bytes);
        const N byVolume = bytes < THRESHOLD ? N::HOSTS : N::RAILS;
        EXPECT_EQ(rule.Choose({false, true, true}, call), byVolume) << bytes;
        EXPECT_EQ(rule.Choose({false, true, false}, call), N::RAILS) << bytes;
        EXPECT_EQ(rule.Choose({false, false, true}, call), N::HOSTS) << bytes;
        for (const bool onRails : {false, true})
        {
            for (const bool onHosts : {false, true})
            {
                EXPECT_EQ(rule.Choose({true, onRails, onHosts}, call), N::SCALE_UP) << bytes;
            }
        }
    }
}

TEST(NetworkRule, WithoutAThresholdNothingIsSmall)
{
    EXPECT_EQ(NetworkRule().Choose({false, true, true}, MakeCall(0)), CollectiveNetwork::RAILS);
    EXPECT_EQ(NetworkRule().Choose({false, false, true}, MakeCall(1 << 30)),
              CollectiveNetwork::HOSTS);
}

TEST(NetworkRule, KindsDoNotMatter)
{
    const NetworkRule rule{THRESHOLD};
    for (const auto kind : {CollectiveKind::ALL_GATHER,
                            CollectiveKind::REDUCE_SCATTER,
                            CollectiveKind::ALL_REDUCE,
                            CollectiveKind::ALL_TO_ALL,
                            CollectiveKind::BROADCAST,
                            CollectiveKind::REDUCE,
                            CollectiveKind::SEND,
                            CollectiveKind::RECV})
    {
        const NetworkRule::Group group{false, true, true};
        EXPECT_EQ(rule.Choose(group, MakeCall(THRESHOLD - 1, kind)), CollectiveNetwork::HOSTS);
        EXPECT_EQ(rule.Choose(group, MakeCall(THRESHOLD, kind)), CollectiveNetwork::RAILS);
    }
}

TEST(NetworkRule, RanksOfAnUnequalAllToAllAgree)
{
    // Rank 0 sends a lot, the others next to nothing; each calls with bytes of its own.
    const auto sizes =
        Create<AllToAllSizes>(3, std::vector<uint64_t>{0, THRESHOLD, THRESHOLD, 1, 0, 1, 1, 1, 0});
    for (const uint64_t bytes : {2 * THRESHOLD, uint64_t{2}})
    {
        CollectiveCall call = MakeCall(bytes, CollectiveKind::ALL_TO_ALL);
        call.sizes = sizes;
        EXPECT_EQ(NetworkRule::GetVolume(call), 2 * THRESHOLD);
        EXPECT_EQ(NetworkRule{2 * THRESHOLD}.Choose({false, true, true}, call),
                  CollectiveNetwork::RAILS);
        EXPECT_EQ(NetworkRule{2 * THRESHOLD + 1}.Choose({false, true, true}, call),
                  CollectiveNetwork::HOSTS);
    }
}

} // namespace
} // namespace ns3
