// SPDX-License-Identifier: GPL-2.0-only

#include "sharding-plan.h"

#include "ns3/assert.h"

#include <numeric>

namespace ns3
{

namespace
{

constexpr uint64_t BF16_BYTES = 2;
constexpr uint64_t FP32_BYTES = 4;

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

} // namespace

ShardingPlan::ShardingPlan(const TransformerSpec& model,
                           const ParallelismSpec& parallelism,
                           uint32_t stage)
{
    const auto split = ParallelismSpec::SplitLayers(model.layers, parallelism.pp);
    NS_ASSERT_MSG(stage < split.size(), "stage " << stage << " of " << split.size());
    FsdpUnit unit;
    if (stage == 0)
    {
        unit.kind = FsdpUnit::EMBEDDING;
        unit.tensors = 1;
        Add(unit, model.GetEmbeddingParameters(), 0, parallelism);
    }
    unit.kind = FsdpUnit::LAYER;
    unit.tensors = 9; // query, key, value, output, gate, up, down, two norms
    unit.layer = std::accumulate(split.begin(), split.begin() + stage, 0U);
    const uint64_t projections = model.GetAttentionParameters() + model.GetFeedForwardParameters();
    for (uint32_t i = 0; i < split[stage]; ++i, ++unit.layer)
    {
        Add(unit, projections, model.GetLayerNormParameters(), parallelism);
    }
    if (stage + 1 == split.size())
    {
        unit.kind = FsdpUnit::OUTPUT;
        unit.tensors = model.tiedEmbeddings ? 1 : 2;
        unit.layer = 0;
        Add(unit, model.GetOutputParameters(), model.GetFinalNormParameters(), parallelism);
    }
}

void
ShardingPlan::Add(FsdpUnit unit,
                  uint64_t split,
                  uint64_t replicated,
                  const ParallelismSpec& parallelism)
{
    unit.parameters = Share(split, parallelism.tp) + replicated;
    unit.shardParameters = Share(unit.parameters, parallelism.fsdp);
    unit.gatherBytes = unit.shardParameters * BF16_BYTES;
    // The input is padded so that every rank gets an equal shard of the result.
    unit.reduceBytes = unit.shardParameters * parallelism.fsdp * FP32_BYTES;
    m_units.push_back(unit);
}

const std::vector<FsdpUnit>&
ShardingPlan::GetUnits() const
{
    return m_units;
}

uint64_t
ShardingPlan::GetShardParameters() const
{
    uint64_t sum = 0;
    for (const auto& unit : m_units)
    {
        sum += unit.shardParameters;
    }
    return sum;
}

uint32_t
ShardingPlan::GetTensors() const
{
    uint32_t sum = 0;
    for (const auto& unit : m_units)
    {
        sum += unit.tensors;
    }
    return sum;
}

uint64_t
ShardingPlan::GetGatherBytes() const
{
    uint64_t sum = 0;
    for (const auto& unit : m_units)
    {
        sum += unit.gatherBytes;
    }
    return sum;
}

uint64_t
ShardingPlan::GetReduceBytes() const
{
    uint64_t sum = 0;
    for (const auto& unit : m_units)
    {
        sum += unit.reduceBytes;
    }
    return sum;
}

uint64_t
ShardingPlan::GetActivationBytes(const TransformerSpec& model, const ParallelismSpec& parallelism)
{
    return parallelism.GetTokens() / parallelism.tp * model.hidden * BF16_BYTES;
}

} // namespace ns3
