// SPDX-License-Identifier: GPL-2.0-only

#include "stage-cost.h"

#include "ns3/compute-model.h"
#include "ns3/layer-operators.h"

#include <map>
#include <vector>

namespace ns3
{

namespace
{

/// @return FLOPs of matrix products and attention
double
CountFlops(const OperatorCosts& costs)
{
    double flops = 0;
    for (const auto& cost : costs)
    {
        flops += cost.kind == OperatorKind::MEMORY ? 0 : cost.flops;
    }
    return flops;
}

/// @return the blocks of a unit
std::vector<ModelBlock>
ListBlocks(const ShardingUnit& unit, const TransformerSpec& model)
{
    switch (unit.kind)
    {
    case ShardingUnit::EMBEDDING:
        return {ModelBlock::EMBEDDING};
    case ShardingUnit::OUTPUT:
        return {ModelBlock::OUTPUT, ModelBlock::LOSS};
    case ShardingUnit::EXPERTS:
        return {}; // computed with their layer
    case ShardingUnit::LAYER:
        break;
    }
    std::vector<ModelBlock> blocks{ModelBlock::PROJECTION,
                                   ModelBlock::ATTENTION,
                                   ModelBlock::CONTEXT};
    if (!model.IsMoeLayer(unit.layer))
    {
        blocks.push_back(ModelBlock::FFN);
        return blocks;
    }
    blocks.push_back(ModelBlock::ROUTER);
    blocks.push_back(ModelBlock::EXPERTS);
    blocks.push_back(ModelBlock::COMBINE);
    if (model.moe.sharedExperts > 0)
    {
        blocks.push_back(ModelBlock::SHARED);
    }
    return blocks;
}

} // namespace

StageCost
StageCost::Make(const WorkloadSpec& spec, const ShardingPlan& plan)
{
    const LayerOperators operators(spec.model, spec.parallelism, spec.rules);
    const ComputeModel compute(spec.gpu, spec.efficiency);
    std::map<ModelBlock, StageCost> costs; // of each kind of block once
    StageCost sum;
    for (const auto& unit : plan.GetUnits())
    {
        for (const auto block : ListBlocks(unit, spec.model))
        {
            const auto [place, isNew] = costs.emplace(block, StageCost());
            StageCost& cost = place->second;
            if (isNew)
            {
                const auto forward = operators.Get(block, ComputePass::FORWARD);
                const auto input = operators.Get(block, ComputePass::BACKWARD_INPUT);
                const auto weight = operators.Get(block, ComputePass::BACKWARD_WEIGHT);
                cost.modelFlops = 3 * CountFlops(forward); // a backward takes two forwards
                cost.forward = compute.GetTime(forward);
                cost.backwardInput = compute.GetTime(input);
                cost.backwardWeight = compute.GetTime(weight);
            }
            const bool isRepeated =
                unit.kind == ShardingUnit::LAYER && spec.rules.recomputation == Recomputation::FULL;
            sum.modelFlops += cost.modelFlops;
            sum.forward += cost.forward;
            sum.backwardInput += cost.backwardInput + (isRepeated ? cost.forward : Time(0));
            sum.backwardWeight += cost.backwardWeight;
        }
    }
    return sum;
}

} // namespace ns3
