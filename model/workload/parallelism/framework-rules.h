// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FRAMEWORK_RULES_H
#define PHOTONIC_RAILS_FRAMEWORK_RULES_H

#include <cstdint>

namespace ns3
{

/// What a backward pass finds in memory.
enum class Recomputation : uint8_t
{
    NONE,      //!< every activation
    SELECTIVE, //!< what is dear to compute; see RecomputationStyle for what is run again
    FULL,      //!< the input of each layer: the layer's forward is run again first
};

/// How replicas of the model keep their gradients and optimizer states.
enum class DataParallelism : uint8_t
{
    FSDP, //!< shards of everything, gathered unit by unit (FSDP2; HSDP if replicated)
    DDP,  //!< whole replicas, gradients reduced in buckets
    DISTRIBUTED_OPTIMIZER, //!< whole parameters, sharded gradients and states (ZeRO-1), in buckets
};

/// Which FSDP units give up their gathered parameters after a forward pass.
enum class ReshardPolicy : uint8_t
{
    DEFAULT, //!< all but (norm, output); none in a pipeline (TorchTitan's "default")
    ALWAYS,  //!< every unit
    NEVER,   //!< none: a backward pass needs no gathering
};

/// Number format of something on the wire.
enum class Precision : uint8_t
{
    BF16,
    FP32,
};

/// Who decides what tensor parallelism communicates.
enum class TensorParallelStyle : uint8_t
{
    DTENSOR,  //!< PyTorch's DTensor, with what its redistributions add
    MEGATRON, //!< hand-written column- and row-parallel layers
};

/// How the norm of all gradients is reduced.
enum class NormReduction : uint8_t
{
    PER_TENSOR, //!< a scalar for each tensor and mesh dimension (DTensor)
    SCALAR,     //!< one scalar over all ranks
};

/// Scalars that the ranks of different data reduce in every step.
enum class StepStatistics : uint8_t
{
    NONE,         //!< nothing
    LOSS,         //!< sum of losses and number of tokens, two floats in one (Megatron-LM)
    LOSS_TOKENS,  //!< mean and maximum loss, tokens seen (logging in every step)
    VALID_TOKENS, //!< tokens that count, before the step (steps that are not logged)
};

/// How context-parallel ranks see each other's keys and values.
enum class ContextExchange : uint8_t
{
    ALL_GATHER, //!< gathered before attention (Llama 3, section 3.3.2)
    RING,       //!< passed round in steps, beside attention (arXiv 2310.01889)
};

/// How layers are dealt out to pipeline stages.
enum class StageSplit : uint8_t
{
    EVEN,     //!< as many for each stage (Megatron-LM)
    WEIGHTED, //!< embedding and output projection count as a layer each (TorchTitan)
};

/**
 * @brief What a training framework does, one field a rule. rule-names.h has the names of their
 * values; a Framework makes rules and says where each field comes from.
 */
struct FrameworkRules
{
    DataParallelism dataParallelism{DataParallelism::FSDP}; //!< of parameters and gradients
    ReshardPolicy reshard{ReshardPolicy::DEFAULT};          //!< FSDP only
    uint32_t prefetch{1};                 //!< FSDP units gathered ahead of the one that computes
    Precision gradients{Precision::FP32}; //!< in which gradients are reduced
    bool overlapsReduction{true};         //!< buckets are reduced beside the last backward; else
                                          //!< all parameters of a stage are one, reduced after it
    bool accumulatesGradients{false};     //!< buckets are reduced once a step, with the gradients
                                          //!< of all micro-batches; else in every backward
    uint64_t bucketParameters{26214400};  //!< at which a bucket closes, not 0
    uint64_t bucketParametersPerRank{0};  //!< but not before it has so many for each data rank
    Recomputation recomputation{Recomputation::NONE};
    TensorParallelStyle tensorParallelism{TensorParallelStyle::DTENSOR};
    uint32_t vocabularyMultiple{0}; //!< the vocabulary is padded to a multiple of this x tp; 0: not
    bool sequenceParallel{true};    //!< TP ranks share the tokens between operators
    bool lossParallel{true};        //!< TP ranks share the vocabulary in the loss
    ContextExchange context{ContextExchange::ALL_GATHER};
    bool repeatsKeys{false}; //!< context parallelism sees keys and values of every query head
    StageSplit split{StageSplit::WEIGHTED};
    NormReduction norms{NormReduction::PER_TENSOR};
    StepStatistics statistics{StepStatistics::VALID_TOKENS};
    bool balancesExperts{true}; //!< tokens of each expert are reduced for its routing bias
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FRAMEWORK_RULES_H
