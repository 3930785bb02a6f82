// SPDX-License-Identifier: GPL-2.0-only

#include "rank-program-writer.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param collective a collective
 * @return the stream on which it runs
 */
RankOperation::Stream
GetStream(const RankProgramWriter::Collective& collective)
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

RankProgramWriter::RankProgramWriter(const DeviceMesh& mesh,
                                     uint32_t rank,
                                     const ScaleUpModel& scaleUp)
    : m_mesh(mesh),
      m_rank(rank),
      m_scaleUp(scaleUp)
{
}

bool
RankProgramWriter::HasPeers(GroupRole role) const
{
    return m_mesh.GetGroup(m_rank, role).GetSize() > 1;
}

const std::vector<uint32_t>&
RankProgramWriter::GetFront() const
{
    return m_front;
}

void
RankProgramWriter::Wait(uint32_t index)
{
    if (std::find(m_front.begin(), m_front.end(), index) == m_front.end())
    {
        m_front.push_back(index);
    }
}

void
RankProgramWriter::Compute(const std::string& label, Time duration)
{
    RankOperation operation;
    operation.duration = duration;
    operation.label = label;
    operation.dependencies = m_front;
    m_front = {Append(std::move(operation))};
}

void
RankProgramWriter::Serial(const Collective& collective)
{
    if (HasPeers(collective.role))
    {
        m_front = {Parallel(collective, m_front)};
    }
}

uint32_t
RankProgramWriter::Parallel(const Collective& collective, std::vector<uint32_t> dependencies)
{
    NS_ASSERT(HasPeers(collective.role));
    const ProcessGroup& group = m_mesh.GetGroup(m_rank, collective.role);
    RankOperation operation;
    operation.stream = GetStream(collective);
    operation.place = RankOperation::SCALE_OUT;
    operation.dimension = collective.dimension;
    operation.kind = collective.kind;
    operation.role = collective.role;
    operation.bytes = collective.bytes;
    operation.label = collective.label;
    operation.dependencies = std::move(dependencies);
    if (m_mesh.GetReach(group) == DeviceMesh::SCALE_UP)
    {
        operation.place = RankOperation::SCALE_UP;
        operation.duration = m_scaleUp.GetTime(collective.kind, group.GetSize(), collective.bytes);
    }
    return Append(std::move(operation));
}

std::vector<RankOperation>
RankProgramWriter::Take()
{
    m_front.clear();
    return std::move(m_operations);
}

uint32_t
RankProgramWriter::Append(RankOperation operation)
{
    m_operations.push_back(std::move(operation));
    return static_cast<uint32_t>(m_operations.size() - 1);
}

} // namespace ns3
