// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Follows the routing tables between all pairs of hosts by all choices, and compares reachability,
 * number of paths and their length with the formulas of each topology.
 */

#include "fabric-specs.h"
#include "fabric-walk.h"

#include "ns3/fabric-clos.h"
#include "ns3/fabric-fat-tree.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace ns3
{
namespace
{

using test::MakeSpec;

/// What a formula says of a pair.
struct Expected
{
    uint64_t paths;
    uint32_t switches;
};

/// Compare all pairs with a formula of their host numbers.
void
CheckAllPairs(const FabricTopology& topology,
              const std::function<Expected(uint32_t, uint32_t)>& formula)
{
    const FabricRouting routing(topology);
    const auto count = static_cast<uint32_t>(topology.hosts.size());
    for (uint32_t to = 0; to < count; ++to)
    {
        test::FabricWalk walk(topology, routing, to);
        for (uint32_t from = 0; from < count; ++from)
        {
            const auto ways = walk.From(from);
            const auto expected = formula(from, to);
            ASSERT_TRUE(ways.sound) << from << " to " << to;
            ASSERT_EQ(ways.paths, expected.paths) << from << " to " << to;
            ASSERT_EQ(ways.switches, expected.switches) << from << " to " << to;
        }
    }
}

/// @return entries of all switches
uint64_t
CountEntries(const FabricTopology& topology, const FabricRouting& routing)
{
    uint64_t entries = 0;
    for (uint32_t i = 0; i < topology.switches.size(); ++i)
    {
        entries += routing.GetTable(i).size();
    }
    return entries;
}

TEST(FabricRouting, FatTreesHaveThePathsOfTheFormula)
{
    struct Case
    {
        uint32_t k;
        uint32_t hosts;
        uint32_t down;
        uint32_t hostsPerEdge;
        uint32_t uplinks;
    };

    for (const auto& c : std::vector<Case>{{4, 16, 1, 2, 2},
                                           {6, 54, 1, 3, 3},
                                           {8, 128, 1, 4, 4},
                                           {8, 128, 2, 4, 2},
                                           {8, 97, 1, 4, 4},
                                           {8, 17, 1, 4, 4},
                                           {8, 16, 1, 4, 4},
                                           {8, 3, 1, 4, 4},
                                           {12, 300, 3, 9, 3},
                                           {2, 2, 1, 1, 1}})
    {
        SCOPED_TRACE("k = " + std::to_string(c.k) + ", " + std::to_string(c.hosts) + " hosts");
        auto spec = MakeSpec(c.hosts, 1, 1, 64);
        spec.down = c.down;
        const auto plan = test::MakePlan("fat-tree", spec, "Arity", c.k);
        ASSERT_EQ(plan.error, "");
        CheckAllPairs(plan.topology, [&c](uint32_t a, uint32_t b) -> Expected {
            const uint32_t edgeA = a / c.hostsPerEdge;
            const uint32_t edgeB = b / c.hostsPerEdge;
            if (edgeA == edgeB)
            {
                return {1, 1};
            }
            const uint32_t half = c.k / 2;
            return edgeA / half == edgeB / half ? Expected{c.uplinks, 3}
                                                : Expected{uint64_t{c.uplinks} * half, 5};
        });
    }
}

TEST(FabricRouting, LeafSpinesHaveThePathsOfTheFormula)
{
    struct Case
    {
        uint32_t domains;
        uint32_t gpus;
        uint32_t ports;
        uint32_t radix;
        uint32_t down;
        uint32_t tiers;
    };

    for (const auto& c : std::vector<Case>{{16, 4, 1, 16, 1, 2},
                                           {16, 4, 1, 12, 2, 2},
                                           {13, 3, 2, 16, 1, 2},
                                           {8, 2, 4, 64, 1, 2},
                                           {9, 1, 1, 4, 1, 3},
                                           {16, 4, 1, 8, 1, 3},
                                           {24, 4, 1, 9, 2, 3},
                                           {21, 3, 2, 12, 1, 3},
                                           {10, 6, 1, 8, 1, 3},
                                           {6, 1, 2, 64, 1, 1}})
    {
        SCOPED_TRACE(std::to_string(c.domains) + " domains, radix " + std::to_string(c.radix));
        auto spec = MakeSpec(c.domains, c.gpus, c.ports, c.radix);
        spec.down = c.down;
        const auto shape = ClosShape::Find(spec, c.gpus);
        ASSERT_EQ(shape.error, "");
        ASSERT_EQ(shape.tiers, c.tiers);
        const auto plan = test::MakePlan("leaf-spine", spec);
        ASSERT_EQ(plan.error, "");
        const auto& hosts = plan.topology.hosts;
        ASSERT_EQ(hosts.size(), spec.GetHosts());
        const auto leafOf = [&](uint32_t host) {
            const uint32_t gpu = hosts[host].gpu;
            return gpu / c.gpus / shape.gpusPerLeaf * c.gpus + gpu % c.gpus;
        };
        CheckAllPairs(plan.topology, [&](uint32_t a, uint32_t b) -> Expected {
            const uint32_t leafA = leafOf(a);
            const uint32_t leafB = leafOf(b);
            if (leafA == leafB)
            {
                return {1, 1};
            }
            const uint64_t u = shape.uplinks;
            const uint64_t p = shape.spineLinks;
            if (c.tiers == 2 || leafA / shape.leavesPerPod == leafB / shape.leavesPerPod)
            {
                return {u / p * p * p, 3};
            }
            return {u * p * shape.leavesPerPod * shape.coreLinks * p, 5};
        });
    }
}

TEST(FabricRouting, RailsAreConnectedAndNothingElse)
{
    for (const uint32_t radix : {64, 16, 8})
    {
        SCOPED_TRACE("radix " + std::to_string(radix));
        const auto spec = MakeSpec(12, 4, 2, radix);
        for (const bool clos : {true, false})
        {
            const auto plan =
                clos ? test::MakePlan("rail-only", spec) : test::MakePlan("electrical", spec);
            if (!clos && radix < 24)
            {
                EXPECT_NE(plan.error, "");
                continue;
            }
            ASSERT_EQ(plan.error, "");
            const auto shape = ClosShape::Find(spec, 1);
            const uint32_t u = shape.uplinks;
            const uint32_t p = shape.spineLinks;
            const auto& hosts = plan.topology.hosts;
            CheckAllPairs(plan.topology, [&](uint32_t a, uint32_t b) -> Expected {
                if (hosts[a].gpu % 4 != hosts[b].gpu % 4)
                {
                    return {0, 0};
                }
                const bool sameLeaf =
                    hosts[a].gpu / 4 / shape.gpusPerLeaf == hosts[b].gpu / 4 / shape.gpusPerLeaf;
                return sameLeaf ? Expected{1, 1} : Expected{uint64_t{u} * p, 3};
            });
            EXPECT_EQ(shape.tiers, radix == 64 ? 1 : 2);
        }
    }
}

TEST(FabricRouting, WhateverCanBeBuiltIsConnectedAsItShouldBe)
{
    std::mt19937 random(5);
    const auto pick = [&random](uint32_t least, uint32_t most) {
        return std::uniform_int_distribution<uint32_t>(least, most)(random);
    };
    uint32_t built = 0;
    for (uint32_t i = 0; i < 200; ++i)
    {
        auto spec = MakeSpec(pick(1, 20), pick(1, 4), pick(1, 2), pick(2, 16));
        spec.down = pick(1, 3);
        for (const bool joined : {true, false})
        {
            for (const auto& plan :
                 {joined ? test::MakePlan("leaf-spine", spec) : test::MakePlan("rail-only", spec),
                  joined ? test::MakePlan("fat-tree", spec) : test::MakePlan("electrical", spec)})
            {
                const auto& topology = plan.topology;
                const FabricRouting routing(topology);
                built += plan.error.empty() ? 1 : 0;
                for (uint32_t to = 0; to < topology.hosts.size(); ++to)
                {
                    test::FabricWalk walk(topology, routing, to);
                    for (uint32_t from = 0; from < topology.hosts.size(); ++from)
                    {
                        const uint32_t rails = spec.gpusPerDomain;
                        const bool due = joined || topology.hosts[from].gpu % rails ==
                                                       topology.hosts[to].gpu % rails;
                        const auto ways = walk.From(from);
                        ASSERT_TRUE(ways.sound) << "case " << i << ", " << from << " to " << to;
                        ASSERT_EQ(ways.paths > 0, due) << "case " << i;
                        ASSERT_LE(ways.switches, 5) << "case " << i;
                    }
                }
            }
        }
    }
    EXPECT_GT(built, 400);
}

TEST(FabricRouting, TablesAreSmallAndQuicklyMade)
{
    // Three tiers for 2048 hosts: entries for the own hosts, for leaves of a pod or for pods, and
    // at most two more.
    auto spec = MakeSpec(256, 8, 1, 32);
    auto plan = test::MakePlan("leaf-spine", spec);
    ASSERT_EQ(plan.error, "");
    const auto shape = ClosShape::Find(spec, 8);
    ASSERT_EQ(shape.tiers, 3);
    const FabricRouting closRouting(plan.topology);
    const uint64_t leaves = shape.GetLeaves();
    const uint64_t spines = uint64_t{shape.pods} * shape.spinesPerPod;
    const uint64_t cores = uint64_t{shape.spinesPerPod} * shape.coresPerPlane;
    EXPECT_LE(CountEntries(plan.topology, closRouting),
              2048 + 2 * leaves + spines * (shape.leavesPerPod + 2) + cores * shape.pods);

    spec = MakeSpec(256, 8, 1, 64);
    constexpr uint32_t arity = 22; // 20^3 / 4 = 2000 is too few
    plan = test::MakePlan("fat-tree", spec, "Arity", arity);
    ASSERT_EQ(plan.error, "");
    const auto tree = FatTreeShape::Find(spec, arity);
    const FabricRouting treeRouting(plan.topology);
    const uint64_t half = tree.arity / 2;
    EXPECT_LE(CountEntries(plan.topology, treeRouting),
              2048 + 2 * tree.edges + tree.pods * half * (half + 2) + half * half * tree.pods);
}

TEST(FabricRouting, AnyGraphIsRoutedByShortestPaths)
{
    // A triangle of switches with a fourth behind it by two ways, one of them longer.
    FabricTopology topology;
    const DataRate rate("1Gbps");
    for (uint32_t host = 0; host < 4; ++host)
    {
        topology.AddHost(host, 0);
        topology.AddSwitch(1, "s" + std::to_string(host));
    }
    topology.AddSwitch(1, "alone");
    for (uint32_t host = 0; host < 4; ++host)
    {
        topology.Join(host, topology.GetEnd(3 - host), 1, rate, Time(0));
    }
    const auto join = [&](uint32_t a, uint32_t b, uint32_t count) {
        topology.Join(topology.GetEnd(a), topology.GetEnd(b), count, rate, Time(0));
    };
    join(0, 1, 1);
    join(1, 2, 1);
    join(0, 2, 1);
    join(2, 3, 2);
    const FabricRouting routing(topology);
    // Host 0 is on switch 3.
    EXPECT_EQ(routing.GetFirstSwitch(0), 3);
    ASSERT_NE(routing.Find(0, 0), nullptr);
    EXPECT_EQ(routing.Find(0, 0)->ports, (std::vector<uint32_t>{2}));
    EXPECT_EQ(routing.Find(1, 0)->ports, (std::vector<uint32_t>{2}));
    EXPECT_EQ(routing.Find(2, 0)->ports, (std::vector<uint32_t>{3, 4}));
    EXPECT_EQ(routing.Find(3, 0)->ports, (std::vector<uint32_t>{0}));
    EXPECT_EQ(routing.Find(4, 0), nullptr);
    // Seen from switch 3, all others are behind the same two ports: one entry.
    EXPECT_EQ(routing.GetTable(3).size(), 2);
}

TEST(FabricRouting, TheLongestWayHasTheMostDelayOfShortestPaths)
{
    // A chain of three switches; between the first two a slow link beside a fast one, and a detour.
    FabricTopology topology;
    const DataRate rate("1Gbps");
    for (uint32_t host = 0; host < 3; ++host)
    {
        topology.AddHost(host, 0);
    }
    for (const char* name : {"a", "b", "c", "detour"})
    {
        topology.AddSwitch(1, name);
    }
    const auto join = [&](uint32_t a, uint32_t b, Time delay) {
        topology.Join(topology.GetEnd(a), topology.GetEnd(b), 1, rate, delay);
    };
    topology.Join(0, topology.GetEnd(0), 1, rate, NanoSeconds(1));
    topology.Join(1, topology.GetEnd(0), 1, rate, NanoSeconds(10));
    topology.Join(2, topology.GetEnd(2), 1, rate, NanoSeconds(100));
    join(0, 1, NanoSeconds(1000));
    join(0, 1, MicroSeconds(10));
    join(1, 2, MicroSeconds(100));
    join(0, 3, Seconds(1));
    join(3, 1, Seconds(1));
    // Host 1, a, the slow link, b, c, host 2: not the detour, which has a switch more.
    EXPECT_EQ(FabricRouting(topology).GetRoundTrip(NanoSeconds(3)),
              2 * (NanoSeconds(10 + 10'000 + 100'000 + 100) + 3 * NanoSeconds(3)));
}

/// @return the hosts that a host reaches over links that are up, by a search of its own
std::set<uint32_t>
SearchHosts(const FabricTopology& topology, const std::set<uint32_t>& down, uint32_t from)
{
    std::set<uint32_t> found{from};
    for (std::size_t before = 0; before < found.size();)
    {
        before = found.size();
        for (uint32_t i = 0; i < topology.links.size(); ++i)
        {
            const auto& link = topology.links[i];
            if (down.count(i) == 0 && found.count(link.lower) + found.count(link.upper) == 1)
            {
                found.insert({link.lower, link.upper});
            }
        }
    }
    found.erase(found.lower_bound(topology.GetEnd(0)), found.end());
    return found;
}

TEST(FabricRouting, LinksThatAreDownAreNoPartOfPaths)
{
    std::mt19937 random(3);
    uint32_t cut = 0;
    for (uint32_t round = 0; round < 60; ++round)
    {
        const FabricSpec spec = MakeSpec(8, 2, 1, 4);
        const auto plan = test::MakePlan(round % 2 ? "leaf-spine" : "fat-tree", spec);
        ASSERT_EQ(plan.error, "");
        const FabricTopology& topology = plan.topology;
        std::set<uint32_t> down;
        for (uint32_t i = 0; i < topology.links.size(); ++i)
        {
            const bool isBroken = random() % (2 + round % 8) == 0;
            if (isBroken && topology.IsSwitch(topology.links[i].lower))
            {
                down.insert(i);
            }
        }
        const FabricRouting routing(topology, down);
        for (uint32_t host = 0; host < topology.hosts.size(); ++host)
        {
            const auto reached = SearchHosts(topology, down, host);
            test::FabricWalk walk(topology, routing, host);
            for (uint32_t other = 0; other < topology.hosts.size(); ++other)
            {
                const auto ways = walk.From(other);
                EXPECT_TRUE(ways.sound) << round;
                EXPECT_EQ(ways.paths > 0, reached.count(other) > 0) << round;
                cut += reached.count(other) == 0 ? 1 : 0;
            }
            for (uint32_t number = 0; number < topology.switches.size(); ++number)
            {
                const auto* entry = routing.Find(number, host);
                for (std::size_t i = 0; entry && i < entry->ports.size(); ++i)
                {
                    const auto& port = routing.GetPorts(number).at(entry->ports[i]);
                    EXPECT_EQ(down.count(port.link), 0u) << round;
                }
            }
        }
    }
    EXPECT_GT(cut, 1000u) << "hosts were seldom cut off";
}

} // namespace
} // namespace ns3
