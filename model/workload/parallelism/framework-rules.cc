// SPDX-License-Identifier: GPL-2.0-only

#include "framework-rules.h"

namespace ns3
{

namespace
{

/// @return every preset
std::vector<FrameworkRules>
GetPresets()
{
    FrameworkRules torchtitan;
    torchtitan.name = "torchtitan";
    FrameworkRules before = torchtitan;
    before.name = "torchtitan-0.1.0";
    before.statistics = StepStatistics::LOSS_TOKENS;
    FrameworkRules megatron;
    megatron.name = "megatron-lm";
    megatron.dataParallelism = DataParallelism::DISTRIBUTED_OPTIMIZER;
    megatron.tensorParallelism = TensorParallelStyle::MEGATRON;
    megatron.recomputation = Recomputation::FULL;
    megatron.sequenceParallel = false;
    megatron.split = StageSplit::EVEN;
    megatron.norms = NormReduction::SCALAR;
    megatron.statistics = StepStatistics::LOSS;
    megatron.balancesExperts = false;
    return {torchtitan, before, megatron};
}

} // namespace

std::optional<FrameworkRules>
FrameworkRules::Find(const std::string& name)
{
    for (const auto& preset : GetPresets())
    {
        if (preset.name == name)
        {
            return preset;
        }
    }
    return std::nullopt;
}

std::vector<std::string>
FrameworkRules::GetNames()
{
    std::vector<std::string> names;
    for (const auto& preset : GetPresets())
    {
        names.push_back(preset.name);
    }
    return names;
}

} // namespace ns3
