// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPERATOR_PASSES_H
#define PHOTONIC_RAILS_OPERATOR_PASSES_H

#include "operator-cost.h"

#include "ns3/parameter-tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A part of a training step on one block.
enum class ComputePass : uint8_t
{
    FORWARD,
    BACKWARD,        //!< BACKWARD_INPUT and BACKWARD_WEIGHT
    BACKWARD_INPUT,  //!< gradients of the inputs
    BACKWARD_WEIGHT, //!< gradients of the weights
};

/// An operator of a layer in every pass.
struct OperatorPass
{
    OperatorCost forward;
    OperatorCost input;  //!< gradient of the inputs
    OperatorCost weight; //!< gradient of the weights; zero for an operator without weights
    /// one of the products of which selective recomputation skips every second
    bool isCounted{false};
    bool isKept{false}; //!< selective recomputation keeps the result
};

/// Operators of a block, in forward order.
class OperatorPasses
{
  public:
    /**
     * @brief Add a product with a weight.
     * @param tensor the weight; a weight of experts holds several
     * @param tokens rows of the other factor, those of all experts together
     * @param parts ranks among which the weight is split, unless it is replicated
     * @param expertParts ranks among which the experts are distributed
     */
    void Product(const ParameterTensor& tensor,
                 double tokens,
                 uint32_t parts,
                 uint32_t expertParts = 1);

    /**
     * @brief Add a memory-bound operator.
     * @param name name for output
     * @param forward bytes of the forward
     * @param backward bytes of the backward
     */
    void Memory(const std::string& name, double forward, double backward);

    /**
     * @brief Add the norm of a vector per token in bf16. Forward reads and writes the vector.
     * Backward reads the vector and the gradient and writes a gradient.
     * @param name name for output
     * @param values tokens x width
     */
    void Norm(const std::string& name, double values);

    /**
     * @brief Add the sum of a branch and the residual stream in bf16; backward adds gradients.
     * @param values tokens x width
     */
    void Residual(double values);

    /**
     * @brief Add the activation between the products of a feed-forward network, in bf16.
     * @param values tokens x inner width
     * @param isGated true for SwiGLU of two inputs, false for GELU of one
     */
    void Activation(double values, bool isGated);

    /// @param pass an operator in every pass
    void Add(const OperatorPass& pass);

    /// @return the operators
    const std::vector<OperatorPass>& Get() const;

    /**
     * @param pass a part of a step
     * @return the costs of the operators, without operators that do nothing in this pass
     */
    OperatorCosts GetCosts(ComputePass pass) const;

  private:
    std::vector<OperatorPass> m_passes;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPERATOR_PASSES_H
