// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PARAMETER_TENSOR_H
#define PHOTONIC_RAILS_PARAMETER_TENSOR_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The part of a model that a parameter tensor belongs to.
enum class ModelPart : uint8_t
{
    EMBEDDING,      //!< tokens, and positions if they are learned
    ATTENTION_NORM, //!< before attention
    ATTENTION,      //!< projections, and the norms of latents between them
    FFN_NORM,       //!< before the feed-forward network
    FFN,            //!< dense feed-forward network
    ROUTER,         //!< scores of experts
    SHARED_EXPERT,  //!< experts that see every token
    EXPERT,         //!< routed experts, all of a layer in one tensor
    FINAL_NORM,     //!< before the output projection
    OUTPUT,         //!< output projection
};

/// How tensor parallelism splits a tensor.
enum class TensorSplit : uint8_t
{
    REPLICATED, //!< not at all: every TP rank has it whole
    COLUMN,     //!< over its outputs (Megatron's column-parallel), biases included
    ROW,        //!< over its inputs (row-parallel)
    VOCABULARY, //!< over tokens of the vocabulary
};

/**
 * @brief One parameter tensor of a model, as frameworks register it.
 *
 * Everything that is counted of a model follows from these: parameters, shards, gradient norms
 * per tensor, buckets, FLOPs of the products with weights.
 */
struct ParameterTensor
{
    std::string name; //!< inside its layer, such as "attention.wq"
    ModelPart part{ModelPart::ATTENTION};
    TensorSplit split{TensorSplit::REPLICATED};
    uint64_t outputs{1}; //!< rows of the weight; of an embedding the tokens
    uint64_t inputs{1};  //!< columns of the weight; 1 for a vector
    uint32_t experts{1}; //!< how many such matrices the tensor stacks; above 1 for EXPERT only

    /// @return how many parameters it has
    uint64_t GetSize() const
    {
        return outputs * inputs * experts;
    }
};

using ParameterTensors = std::vector<ParameterTensor>;

/**
 * @param tensors tensors
 * @return their parameters
 */
uint64_t CountParameters(const ParameterTensors& tensors);

} // namespace ns3

#endif // PHOTONIC_RAILS_PARAMETER_TENSOR_H
