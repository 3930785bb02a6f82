// SPDX-License-Identifier: GPL-2.0-only

#include "scale-up-generation.h"

#include <algorithm>

namespace ns3
{

const std::vector<ScaleUpGeneration>&
ScaleUpGeneration::GetAll()
{
    constexpr uint64_t gigabyte = 8000000000; // per second, in bit/s
    constexpr uint64_t ns = 1000;
    static const std::vector<ScaleUpGeneration> all = {
        // NVIDIA A100 80GB SXM data sheet: 600 GB/s; HGX A100: 8 GPUs on 6 NVSwitches.
        {"nvlink3", {"a100", "dgx-a100"}, 300 * gigabyte, 100 * ns, 10 * ns, 8},
        // NVIDIA H100 and H200 SXM data sheets: 900 GB/s; HGX H100: 8 GPUs on 4 NVSwitches.
        {"nvlink4", {"h100", "h200"}, 450 * gigabyte, 100 * ns, 10 * ns, 8},
        // NVIDIA GB200 NVL72 data sheet: 130 TB/s for 72 GPUs, 1.8 TB/s each.
        {"nvlink5", {"b200", "gb200"}, 900 * gigabyte, 100 * ns, 10 * ns, 72},
    };
    return all;
}

const ScaleUpGeneration*
ScaleUpGeneration::Find(const std::string& name)
{
    for (const auto& generation : GetAll())
    {
        const auto& gpus = generation.gpus;
        if (generation.name == name || std::find(gpus.begin(), gpus.end(), name) != gpus.end())
        {
            return &generation;
        }
    }
    return nullptr;
}

std::string
ScaleUpGeneration::GetNames()
{
    std::string names;
    for (const auto& generation : GetAll())
    {
        names += (names.empty() ? "" : ", ") + generation.name;
    }
    return names;
}

std::string
ScaleUpGeneration::Check(uint32_t gpusPerDomain) const
{
    if (gpusPerDomain > maxGpus)
    {
        return "a scale-up domain of " + name + " has at most " + std::to_string(maxGpus) +
               " GPUs, not " + std::to_string(gpusPerDomain);
    }
    return "";
}

FabricTopology
ScaleUpGeneration::Build(uint32_t domains, uint32_t gpusPerDomain) const
{
    return FabricTopology::JoinDomains(domains,
                                       gpusPerDomain,
                                       "domain ",
                                       " " + name,
                                       DataRate(bitRate),
                                       PicoSeconds(static_cast<int64_t>(cableDelayPicoseconds)));
}

} // namespace ns3
