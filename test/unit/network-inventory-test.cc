// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Numbers of switches, ports and transceivers: closed forms, what the simulator builds, Table 3.
 */

#include "../../examples/cost/scale-table.h"
#include "bcube-plan.h"
#include "fabric-specs.h"

#include "ns3/cost-report.h"

#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace ns3;

namespace
{

using Shape = NetworkInventory::Shape;

/// @return numbers of a network that has a name
NetworkInventory
CountNetwork(const std::string& name, const InventorySpec& spec, Shape shape)
{
    return NetworkInventory::Count(NetworkKind::Parse(name).value(), spec, shape);
}

/// @return what has to be joined
InventorySpec
MakeInventorySpec(uint32_t gpus, uint32_t gpusPerDomain, uint32_t radix = 64)
{
    InventorySpec spec;
    spec.gpus = gpus;
    spec.gpusPerDomain = gpusPerDomain;
    spec.switchRadix = radix;
    return spec;
}

/// @return devices by tier
std::vector<uint64_t>
GetDevices(const std::vector<NetworkInventory::Tier>& tiers)
{
    std::vector<uint64_t> devices;
    for (const auto& tier : tiers)
    {
        devices.push_back(tier.devices);
    }
    return devices;
}

using List = std::vector<uint64_t>;

/// The numbers are those of a topology, switch by switch and link by link.
void
Compare(const NetworkInventory& inventory, const FabricPlan& plan)
{
    ASSERT_EQ(inventory.error.empty(), plan.error.empty()) << inventory.error << plan.error;
    std::vector<NetworkInventory::Tier> tiers;
    for (const auto& one : plan.topology.switches)
    {
        tiers.resize(std::max<std::size_t>(tiers.size(), one.tier));
        ++tiers[one.tier - 1].devices;
        tiers[one.tier - 1].ports += one.ports;
    }
    ASSERT_EQ(inventory.switches.size(), tiers.size());
    for (std::size_t i = 0; i < tiers.size(); ++i)
    {
        EXPECT_EQ(inventory.switches[i].devices, tiers[i].devices) << "tier " << i + 1;
        EXPECT_EQ(inventory.switches[i].ports, tiers[i].ports) << "tier " << i + 1;
    }
    const uint64_t ends = 2 * plan.topology.links.size();
    EXPECT_EQ(inventory.nicTransceivers, plan.topology.hosts.size());
    EXPECT_EQ(inventory.GetTransceivers(), ends) << "one at each end of each link";
}

/// Build what the simulator builds of a specification, and count it.
void
CompareAll(const InventorySpec& spec)
{
    FabricSpec fabric;
    fabric.domains = spec.gpus / spec.gpusPerDomain;
    fabric.gpusPerDomain = spec.gpusPerDomain;
    fabric.nicPorts = spec.switchPortsPerGpu;
    fabric.portRate = DataRate("400Gbps");
    fabric.radix = spec.switchRadix;
    SCOPED_TRACE(std::to_string(fabric.domains) + " domains of " +
                 std::to_string(fabric.gpusPerDomain) + ", " + std::to_string(fabric.nicPorts) +
                 " ports, radix " + std::to_string(fabric.radix));
    Compare(CountNetwork("electrical", spec, Shape::BUILT), test::MakePlan("electrical", fabric));
    Compare(CountNetwork("leaf-spine", spec, Shape::BUILT), test::MakePlan("leaf-spine", fabric));
    Compare(CountNetwork("rail-only", spec, Shape::BUILT), test::MakePlan("rail-only", fabric));
    const FabricPlan fatTree = test::MakePlan("fat-tree", fabric);
    Compare(CountNetwork("fat-tree", spec, Shape::BUILT), fatTree);
    // A leaf has whole NICs, for which a k-ary fat-tree does not look.
    const bool fillsLeaves = fabric.radix / 2 % fabric.nicPorts == 0;
    for (uint32_t arity = 2; arity <= fabric.radix; arity += 2)
    {
        const FabricPlan plan = test::MakePlan("fat-tree", fabric, "Arity", arity);
        EXPECT_TRUE(!fillsLeaves || !plan.error.empty() ||
                    plan.topology.switches.size() >= fatTree.topology.switches.size())
            << "an arity of " << arity << " needs fewer switches";
    }
}

} // namespace

