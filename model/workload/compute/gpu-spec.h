// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_GPU_SPEC_H
#define PHOTONIC_RAILS_GPU_SPEC_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

constexpr uint64_t BF16_BYTES = 2;  //!< size of an activation or parameter
constexpr uint64_t COUNT_BYTES = 8; //!< size of a number of tokens, int64
constexpr uint64_t FP32_BYTES = 4;  //!< size of a scalar, statistic and, by default, gradient

/// Data of a GPU for the compute and scale-up models.
struct GpuSpec
{
    std::string name;           //!< name of the preset
    double peakFlops{0};        //!< dense bf16 FLOP/s of the tensor cores, without sparsity
    double memoryBandwidth{0};  //!< bandwidth of the GPU's own memory, byte/s
    double scaleUpBandwidth{0}; //!< into the scale-up interconnect, byte/s per direction
    double scaleUpLatency{0};   //!< latency of one step of a ring over the scale-up interconnect, s
    double memory{0};           //!< size of the GPU's own memory, byte

    /**
     * @brief Look up a preset.
     * @param name a100, h100, h200, b200 or gb200
     * @return the preset, or nothing for an unknown name
     */
    static std::optional<GpuSpec> Find(const std::string& name);

    /// @return the names of all presets
    static std::vector<std::string> GetNames();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_GPU_SPEC_H
