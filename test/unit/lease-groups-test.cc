// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/lease-client.h"
#include "ns3/lease-number.h"

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

TEST(LeaseGroups, NeighboursOnARingNeedTheLinkBetweenThem)
{
    using Ranks = std::vector<uint32_t>;
    const ProcessGroup ring = MakeGroup(5, {9, 1, 4});
    CollectiveCall send{CollectiveKind::SEND, 5, 64, 1};
    CollectiveCall receive{CollectiveKind::RECV, 5, 64, 9};
    send.link = RingLink::TO_NEXT;
    receive.link = RingLink::TO_PREVIOUS;
    const uint64_t link = FindLeaseGroup(9, ring, send);
    EXPECT_EQ(FindLeaseGroup(1, ring, receive), link) << "the same from both ends";
    EXPECT_TRUE(LeaseNumber::IsLink(link));
    EXPECT_NE(link, LeaseNumber::OfLink(1, 9)) << "which has other ports";
    EXPECT_FALSE(LeaseNumber::IsLink(LeaseNumber::OfPair(1, 9)));
    EXPECT_FALSE(LeaseNumber::IsLink(5));
    LeaseGroups ofSender;
    LeaseGroups ofReceiver;
    EXPECT_EQ(ofSender.TakeMembers(ofSender.Record(9, ring, send)), (Ranks{9, 1}));
    EXPECT_EQ(ofReceiver.TakeMembers(ofReceiver.Record(1, ring, receive)), (Ranks{9, 1}));
}

TEST(LeaseGroups, LinksThatShareNoPortAreSideBySide)
{
    const auto areSideBySide = [](uint64_t x, uint64_t y) {
        EXPECT_EQ(LeaseNumber::AreSideBySide(x, y), LeaseNumber::AreSideBySide(y, x));
        return LeaseNumber::AreSideBySide(x, y);
    };
    const uint64_t link = LeaseNumber::OfLink(3, 4);
    EXPECT_TRUE(areSideBySide(link, LeaseNumber::OfLink(4, 5)));
    EXPECT_TRUE(areSideBySide(link, LeaseNumber::OfLink(4, 3))) << "the two links of a pair";
    EXPECT_TRUE(areSideBySide(link, LeaseNumber::OfLink(7, 8)));
    EXPECT_FALSE(areSideBySide(link, LeaseNumber::OfLink(3, 5))) << "ports of 3 towards the next";
    EXPECT_FALSE(areSideBySide(link, LeaseNumber::OfLink(2, 4))) << "ports of 4 towards the last";
    EXPECT_FALSE(areSideBySide(link, link));
    EXPECT_FALSE(areSideBySide(link, LeaseNumber::OfPair(3, 4)));
    EXPECT_FALSE(areSideBySide(link, 5)) << "a group";
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
