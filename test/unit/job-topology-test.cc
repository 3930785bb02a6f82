// SPDX-License-Identifier: GPL-2.0-only

#include "plan-test-tools.h"

#include "ns3/job-topology.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace ns3
{
namespace
{

/// @return rows and columns of a mesh: rings in the rows, lines in the columns
std::vector<RingDemand>
MakeMeshDemand(uint32_t rows, uint32_t columns, uint64_t rowBytes, uint64_t columnBytes)
{
    std::vector<RingDemand> groups;
    for (uint32_t row = 0; row < rows; ++row)
    {
        groups.push_back({{}, rowBytes, false});
        for (uint32_t column = 0; column < columns; ++column)
        {
            groups.back().members.push_back(row * columns + column);
        }
    }
    for (uint32_t column = 0; column < columns; ++column)
    {
        groups.push_back({{}, columnBytes, true});
        for (uint32_t row = 0; row < rows; ++row)
        {
            groups.back().members.push_back(row * columns + column);
        }
    }
    return groups;
}

TEST(JobTopology, FourPortsAreEnoughForTwoDimensions)
{
    const auto members = MakeCabledMembers(12, 4);
    const auto job = JobTopology::Plan(members, MakeMeshDemand(3, 4, 1000, 10), {});
    ASSERT_EQ(job.error, "");
    EXPECT_EQ(PlanCheck::Check(job.plan, members, GetLimits(members)), "");
    EXPECT_EQ(job.isDirect, std::vector<bool>(7, true));
    EXPECT_EQ(job.routes.maxHops, 1u);
    EXPECT_EQ(job.routes.forwardedBytes, 0u);
    // 3 rings of 4, 4 lines of 3, and the ends of the lines have a port left for their row.
    EXPECT_EQ(job.links.size(), 12u + 8u + 4u);
}

TEST(JobTopology, TwoPortsServeTheHeavierDimensionAndForwardTheOther)
{
    const auto members = MakeCabledMembers(12, 2);
    const auto job = JobTopology::Plan(members, MakeMeshDemand(3, 4, 1000, 10), {});
    ASSERT_EQ(job.error, "");
    EXPECT_EQ(PlanCheck::Check(job.plan, members, GetLimits(members)), "");
    EXPECT_EQ(job.routes.unreachable, 0u) << "rings are opened for the lines between them";
    EXPECT_EQ(job.links.size(), 12u);
    EXPECT_GT(job.routes.maxHops, 1u);
    EXPECT_GT(job.routes.forwardedBytes, 0u);
    // Without anything to say between the rings they stay as they are.
    const auto rings = JobTopology::Plan(members, MakeMeshDemand(3, 4, 1000, 0), {});
    EXPECT_EQ(rings.routes.maxHops, 1u);
    for (uint32_t row = 0; row < 3; ++row)
    {
        EXPECT_TRUE(rings.isDirect[row]);
    }
}

TEST(JobTopology, PortsThatAreLeftJoinTheHeaviestPairs)
{
    const auto members = MakeCabledMembers(4, 4);
    const auto job = JobTopology::Plan(members,
                                       {{{0, 1, 2, 3}, 100, false}},
                                       {{0, 2, 500}, {1, 3, 400}, {0, 3, 30}});
    EXPECT_EQ(PlanCheck::CountLinks(job.plan, members),
              (PlanCheck::LinkCount{{{0, 1}, 1},
                                    {{1, 2}, 2},
                                    {{2, 3}, 1},
                                    {{0, 3}, 2},
                                    {{0, 2}, 1},
                                    {{1, 3}, 1}}))
        << "over port 1 the two heaviest, over port 3 the next two";
    EXPECT_EQ(job.isDirect, std::vector<bool>{true});
}

TEST(JobTopology, RingsAreThoseOfTheConnectors)
{
    const auto members = MakeCabledMembers(5, 2);
    const auto job = JobTopology::Plan(members, {{{0, 1, 2, 3, 4}, 100, false}}, {});
    EXPECT_EQ(job.plan, CircuitPlanner::PlanRing(members).plan);
    const auto line = JobTopology::Plan(members, {{{0, 1, 2, 3, 4}, 100, true}}, {});
    CircuitPlan ring = CircuitPlanner::PlanRing(members).plan;
    const CircuitPlan last = CircuitPlanner::PlanLink({members[4], members[0]}).plan;
    ASSERT_EQ(last.at(3).size(), 1u);
    auto& circuits = ring.at(3);
    circuits.erase(std::find(circuits.begin(), circuits.end(), last.at(3).front()));
    EXPECT_EQ(line.plan, ring);
}

TEST(JobTopology, WithOnePortThereArePairsOnly)
{
    const auto members = MakeCabledMembers(4, 1);
    const auto job = JobTopology::Plan(members, {{{0, 1, 2, 3}, 7, false}}, {{0, 2, 1}});
    EXPECT_EQ(job.links.size(), 2u);
    EXPECT_GT(job.routes.unreachable, 0u);
    EXPECT_EQ(job.isDirect, std::vector<bool>{false});
}

TEST(JobTopology, EveryDemandHasARouteFromTwoPortsOn)
{
    for (uint32_t seed = 1; seed <= 3000; ++seed)
    {
        std::mt19937 random(seed);
        const uint32_t n = 2 + random() % 16;
        const uint32_t ports = 1 + random() % 6;
        const auto members = MakeScatteredMembers(n, ports, random);
        std::vector<RingDemand> groups(random() % 6);
        for (auto& group : groups)
        {
            std::vector<uint32_t> all(n);
            for (uint32_t i = 0; i < n; ++i)
            {
                all[i] = i;
            }
            std::shuffle(all.begin(), all.end(), random);
            all.resize(random() % (n + 1));
            group = {all, random() % 100, random() % 2 == 0};
        }
        std::vector<MemberDemand> pairs;
        for (uint32_t i = random() % 12; i > 0; --i)
        {
            const uint32_t from = random() % n;
            const uint32_t to = (from + 1 + random() % (n - 1)) % n;
            pairs.push_back({from, to, random() % 1000});
        }
        const auto job = JobTopology::Plan(members, groups, pairs);
        ASSERT_EQ(job.error, "") << "seed " << seed;
        ASSERT_EQ(PlanCheck::Check(job.plan, members, GetLimits(members)), "") << "seed " << seed;
        const auto links = PlanCheck::CountLinks(job.plan, members);
        if (ports > 1)
        {
            EXPECT_EQ(job.routes.unreachable, 0u) << "seed " << seed;
        }
        ASSERT_EQ(job.routes.routes.size(), job.demands.size());
        for (const auto& route : job.routes.routes)
        {
            for (std::size_t hop = 0; hop + 1 < route.members.size(); ++hop)
            {
                const uint32_t a = members[route.members[hop]].rank;
                const uint32_t b = members[route.members[hop + 1]].rank;
                EXPECT_EQ(links.count(std::minmax(a, b)), 1u) << "seed " << seed;
            }
        }
        // Direct is what its name says.
        for (std::size_t i = 0; i < groups.size(); ++i)
        {
            const auto& group = groups[i].members;
            bool isDirect = true;
            for (std::size_t k = 0; k + (groups[i].isLine ? 1 : 0) < group.size(); ++k)
            {
                const uint32_t a = members[group[k]].rank;
                const uint32_t b = members[group[(k + 1) % group.size()]].rank;
                isDirect = isDirect && (a == b || links.count(std::minmax(a, b)) > 0);
            }
            EXPECT_EQ(job.isDirect[i], isDirect) << "seed " << seed;
        }
        // Bytes are conserved: all demands, and for each byte as many hops as its route has.
        uint64_t hops = 0;
        for (const auto& route : job.routes.routes)
        {
            hops += route.demand.bytes * route.GetHops();
        }
        uint64_t carried = 0;
        for (const auto& load : job.routes.loads)
        {
            carried += load.bytes;
        }
        EXPECT_EQ(carried, hops);
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
}

TEST(JobTopology, ErrorsNameWhatIsWrong)
{
    auto members = MakeCabledMembers(3, 2);
    EXPECT_EQ(JobTopology::Plan({}, {}, {}).error, "a group has no ranks");
    EXPECT_EQ(JobTopology::Plan(members, {{{0, 3}, 1, false}}, {}).error,
              "a group has member 3 of 3");
    EXPECT_EQ(JobTopology::Plan(members, {{{0, 1, 0}, 1, false}}, {}).error,
              "rank 0 occurs twice in its group");
    EXPECT_EQ(JobTopology::Plan(members, {}, {{1, 1, 5}}).error,
              "a demand leads from member 1 to 1 of 3");
    members[1].ports[0].ocs = 8;
    EXPECT_EQ(JobTopology::Plan(members, {}, {}).error,
              "rank 1 is cabled to switch 8, rank 0 to switch 3: a group must stay on one rail");
}

} // namespace
} // namespace ns3
