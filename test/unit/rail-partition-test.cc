// SPDX-License-Identifier: GPL-2.0-only

// Which process simulates what.

#include "fabric-specs.h"

#include "ns3/fabric-clos.h"
#include "ns3/rail-cluster.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace ns3;

namespace
{

/// @return the processes of the NIC ports of a topology
std::vector<uint32_t>
PlaceHosts(const FabricTopology& topology, const RailPartition& partition, uint32_t rails)
{
    std::vector<uint32_t> places;
    for (const auto& host : topology.hosts)
    {
        places.push_back(partition.GetProcessOfRail(host.gpu % rails));
    }
    return places;
}

} // namespace

TEST(RailPartition, RailsFollowEachOtherAndNoProcessIsEmpty)
{
    for (uint32_t rails = 1; rails <= 72; ++rails)
    {
        for (uint32_t processes = 1; processes <= rails; ++processes)
        {
            const RailPartition partition(processes, rails);
            std::map<uint32_t, uint32_t> count;
            uint32_t last = 0;
            for (uint32_t rail = 0; rail < rails; ++rail)
            {
                const uint32_t process = partition.GetProcessOfRail(rail);
                ASSERT_GE(process, last);
                last = process;
                ++count[process];
            }
            ASSERT_EQ(count.size(), processes);
            ASSERT_EQ(last, processes - 1);
            for (const auto& [process, number] : count)
            {
                // The first rail is on the first process, and the last has the hosts as well.
                ASSERT_GE(number, count[partition.GetProcessOfHosts()]);
                ASSERT_LE(number, rails / processes + 1);
            }
        }
    }
}

TEST(RailPartition, ARailOnlyFabricStaysInOnePiece)
{
    const FabricPlan plan = test::MakePlan("rail-only", test::MakeSpec(8, 4, 2, 8));
    ASSERT_EQ(plan.error, "");
    const FabricTopology& topology = plan.topology;
    const RailPartition partition(3, 4);
    const auto hosts = PlaceHosts(topology, partition, 4);
    const auto switches = RailPartition::PlaceSwitches(topology, hosts);
    ASSERT_EQ(switches.size(), topology.switches.size());
    for (const auto& link : topology.links)
    {
        const uint32_t lower = topology.IsSwitch(link.lower)
                                   ? switches[link.lower - topology.hosts.size()]
                                   : hosts[link.lower];
        ASSERT_EQ(lower, switches[link.upper - topology.hosts.size()]);
    }
    EXPECT_EQ(std::set<uint32_t>(switches.begin(), switches.end()), (std::set<uint32_t>{0, 1, 2}));
}

TEST(RailPartition, LeavesAreWhereTheirRailIs)
{
    const FabricPlan plan = test::MakePlan("leaf-spine", test::MakeSpec(8, 4, 2, 8));
    ASSERT_EQ(plan.error, "");
    const FabricTopology& topology = plan.topology;
    const auto hosts = PlaceHosts(topology, RailPartition(4, 4), 4);
    const auto switches = RailPartition::PlaceSwitches(topology, hosts);
    for (const auto& link : topology.links)
    {
        if (!topology.IsSwitch(link.lower))
        {
            ASSERT_EQ(hosts[link.lower], switches[link.upper - topology.hosts.size()]);
        }
    }
}

TEST(RailPartition, WithoutOtherProcessesAllNodesAreHere)
{
    EXPECT_TRUE(RailPartition::IsHere(CreateObject<Node>()));
    EXPECT_FALSE(RailPartition::IsHere(CreateObject<Node>(1)));
}
