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
    BACKWARD,        //!< both of the next two
    BACKWARD_INPUT,  //!< gradients of the inputs
    BACKWARD_WEIGHT, //!< gradients of the weights
};

/// An operator of a layer in every pass.
struct OperatorPass
{
    OperatorCost forward;
    OperatorCost input;    //!< gradient of the inputs
    OperatorCost weight;   //!< gradient of the weights; without FLOPs and bytes if there is none
    bool isCounted{false}; //!< among the products of which selective recomputation skips some
    bool isKept{false};    //!< its result outlives selective recomputation
};

/// Operators of a block, in forward order.
class OperatorPasses
{
  public:
    /**
     * @brief A product with a weight.
     * @param tensor the weight; one of the experts' holds several
     * @param tokens rows of the other factor, those of all experts together
     * @param parts ranks among which the weight is split, unless it is replicated
     * @param expertParts ranks to which experts are dealt out
     */
    void Product(const ParameterTensor& tensor,
                 double tokens,
                 uint32_t parts,
                 uint32_t expertParts = 1);

    /**
     * @brief An operator that is bound by memory.
     * @param name for people
     * @param forward bytes forward
     * @param backward bytes backward
     */
    void Memory(const std::string& name, double forward, double backward);

    /**
     * @brief The norm of a vector for each token in bf16: reads and writes it; backward reads it
     * and the gradient and writes a gradient.
     * @param name for people
     * @param values tokens x width
     */
    void Norm(const std::string& name, double values);

    /**
     * @brief Adds the result of a branch to the residual stream in bf16; backward adds gradients.
     * @param values tokens x width
     */
    void Residual(double values);

    /**
     * @brief Between the products of a feed-forward network, in bf16.
     * @param values tokens x inner width
     * @param isGated SwiGLU of two inputs instead of GELU of one
     */
    void Activation(double values, bool isGated);

    /// @param pass an operator in every pass
    void Add(const OperatorPass& pass);

    /// @return the operators
    const std::vector<OperatorPass>& Get() const;

    /**
     * @param pass a part of a step
     * @return what it asks of the GPU, without operators that do nothing in it
     */
    OperatorCosts GetCosts(ComputePass pass) const;

  private:
    std::vector<OperatorPass> m_passes;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPERATOR_PASSES_H
