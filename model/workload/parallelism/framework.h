// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FRAMEWORK_H
#define PHOTONIC_RAILS_FRAMEWORK_H

#include "ns3/object.h"
#include "ns3/variant.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/// The activations that a forward pass keeps for the backward pass.
enum class Recomputation : uint8_t
{
    NONE,      //!< every activation
    SELECTIVE, //!< activations that are expensive to compute; LayerOperators::GetSelective has the
               //!< repeated ones
    FULL,      //!< the input of each layer; the backward first repeats the forward of the layer
};

/// How data-parallel ranks store parameters, gradients and optimizer states.
enum class DataParallelism : uint8_t
{
    FSDP, //!< shards of everything, gathered unit by unit (FSDP2; HSDP if replicated)
    DDP,  //!< whole replicas, gradients reduced in buckets
    DISTRIBUTED_OPTIMIZER, //!< whole parameters, sharded gradients and states (ZeRO-1), in buckets
};

/// The FSDP units that release their gathered parameters after a forward pass.
enum class ReshardPolicy : uint8_t
{
    DEFAULT, //!< all except (norm, output); none in a pipeline (TorchTitan's "default")
    ALWAYS,  //!< every unit
    NEVER,   //!< none: a backward pass gathers no parameters
};

/// Number format of communicated data.
enum class Precision : uint8_t
{
    BF16,
    FP32,
};

/// Number format in which matrix products are computed.
enum class ProductFormat : uint8_t
{
    BF16,
    FP8,  //!< products of a layer but the gate of experts; attention and output projection in bf16
    TF32, //!< of fp32 values, on tensor cores
    FP32, //!< of fp32 values
};

/// The operators between matrix products that one kernel combines.
enum class KernelFusion : uint8_t
{
    NONE,  //!< one operation of PyTorch; a norm or a rotation has several
    NORMS, //!< a whole norm; otherwise one operation (PyTorch from 2.9 on)
    ALL,   //!< as much as reads its input and writes its result once: compiled, or written by hand
};

/**
 * @param precision a number format
 * @return bytes of a number
 */
constexpr uint64_t
GetBytes(Precision precision)
{
    return precision == Precision::FP32 ? 4 : 2;
}

/// The implementation that determines the communication of tensor parallelism.
enum class TensorParallelStyle : uint8_t
{
    DTENSOR,  //!< PyTorch's DTensor, including the communication that its redistributions add
    MEGATRON, //!< hand-written column- and row-parallel layers
};

/// Reduction of the norm of all gradients.
enum class NormReduction : uint8_t
{
    PER_TENSOR, //!< a scalar for each tensor and mesh dimension (DTensor)
    SCALAR,     //!< one scalar over all ranks
};

/// Scalars that ranks with different data reduce in every step.
enum class StepStatistics : uint8_t
{
    NONE,         //!< nothing
    LOSS,         //!< sum of losses and number of tokens, two floats in one (Megatron-LM)
    LOSS_TOKENS,  //!< mean and maximum loss, tokens seen (logging in every step)
    VALID_TOKENS, //!< tokens that count in the loss, before the step (steps that are not logged)
};

/// How context-parallel ranks exchange keys and values.
enum class ContextExchange : uint8_t
{
    ALL_GATHER, //!< gathered before attention (Llama 3, section 3.3.2)
    RING,       //!< passed round a ring in steps, overlapped with attention (arXiv 2310.01889)
};

/// How layers are distributed over pipeline stages.
enum class StageSplit : uint8_t
{
    EVEN,     //!< equal numbers of layers per stage (Megatron-LM)
    WEIGHTED, //!< embedding and output projection count as a layer each (TorchTitan)
};

/**
 * @brief Rules of a training framework, one field for each rule. framework.h has the names of the
 * values. A Framework makes the rules and names the source of each field.
 */