TEST(NetworkKind, IsReadInFull)
{
    for (const auto* text : {"electrical",
                             "electrical:1",
                             "leaf-spine",
                             "leaf-spine:2",
                             "rail-only:3",
                             "fat-tree:3",
                             "photonic",
                             "photonic:4"})
    {
        ASSERT_TRUE(NetworkKind::Parse(text)) << text;
        EXPECT_EQ(NetworkKind::Parse(text)->ToText(), text);
    }
    for (const auto* text : {"",
                             "copper",
                             "leaf-spine:",
                             "leaf-spine:0",
                             "leaf-spine:4",
                             "electrical:2",
                             "photonic:5",
                             "photonic:2x",
                             "photonic:-1",
                             "photonic:99999999999",
                             " photonic",
                             "photonic:2:2"})
    {
        EXPECT_FALSE(NetworkKind::Parse(text)) << text;
    }
}

TEST(NetworkInventory, IdealClosNetworksTakeTwoPortsMoreWithEachTier)
{
    // A folded Clos network that is full: H = 2 (R / 2)^T, and (2 T - 1) H / R switches.
    for (uint32_t tiers = 1; tiers <= 3; ++tiers)
    {
        const uint32_t hosts = 2 * (tiers == 1 ? 32 : tiers == 2 ? 32 * 32 : 32 * 32 * 32);
        const auto full = CountNetwork("fat-tree", MakeInventorySpec(hosts, 1), Shape::IDEAL);
        ASSERT_EQ(full.switches.size(), tiers) << full.error;
        EXPECT_EQ(full.GetSwitches().ports, uint64_t{2 * tiers - 1} * hosts);
        EXPECT_EQ(full.GetSwitches().devices, uint64_t{2 * tiers - 1} * hosts / 64);
        EXPECT_EQ(full.nicTransceivers, hosts);
        EXPECT_EQ(full.switchTransceivers, full.GetSwitches().ports);
        if (tiers < 3)
        {
            const auto more =
                CountNetwork("fat-tree", MakeInventorySpec(hosts + 1, 1), Shape::IDEAL);
            EXPECT_EQ(more.switches.size(), tiers + 1) << "one more needs a tier more";
        }
    }
    EXPECT_EQ(CountNetwork("fat-tree", MakeInventorySpec(65537, 1), Shape::IDEAL).error,
              "3 tiers of switches with a radix of 64 join 65536 NIC ports, not 65537");
    // As many tiers as are asked for, if they suffice.
    const auto three = CountNetwork("leaf-spine:3", MakeInventorySpec(512, 8), Shape::IDEAL);
    EXPECT_EQ(GetDevices(three.switches), (List{16, 16, 8}));
    EXPECT_EQ(three.GetSwitches().ports, 5U * 512);
    EXPECT_EQ(CountNetwork("fat-tree:2", MakeInventorySpec(4096, 8), Shape::IDEAL).error,
              "2 tiers of switches with a radix of 64 join 2048 NIC ports, not 4096");
    EXPECT_NE(CountNetwork("leaf-spine:1", MakeInventorySpec(64, 8), Shape::IDEAL).error, "");
}

