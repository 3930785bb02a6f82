// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PARAMETER_TENSOR_H
#define PHOTONIC_RAILS_PARAMETER_TENSOR_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The part of a model to which a parameter tensor belongs.
enum class ModelPart : uint8_t
{
    EMBEDDING,      //!< tokens, and positions if they are learned
    ATTENTION_NORM, //!< before attention
    ATTENTION,      //!< projections, and the norms of latents between them
    FFN_NORM,       //!< before the feed-forward network
    FFN,            //!< dense feed-forward network
    ROUTER,         //!< scores of experts
    SHARED_EXPERT,  //!< experts that process every token
    EXPERT,         //!< routed experts, all of a layer in one tensor
    FINAL_NORM,     //!< before the output projection
    OUTPUT,         //!< output projection
};

/// How tensor parallelism splits a tensor.
enum class TensorSplit : uint8_t
{
    REPLICATED, //!< not split: every TP rank has the whole tensor
    COLUMN,     //!< over its outputs (Megatron's column-parallel), biases included
    ROW,        //!< over its inputs (row-parallel)
    VOCABULARY, //!< over tokens of the vocabulary
};

/**
 * @brief One parameter tensor of a model, as registered by frameworks.
 *
 * All quantities of a model derive from its tensors: parameters, shards, gradient norms per tensor,
 * buckets, FLOPs of the products with weights.
 */
struct ParameterTensor
{
    std::string name; //!< inside its layer, such as "attention.wq"
    ModelPart part{ModelPart::ATTENTION};
    TensorSplit split{TensorSplit::REPLICATED};
    uint64_t outputs{1}; //!< rows of the weight; for an embedding the number of tokens
    uint64_t inputs{1};  //!< columns of the weight; 1 for a vector
    uint32_t experts{1}; //!< number of matrices stacked in the tensor; above 1 for EXPERT only

    /// @return the number of parameters
    uint64_t GetSize() const
    {
        return outputs * inputs * experts;
    }
};

using ParameterTensors = std::vector<ParameterTensor>;

/**
 * @param tensors tensors
 * @return the number of their parameters
 */
uint64_t CountParameters(const ParameterTensors& tensors);

} // namespace ns3

#endif // PHOTONIC_RAILS_PARAMETER_TENSOR_H
