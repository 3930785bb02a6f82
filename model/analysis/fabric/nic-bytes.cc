// SPDX-License-Identifier: GPL-2.0-only

#include "nic-bytes.h"

#include "ns3/collective-algorithm.h"
#include "ns3/connectivity-provider.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t DIRECTIONS = 2; // of a ring

/// @return bytes of a chunk that go one way round the ring
uint64_t
GetHalf(uint64_t tensor, uint32_t size, uint32_t chunk, uint32_t direction)
{
    return SplitEvenly(SplitEvenly({0, tensor}, size, chunk), DIRECTIONS, direction).bytes;
}

/// @return the index of a rank in its group
uint32_t
FindIndex(const ProcessGroup& group, uint32_t rank)
{
    const auto& ranks = group.ranks;
    auto place = std::lower_bound(ranks.begin(), ranks.end(), rank);
    if (place == ranks.end() || *place != rank) // not in the order of ranks
    {
        place = std::find(ranks.begin(), ranks.end(), rank);
    }
    return static_cast<uint32_t>(place - ranks.begin());
}

} // namespace

NicBytes::NicBytes(const DeviceMesh& mesh,
                   const JobNetwork& network,
                   const CollectiveAlgorithms& algorithms)
    : m_mesh(mesh),
      m_network(network),
      m_algorithms(algorithms)
{
}

bool
NicBytes::UsesNic(uint32_t from, uint32_t to) const
{
    return !m_network.hasScaleUpNetwork || m_mesh.GetDomain(from) != m_mesh.GetDomain(to);
}

bool
NicBytes::TakesHosts(const RankOperation& operation, const ProcessGroup& group) const
{
    NetworkRule::Group networks;
    networks.onHosts = m_network.hasHostNetwork;
    networks.onRails = m_network.joinsAcross || m_mesh.GetReach(group) != DeviceMesh::MIXED;
    CollectiveCall call;
    call.kind = operation.kind;
    call.bytes = operation.bytes;
    call.sizes = operation.sizes;
    const NetworkRule rule{m_network.hostThreshold};
    return rule.Choose(networks, call) == CollectiveNetwork::HOSTS;
}

uint64_t
NicBytes::Count(const RankOperation& operation, uint32_t rank)
{
    if (operation.place != RankOperation::SCALE_OUT || operation.kind == CollectiveKind::RECV)
    {
        return 0;
    }
    const ProcessGroup& group = m_mesh.GetGroup(rank, operation.role);
    if (TakesHosts(operation, group))
    {
        return 0;
    }
    if (operation.kind == CollectiveKind::SEND)
    {
        return operation.bytes;
    }
    const uint32_t index = FindIndex(group, rank);
    const bool isAllToAll = operation.kind == CollectiveKind::ALL_TO_ALL;
    bool isChosen = m_algorithms.IsChosen(operation.kind);
    auto algorithm = m_algorithms.Get(operation.kind);
    if (!isChosen && !isAllToAll && m_network.hasScaleUpNetwork &&
        m_mesh.GetReach(group) == DeviceMesh::MIXED && m_mesh.IsAligned(group))
    {
        algorithm = CollectiveAlgorithm::GetDefaultAcross(operation.kind);
        isChosen = true;
    }
    if (!isAllToAll && algorithm == "ring")
    {
        return CountRing(operation, group, index);
    }
    const Exchange exchange{operation.kind, group.id, rank, operation.bytes, operation.sizes};
    const auto [place, isNew] = m_exchanges.emplace(exchange, 0);
    if (isNew)
    {
        place->second = isChosen ? CountSchedule(operation, algorithm, group, index)
                                 : CountAllToAll(operation, group, index);
    }
    return place->second;
}

uint64_t
NicBytes::GetWhole(uint64_t tensor, uint32_t size, uint32_t direction)
{
    const auto [place, isNew] = m_whole.emplace(std::tuple(tensor, size, direction), 0);
    for (uint32_t chunk = 0; isNew && chunk < size; ++chunk)
    {
        place->second += GetHalf(tensor, size, chunk, direction);
    }
    return place->second;
}

uint64_t
NicBytes::CountRing(const RankOperation& operation, const ProcessGroup& group, uint32_t index)
{
    const uint32_t size = group.GetSize();
    const uint64_t tensor = GetTensorBytes(operation.kind, size, operation.bytes);
    uint64_t sent = 0;
    for (uint32_t direction = 0; direction < DIRECTIONS; ++direction)
    {
        const uint32_t next = (index + (direction == 0 ? 1 : size - 1)) % size;
        if (!UsesNic(group.ranks[index], group.ranks[next]))
        {
            continue;
        }
        const uint64_t whole = GetWhole(tensor, size, direction);
        if (operation.kind != CollectiveKind::REDUCE_SCATTER)
        {
            sent += whole - GetHalf(tensor, size, next, direction);
        }
        if (operation.kind != CollectiveKind::ALL_GATHER)
        {
            sent += whole - GetHalf(tensor, size, index, direction);
        }
    }
    return sent;
}

uint64_t
NicBytes::CountSchedule(const RankOperation& operation,
                        Variant<CollectiveAlgorithm> algorithm,
                        const ProcessGroup& group,
                        uint32_t index) const
{
    RankContext part;
    part.call.kind = operation.kind;
    part.call.bytes = operation.bytes;
    part.call.sizes = operation.sizes;
    std::vector<uint32_t> domains;
    for (const uint32_t rank : group.ranks)
    {
        domains.push_back(m_mesh.GetDomain(rank));
    }
    part.shape = GroupShape::FromDomains(domains).value_or(GroupShape{group.GetSize(), 1});
    part.index = index;
    part.terms = m_network.terms;
    if (!algorithm->Check(operation.kind, part.shape).empty())
    {
        return 0; // the job is described with a remark, and cannot be run
    }
    uint64_t sent = 0;
    const auto schedule = algorithm->MakeSchedule(part);
    for (const auto& send : schedule.GetSends())
    {
        sent += UsesNic(group.ranks[index], group.ranks[send.peer]) ? send.data.bytes : 0;
    }
    return sent;
}

uint64_t
NicBytes::CountAllToAll(const RankOperation& operation,
                        const ProcessGroup& group,
                        uint32_t index) const
{
    const uint32_t size = group.GetSize();
    if (m_network.isRingOnly)
    {
        const bool inRounds =
            m_network.terms.lendsPairs && m_mesh.GetReach(group) != DeviceMesh::MIXED;
        return CountSchedule(operation, inRounds ? "planned" : "ring", group, index);
    }
    uint64_t sent = 0;
    for (uint32_t peer = 0; peer < size; ++peer)
    {
        if (peer != index && UsesNic(group.ranks[index], group.ranks[peer]))
        {
            sent += operation.sizes ? operation.sizes->GetBytes(index, peer)
                                    : SplitEvenly({0, operation.bytes}, size, peer).bytes;
        }
    }
    return sent;
}

} // namespace ns3
