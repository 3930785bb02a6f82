// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DTENSOR_EMITTER_H
#define PHOTONIC_RAILS_DTENSOR_EMITTER_H

#include "tensor-emitter.h"

namespace ns3
{

/**
 * @brief Tensor parallelism as planned by TorchTitan (models' parallelize.py) and executed by
 * PyTorch's DTensor.
 *
 * In addition to gathering and scattering tokens:
 * - With sequence parallelism the weights of norms over the hidden width are replicated DTensors
 *   whose gradients are Partial: an AllReduce in bf16 for each, in every backward.
 * - Latent attention: the part of the keys with position is shared by all heads, and the heads are
 *   split. The gradient of wkv_a's result is therefore Partial. DTensor scatters this gradient
 *   separately for the two products that use it, the gradients of input and weight. The weight
 *   gradient is then Partial as well and takes an AllReduce in bf16. The gradient of the input of
 *   wkv_b, and likewise of wq_b, becomes Replicate for the norm before it. The result of wq_a is
 *   used by that norm only, so its gradient is already complete.
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
    void FinishNorm(LayerEmitter& writer,
                    ComputePass pass,
                    const ParameterTensors& tensors,
                    ModelPart part) const override;
    bool AttendsAgain() const override;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_DTENSOR_EMITTER_H
