// SPDX-License-Identifier: GPL-2.0-only

#include "sharding-plan.h"

#include "ns3/assert.h"
#include "ns3/divide-up.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

/**
 * @param number a number
 * @param multiple divisor of the result
 * @return the smallest multiple that is not below the number
 */
uint64_t
Pad(uint64_t number, uint64_t multiple)
{
    return DivideUp(number, multiple) * multiple;
}

/// The part of a tensor that one rank has before data parallelism.
struct LocalTensor
{
    uint64_t experts; //!< stacked matrices
    uint64_t outputs; //!< rows of each
    uint64_t inputs;  //!< columns

    /// @return the number of parameters
    uint64_t GetSize() const
    {
        return experts * outputs * inputs;
    }
};

/// @return the part of a tensor on one rank before data parallelism
LocalTensor
GetLocal(const ParameterTensor& tensor,
         const ParallelismSpec& parallelism,
         const FrameworkRules& rules)
{
    const bool isExpert = tensor.part == ModelPart::EXPERT;
    const uint64_t tp = isExpert ? parallelism.expertTp : parallelism.tp;
    LocalTensor local{DivideUp(tensor.experts, isExpert ? parallelism.ep : 1),
                      tensor.outputs,
                      tensor.inputs};
    switch (tensor.split)
    {
    case TensorSplit::REPLICATED:
        break;
    case TensorSplit::COLUMN:
        local.outputs = DivideUp(local.outputs, tp);
        break;
    case TensorSplit::ROW:
        local.inputs = DivideUp(local.inputs, tp);
        break;
    case TensorSplit::VOCABULARY:
        if (rules.vocabularyMultiple > 0)
        {
            local.outputs = Pad(local.outputs, rules.vocabularyMultiple * tp);
        }
        local.outputs = DivideUp(local.outputs, tp);
        break;
    }
    return local;
}

/// @return the size of a rank's shard of a tensor that FSDP cuts into rows, into experts, or into
/// rows of experts
uint64_t
GetShardSize(const LocalTensor& local, bool isExpert, bool isCutInside, uint64_t shards)
{
    const uint64_t experts =
        isExpert && !isCutInside ? DivideUp(local.experts, shards) : local.experts;
    const uint64_t outputs =
        !isExpert || isCutInside ? DivideUp(local.outputs, shards) : local.outputs;
    return experts * outputs * local.inputs;
}

} // namespace

ShardingPlan::ShardingPlan(const TransformerSpec& model,
                           const ParallelismSpec& parallelism,
                           const FrameworkRules& rules,
                           uint32_t stage)
    : m_model(model),
      m_parallelism(parallelism),
      m_rules(rules),
      m_stage(stage)
{
    const uint32_t stages = parallelism.GetPipeline().GetStages();
    const auto split = ParallelismSpec::SplitLayers(model.layers, stages, rules);
    NS_ASSERT_MSG(stage < split.size(), "stage " << stage << " of " << split.size());
    if (stage == 0)
    {
        Add(ShardingUnit::EMBEDDING, 0, model.GetEmbeddingTensors());
    }
    const bool isApart = parallelism.ep > 1 || parallelism.expertTp != parallelism.tp;
    uint32_t layer = std::accumulate(split.begin(), split.begin() + stage, 0U);
    for (uint32_t i = 0; i < split[stage]; ++i, ++layer)
    {
        ParameterTensors own = model.GetLayerTensors(layer);
        const auto experts =
            std::stable_partition(own.begin(), own.end(), [isApart](const auto& tensor) {
                return tensor.part != ModelPart::EXPERT || !isApart;
            });
        ParameterTensors routed(experts, own.end());
        own.erase(experts, own.end());
        Add(ShardingUnit::LAYER, layer, std::move(own));
        if (!routed.empty())
        {
            Add(ShardingUnit::EXPERTS, layer, std::move(routed));
        }
    }
    if (stage + 1 == stages)
    {
        ParameterTensors tensors = model.GetOutputTensors();
        if (model.tiedEmbeddings && stage > 0)
        {
            tensors.push_back(model.GetEmbeddingTensors().front());
        }
        Add(ShardingUnit::OUTPUT, 0, std::move(tensors));
    }
}

