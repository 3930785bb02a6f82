// SPDX-License-Identifier: GPL-2.0-only

#include "sharding-plan.h"

#include "ns3/assert.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

/**
 * @param whole what is split
 * @param parts into how many parts
 * @return the size of the largest part
 */
uint64_t
Share(uint64_t whole, uint64_t parts)
{
    return (whole + parts - 1) / parts;
}

/// @return parameters of a tensor that one rank has, before data parallelism
uint64_t
GetLocal(const ParameterTensor& tensor, const ParallelismSpec& parallelism)
{
    const bool isExpert = tensor.part == ModelPart::EXPERT;
    const bool isSplit = tensor.split != TensorSplit::REPLICATED;
    const uint64_t tp = isExpert ? parallelism.expertTp : parallelism.tp;
    const uint64_t size = tensor.GetSize() / (isExpert ? parallelism.ep : 1);
    return isSplit ? Share(size, tp) : size;
}

} // namespace

ShardingPlan::ShardingPlan(const TransformerSpec& model,
                           const ParallelismSpec& parallelism,
                           const FrameworkRules& rules,
                           uint32_t stage)
{
    const uint32_t stages = parallelism.GetPipeline().GetStages();
    const auto split = ParallelismSpec::SplitLayers(model.layers, stages, rules.split);
    NS_ASSERT_MSG(stage < split.size(), "stage " << stage << " of " << split.size());
    const auto add =
        [this, &parallelism](ShardingUnit::Kind kind, uint32_t layer, ParameterTensors tensors) {
            ShardingUnit unit;
            unit.kind = kind;
            unit.layer = layer;
            unit.tensors = std::move(tensors);
            for (const auto& tensor : unit.tensors)
            {
                unit.parameters += GetLocal(tensor, parallelism);
            }
            uint64_t shards = uint64_t{parallelism.fsdp} * parallelism.cp;
            if (kind == ShardingUnit::EXPERTS)
            {
                unit.shards = GroupRole::EXPERT_FSDP;
                unit.copies = GroupRole::EXPERT_DATA;
                shards = parallelism.GetExpertShards();
            }
            unit.shardParameters = Share(unit.parameters, shards);
            m_units.push_back(std::move(unit));
        };
    if (stage == 0)
    {
        add(ShardingUnit::EMBEDDING, 0, model.GetEmbeddingTensors());
    }
    uint32_t layer = std::accumulate(split.begin(), split.begin() + stage, 0U);
    for (uint32_t i = 0; i < split[stage]; ++i, ++layer)
    {
        ParameterTensors own = model.GetLayerTensors(layer);
        const auto experts = std::stable_partition(own.begin(), own.end(), [&](const auto& tensor) {
            return tensor.part != ModelPart::EXPERT || parallelism.ep == 1;
        });
        ParameterTensors routed(experts, own.end());
        own.erase(experts, own.end());
        add(ShardingUnit::LAYER, layer, std::move(own));
        if (!routed.empty())
        {
            add(ShardingUnit::EXPERTS, layer, std::move(routed));
        }
    }
    if (stage + 1 == stages)
    {
        add(ShardingUnit::OUTPUT, 0, model.GetOutputTensors());
    }
}

const std::vector<ShardingUnit>&
ShardingPlan::GetUnits() const
{
    return m_units;
}

std::vector<GradientBucket>
ShardingPlan::GetBuckets(uint64_t bucketParameters) const
{
    std::vector<GradientBucket> buckets;
    for (const auto copies : {GroupRole::DATA, GroupRole::EXPERT_DATA})
    {
        bool isOpen = false;
        for (std::size_t i = m_units.size(); i-- > 0;)
        {
            if (m_units[i].copies != copies)
            {
                continue;
            }
            if (!isOpen)
            {
                buckets.push_back({{}, 0, copies});
            }
            buckets.back().units.push_back(i);
            buckets.back().parameters += m_units[i].parameters;
            isOpen = buckets.back().parameters < bucketParameters;
        }
    }
    return buckets;
}

uint64_t
ShardingPlan::GetParameters() const
{
    return std::accumulate(m_units.begin(),
                           m_units.end(),
                           uint64_t{0},
                           [](uint64_t sum, const auto& unit) { return sum + unit.parameters; });
}

uint64_t
ShardingPlan::GetShardParameters() const
{
    return std::accumulate(
        m_units.begin(),
        m_units.end(),
        uint64_t{0},
        [](uint64_t sum, const auto& unit) { return sum + unit.shardParameters; });
}

} // namespace ns3
