// SPDX-License-Identifier: GPL-2.0-only

#include "framework-rules.h"

namespace ns3
{

namespace
{

/**
 * TorchTitan v0.2.2; files are those of torchtitan/.
 * @return the preset
 */
FrameworkRules
MakeTorchTitan()
{
    FrameworkRules rules;
    rules.name = "torchtitan";
    // models/llama3/infra/parallelize.py: fully_shard unless there are replicas only.
    rules.dataParallelism = DataParallelism::FSDP;
    rules.reshard = ReshardPolicy::DEFAULT; // config/job_config.py, fsdp_reshard_after_forward
    // FSDP2's implicit prefetching; explicit with experts, and as far ahead
    // (models/llama4/infra/parallelize.py).
    rules.prefetch = 1;
    rules.gradients = Precision::FP32; // config/job_config.py, mixed_precision_reduce
    // models/llama3/infra/parallelize.py, apply_ddp: 100 MiB, gradients of 4 bytes. The first
    // bucket is no smaller if a size is set (torch/nn/parallel/distributed.py; by default PyTorch
    // closes the first at 1 MiB and others at 25 MiB).
    rules.overlapsReduction = true;
    rules.accumulatesGradients = false; // train.py: a plain backward for each micro-batch
    rules.bucketParameters = 100 * 1024 * 1024 / 4;
    rules.recomputation = Recomputation::NONE;
    rules.tensorParallelism = TensorParallelStyle::DTENSOR;
    rules.sequenceParallel = true; // apply_tp: SequenceParallel norms, Shard(1) outputs
    rules.lossParallel = true;     // config/job_config.py, disable_loss_parallel
    rules.context = ContextExchange::ALL_GATHER; // ..., context_parallel_rotate_method
    rules.split = StageSplit::WEIGHTED; // distributed/pipeline_parallel.py and the weights 1 and 1
                                        // of pipeline_parallel_first/last_stage_less_layers
    rules.norms = NormReduction::PER_TENSOR;         // distributed/utils.py, clip_grad_norm_
    rules.statistics = StepStatistics::VALID_TOKENS; // train.py; losses in every log_freq-th step
    rules.balancesExperts = true; // components/optimizer.py, if load_balance_coeff is set
    return rules;
}

/**
 * Megatron-LM with Megatron Core v0.14.0; files are those of megatron/.
 * @return the preset
 */
FrameworkRules
MakeMegatron()
{
    FrameworkRules rules;
    rules.name = "megatron-lm";
    rules.dataParallelism = DataParallelism::DISTRIBUTED_OPTIMIZER; // --use-distributed-optimizer
    rules.gradients = Precision::FP32; // training/arguments.py: in fp32 if --bf16
    // training/arguments.py, --overlap-grad-reduce; sizes if it is set:
    // core/distributed/distributed_data_parallel.py.
    rules.overlapsReduction = false;
    rules.accumulatesGradients = true; // core/pipeline_parallel/schedules.py, no_sync_func
    rules.bucketParameters = 40000000;
    rules.bucketParametersPerRank = 1000000;
    rules.recomputation = Recomputation::FULL; // training/arguments.py, --recompute-granularity
    rules.tensorParallelism = TensorParallelStyle::MEGATRON; // core/tensor_parallel/layers.py
    rules.vocabularyMultiple = 128;        // training/arguments.py, --make-vocab-size-divisible-by
    rules.sequenceParallel = false;        // training/arguments.py, --sequence-parallel
    rules.lossParallel = true;             // core/tensor_parallel/cross_entropy.py
    rules.context = ContextExchange::RING; // training/arguments.py, --cp-comm-type p2p
    rules.split = StageSplit::EVEN;        // core/transformer/transformer_block.py
    rules.norms = NormReduction::SCALAR;   // core/optimizer/clip_grads.py
    rules.statistics = StepStatistics::LOSS; // training/training.py, train_step
    rules.balancesExperts = false; // training/arguments.py, --moe-router-enable-expert-bias
    return rules;
}

/// @return every preset
std::vector<FrameworkRules>
GetRulePresets()
{
    FrameworkRules before = MakeTorchTitan();
    before.name = "torchtitan-0.1.0";
    before.statistics = StepStatistics::LOSS_TOKENS; // train.py, with metrics.log_freq=1
    before.repeatsKeys = true; // models/llama3/model/model.py, repeat_kv, until January 2026
    return {MakeTorchTitan(), before, MakeMegatron()};
}

} // namespace

std::optional<FrameworkRules>
FrameworkRules::Find(const std::string& name)
{
    for (const auto& preset : GetRulePresets())
    {
        if (preset.name == name)
        {
            return preset;
        }
    }
    return std::nullopt;
}

std::vector<std::string>
FrameworkRules::GetNames()
{
    std::vector<std::string> names;
    for (const auto& preset : GetRulePresets())
    {
        names.push_back(preset.name);
    }
    return names;
}

} // namespace ns3
