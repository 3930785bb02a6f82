// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DTENSOR_STEPS_H
#define PHOTONIC_RAILS_DTENSOR_STEPS_H

#include "tensor-steps.h"

namespace ns3
{

/**
 * @brief Tensor parallelism as TorchTitan plans it (models' parallelize.py) and PyTorch's DTensor
 * carries it out.
 *
 * Beside gathering and scattering tokens:
 * - With sequence parallelism the weights of norms over the hidden width are replicated DTensors
 *   whose gradients are Partial: an AllReduce in bf16 for each, in every backward.
 * - Latent attention: keys' part with position is one for all heads, which are split. So the
 *   gradient of wkv_a's result is Partial, and DTensor scatters it for each of the two products
 *   that need it, the gradients of input and weight; the latter then is Partial itself and takes an
 *   AllReduce in bf16. The gradient of the input of wkv_b, likewise wq_b, is made whole for the
 *   norm before it. The result of wq_a goes through that norm only, so its gradient is whole.
 */
class DtensorSteps : public TensorSteps
{
  public:
    /// @param spec the job
    explicit DtensorSteps(const WorkloadSpec& spec);

    void BeforeWeights(LayerStepWriter& writer, ComputePass pass, uint64_t width) const override;
    void EnterAttention(LayerStepWriter& writer) const override;
    void BeforeAttentionWeights(LayerStepWriter& writer, ComputePass pass) const override;
    void EnterAttentionBackward(LayerStepWriter& writer, ComputePass pass) const override;
    void FinishNorm(LayerStepWriter& writer,
                    ComputePass pass,
                    const ParameterTensors& tensors,
                    ModelPart part) const override;
    bool AttendsAgain() const override;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_DTENSOR_STEPS_H
