// SPDX-License-Identifier: GPL-2.0-only

#include "../track-fabric.h"

#include "ns3/circuit-scheduler.h"
#include "ns3/fabric-matchings.h"

#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace ns3
{
namespace
{

using test::TrackFabric;

/// Groups of two ranks with a circuit each, on ports of their own, on switches that block.
class SchedulerFabricTest : public testing::Test
{
  protected:
    /// Give the scheduler a switch, which follows its commands.
    void Use(uint32_t ocs, uint32_t tracks)
    {
        m_switches[ocs] = TrackFabric::Make(20, tracks);
        m_scheduler.SetFabric(ocs, m_switches[ocs]->Copy());
    }

    void Add(uint32_t id, const CircuitPlan& plan)
    {
        m_scheduler.AddGroup(GroupKey{0, id}, {2 * id, 2 * id + 1}, plan);
    }

    void Add(uint32_t id, const Circuit& circuit)
    {
        Add(id, {{0, {circuit}}});
    }

    /// Both ranks ask.
    void Ask(uint32_t id, bool speculative = false)
    {
        Say(id, [&](const CircuitScheduler::Lease& lease) {
            return m_scheduler.Request(GroupKey{0, id}, lease, 0, false, speculative);
        });
    }

    /// Both ranks give their leases back.
    void Release(uint32_t id)
    {
        --m_lease[id];
        Say(id, [&](const CircuitScheduler::Lease& lease) {
            return m_scheduler.Release(GroupKey{0, id}, lease, 0);
        });
    }

    template <typename F>
    void Say(uint32_t id, F say)
    {
        m_actions = {};
        ++m_lease[id];
        for (const uint32_t rank : {2 * id, 2 * id + 1})
        {
            Take(say({rank, m_lease[id]}));
        }
    }

    /// Keep actions, and carry commands out, as a switch does.
    void Take(const CircuitScheduler::Actions& actions)
    {
        for (const auto& action : actions.switches)
        {
            EXPECT_EQ(m_switches.at(action.ocs)->Change(action.drop, action.make), "");
            m_actions.switches.push_back(action);
            m_commands[action.group.id].push_back(action.command);
        }
        m_actions.grants.insert(m_actions.grants.end(),
                                actions.grants.begin(),
                                actions.grants.end());
        m_actions.recalls.insert(m_actions.recalls.end(),
                                 actions.recalls.begin(),
                                 actions.recalls.end());
        EXPECT_EQ(m_scheduler.CheckInvariants(), "");
    }

    /// Switches report on the commands for a group.
    void Light(uint32_t id)
    {
        m_actions = {};
        for (const uint64_t command : std::exchange(m_commands[id], {}))
        {
            Take(m_scheduler.ReportLight(command));
        }
    }

    void Hold(uint32_t id)
    {
        Ask(id);
        Light(id);
        ASSERT_EQ(m_scheduler.GetState({0, id}), CircuitScheduler::GroupState::HELD);
    }

    /// All circuits of a switch are lost, and what it was told is void.
    void Lose(uint32_t ocs)
    {
        m_actions = {};
        m_commands.clear();
        m_switches[ocs]->Clear();
        Take(m_scheduler.ReportLoss(ocs));
    }

    void ExpectSwitch(uint32_t id, const CircuitSet& drop, const CircuitSet& make)
    {
        ASSERT_EQ(m_actions.switches.size(), 1u);
        EXPECT_EQ(m_actions.switches[0].group.id, id);
        EXPECT_EQ(m_actions.switches[0].drop, drop);
        EXPECT_EQ(m_actions.switches[0].make, make);
    }

    /// Nothing happens but that a group shall give its circuit back.
    void ExpectRecall(uint32_t id)
    {
        EXPECT_TRUE(m_actions.switches.empty());
        ASSERT_EQ(m_actions.recalls.size(), 1u);
        EXPECT_EQ(m_actions.recalls[0].group.id, id);
    }

    void ExpectNothing()
    {
        EXPECT_TRUE(m_actions.switches.empty());
        EXPECT_TRUE(m_actions.grants.empty());
        EXPECT_TRUE(m_actions.recalls.empty());
    }

    CircuitScheduler m_scheduler;
    CircuitScheduler::Actions m_actions; //!< since the last input
    std::map<uint32_t, Ptr<CircuitFabric>> m_switches;
    std::map<uint32_t, uint32_t> m_lease;                 //!< by group
    std::map<uint64_t, std::vector<uint64_t>> m_commands; //!< by group: not reported
};

TEST_F(SchedulerFabricTest, WhatIsInTheWayIsRecalledThoughItsPortsAreNot)
{
    Use(0, 1);
    Add(0, Circuit{0, 9});
    Add(1, Circuit{2, 5});
    Hold(0);
    Ask(1);
    ExpectRecall(0);
    EXPECT_FALSE(m_actions.recalls[0].speculative);
    Release(0);
    ExpectSwitch(1, {{0, 9}}, {{2, 5}});
    Light(1);
    EXPECT_EQ(m_scheduler.GetState({0, 1}), CircuitScheduler::GroupState::HELD);
}

TEST_F(SchedulerFabricTest, AsFewIdleCircuitsAsPossibleGo)
{
    Use(0, 1);
    Add(0, Circuit{0, 1});
    Add(1, Circuit{3, 4});
    Add(2, Circuit{9, 10});
    Add(3, Circuit{2, 5});
    for (uint32_t id : {0, 1, 2})
    {
        Hold(id);
        Release(id);
        ExpectNothing();
    }
    Ask(3);
    ExpectSwitch(3, {{3, 4}}, {{2, 5}});
}

TEST_F(SchedulerFabricTest, IdleCircuitsGoBeforeLentOnes)
{
    Use(0, 2);
    Add(0, Circuit{0, 9});
    Add(1, Circuit{1, 8});
    Add(2, Circuit{2, 7});
    Hold(0);
    Hold(1);
    Release(1);
    Ask(2);
    ExpectSwitch(2, {{1, 8}}, {{2, 7}});
}

TEST_F(SchedulerFabricTest, OneOfTwoThatAreLentIsEnough)
{
    Use(0, 2);
    Add(0, Circuit{0, 9});
    Add(1, Circuit{1, 8});
    Add(2, Circuit{2, 7});
    Hold(0);
    Hold(1);
    Ask(2);
    ExpectRecall(1);
}

TEST_F(SchedulerFabricTest, WhatIsBeingMadeIsWaitedFor)
{
    Use(0, 1);
    Add(0, Circuit{0, 9});
    Add(1, Circuit{2, 5});
    Ask(0);
    ExpectSwitch(0, {}, {{0, 9}});
    Ask(1);
    ExpectNothing();
    Light(0);
    ASSERT_EQ(m_actions.grants.size(), 1u) << "its ranks asked first";
    ExpectRecall(0);
}

TEST_F(SchedulerFabricTest, WhoComesLaterTakesNoRoomFromThoseWhoWait)
{
    Use(0, 1);
    Add(0, Circuit{0, 9});
    Add(1, Circuit{2, 5});
    Add(2, Circuit{12, 13});
    Add(3, Circuit{14, 15});
    Hold(3);
    Release(3);
    Hold(0);
    Ask(1);
    ExpectRecall(0);
    Ask(2);
    ExpectNothing();
    Ask(3);
    ASSERT_EQ(m_actions.grants.size(), 1u) << "what is up costs no room";
    EXPECT_FALSE(m_actions.grants[0].switched);
    Release(0);
    ASSERT_EQ(m_actions.switches.size(), 2u);
    EXPECT_EQ(m_actions.switches[0].group.id, 1u);
    EXPECT_EQ(m_actions.switches[1].group.id, 2u);
}

TEST_F(SchedulerFabricTest, WhoTakesBackWhatItAskedForHoldsUpNobody)
{
    Use(0, 1);
    Add(0, Circuit{0, 9});
    Add(1, Circuit{2, 5});
    Add(2, Circuit{12, 13});
    Hold(0);
    Ask(1);
    Ask(2);
    ExpectNothing();
    Release(1);
    ExpectSwitch(2, {}, {{12, 13}});
}

TEST_F(SchedulerFabricTest, WishesTakeNoLightPathAndHoldUpNobody)
{
    Use(0, 1);
    Add(0, Circuit{0, 9});
    Add(1, Circuit{2, 5});
    Add(2, Circuit{12, 13});
    Hold(0);
    Ask(1, true);
    ExpectNothing();
    Ask(2, true);
    ExpectSwitch(2, {}, {{12, 13}});
    // What nobody holds any more goes for a wish, too.
    Release(0);
    ExpectSwitch(1, {{0, 9}}, {{2, 5}});
}

TEST_F(SchedulerFabricTest, AWishThatBecomesACallRecalls)
{
    Use(0, 1);
    Add(0, Circuit{0, 9});
    Add(1, Circuit{2, 5});
    Hold(0);
    Ask(1, true);
    m_actions = {};
    Take(m_scheduler.Request(GroupKey{0, 1}, {2, m_lease[1]}, 0, false));
    ExpectRecall(0);
}

TEST_F(SchedulerFabricTest, AllSwitchesOrNone)
{
    Use(0, 1);
    Use(1, 1);
    Add(0, CircuitPlan{{1, {{0, 9}}}});
    Add(1, CircuitPlan{{0, {{2, 5}}}, {1, {{2, 5}}}});
    Hold(0);
    Ask(1);
    ExpectRecall(0);
    EXPECT_TRUE(m_scheduler.GetCircuits(0).empty());
    Release(0);
    EXPECT_EQ(m_actions.switches.size(), 2u);
}

TEST_F(SchedulerFabricTest, AfterARefusalThePlanIsWhatTheSwitchHas)
{
    Use(0, 2);
    Add(0, Circuit{0, 2});
    Add(1, Circuit{1, 5});
    Add(2, Circuit{7, 10});
    Add(3, Circuit{4, 8});
    Ask(0); // on track 0
    Ask(1); // on track 1
    Ask(2); // on track 0
    // It turns out that the first was refused, so that the second is on track 0.
    m_switches[0]->Clear();
    m_switches[0]->Change({}, {{1, 5}});
    m_switches[0]->Change({}, {{7, 10}});
    CircuitScheduler::Recall failed;
    Take(m_scheduler.ReportRefusal(std::exchange(m_commands[0], {}).front(), failed));
    EXPECT_EQ(failed.leases.size(), 2u);
    Light(1);
    Light(2);
    // With 1-5 on track 1 there would be no room beside both.
    Ask(3);
    ExpectSwitch(3, {}, {{4, 8}});
}

/// Four circuits, each crossing the next, fit two tracks one after the other; not the outer ones
/// first, which is the order of their groups.
class LostFabricTest : public SchedulerFabricTest
{
  protected:
    LostFabricTest()
    {
        Use(0, 2);
        Add(0, Circuit{0, 2});
        Add(1, Circuit{7, 10});
        Add(2, Circuit{1, 5});
        Add(3, Circuit{4, 8});
        for (uint32_t id : {0, 2, 3, 1})
        {
            Hold(id);
        }
    }
};

TEST_F(LostFabricTest, WhatDoesNotFitAnyMoreWaitsBeforeAllOthers)
{
    Add(4, Circuit{12, 13});
    Lose(0);
    EXPECT_EQ(m_actions.switches.size(), 3u);
    EXPECT_TRUE(m_actions.recalls.empty()) << "first there has to be light";
    Ask(4);
    ExpectNothing();
    Light(0);
    ExpectNothing();
    Light(1);
    ExpectRecall(1); // 7-10 is in the way, and nothing else
    Light(2);
    ExpectNothing();
    Release(1);
    ASSERT_EQ(m_actions.switches.size(), 2u);
    EXPECT_EQ(m_actions.switches[0].group.id, 3u);
    EXPECT_EQ(m_actions.switches[1].group.id, 4u);
    Light(3);
    EXPECT_TRUE(m_scheduler.IsUp({0, 3}));
}

TEST_F(SchedulerFabricTest, OfTwoThatCannotFinishOneYields)
{
    Use(0, 1);
    Use(1, 1);
    Add(0, CircuitPlan{{0, {{0, 9}}}, {1, {{0, 1}}}});
    Add(1, CircuitPlan{{0, {{12, 13}}}, {1, {{4, 5}}}});
    Hold(0);
    Hold(1);
    // Ports break, and both get others at which they are in each other's way.
    m_actions = {};
    Take(m_scheduler.Replan({0, 0}, {{0, {{0, 9}}}, {1, {{3, 6}}}}));
    ExpectRecall(1);
    m_actions = {};
    Take(m_scheduler.Replan({0, 1}, {{0, {{2, 5}}}, {1, {{4, 5}}}}));
    ASSERT_FALSE(m_actions.switches.empty()) << "else both would wait for ever";
    EXPECT_EQ(m_actions.switches[0].group.id, 0u);
    EXPECT_EQ(m_actions.switches[0].drop, (CircuitSet{{4, 5}}));
    Light(0);
    EXPECT_TRUE(m_scheduler.IsUp({0, 0}));
    Release(0);
    Light(1);
    EXPECT_TRUE(m_scheduler.IsUp({0, 1}));
}

TEST(FabricRoom, NothingGoesIfEverythingFits)
{
    const auto fabric = TrackFabric::Make(20, 1);
    fabric->Change({}, {{0, 1}});
    const auto room = FindFabricRoom(*fabric, {}, {{2, 3}}, {{0, 1}}, {});
    EXPECT_TRUE(room.exists);
    EXPECT_TRUE(room.give.empty());
    EXPECT_EQ(fabric->Change({}, {{2, 3}}), "") << "nothing was changed";
}

TEST(FabricRoom, NoRoomBesideWhatHasToStay)
{
    const auto fabric = TrackFabric::Make(20, 1);
    fabric->Change({}, {{0, 9}, {12, 13}});
    const auto room = FindFabricRoom(*fabric, {}, {{2, 5}}, {{12, 13}}, {});
    EXPECT_FALSE(room.exists);
    EXPECT_TRUE(room.give.empty());
}

TEST(FabricRoom, NoCircuitOfTheAnswerCouldStay)
{
    const auto fabric = TrackFabric::Make(20, 2);
    ASSERT_EQ(fabric->Change({}, {{0, 9}, {2, 3}, {6, 7}, {12, 13}}), "");
    const auto room = FindFabricRoom(*fabric, {}, {{1, 8}}, {{2, 3}, {12, 13}}, {{0, 9}, {6, 7}});
    EXPECT_TRUE(room.exists);
    EXPECT_EQ(room.give, (CircuitSet{{2, 3}, {6, 7}})) << "which leaves the other track as it is";
}

TEST(FabricRoom, CircuitsThatAreImpossibleEvenAloneAreNamed)
{
    const auto fabric = TrackFabric::Make(20, 1);
    fabric->Change({}, {{0, 1}});
    EXPECT_EQ(CheckOnIdleFabric(*fabric, {{0, 9}}), "");
    EXPECT_EQ(CheckOnIdleFabric(*fabric, {{0, 9}, {2, 5}}), "there is no way for circuit 2-5");
}

} // namespace
} // namespace ns3
