// SPDX-License-Identifier: GPL-2.0-only

#include "job-demand.h"

#include "ns3/connectivity-provider.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_SHOWN = 4;

/// @return the first ranks of a group
std::string
ListRanks(const ProcessGroup& group)
{
    std::ostringstream text;
    for (std::size_t i = 0; i < std::min(group.ranks.size(), MAX_SHOWN); ++i)
    {
        text << (i == 0 ? "" : ", ") << group.ranks[i];
    }
    text << (group.ranks.size() > MAX_SHOWN ? ", ..." : "");
    return text.str();
}

} // namespace

JobGroups::JobGroups(const JobRanks& ranks)
    : m_layout(ranks.GetLayout())
{
    const JobRanks::Programs& programs = ranks.GetPrograms();
    std::vector<std::map<GroupRole, Use>> called(programs.size());
    for (std::size_t i = 0; i < programs.size(); ++i)
    {
        for (const auto& operation : programs[i]->GetOperations())
        {
            if (operation.IsCall())
            {
                CollectiveCall call;
                call.bytes = operation.bytes;
                call.sizes = operation.sizes;
                const uint64_t bytes = NetworkRule::GetVolume(call);
                Use& use = called[i].emplace(operation.role, Use{operation.role, {}}).first->second;
                use.kinds.insert(operation.kind);
                use.leastBytes = std::min(use.leastBytes, bytes);
                use.mostBytes = std::max(use.mostBytes, bytes);
            }
        }
    }
    for (uint32_t rank = 0; rank < ranks.GetWorldSize(); ++rank)
    {
        for (const auto& [role, one] : called[ranks.GetClass(rank)])
        {
            const ProcessGroup& group = m_layout.GetGroup(rank, role);
            if (group.GetSize() > 1)
            {
                Use& use = m_uses.emplace(group.id, one).first->second;
                use.role = std::min(use.role, role);
                use.kinds.insert(one.kinds.begin(), one.kinds.end());
                use.leastBytes = std::min(use.leastBytes, one.leastBytes);
                use.mostBytes = std::max(use.mostBytes, one.mostBytes);
            }
        }
    }
}

uint32_t
JobGroups::CountRailSets(uint64_t bulk) const
{
    uint32_t sets = m_layout.GetRails();
    for (const auto& [id, use] : m_uses)
    {
        const ProcessGroup& group = m_layout.GetGroups()[id];
        if (use.mostBytes < bulk || m_layout.GetReach(group) != RankLayout::MIXED)
        {
            continue;
        }
        const int64_t first = m_layout.GetRail(group.ranks.front());
        for (const uint32_t rank : group.ranks)
        {
            sets = static_cast<uint32_t>(
                std::gcd(int64_t{sets}, int64_t{m_layout.GetRail(rank)} - first));
        }
    }
    return sets;
}

std::string
JobGroups::CheckAcross(const RailFabric& fabric, bool hasScaleUpNetwork, bool hasHostNetwork)
{
    if (hasHostNetwork || fabric.JoinsRails() || hasScaleUpNetwork)
    {
        return "";
    }
    return "messages change the rail inside a domain, over its network: use --scaleUp=network, "
           "--hostNetwork, or a fabric that joins rails: " +
           RailFabric::GetNames(&RailFabric::JoinsRails);
}

std::string
JobGroups::Check(const RailFabric& fabric, bool hasScaleUpNetwork, bool hasHostNetwork) const
{
    const std::string reason = CheckAcross(fabric, hasScaleUpNetwork, hasHostNetwork);
    for (const auto& [id, use] : m_uses)
    {
        const ProcessGroup& group = m_layout.GetGroups()[id];
        if (!reason.empty() && m_layout.GetReach(group) == RankLayout::MIXED)
        {
            return "--fabric=" + fabric.GetName() + " cannot join the " +
                   m_layout.GetRoleName(use.role) + " group of ranks " + ListRanks(group) + " (" +
                   std::to_string(group.GetSize()) + " across domains and rails): " + reason;
        }
    }
    return "";
}

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
    return isDefault
               ? CollectiveAlgorithm::GetDefaultAcross(operation.kind, m_layout.GetShape(group))
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
        place->second = algorithm->GetSent(operation.MakeContext(shape, index));
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
            RingDemand ring;
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
