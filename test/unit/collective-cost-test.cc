// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Rounds and bytes of the schedules against closed forms, and the formulas of the alpha-beta model
 * against both.
 */

#include "ns3/collective-algorithm.h"
#include "ns3/schedule-check.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace ns3
{

/// An algorithm by its name.
using Algorithm = Variant<CollectiveAlgorithm>;

namespace
{

/// @return a call without remainders in groups of up to 16 ranks in domains of any size
RankContext
MakeCostPart(CollectiveKind kind, const GroupShape& shape)
{
    RankContext part;
    part.call.kind = kind;
    part.call.bytes = 2 * shape.size;
    part.shape = shape;
    part.chunkBytes = 1000;
    return part;
}

/// @return log2, rounded down
uint32_t
GetLog(uint32_t size)
{
    return size < 2 ? 0 : 1 + GetLog(size / 2);
}

/// What the ranks of a group send.
struct Sent
{
    uint64_t least{0};  //!< bytes of the rank that sends least
    uint64_t most{0};   //!< bytes of the rank that sends most
    uint64_t all{0};    //!< bytes of all ranks together
    uint64_t across{0}; //!< bytes of all ranks to other domains
    bool onRails{true}; //!< all of these go to ranks of the same local index
};

Sent
CountSent(const std::vector<CollectiveSchedule>& schedules, uint32_t perDomain)
{
    Sent sent;
    sent.least = ~uint64_t{0};
    for (uint32_t rank = 0; rank < schedules.size(); ++rank)
    {
        const uint64_t bytes = schedules[rank].GetBytesSent();
        sent.least = std::min(sent.least, bytes);
        sent.most = std::max(sent.most, bytes);
        sent.all += bytes;
        for (const auto& send : schedules[rank].GetSends())
        {
            if (send.peer / perDomain != rank / perDomain)
            {
                sent.across += send.data.bytes;
                sent.onRails = sent.onRails && send.peer % perDomain == rank % perDomain;
            }
        }
    }
    return sent;
}

/// The parameter is the number of ranks.
class CollectiveCostTest : public testing::TestWithParam<uint32_t>
{
  protected:
    /// Check rounds, against the formula as well, and return what is sent.
    Sent Check(Algorithm algorithm, const RankContext& part, uint32_t rounds)
    {
        ScheduleCheck check(algorithm, part);
        EXPECT_EQ(check.Run({}), "");
        EXPECT_EQ(check.GetRounds(), rounds) << algorithm->GetName();
        const auto cost = algorithm->GetCost(part);
        EXPECT_EQ(cost.rounds + cost.domainRounds, rounds) << algorithm->GetName();
        return CountSent(check.schedules, part.shape.perDomain);
    }
};

TEST_P(CollectiveCostTest, GathersAndScattersSendWhatTheyMust)
{
    const uint32_t size = GetParam();
    for (const CollectiveKind kind :
         {CollectiveKind::ALL_GATHER, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_REDUCE})
    {
        const uint32_t times = kind == CollectiveKind::ALL_REDUCE ? 2 : 1;
        for (uint32_t perDomain = 1; perDomain <= size; ++perDomain)
        {
            if (size % perDomain != 0)
            {
                continue;
            }
            const uint32_t domains = size / perDomain;
            const auto part = MakeCostPart(kind, {size, perDomain});
            const uint64_t tensor = GetTensorBytes(kind, size, part.call.bytes);
            const uint64_t least = times * (tensor - tensor / size);
            const auto two =
                Check("hierarchical", part, times * (domains - 1 + (perDomain > 1 ? 1 : 0)));
            EXPECT_EQ(two.least, least);
            EXPECT_EQ(two.most, least);
            EXPECT_EQ(two.across, times * (domains - 1) * tensor);
            EXPECT_TRUE(two.onRails);
            const auto cost = Algorithm("hierarchical")->GetCost(part);
            EXPECT_DOUBLE_EQ(cost.bytes, static_cast<double>(two.across) / size);
            EXPECT_DOUBLE_EQ(cost.bytes + cost.domainBytes, static_cast<double>(least));

            const auto ring = Check("ring", part, times * (size - 1));
            EXPECT_EQ(ring.least, least);
            EXPECT_EQ(ring.most, least);
            EXPECT_DOUBLE_EQ(Algorithm("ring")->GetCost(part).bytes, static_cast<double>(least));
            const auto direct = Check("direct", part, size > 1 ? times : 0);
            EXPECT_EQ(direct.least, least);
            EXPECT_EQ(direct.most, least);
            EXPECT_DOUBLE_EQ(Algorithm("direct")->GetCost(part).bytes, static_cast<double>(least));
            if ((size & (size - 1)) == 0)
            {
                const auto halving = Check("halving-doubling", part, times * GetLog(size));
                EXPECT_EQ(halving.least, least);
                EXPECT_EQ(halving.most, least);
                EXPECT_DOUBLE_EQ(Algorithm("halving-doubling")->GetCost(part).bytes,
                                 static_cast<double>(least));
            }
        }
    }
}

TEST_P(CollectiveCostTest, TreesSendEachByteOnceToEachRank)
{
    const uint32_t size = GetParam();
    auto part = MakeCostPart(CollectiveKind::ALL_REDUCE, {size, 1});
    const uint64_t tensor = part.call.bytes;
    for (const uint64_t chunkBytes : {1, 3, 1000})
    {
        part.chunkBytes = chunkBytes;
        part.root = 0;
        part.call.kind = CollectiveKind::ALL_REDUCE;
        const auto reduce = Check("tree", part, 2 * GetLog(size));
        EXPECT_EQ(reduce.all, 2 * (size - 1) * tensor);
        EXPECT_LE(reduce.most, 2 * tensor);
        const uint32_t levels = size > 1 ? 1 + GetLog(size - 1) : 0;
        for (part.root = 0; part.root < size; ++part.root)
        {
            part.call.kind = CollectiveKind::BROADCAST;
            const auto from = Check("tree", part, levels);
            EXPECT_EQ(from.all, (size - 1) * tensor);
            EXPECT_LE(from.most, tensor);
            part.call.kind = CollectiveKind::REDUCE;
            const auto to = Check("tree", part, levels);
            EXPECT_EQ(to.all, (size - 1) * tensor);
            EXPECT_LE(to.most, tensor);
            EXPECT_EQ(to.least, 0);
        }
    }
}

TEST_P(CollectiveCostTest, ChainsSendEachByteOnceToEachRank)
{
    const uint32_t size = GetParam();
    for (const CollectiveKind kind : {CollectiveKind::BROADCAST, CollectiveKind::REDUCE})
    {
        auto part = MakeCostPart(kind, {size, 1});
        part.chunkBytes = 3;
        for (const uint32_t directions : {1, 2})
        {
            part.directions = directions;
            const auto sent = Check("ring", part, size - 1);
            EXPECT_EQ(sent.all, (size - 1) * part.call.bytes);
            EXPECT_LE(sent.most, part.call.bytes);
        }
    }
}

TEST_P(CollectiveCostTest, AllToAllSendsBlocks)
{
    const uint32_t size = GetParam();
    for (uint32_t perDomain = 1; perDomain <= size; ++perDomain)
    {
        if (size % perDomain != 0)
        {
            continue;
        }
        const uint32_t domains = size / perDomain;
        auto part = MakeCostPart(CollectiveKind::ALL_TO_ALL, {size, perDomain});
        const uint64_t block = 2;
        const auto pairwise = Check("pairwise", part, size - 1);
        const auto direct = Check("direct", part, size > 1 ? 1 : 0);
        for (const auto& sent : {pairwise, direct})
        {
            EXPECT_EQ(sent.least, (size - 1) * block);
            EXPECT_EQ(sent.most, (size - 1) * block);
            EXPECT_EQ(sent.across, size * (size - perDomain) * block);
        }
        const auto pxn = Check("pxn", part, (perDomain > 1 ? 1 : 0) + (domains > 1 ? 1 : 0));
        const uint64_t inside = domains * (perDomain - 1) * block;
        const uint64_t across = (domains - 1) * perDomain * block;
        EXPECT_EQ(pxn.least, inside + across);
        EXPECT_EQ(pxn.most, inside + across);
        EXPECT_EQ(pxn.across, size * across);
        EXPECT_TRUE(pxn.onRails);
        const auto cost = Algorithm("pxn")->GetCost(part);
        EXPECT_DOUBLE_EQ(cost.bytes, static_cast<double>(across));
        EXPECT_DOUBLE_EQ(cost.domainBytes, static_cast<double>(inside));

        for (const uint32_t directions : {1, 2})
        {
            part.directions = directions;
            const auto ring = Check("ring", part, directions == 1 ? size - 1 : size / 2);
            const uint64_t sent =
                block * (directions == 1 ? size * (size - 1) / 2 : size * size / 4);
            EXPECT_EQ(ring.least, sent);
            EXPECT_EQ(ring.most, sent);
            EXPECT_DOUBLE_EQ(Algorithm("ring")->GetCost(part).bytes, static_cast<double>(sent));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, CollectiveCostTest, testing::Range(1U, 17U));

/// @return the time of a call on a network of 1 us and 1 byte per ns
double
GetMicroSeconds(Algorithm algorithm,
                CollectiveKind kind,
                uint32_t size,
                uint64_t bytes,
                uint64_t chunkBytes)
{
    RankContext part;
    part.call.kind = kind;
    part.call.bytes = bytes;
    part.shape = {size, 1};
    part.chunkBytes = chunkBytes;
    return algorithm->GetCost(part).GetSeconds({1e-6, 1e-9}) * 1e6;
}

TEST(CollectiveCostFormulaTest, TimesAreThoseOfTheTextbooks)
{
    // 16 KB are 16 us on the wire.
    const auto ring = "ring";
    EXPECT_DOUBLE_EQ(GetMicroSeconds(ring, CollectiveKind::ALL_REDUCE, 16, 16000, 1), 30 + 30);
    EXPECT_DOUBLE_EQ(GetMicroSeconds(ring, CollectiveKind::ALL_GATHER, 16, 1000, 1), 15 + 15);
    const auto halving = "halving-doubling";
    EXPECT_DOUBLE_EQ(GetMicroSeconds(halving, CollectiveKind::ALL_REDUCE, 16, 16000, 1), 8 + 30);
    EXPECT_DOUBLE_EQ(GetMicroSeconds(halving, CollectiveKind::REDUCE_SCATTER, 16, 16000, 1),
                     4 + 15);
    EXPECT_DOUBLE_EQ(GetMicroSeconds("pairwise", CollectiveKind::ALL_TO_ALL, 16, 16000, 1),
                     15 + 15);
    EXPECT_DOUBLE_EQ(GetMicroSeconds("direct", CollectiveKind::ALL_TO_ALL, 16, 16000, 1), 1 + 15);
    // Chains and trees with one chunk, and with many.
    EXPECT_DOUBLE_EQ(GetMicroSeconds(ring, CollectiveKind::BROADCAST, 5, 8000, 8000), 4 + 4 * 8);
    EXPECT_DOUBLE_EQ(GetMicroSeconds(ring, CollectiveKind::BROADCAST, 5, 8000, 1000), 4 + 7 * 2);
    const auto tree = "tree";
    EXPECT_DOUBLE_EQ(GetMicroSeconds(tree, CollectiveKind::BROADCAST, 16, 16000, 8000), 4 + 4 * 16);
    EXPECT_DOUBLE_EQ(GetMicroSeconds(tree, CollectiveKind::BROADCAST, 16, 16000, 1000), 4 + 11 * 2);
    EXPECT_DOUBLE_EQ(GetMicroSeconds(tree, CollectiveKind::ALL_REDUCE, 16, 16000, 8000),
                     8 + 16 * 8);
    EXPECT_DOUBLE_EQ(GetMicroSeconds(tree, CollectiveKind::ALL_REDUCE, 16, 16000, 1000),
                     8 + 16 + 7 * 4);
    EXPECT_DOUBLE_EQ(GetMicroSeconds(tree, CollectiveKind::ALL_REDUCE, 2, 16000, 8000), 2 + 16);
    EXPECT_DOUBLE_EQ(GetMicroSeconds(tree, CollectiveKind::ALL_REDUCE, 1, 16000, 8000), 0);
}

TEST(CollectiveCostFormulaTest, LevelsHaveTheirOwnAlphaAndBeta)
{
    RankContext part;
    part.call.kind = CollectiveKind::ALL_REDUCE;
    part.call.bytes = 32000;
    part.shape = {32, 8};
    const auto cost = Algorithm("hierarchical")->GetCost(part);
    EXPECT_DOUBLE_EQ(cost.GetSeconds({1e-6, 1e-9}), (6 + 6) * 1e-6);
    EXPECT_DOUBLE_EQ(cost.GetSeconds({}, {1e-6, 1e-10}), (2 + 5.6) * 1e-6);
}

} // namespace
} // namespace ns3
