// SPDX-License-Identifier: GPL-2.0-only

#include "rank-program-emitter.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

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

namespace
{

/**
 * @param collective a collective
 * @return the stream on which it runs
 */
RankOperation::Stream
GetStream(const RankCollective& collective)
{
    switch (collective.role)
    {
    case GroupRole::TP:
    case GroupRole::EXPERT_TP:
        return RankOperation::TP_STREAM;
    case GroupRole::CP:
        return RankOperation::CP_STREAM;
    case GroupRole::EP:
        return RankOperation::EP_STREAM;
    case GroupRole::FSDP:
    case GroupRole::EXPERT_FSDP:
        return RankOperation::FSDP_STREAM;
    case GroupRole::PP:
    case GroupRole::PP_PREVIOUS:
    case GroupRole::PP_NEXT:
        return collective.kind == CollectiveKind::RECV ? RankOperation::RECV_STREAM
                                                       : RankOperation::SEND_STREAM;
    default:
        return RankOperation::DP_STREAM;
    }
}

} // namespace

RankProgramEmitter::RankProgramEmitter(const DeviceMesh& mesh,
                                       uint32_t rank,
                                       const ScaleUpModel& scaleUp)
    : m_scaleUp(scaleUp)
{
    for (std::size_t i = 0; i < static_cast<std::size_t>(GroupRole::COUNT); ++i)
    {
        const ProcessGroup& group = mesh.GetGroup(rank, static_cast<GroupRole>(i));
        m_groups.push_back(
            {group.id, static_cast<uint32_t>(group.GetSize()), mesh.GetReach(group)});
    }
}

const RankProgramEmitter::Group&
RankProgramEmitter::GetGroup(GroupRole role) const
{
    return m_groups[static_cast<std::size_t>(role)];
}

bool
RankProgramEmitter::HasPeers(GroupRole role) const
{
    return GetSize(role) > 1;
}

uint32_t
RankProgramEmitter::GetSize(GroupRole role) const
{
    return GetGroup(role).size;
}

void
RankProgramEmitter::Wait(uint32_t index)
{
    if (std::find(m_front.begin(), m_front.end(), index) == m_front.end())
    {
        m_front.push_back(index);
    }
}

void
RankProgramEmitter::Compute(const std::string& label, Time duration, double flops)
{
    RankOperation operation;
    operation.duration = duration;
    operation.flops = flops;
    operation.label = label;
    operation.dependencies = m_front;
    m_front = {Append(std::move(operation))};
}

void
RankProgramEmitter::Compute(const std::string& label,
                            const ComputeModel& compute,
                            const OperatorCosts& costs)
{
    double flops = 0;
    for (const auto& cost : costs)
    {
        flops += cost.flops;
    }
    Compute(label, compute.GetTime(costs), flops);
}

void
RankProgramEmitter::Serial(const RankCollective& collective, const std::string& label)
{
    if (HasPeers(collective.role))
    {
        m_front = {Parallel(collective, label, m_front)};
    }
}

uint32_t
RankProgramEmitter::Parallel(const RankCollective& collective,
                             const std::string& label,
                             std::vector<uint32_t> dependencies)
{
    NS_ASSERT(HasPeers(collective.role));
    const Group& group = GetGroup(collective.role);
    RankOperation operation;
    operation.stream = GetStream(collective);
    operation.place = RankOperation::SCALE_OUT;
    operation.dimension = collective.dimension;
    operation.kind = collective.kind;
    operation.role = collective.role;
    operation.bytes = collective.bytes;
    operation.sizes = collective.sizes;
    operation.label = label;
    operation.dependencies = std::move(dependencies);
    if (group.reach == DeviceMesh::SCALE_UP)
    {
        operation.place = RankOperation::SCALE_UP;
        operation.duration = collective.sizes
                                 ? m_scaleUp.GetTime(*collective.sizes)
                                 : m_scaleUp.GetTime(collective.kind, group.size, collective.bytes);
    }
    if (collective.kind == CollectiveKind::SEND || collective.kind == CollectiveKind::RECV)
    {
        return Append(std::move(operation));
    }
    const auto last = m_lasts.find(group.id);
    if (last != m_lasts.end() && m_operations[last->second].stream != operation.stream)
    {
        auto& all = operation.dependencies;
        if (std::find(all.begin(), all.end(), last->second) == all.end())
        {
            all.push_back(last->second);
        }
    }
    const uint32_t index = Append(std::move(operation));
    m_lasts[group.id] = index;
    return index;
}

std::vector<RankOperation>
RankProgramEmitter::Take()
{
    m_front.clear();
    return std::move(m_operations);
}

uint32_t
RankProgramEmitter::Append(RankOperation operation)
{
    m_operations.push_back(std::move(operation));
    return static_cast<uint32_t>(m_operations.size() - 1);
}

} // namespace ns3
