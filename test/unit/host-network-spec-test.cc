// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The network of hosts: a host per domain with a port per GPU and one NIC, and a network of all
 * NICs that blocks nothing.
 */

#include "ns3/fabric-topology.h"
#include "ns3/host-network-spec.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace ns3
{
namespace
{

/// @return a specification with distinct rates and delays
HostNetworkSpec
MakeHostSpec(uint32_t radix)
{
    HostNetworkSpec spec;
    spec.nicRate = DataRate("100Gbps");
    spec.gpuDelay = NanoSeconds(700);
    spec.cableDelay = NanoSeconds(30);
    spec.radix = radix;
    return spec;
}

/// Look at every switch and link of a network.
void
CheckNetwork(uint32_t domains, uint32_t gpusPerDomain, uint32_t radix, uint32_t tiers)
{
    SCOPED_TRACE(std::to_string(domains) + " x " + std::to_string(gpusPerDomain));
    const HostNetworkSpec spec = MakeHostSpec(radix);
    const FabricPlan plan = spec.Build(domains, gpusPerDomain);
    ASSERT_EQ(plan.error, "");
    const FabricTopology& topology = plan.topology;
    ASSERT_EQ(topology.hosts.size(), domains * gpusPerDomain);
    std::set<std::string> names;
    uint32_t highest = 0;
    for (uint32_t number = 0; number < topology.switches.size(); ++number)
    {
        const auto& one = topology.switches[number];
        EXPECT_EQ(one.tier == 0, number < domains);
        EXPECT_EQ(one.name == "host " + std::to_string(number), number < domains);
        EXPECT_LE(one.ports, one.tier == 0 ? gpusPerDomain + 1 : radix) << one.name;
        names.insert(one.name);
        highest = std::max(highest, one.tier);
    }
    EXPECT_EQ(names.size(), topology.switches.size());
    EXPECT_EQ(highest, tiers);
    std::map<uint32_t, int64_t> up; // ports by switch, those down subtracted
    for (const auto& link : topology.links)
    {
        const bool isGpu = !topology.IsSwitch(link.lower);
        EXPECT_EQ(link.rate, isGpu ? spec.gpuRate : spec.nicRate);
        EXPECT_EQ(link.delay, isGpu ? spec.gpuDelay : spec.cableDelay);
        if (isGpu)
        {
            EXPECT_EQ(link.upper, topology.GetEnd(link.lower / gpusPerDomain)) << "its own host";
            continue;
        }
        ++up[link.lower - topology.GetEnd(0)];
        --up[link.upper - topology.GetEnd(0)];
    }
    for (uint32_t number = 0; number < topology.switches.size(); ++number)
    {
        const uint32_t tier = topology.switches[number].tier;
        if (tier == 0)
        {
            EXPECT_EQ(up[number], 1) << "one NIC";
        }
        else if (tier < tiers)
        {
            EXPECT_GE(up[number], 0) << "not oversubscribed";
        }
    }
    const FabricRouting routing(topology);
    for (uint32_t number = 0; number < topology.switches.size(); ++number)
    {
        for (uint32_t gpu = 0; gpu < topology.hosts.size(); ++gpu)
        {
            EXPECT_NE(routing.Find(number, gpu), nullptr) << number << " to " << gpu;
        }
    }
    const int64_t cables = domains == 1 ? 0 : 2 * tiers; // of one domain there is only the host
    EXPECT_EQ(routing.GetRoundTrip(NanoSeconds(500)),
              NanoSeconds(2 * (2 * 700 + cables * 30 + (cables + 1) * 500)));
}

TEST(HostNetworkSpec, OneSwitchOrAClosOfHosts)
{
    CheckNetwork(1, 1, 8, 1);
    CheckNetwork(4, 4, 8, 1);
    CheckNetwork(8, 2, 8, 1);
    CheckNetwork(9, 2, 8, 2);
    CheckNetwork(32, 8, 8, 2);
    CheckNetwork(33, 1, 8, 3);
    CheckNetwork(128, 2, 8, 3);
}

TEST(HostNetworkSpec, NamesAreThoseOfTheHostNetwork)
{
    const auto one = MakeHostSpec(8).Build(2, 4).topology;
    ASSERT_EQ(one.switches.size(), 3U);
    EXPECT_EQ(one.switches[2].name, "host network switch");
    const auto two = MakeHostSpec(4).Build(8, 1).topology;
    ASSERT_EQ(two.switches.size(), 8U + 4 + 2);
    EXPECT_EQ(two.switches[8].name, "host network leaf 0");
    EXPECT_EQ(two.switches[13].name, "host network spine 1");
}

TEST(HostNetworkSpec, RefusesWhatCannotBe)
{
    EXPECT_EQ(HostNetworkSpec().Check(2, 4), "the rates of a host network must be above 0");
    EXPECT_EQ(MakeHostSpec(8).Check(1 << 20, 4),
              "4194304 GPUs need more addresses than 100.64.0.0/10 has for the host network");
    EXPECT_EQ(MakeHostSpec(4).Check(1000, 4).rfind("the host network: ", 0), 0U)
        << MakeHostSpec(4).Check(1000, 4);
    EXPECT_EQ(MakeHostSpec(4).Build(1000, 4).error, MakeHostSpec(4).Check(1000, 4));
}

} // namespace
} // namespace ns3
