// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/circuit-scheduler.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>

namespace ns3
{
namespace
{

/// Four ranks with two ports each on switch 0, groups of two on the sides of a square.
class CircuitSchedulerTest : public testing::Test
{
  protected:
    CircuitSchedulerTest()
    {
        Add(TOP, {0, 1});
        Add(BOTTOM, {2, 3});
        Add(LEFT, {0, 2});
        Add(RIGHT, {1, 3});
    }

    enum Groups : uint32_t
    {
        TOP,
        BOTTOM,
        LEFT,
        RIGHT,
    };

    void Add(uint32_t id, const std::vector<uint32_t>& ranks)
    {
        std::vector<CircuitPlanner::Member> members;
        for (uint32_t rank : ranks)
        {
            members.push_back({rank, {{0, 2 * rank}, {0, 2 * rank + 1}}});
        }
        m_scheduler.AddGroup(GroupKey{0, id}, ranks, CircuitPlanner::PlanRing(members).plan);
    }

    void Ask(uint32_t id, uint32_t rank, uint64_t completed = 0, bool passive = false)
    {
        m_actions =
            m_scheduler.Request(GroupKey{0, id}, {rank, ++m_lease[{id, rank}]}, completed, passive);
        EXPECT_EQ(m_scheduler.CheckInvariants(), "");
    }

    /// Ask ahead of time.
    void Wish(uint32_t id, uint32_t rank)
    {
        m_actions =
            m_scheduler.Request(GroupKey{0, id}, {rank, ++m_lease[{id, rank}]}, 0, false, true);
        EXPECT_EQ(m_scheduler.CheckInvariants(), "");
    }

    /// Ask once more for what was asked for ahead of time, as a call now needs it.
    void Insist(uint32_t id, uint32_t rank)
    {
        m_actions = m_scheduler.Request(GroupKey{0, id}, {rank, m_lease[{id, rank}]}, 0, false);
        EXPECT_EQ(m_scheduler.CheckInvariants(), "");
    }

    void Release(uint32_t id, uint32_t rank, uint64_t completed = 0)
    {
        m_actions = m_scheduler.Release(GroupKey{0, id}, {rank, m_lease[{id, rank}]}, completed);
        EXPECT_EQ(m_scheduler.CheckInvariants(), "");
    }

    /// A group gets other circuits.
    void Replan(uint32_t id, const CircuitSet& circuits)
    {
        m_actions = m_scheduler.Replan(GroupKey{0, id}, {{0, circuits}});
        EXPECT_EQ(m_scheduler.CheckInvariants(), "");
    }

    void ReportLight(uint64_t command)
    {
        m_actions = m_scheduler.ReportLight(command);
        EXPECT_EQ(m_scheduler.CheckInvariants(), "");
    }

    /// Bring a group up and leave its ranks as holders.
    void Hold(uint32_t id, uint32_t x, uint32_t y)
    {
        Ask(id, x);
        ExpectNothing();
        Ask(id, y);
        ASSERT_EQ(m_actions.switches.size(), 1u);
        ReportLight(m_actions.switches[0].command);
        ExpectGrant(id, 2, true);
    }

    void ExpectNothing()
    {
        EXPECT_TRUE(m_actions.switches.empty());
        EXPECT_TRUE(m_actions.grants.empty());
        EXPECT_TRUE(m_actions.recalls.empty());
    }

    void ExpectGrant(uint32_t id, std::size_t ranks, bool switched)
    {
        ASSERT_EQ(m_actions.grants.size(), 1u);
        EXPECT_EQ(m_actions.grants[0].group.id, id);
        EXPECT_EQ(m_actions.grants[0].leases.size(), ranks);
        EXPECT_EQ(m_actions.grants[0].switched, switched);
    }

    void ExpectRecall(uint32_t id, std::size_t ranks, uint64_t limit)
    {
        ASSERT_EQ(m_actions.recalls.size(), 1u);
        EXPECT_EQ(m_actions.recalls[0].group.id, id);
        EXPECT_EQ(m_actions.recalls[0].leases.size(), ranks);
        EXPECT_EQ(m_actions.recalls[0].limit, limit);
    }

