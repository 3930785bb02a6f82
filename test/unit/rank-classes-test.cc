// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/framework.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return a job with experts on 2 x 4 ranks
WorkloadSpec
MakeExpertJob(ExpertPopularity::Kind kind)
{
    ParallelismSpec degrees{2, 2, 2};
    degrees.microBatches = 2;
    degrees.ep = 4;
    WorkloadSpec job =
        MakeJob("deepseek-v3-16b", degrees, Variant<Framework>("torchtitan")->MakeRules());
    job.popularity.kind = kind;
    return job;
}

} // namespace

TEST(RankClasses, PipelineRanksDifferAndExpertsIfTheyAreNotAlike)
{
    for (const auto kind :
         {ExpertPopularity::UNIFORM, ExpertPopularity::ZIPF, ExpertPopularity::INITIAL})
    {
        const auto job = MakeExpertJob(kind);
        const DeviceMesh mesh(job.parallelism);
        const RankClasses classes(job, mesh);
        EXPECT_EQ(classes.GetCount(), kind == ExpertPopularity::UNIFORM ? 2U : 8U);
        for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
        {
            const uint32_t lowest = classes.GetRepresentative(classes.GetClass(rank));
            EXPECT_LE(lowest, rank);
            EXPECT_EQ(classes.GetClass(lowest), classes.GetClass(rank));
            EXPECT_EQ(mesh.GetCoordinate(lowest).pp, mesh.GetCoordinate(rank).pp);
            // Whoever stands for a rank has its program.
            const auto own = RankProgramBuilder::Build(job, mesh, rank);
            const auto other = RankProgramBuilder::Build(job, mesh, lowest);
            ASSERT_EQ(own->GetSize(), other->GetSize());
            for (uint32_t i = 0; i < own->GetSize(); ++i)
            {
                const auto& a = own->GetOperations()[i];
                const auto& b = other->GetOperations()[i];
                ASSERT_EQ(a.label, b.label);
                ASSERT_EQ(a.bytes, b.bytes);
                ASSERT_EQ(a.duration, b.duration);
            }
        }
    }
}

TEST(RankClasses, RanksDifferIfOnlySomeGroupsAreInADomain)
{
    ParallelismSpec degrees{1, 3, 1};
    degrees.replicate = 4;
    degrees.gpusPerDomain = 4;
    const auto job = MakeJob("debugmodel", degrees, Variant<Framework>("torchtitan")->MakeRules());
    const DeviceMesh mesh(job.parallelism);
    const RankClasses classes(job, mesh);
    // Shards are 0-2, 3-5, 6-8 and 9-11; domains 0-3, 4-7 and 8-11.
    ASSERT_EQ(classes.GetCount(), 2U);
    for (uint32_t rank = 0; rank < 12; ++rank)
    {
        const bool isInside = rank < 3 || rank > 8;
        EXPECT_EQ(classes.GetClass(rank), isInside ? 0U : 1U) << rank;
        const auto program =
            RankProgramBuilder::Build(job, mesh, classes.GetRepresentative(classes.GetClass(rank)));
        for (const auto& operation : program->GetOperations())
        {
            if (operation.role == GroupRole::FSDP && operation.place != RankOperation::GPU)
            {
                EXPECT_EQ(operation.place,
                          isInside ? RankOperation::SCALE_UP : RankOperation::SCALE_OUT);
            }
        }
    }
}

TEST(RankClasses, ExpertsThatGetARemainderDiffer)
{
    ParallelismSpec degrees{1, 8, 1};
    degrees.seqLen = 10;
    WorkloadSpec job =
        MakeJob("debugmodel", degrees, Variant<Framework>("torchtitan")->MakeRules());
    job.model.moe = {8, 2, 128, 1, 1};
    job.parallelism.ep = 8;
    ASSERT_EQ(job.Validate(), "");
    const DeviceMesh mesh(job.parallelism);
    // 10 tokens x 2 rows on 8 ranks; 16 tokens are 4 rows for each.
    EXPECT_EQ(RankClasses(job, mesh).GetCount(), 8U);
    job.parallelism.seqLen = 16;
    EXPECT_EQ(RankClasses(job, mesh).GetCount(), 1U);
}

TEST(WorkloadRules, ExpertsUnderMegatronNeedSequenceParallelism)
{
    WorkloadSpec job = MakeExpertJob(ExpertPopularity::UNIFORM);
    job.parallelism.ep = 1;
    job.parallelism.expertTp = 2;
    job.parallelism.pp = 1;
    job.rules = Variant<Framework>("megatron-lm")->MakeRules();
    EXPECT_EQ(job.Validate().rfind("sequenceParallel=false: ", 0), 0U) << job.Validate();
    job.rules.sequenceParallel = true;
    EXPECT_EQ(job.Validate(), "");
}

TEST(JobRanks, EachRankStoresItsShareOfTheState)
{
    // 8,030,261,248 parameters on 4 x 2 x 2 ranks: weight and two moments of Adam, of 4 bytes each.
    EXPECT_EQ(JobRanks(MakeTracedJob()).GetStateBytes(), 12 * uint64_t{8030261248} / 16);
}