void
ShardingPlan::Add(ShardingUnit::Kind kind, uint32_t layer, ParameterTensors tensors)
{
    const bool isApart = kind == ShardingUnit::EXPERTS;
    ShardingUnit unit;
    unit.kind = kind;
    unit.layer = layer;
    unit.tensors = std::move(tensors);
    unit.shards = isApart ? GroupRole::EXPERT_FSDP : GroupRole::FSDP;
    unit.copies = isApart ? GroupRole::EXPERT_DATA : GroupRole::DATA;
    const uint64_t shards = GetCopies(unit.copies) / m_parallelism.replicate;
    const bool isCutInside = isApart && shards * m_parallelism.ep > m_model.moe.experts;
    for (const auto& tensor : unit.tensors)
    {
        const LocalTensor local = GetLocal(tensor, m_parallelism, m_rules);
        const bool isExpert = tensor.part == ModelPart::EXPERT;
        unit.sizes.push_back(local.GetSize());
        unit.parameters += local.GetSize();
        unit.shardParameters += GetShardSize(local, isExpert, isCutInside, shards);
    }
    switch (m_rules.dataParallelism)
    {
    case DataParallelism::FSDP:
        break;
    case DataParallelism::DDP:
        unit.shardParameters = unit.parameters;
        break;
    case DataParallelism::DISTRIBUTED_OPTIMIZER:
        unit.shards = unit.copies;
        unit.shardParameters = DivideUp(unit.parameters, GetCopies(unit.copies));
        break;
    }
    m_units.push_back(std::move(unit));
}

uint64_t
ShardingPlan::GetCopies(GroupRole copies) const
{
    return m_parallelism.replicate * (copies == GroupRole::EXPERT_DATA
                                          ? m_parallelism.GetExpertShards()
                                          : uint64_t{m_parallelism.fsdp} * m_parallelism.cp);
}

bool
ShardingPlan::IsShared(const ParameterTensor& tensor) const
{
    return m_model.tiedEmbeddings && tensor.split == TensorSplit::VOCABULARY &&
           m_parallelism.pp > 1 &&
           m_rules.dataParallelism == DataParallelism::DISTRIBUTED_OPTIMIZER;
}

std::vector<GradientBucket>
ShardingPlan::GetBuckets() const
{
    constexpr uint64_t TENSOR_ALIGNMENT = 64;
    constexpr uint64_t BUCKET_ALIGNMENT = 128;
    std::vector<GradientBucket> buckets;
    if (m_rules.dataParallelism == DataParallelism::FSDP)
    {
        return buckets;
    }
    const bool isSharded = m_rules.dataParallelism == DataParallelism::DISTRIBUTED_OPTIMIZER;
    const uint64_t limit =
        std::max(m_rules.bucketParameters,
                 m_rules.bucketParametersPerRank * m_parallelism.fsdp * m_parallelism.replicate);
    const bool isCut = m_rules.overlapsReduction && m_stage == 0;
    for (const auto copies : {GroupRole::DATA, GroupRole::EXPERT_DATA})
    {
        const uint64_t alignment = std::lcm(BUCKET_ALIGNMENT, GetCopies(copies));
        bool isOpen = false;
        const auto close = [&buckets, &isOpen, isSharded, alignment] {
            if (isOpen && isSharded)
            {
                buckets.back().parameters = Pad(buckets.back().parameters, alignment);
            }
            isOpen = false;
        };
        for (std::size_t i = m_units.size(); i-- > 0;)
        {
            const ShardingUnit& unit = m_units[i];
            for (std::size_t j = unit.copies == copies ? unit.tensors.size() : 0; j-- > 0;)
            {
                const bool isShared = IsShared(unit.tensors[j]);
                if (isShared)
                {
                    close();
                }
                if (!isOpen)
                {
                    buckets.push_back({{}, 0, copies});
                    isOpen = true;
                }
                GradientBucket& bucket = buckets.back();
                if (bucket.units.empty() || bucket.units.back() != i)
                {
                    bucket.units.push_back(i);
                }
                if (isSharded)
                {
                    bucket.parameters = Pad(bucket.parameters, TENSOR_ALIGNMENT);
                }
                bucket.parameters += unit.sizes[j];
                if (isShared || (isCut && bucket.parameters >= limit))
                {
                    close();
                }
            }
        }
        close();
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
