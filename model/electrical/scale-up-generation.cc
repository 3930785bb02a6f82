// SPDX-License-Identifier: GPL-2.0-only

#include "scale-up-generation.h"

#include <algorithm>

namespace ns3
{

const std::vector<ScaleUpGeneration>&
ScaleUpGeneration::GetAll()
{
    constexpr uint64_t megabyte = 8000000; // per second, in bit/s
    constexpr uint64_t ns = 1000;
    static const std::vector<ScaleUpGeneration> all = {
        // 12 links of 20.0 GB/s; data sheet 600 GB/s both ways. HGX A100: 8 GPUs, 6 NVSwitches.
        {"nvlink3", {"a100", "dgx-a100"}, 240'000 * megabyte, 100 * ns, 10 * ns, 8},
        // 18 links of 20.6 GB/s; data sheet 900 GB/s both ways. HGX H100: 8 GPUs, 4 NVSwitches.
        {"nvlink4", {"h100", "h200"}, 370'800 * megabyte, 100 * ns, 10 * ns, 8},
        // 18 links of 40.1 GB/s; data sheet 1.8 TB/s both ways. GB200 NVL72: 72 GPUs.
        {"nvlink5", {"b200", "gb200"}, 721'800 * megabyte, 100 * ns, 10 * ns, 72},
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
