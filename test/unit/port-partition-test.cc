// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/static-circuits.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

constexpr uint64_t MUCH = 1000 * PortPartition::LITTLE;

/// A dimension in which these GPUs exchange something with the next one.
DimensionDemand
MakeRing(const std::string& name, const std::vector<uint32_t>& gpus, uint64_t bytes)
{
    DimensionDemand demand{name, {}};
    for (std::size_t i = 0; i < gpus.size(); ++i)
    {
        const uint32_t a = gpus[i];
        const uint32_t b = gpus[(i + 1) % gpus.size()];
        demand.pairs[{std::min(a, b), std::max(a, b)}] = bytes;
    }
    return demand;
}

TEST(PortPartition, PairsOfTwoDimensionsShareThePorts)
{
    for (const uint32_t ports : {2u, 4u})
    {
        auto fsdp = MakeRing("fsdp", {0, 1}, MUCH);
        fsdp.pairs[{2, 3}] = MUCH;
        auto pp = MakeRing("pp", {0, 2}, MUCH / 10);
        pp.pairs[{1, 3}] = MUCH / 10;
        const auto result = PortPartition::Plan({pp, fsdp}, 4, ports);
        ASSERT_EQ(result.error, "");
        ASSERT_EQ(result.shares.size(), 2u);
        EXPECT_EQ(result.shares[0].name, "fsdp") << "the heavier one comes first";
        EXPECT_EQ(result.shares[0].ports, ports / 2) << "half of the bandwidth: C3";
        EXPECT_EQ(result.shares[1].ports, ports / 2);
        EXPECT_EQ(result.circuits.Find(0, 1).size(), ports / 2);
        EXPECT_EQ(result.circuits.Find(2, 3).size(), ports / 2);
        EXPECT_EQ(result.circuits.Find(0, 2).size(), ports / 2);
        EXPECT_EQ(result.circuits.Find(1, 3).size(), ports / 2);
        EXPECT_EQ(result.circuits.CountFree(0), 0u);
    }
}

TEST(PortPartition, ARingTakesTwoPortsAndEachDimensionItsOwn)
{
    const auto result =
        PortPartition::Plan({MakeRing("fsdp", {0, 1, 2}, MUCH), MakeRing("pp", {0, 3}, MUCH / 2)},
                            6,
                            4);
    ASSERT_EQ(result.error, "");
    EXPECT_EQ(result.shares[0].ports, 2u);
    EXPECT_EQ(result.shares[1].ports, 1u);
    for (const auto& joint : result.circuits.GetJoints())
    {
        const bool isPipeline = joint.peer == 3;
        EXPECT_EQ(joint.port >= 2, isPipeline);
        EXPECT_EQ(joint.peerPort >= 2, isPipeline);
    }
    EXPECT_EQ(result.circuits.CountFree(0), 1u) << "one port cannot serve all once more";
}

TEST(PortPartition, TooManyDimensionsAreRefused)
{
    const auto result =
        PortPartition::Plan({MakeRing("fsdp", {0, 1, 2}, MUCH), MakeRing("pp", {0, 3}, MUCH / 2)},
                            4,
                            2);
    EXPECT_EQ(result.error,
              "2 ports of a NIC cannot be divided between fsdp (2), pp (1): 3 are needed");
    EXPECT_TRUE(result.circuits.GetJoints().empty());
}

TEST(PortPartition, LittleTrafficAndKnownNeighboursNeedNoPorts)
{
    const auto result = PortPartition::Plan({MakeRing("fsdp", {0, 1}, MUCH),
                                             MakeRing("dp", {0, 1}, MUCH / 2),
                                             MakeRing("cp", {0, 1, 2, 3}, 8)},
                                            4,
                                            2);
    ASSERT_EQ(result.error, "");
    EXPECT_EQ(result.shares[0].ports, 2u);
    EXPECT_EQ(result.shares[1].ports, 0u) << "dp has the circuits of fsdp";
    EXPECT_EQ(result.shares[2].ports, 0u) << "8 bytes";
}

TEST(PortPartition, NoTrafficNeedsNoCircuits)
{
    const auto result = PortPartition::Plan({}, 4, 2);
    EXPECT_EQ(result.error, "");
    EXPECT_TRUE(result.circuits.GetJoints().empty());
}

} // namespace
} // namespace ns3
