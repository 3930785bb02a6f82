// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TENSOR_EMITTER_H
#define PHOTONIC_RAILS_TENSOR_EMITTER_H

#include "rank-program-emitter.h"
#include "rank-program.h"
#include "workload-spec.h"

#include "ns3/sharding-plan.h"
#include "ns3/transformer-spec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The redistribution that DTensor chooses before a product of a partial sum (Partial) and a
 * factor that is split over the same ranks, if no product takes partial sums.
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
 * @return the redistribution that DTensor chooses
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
     * @brief The collectives before the product of the result's gradient and another factor.
     * @param isWeight true for the gradient of the weight, false for the gradient of the input
     * @return collectives, in order; empty if the gradient is complete
     */
    std::vector<RankCollective> Before(bool isWeight) const;

    /**
     * @brief The collective that converts the result for the ranks that split the experts.
     * @param isWeight as above; the gradient of the weight is needed when the gradients of the unit
     * are reduced
     * @param valueBytes bytes of a value
     * @return a collective, or an empty list
     */
    std::vector<RankCollective> After(bool isWeight, uint64_t valueBytes) const;

  private:
    /// @return the redistribution that DTensor chooses for a gradient
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
 * the gradients stay Partial until an operation that uses them reduces them (OptimizerEmitter).
 * @param spec a job
 * @param unit a unit
 * @return the reductions over the TP ranks, in order
 */
std::vector<PartialGradient> GetPartialGradients(const WorkloadSpec& spec,
                                                 const ShardingUnit& unit);

/**
 * @brief The communication of tensor parallelism around blocks of a layer.
 *
 * A block begins with column-parallel products and ends with a row-parallel one (Megatron-LM, arXiv
 * 1909.08053). With sequence parallelism (arXiv 2205.05198) tokens are gathered at the start of a
 * block and results are scattered at its end; the backward exchanges the two. Without sequence
 * parallelism, the result of a forward and the gradient of the input take one AllReduce each.
 * Derived classes add further communication of their framework.
 *
 * A collective over a single rank may be described; it is left out when it is issued.
 */
class TensorEmitter
{
  public:
    /**
     * @param spec the job, which must outlive the result
     * @return the steps for the job's TensorParallelStyle
     */
    static std::unique_ptr<TensorEmitter> Create(const WorkloadSpec& spec);

    virtual ~TensorEmitter() = default;

    /**
     * @brief A collective over the TP ranks.
     * @param kind kind of collective
     * @param bytes input bytes
     * @return the collective
     */
    static RankCollective Make(CollectiveKind kind, uint64_t bytes);

    /**
     * @brief Make all tokens available to a column-parallel product.
     * @param writer receives the steps
     * @param width elements of a token
     */
    void Enter(LayerEmitter& writer, uint64_t width) const;

    /**
     * @brief Sum the results of a row-parallel product.
     * @param writer receives the steps
     * @param width elements of a token
     */
    void Leave(LayerEmitter& writer, uint64_t width) const;

    /**
     * @brief Backward of Leave: make the gradient of the result available for all tokens.
     * @param writer receives the steps
     * @param width elements of a token
     */
    void LeaveBackward(LayerEmitter& writer, uint64_t width) const;

    /**
     * @brief Backward of Enter: sum the gradients of the input.
     * @param writer receives the steps
     * @param width elements of a token
     */
    void EnterBackward(LayerEmitter& writer, uint64_t width) const;

    /**
     * @brief Gather the inputs of column-parallel products again if the weight gradients need them.
     * @param writer receives the steps
     * @param pass a backward
     * @param width elements of a token
     */
    virtual void BeforeWeights(LayerEmitter& writer, ComputePass pass, uint64_t width) const = 0;

    /// @param writer receives the steps after a rank's part of the embedding
    virtual void LeaveEmbedding(LayerEmitter& writer) const;

    /// @param writer receives the steps before the projections of attention
    virtual void EnterAttention(LayerEmitter& writer) const = 0;

    /**
     * @param writer receives the steps before the projections' backward
     * @param pass a backward
     */
    virtual void BeforeAttentionWeights(LayerEmitter& writer, ComputePass pass) const = 0;

    /**
     * @param writer receives the steps after the projections' backward
     * @param pass a backward
     */
    virtual void EnterAttentionBackward(LayerEmitter& writer, ComputePass pass) const = 0;

    /// @return true if selective recomputation repeats the exchange of context parallelism
    virtual bool AttendsAgain() const = 0;

    /// @param writer receives the collectives of the loss over a split vocabulary
    void Loss(LayerEmitter& writer) const;

  protected:
    /// @param spec the job
    explicit TensorEmitter(const WorkloadSpec& spec);

    /// @return the job
    const WorkloadSpec& GetSpec() const
    {
        return m_spec;
    }

    /// @return bytes of an activation
    uint64_t GetValueBytes() const;

    /// @return bytes of the tokens of all TP ranks, for tokens of a given width
    uint64_t GetBytes(uint64_t width) const;

  private:
    const WorkloadSpec& m_spec; //!< the job
};

/**
 * @param spec a job
 * @return vocabulary entries of one TP rank, padding included
 */
uint64_t GetVocabularyShare(const WorkloadSpec& spec);

} // namespace ns3

#endif // PHOTONIC_RAILS_TENSOR_EMITTER_H
