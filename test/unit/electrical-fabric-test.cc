// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Electrical fabrics by name, and what is made of one that is registered outside of the module.
 */

#include "fabric-specs.h"

#include "ns3/cost-report.h"
#include "ns3/rail-fabric.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

/// Two switches with half of the NIC ports each, or what is wrong with them.
class HalvesFabric : public ElectricalFabric
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::HalvesFabric")
                                .SetParent<ElectricalFabric>()
                                .AddConstructor<HalvesFabric>();
        return tid;
    }

    std::string GetName() const override
    {
        return "halves";
    }

    bool JoinsRails() const override
    {
        return true;
    }

  protected:
    FabricPlan DoMakePlan(const FabricSpec& spec) const override
    {
        FabricPlan plan;
        const auto hosts = static_cast<uint32_t>(spec.GetHosts());
        const uint32_t kept = spec.down == 2 ? hosts - 1 : hosts;
        for (uint32_t host = 0; host < kept; ++host)
        {
            const uint32_t known = spec.down == 3 ? host / 2 : host;
            plan.topology.AddHost(known / spec.nicPorts, known % spec.nicPorts);
        }
        const uint32_t first = plan.topology.GetEnd(plan.topology.AddSwitch(1, "lower"));
        const uint32_t second = plan.topology.GetEnd(plan.topology.AddSwitch(1, "upper"));
        for (uint32_t host = 0; host < kept; ++host)
        {
            plan.topology.Join(host,
                               host < hosts / 2 ? first : second,
                               1,
                               spec.portRate,
                               spec.hostDelay);
        }
        plan.topology.Join(first, second, 1, spec.portRate, spec.spineDelay);
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(HalvesFabric);

} // namespace

TEST(ElectricalFabric, IsFoundBesidePhotonicRails)
{
    EXPECT_TRUE(RailFabric().IsPhotonic());
    EXPECT_EQ(RailFabric(), RailFabric("photonic"));
    EXPECT_EQ(RailFabric().Describe(), "photonic rails");
    EXPECT_EQ(RailFabric("electrical").Describe(), "electrical rails");
    EXPECT_EQ(RailFabric("halves").Describe(), "halves");
    EXPECT_FALSE(RailFabric::Find("quarters"));
    EXPECT_EQ(RailFabric::GetNames(),
              (std::vector<std::string>{"photonic",
                                        "electrical",
                                        "fat-tree",
                                        "halves",
                                        "leaf-spine",
                                        "rail-only"}));
    EXPECT_EQ(RailFabric::GetNames(&RailFabric::JoinsRails), "fat-tree, halves, leaf-spine");
    EXPECT_EQ(RailFabric::GetNames(&RailFabric::HasEqualRails), "photonic, electrical");
}

TEST(ElectricalFabric, IsRefusedIfItDoesNotJoinWhatItShall)
{
    FabricSpec spec = test::MakeSpec(4, 2, 2, 10);
    EXPECT_EQ(test::MakePlan("halves", spec).error, "");
    spec.radix = 8;
    EXPECT_EQ(test::MakePlan("halves", spec).error,
              "the fabric halves is wrong: switch lower has 9 ports, but its radix is 8");
    spec.down = 2;
    EXPECT_EQ(test::MakePlan("halves", spec).error,
              "the fabric halves is wrong: it joins 15 of 16 NIC ports");
    spec.down = 3;
    EXPECT_EQ(
        test::MakePlan("halves", spec).error,
        "the fabric halves is wrong: it joins port 0 of GPU 0 twice, or there is no such port");
    spec.domains = 0;
    EXPECT_EQ(test::MakePlan("halves", spec).error,
              "a fabric needs at least one domain of one GPU with one NIC port");
}

TEST(ElectricalFabric, LeafSpineIsCountedAsPublished)
{
    // Switches of sqrt(4 * 16) = 8 ports: a leaf has four GPUs of a rail, and so has the tier
    // above.
    const Variant<ElectricalFabric> fabric("leaf-spine");
    const FabricCount count = fabric->CountPublished(test::MakeSpec(16, 4, 1, 0));
    EXPECT_EQ(count.error, "");
    ASSERT_EQ(count.tiers.size(), 3U);
    EXPECT_EQ(count.tiers[0].devices, 16U);
    EXPECT_EQ(count.tiers[1].devices, 16U);
    EXPECT_EQ(count.tiers[2].devices, 8U);
    EXPECT_EQ(count.tiers[0].ports, 128U);
    EXPECT_EQ(count.tiers[2].ports, 64U);
}

TEST(ElectricalFabric, IsCountedAsItIsBuilt)
{
    InventorySpec spec;
    spec.gpus = 16;
    spec.gpusPerDomain = 4;
    for (const auto shape : {NetworkInventory::IDEAL, NetworkInventory::BUILT})
    {
        const auto kind = NetworkKind::Parse("halves:1");
        ASSERT_TRUE(kind);
        const auto inventory = NetworkInventory::Count(*kind, spec, shape);
        EXPECT_EQ(inventory.error, "");
        EXPECT_EQ(inventory.GetSwitches().devices, 2U);
        EXPECT_EQ(inventory.GetSwitches().ports, 18U);
        EXPECT_EQ(inventory.nicTransceivers, 16U);
    }
    EXPECT_EQ(NetworkInventory::Count({"halves", 2}, spec, NetworkInventory::BUILT).error,
              "16 GPUs get 1 tier, not 2");
    EXPECT_EQ(NetworkInventory::Count({"halves", 0}, spec, NetworkInventory::PUBLISHED).error,
              "the published counting knows fat-tree, leaf-spine and photonic only");
}
