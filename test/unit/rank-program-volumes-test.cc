// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;

TEST(RankProgramVolumes, VolumesOfTheTracedWorkload)
{
    const auto programs = Build(MakeTracedJob());
    for (const auto& program : programs)
    {
        auto fsdp = Measure(*program, [](const auto& operation) {
            return operation.dimension == Dimension::FSDP;
        });
        EXPECT_EQ(fsdp[CollectiveKind::ALL_GATHER].count, 51U);
        EXPECT_EQ(fsdp[CollectiveKind::REDUCE_SCATTER].count, 17U);
        EXPECT_EQ(fsdp[CollectiveKind::ALL_REDUCE].count, 1U);
        EXPECT_LT(fsdp[CollectiveKind::ALL_REDUCE].bytes, 1U << 20);
        auto pp = Measure(*program, [](const auto& operation) {
            return operation.dimension == Dimension::PP;
        });
        EXPECT_EQ(pp[CollectiveKind::SEND].bytes, 2U * (64U << 20));
        EXPECT_EQ(pp[CollectiveKind::RECV].count, 2U);
        // 16 layers: 2 forward, 2 recomputed, 2 backward; and one of the embedding or output.
        auto tp = Measure(*program, IsTp);
        EXPECT_EQ(tp[CollectiveKind::ALL_GATHER].count, 2U * (6 * 16 + 1));
        EXPECT_EQ(tp[CollectiveKind::REDUCE_SCATTER].count, 2U * (6 * 16 + 1));
        EXPECT_LT(program->GetSize(), 1000U);
    }
}

TEST(RankProgramVolumes, WithoutAPipelineEveryBackwardGathersAndReduces)
{
    ParallelismSpec degrees{1, 4, 1};
    degrees.microBatches = 3;
    auto volumes = Measure(*Build(MakeJob("debugmodel", degrees))[0], IsAny);
    EXPECT_EQ(volumes[CollectiveKind::ALL_GATHER].count, 3U * 2 * 8);
    EXPECT_EQ(volumes[CollectiveKind::REDUCE_SCATTER].count, 3U * 8);
    EXPECT_EQ(volumes[CollectiveKind::SEND].count, 0U);
}

TEST(RankProgramVolumes, ReshardPolicies)
{
    ParallelismSpec degrees{1, 4, 2};
    degrees.microBatches = 2;
    auto count = [&degrees](ReshardPolicy policy, uint32_t stage) {
        FrameworkRules rules = TracedRules();
        rules.reshard = policy;
        return Measure(*Build(MakeJob("debugmodel", degrees, rules))[stage],
                       IsAny)[CollectiveKind::ALL_GATHER]
            .count;
    };
    EXPECT_EQ(count(ReshardPolicy::ALWAYS, 0), 3U * 4);
    EXPECT_EQ(count(ReshardPolicy::DEFAULT, 0), 4U); // TorchTitan: all kept in a pipeline
    EXPECT_EQ(count(ReshardPolicy::DEFAULT, 1), 4U);
    EXPECT_EQ(count(ReshardPolicy::NEVER, 0), 4U);
    EXPECT_EQ(count(ReshardPolicy::NEVER, 1), 4U);
}

TEST(RankProgramVolumes, GivenLayersAreSharedOutAndNothingIsLost)
{
    ParallelismSpec degrees{2, 2, 4};
    degrees.microBatches = 4;
    const auto isFsdp = [](const auto& operation) {
        return operation.dimension == Dimension::FSDP;
    };
    const auto measure = [&](const std::vector<uint32_t>& layers) {
        FrameworkRules rules = TracedRules();
        rules.stageLayers = layers;
        const auto programs = Build(MakeJob("debugmodel", degrees, rules));
        std::vector<uint64_t> tp; // AllGathers of each stage
        uint64_t fsdp = 0;        // bytes of all gradients
        for (const auto& program : programs)
        {
            tp.push_back(Measure(*program, IsTp)[CollectiveKind::ALL_GATHER].count);
            fsdp += Measure(*program, isFsdp)[CollectiveKind::REDUCE_SCATTER].bytes;
        }
        return std::pair(tp, fsdp);
    };
    const auto even = measure({2, 1, 2, 1});
    const auto uneven = measure({0, 3, 1, 2});
    ASSERT_EQ(even.first.size(), 4U);
    // A layer has 6 in each of 4 micro-batches: 2 forward, 2 recomputed, 2 backward.
    const std::vector<int> moved{-2, 2, -1, 1};
    for (std::size_t stage = 0; stage < 4; ++stage)
    {
        EXPECT_EQ(static_cast<int>(uneven.first[stage]) - static_cast<int>(even.first[stage]),
                  4 * 6 * moved[stage])
            << stage;
    }
    EXPECT_EQ(even.second, uneven.second);
}

TEST(RankProgramVolumes, SendsAndReceivesOfNeighboursBalance)
{
    ParallelismSpec degrees{1, 2, 4};
    degrees.microBatches = 6;
    const auto programs = Build(MakeJob("debugmodel", degrees));
    auto count = [&programs](uint32_t stage, CollectiveKind kind, GroupRole role) {
        return Measure(*programs[stage],
                       [role](const auto& operation) { return operation.role == role; })[kind]
            .count;
    };
    for (uint32_t stage = 0; stage + 1 < 4; ++stage)
    {
        EXPECT_EQ(count(stage, CollectiveKind::SEND, GroupRole::PP_NEXT),
                  count(stage + 1, CollectiveKind::RECV, GroupRole::PP_PREVIOUS));
        EXPECT_EQ(count(stage, CollectiveKind::RECV, GroupRole::PP_NEXT),
                  count(stage + 1, CollectiveKind::SEND, GroupRole::PP_PREVIOUS));
    }
}