    CircuitScheduler m_scheduler;
    CircuitScheduler::Actions m_actions;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_lease;
};

TEST_F(CircuitSchedulerTest, SwitchesWhenAllRanksHaveAsked)
{
    Ask(TOP, 0);
    ExpectNothing();
    Ask(TOP, 1);
    ASSERT_EQ(m_actions.switches.size(), 1u);
    EXPECT_EQ(m_actions.switches[0].ocs, 0u);
    EXPECT_TRUE(m_actions.switches[0].drop.empty());
    EXPECT_EQ(m_actions.switches[0].make, (CircuitSet{{0, 3}, {1, 2}}));
    EXPECT_TRUE(m_actions.grants.empty()) << "no grant before there is light";
    ReportLight(m_actions.switches[0].command);
    ExpectGrant(TOP, 2, true);
    EXPECT_TRUE(m_scheduler.IsUp(GroupKey{0, TOP}));
}

TEST_F(CircuitSchedulerTest, AGroupThatIsHeldGoesOnOverWhatIsLeft)
{
    Hold(TOP, 0, 1); // ports 0 and 3, 1 and 2
    Replan(TOP, {{1, 2}});
    ExpectNothing();
    EXPECT_EQ(m_scheduler.GetState(GroupKey{0, TOP}), CircuitScheduler::GroupState::HELD);
    EXPECT_TRUE(m_scheduler.IsUp(GroupKey{0, TOP}));
    Release(TOP, 0);
    Ask(TOP, 0);
    ExpectGrant(TOP, 1, false);
}

TEST_F(CircuitSchedulerTest, AGroupThatIsHeldGetsOtherCircuits)
{
    Hold(TOP, 0, 1);
    Replan(TOP, {{1, 3}});
    ASSERT_EQ(m_actions.switches.size(), 1u);
    EXPECT_EQ(m_actions.switches[0].drop, (CircuitSet{{0, 3}, {1, 2}}));
    EXPECT_EQ(m_actions.switches[0].make, (CircuitSet{{1, 3}}));
    EXPECT_TRUE(m_actions.recalls.empty()) << "nobody else holds them";
    const uint64_t command = m_actions.switches[0].command;
    Release(TOP, 1);
    Ask(TOP, 1);
    ExpectNothing(); // there is no light yet
    ReportLight(command);
    ExpectGrant(TOP, 1, true);
    EXPECT_TRUE(m_scheduler.IsUp(GroupKey{0, TOP}));
}

TEST_F(CircuitSchedulerTest, WhatAGroupLacksIsTakenFromOthersFirst)
{
    // One circuit each, of ranks 0 and 1, and 1 and 3; then port 2, of rank 1, breaks.
    Replan(TOP, {{1, 2}});
    Replan(RIGHT, {{3, 6}});
    Hold(TOP, 0, 1);
    Hold(RIGHT, 1, 3);
    Ask(LEFT, 0);
    Ask(LEFT, 2);
    ExpectRecall(TOP, 2, CircuitScheduler::NO_LIMIT);
    Replan(TOP, {{1, 3}});
    EXPECT_TRUE(m_actions.switches.empty());
    ExpectRecall(RIGHT, 2, CircuitScheduler::NO_LIMIT);
    Release(RIGHT, 1);
    Release(RIGHT, 3);
    ASSERT_EQ(m_actions.switches.size(), 1u);
    EXPECT_EQ(m_actions.switches[0].drop, (CircuitSet{{1, 2}, {3, 6}}));
    EXPECT_EQ(m_actions.switches[0].make, (CircuitSet{{1, 3}})) << "before those in line";
    ReportLight(m_actions.switches[0].command);
    ExpectNothing();
    Release(TOP, 0);
    ExpectRecall(TOP, 1, 0); // as before, for those in line
    Release(TOP, 1);
    ASSERT_EQ(m_actions.switches.size(), 1u);
    EXPECT_EQ(m_actions.switches[0].group.id, LEFT);
}

TEST_F(CircuitSchedulerTest, WhoWaitsKeepsItsPlaceWithOtherCircuits)
{
    Hold(TOP, 0, 1);
    Ask(LEFT, 0);
    Ask(LEFT, 2);
    Ask(RIGHT, 1);
    Ask(RIGHT, 3);
    Replan(LEFT, {{0, 4}});
    ExpectNothing();
    Release(TOP, 0);
    Release(TOP, 1);
    ASSERT_EQ(m_actions.switches.size(), 2u);
    EXPECT_EQ(m_actions.switches[0].group.id, LEFT);
    EXPECT_EQ(m_actions.switches[0].make, (CircuitSet{{0, 4}}));
    EXPECT_EQ(m_actions.switches[1].group.id, RIGHT);
    // While it is made it changes once more: what is made then is dropped by the next command.
    const uint64_t command = m_actions.switches[0].command;
    Replan(LEFT, {{1, 4}});
    ExpectNothing();
    ReportLight(command);
    ASSERT_EQ(m_actions.switches.size(), 1u);
    EXPECT_EQ(m_actions.switches[0].drop, (CircuitSet{{0, 4}}));
    EXPECT_EQ(m_actions.switches[0].make, (CircuitSet{{1, 4}}));
    ReportLight(m_actions.switches[0].command);
    ExpectGrant(LEFT, 2, true);
}

TEST_F(CircuitSchedulerTest, NobodyNeedsWhatAGroupLackedWhenItIsGivenBack)
{
    Replan(TOP, {{1, 2}});
    Replan(RIGHT, {{3, 6}});
    Hold(TOP, 0, 1);
    Hold(RIGHT, 1, 3);
    Replan(TOP, {{1, 3}});
    ExpectRecall(RIGHT, 2, CircuitScheduler::NO_LIMIT);
    Release(TOP, 0);
    Release(TOP, 1);
    ExpectNothing();
    Release(RIGHT, 1);
    Release(RIGHT, 3);
    ExpectNothing();
    EXPECT_EQ(m_scheduler.GetCircuits(0), (CircuitSet{{1, 2}, {3, 6}}));
    EXPECT_EQ(m_scheduler.GetGroups(0, 1), (std::vector<GroupKey>{{0, TOP}, {0, RIGHT}}));
}

TEST_F(CircuitSchedulerTest, IdleCircuitsAreACacheHit)
{
    Hold(TOP, 0, 1);
    Release(TOP, 0, 1);
    Release(TOP, 1, 1);
    ExpectNothing();
    EXPECT_TRUE(m_scheduler.IsUp(GroupKey{0, TOP}));
    Ask(TOP, 1, 1);
    ExpectNothing();
    Ask(TOP, 0, 1);
    ExpectGrant(TOP, 2, false);
}

TEST_F(CircuitSchedulerTest, OneRankComesBackToTheOthers)
{
    Hold(TOP, 0, 1);
    Release(TOP, 0, 3);
    Ask(TOP, 0, 3);
    ExpectGrant(TOP, 1, false);
}

TEST_F(CircuitSchedulerTest, AnotherGroupTakesThePortsAndTheFarEnds)
{
    Hold(TOP, 0, 1);
    Hold(BOTTOM, 2, 3);
    for (uint32_t rank : {0, 1})
    {
        Release(TOP, rank);
    }
    for (uint32_t rank : {2, 3})
    {
        Release(BOTTOM, rank);
    }
    Ask(LEFT, 0);
    Ask(LEFT, 2);
    ASSERT_EQ(m_actions.switches.size(), 1u);
    EXPECT_EQ(m_actions.switches[0].drop, (CircuitSet{{0, 3}, {1, 2}, {4, 7}, {5, 6}}));
    EXPECT_EQ(m_actions.switches[0].make, (CircuitSet{{0, 5}, {1, 4}}));
    const uint64_t left = m_actions.switches[0].command;
    // The ports of ranks 1 and 3 are dark, and free for a command of their own at once.
    Ask(RIGHT, 1);
    Ask(RIGHT, 3);
    ASSERT_EQ(m_actions.switches.size(), 1u);
    EXPECT_TRUE(m_actions.switches[0].drop.empty());
    EXPECT_EQ(m_actions.switches[0].make, (CircuitSet{{2, 7}, {3, 6}}));
    const uint64_t right = m_actions.switches[0].command;
    // The ports of a group are busy while it is being switched.
    Ask(TOP, 0);
    Ask(TOP, 1);
    ExpectNothing();
    ReportLight(left);
    ExpectGrant(LEFT, 2, true);
    ReportLight(right);
    ExpectGrant(RIGHT, 2, true);
}

TEST_F(CircuitSchedulerTest, DisjointGroupsSwitchAtTheSameTime)
{
    Ask(TOP, 0);
    Ask(BOTTOM, 2);
    Ask(TOP, 1);
    ASSERT_EQ(m_actions.switches.size(), 1u);
    const uint64_t top = m_actions.switches[0].command;
    Ask(BOTTOM, 3);
    ASSERT_EQ(m_actions.switches.size(), 1u);
    ReportLight(m_actions.switches[0].command);
    ExpectGrant(BOTTOM, 2, true);
    ReportLight(top);
    ExpectGrant(TOP, 2, true);
}

TEST_F(CircuitSchedulerTest, IdleHoldersAreRecalled)
{
    Hold(TOP, 0, 1);
    Release(TOP, 0, 4);
    Ask(LEFT, 0);
    Ask(LEFT, 2);
    ExpectRecall(TOP, 1, 4);
    EXPECT_EQ(m_actions.recalls[0].leases[0].rank, 1u);
    Release(TOP, 1, 4);
    EXPECT_EQ(m_actions.switches.size(), 1u);
}

TEST_F(CircuitSchedulerTest, TheLimitFollowsWhenARankLeaves)
{
    Hold(TOP, 0, 1);
    Ask(LEFT, 0);
    Ask(LEFT, 2);
    ExpectRecall(TOP, 2, CircuitScheduler::NO_LIMIT);
    Release(TOP, 0, 7);
    ExpectRecall(TOP, 1, 7);
    Release(TOP, 1, 7);
    EXPECT_TRUE(m_actions.recalls.empty());
    EXPECT_EQ(m_actions.switches.size(), 1u);
}

TEST_F(CircuitSchedulerTest, ARecalledGroupIsNotGrantedBeforeThePortsHaveBeenUsed)
{
    Hold(TOP, 0, 1);
    Ask(LEFT, 0);
    Ask(LEFT, 2);
    Release(TOP, 0, 1);
    Ask(TOP, 0, 1); // unfinished, asks again at once
    EXPECT_TRUE(m_actions.grants.empty());
    Release(TOP, 1, 1);
    ASSERT_EQ(m_actions.switches.size(), 1u);
    EXPECT_EQ(m_actions.switches[0].group.id, LEFT);
    const uint64_t left = m_actions.switches[0].command;
    Ask(TOP, 1, 1); // in line now, behind LEFT
    ReportLight(left);
    ExpectGrant(LEFT, 2, true);
    ExpectRecall(LEFT, 2, CircuitScheduler::NO_LIMIT);
}

TEST_F(CircuitSchedulerTest, TheFirstInLineKeepsItsPorts)
{
    Hold(TOP, 0, 1);
    Hold(BOTTOM, 2, 3);
    Ask(LEFT, 0);
    Ask(LEFT, 2); // waits for TOP and BOTTOM
    EXPECT_EQ(m_actions.recalls.size(), 2u);
    Release(BOTTOM, 2, 1);
    Release(BOTTOM, 3, 1);
    EXPECT_TRUE(m_actions.switches.empty());
    Ask(BOTTOM, 2, 1);
    Ask(BOTTOM, 3, 1); // still up, but rank 2's ports belong to LEFT, which came first
    ExpectNothing();
    Release(TOP, 0, 1);
    Release(TOP, 1, 1);
    ASSERT_EQ(m_actions.switches.size(), 1u);
    EXPECT_EQ(m_actions.switches[0].group.id, LEFT);
}

TEST_F(CircuitSchedulerTest, ReceiversAloneAreNoReasonToSwitch)
{
    Ask(LEFT, 0, 0, true);
    Ask(LEFT, 2, 0, true);
    ExpectNothing();
    m_actions = m_scheduler.Request(GroupKey{0, LEFT}, {2, 1}, 0, false); // now it wants to send
    EXPECT_EQ(m_actions.switches.size(), 1u);
}

TEST_F(CircuitSchedulerTest, AWishCanBeTakenBack)
{
    Ask(TOP, 0);
    Release(TOP, 0);
    Ask(TOP, 1);
    ExpectNothing();
    // Also while the circuits are being switched for it: they stay, unused.
    Ask(TOP, 0);
    const uint64_t top = m_actions.switches.at(0).command;
    Release(TOP, 1);
    ReportLight(top);
    ExpectNothing();
    Ask(TOP, 1);
    ExpectGrant(TOP, 2, true);
}

TEST_F(CircuitSchedulerTest, GroupsWithTheSameCircuitsShareThem)
{
    Add(9, {1, 0}); // the same pair, the other way round
    Hold(TOP, 0, 1);
    Ask(9, 0);
    Ask(9, 1);
    ExpectGrant(9, 2, false);
    Ask(LEFT, 0);
    Ask(LEFT, 2);
    EXPECT_EQ(m_actions.recalls.size(), 2u);
}

TEST_F(CircuitSchedulerTest, ARefusedCommandChangesNothing)
{
    Hold(TOP, 0, 1);
    Release(TOP, 0);
    Release(TOP, 1);
    Ask(LEFT, 0);
    Ask(LEFT, 2);
    CircuitScheduler::Recall failed;
    m_actions = m_scheduler.ReportRefusal(m_actions.switches.at(0).command, failed);
    EXPECT_EQ(failed.group.id, LEFT);
    EXPECT_EQ(failed.leases.size(), 2u);
    EXPECT_EQ(m_scheduler.CheckInvariants(), "");
    EXPECT_TRUE(m_scheduler.IsUp(GroupKey{0, TOP}));
    Ask(TOP, 0);
    Ask(TOP, 1);
    ExpectGrant(TOP, 2, false);
}

TEST_F(CircuitSchedulerTest, ARequestThatOvertakesTheReleaseBeforeItEndsTheLease)
{
    Hold(TOP, 0, 1);
    const uint32_t held = m_lease[{TOP, 0}];
    m_actions = m_scheduler.Request(GroupKey{0, TOP}, {0, held + 1}, 1, false);
    EXPECT_TRUE(m_actions.grants.size() == 1 && m_actions.grants[0].leases[0].number == held + 1)
        << "the circuits are up, and rank 1 holds the group";
    m_actions = m_scheduler.Release(GroupKey{0, TOP}, {0, held}, 1);
    EXPECT_EQ(m_scheduler.GetIgnored(), 0u) << "the release was expected";
    EXPECT_EQ(m_scheduler.GetState(GroupKey{0, TOP}), CircuitScheduler::GroupState::HELD);
    m_scheduler.Release(GroupKey{0, TOP}, {0, held + 1}, 1);
    Release(TOP, 1, 1);
    EXPECT_EQ(m_scheduler.GetState(GroupKey{0, TOP}), CircuitScheduler::GroupState::IDLE);
    EXPECT_EQ(m_scheduler.CheckInvariants(), "");
}

TEST_F(CircuitSchedulerTest, ARequestThatComesAfterTheReleaseOfItsLeaseHasNoEffect)
{
    Hold(TOP, 0, 1);
    const uint32_t held = m_lease[{TOP, 0}];
    Release(TOP, 0, 1);
    Release(TOP, 1, 1);
    for (const uint32_t late : {held, held - 1})
    {
        m_actions = m_scheduler.Request(GroupKey{0, TOP}, {0, late}, 0, false);
        EXPECT_TRUE(m_actions.grants.empty() && m_actions.switches.empty());
        EXPECT_EQ(m_scheduler.GetState(GroupKey{0, TOP}), CircuitScheduler::GroupState::IDLE);
    }
    EXPECT_EQ(m_scheduler.GetIgnored(), 0u) << "it was expected";
    EXPECT_EQ(m_scheduler.CheckInvariants(), "");
}

TEST_F(CircuitSchedulerTest, WhatDoesNotFitIsIgnored)
{
    Hold(TOP, 0, 1);
    m_scheduler.Request(GroupKey{0, 77}, {0, 1}, 0, false);
    m_scheduler.Request(GroupKey{0, TOP}, {3, 1}, 0, false);
    m_scheduler.Release(GroupKey{0, TOP}, {0, 9}, 0);
    m_scheduler.ReportLight(1234);
    EXPECT_EQ(m_scheduler.GetIgnored(), 4u);
    EXPECT_EQ(m_scheduler.CheckInvariants(), "");
}

/// A group along two rails, and one along the first of them that shares its ports.
class TwoRailsTest : public testing::Test
{
  protected:
    enum Groups : uint32_t
    {
        BOTH,
        FIRST,
    };

