// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TENSOR_EMITTER_H
#define PHOTONIC_RAILS_TENSOR_EMITTER_H

#include "layer-emitter.h"
#include "workload-spec.h"

#include "ns3/transformer-spec.h"

#include <memory>

namespace ns3
{

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
