// SPDX-License-Identifier: GPL-2.0-only

#include "gpu-spec.h"

namespace ns3
{

namespace
{

/// Latency in s of one ring step over NVLink in NCCL's tuning table: hwLat, NVLINK, Ring, Simple.
constexpr double NVLINK_RING_STEP = 3.4e-6;

/// @return every preset
std::vector<GpuSpec>
GetGpuPresets()
{
    // Data sheets give tensor FLOP/s with 2:4 sparsity (halved here, except for the A100, whose
    // sheet gives both) and NVLink bandwidth as the sum of both directions (halved here). Memory:
    // the same sheets; HGX B200 has 1.44 TB in 8 GPUs, GB200 NVL72 13.4 TB in 72.
    return {
        // NVIDIA A100 80GB SXM data sheet: 312 TFLOP/s, 2039 GB/s, NVLink 3 600 GB/s.
        {"a100", 312e12, 2.039e12, 300e9, NVLINK_RING_STEP, 80e9},
        // NVIDIA H100 SXM data sheet: 1979 TFLOP/s sparse, 3.35 TB/s, NVLink 4 900 GB/s.
        {"h100", 989.5e12, 3.35e12, 450e9, NVLINK_RING_STEP, 80e9},
        // NVIDIA H200 SXM data sheet: 1979 TFLOP/s sparse, 4.8 TB/s, NVLink 4 900 GB/s.
        {"h200", 989.5e12, 4.8e12, 450e9, NVLINK_RING_STEP, 141e9},
        // NVIDIA HGX B200 (Blackwell architecture brief): 4.5 PFLOP/s sparse, 8 TB/s, NVLink 5
        // 1.8 TB/s.
        {"b200", 2.25e15, 8e12, 900e9, NVLINK_RING_STEP, 180e9},
        // NVIDIA GB200 NVL72 data sheet, per GPU: 5 PFLOP/s sparse, 8 TB/s, NVLink 5 1.8 TB/s.
        {"gb200", 2.5e15, 8e12, 900e9, NVLINK_RING_STEP, 186e9},
    };
}

} // namespace

std::optional<GpuSpec>
GpuSpec::Find(const std::string& name)
{
    for (const auto& preset : GetGpuPresets())
    {
        if (preset.name == name)
        {
            return preset;
        }
    }
    return std::nullopt;
}

std::vector<std::string>
GpuSpec::GetNames()
{
    std::vector<std::string> names;
    for (const auto& preset : GetGpuPresets())
    {
        names.push_back(preset.name);
    }
    return names;
}

} // namespace ns3
