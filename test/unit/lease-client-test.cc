// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/lease-client.h"
#include "ns3/lease-number.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

constexpr uint64_t ONE = 1;   //!< a group
constexpr uint64_t OTHER = 2; //!< another

/// Let a rank hold a group.
void
Hold(LeaseClient& leases, uint64_t group)
{
    leases.Prefetch(group, false);
    const auto messages = leases.TakeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_TRUE(messages[0].speculative);
    EXPECT_TRUE(leases.Grant(group, messages[0].lease));
}

TEST(LeaseClient, ACallThatSendsInsistsOnAWish)
{
    LeaseClient leases;
    leases.Prefetch(ONE, false);
    EXPECT_EQ(leases.TakeMessages().size(), 1u);
    EXPECT_FALSE(leases.Begin(ONE, CollectiveKind::ALL_REDUCE, 7));
    const auto messages = leases.TakeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_TRUE(messages[0].request);
    EXPECT_FALSE(messages[0].speculative);
    EXPECT_EQ(messages[0].lease, 1u) << "the same lease";
}

TEST(LeaseClient, ARecvDoesNot)
{
    LeaseClient leases;
    leases.Prefetch(ONE, true);
    EXPECT_EQ(leases.TakeMessages().size(), 1u);
    EXPECT_TRUE(leases.Begin(ONE, CollectiveKind::RECV, 7));
    EXPECT_TRUE(leases.TakeMessages().empty());
}

TEST(LeaseClient, LinksToBothNeighboursAreHeldTogether)
{
    constexpr uint64_t PREVIOUS = LeaseNumber::OfLink(3, 4);
    constexpr uint64_t NEXT = LeaseNumber::OfLink(4, 5);
    LeaseClient leases;
    Hold(leases, PREVIOUS);
    EXPECT_FALSE(leases.Begin(NEXT, CollectiveKind::SEND, 7));
    const auto messages = leases.TakeMessages();
    ASSERT_EQ(messages.size(), 1u) << "no release";
    EXPECT_TRUE(messages[0].request);
    EXPECT_TRUE(leases.Grant(NEXT, messages[0].lease));
    leases.End(NEXT, CollectiveKind::SEND);
    EXPECT_TRUE(leases.IsHeld(PREVIOUS) && leases.IsHeld(NEXT));
    EXPECT_TRUE(leases.Begin(PREVIOUS, CollectiveKind::SEND, 8)) << "without a message";
    leases.End(PREVIOUS, CollectiveKind::SEND);
    EXPECT_FALSE(leases.Begin(ONE, CollectiveKind::ALL_REDUCE, 9));
    EXPECT_EQ(leases.TakeMessages().size(), 3u) << "both yield to a group";
    EXPECT_FALSE(leases.IsHeld(PREVIOUS) || leases.IsHeld(NEXT));
}

TEST(LeaseClient, HintsAreFollowedUnlessTheNextCallSendsThere)
{
    LeaseClient leases;
    Hold(leases, ONE);
    EXPECT_FALSE(leases.Yield(OTHER)) << "nobody has asked";
    leases.Hint(ONE, 1);
    EXPECT_FALSE(leases.Yield(ONE)) << "it is about to send";
    EXPECT_TRUE(leases.IsHeld(ONE));
    EXPECT_TRUE(leases.Yield(OTHER));
    EXPECT_FALSE(leases.IsHeld(ONE));
    const auto messages = leases.TakeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_FALSE(messages[0].request);
}

TEST(LeaseClient, NothingYieldsWhileACallSends)
{
    LeaseClient leases;
    Hold(leases, ONE);
    EXPECT_TRUE(leases.Begin(ONE, CollectiveKind::SEND, 7));
    leases.Hint(ONE, 1);
    EXPECT_FALSE(leases.Yield(OTHER));
    leases.End(ONE, CollectiveKind::SEND);
    EXPECT_TRUE(leases.Yield(OTHER));
}

TEST(LeaseClient, ALaterRecallLowersTheLimit)
{
    LeaseClient leases;
    Hold(leases, ONE);
    EXPECT_TRUE(leases.Begin(ONE, CollectiveKind::ALL_REDUCE, 7));
    EXPECT_TRUE(leases.Recall(ONE, 1, 5));
    EXPECT_TRUE(leases.TakeEffects().empty()) << "the collective can end";
    EXPECT_TRUE(leases.Recall(ONE, 1, 0));
    const auto effects = leases.TakeEffects();
    ASSERT_EQ(effects.size(), 1u);
    EXPECT_EQ(effects[0].type, LeaseClient::Effect::SUSPEND);
    EXPECT_TRUE(leases.Recall(ONE, 1, 5)) << "has no effect";
    leases.Drained(ONE);
    const auto messages = leases.TakeMessages();
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_FALSE(messages[0].request);
    EXPECT_TRUE(messages[1].request) << "to go on with the collective";
    EXPECT_FALSE(leases.Recall(ONE, 1, 0)) << "it is released";
}

TEST(LeaseClient, ARestartedShimTellsWhatItHasCompleted)
{
    LeaseClient leases;
    Hold(leases, ONE);
    EXPECT_TRUE(leases.Begin(ONE, CollectiveKind::ALL_REDUCE, 7));
    leases.End(ONE, CollectiveKind::ALL_REDUCE);
    leases.Reset(100); // it fails, and restarts
    leases.Reset(100);
    EXPECT_TRUE(leases.GetNeeded().empty());
    const auto messages = leases.TakeMessages();
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_TRUE(messages[0].request && messages[0].passive);
    EXPECT_FALSE(messages[1].request);
    EXPECT_EQ(messages[1].completed, 1u);
    EXPECT_EQ(messages[1].lease, 101u);
}

} // namespace
} // namespace ns3
