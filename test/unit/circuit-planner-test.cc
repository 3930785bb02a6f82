// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/circuit-planner.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace ns3
{
namespace
{

/// Ranks 0..n-1 with the given number of ports each, cabled to switch 3 in order.
std::vector<CircuitPlanner::Member>
MakeMembers(uint32_t n, uint32_t ports)
{
    std::vector<CircuitPlanner::Member> members(n);
    for (uint32_t rank = 0; rank < n; ++rank)
    {
        members[rank].rank = rank;
        for (uint32_t port = 0; port < ports; ++port)
        {
            members[rank].ports.push_back(OcsPortId{3, rank * ports + port});
        }
    }
    return members;
}

TEST(CircuitPlanner, RingsJoinNeighboursAtFullRate)
{
    for (uint32_t ports : {2u, 4u})
    {
        for (uint32_t n = 2; n <= 8; ++n)
        {
            const auto result = CircuitPlanner::PlanRing(MakeMembers(n, ports));
            ASSERT_EQ(result.error, "");
            ASSERT_EQ(result.plan.size(), 1u);
            const CircuitSet& circuits = result.plan.at(3);
            EXPECT_EQ(CircuitPlanner::CheckMatching(circuits), "");
            EXPECT_EQ(circuits.size(), n * ports / 2) << "every port is used once";
            std::map<std::pair<uint32_t, uint32_t>, uint32_t> edges;
            for (const Circuit& circuit : circuits)
            {
                EXPECT_LT(circuit.a, circuit.b);
                // The first half of a rank's ports leads on, the second half back.
                const bool aLeadsOn = circuit.a % ports < ports / 2;
                const bool bLeadsOn = circuit.b % ports < ports / 2;
                EXPECT_NE(aLeadsOn, bLeadsOn);
                const uint32_t from = (aLeadsOn ? circuit.a : circuit.b) / ports;
                const uint32_t to = (aLeadsOn ? circuit.b : circuit.a) / ports;
                EXPECT_EQ(to, (from + 1) % n);
                ++edges[{from, to}];
            }
            EXPECT_EQ(edges.size(), n);
            for (const auto& [edge, count] : edges)
            {
                EXPECT_EQ(count, ports / 2);
            }
        }
    }
}

TEST(CircuitPlanner, APairHasParallelCircuits)
{
    const auto result = CircuitPlanner::PlanRing(MakeMembers(2, 2));
    EXPECT_EQ(result.plan.at(3), (CircuitSet{{0, 3}, {1, 2}}));
}

TEST(CircuitPlanner, OnePortJoinsPairsOnly)
{
    EXPECT_EQ(CircuitPlanner::PlanRing(MakeMembers(2, 1)).plan.at(3), (CircuitSet{{0, 1}}));
    for (uint32_t n = 3; n <= 8; ++n)
    {
        const auto result = CircuitPlanner::PlanRing(MakeMembers(n, 1));
        EXPECT_NE(result.error.find("needs 2 ports"), std::string::npos) << result.error;
        EXPECT_TRUE(result.plan.empty());
    }
}

TEST(CircuitPlanner, AGroupOfOneNeedsNoLight)
{
    const auto result = CircuitPlanner::PlanRing(MakeMembers(1, 2));
    EXPECT_EQ(result.error, "");
    EXPECT_TRUE(result.plan.empty());
}

TEST(CircuitPlanner, ErrorsNameTheRank)
{
    EXPECT_EQ(CircuitPlanner::PlanRing({}).error, "a group has no ranks");

    auto members = MakeMembers(3, 2);
    members[2].rank = 1;
    EXPECT_EQ(CircuitPlanner::PlanRing(members).error, "rank 1 occurs twice in its group");

    members = MakeMembers(3, 2);
    members[1].ports.clear();
    EXPECT_NE(CircuitPlanner::PlanRing(members).error.find("rank 1 is not cabled"),
              std::string::npos);

    members = MakeMembers(3, 2);
    members[2].ports.pop_back();
    EXPECT_EQ(CircuitPlanner::PlanRing(members).error, "rank 2 has 1 ports, rank 0 has 2");

    members = MakeMembers(3, 2);
    members[2].ports[1].ocs = 9;
    EXPECT_NE(CircuitPlanner::PlanRing(members).error.find("rank 2 is cabled to switch 9"),
              std::string::npos);

    members = MakeMembers(3, 2);
    members[2].ports[1].port = 0;
    EXPECT_EQ(CircuitPlanner::PlanRing(members).error, "switch 3: port 0 is used twice");
}

} // namespace
} // namespace ns3