struct FrameworkRules
{
    DataParallelism dataParallelism{DataParallelism::FSDP}; //!< for parameters and gradients
    ReshardPolicy reshard{ReshardPolicy::DEFAULT};          //!< FSDP only
    uint32_t prefetch{1};                 //!< FSDP units gathered ahead of the current computation
    Precision gradients{Precision::FP32}; //!< format in which gradients are reduced
    /// activations are bf16 in every job; else in a job without data parallelism they are fp32
    bool mixesAlways{true};
    /// in jobs whose activations are bf16; TF32 and FP32 make them fp32
    ProductFormat products{ProductFormat::BF16};
    KernelFusion fusion{KernelFusion::ALL};
    /// attention is one kernel that keeps no scores (FlashAttention); else products and a softmax,
    /// on all pairs of tokens
    bool fusesAttention{true};
    /// buckets are reduced during the last backward; else all parameters of a stage form one
    /// bucket, reduced after the backward
    bool overlapsReduction{true};
    bool accumulatesGradients{false}; //!< buckets are reduced once per step, with the gradients of
                                      //!< all micro-batches; else in every backward
    uint64_t bucketParameters{26214400}; //!< size at which a bucket closes, not 0
    uint64_t bucketParametersPerRank{0}; //!< minimum size of a closed bucket, for each data rank
    Recomputation recomputation{Recomputation::NONE};
    TensorParallelStyle tensorParallelism{TensorParallelStyle::DTENSOR};
    /// DTENSOR: matrix products take partial sums as they are; else DTensor reduces or scatters the
    /// sums first (PartialProduct)
    bool multipliesPartialSums{true};
    /// DTENSOR without data parallelism: how often a step reduces the gradient of a parameter that
    /// every TP rank holds, if TP ranks have partial sums of the gradient
    uint32_t gradientReductions{2};
    /// the vocabulary is padded to a multiple of this value x tp; 0: no padding
    uint32_t vocabularyMultiple{0};
    bool sequenceParallel{true}; //!< TP ranks split the tokens between operators
    bool lossParallel{true};     //!< TP ranks split the vocabulary in the loss
    ContextExchange context{ContextExchange::ALL_GATHER};
    bool repeatsKeys{false}; //!< context parallelism exchanges keys and values for every query head
    StageSplit split{StageSplit::WEIGHTED};
    /// layers of each pipeline stage, in the order of the model; empty: as split says
    std::vector<uint32_t> stageLayers;
    NormReduction norms{NormReduction::PER_TENSOR};
    StepStatistics statistics{StepStatistics::VALID_TOKENS};
    bool balancesExperts{true}; //!< the token counts of experts are reduced for the routing bias
    /// the host synchronizes the device after a batch of Sends and Recvs; else only a stream waits
    bool waitsForMessages{false};
};

/// The names of the values of a rule in flags, job files and tables, in the order of the
/// enumeration. Only the enumerations of framework.h have names.
template <typename Rule>
inline constexpr std::array<const char*, 0> RULE_NAMES{};

template <>
inline constexpr std::array RULE_NAMES<DataParallelism>{"fsdp", "ddp", "distributed-optimizer"};

template <>
inline constexpr std::array RULE_NAMES<ReshardPolicy>{"default", "always", "never"};

template <>
inline constexpr std::array RULE_NAMES<Recomputation>{"none", "selective", "full"};

template <>
inline constexpr std::array RULE_NAMES<Precision>{"bf16", "fp32"};

template <>
inline constexpr std::array RULE_NAMES<ProductFormat>{"bf16", "fp8", "tf32", "fp32"};

template <>
inline constexpr std::array RULE_NAMES<KernelFusion>{"none", "norms", "all"};

template <>
inline constexpr std::array RULE_NAMES<TensorParallelStyle>{"dtensor", "megatron"};

template <>
inline constexpr std::array RULE_NAMES<ContextExchange>{"all-gather", "ring"};

template <>
inline constexpr std::array RULE_NAMES<StageSplit>{"even", "weighted"};

template <>
inline constexpr std::array RULE_NAMES<NormReduction>{"per-tensor", "scalar"};

template <>
inline constexpr std::array RULE_NAMES<StepStatistics>{"none",
                                                       "loss",
                                                       "loss-tokens",
                                                       "valid-tokens"};

/**
 * @tparam Rule an enumeration of framework.h
 * @return the names, in the order of the enumeration
 */
template <typename Rule>
const std::vector<std::string>&
GetRuleNames()
{
    static const std::vector<std::string> NAMES(RULE_NAMES<Rule>.begin(), RULE_NAMES<Rule>.end());
    return NAMES;
}

/**
 * @tparam Rule an enumeration of framework.h
 * @param name a name
 * @return the value with this name, or nothing for an unknown name
 */
template <typename Rule>
std::optional<Rule>
ParseRule(const std::string& name)
{
    const auto& names = GetRuleNames<Rule>();
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        if (names[i] == name)
        {
            return static_cast<Rule>(i);
        }
    }
    return std::nullopt;
}

/**
 * @tparam Rule an enumeration of framework.h
 * @param value a value
 * @return the name of the value
 */
template <typename Rule, std::enable_if_t<!RULE_NAMES<Rule>.empty(), bool> = true>
std::string
ToString(Rule value)
{
    return GetRuleNames<Rule>().at(static_cast<std::size_t>(value));
}

/**
 * @brief A training framework. Its rules are the defaults of a job, and a job can override each
 * rule.
 *
 * Each framework is a class in a file of its own, which registers the class; see Variant.
 */
class Framework : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return the name used in flags
    virtual std::string GetName() const = 0;

    /// @return the default rules of the framework
    virtual FrameworkRules MakeRules() const = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FRAMEWORK_H
