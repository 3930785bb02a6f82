// SPDX-License-Identifier: GPL-2.0-only

#include "nic-bytes.h"

#include "ns3/all-to-all-blocks.h"
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

NicBytes::NicBytes(const RankLayout& layout,
                   const JobNetwork& network,
                   const CollectiveAlgorithms& algorithms)
    : m_layout(layout),
      m_network(network),
      m_algorithms(algorithms)
{
}

void
NicBytes::Add(SentBytes& sent, uint32_t from, uint32_t to, uint64_t bytes, bool onHosts) const
{
    const bool isInside = m_layout.GetDomain(from) == m_layout.GetDomain(to);
    if (isInside && m_network.hasScaleUpNetwork)
    {
        sent.scaleUp += bytes;
        return;
    }
    (onHosts ? sent.hosts : sent.rails) += bytes;
    sent.hostNic += onHosts && !isInside ? bytes : 0;
    const bool isRelayed = !onHosts && !isInside && !m_network.joinsRails &&
                           m_network.hasScaleUpNetwork &&
                           m_layout.GetRail(from) != m_layout.GetRail(to);
    sent.scaleUp += isRelayed ? bytes : 0;
    sent.forwarded += isRelayed ? bytes : 0;
}

const NicBytes::Place&
NicBytes::GetPlace(const ProcessGroup& group)
{
    const auto [place, isNew] = m_places.emplace(group.id, Place());
    if (isNew)
    {
        place->second = {m_layout.GetReach(group), m_layout.IsAligned(group)};
    }
    return place->second;
}

bool
NicBytes::TakesHosts(const RankOperation& operation, const ProcessGroup& group)
{
    NetworkRule::Group networks;
    networks.onHosts = m_network.hasHostNetwork;
    networks.onRails = m_network.joinsAcross || GetPlace(group).reach != RankLayout::MIXED;
    CollectiveCall call;
    call.kind = operation.kind;
    call.bytes = operation.bytes;
    call.sizes = operation.sizes;
    const NetworkRule rule{m_network.hostThreshold};
    return rule.Choose(networks, call) == CollectiveNetwork::HOSTS;
}

Variant<CollectiveAlgorithm>
NicBytes::FindAlgorithm(const RankOperation& operation, const ProcessGroup& group, bool onHosts)
{
    if (onHosts)
    {
        return CollectiveAlgorithm::GetDefaultOnHosts(operation.kind);
    }
    if (m_algorithms.IsChosen(operation.kind))
    {
        return m_algorithms.Get(operation.kind);
    }
    const auto& [reach, isAligned] = GetPlace(group);
    const bool isAcross = m_network.hasScaleUpNetwork && reach == RankLayout::MIXED && isAligned;
    const bool isOnCircuits = m_network.isRingOnly && reach != RankLayout::SCALE_UP;
    if (operation.kind != CollectiveKind::ALL_TO_ALL || !isOnCircuits)
    {
        return isAcross ? CollectiveAlgorithm::GetDefaultAcross(operation.kind)
                        : CollectiveAlgorithm::GetDefault(operation.kind);
    }
    const bool isRegular = reach != RankLayout::MIXED || isAcross;
    return m_network.terms.lendsPairs && isRegular ? "planned" : "ring";
}

SentBytes
NicBytes::Count(const RankOperation& operation, uint32_t rank)
{
    const bool isInside = operation.place == RankOperation::SCALE_UP;
    if (!operation.IsCall() || operation.kind == CollectiveKind::RECV ||
        (isInside && (!m_network.hasScaleUpNetwork || m_network.domainsByFormula)))
    {
        return {};
    }
    const ProcessGroup& group = m_layout.GetGroup(rank, operation.role);
    const bool onHosts = !isInside && TakesHosts(operation, group);
    const uint32_t index = FindIndex(group, rank);
    const uint32_t size = group.GetSize();
    if (operation.kind == CollectiveKind::SEND)
    {
        SentBytes sent; // the roles of stages have two ranks, or the next rank is the peer
        Add(sent, rank, group.ranks[(index + 1) % size], operation.bytes, onHosts);
        return sent;
    }
    const auto algorithm = FindAlgorithm(operation, group, onHosts);
    const bool isRing = operation.kind == CollectiveKind::ALL_GATHER ||
                        operation.kind == CollectiveKind::REDUCE_SCATTER ||
                        operation.kind == CollectiveKind::ALL_REDUCE;
    if (algorithm == "ring" && isRing)
    {
        return CountRing(operation, group, index, onHosts);
    }
    const Exchange exchange{operation.kind,
                            group.id,
                            rank,
                            operation.bytes,
                            operation.root,
                            operation.sizes};
    const auto [place, isNew] = m_exchanges.emplace(exchange, SentBytes());
    if (isNew)
    {
        place->second = CountSchedule(operation, group, index, algorithm, onHosts);
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

SentBytes
NicBytes::CountRing(const RankOperation& operation,
                    const ProcessGroup& group,
                    uint32_t index,
                    bool onHosts)
{
    const uint32_t size = group.GetSize();
    const uint64_t tensor = GetTensorBytes(operation.kind, size, operation.bytes);
    SentBytes sent;
    for (uint32_t direction = 0; direction < DIRECTIONS; ++direction)
    {
        const uint32_t next = (index + (direction == 0 ? 1 : size - 1)) % size;
        const uint64_t whole = GetWhole(tensor, size, direction);
        uint64_t bytes = 0;
        if (operation.kind != CollectiveKind::REDUCE_SCATTER)
        {
            bytes += whole - GetHalf(tensor, size, next, direction);
        }
        if (operation.kind != CollectiveKind::ALL_GATHER)
        {
            bytes += whole - GetHalf(tensor, size, index, direction);
        }
        Add(sent, group.ranks[index], group.ranks[next], bytes, onHosts);
    }
    return sent;
}

SentBytes
NicBytes::CountSchedule(const RankOperation& operation,
                        const ProcessGroup& group,
                        uint32_t index,
                        Variant<CollectiveAlgorithm> algorithm,
                        bool onHosts) const
{
    RankContext part = operation.MakeContext(m_layout.GetShape(group), index);
    part.terms = m_network.terms;
    if (!algorithm->Check(operation.kind, part.shape).empty())
    {
        return {}; // the job is described with a remark, and cannot be run
    }
    SentBytes sent;
    const auto schedule = algorithm->MakeSchedule(part);
    for (const auto& send : schedule.GetSends())
    {
        Add(sent, group.ranks[index], group.ranks[send.peer], send.data.bytes, onHosts);
    }
    sent.forwarded += CountForwardedBytes(part, schedule);
    return sent;
}

} // namespace ns3
