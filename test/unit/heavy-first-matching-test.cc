// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/matching-schedule.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/maximum_weighted_matching.hpp>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace ns3
{
namespace
{

std::vector<PairDemand>
MakeDemands(uint32_t n, std::size_t most, std::mt19937& random)
{
    std::vector<PairDemand> demands;
    const uint64_t range = random() % 2 == 0 ? 5 : 1000000;
    for (uint32_t a = 0; a < n; ++a)
    {
        for (uint32_t b = a + 1; b < n; ++b)
        {
            if (random() % 3 > 0)
            {
                demands.push_back({{a, b}, 1 + random() % range});
            }
        }
    }
    std::shuffle(demands.begin(), demands.end(), random);
    demands.resize(std::min(demands.size(), most));
    return demands;
}

/// @return the bytes of the different pairs that have a circuit
uint64_t
GetWeight(const std::vector<PairDemand>& demands, const MatchingSchedule& matchings)
{
    std::set<MemberPair> joined;
    for (const Matching& matching : matchings)
    {
        std::set<uint32_t> taken;
        for (const auto& [a, b] : matching)
        {
            EXPECT_LT(a, b);
            EXPECT_TRUE(taken.insert(a).second && taken.insert(b).second) << "not a matching";
        }
        joined.insert(matching.begin(), matching.end());
    }
    uint64_t weight = 0;
    for (const PairDemand& demand : SumDemands(demands))
    {
        weight += joined.count(demand.pair) > 0 ? demand.bytes : 0;
    }
    return weight;
}

/// @return the weight of the best matching, from a search through all of them
uint64_t
GetBestMatching(uint32_t n, const std::vector<PairDemand>& demands)
{
    using Graph = boost::adjacency_list<boost::vecS,
                                        boost::vecS,
                                        boost::undirectedS,
                                        boost::no_property,
                                        boost::property<boost::edge_weight_t, int64_t>>;
    Graph graph(n);
    for (const PairDemand& demand : demands)
    {
        boost::add_edge(demand.pair.a, demand.pair.b, static_cast<int64_t>(demand.bytes), graph);
    }
    std::vector<boost::graph_traits<Graph>::vertex_descriptor> mates(n);
    boost::brute_force_maximum_weighted_matching(graph, mates.data());
    return static_cast<uint64_t>(boost::matching_weight_sum(graph, mates.data()));
}

/// @return the largest weight of different pairs of which no member has more than the ports
uint64_t
GetBestWithPorts(uint32_t n, const std::vector<PairDemand>& demands, uint32_t ports)
{
    uint64_t best = 0;
    for (uint32_t subset = 0; subset < 1U << demands.size(); ++subset)
    {
        std::vector<uint32_t> degrees(n, 0);
        uint64_t weight = 0;
        bool isPossible = true;
        for (std::size_t i = 0; i < demands.size() && isPossible; ++i)
        {
            if (subset & (1U << i))
            {
                weight += demands[i].bytes;
                isPossible =
                    ++degrees[demands[i].pair.a] <= ports && ++degrees[demands[i].pair.b] <= ports;
            }
        }
        best = isPossible ? std::max(best, weight) : best;
    }
    return best;
}

TEST(HeavyFirstMatching, OnePortIsAtLeastHalfOfTheBest)
{
    uint32_t best = 0;
    for (uint32_t seed = 1; seed <= 2000; ++seed)
    {
        std::mt19937 random(seed);
        const uint32_t n = 2 + random() % 8;
        const auto demands = MakeDemands(n, 16, random);
        const FreePorts free(n, {true});
        const uint64_t found = GetWeight(demands, ChooseHeaviest(demands, free, false));
        const uint64_t optimum = GetBestMatching(n, demands);
        ASSERT_LE(found, optimum) << "seed " << seed;
        ASSERT_GE(2 * found, optimum) << "seed " << seed;
        best += found == optimum ? 1 : 0;
    }
    RecordProperty("best", static_cast<int>(best));
    EXPECT_GE(best, 1900u) << "close to the best as a rule";
}

TEST(HeavyFirstMatching, MorePortsAreAtLeastAThirdOfTheBest)
{
    uint32_t best = 0;
    double share = 0;
    for (uint32_t seed = 1; seed <= 1000; ++seed)
    {
        std::mt19937 random(seed);
        const uint32_t n = 3 + random() % 5;
        const uint32_t ports = 2 + random() % 2;
        const auto demands = MakeDemands(n, 12, random);
        const FreePorts free(n, std::vector<bool>(ports, true));
        const uint64_t found = GetWeight(demands, ChooseHeaviest(demands, free, false));
        const uint64_t optimum = GetBestWithPorts(n, demands, ports);
        ASSERT_LE(found, optimum) << "seed " << seed;
        ASSERT_GE(3 * found, optimum) << "seed " << seed;
        best += found == optimum ? 1 : 0;
        share += optimum > 0 ? static_cast<double>(found) / static_cast<double>(optimum) : 1;
    }
    RecordProperty("best", static_cast<int>(best));
    RecordProperty("share", std::to_string(share / 1000));
    EXPECT_GE(best, 550u);
    EXPECT_GE(share / 1000, 0.95) << "close to the best as a rule";
}

TEST(HeavyFirstMatching, TwoLighterPairsReplaceAHeavierOne)
{
    const FreePorts free(4, {true});
    EXPECT_EQ(ChooseHeaviest({{{0, 1}, 3}, {{2, 1}, 4}, {{3, 2}, 2}}, free, false),
              (MatchingSchedule{{{0, 1}, {2, 3}}}));
    EXPECT_EQ(ChooseHeaviest({{{0, 1}, 2}, {{2, 1}, 5}, {{3, 2}, 2}}, free, false),
              (MatchingSchedule{{{1, 2}}}));
}

TEST(HeavyFirstMatching, PortsLeftOverGoToThePairWithMostBytesPerCircuit)
{
    const FreePorts free(4, std::vector<bool>(4, true));
    const std::vector<PairDemand> demands{{{0, 1}, 100}, {{1, 2}, 10}};
    EXPECT_EQ(ChooseHeaviest(demands, free, false), (MatchingSchedule{{{0, 1}}, {{1, 2}}, {}, {}}));
    EXPECT_EQ(ChooseHeaviest(demands, free, true),
              (MatchingSchedule{{{0, 1}}, {{1, 2}}, {{0, 1}}, {{0, 1}}}));
    EXPECT_EQ(ChooseHeaviest({{{0, 1}, 100}, {{1, 2}, 60}}, free, true),
              (MatchingSchedule{{{0, 1}}, {{1, 2}}, {{0, 1}}, {{0, 1}}}))
        << "100 / 2 and then 100 / 3 are more than 60 / 2";
    EXPECT_EQ(ChooseHeaviest({{{0, 1}, 100}, {{1, 2}, 80}}, free, true),
              (MatchingSchedule{{{0, 1}}, {{1, 2}}, {{0, 1}}, {{1, 2}}}));
}

TEST(HeavyFirstMatching, PortsInUseAreLeftAlone)
{
    FreePorts free(3, std::vector<bool>(2, true));
    free[0][0] = false;
    free[2][1] = false;
    EXPECT_EQ(ChooseHeaviest({{{0, 1}, 5}, {{0, 2}, 9}, {{1, 2}, 1}}, free, true),
              (MatchingSchedule{{{1, 2}}, {{0, 1}}}))
        << "0 and 2 have no port of the same place free";
}

TEST(HeavyFirstMatching, DemandsOfAPairAreOne)
{
    const auto sums = SumDemands({{{1, 0}, 5}, {{0, 2}, 0}, {{0, 1}, 6}, {{1, 2}, 20}});
    ASSERT_EQ(sums.size(), 2u);
    EXPECT_EQ(sums[0].pair, (MemberPair{1, 2}));
    EXPECT_EQ(sums[1].pair, (MemberPair{0, 1}));
    EXPECT_EQ(sums[1].bytes, 11u);
}

} // namespace
} // namespace ns3
