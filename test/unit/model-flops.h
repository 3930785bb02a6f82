// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MODEL_FLOPS_H
#define PHOTONIC_RAILS_MODEL_FLOPS_H

#include "ns3/nstime.h"
#include "ns3/transformer-spec.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief FLOPs that a model needs per token, whoever computes them, and how well GPUs are used.
 *
 * What is useful, not what is executed (LayerOperators): no recomputation, no scores of attention a
 * second time, no copies of replicated products. A step takes three forwards. A forward takes 2
 * FLOPs for each parameter of a matrix that the token meets: of the routed experts topK, the output
 * projection also if it is the embedding, but no look-up, norm or bias. Attention takes 2 x heads x
 * (width of queries + width of values) FLOPs for each key. That is 6 N + 12 L H Q T of PaLM (arXiv
 * 2204.02311, appendix B) per step.
 */
class ModelFlops
{
  public:
    /// How many keys a query counts.
    enum Mask : uint8_t
    {
        FULL,   //!< all of the sequence, as in PaLM and in most published figures
        CAUSAL, //!< half of them
    };

    /**
     * @param model the architecture
     * @param seqLen tokens in a sequence
     * @param mask how many keys a query counts
     */
    ModelFlops(const TransformerSpec& model, uint32_t seqLen, Mask mask);

    /// @return parameters of the matrices that one token is multiplied with
    uint64_t GetMatmulParameters() const;

    /// @return FLOPs of attention forward, per token
    uint64_t GetAttention() const;

    /// @return FLOPs of a forward, per token
    uint64_t GetForward() const;

    /// @return FLOPs of a training step, per token
    uint64_t GetStep() const;

    /**
     * @brief Model FLOPs utilisation (PaLM, appendix B).
     * @param step how long a step takes, above zero
     * @param tokens of a step, on all GPUs together
     * @param gpus all GPUs, above zero
     * @param peakFlops of one GPU, FLOP/s, above zero
     * @return share of the peak that the model's FLOPs take
     */
    double GetMfu(Time step, uint64_t tokens, uint64_t gpus, double peakFlops) const;

  private:
    uint64_t m_matmulParameters;
    uint64_t m_attention;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MODEL_FLOPS_H
