// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TENSOR_EMITTER_H
#define PHOTONIC_RAILS_TENSOR_EMITTER_H

#include "layer-emitter.h"
#include "workload-spec.h"

#include "ns3/transformer-spec.h"

#include <memory>
#include <string>
#include <vector>

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

/**
 * @brief Tensor parallelism as planned by TorchTitan (models' parallelize.py) and executed by
 * PyTorch's DTensor.
 *
 * In addition to gathering and scattering tokens, latent attention: the part of the keys with
 * position is shared by all heads, and the heads are split. The gradient of wkv_a's result is
 * therefore Partial. Unless products take partial sums, DTensor scatters this gradient separately
 * for the two products that use it, the gradients of input and weight. The gradient of the input of
 * wkv_b, and likewise of wq_b, becomes Replicate for the norm before it. The result of wq_a is used
 * by that norm only, so its gradient is already complete. GetPartialGradients has the gradients of
 * weights.
 */
class DtensorEmitter : public TensorEmitter
{
  public:
    /// @param spec the job
    explicit DtensorEmitter(const WorkloadSpec& spec);

    void BeforeWeights(LayerEmitter& writer, ComputePass pass, uint64_t width) const override;
    void EnterAttention(LayerEmitter& writer) const override;
    void BeforeAttentionWeights(LayerEmitter& writer, ComputePass pass) const override;
    void EnterAttentionBackward(LayerEmitter& writer, ComputePass pass) const override;
    bool AttendsAgain() const override;
};

/**
 * @brief Tensor parallelism of Megatron-LM's hand-written layers (core/tensor_parallel/layers.py).
 *
 * With sequence parallelism a column-parallel layer keeps only this rank's part of its input, and
 * its backward gathers the input again for the gradient of the weight. Gradients of norms, and of
 * all other parameters that every TP rank holds, are summed once at the end of the step
 * (finalize_model_grads.py), see OptimizerEmitter.
 *
 * Learned positions are added to whole embeddings, which are split only afterwards: an AllReduce
 * replaces the ReduceScatter (core/models/common/embeddings/language_model_embedding.py).
 *
 * Latent attention (core/transformer/multi_latent_attention.py): down projections are replicated
 * and process this rank's tokens. The latents before the up projections, and the part of the keys
 * with position, are gathered.
 */
class MegatronEmitter : public TensorEmitter
{
  public:
    /// @param spec the job
    explicit MegatronEmitter(const WorkloadSpec& spec);

    void BeforeWeights(LayerEmitter& writer, ComputePass pass, uint64_t width) const override;
    void LeaveEmbedding(LayerEmitter& writer) const override;
    void EnterAttention(LayerEmitter& writer) const override;
    void BeforeAttentionWeights(LayerEmitter& writer, ComputePass pass) const override;
    void EnterAttentionBackward(LayerEmitter& writer, ComputePass pass) const override;
    bool AttendsAgain() const override;

  private:
    /// @return widths of the inputs of attention's column-parallel products
    std::vector<uint64_t> GetInputWidths() const;

    /// @return gathered width in addition to these inputs that is used in no product; may be 0
    uint64_t GetKeyWidth() const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TENSOR_EMITTER_H
