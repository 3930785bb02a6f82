// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COMPUTE_MODEL_H
#define PHOTONIC_RAILS_COMPUTE_MODEL_H

#include "ns3/collective-call.h"
#include "ns3/framework.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

constexpr uint64_t BF16_BYTES = 2;  //!< size of an activation or parameter
constexpr uint64_t COUNT_BYTES = 8; //!< size of a number of tokens, int64
constexpr uint64_t FP32_BYTES = 4;  //!< size of a scalar, statistic and, by default, gradient

/**
 * @brief Between which shares of its peak FLOP/s a kind of GPU is known to compute, in bf16.
 *
 * Publications report whole steps (MFU) or single kernels. The low share is the lowest published
 * for a whole step of a large job: communication and pipeline bubbles count as lost in such a
 * share, so that the kernels of that job reached more. The high share is the highest published,
 * where almost nothing is lost. A job whose kernels are well tuned lies between the two.
 */
struct PublishedEfficiency
{
    double low{0};      //!< 0 to 1
    double high{0};     //!< 0 to 1
    std::string source; //!< publications of both, in a line
};

/// Data of a GPU for the compute and scale-up models.
struct GpuSpec
{
    std::string name;          //!< name of the preset
    double peakFlops{0};       //!< dense bf16 FLOP/s of the tensor cores, without sparsity
    double vectorFlops{0};     //!< fp32 FLOP/s without tensor cores
    double memoryBandwidth{0}; //!< bandwidth of the GPU's own memory, byte/s
    /// The rate of NCCL into the scale-up interconnect, byte/s per direction.
    double scaleUpBandwidth{0};
    /// Latency of a step over the scale-up interconnect, s, if a collective shall take that alone;
    /// 0: it takes the launch, steps and protocol of NCCL.
    double scaleUpLatency{0};
    double memory{0};              //!< size of the GPU's own memory, byte
    PublishedEfficiency published; //!< shares of peakFlops

    bool hasFp8{true}; //!< tensor cores multiply fp8

    /**
     * @param format of the factors of a product
     * @return dense FLOP/s: on tensor cores, fp8 has twice that of bf16, and tf32 half of it
     */
    double GetPeak(ProductFormat format) const;

    /**
     * @brief Look up a preset.
     * @param name a100, h100, h200, b200 or gb200
     * @return the preset, or nothing for an unknown name
     */
    static std::optional<GpuSpec> Find(const std::string& name);

    /// @return the names of all presets
    static std::vector<std::string> GetNames();
};

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
    double flops{0};                           //!< a multiplication and an addition count as two
    double bytes{0};                           //!< read from and written to the GPU's memory
    ProductFormat format{ProductFormat::BF16}; //!< of the factors, which sets the peak FLOP/s
};

using OperatorCosts = std::vector<OperatorCost>;

/// Shares of a GPU's peak rates that operators reach, each 0.001 to 1.
struct ComputeEfficiency
{
    double matmul{0.4};        //!< share of the peak FLOP/s
    double groupedMatmul{0.4}; //!< share of the peak FLOP/s
    double attention{0.4};     //!< share of the peak FLOP/s
    double memory{0.8};        //!< share of the memory bandwidth
    double fp8{0.4};           //!< share of the peak FLOP/s of products in fp8

    /**
     * @brief Check the shares.
     * @return an empty string, or one line that names the share outside 0.001 to 1
     */
    std::string Validate() const;
};

/**
 * @brief Computation time of one GPU: a roofline with an efficiency for each kind of operator.
 *
 * An operator takes the longer of (FLOPs) / (peak of its format x efficiency) and (bytes) / (memory
 * bandwidth x efficiency) (Williams, Waterman and Patterson, "Roofline", CACM 2009). Operators run
 * one after the other. The efficiencies cover every effect that the roofline leaves out. None of
 * them is the MFU of a step, which also counts waiting.
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

/**
 * @brief Time of collectives inside a scale-up domain, in closed form.
 *
 * The scale-up interconnect is non-blocking and the ranks of a group arrive together, so a
 * collective takes (launch) + (steps) x (latency) + (bytes that the busiest rank sends) /
 * bandwidth, in the protocol that is the fastest one (CollectiveProtocol); with a
 * GpuSpec::scaleUpLatency no launch, and all of the bandwidth. With n ranks and an input of b
 * bytes:
 *
 * | collective                | steps    | bytes         |
 * |---------------------------|----------|---------------|
 * | AllGather, ring           | n - 1    | (n - 1) b     |
 * | ReduceScatter, ring       | n - 1    | b (n - 1) / n |
 * | AllReduce, ring           | 2(n - 1) | 2b (n - 1) / n |
 * | AllToAll, direct          | 1        | b (n - 1) / n |
 * | Broadcast, Reduce, pipelined chain | n - 1 | b       |
 * | Send, Recv                | 1        | b             |
 *
 * Rings: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
 * workstations", JPDC 2009. A Send and its Recv also begin together: the time that one waits for
 * the other is not included.
 */
class ScaleUpModel
{
  public:
    /// @param gpu provides bandwidth per direction, and perhaps the latency of a step
    explicit ScaleUpModel(const GpuSpec& gpu);

    /**
     * @param kind kind of collective
     * @param ranks size of the group
     * @param bytes input bytes of a rank, see CollectiveCall
     * @return the duration; zero for a single rank
     */
    Time GetTime(CollectiveKind kind, uint32_t ranks, uint64_t bytes) const;

    /**
     * @param sizes sizes of an AllToAll whose parts differ
     * @return the duration, set by the rank that sends or receives most; zero for a single rank
     */
    Time GetTime(const AllToAllSizes& sizes) const;

  private:
    /// @return the duration of a number of steps and of a number of bytes one after the other
    Time GetTime(double steps, double bytes) const;

    double m_bandwidth; //!< byte/s per direction
    double m_latency;   //!< s per step, or 0
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COMPUTE_MODEL_H
