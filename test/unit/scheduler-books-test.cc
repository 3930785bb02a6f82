// SPDX-License-Identifier: GPL-2.0-only

#include "../track-fabric.h"

#include "ns3/port-table.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace ns3
{
namespace
{

/// Two groups of one rank each on ports 0 to 3 of switch 0, and a third that shares a port of each.
class SchedulerTablesTest : public testing::Test
{
  protected:
    SchedulerTablesTest()
    {
        m_ports.SetCircuits(m_left, {{0, {{1, 0}}}});
        m_ports.SetCircuits(m_right, {{0, {{2, 3}}}});
        m_ports.SetCircuits(m_middle, {{0, {{1, 2}}}});
    }

    /// The rank of a group asks, and it takes its place.
    void Ask(SchedulerGroup& group, bool isSpeculative = false)
    {
        SchedulerGroup::Member& member = *group.FindMember(group.GetRanks()[0]);
        group.SetMember(member, SchedulerGroup::REQUESTED, false, isSpeculative);
        m_line.Update(group);
        m_line.MarkChanged(group.circuits);
        EXPECT_EQ(m_line.CheckInvariants(), "");
    }

    /// What a group needs is switched and carries light.
    void Switch(SchedulerGroup& group)
    {
        for (const auto& action : m_commands.Start(group, PortTable::FindChange(group), m_fabrics))
        {
            EXPECT_TRUE(m_commands.Take(action.command));
        }
        EXPECT_EQ(m_ports.CheckInvariants(), "");
    }

    SchedulerGroup m_left{GroupKey{0, 1}, {1}};
    SchedulerGroup m_right{GroupKey{0, 2}, {2}};
    SchedulerGroup m_middle{GroupKey{0, 3}, {3}};
    PortTable m_ports;
    FabricTable m_fabrics;
    RequestQueue m_line;
    CommandTable m_commands;
};

TEST_F(SchedulerTablesTest, PortsTellWhatAGroupNeedsAndWhatIsInItsWay)
{
    EXPECT_EQ(ToCircuitSet(PortTable::FindChange(m_left).make), (CircuitSet{{0, 1}}));
    Switch(m_left);
    Switch(m_right);
    EXPECT_EQ(m_ports.GetCircuits(0), (CircuitSet{{0, 1}, {2, 3}}));
    EXPECT_TRUE(m_ports.GetCircuits(1).empty());
    const SchedulerChange change = PortTable::FindChange(m_middle);
    EXPECT_EQ(ToCircuitSet(change.make), (CircuitSet{{1, 2}}));
    EXPECT_EQ(ToCircuitSet(change.drop), (CircuitSet{{0, 1}, {2, 3}}));
    EXPECT_TRUE(PortTable::FindChange(m_left).make.empty());
    m_ports.Darken(0);
    EXPECT_TRUE(m_ports.GetCircuits(0).empty());
    EXPECT_TRUE(m_left.LacksCircuits());
}

TEST_F(SchedulerTablesTest, CircuitsThatAreTakenHaveNoUserAnyMore)
{
    const SchedulerCircuit circuit = m_left.circuits.at(0);
    EXPECT_EQ(m_ports.GetUsers(circuit), std::vector<SchedulerGroup*>{&m_left});
    EXPECT_EQ(m_ports.TakeCircuits(m_left), std::vector<SchedulerCircuit>{circuit});
    EXPECT_TRUE(m_left.circuits.empty());
    EXPECT_TRUE(m_ports.GetUsers(circuit).empty());
}

TEST_F(SchedulerTablesTest, PortsAreBusyUntilTheirCommandIsTaken)
{
    const auto actions = m_commands.Start(m_left, PortTable::FindChange(m_left), m_fabrics);
    ASSERT_EQ(actions.size(), 1u);
    EXPECT_EQ(actions[0].make, (CircuitSet{{0, 1}}));
    EXPECT_TRUE(PortTable::IsBusy(m_left));
    EXPECT_TRUE(PortTable::IsBusy(m_middle)) << "one port of it";
    EXPECT_FALSE(PortTable::IsBusy(m_right));
    EXPECT_FALSE(m_left.IsUp());
    EXPECT_EQ(m_commands.Find(0), std::vector<uint64_t>{actions[0].command});
    EXPECT_TRUE(m_commands.Find(1).empty());
    EXPECT_EQ(m_commands.GetSwitches(), std::set<uint32_t>{0});
    EXPECT_EQ(m_left.commands, 1u);
    EXPECT_TRUE(m_commands.Take(actions[0].command));
    EXPECT_FALSE(m_commands.Take(actions[0].command)) << "once";
    EXPECT_EQ(m_left.commands, 0u);
    EXPECT_TRUE(m_left.IsUp());
}

TEST_F(SchedulerTablesTest, ACommandThatIsUndoneLeavesWhatWasThere)
{
    Switch(m_left);
    const auto actions = m_commands.Start(m_middle, PortTable::FindChange(m_middle), m_fabrics);
    EXPECT_EQ(m_ports.GetCircuits(0), (CircuitSet{{1, 2}}));
    const auto command = m_commands.Take(actions.at(0).command);
    ASSERT_TRUE(command);
    m_commands.Undo(actions[0].command, *command, m_fabrics);
    EXPECT_EQ(m_ports.GetCircuits(0), (CircuitSet{{0, 1}}));
    EXPECT_TRUE(m_left.IsUp());
}

TEST_F(SchedulerTablesTest, TheLineIsServedInOrderOnEveryPort)
{
    Ask(m_middle);
    Ask(m_left);
    Ask(m_right);
    EXPECT_EQ(m_line.Take(), &m_middle);
    EXPECT_EQ(m_line.Take(), nullptr) << "the others stand behind it";
    m_middle.Grant();
    m_line.Update(m_middle); // leaves
    EXPECT_EQ(m_line.Take(), &m_left);
    EXPECT_EQ(m_line.Take(), &m_right);
    EXPECT_EQ(m_line.Take(), nullptr) << "nothing has changed";
    m_line.MarkChanged(m_right.circuits);
    EXPECT_EQ(m_line.Take(), &m_right);
}

TEST_F(SchedulerTablesTest, WhoIsUrgentStandsBeforeWhoIsNotAndARepairBeforeAll)
{
    Ask(m_middle, true);
    EXPECT_FALSE(RequestQueue::IsUrgent(m_middle));
    Ask(m_left);
    EXPECT_TRUE(RequestQueue::IsUrgent(m_left));
    EXPECT_EQ(m_line.Take(), &m_left);
    EXPECT_EQ(m_line.Take(), nullptr);
    Ask(m_middle);
    EXPECT_EQ(m_line.Take(), &m_left) << "came first";
    Switch(m_middle);
    m_middle.Grant();
    m_line.Update(m_middle);
    m_ports.Darken(0);
    m_line.UpdateRepair(m_middle);
    EXPECT_TRUE(m_middle.repair);
    EXPECT_EQ(m_line.Take(), &m_middle);
    EXPECT_EQ(m_line.Take(), nullptr);
    Switch(m_middle);
    m_line.UpdateRepair(m_middle);
    EXPECT_FALSE(m_middle.isQueued);
    EXPECT_EQ(m_line.Take(), &m_left);
}

TEST_F(SchedulerTablesTest, AGroupKeepsItsPlaceWhenItsCircuitsChange)
{
    Ask(m_middle);
    const uint64_t place = m_middle.place;
    Ask(m_left);
    m_line.Exchange(m_middle, [this] {
        m_ports.TakeCircuits(m_middle);
        m_ports.SetCircuits(m_middle, {{0, {{0, 5}}}});
    });
    EXPECT_EQ(m_middle.place, place);
    m_line.MarkChanged(m_middle.circuits);
    EXPECT_EQ(m_line.Take(), &m_middle) << "now on port 0, where the other waits";
    EXPECT_EQ(m_line.Take(), nullptr);
}

TEST_F(SchedulerTablesTest, RoomIsReservedForTheFirstWhoWaitsForIt)
{
    Ask(m_left);
    Ask(m_right);
    m_line.WaitForRoom(0, m_left);
    EXPECT_TRUE(m_line.IsRoomReserved(0, m_right));
    EXPECT_FALSE(m_line.IsRoomReserved(0, m_left));
    EXPECT_FALSE(m_line.IsRoomReserved(1, m_right)) << "another switch";
    while (m_line.Take())
    {
    }
    m_line.MarkRoomChanged(0);
    EXPECT_EQ(m_line.Take(), &m_left);
    m_line.EndWaitForRoom(0, m_left);
    EXPECT_FALSE(m_line.IsRoomReserved(0, m_right));
    m_line.WaitForRoom(0, m_left);
    m_left.Grant();
    m_line.Update(m_left); // who leaves waits for nothing
    EXPECT_FALSE(m_line.IsRoomReserved(0, m_right));
    EXPECT_EQ(m_line.CheckInvariants(), "");
}

TEST_F(SchedulerTablesTest, RoomIsFoundAtTheCostOfWhatNobodyHolds)
{
    // One track: no two circuits are up at a time if they lie over each other.
    m_fabrics.Set(0, test::TrackFabric::Make(6, 1));
    SchedulerGroup outer(GroupKey{0, 4}, {4});
    m_ports.SetCircuits(outer, {{0, {{0, 3}}}});
    Switch(outer);
    EXPECT_EQ(m_fabrics.FindSwitches(m_middle.circuits), std::set<uint32_t>{0});
    EXPECT_FALSE(m_fabrics.Fits(0, m_middle.circuits));
    EXPECT_TRUE(m_fabrics.Fits(1, m_middle.circuits)) << "a switch without a fabric";
    Ask(m_middle);
    SchedulerChange change = PortTable::FindChange(m_middle);
    EXPECT_TRUE(change.drop.empty()) << "its ports are free";
    FabricTable::Room room = m_fabrics.FindRoom(m_ports, m_middle, 0, change);
    EXPECT_TRUE(room.exists);
    EXPECT_FALSE(room.isLeased);
    EXPECT_EQ(ToCircuitSet(change.drop), (CircuitSet{{0, 3}}));

    outer.SetMember(*outer.FindMember(4), SchedulerGroup::REQUESTED);
    outer.Grant();
    change = PortTable::FindChange(m_middle);
    room = m_fabrics.FindRoom(m_ports, m_middle, 0, change);
    EXPECT_TRUE(room.exists);
    EXPECT_TRUE(room.isLeased) << "its holders have to be asked";
    Ask(m_middle, true);
    change = PortTable::FindChange(m_middle);
    EXPECT_FALSE(m_fabrics.FindRoom(m_ports, m_middle, 0, change).exists)
        << "not for what nobody waits for";
    EXPECT_EQ(m_fabrics.CheckInvariants(m_ports, {}), "");
    m_fabrics.Clear(0);
    EXPECT_NE(m_fabrics.CheckInvariants(m_ports, {}), "");
}

} // namespace
} // namespace ns3
