// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Which algorithm can carry out what, and what happens at the ends of transfer ids.
 */

#include "ns3/collective-algorithm.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace ns3
{
namespace
{

using Algorithm = Variant<CollectiveAlgorithm>;

constexpr uint32_t MAX_RECEIVES = CollectiveSchedule::MAX_RECEIVES;

RankContext
MakeLimitPart(CollectiveKind kind, const GroupShape& shape, uint32_t index, uint64_t bytes)
{
    RankContext part;
    part.call.kind = kind;
    part.call.bytes = bytes;
    part.shape = shape;
    part.index = index;
    return part;
}

TEST(ScheduleLimitsTest, WhatIsImpossibleIsSaidInALine)
{
    EXPECT_EQ(Algorithm("pxn")->Check(CollectiveKind::ALL_REDUCE, {8, 4}),
              "pxn cannot carry out AllReduce; use ring, channels, direct, halving-doubling, "
              "hierarchical, stragglar, tree, tuned");
    EXPECT_EQ(Algorithm("halving-doubling")->Check(CollectiveKind::BROADCAST, {8, 1}),
              "halving-doubling cannot carry out Broadcast; use ring, tree");
    EXPECT_EQ(Algorithm("ring")->Check(CollectiveKind::SEND, {8, 1}), "ring cannot carry out Send");
    EXPECT_EQ(Algorithm("halving-doubling")->Check(CollectiveKind::ALL_GATHER, {6, 1}),
              "halving-doubling needs a power of two of ranks, not 6 ranks");
    EXPECT_EQ(Algorithm("hierarchical")->Check(CollectiveKind::ALL_GATHER, {10, 4}),
              "hierarchical needs full scale-up domains, but 10 ranks do not fill domains of 4");
    EXPECT_EQ(Algorithm("pxn")->Check(CollectiveKind::ALL_TO_ALL, {10, 0}),
              "pxn needs full scale-up domains, but 10 ranks do not fill domains of 0");
    EXPECT_EQ(Algorithm("direct")->Check(CollectiveKind::ALL_TO_ALL, {0, 1}),
              "a group without ranks");
    EXPECT_EQ(Algorithm("direct")->Check(CollectiveKind::ALL_TO_ALL, {10, 4}), "");
    EXPECT_EQ(Algorithm("stragglar")->Check(CollectiveKind::ALL_REDUCE, {10, 1}), "");
    EXPECT_EQ(Algorithm("stragglar")->Check(CollectiveKind::ALL_REDUCE, {9, 1}),
              "stragglar needs an even number of ranks from 2 to 1024, not 9");
    EXPECT_EQ(Algorithm("stragglar")->Check(CollectiveKind::ALL_REDUCE, {1026, 1}),
              "stragglar needs an even number of ranks from 2 to 1024, not 1026");
    EXPECT_DEATH(
        Algorithm("pxn")->MakeSchedule(MakeLimitPart(CollectiveKind::ALL_TO_ALL, {10, 4}, 0, 1)),
        "pxn needs full");
}

TEST(ScheduleLimitsTest, FormulasSayWhatLongSchedulesWouldSend)
{
    const GroupShape shape{2 * MAX_RECEIVES, 1};
    EXPECT_NE(Algorithm("ring")->Check(CollectiveKind::ALL_GATHER, shape), "");
    const auto ring =
        Algorithm("ring")->GetSent(MakeLimitPart(CollectiveKind::ALL_GATHER, shape, 7, 3));
    const std::map<uint32_t, uint64_t> expected{{6, shape.size - 1}, {8, 2 * (shape.size - 1)}};
    EXPECT_EQ(ring, expected);
    const auto direct =
        Algorithm("direct")->GetSent(MakeLimitPart(CollectiveKind::ALL_TO_ALL, shape, 7, 3));
    EXPECT_TRUE(direct.empty());
}

TEST(ScheduleLimitsTest, TheDefaultIsAllowedForEveryGroup)
{
    for (const auto kind : {CollectiveKind::ALL_REDUCE,
                            CollectiveKind::ALL_GATHER,
                            CollectiveKind::REDUCE_SCATTER,
                            CollectiveKind::ALL_TO_ALL,
                            CollectiveKind::BROADCAST,
                            CollectiveKind::REDUCE})
    {
        const auto algorithms = CollectiveAlgorithm::GetAll(kind);
        std::set<std::string> names;
        for (const auto& algorithm : algorithms)
        {
            names.insert(algorithm->GetName());
        }
        EXPECT_EQ(names.size(), algorithms.size());
        EXPECT_EQ(names.count("ring"), 1U) << "over circuits there is nothing else";
        for (uint32_t size = 1; size < 40; ++size)
        {
            EXPECT_EQ(algorithms.front()->Check(kind, {size, 7}), "") << ToString(kind);
        }
    }
    EXPECT_TRUE(CollectiveAlgorithm::GetAll(CollectiveKind::SEND).empty());
}

TEST(ScheduleLimitsTest, GroupsThatAreTooLargeAreRefused)
{
    // Ring: 4 (N - 1) receives of an AllReduce, 2 (N - 1) of an AllGather.
    const GroupShape quarter{MAX_RECEIVES / 4 + 1, 1};
    const GroupShape tooLarge{MAX_RECEIVES / 4 + 2, 1};
    EXPECT_EQ(Algorithm("ring")->Check(CollectiveKind::ALL_REDUCE, quarter), "");
    EXPECT_EQ(Algorithm("ring")->Check(CollectiveKind::ALL_REDUCE, tooLarge),
              "ring cannot carry out AllReduce among 16386 ranks: a rank would receive more than "
              "65536 messages");
    EXPECT_EQ(Algorithm("ring")->Check(CollectiveKind::ALL_GATHER, tooLarge), "");
    EXPECT_EQ(Algorithm("direct")->Check(CollectiveKind::ALL_TO_ALL, {MAX_RECEIVES + 1, 1}), "");
    EXPECT_NE(Algorithm("direct")->Check(CollectiveKind::ALL_TO_ALL, {MAX_RECEIVES + 2, 1}), "");
    EXPECT_EQ(Algorithm("hierarchical")->Check(CollectiveKind::ALL_REDUCE, {MAX_RECEIVES, 8}), "");
    const auto part = MakeLimitPart(CollectiveKind::ALL_TO_ALL, {MAX_RECEIVES + 1, 1}, 77, 1 << 20);
    EXPECT_EQ(Algorithm("direct")->MakeSchedule(part).GetReceives().size(), MAX_RECEIVES);
}

TEST(ScheduleLimitsTest, LargeTensorsHaveLargerChunks)
{
    const uint64_t bytes = uint64_t{1} << 40;
    for (const auto kind :
         {CollectiveKind::ALL_REDUCE, CollectiveKind::BROADCAST, CollectiveKind::REDUCE})
    {
        auto part = MakeLimitPart(kind, {16, 1}, 9, bytes);
        part.chunkBytes = 4096;
        part.root = 3;
        const auto schedule = Algorithm("tree")->MakeSchedule(part);
        EXPECT_LE(schedule.GetReceives().size(), MAX_RECEIVES);
        EXPECT_EQ(schedule.GetBytesReceived(),
                  kind == CollectiveKind::ALL_REDUCE ? 2 * bytes : bytes);
        if (kind != CollectiveKind::ALL_REDUCE)
        {
            const auto chain = Algorithm("ring")->MakeSchedule(part);
            EXPECT_EQ(chain.GetReceives().size(), MAX_RECEIVES);
            EXPECT_EQ(chain.GetBytesReceived(), bytes);
        }
    }
}

TEST(ScheduleLimitsTest, ChunksAreAsLargeAsIsSaid)
{
    auto part = MakeLimitPart(CollectiveKind::BROADCAST, {4, 1}, 1, 8000);
    part.chunkBytes = 1000;
    for (const Algorithm algorithm : {"ring", "tree"})
    {
        const auto schedule = algorithm->MakeSchedule(part);
        for (const auto& receive : schedule.GetReceives())
        {
            EXPECT_EQ(receive.data.bytes, 1000);
        }
        EXPECT_EQ(schedule.GetReceives().size(), 8U);
    }
    part.chunkBytes = 0;
    EXPECT_DEATH(Algorithm("ring")->MakeSchedule(part), "chunks of no bytes");
}

TEST(ScheduleLimitsTest, SizesAreForTheGroup)
{
    auto part = MakeLimitPart(CollectiveKind::ALL_TO_ALL, {4, 2}, 1, 0);
    part.call.sizes = Create<AllToAllSizes>(3, std::vector<uint64_t>(9, 1));
    for (const auto& algorithm : CollectiveAlgorithm::GetAll(CollectiveKind::ALL_TO_ALL))
    {
        EXPECT_DEATH(algorithm->MakeSchedule(part), "4 ranks with sizes for 3");
    }
}

TEST(ScheduleLimitsTest, LargeGroupsCostEachRankItsOwnMessages)
{
    const GroupShape shape{4096, 8};
    const auto count = [&shape](Algorithm algorithm, CollectiveKind kind) {
        const auto schedule = algorithm->MakeSchedule(MakeLimitPart(kind, shape, 1234, 1 << 30));
        return schedule.GetReceives().size();
    };
    EXPECT_EQ(count("ring", CollectiveKind::ALL_REDUCE), 4 * 4095U);
    // Of each message a call, a beginning and the rest.
    EXPECT_EQ(count("halving-doubling", CollectiveKind::ALL_REDUCE), 3 * 24U);
    EXPECT_EQ(count("hierarchical", CollectiveKind::ALL_REDUCE), 4 * 2 * 7U + 4 * 511U);
    EXPECT_EQ(count("pxn", CollectiveKind::ALL_TO_ALL), 512 * 7U + 511U);
    EXPECT_EQ(count("ring", CollectiveKind::ALL_TO_ALL), 4096U);
    EXPECT_LE(Algorithm("tree")->GetConnectors(CollectiveKind::BROADCAST, shape, 5).size(), 60U);
}

} // namespace
} // namespace ns3
