// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/job-topology.h"

#include <gtest/gtest.h>
#include <set>

namespace ns3
{
namespace
{

/// Circuits of members with three ports each.
class Circuits
{
  public:
    explicit Circuits(uint32_t members)
        : m_used(members, 0)
    {
    }

    Circuits& Join(uint32_t a, uint32_t b, uint64_t bytes)
    {
        m_links.push_back({a, m_used[a]++, b, m_used[b]++});
        m_demands.push_back({a, b, bytes});
        return *this;
    }

    /// Two triangles with a doubled side, all ports in use, and a bridge with least to say.
    Circuits& AddDumbbell(uint32_t first)
    {
        for (uint32_t side : {first, first + 3})
        {
            Join(side, side + 1, 100).Join(side, side + 2, 100);
            Join(side + 1, side + 2, 100).Join(side + 1, side + 2, 100);
        }
        return Join(first, first + 3, 1);
    }

    /// @return demands without a route once one more has been connected
    uint32_t CountUnreachable(const MemberDemand& demand)
    {
        const auto size = static_cast<uint32_t>(m_used.size());
        CircuitConnector connector(size, 3, m_links);
        auto demands = m_demands;
        demands.push_back(demand);
        connector.Connect(demands);
        std::vector<CircuitLink> links;
        std::set<std::pair<uint32_t, uint32_t>> ports;
        for (const auto& link : connector.GetLinks())
        {
            links.push_back({link.a, link.b, 1});
            EXPECT_TRUE(ports.insert({link.a, link.portOfA}).second) << "a port is used twice";
            EXPECT_TRUE(ports.insert({link.b, link.portOfB}).second) << "a port is used twice";
        }
        EXPECT_GE(links.size(), m_links.size()) << "no circuit is lost";
        return RouteOverCircuits(size, links, demands).unreachable;
    }

  private:
    std::vector<uint32_t> m_used; //!< ports, by member
    std::vector<CircuitPlanner::Link> m_links;
    std::vector<MemberDemand> m_demands;
};

TEST(CircuitConnector, BridgesAreNotGivenUpThoughTheyAreTheLightest)
{
    EXPECT_EQ(Circuits(12).AddDumbbell(0).AddDumbbell(6).CountUnreachable({1, 10, 5}), 0u);
    EXPECT_EQ(Circuits(7).AddDumbbell(0).CountUnreachable({6, 4, 5}), 0u) << "from a free port";
    EXPECT_EQ(Circuits(7).AddDumbbell(0).CountUnreachable({4, 6, 5}), 0u) << "to a free port";
}

TEST(CircuitConnector, FreePortsComeFirst)
{
    CircuitConnector connector(4, 2, {{0, 0, 1, 1}, {2, 0, 3, 1}});
    connector.Connect({{0, 1, 9}, {2, 3, 9}, {1, 2, 1}});
    ASSERT_EQ(connector.GetLinks().size(), 3u);
    EXPECT_EQ(connector.GetLinks()[2].a, 1u);
    EXPECT_EQ(connector.GetLinks()[2].portOfA, 0u);
    EXPECT_EQ(connector.GetLinks()[2].b, 2u);
    EXPECT_EQ(connector.GetLinks()[2].portOfB, 1u);
}

TEST(CircuitConnector, PairsOfOnePortStayAsTheyAre)
{
    CircuitConnector connector(4, 1, {{0, 0, 1, 0}, {2, 0, 3, 0}});
    connector.Connect({{1, 2, 100}});
    ASSERT_EQ(connector.GetLinks().size(), 2u);
    EXPECT_EQ(connector.GetLinks()[0].b, 1u);
    EXPECT_EQ(connector.GetLinks()[1].b, 3u);
}

} // namespace
} // namespace ns3