    TwoRailsTest()
    {
        Reset();
    }

    void Reset()
    {
        m_book = std::make_unique<CircuitScheduler>();
        // Ranks 0 and 2 on rail 0, 1 and 3 on rail 1, two ports each.
        CircuitPlan plan;
        plan[0] = {{0, 3}, {1, 2}};
        plan[1] = {{0, 3}, {1, 2}};
        m_book->AddGroup(GroupKey{0, BOTH}, {0, 1, 2, 3}, plan);
        CircuitPlan other;
        other[0] = {{0, 5}, {1, 4}};
        m_book->AddGroup(GroupKey{0, FIRST}, {0, 4}, other);
    }

    CircuitScheduler::Actions AskAll(uint32_t id,
                                     const std::vector<uint32_t>& ranks,
                                     uint32_t lease)
    {
        CircuitScheduler::Actions last;
        for (uint32_t rank : ranks)
        {
            EXPECT_TRUE(last.switches.empty() && last.grants.empty());
            last = m_book->Request(GroupKey{0, id}, {rank, lease}, 0, false);
            EXPECT_EQ(m_book->CheckInvariants(), "");
        }
        return last;
    }

    CircuitScheduler::GroupState GetState(uint32_t id) const
    {
        return m_book->GetState(GroupKey{0, id});
    }

