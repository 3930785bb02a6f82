// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COMPUTE_MODEL_H
#define PHOTONIC_RAILS_COMPUTE_MODEL_H

#include "gpu-spec.h"

#include "ns3/nstime.h"
#include "ns3/parallelism-spec.h"
#include "ns3/transformer-spec.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief How long one GPU computes.
 *
 * Forward: (FLOPs per token) x (tokens of a micro-batch) / tp / (peak x efficiency). Efficiency is
 * the share of the peak that is reached while the GPU computes; it stands for everything that
 * FLOPs leave out, and is not the MFU of a step, which also counts waiting. A backward takes twice
 * the forward (gradients of inputs and of weights).
 */
class ComputeModel
{
  public:
    /**
     * @param model the architecture
     * @param parallelism micro-batch, sequence and TP degree
     * @param gpu the GPU
     * @param efficiency share of the peak FLOP/s, above 0 and at most 1
     */
    ComputeModel(const TransformerSpec& model,
                 const ParallelismSpec& parallelism,
                 const GpuSpec& gpu,
                 double efficiency);

    /// A backward in forwards: the product with the weights and the product with the inputs.
    static constexpr double BACKWARD_FACTOR = 2.0;

    /**
     * @param seconds a duration in s
     * @return it, rounded to picoseconds
     */
    static Time ToTime(double seconds);

    /// @return forward FLOPs of the attention half of a layer on one rank, per micro-batch
    double GetAttentionFlops() const;

    /// @return forward FLOPs of the feed-forward half of a layer on one rank, per micro-batch
    double GetFeedForwardFlops() const;

    /// @return forward FLOPs of the output projection on one rank, per micro-batch
    double GetOutputFlops() const;

    /**
     * @param flops FLOPs on one rank
     * @return how long they take
     */
    Time GetTime(double flops) const;

    /**
     * @brief Reading the gradients once for their norm: 4 B per parameter / memory bandwidth.
     * @param parameters fp32 parameters that the rank owns
     * @return its duration
     */
    Time GetNormTime(uint64_t parameters) const;

    /**
     * @brief Clipping and Adam: memory traffic / memory bandwidth.
     *
     * Clipping reads and writes the gradient. Adam reads parameter, gradient and two moments, and
     * writes parameter and moments. Nine fp32 values, 36 B per parameter.
     * @param parameters fp32 parameters that the rank owns
     * @return its duration
     */
    Time GetOptimizerTime(uint64_t parameters) const;

  private:
    double m_flopsPerSecond;   //!< peak x efficiency
    double m_memoryBandwidth;  //!< byte/s
    double m_attentionFlops;   //!< per rank and micro-batch
    double m_feedForwardFlops; //!< per rank and micro-batch
    double m_outputFlops;      //!< per rank and micro-batch
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COMPUTE_MODEL_H
