// SPDX-License-Identifier: GPL-2.0-only

#include "framework.h"

namespace ns3
{

namespace
{

/**
 * TorchTitan v0.2.2 (commit 73a0e6979) with PyTorch 2.11 in steps without logging; file names are
 * relative to torchtitan/.
 */
class TorchTitanFramework : public Framework
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TorchTitanFramework")
                                .SetParent<Framework>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<TorchTitanFramework>();
        return tid;
    }

    std::string GetName() const override
    {
        return "torchtitan";
    }

    FrameworkRules MakeRules() const override
    {
        FrameworkRules rules;
        // models/llama3/infra/parallelize.py: fully_shard, unless all data ranks are replicas.
        rules.dataParallelism = DataParallelism::FSDP;
        rules.reshard = ReshardPolicy::DEFAULT; // config/job_config.py, fsdp_reshard_after_forward
        // FSDP2's implicit prefetching. With experts prefetching is explicit and equally far ahead
        // (models/llama4/infra/parallelize.py).
        rules.prefetch = 1;
        rules.gradients = Precision::FP32; // config/job_config.py, mixed_precision_reduce
        // distributed/utils.py, maybe_enable_amp: without FSDP, beside TP or a pipeline, there is
        // no mixed precision. With experts on several ranks models apply FSDP to one shard, too
        // (models/deepseek_v3/infra/parallelize.py).
        rules.mixesAlways = false;
        // config/job_config.py: Compile is disabled; PyTorch 2.9 brought a kernel for RMSNorm
        // (aten/src/ATen/native/layer_norm.cpp, _fused_rms_norm).
        rules.fusion = KernelFusion::NORMS;
        // models/llama3/infra/parallelize.py, apply_ddp: 100 MiB, gradients of 4 bytes. With a
        // configured size the first bucket has the same size as the others
        // (torch/nn/parallel/distributed.py; by default PyTorch closes the first bucket at 1 MiB
        // and others at 25 MiB).
        rules.overlapsReduction = true;
        rules.accumulatesGradients = false; // train.py: a plain backward for each micro-batch
        rules.bucketParameters = 100 * 1024 * 1024 / 4;
        // config/job_config.py, ActivationCheckpoint; by operators, as in the job file of Llama 3
        // 8B (models/llama3/train_configs/llama3_8b.toml), and not by layers, which is the default
        rules.recomputation = Recomputation::SELECTIVE;
        rules.tensorParallelism = TensorParallelStyle::DTENSOR;
        // PyTorch 2.11, torch/distributed/tensor: the gradient of a Partial result that became a
        // plain tensor is Replicate (_api.py, to_local; PyTorch pull request 173454), and matrix
        // products take one Partial factor (_ops/_matrix_ops.py; 174926).
        rules.multipliesPartialSums = true;
        // ... without FSDP, which would reduce them, gradients stay Partial. Their norm
        // (_ops/_math_ops.py; 165962) and fused Adam reduce them; clipping multiplies them as they
        // are (_ops/_pointwise_ops.py; 170025).
        rules.gradientReductions = 2;
        rules.sequenceParallel = true; // apply_tp: SequenceParallel norms, Shard(1) outputs
        rules.lossParallel = true;     // config/job_config.py, disable_loss_parallel
        rules.context = ContextExchange::ALL_GATHER; // ..., context_parallel_rotate_method
        rules.split =
            StageSplit::WEIGHTED; // distributed/pipeline_parallel.py and the weights 1 and 1
                                  // of pipeline_parallel_first/last_stage_less_layers
        rules.norms = NormReduction::PER_TENSOR; // distributed/utils.py, clip_grad_norm_
        rules.statistics =
            StepStatistics::VALID_TOKENS; // train.py; losses in every log_freq-th step
        rules.balancesExperts = true;     // components/optimizer.py, if load_balance_coeff is set
        // PyTorch, torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, WorkNCCL::wait
        rules.waitsForMessages = false;
        return rules;
    }
};

NS_OBJECT_ENSURE_REGISTERED(TorchTitanFramework);

/**
 * The main branch of TorchTitan in autumn 2025, while its version still read 0.1.0 (until commit
 * 29624e37f), with PyTorch 2.10 and with losses logged in every step.
 */
class EarlierTorchTitanFramework : public TorchTitanFramework
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::EarlierTorchTitanFramework")
                                .SetParent<TorchTitanFramework>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<EarlierTorchTitanFramework>();
        return tid;
    }

    std::string GetName() const override
    {
        return "torchtitan-0.1.0";
    }

    FrameworkRules MakeRules() const override
    {
        FrameworkRules rules = TorchTitanFramework::MakeRules();
        rules.statistics = StepStatistics::LOSS_TOKENS; // train.py, with metrics.log_freq=1
        // PyTorch 2.10, torch/distributed/tensor: the gradient of a Partial result is taken to be
        // Partial as well (_api.py, to_local), and no product takes a Partial factor
        // (_ops/_einsum_strategy.py).
        rules.multipliesPartialSums = false;
        rules.gradientReductions = 3; // ... clipping reduces, too (_ops/_pointwise_ops.py)
        rules.repeatsKeys = true;     // models/llama3/model/model.py, repeat_kv, until January 2026
        return rules;
    }
};

NS_OBJECT_ENSURE_REGISTERED(EarlierTorchTitanFramework);

} // namespace

} // namespace ns3
