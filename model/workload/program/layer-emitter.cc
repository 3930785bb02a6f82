// SPDX-License-Identifier: GPL-2.0-only

#include "layer-emitter.h"

#include "ns3/assert.h"

namespace ns3
{

LayerEmitter::LayerEmitter(const LayerOperators& operators, const ComputeModel& compute)
    : m_operators(operators),
      m_compute(compute)
{
}

void
LayerEmitter::Compute(const std::string& label,
                      const std::vector<ModelBlock>& blocks,
                      ComputePass pass,
                      double share)
{
    NS_ASSERT(share > 0 && share <= 1);
    OperatorCosts costs;
    for (const auto block : blocks)
    {
        for (auto& cost : m_operators.Get(block, pass))
        {
            cost.flops *= share;
            cost.bytes *= share;
            costs.push_back(std::move(cost));
        }
    }
    Compute(label, costs);
}

void
LayerEmitter::Compute(const std::string& label, const OperatorCosts& costs, bool needsExperts)
{
    LayerStep step;
    step.needsExperts = needsExperts;
    step.duration = m_compute.GetTime(costs);
    for (const auto& cost : costs)
    {
        step.flops += cost.flops;
    }
    step.label = m_part + label;
    m_steps.push_back(std::move(step));
}

void
LayerEmitter::Collective(const std::string& label, const RankCollective& collective)
{
    LayerStep step;
    step.isCollective = true;
    step.collective = collective;
    step.label = m_part + label;
    m_steps.push_back(std::move(step));
}

void
LayerEmitter::Beside(const std::string& label, const RankCollective& collective)
{
    Collective(label, collective);
    m_steps.back().isBeside = true;
}

LayerSteps
LayerEmitter::Take()
{
    LayerSteps steps;
    steps.swap(m_steps);
    return steps;
}

} // namespace ns3
