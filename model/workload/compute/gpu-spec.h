// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_GPU_SPEC_H
#define PHOTONIC_RAILS_GPU_SPEC_H

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// What the compute and scale-up models need to know about a GPU.
struct GpuSpec
{
    std::string name;           //!< name of the preset
    double peakFlops{0};        //!< dense bf16 FLOP/s of the tensor cores, without sparsity
    double memoryBandwidth{0};  //!< of the GPU's own memory, byte/s
    double scaleUpBandwidth{0}; //!< into the scale-up interconnect, byte/s per direction
    double scaleUpLatency{0};   //!< of one step of a ring over it, s

    /**
     * @brief Look up a preset.
     * @param name a100, h100, h200, b200 or gb200
     * @return the preset, or nothing if there is none of that name
     */
    static std::optional<GpuSpec> Find(const std::string& name);

    /// @return the names that Find knows
    static std::vector<std::string> GetNames();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_GPU_SPEC_H
