// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/scheduler-group.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace
{

/// A group of three ranks.
class SchedulerGroupTest : public testing::Test
{
  protected:
    void Set(uint32_t rank,
             SchedulerGroup::MemberState state,
             bool passive = false,
             bool speculative = false)
    {
        SchedulerGroup::Member& member = *m_group.FindMember(rank);
        m_group.SetMember(member, state, passive, speculative);
        EXPECT_EQ(m_group.CheckInvariants(), "");
    }

    /// @return the ranks of leases
    static std::vector<uint32_t> GetRanks(const std::vector<SchedulerActions::Lease>& leases)
    {
        std::vector<uint32_t> ranks;
        for (const auto& lease : leases)
        {
            ranks.push_back(lease.rank);
        }
        return ranks;
    }

    using Ranks = std::vector<uint32_t>;

    SchedulerGroup m_group{GroupKey{1, 5}, {9, 2, 4}};
};

TEST_F(SchedulerGroupTest, IsReadyWhenAllAskAndOneWantsToSend)
{
    EXPECT_EQ(m_group.GetRanks(), (Ranks{9, 2, 4}));
    EXPECT_EQ(m_group.FindMember(3), nullptr);
    Set(2, SchedulerGroup::REQUESTED, true);
    Set(4, SchedulerGroup::REQUESTED, true);
    EXPECT_FALSE(m_group.IsReady()) << "one is missing";
    Set(9, SchedulerGroup::REQUESTED, true);
    EXPECT_FALSE(m_group.IsReady()) << "nobody wants to send";
    Set(9, SchedulerGroup::REQUESTED, false, true);
    EXPECT_TRUE(m_group.IsReady());
    EXPECT_FALSE(m_group.IsUrgent()) << "no call waits for it";
    Set(9, SchedulerGroup::REQUESTED);
    EXPECT_TRUE(m_group.IsUrgent());
    EXPECT_EQ(m_group.CountRequested(), 3u);
    Set(9, SchedulerGroup::IDLE);
    EXPECT_FALSE(m_group.IsReady());
    EXPECT_FALSE(m_group.IsUrgent());
}

TEST_F(SchedulerGroupTest, AGrantIsForThoseWhoAsk)
{
    Set(2, SchedulerGroup::REQUESTED);
    Set(9, SchedulerGroup::REQUESTED);
    m_group.switched = true;
    m_group.Hint();
    const auto grant = m_group.Grant();
    EXPECT_EQ(GetRanks(grant.leases), (Ranks{2, 9}));
    EXPECT_TRUE(grant.switched);
    EXPECT_FALSE(m_group.IsHinted()) << "who holds it now has had no hint";
    EXPECT_EQ(m_group.CountHolding(), 2u);
    Set(4, SchedulerGroup::REQUESTED, true);
    EXPECT_TRUE(m_group.IsReady()) << "its circuits are up, whoever wants to send";
    const auto second = m_group.Grant();
    EXPECT_EQ(GetRanks(second.leases), Ranks{4});
    EXPECT_FALSE(second.switched);
}

TEST_F(SchedulerGroupTest, ARecallIsRepeatedWhenItsLimitFalls)
{
    for (const uint32_t rank : {2, 4, 9})
    {
        Set(rank, SchedulerGroup::REQUESTED);
    }
    m_group.Grant();
    const auto first = m_group.BeginRecall();
    ASSERT_TRUE(first);
    EXPECT_EQ(GetRanks(first->leases), (Ranks{2, 4, 9}));
    EXPECT_EQ(first->limit, SchedulerActions::NO_LIMIT);
    m_group.SetCompleted(*m_group.FindMember(4), 7);
    Set(4, SchedulerGroup::IDLE);
    const auto second = m_group.RepeatRecall();
    ASSERT_TRUE(second);
    EXPECT_EQ(GetRanks(second->leases), (Ranks{2, 9}));
    EXPECT_EQ(second->limit, 7u);
    m_group.SetCompleted(*m_group.FindMember(9), 8);
    Set(9, SchedulerGroup::IDLE);
    EXPECT_FALSE(m_group.RepeatRecall()) << "the last has been told as much";
    EXPECT_TRUE(m_group.IsRecalled());
    m_group.SetMember(*m_group.FindMember(2), SchedulerGroup::IDLE);
    EXPECT_NE(m_group.CheckInvariants(), "") << "nobody is left to give it back";
    m_group.EndRecall();
    EXPECT_EQ(m_group.CheckInvariants(), "");
}

TEST_F(SchedulerGroupTest, WhoHasForgottenItsLeaseHearsOfTheRecallAgain)
{
    Set(2, SchedulerGroup::REQUESTED);
    Set(4, SchedulerGroup::REQUESTED);
    m_group.Grant();
    EXPECT_FALSE(m_group.MakeRecallFor({2, 3}));
    m_group.Hint();
    const auto hint = m_group.MakeRecallFor({2, 3});
    ASSERT_TRUE(hint);
    EXPECT_TRUE(hint->speculative);
    m_group.SetCompleted(*m_group.FindMember(9), 6);
    m_group.BeginRecall();
    const auto recall = m_group.MakeRecallFor({2, 3});
    ASSERT_TRUE(recall);
    EXPECT_FALSE(recall->speculative);
    EXPECT_EQ(recall->limit, 6u);
    EXPECT_EQ(recall->leases.at(0).number, 3u);
}

TEST_F(SchedulerGroupTest, ItFailsOnce)
{
    Set(2, SchedulerGroup::REQUESTED);
    Set(4, SchedulerGroup::REQUESTED);
    Set(9, SchedulerGroup::REQUESTED);
    EXPECT_EQ(GetRanks(m_group.Fail().leases), (Ranks{2, 4, 9}));
    EXPECT_TRUE(m_group.HasFailed());
    EXPECT_FALSE(m_group.IsReady());
    EXPECT_TRUE(m_group.Fail().leases.empty());
}

TEST(SchedulerGroups, OfTwoThatLackCircuitsTheOneBehindYields)
{
    SchedulerGroup first(GroupKey{0, 1}, {0});
    SchedulerGroup second(GroupKey{0, 2}, {1});
    EXPECT_FALSE(second.IsHeldAgainst(first)) << "nobody holds it";
    for (SchedulerGroup* group : {&first, &second})
    {
        SchedulerGroup::Member& member = *group->FindMember(group == &first ? 0 : 1);
        group->SetMember(member, SchedulerGroup::REQUESTED);
        group->Grant();
    }
    first.place = 1;
    second.place = 2;
    EXPECT_TRUE(first.IsHeldAgainst(second));
    EXPECT_TRUE(second.IsHeldAgainst(first));
    EXPECT_FALSE(first.IsHeldAgainst(first));
    first.repair = true;
    second.repair = true;
    EXPECT_TRUE(first.IsHeldAgainst(second));
    EXPECT_FALSE(second.IsHeldAgainst(first));
}

TEST_F(SchedulerGroupTest, ARankNeedNotAskForACollectiveThatItHasCompleted)
{
    m_group.SetCompleted(*m_group.FindMember(9), 7);
    m_group.SetCompleted(*m_group.FindMember(2), 6);
    m_group.SetCompleted(*m_group.FindMember(4), 6);
    Set(2, SchedulerGroup::REQUESTED);
    EXPECT_FALSE(m_group.IsReady()) << "one lacks the collective, too, and has not asked";
    Set(4, SchedulerGroup::REQUESTED, true);
    EXPECT_TRUE(m_group.IsReady());
    EXPECT_EQ(GetRanks(m_group.Grant().leases), (Ranks{2, 4}));
    ASSERT_TRUE(m_group.BeginRecall());
    EXPECT_EQ(m_group.MakeRecallFor({2, 1})->limit, 7u) << "the collective can end";
    Set(2, SchedulerGroup::IDLE);
    m_group.SetCompleted(*m_group.FindMember(2), 7);
    m_group.EndRecall();
    Set(4, SchedulerGroup::REQUESTED);
    EXPECT_TRUE(m_group.IsReady()) << "two are ahead";
    m_group.SetCompleted(*m_group.FindMember(4), 7);
    EXPECT_FALSE(m_group.IsReady()) << "it wants the next one";
    for (const uint32_t rank : m_group.GetRanks())
    {
        m_group.SetCompleted(*m_group.FindMember(rank), 0);
        EXPECT_EQ(m_group.CheckInvariants(), "");
    }
    EXPECT_FALSE(m_group.IsReady());
}

} // namespace
} // namespace ns3
