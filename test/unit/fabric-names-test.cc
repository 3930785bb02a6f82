// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/fabric-topology.h"
#include "ns3/fault-plan.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

/// Two leaves of a host each, two spines; the first leaf has two links to the second spine.
std::shared_ptr<const FabricTopology>
MakeTopology()
{
    auto topology = std::make_shared<FabricTopology>();
    const DataRate rate("1Gbps");
    topology->AddHost(0, 0);
    topology->AddHost(1, 0);
    for (const char* name : {"leaf a", "leaf b", "0", "spine/x"})
    {
        topology->AddSwitch(name[0] == 'l' ? 1 : 2, name);
    }
    topology->Join(0, topology->GetEnd(0), 1, rate, Time(0));
    topology->Join(1, topology->GetEnd(1), 1, rate, Time(0));
    for (uint32_t leaf = 0; leaf < 2; ++leaf)
    {
        topology->Join(topology->GetEnd(leaf), topology->GetEnd(2), 1, rate, Time(0));
        topology->Join(topology->GetEnd(leaf), topology->GetEnd(3), 2 - leaf, rate, Time(0));
    }
    return topology;
}

TEST(FabricNames, SwitchesHaveNamesAndNumbers)
{
    const FabricNames names(MakeTopology());
    EXPECT_EQ(names.CountSwitches(), 4u);
    EXPECT_EQ(names.FindSwitch("leaf b"), 1u);
    EXPECT_EQ(names.FindSwitch("1"), 1u);
    EXPECT_EQ(names.FindSwitch("0"), 2u) << "a name comes before a number";
    EXPECT_EQ(names.FindSwitch("spine/x"), 3u);
    for (const char* text : {"", "4", "-1", "leaf", "leaf a ", "01"})
    {
        EXPECT_EQ(names.FindSwitch(text), std::nullopt) << text;
    }
}

TEST(FabricNames, LinksHaveTheNamesOfTheirSwitches)
{
    const FabricNames names(MakeTopology());
    ASSERT_EQ(names.CountLinks(), 5u) << "links to hosts are those of NIC ports";
    EXPECT_EQ(names.GetLink(0), 2u);
    EXPECT_EQ(names.FindLink("leaf a/0"), 2u);
    EXPECT_EQ(names.FindLink("0/leaf a"), 2u);
    EXPECT_EQ(names.FindLink("leaf a/spine/x"), 3u);
    EXPECT_EQ(names.FindLink("spine/x/leaf a/1"), 4u);
    EXPECT_EQ(names.FindLink("0/3/1"), 4u);
    EXPECT_EQ(names.FindLink("3/1"), 6u);
    for (uint32_t i = 0; i < names.CountLinks(); ++i)
    {
        EXPECT_EQ(names.FindLink(names.GetLinkName(names.GetLink(i))), names.GetLink(i));
    }
    for (const char* text : {"", "/", "leaf a", "leaf a/leaf b", "0/3/2", "1/3/1", "0/3/"})
    {
        EXPECT_EQ(names.FindLink(text), std::nullopt) << text;
    }
}

TEST(FabricNames, FaultsSelectPartsOfTheFabric)
{
    FaultScope scope;
    scope.gpus = 2;
    scope.nicPorts = 1;
    scope.fabric = std::make_shared<const FabricNames>(MakeTopology());
    std::vector<Fault> faults;
    ASSERT_EQ(FaultPlan::Parse("link:3/0/1@1s+1ms,switch:leaf b@2s,nic-port:1/0@3s", scope, faults),
              "");
    ASSERT_EQ(faults.size(), 3u);
    EXPECT_EQ(faults[0].kind, FaultKind::LINK);
    EXPECT_EQ(faults[0].component, 4u);
    EXPECT_EQ(faults[0].GetTarget(), "leaf a/spine/x/1");
    EXPECT_EQ(faults[0].duration, MilliSeconds(1));
    EXPECT_EQ(faults[1].component, 1u);
    EXPECT_EQ(faults[1].GetTarget(), "leaf b");
    EXPECT_EQ(faults[2].GetTarget(), "1/0");
    EXPECT_EQ(scope.Count(FaultKind::LINK), 5u);
    EXPECT_EQ(scope.Get(FaultKind::LINK, 2).GetTarget(), "leaf a/spine/x/1");
    EXPECT_EQ(scope.Get(FaultKind::SWITCH, 3).GetTarget(), "spine/x");
    for (const char* text :
         {"ocs:0@1s", "ocs-port:0/0@1s", "shim:0@1s", "switch:4@1s", "link:0/1@1s"})
    {
        const std::string allowed = FaultPlan::Parse(text, scope, faults);
        EXPECT_NE(allowed.find("kinds nic-port, gpu, link, switch; GPUs 0 to 1"), std::string::npos)
            << allowed;
    }
    scope.fabric = nullptr;
    EXPECT_NE(FaultPlan::Parse("switch:0@1s", scope, faults), "") << "photonic rails have none";
    EXPECT_EQ(scope.Count(FaultKind::SWITCH), 0u);
}

} // namespace
} // namespace ns3
