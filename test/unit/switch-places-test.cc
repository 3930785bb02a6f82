// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/inet-socket-address.h"
#include "ns3/job-table.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

Address
Agent(uint32_t number)
{
    return InetSocketAddress(Ipv4Address(0xac100001 + number), 5811);
}

TEST(SwitchPlaces, RailsMoveToSparesThatWork)
{
    SwitchPlaces places;
    places.AddSwitch(0, Agent(0));
    places.AddSwitch(1, Agent(1));
    places.AddSpare(2, Agent(2));
    places.AddSpare(3, Agent(3));
    EXPECT_EQ(places.GetRails(), (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(*places.GetAgent(1), Agent(1));
    EXPECT_EQ(places.GetAgent(2), nullptr) << "a spare is no rail";
    EXPECT_EQ(places.GetRail(1), std::optional<uint32_t>(1));
    EXPECT_FALSE(places.GetRail(2));
    EXPECT_EQ(places.Find(Agent(3)), std::optional<uint32_t>(3));
    EXPECT_FALSE(places.Find(Agent(4)));

    places.SetFailed(2);
    EXPECT_EQ(places.Move(1), std::optional<uint32_t>(3)) << "the first spare is broken";
    EXPECT_EQ(*places.GetAgent(1), Agent(3));
    EXPECT_EQ(places.GetSwitch(1), 3u);
    EXPECT_EQ(places.GetRail(3), std::optional<uint32_t>(1));
    EXPECT_FALSE(places.GetRail(1)) << "switch 1 carries nothing";
    EXPECT_FALSE(places.Move(0)) << "no spare is left";
    EXPECT_EQ(places.GetSwitch(0), 0u) << "nothing has changed";
    places.SetRepaired(2, 4);
    EXPECT_EQ(places.GetStarts(2), 4u);
    EXPECT_EQ(places.GetStarts(3), 1u) << "it has never failed";
    EXPECT_EQ(places.Move(0), std::optional<uint32_t>(2));
    places.SetFailed(7); // there is no such switch
}

TEST(SwitchPlaces, ARailReturnsToItsOwnSwitchWhenThatIsRepaired)
{
    SwitchPlaces places;
    places.AddSwitch(0, Agent(0));
    places.AddSwitch(1, Agent(1));
    places.AddSpare(2, Agent(2));
    places.AddSpare(3, Agent(3));
    places.SetFailed(0);
    EXPECT_EQ(places.Move(0), std::optional<uint32_t>(2));
    places.SetRepaired(0, 2);
    EXPECT_EQ(places.GetSwitch(0), 2u) << "the rail stays where it is";
    places.SetFailed(2);
    EXPECT_EQ(places.Move(0), std::optional<uint32_t>(0)) << "before the other spare";
    EXPECT_EQ(*places.GetAgent(0), Agent(0));
    EXPECT_EQ(places.Move(1), std::optional<uint32_t>(3)) << "no rail takes switch 0 of another";
}

TEST(SwitchPlaces, NoRailMovesToASwitchWithStuckPorts)
{
    SwitchPlaces places;
    places.AddSwitch(0, Agent(0));
    places.AddSpare(1, Agent(1));
    places.SetStuck(0, 3, true);
    EXPECT_EQ(places.Move(0), std::optional<uint32_t>(1));
    places.SetStuck(1, 2, true);
    EXPECT_FALSE(places.Move(0)) << "both have a port that stays dark";
    places.SetStuck(0, 3, false);
    EXPECT_EQ(places.Move(0), std::optional<uint32_t>(0));
    places.SetRepaired(1, 2);
    EXPECT_EQ(places.Move(0), std::optional<uint32_t>(1)) << "a restart forgets stuck ports";
    places.SetStuck(9, 0, true); // there is no such switch
}

} // namespace
} // namespace ns3