    std::unique_ptr<CircuitScheduler> m_book;
};

TEST_F(TwoRailsTest, AllRailsSwitchBeforeAnyRankIsTold)
{
    auto actions = AskAll(BOTH, {0, 1, 2, 3}, 1);
    ASSERT_EQ(actions.switches.size(), 2u);
    EXPECT_EQ(GetState(BOTH), CircuitScheduler::GroupState::SWITCHING);
    const uint64_t first = actions.switches[0].command;
    const uint64_t second = actions.switches[1].command;
    EXPECT_NE(actions.switches[0].ocs, actions.switches[1].ocs);
    EXPECT_TRUE(m_book->ReportLight(second).grants.empty()) << "one rail is still dark";
    EXPECT_FALSE(m_book->IsUp(GroupKey{0, BOTH}));
    actions = m_book->ReportLight(first);
    ASSERT_EQ(actions.grants.size(), 1u);
    EXPECT_EQ(actions.grants[0].leases.size(), 4u) << "the ranks of both rails";
    EXPECT_EQ(GetState(BOTH), CircuitScheduler::GroupState::HELD);
}

TEST_F(TwoRailsTest, NoRailSwitchesWhileOneIsLent)
{
    auto actions = AskAll(FIRST, {0, 4}, 1);
    m_book->ReportLight(actions.switches.at(0).command);
    actions = AskAll(BOTH, {0, 1, 2, 3}, 1);
    EXPECT_TRUE(actions.switches.empty()) << "rail 1 is free, rail 0 is not";
    ASSERT_EQ(actions.recalls.size(), 1u);
    EXPECT_EQ(actions.recalls[0].group.id, uint64_t{FIRST});
    EXPECT_EQ(GetState(FIRST), CircuitScheduler::GroupState::RECALLED);
    EXPECT_EQ(GetState(BOTH), CircuitScheduler::GroupState::QUEUED);
    EXPECT_TRUE(m_book->Release(GroupKey{0, FIRST}, {0, 1}, 0).switches.empty());
    actions = m_book->Release(GroupKey{0, FIRST}, {4, 1}, 0);
    EXPECT_EQ(actions.switches.size(), 2u) << "now both at once";
}

TEST_F(TwoRailsTest, WhatOneSwitchRefusesIsGrantedOnNone)
{
    for (const bool isLightFirst : {true, false})
    {
        SCOPED_TRACE(isLightFirst);
        Reset();
        const auto begun = AskAll(BOTH, {0, 1, 2, 3}, 1);
        const uint64_t made = begun.switches.at(0).command;
        const uint64_t refused = begun.switches.at(1).command;
        CircuitScheduler::Recall failed;
        if (isLightFirst)
        {
            EXPECT_TRUE(m_book->ReportLight(made).grants.empty());
            EXPECT_TRUE(m_book->ReportRefusal(refused, failed).grants.empty());
        }
        else
        {
            EXPECT_TRUE(m_book->ReportRefusal(refused, failed).grants.empty());
            EXPECT_TRUE(m_book->ReportLight(made).grants.empty());
        }
        EXPECT_EQ(failed.leases.size(), 4u) << "the ranks of both rails are told";
        EXPECT_EQ(GetState(BOTH), CircuitScheduler::GroupState::FAILED);
        EXPECT_EQ(m_book->CheckInvariants(), "");
        // What rail 0 has made for nobody gives way to the next.
        const auto next = AskAll(FIRST, {0, 4}, 1);
        ASSERT_EQ(next.switches.size(), 1u);
        EXPECT_EQ(next.switches[0].drop.size(), 2u);
        EXPECT_EQ(m_book->ReportLight(next.switches[0].command).grants.size(), 1u);
    }
}

TEST_F(TwoRailsTest, RanksAreRefusedOnce)
{
    const auto begun = AskAll(BOTH, {0, 1, 2, 3}, 1);
    CircuitScheduler::Recall failed;
    m_book->ReportRefusal(begun.switches.at(0).command, failed);
    EXPECT_EQ(failed.leases.size(), 4u);
    CircuitScheduler::Recall again;
    m_book->ReportRefusal(begun.switches.at(1).command, again);
    EXPECT_TRUE(again.leases.empty());
    EXPECT_TRUE(m_book->GetCircuits(0).empty());
    EXPECT_TRUE(m_book->GetCircuits(1).empty());
}

TEST_F(CircuitSchedulerTest, WhoAsksAheadOfTimeHintsAndWaits)
{
    Hold(TOP, 0, 1);
    Wish(LEFT, 0);
    ExpectNothing();
    Wish(LEFT, 2);
    ExpectRecall(TOP, 2, CircuitScheduler::NO_LIMIT);
    EXPECT_TRUE(m_actions.recalls[0].speculative);
    Wish(RIGHT, 1);
    Wish(RIGHT, 3);
    ExpectNothing(); // the holders know
    Release(TOP, 0);
    ExpectNothing();
    Release(TOP, 1);
    ASSERT_EQ(m_actions.switches.size(), 2u);
    EXPECT_EQ(m_actions.switches[0].group.id, LEFT);
    EXPECT_EQ(m_actions.switches[1].group.id, RIGHT);
}

TEST_F(CircuitSchedulerTest, WhoInsistsRecalls)
{
    Hold(TOP, 0, 1);
    Wish(LEFT, 0);
    Wish(LEFT, 2);
    Insist(LEFT, 2);
    ExpectRecall(TOP, 2, CircuitScheduler::NO_LIMIT);
    EXPECT_FALSE(m_actions.recalls[0].speculative);
    Release(TOP, 0);
    Release(TOP, 1);
    ASSERT_EQ(m_actions.switches.size(), 1u);
    EXPECT_EQ(m_actions.switches[0].group.id, LEFT);
}

TEST_F(CircuitSchedulerTest, CallsOvertakeWhatIsAskedForAheadOfTime)
{
    Hold(TOP, 0, 1);
    Hold(BOTTOM, 2, 3);
    Wish(LEFT, 0);
    Wish(LEFT, 2);
    EXPECT_EQ(m_actions.recalls.size(), 2u);
    Ask(RIGHT, 1);
    Ask(RIGHT, 3);
    EXPECT_EQ(m_actions.recalls.size(), 2u);
    Release(TOP, 0);
    Release(TOP, 1);
    Release(BOTTOM, 2);
    EXPECT_TRUE(m_actions.switches.empty());
    Release(BOTTOM, 3);
    ASSERT_EQ(m_actions.switches.size(), 2u);
    EXPECT_EQ(m_actions.switches[0].group.id, RIGHT);
    EXPECT_EQ(m_actions.switches[1].group.id, LEFT);
}

} // namespace
} // namespace ns3