TEST(NetworkInventory, WholeSwitchesAreCountedRailByRail)
{
    // 33 domains: two leaves on each of 8 rails, 264 ports up, 9 spines with room for 288.
    EXPECT_EQ(
        GetDevices(CountNetwork("leaf-spine:2", MakeInventorySpec(264, 8), Shape::IDEAL).switches),
        (List{16, 5}));
    EXPECT_EQ(
        GetDevices(CountNetwork("leaf-spine:3", MakeInventorySpec(264, 8), Shape::IDEAL).switches),
        (List{16, 9, 5}));
    EXPECT_EQ(
        GetDevices(CountNetwork("rail-only", MakeInventorySpec(264, 8), Shape::IDEAL).switches),
        (List{8}));
    EXPECT_EQ(
        GetDevices(CountNetwork("rail-only:2", MakeInventorySpec(264, 8), Shape::IDEAL).switches),
        (List{16, 8}));
    EXPECT_EQ(
        GetDevices(CountNetwork("fat-tree", MakeInventorySpec(264, 8), Shape::IDEAL).switches),
        (List{9, 5}));
    auto spec = MakeInventorySpec(264, 8);
    spec.switchPortsPerGpu = 2;
    EXPECT_EQ(GetDevices(CountNetwork("rail-only", spec, Shape::IDEAL).switches), (List{24, 16}));
    EXPECT_EQ(CountNetwork("rail-only", spec, Shape::IDEAL).nicTransceivers, 528U);
    spec.switchTransceivers = false;
    EXPECT_EQ(CountNetwork("rail-only", spec, Shape::IDEAL).GetTransceivers(), 528U);
}

TEST(NetworkInventory, IsWhatTheSimulatorBuilds)
{
    CompareAll(MakeInventorySpec(512, 8));
    CompareAll(MakeInventorySpec(1024, 8));
    CompareAll(MakeInventorySpec(4096, 8));
    std::mt19937 random(7);
    for (uint32_t round = 0; round < 150; ++round)
    {
        const uint32_t perDomain = 1 + random() % 9;
        auto spec =
            MakeInventorySpec(perDomain * (1 + random() % 60), perDomain, 4 + random() % 13);
        spec.switchPortsPerGpu = 1 + random() % 2;
        CompareAll(spec);
    }
}

TEST(NetworkInventory, CountsLightAsItIsCabled)
{
    // One OCS per rail: two ports a GPU.
    const auto one = CountNetwork("photonic", MakeInventorySpec(512, 8), Shape::IDEAL);
    EXPECT_EQ(GetDevices(one.ocs), (List{8}));
    EXPECT_EQ(one.GetOcs().ports, 1024U);
    EXPECT_EQ(one.GetTransceivers(), 512U);
    EXPECT_TRUE(one.switches.empty());
    EXPECT_EQ(CountNetwork("photonic:1", MakeInventorySpec(2304, 8), Shape::IDEAL).error, "");
    EXPECT_EQ(CountNetwork("photonic:1", MakeInventorySpec(2312, 8), Shape::IDEAL).error,
              "1 level of OCSes with a radix of 576 join 288 GPUs of a rail at 2 ports each, not "
              "289");
    // Levels as in BCube, built switch by switch.
    for (uint32_t side : {3U, 7U, 16U})
    {
        for (uint32_t levels = 1; levels <= 3; ++levels)
        {
            BcubePlan::Layout layout;
            layout.sizes.assign(levels, side);
            const BcubePlan plan(layout);
            auto spec = MakeInventorySpec(4 * plan.GetNGpus(), 4);
            spec.ocsRadix = 2 * side;
            const auto count = CountNetwork("photonic", spec, Shape::BUILT);
            ASSERT_EQ(count.ocs.size(), levels) << count.error;
            EXPECT_EQ(count.GetOcs().devices, 4U * plan.GetNSwitches());
            EXPECT_EQ(count.GetOcs().ports, uint64_t{spec.gpus} * 2 * levels);
            EXPECT_EQ(count.GetTransceivers(), uint64_t{spec.gpus} * levels);
            EXPECT_EQ(GetDevices(CountNetwork("photonic", spec, Shape::IDEAL).ocs),
                      GetDevices(count.ocs))
                << "full networks have no small switches";
        }
    }
    // 10 GPUs of a rail on two levels of 4: addresses 00 to 21, so 3 and 4 switches.
    auto spec = MakeInventorySpec(10, 1);
    spec.ocsRadix = 100;
    EXPECT_EQ(GetDevices(CountNetwork("photonic:2", spec, Shape::BUILT).ocs), (List{3, 4}));
    EXPECT_EQ(GetDevices(CountNetwork("photonic:2", spec, Shape::IDEAL).ocs), (List{1, 1}));
    spec.simplex = true;
    EXPECT_EQ(CountNetwork("photonic", spec, Shape::IDEAL).GetOcs().ports, 40U);
}

