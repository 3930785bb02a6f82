// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PARTIAL_SUMS_H
#define PHOTONIC_RAILS_PARTIAL_SUMS_H

#include "rank-program.h"
#include "workload-spec.h"

#include "ns3/sharding-plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief What DTensor does with a product of which one factor is a partial sum (Partial) and the
 * other factor is split over the same ranks, if no product takes partial sums.
 *
 * DTensor picks the cheapest of the placements that a product allows (PyTorch 2.10,
 * torch/distributed/tensor/_ops/_einsum_strategy.py). The costs are its own estimates
 * (_collective_utils.py, redistribute_cost): they compare bytes and latencies, not times of the
 * machine.
 */
enum class PartialProduct : uint8_t
{
    REDUCE,   //!< the sum is reduced; the result is split as the other factor was
    EXCHANGE, //!< the sum is scattered, the other factor is split the other way; the result is a
              //!< partial sum
    GATHER, //!< the sum is scattered, the other factor is gathered; the result is split as the sum
};

/**
 * @param sumBytes bytes of the whole partial sum
 * @param otherBytes bytes of the whole other factor
 * @param ranks TP ranks
 * @param gpusPerDomain GPUs of a host
 * @return what DTensor does
 */
PartialProduct ChooseProduct(uint64_t sumBytes,
                             uint64_t otherBytes,
                             uint32_t ranks,
                             uint32_t gpusPerDomain);

/// The last product of shared experts, w2, whose result is Partial. Without multipliesPartialSums
/// the gradient of the result is taken to be Partial as well.
class SharedProduct
{
  public:
    /// @param spec a job
    explicit SharedProduct(const WorkloadSpec& spec);

    /**
     * @brief What precedes the product of the result's gradient and another factor.
     * @param isWeight true for the gradient of the weight, false for the gradient of the input
     * @return collectives, in order; empty if the gradient is complete
     */
    std::vector<RankCollective> Before(bool isWeight) const;

    /**
     * @brief What makes the result fit for the ranks that split the experts.
     * @param isWeight as above; the gradient of the weight is needed when the gradients of the unit
     * are reduced
     * @param valueBytes bytes of a value
     * @return a collective, or an empty list
     */
    std::vector<RankCollective> After(bool isWeight, uint64_t valueBytes) const;

  private:
    /// @return what DTensor does for a gradient
    PartialProduct Choose(bool isWeight) const;

    uint64_t m_valueBytes; //!< bytes of an activation
    uint64_t m_tokens;     //!< tokens of a micro-batch
    uint64_t m_hidden;     //!< width of the result
    uint64_t m_inner{0};   //!< width of the input; 0 if gradients are complete
    uint32_t m_tp;         //!< TP ranks
    uint32_t m_gpusPerDomain;
};

/// A reduction of a gradient of which TP ranks hold partial sums.
struct PartialGradient
{
    std::string label; //!< for output
    RankCollective collective;
};

/**
 * @brief The gradients of a unit of which TP ranks hold partial sums under DTensor.
 *
 * - With sequence parallelism the weights of norms over the hidden width are replicated, and ranks
 *   process different tokens.
 * - Latent attention: the part of the keys with position is shared by all heads, and the heads are
 *   split, so that the gradient of wkv_a's result is Partial, and that of its weight.
 * - The weight of w2 of shared experts, see SharedProduct.
 *
 * FSDP reduces them before it reduces a unit (PyTorch, fsdp/_fully_shard/_fsdp_param.py,
 * _get_grad_inner_tensor): in the format of activations after a backward; in the format of the
 * reduction if gradients of several micro-batches were added up, as a pipeline does. Without FSDP
 * the gradients stay Partial, and whoever uses them reduces them (OptimizerEmitter).
 * @param spec a job
 * @param unit a unit
 * @return the reductions over the TP ranks, in order
 */
std::vector<PartialGradient> GetPartialGradients(const WorkloadSpec& spec,
                                                 const ShardingUnit& unit);

} // namespace ns3

#endif // PHOTONIC_RAILS_PARTIAL_SUMS_H
