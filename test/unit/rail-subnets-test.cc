// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The addresses of NIC ports.
 */

#include "ns3/rail-cluster-spec.h"

#include <gtest/gtest.h>
#include <set>

using namespace ns3;

TEST(RailSubnets, AreTheSmallestThatHoldTheirPorts)
{
    EXPECT_EQ(RailSubnets(1, 1).GetMask(), Ipv4Mask("/30"));
    EXPECT_EQ(RailSubnets(1, 2).GetMask(), Ipv4Mask("/30"));
    EXPECT_EQ(RailSubnets(1, 3).GetMask(), Ipv4Mask("/29"));
    EXPECT_EQ(RailSubnets(8, 254).GetMask(), Ipv4Mask("/24"));
    EXPECT_EQ(RailSubnets(8, 255).GetMask(), Ipv4Mask("/23"));
    EXPECT_EQ(RailSubnets(1, 254).GetAddress(0, 0), Ipv4Address("10.0.0.1"));
    EXPECT_EQ(RailSubnets(8, 254).GetAddress(2, 253), Ipv4Address("10.0.2.254"));
    EXPECT_TRUE(RailSubnets(1, (1 << 24) - 2).Fit());
    EXPECT_FALSE(RailSubnets(1, (1 << 24) - 1).Fit());
    EXPECT_TRUE(RailSubnets(8, (1 << 21) - 2).Fit());
    EXPECT_FALSE(RailSubnets(8, (1 << 21) - 1).Fit());
    EXPECT_FALSE(RailSubnets(9, (1 << 21) - 2).Fit());
}

TEST(RailSubnets, GiveEveryHostAnAddressOfItsRail)
{
    std::vector<FabricTopology::Host> hosts;
    for (uint32_t gpu = 0; gpu < 12; ++gpu)
    {
        hosts.push_back({gpu, 0});
        hosts.push_back({gpu, 1});
    }
    const RailSubnets rails(4, 6);
    const auto addresses = rails.GetAddresses(hosts, 4);
    std::set<Ipv4Address> different;
    for (uint32_t i = 0; i < hosts.size(); ++i)
    {
        EXPECT_EQ(addresses[i].CombineMask(rails.GetMask()),
                  Ipv4Address(0x0a000000 + 8 * (hosts[i].gpu % 4)));
        different.insert(addresses[i]);
    }
    EXPECT_EQ(different.size(), hosts.size());
    EXPECT_EQ(addresses[2 * 5 + 1], Ipv4Address("10.0.0.12")); // the second GPU of rail 1
    const auto joined = RailSubnets(1, 24).GetAddresses(hosts, 1);
    for (uint32_t i = 0; i < hosts.size(); ++i)
    {
        EXPECT_EQ(joined[i], Ipv4Address(0x0a000001 + i));
    }
}
