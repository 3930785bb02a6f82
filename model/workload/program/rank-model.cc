// SPDX-License-Identifier: GPL-2.0-only

#include "rank-model.h"

namespace ns3
{

RankModel::RankModel(const WorkloadSpec& spec, uint32_t pipelineRank)
{
    const PipelineShape shape = spec.parallelism.GetPipeline();
    for (uint32_t i = 0; i < shape.chunks; ++i)
    {
        const uint32_t stage = shape.GetStage(pipelineRank, i);
        ModelChunk chunk{stage, ShardingPlan(spec.model, spec.parallelism, spec.rules, stage), {}};
        const auto& units = chunk.plan.GetUnits();
        for (std::size_t unit = 0; unit < units.size(); ++unit)
        {
            if (units[unit].kind == ShardingUnit::EXPERTS)
            {
                chunk.modules.back().hasExperts = true;
            }
            else
            {
                chunk.modules.push_back({unit, false, GetName(units[unit])});
            }
        }
        m_chunks.push_back(std::move(chunk));
    }
}

std::vector<const ShardingUnit*>
RankModel::GetUnits() const
{
    std::vector<const ShardingUnit*> units;
    for (const auto& chunk : m_chunks)
    {
        for (const auto& unit : chunk.plan.GetUnits())
        {
            units.push_back(&unit);
        }
    }
    return units;
}

std::string
RankModel::GetName(const ShardingUnit& unit)
{
    switch (unit.kind)
    {
    case ShardingUnit::EMBEDDING:
        return "embedding";
    case ShardingUnit::LAYER:
        return "layer " + std::to_string(unit.layer);
    case ShardingUnit::EXPERTS:
        return "layer " + std::to_string(unit.layer) + " experts";
    case ShardingUnit::OUTPUT:
        break;
    }
    return "output";
}

} // namespace ns3
