// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/memory-estimate.h"
#include "ns3/sharding-plan.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return a job of a GPT on one rank: layers with 96 heads, width 12288, sequences of 2048 tokens
WorkloadSpec
MakeGptJob(const std::string& framework)
{
    WorkloadSpec job;
    job.model = *TransformerSpec::Find("gpt3-175b");
    job.rules = Variant<Framework>(framework)->MakeRules();
    job.rules.recomputation = Recomputation::NONE;
    job.gpu = *GpuSpec::Find("a100");
    job.parallelism.seqLen = 2048;
    return job;
}

/// s b h of that job
constexpr double SBH = 2048.0 * 12288;
/// the fp32 numbers that fused attention keeps, one for each query and head
constexpr double STATISTICS = 4.0 * 2048 * 96;

} // namespace

TEST(MemoryEstimate, ActivationsOfALayerAreThoseOfTheLiterature)
{
    // arXiv 2205.05198, equation 1: s b h (34 + 5 a s / h) with dropout masks, of which the scores
    // are not kept by fused attention, and 2 s b h are masks of dropout.
    WorkloadSpec job = MakeGptJob("megatron-lm");
    EXPECT_EQ(MemoryEstimate::GetLayerActivations(job, 0, Recomputation::NONE),
              static_cast<uint64_t>(32 * SBH + STATISTICS));
    EXPECT_EQ(MemoryEstimate::GetLayerActivations(job, 0, Recomputation::FULL),
              static_cast<uint64_t>(2 * SBH));

    // Equation 2: tensor parallelism divides 24 of them (here 22, without a mask), the other parts
    // are on every rank; equation 4: sequence parallelism divides everything.
    job.parallelism.tp = 8;
    EXPECT_EQ(MemoryEstimate::GetLayerActivations(job, 0, Recomputation::NONE),
              static_cast<uint64_t>((8 + 24.0 / 8) * SBH + STATISTICS / 8));
    job.rules.sequenceParallel = true;
    EXPECT_EQ(MemoryEstimate::GetLayerActivations(job, 0, Recomputation::NONE),
              static_cast<uint64_t>((32 * SBH + STATISTICS) / 8));

    // DTensor keeps the inputs of gathered products, 4 s b h, whole.
    job.rules.tensorParallelism = TensorParallelStyle::DTENSOR;
    EXPECT_EQ(MemoryEstimate::GetLayerActivations(job, 0, Recomputation::NONE),
              static_cast<uint64_t>((4 + 28.0 / 8) * SBH + STATISTICS / 8));
}

TEST(MemoryEstimate, RecomputationKeepsLess)
{
    for (const auto& name : TransformerSpec::GetNames())
    {
        WorkloadSpec job = MakeTracedJob();
        job.model = *TransformerSpec::Find(name);
        job.parallelism = ParallelismSpec();
        for (const uint32_t layer : {0U, job.model.layers - 1})
        {
            const auto none = MemoryEstimate::GetLayerActivations(job, layer, Recomputation::NONE);
            const auto some =
                MemoryEstimate::GetLayerActivations(job, layer, Recomputation::SELECTIVE);
            const auto full = MemoryEstimate::GetLayerActivations(job, layer, Recomputation::FULL);
            EXPECT_GT(none, some) << name << " layer " << layer;
            EXPECT_GT(some, full) << name << " layer " << layer;
        }
    }
}

TEST(MemoryEstimate, StatesByKindOfDataParallelism)
{
    WorkloadSpec job = MakeTracedJob(); // two pipeline ranks, two shards
    job.rules.dataParallelism = DataParallelism::FSDP;
    const ShardingPlan shards(job.model, job.parallelism, job.rules, 0);
    EXPECT_EQ(MemoryEstimate::Make(job, 0).states, 16 * shards.GetShardParameters());
    EXPECT_GT(MemoryEstimate::Make(job, 0).gathered, 0u);

    job.rules.dataParallelism = DataParallelism::DDP;
    EXPECT_EQ(MemoryEstimate::Make(job, 0).states, 16 * shards.GetParameters());
    EXPECT_EQ(MemoryEstimate::Make(job, 0).gathered, 0u);

    job.rules.dataParallelism = DataParallelism::DISTRIBUTED_OPTIMIZER;
    const ShardingPlan owned(job.model, job.parallelism, job.rules, 0);
    EXPECT_EQ(MemoryEstimate::Make(job, 0).states,
              6 * owned.GetParameters() + 12 * owned.GetShardParameters());
}

TEST(MemoryEstimate, PipelineRanksKeepMicroBatchesInFlight)
{
    WorkloadSpec job = MakeGptJob("megatron-lm");
    job.parallelism.pp = 4;
    job.parallelism.microBatches = 8;
    const auto layer = MemoryEstimate::GetLayerActivations(job, 0, Recomputation::NONE);
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        // 24 layers a stage; 1F1B has p - rank micro-batches in flight.
        EXPECT_EQ(MemoryEstimate::Make(job, rank).activations, (4 - rank) * 24 * layer);
        EXPECT_EQ(MemoryEstimate::Make(job, rank).logits > 0, rank == 3);
    }
    job.parallelism.schedule = Variant<PipelineSchedule>("gpipe");
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        EXPECT_EQ(MemoryEstimate::Make(job, rank).activations, 8 * 24 * layer);
    }
}

TEST(MemoryEstimate, ReshardingDecidesWhatStaysGathered)
{
    WorkloadSpec job = MakeTracedJob();
    job.rules.reshard = ReshardPolicy::NEVER;
    const auto kept = MemoryEstimate::Make(job, 0).gathered;
    job.rules.reshard = ReshardPolicy::ALWAYS;
    const auto released = MemoryEstimate::Make(job, 0).gathered;
    const ShardingPlan plan(job.model, job.parallelism, job.rules, 0);
    EXPECT_GT(kept, 2 * plan.GetParameters());
    EXPECT_LT(released, kept);
    job.rules.reshard = ReshardPolicy::DEFAULT; // a pipeline keeps them
    EXPECT_EQ(MemoryEstimate::Make(job, 0).gathered, kept);
    job.parallelism.pp = 1;
    const auto whole = MemoryEstimate::Make(job, 0).gathered;
    job.rules.reshard = ReshardPolicy::ALWAYS;
    EXPECT_EQ(MemoryEstimate::Make(job, 0).gathered, whole);
}

TEST(MemoryEstimate, SaysWhatDoesNotFit)
{
    WorkloadSpec job = MakeTracedJob();
    EXPECT_EQ(MemoryEstimate::Check(job), "");
    job.model = *TransformerSpec::Find("llama3-405b");
    job.gpu = *GpuSpec::Find("h100");
    job.parallelism = ParallelismSpec();
    job.parallelism.tp = 8;
    const std::string remark = MemoryEstimate::Check(job);
    EXPECT_EQ(remark.find("pipeline rank 0 needs more memory than the 80 GB of h100: by estimate "),
              0u)
        << remark;
    EXPECT_EQ(remark.find('\n'), std::string::npos);
}
