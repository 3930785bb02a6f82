// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COMPUTE_MODEL_H
#define PHOTONIC_RAILS_COMPUTE_MODEL_H

#include "gpu-spec.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Kinds of operators that reach different shares of a GPU's peak.
enum class OperatorKind : uint8_t
{
    MATMUL,         //!< dense matrix product
    GROUPED_MATMUL, //!< products of experts with the tokens received by each
    ATTENTION,      //!< fused attention (FlashAttention)
    MEMORY,         //!< bound by memory: norms, activations, residuals, rotation, optimizer
};

/// FLOPs and bytes of one operator on a GPU.
struct OperatorCost
{
    std::string name; //!< such as "wq"
    OperatorKind kind{OperatorKind::MATMUL};
    double flops{0}; //!< a multiplication and an addition count as two
    double bytes{0}; //!< read from and written to the GPU's memory
};

using OperatorCosts = std::vector<OperatorCost>;

/// Shares of a GPU's peak rates that operators reach, each 0.001 to 1.
struct ComputeEfficiency
{
    double matmul{0.4};        //!< share of the peak FLOP/s
    double groupedMatmul{0.4}; //!< share of the peak FLOP/s
    double attention{0.4};     //!< share of the peak FLOP/s
    double memory{0.8};        //!< share of the memory bandwidth

    /**
     * @brief Check the shares.
     * @return an empty string, or one line that names the share outside 0.001 to 1
     */
    std::string Validate() const;
};

/**
 * @brief Computation time of one GPU: a roofline with an efficiency for each kind of operator.
 *
 * An operator takes the longer of (FLOPs) / (peak x efficiency) and (bytes) / (memory bandwidth x
 * efficiency) (Williams, Waterman and Patterson, "Roofline", CACM 2009). Operators run one after
 * the other. The efficiencies cover every effect that the roofline leaves out. None of them is the
 * MFU of a step, which also counts waiting.
 */
class ComputeModel
{
  public:
    /**
     * @param gpu the GPU
     * @param efficiency shares of its peaks
     */
    ComputeModel(const GpuSpec& gpu, const ComputeEfficiency& efficiency);

    /**
     * @param seconds a duration in s
     * @return the duration, rounded to picoseconds
     */
    static Time ToTime(double seconds);

    /**
     * @param cost an operator
     * @return its duration in s
     */
    double GetSeconds(const OperatorCost& cost) const;

    /**
     * @param costs operators
     * @return their total duration, run one after the other
     */
    Time GetTime(const OperatorCosts& costs) const;

  private:
    GpuSpec m_gpu;
    ComputeEfficiency m_efficiency;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COMPUTE_MODEL_H
