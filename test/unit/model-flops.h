// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MODEL_FLOPS_H
#define PHOTONIC_RAILS_MODEL_FLOPS_H

#include "ns3/nstime.h"
#include "ns3/transformer-spec.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief FLOPs that a model needs per token on any hardware, and the utilisation of the GPUs.
 *
 * Counts useful FLOPs; LayerOperators counts executed ones. Recomputation, the second computation
 * of attention scores and copies of replicated products do not count. A step takes as many FLOPs as
 * three forwards. A forward takes 2 FLOPs for each matrix parameter that multiplies the token: topK
 * of the routed experts count, the output projection counts also if it is the embedding, and
 * look-ups, norms and biases do not count. Attention takes 2 x heads x (width of queries + width of
 * values) FLOPs for each key. The sum is 6 N + 12 L H Q T of PaLM (arXiv 2204.02311, appendix B)
 * per step.
 */
class ModelFlops
{
  public:
    /// The number of keys counted for a query.
    enum Mask : uint8_t
    {
        FULL,   //!< all of the sequence, as in PaLM and in most published figures
        CAUSAL, //!< half of the sequence
    };

    /**
     * @param model the architecture
     * @param seqLen tokens in a sequence
     * @param mask the number of keys counted for a query
     */
    ModelFlops(const TransformerSpec& model, uint32_t seqLen, Mask mask);

    /// @return parameters of the matrices that multiply one token
    uint64_t GetMatmulParameters() const;

    /// @return FLOPs of the forward of attention, per token
    uint64_t GetAttention() const;

    /// @return FLOPs of a forward, per token
    uint64_t GetForward() const;

    /// @return FLOPs of a training step, per token
    uint64_t GetStep() const;

    /**
     * @brief Model FLOPs utilisation (PaLM, appendix B).
     * @param step duration of a step, above zero
     * @param tokens tokens of a step, on all GPUs together
     * @param gpus number of GPUs, above zero
     * @param peakFlops peak of one GPU, FLOP/s, above zero
     * @return the model's FLOPs of a step over the FLOPs at the peak
     */
    double GetMfu(Time step, uint64_t tokens, uint64_t gpus, double peakFlops) const;

  private:
    uint64_t m_matmulParameters;
    uint64_t m_attention;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MODEL_FLOPS_H
