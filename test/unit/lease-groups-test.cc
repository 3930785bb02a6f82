// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/lease-client.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace
{

ProcessGroup
MakeGroup(uint32_t id, const std::vector<uint32_t>& ranks)
{
    ProcessGroup group;
    group.id = id;
    group.ranks = ranks;
    return group;
}

TEST(LeaseGroups, AMessageInALargeGroupNeedsThePairAlone)
{
    const ProcessGroup ring = MakeGroup(5, {1, 4, 9});
    const CollectiveCall gather{CollectiveKind::ALL_GATHER, 5, 1000, 0};
    const CollectiveCall send{CollectiveKind::SEND, 5, 64, 9};
    const CollectiveCall receive{CollectiveKind::RECV, 5, 64, 4};
    EXPECT_EQ(FindLeaseGroup(4, ring, gather), 5u);
    const uint64_t pair = FindLeaseGroup(4, ring, send);
    EXPECT_NE(pair, 5u);
    EXPECT_EQ(FindLeaseGroup(9, ring, receive), pair) << "the same from both ends";
    EXPECT_NE(FindLeaseGroup(1, ring, send), pair);
    EXPECT_EQ(FindLeaseGroup(4, MakeGroup(6, {4, 9}), send), 6u);
}

TEST(LeaseGroups, RanksAreIntroducedOnce)
{
    using Ranks = std::vector<uint32_t>;
    LeaseGroups groups;
    const ProcessGroup ring = MakeGroup(5, {1, 4, 9});
    const uint64_t all = groups.Record(4, ring, {CollectiveKind::ALL_GATHER, 5, 1000, 0});
    const uint64_t pair = groups.Record(4, ring, {CollectiveKind::SEND, 5, 64, 1});
    EXPECT_EQ(groups.GetGroup(5).ranks, ring.ranks);
    EXPECT_EQ(groups.TakeMembers(all), (Ranks{1, 4, 9}));
    EXPECT_EQ(groups.TakeMembers(pair), (Ranks{1, 4}));
    EXPECT_EQ(groups.TakeMembers(all), Ranks{});
    groups.ClearKnownMembers();
    EXPECT_EQ(groups.TakeMembers(all), (Ranks{1, 4, 9}));
}

} // namespace
} // namespace ns3
