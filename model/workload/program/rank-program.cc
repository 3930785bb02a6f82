// SPDX-License-Identifier: GPL-2.0-only

#include "rank-program.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RankProgram::RankProgram(std::vector<RankOperation> operations)
    : m_operations(std::move(operations)),
      m_successors(m_operations.size()),
      m_predecessorCounts(m_operations.size(), 0)
{
    constexpr uint32_t NONE = UINT32_MAX;
    std::array<uint32_t, RankOperation::STREAMS> last;
    last.fill(NONE);
    for (uint32_t index = 0; index < GetSize(); ++index)
    {
        const RankOperation& operation = m_operations[index];
        std::vector<uint32_t> predecessors = operation.dependencies;
        if (last[operation.stream] != NONE)
        {
            predecessors.push_back(last[operation.stream]);
        }
        last[operation.stream] = index;
        std::sort(predecessors.begin(), predecessors.end());
        predecessors.erase(std::unique(predecessors.begin(), predecessors.end()),
                           predecessors.end());
        for (uint32_t predecessor : predecessors)
        {
            NS_ASSERT_MSG(predecessor < index, "operation " << index << " depends on a later one");
            m_successors[predecessor].push_back(index);
        }
        m_predecessorCounts[index] = static_cast<uint32_t>(predecessors.size());
    }
}

uint32_t
RankProgram::GetSize() const
{
    return static_cast<uint32_t>(m_operations.size());
}

const std::vector<RankOperation>&
RankProgram::GetOperations() const
{
    return m_operations;
}

const std::vector<uint32_t>&
RankProgram::GetSuccessors(uint32_t index) const
{
    return m_successors[index];
}

const std::vector<uint32_t>&
RankProgram::GetPredecessorCounts() const
{
    return m_predecessorCounts;
}

RankBinding::RankBinding(const DeviceMesh& mesh, uint32_t rank)
    : m_rank(rank)
{
    for (std::size_t i = 0; i < ROLES; ++i)
    {
        const auto role = static_cast<GroupRole>(i);
        const ProcessGroup& group = mesh.GetGroup(rank, role);
        m_groupId[i] = group.id;
        m_peer[i] = group.ranks.front() == rank ? group.ranks.back() : group.ranks.front();
    }
}

uint32_t
RankBinding::GetRank() const
{
    return m_rank;
}

CollectiveCall
RankBinding::Bind(const RankOperation& operation) const
{
    NS_ASSERT(operation.place != RankOperation::GPU);
    const auto role = static_cast<std::size_t>(operation.role);
    CollectiveCall call;
    call.kind = operation.kind;
    call.groupId = m_groupId[role];
    call.bytes = operation.bytes;
    call.sizes = operation.sizes;
    if (call.IsPointToPoint())
    {
        call.peer = m_peer[role];
    }
    return call;
}

} // namespace ns3
