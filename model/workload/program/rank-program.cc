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
    FindTimedRuns(false);
    FindTimedRuns(true);
}

void
RankProgram::FindTimedRuns(bool scaleUpOnNetwork)
{
    std::vector<TimedRun>& runs = m_timedRuns[scaleUpOnNetwork];
    runs.resize(m_operations.size());
    for (uint32_t index = GetSize(); index-- > 0;)
    {
        const RankOperation& operation = m_operations[index];
        if (operation.place != RankOperation::GPU &&
            (operation.place != RankOperation::SCALE_UP || scaleUpOnNetwork))
        {
            continue;
        }
        runs[index] = {index, 1, operation.duration};
        const std::vector<uint32_t>& successors = m_successors[index];
        if (successors.size() == 1 && m_predecessorCounts[successors.front()] == 1 &&
            runs[successors.front()].operations > 0)
        {
            const TimedRun& rest = runs[successors.front()];
            runs[index] = {rest.last, rest.operations + 1, operation.duration + rest.duration};
        }
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

const RankProgram::TimedRun&
RankProgram::GetTimedRun(uint32_t index, bool scaleUpOnNetwork) const
{
    return m_timedRuns[scaleUpOnNetwork][index];
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
    call.stream = operation.stream;
    if (call.IsPointToPoint())
    {
        call.peer = m_peer[role];
    }
    return call;
}

} // namespace ns3
