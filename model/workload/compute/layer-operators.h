// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LAYER_OPERATORS_H
#define PHOTONIC_RAILS_LAYER_OPERATORS_H

#include "operator-cost.h"

#include "ns3/framework-rules.h"
#include "ns3/parallelism-spec.h"
#include "ns3/transformer-spec.h"

#include <cstdint>

namespace ns3
{

/// A piece of a model between two communications of tensor, context or expert parallelism.
enum class ModelBlock : uint8_t
{
    EMBEDDING,  //!< look-up
    PROJECTION, //!< norm, and queries, keys and values (and the rotation)
    ATTENTION,  //!< scores and values
    CONTEXT,    //!< the output projection of attention, and the residual
    FFN,        //!< norm, dense feed-forward network, residual
    ROUTER,     //!< norm, and scores of experts
    SHARED,     //!< shared experts
    EXPERTS,    //!< routed experts on the tokens that came
    COMBINE,    //!< weighted sum of the experts' results, and the residual
    OUTPUT,     //!< final norm, output projection
    LOSS,       //!< softmax and cross-entropy over the vocabulary
};

/// A part of a training step on one block.
enum class ComputePass : uint8_t
{
    FORWARD,
    BACKWARD,        //!< both of the next two
    BACKWARD_INPUT,  //!< gradients of the inputs
    BACKWARD_WEIGHT, //!< gradients of the weights
};

/**
 * @brief FLOPs and bytes of the operators of a block, on one rank and for one micro-batch.
 *
 * A pure function. Products with weights take 2 FLOPs per parameter and token in each of forward,
 * input gradient and weight gradient; attention takes 4 x (width of a head) x (tokens attended to)
 * per token and head forward, twice that backward, all of it in BACKWARD_INPUT, and a causal mask
 * halves the tokens attended to. Bytes are those of weights, inputs and results in bf16.
 */
class LayerOperators
{
  public:
    /**
     * @param model the architecture
     * @param parallelism degrees that passed validation for this model
     * @param rules of the framework
     */
    LayerOperators(const TransformerSpec& model,
                   const ParallelismSpec& parallelism,
                   const FrameworkRules& rules);

    /**
     * @param block a block
     * @param pass a part of a step
     * @return its operators
     */
    OperatorCosts Get(ModelBlock block, ComputePass pass) const;

    /**
     * @brief The same for EXPERTS with a given load.
     * @param pass a part of a step
     * @param tokens that came to this rank's experts, counted once for each expert
     * @return its operators
     */
    OperatorCosts GetExperts(ComputePass pass, uint64_t tokens) const;

    /**
     * @brief What selective recomputation runs again before a backward.
     * @param block a block
     * @return its operators; none if the block keeps all that its backward needs
     */
    OperatorCosts GetSelective(ModelBlock block) const;

    /**
     * @param parameters fp32 parameters that the rank owns
     * @return reading the gradients once for their norm
     */
    static OperatorCosts GetNorm(uint64_t parameters);

    /**
     * @brief Clipping and Adam.
     *
     * Clipping reads and writes the gradient. Adam reads parameter, gradient and two moments, and
     * writes parameter and moments. Nine fp32 values, 36 B per parameter.
     * @param parameters fp32 parameters that the rank owns
     * @return its operators
     */
    static OperatorCosts GetOptimizer(uint64_t parameters);

  private:
    TransformerSpec m_model;
    ParallelismSpec m_parallelism;
    FrameworkRules m_rules;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LAYER_OPERATORS_H
