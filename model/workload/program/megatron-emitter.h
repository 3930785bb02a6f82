// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MEGATRON_EMITTER_H
#define PHOTONIC_RAILS_MEGATRON_EMITTER_H

#include "tensor-emitter.h"

namespace ns3
{

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
    void FinishNorm(LayerEmitter& writer,
                    ComputePass pass,
                    const ParameterTensors& tensors,
                    ModelPart part) const override;
    bool AttendsAgain() const override;

  private:
    /// @return widths of the inputs of attention's column-parallel products
    std::vector<uint64_t> GetInputWidths() const;

    /// @return gathered width in addition to these inputs that is used in no product; may be 0
    uint64_t GetKeyWidth() const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MEGATRON_EMITTER_H
