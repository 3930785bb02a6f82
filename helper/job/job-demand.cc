// SPDX-License-Identifier: GPL-2.0-only

#include "job-demand.h"

#include <algorithm>

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

JobDemand::JobDemand(const JobRanks& ranks)
    : m_layout(ranks.GetLayout()),
      m_algorithms(ranks.GetAlgorithms())
{
    for (uint32_t rank = 0; rank < ranks.GetWorldSize(); ++rank)
    {
        for (const auto& operation : ranks.GetProgram(rank)->GetOperations())
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
JobDemand::AddMessage(uint32_t rank, uint32_t peer, Dimension dimension, uint64_t bytes)
{
    if (m_layout.GetDomain(rank) == m_layout.GetDomain(peer))
    {
        return;
    }
    const uint32_t from = m_layout.GetProxy(rank, peer);
    m_dimensions[dimension][std::minmax(from, peer)] += bytes;
    m_sends[{from, peer}] += bytes;
}

std::optional<Variant<CollectiveAlgorithm>>
JobDemand::FindAlgorithm(const RankOperation& operation, const ProcessGroup& group) const
{
    if (m_algorithms.IsChosen(operation.kind) && m_algorithms.Get(operation.kind) != "ring")
    {
        return m_algorithms.Get(operation.kind);
    }
    if (m_layout.GetReach(group) == RankLayout::SCALE_OUT)
    {
        return std::nullopt;
    }
    const bool isDefault = !m_algorithms.IsChosen(operation.kind) && m_layout.IsAligned(group);
    return isDefault ? CollectiveAlgorithm::GetDefaultAcross(operation.kind)
                     : Variant<CollectiveAlgorithm>("ring");
}

void
JobDemand::Add(uint32_t rank, const RankOperation& operation)
{
    const ProcessGroup& group = m_layout.GetGroup(rank, operation.role);
    const uint32_t size = group.GetSize();
    const uint32_t index = group.GetIndex(rank);
    const uint32_t next = group.ranks[(index + 1) % size];
    const uint32_t previous = group.ranks[(index + size - 1) % size];
    if (operation.kind == CollectiveKind::SEND)
    {
        AddMessage(rank, next, operation.dimension, operation.bytes);
        return;
    }
    if (const auto algorithm = FindAlgorithm(operation, group))
    {
        const GroupShape shape = m_layout.GetShape(group);
        for (const auto& [peer, sent] : GetSent(operation, *algorithm, shape, index))
        {
            AddMessage(rank, group.ranks[peer], operation.dimension, sent);
        }
        return;
    }
    const uint64_t bytes = GetRingBytes(operation.kind, size, operation.bytes);
    auto& pairs = m_dimensions[operation.dimension];
    pairs[std::minmax(rank, next)] += bytes;
    pairs[std::minmax(rank, previous)] += bytes;
    m_groups[group.id] += 2 * bytes;
}

const JobDemand::Sent&
JobDemand::GetSent(const RankOperation& operation,
                   Variant<CollectiveAlgorithm> algorithm,
                   const GroupShape& shape,
                   uint32_t index)
{
    const Call call(operation.kind,
                    operation.bytes,
                    operation.root,
                    operation.sizes,
                    algorithm->GetName(),
                    shape.size,
                    shape.perDomain,
                    index);
    const auto [place, isNew] = m_sent.emplace(call, Sent());
    if (isNew && algorithm->Check(operation.kind, shape).empty())
    {
        const auto schedule = algorithm->MakeSchedule(operation.MakeContext(shape, index));
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
        const ProcessGroup& group = m_layout.GetGroups()[id];
        if (m_layout.GetRail(group.ranks[0]) == rail)
        {
            JobTopology::Group ring;
            for (const uint32_t rank : group.ranks)
            {
                ring.members.push_back(m_layout.GetDomain(rank));
            }
            ring.bytes = bytes / (2 * group.GetSize());
            demand.groups.push_back(ring);
        }
    }
    for (const auto& [pair, bytes] : m_sends)
    {
        if (m_layout.GetRail(pair.first) == rail)
        {
            demand.pairs.push_back(
                {m_layout.GetDomain(pair.first), m_layout.GetDomain(pair.second), bytes});
        }
    }
    return demand;
}

} // namespace ns3
