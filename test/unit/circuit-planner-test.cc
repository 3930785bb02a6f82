// SPDX-License-Identifier: GPL-2.0-only

#include "plan-check.h"
#include "plan-test-tools.h"

#include "ns3/circuit-planner.h"
#include "ns3/rdma-helper.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace ns3
{
namespace
{

TEST(CircuitPlanner, RingsJoinNeighboursAtFullRate)
{
    for (uint32_t ports : {2u, 4u})
    {
        for (uint32_t n = 2; n <= 8; ++n)
        {
            const auto result = CircuitPlanner::PlanRing(MakeCabledMembers(n, ports));
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
    const auto result = CircuitPlanner::PlanRing(MakeCabledMembers(2, 2));
    EXPECT_EQ(result.plan.at(3), (CircuitSet{{0, 3}, {1, 2}}));
}

TEST(CircuitPlanner, RingsGoOnOverThePortsThatAreLeft)
{
    // All that may be broken: rings of up to 4 ranks with 2 ports, up to 3 ranks with 4.
    for (const auto& [n, ports] : {std::pair{2u, 2u}, {3u, 2u}, {4u, 2u}, {2u, 4u}, {3u, 4u}})
    {
        const uint32_t half = ports / 2;
        for (uint32_t mask = 0; mask < 1u << (n * ports); ++mask)
        {
            SCOPED_TRACE(std::to_string(n) + " ranks, broken " + std::to_string(mask));
            auto members = MakeCabledMembers(n, ports);
            auto whole = members;
            std::vector<uint32_t> towardsNext(n, half);
            std::vector<uint32_t> back(n, half);
            for (uint32_t bit = 0; bit < n * ports; ++bit)
            {
                const uint32_t port = bit % ports;
                if ((mask >> bit) & 1)
                {
                    members[bit / ports].broken.insert(port);
                    --(port < half ? towardsNext : back)[bit / ports];
                }
            }
            for (uint32_t i = 0; i < n; ++i)
            {
                whole[i].ports.clear();
                for (uint32_t port = 0; port < ports; ++port)
                {
                    if (members[i].broken.count(port) == 0)
                    {
                        whole[i].ports.push_back(members[i].ports[port]);
                    }
                }
            }
            uint32_t circuits = 0;
            bool isClosed = true;
            for (uint32_t i = 0; i < n; ++i)
            {
                if (towardsNext[i] + back[i] == 2)
                {
                    towardsNext[i] = back[i] = 1; // one port changes its direction if it must
                }
            }
            for (uint32_t i = 0; i < n; ++i)
            {
                const uint32_t hop = std::min(towardsNext[i], back[(i + 1) % n]);
                circuits += hop;
                isClosed = isClosed && hop > 0;
            }
            if (n == 2)
            {
                const auto left = std::min(whole[0].ports.size(), whole[1].ports.size());
                isClosed = left > 0;
                circuits = circuits > 0 ? circuits : static_cast<uint32_t>(left);
            }
            const auto result = CircuitPlanner::PlanRing(members);
            ASSERT_EQ(result.error.empty(), isClosed) << result.error;
            if (!isClosed)
            {
                EXPECT_TRUE(result.plan.empty());
                EXPECT_NE(result.error.find("no ports left"), std::string::npos) << result.error;
                continue;
            }
            EXPECT_EQ(PlanCheck::Check(result.plan, whole, GetLimits(members)), "");
            EXPECT_EQ(result.plan.at(3).size(), circuits);
            const auto links = PlanCheck::CountLinks(result.plan, whole);
            EXPECT_EQ(links.size(), n == 2 ? 1 : n) << "all neighbours";
        }
    }
}

TEST(CircuitPlanner, APortLessIsACircuitLess)
{
    auto members = MakeCabledMembers(4, 4);
    members[2].broken = {3};
    const auto result = CircuitPlanner::PlanRing(members);
    ASSERT_EQ(result.error, "");
    const auto links = PlanCheck::CountLinks(result.plan, MakeCabledMembers(4, 4));
    EXPECT_EQ(links, (PlanCheck::LinkCount{{{0, 1}, 2}, {{1, 2}, 1}, {{2, 3}, 2}, {{0, 3}, 2}}));
    auto ring = MakeCabledMembers(3, 2);
    ring[1].broken = {0};
    EXPECT_EQ(CircuitPlanner::PlanRing(ring).error,
              "ranks 1 and 2 have no ports left that lead to each other");
}

TEST(CircuitPlanner, OnePortJoinsPairsOnly)
{
    EXPECT_EQ(CircuitPlanner::PlanRing(MakeCabledMembers(2, 1)).plan.at(3), (CircuitSet{{0, 1}}));
    for (uint32_t n = 3; n <= 8; ++n)
    {
        const auto result = CircuitPlanner::PlanRing(MakeCabledMembers(n, 1));
        EXPECT_NE(result.error.find("needs 2 ports"), std::string::npos) << result.error;
        EXPECT_TRUE(result.plan.empty());
    }
}

TEST(CircuitPlanner, AGroupOfOneNeedsNoLight)
{
    const auto result = CircuitPlanner::PlanRing(MakeCabledMembers(1, 2));
    EXPECT_EQ(result.error, "");
    EXPECT_TRUE(result.plan.empty());
}

TEST(CircuitPlanner, ErrorsNameTheRank)
{
    EXPECT_EQ(CircuitPlanner::PlanRing({}).error, "a group has no ranks");

    auto members = MakeCabledMembers(3, 2);
    members[2].rank = 1;
    EXPECT_EQ(CircuitPlanner::PlanRing(members).error, "rank 1 occurs twice in its group");

    members = MakeCabledMembers(3, 2);
    members[1].ports.clear();
    EXPECT_NE(CircuitPlanner::PlanRing(members).error.find("rank 1 is not cabled"),
              std::string::npos);

    members = MakeCabledMembers(3, 2);
    members[2].ports.pop_back();
    EXPECT_EQ(CircuitPlanner::PlanRing(members).error, "rank 2 has 1 ports, rank 0 has 2");

    members = MakeCabledMembers(3, 2);
    members[2].ports[1].ocs = 9;
    EXPECT_NE(CircuitPlanner::PlanRing(members).error.find("rank 2 is cabled to switch 9"),
              std::string::npos);

    members = MakeCabledMembers(3, 2);
    members[2].ports[1].port = 0;
    EXPECT_EQ(CircuitPlanner::PlanRing(members).error,
              "switch 3 port 0 is used twice, by rank 0 port 0 and by rank 2 port 1");
}

/// @return the circuits that the connectors NEXT of a NIC with these ports need from a rank on
std::set<Circuit>
GetConnectorCircuits(uint32_t n, uint32_t ports, uint32_t rank)
{
    const auto connectors = RdmaHelper::GetRingPorts(ports);
    std::set<Circuit> circuits;
    for (std::size_t k = 0; k < connectors.next.size(); ++k)
    {
        const uint32_t from = rank * ports + connectors.next[k];
        const uint32_t to = (rank + 1) % n * ports + connectors.previous[k];
        circuits.insert({std::min(from, to), std::max(from, to)});
    }
    return circuits;
}

TEST(CircuitPlanner, RingsAndLinksAreThoseOfTheConnectors)
{
    for (uint32_t ports = 1; ports <= 8; ++ports)
    {
        for (uint32_t n = 2; n <= (ports == 1 ? 2 : 17); ++n)
        {
            const auto members = MakeCabledMembers(n, ports);
            const auto ring = CircuitPlanner::PlanRing(members);
            ASSERT_EQ(ring.error, "");
            ASSERT_EQ(PlanCheck::Check(ring.plan, members, GetLimits(members)), "");
            std::set<Circuit> expected;
            for (uint32_t i = 0; i < n; ++i)
            {
                const auto link = CircuitPlanner::PlanLink({members[i], members[(i + 1) % n]});
                ASSERT_EQ(link.error, "");
                const CircuitSet& circuits = link.plan.at(3);
                const auto own = GetConnectorCircuits(n, ports, i);
                EXPECT_EQ(std::set<Circuit>(circuits.begin(), circuits.end()), own);
                expected.insert(own.begin(), own.end());
            }
            if (n == 2 && ports % 2 == 1)
            {
                // No connector of a ring has the middle port, but a pair is given all it has.
                expected.insert({ports / 2, ports + ports / 2});
            }
            const CircuitSet& circuits = ring.plan.at(3);
            EXPECT_EQ(std::set<Circuit>(circuits.begin(), circuits.end()), expected);
        }
    }
}

TEST(CircuitPlanner, APairHasAllItsPortsJoined)
{
    for (uint32_t ports = 1; ports <= 8; ++ports)
    {
        const auto members = MakeCabledMembers(2, ports);
        EXPECT_EQ(PlanCheck::CountLinks(CircuitPlanner::PlanRing(members).plan, members),
                  (PlanCheck::LinkCount{{{0, 1}, ports}}));
    }
}

TEST(CircuitPlanner, ALinkJoinsTwoRanks)
{
    const auto members = MakeCabledMembers(3, 2);
    EXPECT_EQ(CircuitPlanner::PlanLink(members).error, "a link joins 2 ranks, not 3");
    EXPECT_EQ(CircuitPlanner::PlanLink({members[0]}).error, "a link joins 2 ranks, not 1");
    EXPECT_EQ(CircuitPlanner::PlanLink({members[0], members[0]}).error,
              "rank 0 occurs twice in its group");
    auto broken = members;
    broken[0].broken = {0};
    EXPECT_EQ(CircuitPlanner::PlanLink({broken[0], broken[1]}).error,
              "ranks 0 and 1 have no ports left that lead to each other");
    EXPECT_EQ(CircuitPlanner::PlanLink({broken[2], broken[0]}).error, "") << "over its other port";
}

TEST(CircuitPlanner, PortsAreDividedBetweenDimensions)
{
    using Ports = std::vector<std::vector<uint32_t>>;
    EXPECT_EQ(CircuitPlanner::SplitPorts(4, {2, 2}).ports, (Ports{{0, 2}, {1, 3}}));
    EXPECT_EQ(CircuitPlanner::SplitPorts(4, {4}).ports, (Ports{{0, 1, 2, 3}}));
    EXPECT_EQ(CircuitPlanner::SplitPorts(8, {4, 0, 2}).ports, (Ports{{0, 1, 4, 5}, {}, {2, 6}}));
    EXPECT_EQ(CircuitPlanner::SplitPorts(5, {2, 2}).ports, (Ports{{0, 3}, {1, 4}}));
    EXPECT_EQ(CircuitPlanner::SplitPorts(2, {2, 2}).error,
              "2 dimensions need 4 ports a rank; a rank has 2");
    EXPECT_EQ(CircuitPlanner::SplitPorts(4, {1, 3}).error,
              "a dimension cannot have 1 ports: as many must lead on as back");
}

TEST(CircuitPlanner, DividedRingsAreUpAtOnceAndAgreeWithTheConnectors)
{
    // A mesh of 3 by 4 with a ring for each row and column, on one switch.
    constexpr uint32_t PORTS = 4;
    const auto members = MakeCabledMembers(12, PORTS);
    const auto split = CircuitPlanner::SplitPorts(PORTS, {2, 2});
    const auto connectors = RdmaHelper::GetRingPorts(PORTS);
    CircuitPlan all;
    auto addRing = [&](uint32_t first, uint32_t stride, uint32_t size, uint32_t dimension) {
        std::vector<CircuitPlanner::Member> group;
        for (uint32_t i = 0; i < size; ++i)
        {
            group.push_back(
                CircuitPlanner::SelectPorts(members[first + i * stride], split.ports[dimension]));
        }
        const auto ring = CircuitPlanner::PlanRing(group);
        ASSERT_EQ(ring.error, "");
        for (const Circuit& circuit : ring.plan.at(3))
        {
            all[3].push_back(circuit);
            // One end is the k-th port of a connector NEXT, the other the k-th of a connector
            // PREVIOUS.
            const uint32_t a = circuit.a % PORTS;
            const uint32_t b = circuit.b % PORTS;
            EXPECT_EQ(connectors.previous[std::min(a, b)], std::max(a, b));
        }
    };
    for (uint32_t row = 0; row < 3; ++row)
    {
        addRing(row * 4, 1, 4, 0);
    }
    for (uint32_t column = 0; column < 4; ++column)
    {
        addRing(column, 4, 3, 1);
    }
    EXPECT_EQ(all.at(3).size(), 24u) << "every port is used";
    EXPECT_EQ(PlanCheck::Check(all, members, GetLimits(members)), "");
}

TEST(CircuitPlanner, ImpossibleLinksNameRanksAndPorts)
{
    auto members = MakeCabledMembers(3, 2);
    members[1].ports[1].ocs = 9;
    EXPECT_EQ(CircuitPlanner::PlanLinks(members, {{0, 0, 1, 1}}).error,
              "rank 0 port 0 is cabled to switch 3, rank 1 port 1 to switch 9: no circuit joins "
              "two switches");
    EXPECT_EQ(CircuitPlanner::PlanLinks(members, {{0, 0, 2, 2}}).error,
              "rank 2 port 2 does not exist: it has 2");
    EXPECT_EQ(CircuitPlanner::PlanLinks(members, {{2, 0, 2, 1}}).error,
              "rank 2 cannot be joined with itself");
    EXPECT_EQ(CircuitPlanner::PlanLinks(members, {{0, 0, 1, 0}, {2, 0, 0, 0}}).error,
              "switch 3 port 0 is used twice, by rank 0 port 0 and by rank 0 port 0");
    EXPECT_TRUE(CircuitPlanner::PlanLinks(members, {}).plan.empty());
}

} // namespace
} // namespace ns3
