// SPDX-License-Identifier: GPL-2.0-only

#include "../random-search.h"
#include "plan-test-tools.h"

#include "ns3/torus-plan.h"

#include <gtest/gtest.h>
#include <random>

namespace ns3
{
namespace
{

/// @return the coordinates of a member, the first dimension varying fastest
std::vector<uint32_t>
GetTorusCoordinates(uint32_t member, const std::vector<uint32_t>& sizes)
{
    std::vector<uint32_t> coordinates;
    for (uint32_t size : sizes)
    {
        coordinates.push_back(member % size);
        member /= size;
    }
    return coordinates;
}

TEST(TorusPlan, FourByFourByFourHasSixNeighboursEach)
{
    const auto members = MakeCabledMembers(64, 6);
    const auto torus = TorusPlan::Plan(members, {4, 4, 4});
    ASSERT_EQ(torus.error, "");
    ASSERT_EQ(PlanCheck::Check(torus.plan, members, GetLimits(members)), "");
    EXPECT_EQ(torus.plan.at(3).size(), 64u * 6 / 2) << "every port is used";
    EXPECT_EQ(torus.hasCircuits, (std::vector<bool>{true, true, true}));
    EXPECT_EQ(torus.neighbours[0].size(), 6u);
    const auto links = PlanCheck::CountLinks(torus.plan, members);
    EXPECT_EQ(links.size(), 64u * 3);
    for (uint32_t other : {1u, 3u, 4u, 12u, 16u, 48u})
    {
        EXPECT_EQ(links.count({0, other}), 1u) << other;
    }
    EXPECT_EQ(GetTorusCoordinates(27, {4, 4, 4}), (std::vector<uint32_t>{3, 2, 1}));
}

TEST(TorusPlan, PortsAreDividedAsFarAsTheyGo)
{
    using Ports = std::vector<std::vector<uint32_t>>;
    EXPECT_EQ(TorusPlan::DividePorts(6, {4, 4, 4}), (Ports{{0, 3}, {1, 4}, {2, 5}}));
    EXPECT_EQ(TorusPlan::DividePorts(4, {4, 4, 4}), (Ports{{0, 2}, {1, 3}, {}}));
    EXPECT_EQ(TorusPlan::DividePorts(2, {4, 4, 4}), (Ports{{0, 1}, {}, {}}));
    EXPECT_EQ(TorusPlan::DividePorts(2, {1, 4, 4}), (Ports{{}, {0, 1}, {}}));
    EXPECT_EQ(TorusPlan::DividePorts(4, {1, 4, 1}), (Ports{{}, {0, 1, 2, 3}, {}}));
    EXPECT_EQ(TorusPlan::DividePorts(8, {2, 4, 3}), (Ports{{0, 4}, {1, 5}, {2, 6}}));
    EXPECT_EQ(TorusPlan::DividePorts(1, {4, 2, 2}), (Ports{{}, {0}, {}}));
    EXPECT_EQ(TorusPlan::DividePorts(1, {4, 4}), (Ports{{}, {}}));
    EXPECT_EQ(TorusPlan::DividePorts(4, {1}), (Ports{{}}));
}

TEST(TorusPlan, AnySizesAndPortsJoinExactlyTheNeighbours)
{
    const uint64_t seeds = test::CountSeeds("tori", 3000);
    for (uint32_t seed = 1; seed <= seeds; ++seed)
    {
        std::mt19937 random(seed);
        std::vector<uint32_t> sizes(1 + random() % 3);
        uint32_t n = 1;
        for (uint32_t& size : sizes)
        {
            size = 1 + random() % 5;
            n *= size;
        }
        const uint32_t ports = 1 + random() % 8;
        const auto members = MakeScatteredMembers(n, ports, random);
        const auto torus = TorusPlan::Plan(members, sizes);
        ASSERT_EQ(torus.error, "") << "seed " << seed;
        ASSERT_EQ(PlanCheck::Check(torus.plan, members, GetLimits(members)), "") << "seed " << seed;

        // Ranks whose coordinates differ by one, in one dimension only, round the corner.
        const auto divided = TorusPlan::DividePorts(ports, sizes);
        PlanCheck::LinkCount expected;
        for (uint32_t a = 0; a < n; ++a)
        {
            for (uint32_t b = a + 1; b < n; ++b)
            {
                const auto x = GetTorusCoordinates(a, sizes);
                const auto y = GetTorusCoordinates(b, sizes);
                uint32_t different = 0;
                std::size_t where = 0;
                for (std::size_t i = 0; i < sizes.size(); ++i)
                {
                    different += x[i] != y[i] ? 1 : 0;
                    where = x[i] != y[i] ? i : where;
                }
                const auto share = static_cast<uint32_t>(divided[where].size());
                const uint32_t size = sizes[where];
                const uint32_t distance = (y[where] + size - x[where]) % size;
                if (different == 1 && share > 0 && (distance == 1 || distance == size - 1))
                {
                    expected[std::minmax(members[a].rank, members[b].rank)] =
                        size == 2 ? share : share / 2;
                }
            }
        }
        ASSERT_EQ(PlanCheck::CountLinks(torus.plan, members), expected) << "seed " << seed;

        PlanCheck::LinkCount named;
        for (uint32_t member = 0; member < n; ++member)
        {
            for (const auto& neighbour : torus.neighbours[member])
            {
                const auto dimension = neighbour.dimension;
                const auto from = GetTorusCoordinates(member, sizes)[dimension];
                const auto to = GetTorusCoordinates(neighbour.member, sizes)[dimension];
                ASSERT_EQ((neighbour.isNext ? from + 1 : to + 1) % sizes[dimension],
                          neighbour.isNext ? to : from);
                ++named[std::minmax(members[member].rank, members[neighbour.member].rank)];
            }
        }
        ASSERT_EQ(named.size(), expected.size());
        for (const auto& [link, times] : named)
        {
            ASSERT_EQ(times, 2u) << "each is named by the other, once";
            ASSERT_EQ(expected.count(link), 1u);
        }
    }
}

TEST(TorusPlan, ErrorsNameTheShapeAndTheRanks)
{
    EXPECT_EQ(TorusPlan::Plan(MakeCabledMembers(16, 6), {4, 4, 2}).error,
              "a torus of 4x4x2 has 32 ranks, the group has 16");
    EXPECT_EQ(TorusPlan::Plan({}, {4}).error, "a group has no ranks");
    auto members = MakeCabledMembers(4, 2);
    members[3].ports[0].ocs = 5;
    EXPECT_EQ(TorusPlan::Plan(members, {4}).error,
              "dimension 0: rank 3 is cabled to switch 5, rank 0 to switch 3: a group must stay on "
              "one rail");
    members = MakeCabledMembers(4, 4);
    members[3].ports[1].port = 0;
    EXPECT_EQ(TorusPlan::Plan(members, {2, 2}).error,
              "switch 3 port 0 is used twice, by rank 0 port 0 and by rank 3 port 1");
}

} // namespace
} // namespace ns3
