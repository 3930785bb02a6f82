// SPDX-License-Identifier: GPL-2.0-only

#include "job-demand.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

/// @return bytes that a rank sends to each neighbour on a ring
uint64_t
GetRingBytes(CollectiveKind kind, uint64_t ranks, uint64_t bytes)
{
    switch (kind)
    {
    case CollectiveKind::ALL_GATHER:
        return (ranks - 1) * bytes / 2;
    case CollectiveKind::REDUCE_SCATTER:
        return (ranks - 1) * (bytes / ranks) / 2;
    case CollectiveKind::ALL_REDUCE:
        return (ranks - 1) * (bytes / ranks);
    case CollectiveKind::ALL_TO_ALL:
        return bytes * ranks / 8;
    default:
        return bytes / 2;
    }
}

} // namespace

JobDemand::JobDemand(const DeviceMesh& mesh,
                     const RankClasses& classes,
                     const JobGroups::Programs& programs,
                     const CollectiveAlgorithms& algorithms)
    : m_mesh(mesh),
      m_algorithms(algorithms)
{
    for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
    {
        for (const auto& operation : programs[classes.GetClass(rank)]->GetOperations())
        {
            const bool sends = operation.kind != CollectiveKind::RECV;
            if (operation.place == RankOperation::SCALE_OUT && sends)
            {
                Add(rank, operation);
            }
        }
    }
}

void
JobDemand::Add(uint32_t rank, const RankOperation& operation)
{
    const ProcessGroup& group = m_mesh.GetGroup(rank, operation.role);
    if (m_mesh.GetReach(group) != DeviceMesh::SCALE_OUT)
    {
        return;
    }
    const uint32_t size = group.GetSize();
    const uint32_t index = group.GetIndex(rank);
    const uint32_t next = group.ranks[(index + 1) % size];
    const uint32_t previous = group.ranks[(index + size - 1) % size];
    auto& pairs = m_dimensions[operation.dimension];
    if (operation.kind == CollectiveKind::SEND)
    {
        pairs[std::minmax(rank, next)] += operation.bytes;
        m_sends[{rank, next}] += operation.bytes;
        return;
    }
    if (m_algorithms.IsChosen(operation.kind) && m_algorithms.Get(operation.kind) != "ring")
    {
        for (const auto& [peer, sent] : GetSent(operation, size, index))
        {
            pairs[std::minmax(rank, group.ranks[peer])] += sent;
            m_sends[{rank, group.ranks[peer]}] += sent;
        }
        return;
    }
    const uint64_t bytes = GetRingBytes(operation.kind, size, operation.bytes);
    pairs[std::minmax(rank, next)] += bytes;
    pairs[std::minmax(rank, previous)] += bytes;
    m_groups[group.id] += 2 * bytes;
}

const JobDemand::Sent&
JobDemand::GetSent(const RankOperation& operation, uint32_t size, uint32_t index)
{
    const Call call(operation.kind, operation.bytes, operation.sizes, size, index);
    const auto [place, isNew] = m_sent.emplace(call, Sent());
    if (isNew)
    {
        RankContext part;
        part.call.kind = operation.kind;
        part.call.bytes = operation.bytes;
        part.call.sizes = operation.sizes;
        part.shape.size = size;
        part.index = index;
        const auto schedule = m_algorithms.Get(operation.kind)->MakeSchedule(part);
        for (const auto& send : schedule.GetSends())
        {
            place->second[send.peer] += send.data.bytes;
        }
    }
    return place->second;
}

std::vector<DimensionDemand>
JobDemand::GetDimensions() const
{
    std::vector<DimensionDemand> demands;
    for (const auto& [dimension, pairs] : m_dimensions)
    {
        demands.push_back({ToString(dimension), pairs});
    }
    return demands;
}

JobDemand::Rail
JobDemand::GetRail(uint32_t rail) const
{
    Rail demand;
    for (const auto& [id, bytes] : m_groups)
    {
        const ProcessGroup& group = m_mesh.GetGroups()[id];
        if (m_mesh.GetRail(group.ranks[0]) == rail)
        {
            JobTopology::Group ring;
            for (const uint32_t rank : group.ranks)
            {
                ring.members.push_back(m_mesh.GetDomain(rank));
            }
            ring.bytes = bytes / (2 * group.GetSize());
            demand.groups.push_back(ring);
        }
    }
    for (const auto& [pair, bytes] : m_sends)
    {
        if (m_mesh.GetRail(pair.first) == rail)
        {
            demand.pairs.push_back(
                {m_mesh.GetDomain(pair.first), m_mesh.GetDomain(pair.second), bytes});
        }
    }
    return demand;
}

} // namespace ns3
