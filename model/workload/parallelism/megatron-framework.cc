// SPDX-License-Identifier: GPL-2.0-only

#include "framework.h"

namespace ns3
{

namespace
{

/**
 * Megatron-LM with Megatron Core v0.14.0; file names are relative to megatron/. The rules include
 * the distributed optimizer, which Megatron-LM enables by flag only (--use-distributed-optimizer).
 * Sequence parallelism and recomputation are off, which is the default of Megatron-LM.
 */
class MegatronFramework : public Framework
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::MegatronFramework")
                                .SetParent<Framework>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<MegatronFramework>();
        return tid;
    }

    std::string GetName() const override
    {
        return "megatron-lm";
    }

    FrameworkRules MakeRules() const override
    {
        FrameworkRules rules;
        rules.dataParallelism =
            DataParallelism::DISTRIBUTED_OPTIMIZER; // --use-distributed-optimizer
        rules.gradients = Precision::FP32;          // training/arguments.py: in fp32 if --bf16
        // Transformer Engine's norms (core/extensions/transformer_engine.py), and core/fusions/
        rules.fusion = KernelFusion::ALL;
        rules.fusesAttention = true; // training/arguments.py, --attention-backend auto
        // training/arguments.py, --overlap-grad-reduce; bucket sizes for that flag:
        // core/distributed/distributed_data_parallel.py.
        rules.overlapsReduction = false;
        rules.accumulatesGradients = true; // core/pipeline_parallel/schedules.py, no_sync_func
        rules.bucketParameters = 40000000;
        rules.bucketParametersPerRank = 1000000;
        rules.recomputation = Recomputation::NONE; // training/arguments.py, --recompute-granularity
        rules.tensorParallelism = TensorParallelStyle::MEGATRON; // core/tensor_parallel/layers.py
        rules.vocabularyMultiple = 128; // training/arguments.py, --make-vocab-size-divisible-by
        rules.sequenceParallel = false; // training/arguments.py, --sequence-parallel
        rules.lossParallel = true;      // core/tensor_parallel/cross_entropy.py
        rules.context = ContextExchange::RING;   // training/arguments.py, --cp-comm-type p2p
        rules.split = StageSplit::EVEN;          // core/transformer/transformer_block.py
        rules.norms = NormReduction::SCALAR;     // core/optimizer/clip_grads.py
        rules.statistics = StepStatistics::LOSS; // training/training.py, train_step
        rules.balancesExperts = false; // training/arguments.py, --moe-router-enable-expert-bias
        // core/model_parallel_config.py, batch_p2p_sync;
        // core/pipeline_parallel/p2p_communication.py
        rules.waitsForMessages = true;
        return rules;
    }
};

NS_OBJECT_ENSURE_REGISTERED(MegatronFramework);

} // namespace

} // namespace ns3
