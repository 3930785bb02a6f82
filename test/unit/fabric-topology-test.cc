// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Dimensions of fabrics: switches and links as the formulas say, the radix kept, oversubscription
 * and bisection as asked for, and one line for what cannot be built.
 */

#include "fabric-specs.h"

#include "ns3/fabric-clos.h"
#include "ns3/fabric-fat-tree.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace ns3
{
namespace
{

using test::MakeSpec;

constexpr uint64_t GIGABIT = 1000000000;

/// @return switches of each tier
std::map<uint32_t, uint32_t>
CountTiers(const FabricTopology& topology)
{
    std::map<uint32_t, uint32_t> tiers;
    for (const auto& one : topology.switches)
    {
        ++tiers[one.tier];
    }
    return tiers;
}

/// Bandwidth of a switch in Gbit/s.
struct Bandwidth
{
    uint64_t down{0};
    uint64_t up{0};
};

std::vector<Bandwidth>
GetBandwidths(const FabricTopology& topology)
{
    std::vector<Bandwidth> bandwidths(topology.switches.size());
    for (const auto& link : topology.links)
    {
        const uint64_t rate = link.rate.GetBitRate() / GIGABIT;
        bandwidths[link.upper - topology.hosts.size()].down += rate;
        if (topology.IsSwitch(link.lower))
        {
            bandwidths[link.lower - topology.hosts.size()].up += rate;
        }
    }
    return bandwidths;
}

/// @return the most that one set of hosts can send to the others at a time, in Gbit/s
uint64_t
GetCapacityBetween(const FabricTopology& topology, const std::set<uint32_t>& senders)
{
    using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
    using Graph = boost::adjacency_list<
        boost::vecS,
        boost::vecS,
        boost::directedS,
        boost::no_property,
        boost::property<
            boost::edge_capacity_t,
            long,
            boost::property<boost::edge_residual_capacity_t,
                            long,
                            boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;
    Graph graph(topology.GetNEnds() + 2);
    auto capacity = boost::get(boost::edge_capacity, graph);
    auto reverse = boost::get(boost::edge_reverse, graph);
    const auto add = [&](uint32_t from, uint32_t to, long most) {
        const auto edge = boost::add_edge(from, to, graph).first;
        const auto other = boost::add_edge(to, from, graph).first;
        capacity[edge] = most;
        capacity[other] = 0;
        reverse[edge] = other;
        reverse[other] = edge;
    };
    const uint32_t source = topology.GetNEnds();
    for (const auto& link : topology.links)
    {
        const auto rate = static_cast<long>(link.rate.GetBitRate() / GIGABIT);
        add(link.lower, link.upper, rate);
        add(link.upper, link.lower, rate);
    }
    constexpr long unlimited = 1L << 40;
    for (uint32_t host = 0; host < topology.hosts.size(); ++host)
    {
        senders.count(host) ? add(source, host, unlimited) : add(host, source + 1, unlimited);
    }
    return boost::push_relabel_max_flow(graph, source, source + 1);
}

/// @return the first half of the hosts
std::set<uint32_t>
FirstHalf(const FabricTopology& topology)
{
    std::set<uint32_t> half;
    for (uint32_t host = 0; host < topology.hosts.size() / 2; ++host)
    {
        half.insert(host);
    }
    return half;
}

/// Check what holds for every topology.
void
CheckSound(const FabricTopology& topology, const FabricSpec& spec)
{
    ASSERT_EQ(topology.hosts.size(), spec.GetHosts());
    std::vector<uint32_t> used(topology.GetNEnds(), 0);
    for (const auto& link : topology.links)
    {
        ++used[link.lower];
        ++used[link.upper];
        ASSERT_TRUE(topology.IsSwitch(link.upper));
        const bool isHost = !topology.IsSwitch(link.lower);
        ASSERT_EQ(link.rate, isHost ? spec.portRate : spec.GetFabricRate());
        const uint32_t tier = topology.switches[link.upper - topology.hosts.size()].tier;
        ASSERT_EQ(link.delay,
                  tier == 1   ? spec.hostDelay
                  : tier == 2 ? spec.spineDelay
                              : spec.coreDelay);
    }
    std::set<std::pair<uint32_t, uint32_t>> attached;
    for (uint32_t host = 0; host < topology.hosts.size(); ++host)
    {
        ASSERT_EQ(used[host], 1) << "links of a host";
        attached.insert({topology.hosts[host].gpu, topology.hosts[host].port});
    }
    ASSERT_EQ(attached.size(), spec.GetHosts()) << "every port of every NIC, once";
    std::set<std::string> names;
    const auto bandwidths = GetBandwidths(topology);
    for (uint32_t i = 0; i < topology.switches.size(); ++i)
    {
        const auto& one = topology.switches[i];
        ASSERT_EQ(one.ports, used[topology.GetEnd(i)]) << one.name;
        ASSERT_LE(one.ports, spec.radix) << one.name;
        names.insert(one.name);
        if (one.tier == 1 && bandwidths[i].up > 0)
        {
            ASSERT_LE(bandwidths[i].down * spec.up, bandwidths[i].up * spec.down) << one.name;
        }
        else if (bandwidths[i].up > 0)
        {
            ASSERT_LE(bandwidths[i].down, bandwidths[i].up) << one.name;
        }
    }
    ASSERT_EQ(names.size(), topology.switches.size()) << "names are unique";
}

/// @return the number at the end of the name of an end, a switch
uint32_t
GetNumber(const FabricTopology& topology, uint32_t end)
{
    const std::string& name = topology.switches[end - topology.hosts.size()].name;
    return static_cast<uint32_t>(std::stoul(name.substr(name.rfind(' '))));
}

/// Check that every core joins the switches of one number in all pods, by as many links each.
void
CheckPlanes(const FabricTopology& topology, uint32_t coresPerPlane, uint32_t pods, uint32_t links)
{
    std::map<uint32_t, std::map<uint32_t, uint32_t>> joined;
    for (const auto& link : topology.links)
    {
        if (topology.switches[link.upper - topology.hosts.size()].tier == 3)
        {
            EXPECT_EQ(GetNumber(topology, link.lower),
                      GetNumber(topology, link.upper) / coresPerPlane);
            ++joined[link.upper][link.lower];
        }
    }
    EXPECT_EQ(joined.size(), CountTiers(topology)[3]);
    for (const auto& [core, peers] : joined)
    {
        EXPECT_EQ(peers.size(), pods) << core;
        EXPECT_EQ(peers.begin()->second, links) << core;
    }
}

TEST(FabricTopology, FullFatTreeHasTheSwitchesOfThePaper)
{
    for (const uint32_t k : {4, 6, 8, 10, 16})
    {
        const auto spec = MakeSpec(k * k * k / 4, 1, 1, 64);
        const auto plan = test::MakePlan("fat-tree", spec, "Arity", k);
        ASSERT_EQ(plan.error, "");
        CheckSound(plan.topology, spec);
        const std::map<uint32_t, uint32_t> tiers{{1, k * k / 2}, {2, k * k / 2}, {3, k * k / 4}};
        EXPECT_EQ(CountTiers(plan.topology), tiers);
        EXPECT_EQ(plan.topology.links.size(), 3 * k * k * k / 4);
        CheckPlanes(plan.topology, k / 2, k, 1);
        EXPECT_EQ(GetCapacityBetween(plan.topology, FirstHalf(plan.topology)),
                  uint64_t{400} * k * k * k / 8)
            << "full bisection";
    }
}

TEST(FabricTopology, FatTreeWithoutAnArityHasAsFewTiersAndSwitchesAsSuffice)
{
    struct Case
    {
        uint32_t domains;
        uint32_t gpus;
        uint32_t ports;
        uint32_t radix;
        std::map<uint32_t, uint32_t> tiers;
    };

    // A full network of switches with k ports has k, k^2 / 2 and k^3 / 4 hosts on 1, 2 and 3 tiers.
    for (const auto& c : std::vector<Case>{
             {8, 8, 1, 64, {{1, 1}}},
             {9, 8, 1, 64, {{1, 3}, {2, 2}}},  // 32 + 32 + 8 hosts, 16 uplinks of a leaf to each
                                               // spine
             {16, 8, 1, 64, {{1, 4}, {2, 2}}}, // 32 hosts and uplinks a leaf, 16 to each spine
             {32, 8, 8, 64, {{1, 64}, {2, 32}}},
             {256, 8, 1, 64, {{1, 64}, {2, 32}}},
             {2, 72, 1, 64, {{1, 5}, {2, 3}}}, // 30 hosts a leaf, 10 uplinks to each spine
             {32, 4, 1, 8, {{1, 32}, {2, 32}, {3, 16}}},
         })
    {
        auto spec = MakeSpec(c.domains, c.gpus, c.ports, c.radix);
        const auto plan = test::MakePlan("fat-tree", spec);
        ASSERT_EQ(plan.error, "");
        CheckSound(plan.topology, spec);
        EXPECT_EQ(CountTiers(plan.topology), c.tiers) << c.domains << " domains of " << c.gpus;
        EXPECT_EQ(GetCapacityBetween(plan.topology, FirstHalf(plan.topology)),
                  uint64_t{400} * spec.GetHosts() / 2)
            << "full bisection";
    }
}

TEST(FabricTopology, OversubscriptionIsWhatWasAskedFor)
{
    // 8 leaves of 16 hosts on 8 uplinks; the same of edge switches with k = 12, 8 : 4 and 6 pods.
    auto spec = MakeSpec(32, 4, 1, 24);
    spec.down = 2;
    auto plan = test::MakePlan("leaf-spine", spec);
    ASSERT_EQ(plan.error, "");
    CheckSound(plan.topology, spec);
    EXPECT_EQ(CountTiers(plan.topology), (std::map<uint32_t, uint32_t>{{1, 8}, {2, 4}}));
    EXPECT_EQ(GetCapacityBetween(plan.topology, FirstHalf(plan.topology)), 400 * 64 / 2);

    spec = MakeSpec(6 * 6 * 8, 1, 1, 24);
    spec.down = 2;
    plan = test::MakePlan("fat-tree", spec, "Arity", 12);
    ASSERT_EQ(plan.error, "");
    CheckSound(plan.topology, spec);
    EXPECT_EQ(GetCapacityBetween(plan.topology, FirstHalf(plan.topology)), 400 * 144 / 2);

    // Uplinks of twice the rate: 16 down and 8 up is 1:1.
    spec = MakeSpec(32, 4, 1, 24);
    spec.fabricRate = DataRate("800Gbps");
    plan = test::MakePlan("leaf-spine", spec);
    ASSERT_EQ(plan.error, "");
    CheckSound(plan.topology, spec);
    EXPECT_EQ(ClosShape::Find(spec, 4).uplinks, 8);
    EXPECT_EQ(GetCapacityBetween(plan.topology, FirstHalf(plan.topology)), 400 * 64);
}

TEST(FabricTopology, ThreeTiersKeepFullBisection)
{
    const auto spec = MakeSpec(16, 4, 1, 8);
    const auto plan = test::MakePlan("leaf-spine", spec);
    ASSERT_EQ(plan.error, "");
    CheckSound(plan.topology, spec);
    // 16 leaves of 4; 4 pods, each 4 leaves and 4 spines; 4 planes of 2 cores with 4 x 2 ports.
    const std::map<uint32_t, uint32_t> tiers{{1, 16}, {2, 16}, {3, 8}};
    EXPECT_EQ(CountTiers(plan.topology), tiers);
    CheckPlanes(plan.topology, 2, 4, 2);
    EXPECT_EQ(GetCapacityBetween(plan.topology, FirstHalf(plan.topology)), 400 * 32);
}

TEST(FabricTopology, UplinksAreSpreadOverAsManySpinesAsAskedFor)
{
    auto spec = MakeSpec(64, 1, 2, 64); // 4 leaves of 16 GPUs with 32 uplinks
    for (const auto& [spines, tiers] :
         std::map<uint32_t, std::map<uint32_t, uint32_t>>{{0, {{1, 4}, {2, 2}}},
                                                          {2, {{1, 4}, {2, 2}}},
                                                          {8, {{1, 4}, {2, 8}}},
                                                          {32, {{1, 4}, {2, 32}}}})
    {
        const auto plan = test::MakePlan("leaf-spine", spec, "Spines", spines);
        ASSERT_EQ(plan.error, "") << spines;
        CheckSound(plan.topology, spec);
        EXPECT_EQ(CountTiers(plan.topology), tiers) << spines;
        EXPECT_EQ(GetCapacityBetween(plan.topology, FirstHalf(plan.topology)), 400 * 64) << spines;
    }
    EXPECT_EQ(test::MakePlan("leaf-spine", spec, "Spines", 1).error,
              "the 32 uplinks of a leaf cannot be spread evenly over 1 spines with at most 16 "
              "links to each; allowed for instance: 2 spines");
    for (const uint32_t spines : {3, 64})
    {
        EXPECT_NE(test::MakePlan("leaf-spine", spec, "Spines", spines).error, "") << spines;
    }
    spec = MakeSpec(16, 4, 1, 8); // 4 pods of 4 leaves with 4 uplinks
    EXPECT_EQ(test::MakePlan("leaf-spine", spec, "Spines", 4).error, "");
    EXPECT_NE(test::MakePlan("leaf-spine", spec, "Spines", 2).error, "")
        << "a spine has 4 ports down, not 8";
}

TEST(FabricTopology, LeavesBelongToOneRailAndHoldWholeNics)
{
    const auto spec = MakeSpec(13, 3, 2, 16);
    for (const auto& plan : {test::MakePlan("leaf-spine", spec), test::MakePlan("rail-only", spec)})
    {
        ASSERT_EQ(plan.error, "");
        const auto& topology = plan.topology;
        std::map<uint32_t, uint32_t> railOf;
        std::map<uint32_t, uint32_t> leafOf;
        for (const auto& link : topology.links)
        {
            if (!topology.IsSwitch(link.lower))
            {
                const uint32_t gpu = topology.hosts[link.lower].gpu;
                EXPECT_EQ(railOf.emplace(link.upper, gpu % 3).first->second, gpu % 3);
                EXPECT_EQ(leafOf.emplace(gpu, link.upper).first->second, link.upper);
            }
        }
        EXPECT_EQ(leafOf.size(), 39);
    }
}

TEST(FabricTopology, WhateverCanBeBuiltIsSound)
{
    std::mt19937 random(7);
    const auto pick = [&random](uint32_t least, uint32_t most) {
        return std::uniform_int_distribution<uint32_t>(least, most)(random);
    };
    uint32_t built = 0;
    std::map<uint32_t, uint32_t> tiersSeen;
    for (uint32_t i = 0; i < 800; ++i)
    {
        const uint32_t ports[] = {1, 2, 4};
        auto spec = MakeSpec(pick(1, 60), pick(1, 9), ports[pick(0, 2)], pick(1, 40));
        spec.down = pick(1, 4);
        spec.up = pick(1, 3);
        spec.hostDelay = NanoSeconds(1);
        spec.spineDelay = NanoSeconds(2);
        spec.coreDelay = NanoSeconds(3);
        if (pick(0, 2) == 0)
        {
            spec.fabricRate = DataRate("800Gbps");
        }
        for (const auto& plan : {test::MakePlan("electrical", spec),
                                 test::MakePlan("leaf-spine", spec),
                                 test::MakePlan("rail-only", spec),
                                 test::MakePlan("fat-tree", spec)})
        {
            if (plan.error.empty())
            {
                ++built;
                ++tiersSeen[static_cast<uint32_t>(CountTiers(plan.topology).size())];
                CheckSound(plan.topology, spec);
                ASSERT_FALSE(HasFatalFailure()) << "case " << i;
            }
            else
            {
                ASSERT_EQ(plan.error.find('\n'), std::string::npos);
                ASSERT_TRUE(plan.topology.hosts.empty());
            }
        }
    }
    EXPECT_GT(built, 1200);
    EXPECT_GT(tiersSeen[1], 200);
    EXPECT_GT(tiersSeen[2], 200);
    EXPECT_GT(tiersSeen[3], 200);
}

TEST(FabricTopology, ErrorsNameTheNumbers)
{
    auto spec = MakeSpec(33, 4, 2, 64);
    EXPECT_EQ(test::MakePlan("electrical", spec).error,
              "a rail of 33 GPUs with 2 ports each needs 66 ports of a switch, but its radix is "
              "64");
    spec = MakeSpec(100, 4, 4, 6);
    EXPECT_EQ(test::MakePlan("leaf-spine", spec).error,
              "a leaf with a radix of 6 has 3 ports for hosts at 1 ports down to 1 up, but a NIC "
              "needs 4; allowed for instance: a radix of 32");
    spec = MakeSpec(100, 4, 1, 4);
    EXPECT_EQ(test::MakePlan("leaf-spine", spec).error,
              "200 leaves make 100 pods, which outgrows three tiers of switches with a radix of 4"
              "; allowed for instance: a radix of 16");
    spec = MakeSpec(129, 1, 1, 8);
    EXPECT_EQ(test::MakePlan("fat-tree", spec).error,
              "33 leaves make 9 pods, which outgrows three tiers of switches with a radix of 8; "
              "allowed for instance: a radix of 16");
    spec.radix = 64;
    EXPECT_EQ(test::MakePlan("fat-tree", spec, "Arity", 8).error,
              "a fat-tree with k = 8 has room for 128 NIC ports at 1:1, not for 129; allowed: k "
              "from 10 to 64");
    EXPECT_EQ(test::MakePlan("fat-tree", spec, "Arity", 10).error, "");
    EXPECT_EQ(test::MakePlan("fat-tree", spec, "Arity", 7).error,
              "the k of a fat-tree is even and at most the radix, 64, not 7; allowed: k from 10 to "
              "64");
    EXPECT_NE(test::MakePlan("fat-tree", spec, "Arity", 66).error, "");
    spec.radix = 1;
    EXPECT_EQ(test::MakePlan("fat-tree", spec).error,
              "a leaf with a radix of 1 has 0 ports for hosts at 1 ports down to 1 up, but a NIC "
              "needs 1; allowed for instance: a radix of 16");
    spec.radix = 16;
    EXPECT_EQ(test::MakePlan("fat-tree", spec).error, "");
    spec = MakeSpec(4, 4, 1, 64);
    spec.up = 0;
    EXPECT_EQ(test::MakePlan("rail-only", spec).error,
              "an oversubscription of 1:0 is none: both numbers must be from 1 to 1000");
    spec.up = 1;
    spec.portRate = DataRate(0);
    EXPECT_NE(test::MakePlan("fat-tree", spec).error, "");
    spec = MakeSpec(1 << 22, 8, 1, 64);
    EXPECT_EQ(test::MakePlan("fat-tree", spec).error,
              "33554432 NIC ports need more addresses than 10.0.0.0/8 has");
    EXPECT_NE(test::MakePlan("electrical", MakeSpec(0, 4, 1, 64)).error, "");
}

} // namespace
} // namespace ns3
