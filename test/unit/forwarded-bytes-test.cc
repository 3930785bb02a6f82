// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Bytes that ranks pass on for others, beside closed forms.
 */

#include "ns3/all-to-all-blocks.h"
#include "ns3/collective-algorithm.h"
#include "ns3/variant.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

/// @return the bytes that all ranks pass on in a call
uint64_t
CountAllForwarded(CollectiveKind kind,
                  const std::string& algorithm,
                  GroupShape shape,
                  uint64_t bytes)
{
    CollectiveAlgorithms algorithms;
    algorithms.Choose(kind, algorithm);
    uint64_t sum = 0;
    for (uint32_t index = 0; index < shape.size; ++index)
    {
        RankContext part;
        part.call.kind = kind;
        part.call.bytes = bytes;
        part.shape = shape;
        part.index = index;
        part.directions = 2;
        part.chunkBytes = 1 << 20;
        const auto schedule = algorithms.Get(kind)->MakeSchedule(part);
        sum += CountForwardedBytes(part, schedule.GetBytesSent());
    }
    return sum;
}

} // namespace

TEST(ForwardedBytes, ARingPassesOnEachBlockOnceForEachRankOnItsWay)
{
    for (const uint32_t ranks : {2, 3, 4, 7, 8})
    {
        // The block for the rank that is d further takes the shorter way round the ring, over
        // min(d, n - d) - 1 other ranks.
        const uint64_t block = 6000;
        uint64_t passed = 0;
        for (uint32_t distance = 1; distance < ranks; ++distance)
        {
            passed += block * (std::min(distance, ranks - distance) - 1);
        }
        EXPECT_EQ(CountAllForwarded(CollectiveKind::ALL_TO_ALL, "ring", {ranks, 1}, block * ranks),
                  ranks * passed)
            << ranks;
    }
}

TEST(ForwardedBytes, PxnPassesOnWhatIsForAnotherDomainAndAnotherRail)
{
    // 3 domains of 4 ranks: of the 11 other ranks, 8 are in other domains, 6 of them on other
    // rails.
    EXPECT_EQ(CountAllForwarded(CollectiveKind::ALL_TO_ALL, "pxn", {12, 4}, 12 * 500),
              12 * 6 * 500);
}

TEST(ForwardedBytes, NothingWhereBlocksGoStraightOrRanksKeepWhatTheyPassOn)
{
    EXPECT_EQ(CountAllForwarded(CollectiveKind::ALL_TO_ALL, "direct", {8, 1}, 8000), 0u);
    EXPECT_EQ(CountAllForwarded(CollectiveKind::ALL_GATHER, "ring", {8, 1}, 8000), 0u);
    EXPECT_EQ(CountAllForwarded(CollectiveKind::ALL_REDUCE, "ring", {8, 1}, 8000), 0u);
}
