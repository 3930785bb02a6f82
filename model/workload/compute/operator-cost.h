// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPERATOR_COST_H
#define PHOTONIC_RAILS_OPERATOR_COST_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Kinds of operators that reach different shares of a GPU's peak.
enum class OperatorKind : uint8_t
{
    MATMUL,         //!< dense matrix product
    GROUPED_MATMUL, //!< products of experts with the tokens received by each
    ATTENTION,      //!< fused attention (FlashAttention)
    MEMORY,         //!< bound by memory: norms, activations, residuals, rotation, optimizer
};

/// FLOPs and bytes of one operator on a GPU.
struct OperatorCost
{
    std::string name; //!< such as "wq"
    OperatorKind kind{OperatorKind::MATMUL};
    double flops{0}; //!< a multiplication and an addition count as two
    double bytes{0}; //!< read from and written to the GPU's memory
};

using OperatorCosts = std::vector<OperatorCost>;

} // namespace ns3

#endif // PHOTONIC_RAILS_OPERATOR_COST_H