TEST(NetworkInventory, RefusesWhatIsNoNetwork)
{
    EXPECT_EQ(CountNetwork("photonic", MakeInventorySpec(12, 8), Shape::IDEAL).error,
              "12 GPUs are no whole scale-up domains of 8");
    auto spec = MakeInventorySpec(16, 8);
    spec.ocsRadix = 1;
    EXPECT_EQ(CountNetwork("photonic", spec, Shape::IDEAL).error,
              "a switch needs at least 2 ports, and an OCS those of a GPU, 2");
    EXPECT_EQ(CountNetwork("electrical", MakeInventorySpec(1024, 8), Shape::BUILT).error,
              "1024 GPUs get 2 tiers, not 1");
    EXPECT_EQ(CountNetwork("rail-only", MakeInventorySpec(64, 8), Shape::PUBLISHED).error,
              "the published counting knows fat-tree, leaf-spine and photonic only");
}

TEST(ScaleTable, IsTable3)
{
    const std::vector<uint64_t> gb200{576, 1152, 4608, 11520, 20736, 18432, 36288};
    const std::vector<uint64_t> h200{64, 128, 512, 1280, 2304, 2048, 4032};
    const std::vector<std::string>
        milliseconds{"0.00001", "0.007", "0.01", "15", "25", "100", "120000"};
    const CsvTable table = ScaleTable().GetCsv();
    ASSERT_EQ(table.GetRows().size(), 14U);
    for (std::size_t i = 0; i < 7; ++i)
    {
        const auto technology = ScaleTable::GetTechnologies().at(i);
        EXPECT_EQ(ScaleTable().GetGpus(*technology, 72), gb200[i]) << technology->GetName();
        EXPECT_EQ(ScaleTable().GetGpus(*technology, 8), h200[i]) << technology->GetName();
        EXPECT_EQ(table.GetRows()[i].at(table.Find("reconfiguration_ms")), milliseconds[i]);
        EXPECT_EQ(table.GetRows()[i].back(), std::to_string(gb200[i]));
        EXPECT_EQ(table.GetRows()[i + 7].back(), std::to_string(h200[i]));
    }
    // Every number stands in the table for people.
    std::ostringstream text;
    ScaleTable().WriteTable(text);
    for (std::size_t i = 0; i < 7; ++i)
    {
        EXPECT_NE(text.str().find(" " + std::to_string(gb200[i]) + " "), std::string::npos);
        EXPECT_NE(text.str().find(" " + std::to_string(h200[i]) + "\n"), std::string::npos);
    }
}

TEST(ScaleTable, KnowsOtherPortsAndLevels)
{
    const Variant<OcsTechnology> polatis("polatis");
    ScaleTable table;
    table.nicPorts = 4;
    EXPECT_EQ(table.GetGpus(*polatis, 8), 8U * 144);
    table.simplex = true;
    EXPECT_EQ(table.GetGpus(*polatis, 8), 8U * 72);
    table.nicPorts = 1;
    table.levels = 2;
    EXPECT_EQ(table.GetGpus(*polatis, 8), 8U * 288 * 288);
    // The sizes of the table are the last that can be counted.
    for (const auto& name : Variant<OcsTechnology>::GetNames())
    {
        const uint32_t radix = Variant<OcsTechnology>(name)->GetRadix();
        InventorySpec spec;
        spec.ocsRadix = radix;
        spec.gpus = 8 * radix / 2;
        EXPECT_EQ(CountNetwork("photonic:1", spec, Shape::BUILT).GetOcs().devices, 8U);
        EXPECT_EQ(CountNetwork("photonic:1", spec, Shape::BUILT).GetOcs().ports, 8U * radix);
        spec.gpus += 8;
        EXPECT_NE(CountNetwork("photonic:1", spec, Shape::BUILT).error, "");
    }
}
