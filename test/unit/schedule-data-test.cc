// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Every collective by every algorithm, in groups of 1 to 16 ranks of every shape: each rank ends
 * with exactly the right contributions, in whatever order messages travel.
 */

#include "../random-search.h"

#include "ns3/schedule-check.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/// An algorithm by its name.
using Algorithm = Variant<CollectiveAlgorithm>;

namespace
{

constexpr uint32_t LARGEST = 16; //!< group

/// @return in how many orders messages travel: slow builds have time for some, which is enough
/// there, since orders exercise the replay and not the code that makes schedules
std::size_t
GetOrders()
{
    return test::GetWantedSeeds() == "few" ? 4 : SIZE_MAX;
}

/// @return the shapes of a group that make a difference to an algorithm
std::vector<GroupShape>
GetShapes(Algorithm algorithm, uint32_t size)
{
    std::vector<GroupShape> shapes;
    for (uint32_t perDomain = 1; perDomain <= size; ++perDomain)
    {
        if (size % perDomain == 0)
        {
            shapes.push_back({size, perDomain});
        }
    }
    if (!algorithm->NeedsDomains())
    {
        shapes.resize(1);
    }
    return shapes;
}

/// @return sizes of an AllToAllv; many are zero
Ptr<const AllToAllSizes>
MakeSizes(uint32_t ranks, uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<uint64_t> bytes;
    for (uint32_t i = 0; i < ranks * ranks; ++i)
    {
        const uint32_t draw = random();
        bytes.push_back(draw % 3 == 0 ? 0 : draw % 11);
    }
    return Create<AllToAllSizes>(ranks, bytes);
}

/// @return calls in a group: sizes, directions, roots
std::vector<RankContext>
GetParts(CollectiveKind kind, Algorithm algorithm, const GroupShape& shape)
{
    std::vector<RankContext> parts;
    RankContext part;
    part.call.kind = kind;
    part.shape = shape;
    part.chunkBytes = 7;
    part.eagerBytes = 5;
    const bool rooted = kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE ||
                        algorithm == "stragglar";
    for (const uint32_t directions : {1, 2})
    {
        part.directions = directions;
        for (const uint64_t bytes : std::set<uint64_t>{0,
                                                       1,
                                                       2,
                                                       shape.size - 1,
                                                       shape.size,
                                                       shape.size + 1,
                                                       2 * shape.size + 1,
                                                       31,
                                                       97})
        {
            part.call.bytes = bytes;
            for (uint32_t root = 0; root < (rooted ? shape.size : 1); ++root)
            {
                part.root = root;
                parts.push_back(part);
            }
        }
        for (uint32_t seed = 1; kind == CollectiveKind::ALL_TO_ALL && seed <= 3; ++seed)
        {
            part.call.bytes = 12345; // has no meaning then
            part.call.sizes = MakeSizes(shape.size, seed);
            parts.push_back(part);
            part.call.sizes = nullptr;
        }
    }
    return parts;
}

/// @return a case in words
std::string
DescribePart(Algorithm algorithm, const RankContext& part)
{
    return algorithm->GetName() + " " + ToString(part.call.kind) + ", " +
           std::to_string(part.shape.size) + " ranks in domains of " +
           std::to_string(part.shape.perDomain) + ", " + std::to_string(part.call.bytes) +
           " bytes, " + std::to_string(part.directions) + " directions, root " +
           std::to_string(part.root) + (part.call.sizes ? ", sizes" : "");
}

/// The parameters are a kind and the number of ranks.
class ScheduleDataTest : public testing::TestWithParam<std::tuple<CollectiveKind, uint32_t>>
{
};

TEST_P(ScheduleDataTest, EveryRankEndsWithTheRightContributionsOverItsConnectors)
{
    const auto [kind, size] = GetParam();
    uint32_t cases = 0;
    for (const auto& algorithm : CollectiveAlgorithm::GetAll(kind))
    {
        for (const auto& shape : GetShapes(algorithm, size))
        {
            if (!algorithm->Check(kind, shape).empty())
            {
                const bool isStragglar = algorithm == "stragglar";
                EXPECT_TRUE(isStragglar || algorithm == "halving-doubling" ||
                            algorithm == "hypercube");
                EXPECT_NE(isStragglar ? size % 2 : size & (size - 1), 0U);
                continue;
            }
            std::vector<std::set<CollectiveConnectorId>> used(size);
            for (const auto& part : GetParts(kind, algorithm, shape))
            {
                ScheduleCheck check(algorithm, part);
                ASSERT_EQ(check.RunAll(GetOrders()), "") << DescribePart(algorithm, part);
                ++cases;
                for (uint32_t rank = 0; rank < size; ++rank)
                {
                    const auto connectors = check.schedules[rank].GetConnectors();
                    used[rank].insert(connectors.begin(), connectors.end());
                }
            }
            for (uint32_t rank = 0; rank < size; ++rank)
            {
                const std::vector<CollectiveConnectorId> connectors(used[rank].begin(),
                                                                    used[rank].end());
                auto made = algorithm->GetConnectors(kind, shape, rank);
                if (algorithm == "planned")
                {
                    // It has a ring as well, which is for circuits that are lent.
                    made.erase(std::remove_if(
                                   made.begin(),
                                   made.end(),
                                   [](const auto& id) { return id.connector != CONNECTOR_DIRECT; }),
                               made.end());
                }
                if (algorithm == "tuned")
                {
                    // It has trees as well, for networks whose rates are known.
                    const auto channels =
                        Variant<CollectiveAlgorithm>("channels")->GetConnectors(kind, shape, rank);
                    EXPECT_TRUE(
                        std::includes(made.begin(), made.end(), channels.begin(), channels.end()));
                    made = channels;
                }
                EXPECT_EQ(made, connectors)
                    << algorithm->GetName() << " rank " << rank << " of " << size;
            }
        }
    }
    RecordProperty("cases", static_cast<int>(cases));
}

INSTANTIATE_TEST_SUITE_P(Groups,
                         ScheduleDataTest,
                         testing::Combine(testing::Values(CollectiveKind::ALL_REDUCE,
                                                          CollectiveKind::ALL_GATHER,
                                                          CollectiveKind::REDUCE_SCATTER,
                                                          CollectiveKind::ALL_TO_ALL,
                                                          CollectiveKind::BROADCAST,
                                                          CollectiveKind::REDUCE),
                                          testing::Range(1U, LARGEST + 1)),
                         [](const auto& info) {
                             return ToString(std::get<0>(info.param)) + "_" +
                                    std::to_string(std::get<1>(info.param));
                         });

} // namespace
} // namespace ns3
