// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/recomputation-choice.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return a job of a framework on A100s: one pipeline rank, one micro-batch
WorkloadSpec
MakeFrameworkJob(const char* model,
                 const char* framework,
                 uint32_t tp,
                 uint32_t fsdp,
                 uint32_t sequences,
                 uint32_t seqLen)
{
    ParallelismSpec degrees{tp, fsdp, 1};
    degrees.microBatchSize = sequences;
    degrees.seqLen = seqLen;
    return MakeJob(model, degrees, Variant<Framework>(framework)->MakeRules());
}

/// @return what is chosen from what the framework takes in any case
Recomputation
Choose(const WorkloadSpec& job)
{
    return RecomputationChoice::Make(job, job.rules.recomputation).recomputation;
}

} // namespace

TEST(RecomputationChoice, IsTheLeastThatFitsToTheByte)
{
    WorkloadSpec job = MakeTracedJob();
    std::map<Recomputation, double> needed; // memory of a GPU
    for (const auto one : {Recomputation::NONE, Recomputation::SELECTIVE, Recomputation::FULL})
    {
        job.rules.recomputation = one;
        const auto bytes = static_cast<double>(MemoryEstimate::FindMost(job).second.GetTotal());
        needed[one] = bytes / (1 - RecomputationChoice::MARGIN);
    }
    const auto choose = [&job](double memory, Recomputation least) {
        job.gpu.memory = memory;
        return RecomputationChoice::Make(job, least).recomputation;
    };
    EXPECT_EQ(choose(needed[Recomputation::NONE] + 2, Recomputation::NONE), Recomputation::NONE);
    EXPECT_EQ(choose(needed[Recomputation::NONE] - 2, Recomputation::NONE),
              Recomputation::SELECTIVE);
    EXPECT_EQ(choose(needed[Recomputation::SELECTIVE] + 2, Recomputation::NONE),
              Recomputation::SELECTIVE);
    EXPECT_EQ(choose(needed[Recomputation::SELECTIVE] - 2, Recomputation::NONE),
              Recomputation::FULL);
    EXPECT_EQ(choose(1, Recomputation::NONE), Recomputation::FULL); // nothing fits
    EXPECT_EQ(choose(1e15, Recomputation::SELECTIVE), Recomputation::SELECTIVE);
    EXPECT_EQ(choose(1e15, Recomputation::FULL), Recomputation::FULL);
}

TEST(RecomputationChoice, TakesThePipelineRankThatNeedsMost)
{
    WorkloadSpec job = MakeTracedJob();
    job.parallelism.seqLen = 1024; // logits, on the last rank, are more than activations
    const auto [rank, memory] = MemoryEstimate::FindMost(job);
    EXPECT_EQ(rank, 1u);
    EXPECT_EQ(memory.GetTotal(), MemoryEstimate::Make(job, 1).GetTotal());
    EXPECT_GT(memory.GetTotal(), MemoryEstimate::Make(job, 0).GetTotal());
}

TEST(RecomputationChoice, OfTheJobFilesOfTorchTitan)
{
    // torchtitan/models/llama3/train_configs, "a preset for 64 A100 GPUs": llama3_8b.toml has mode
    // selective by operators, llama3_70b.toml has mode full.
    EXPECT_EQ(Choose(MakeFrameworkJob("llama3-8b", "torchtitan", 1, 64, 1, 8192)),
              Recomputation::SELECTIVE);
    EXPECT_EQ(Choose(MakeFrameworkJob("llama3-70b", "torchtitan", 8, 8, 8, 8192)),
              Recomputation::FULL);
    // docs/performance.md, 64 A100 of 80 GB: Llama 2 13B ran without recomputation, 70B with two
    // sequences ran out of memory with selective recomputation.
    WorkloadSpec job = MakeFrameworkJob("llama2-13b", "torchtitan", 1, 64, 2, 4096);
    EXPECT_EQ(RecomputationChoice::Make(job, Recomputation::NONE).recomputation,
              Recomputation::NONE);
    EXPECT_EQ(Choose(MakeFrameworkJob("llama2-70b", "torchtitan", 1, 64, 2, 4096)),
              Recomputation::FULL);
}

TEST(RecomputationChoice, MegatronRecomputesOnlyIfItHasTo)
{
    // Selective recomputation saves nothing there: fused attention keeps no scores.
    EXPECT_EQ(Choose(MakeFrameworkJob("llama3-8b", "megatron-lm", 4, 2, 1, 8192)),
              Recomputation::NONE);
    EXPECT_EQ(Choose(MakeFrameworkJob("llama3-8b", "megatron-lm", 4, 2, 4, 8192)),
              Recomputation::FULL);
}

TEST(RecomputationChoice, IsOneLine)
{
    WorkloadSpec job = MakeTracedJob();
    EXPECT_EQ(RecomputationChoice::Describe(job, "as recorded"),
              "full, as recorded: by estimate 22.5 of 80 GB");
}
