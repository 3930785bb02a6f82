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
        place->second = {m_layout.GetReach(group),
                         m_layout.IsAligned(group),
                         m_layout.GetShape(group)};
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
    const Place& place = GetPlace(group);
    const bool isMixed = place.reach == RankLayout::MIXED;
    const bool isAcross = m_network.hasScaleUpNetwork && isMixed && place.isAligned;
    const bool isOnCircuits = m_network.isRingOnly && place.reach != RankLayout::SCALE_UP;
    if (operation.kind != CollectiveKind::ALL_TO_ALL || !isOnCircuits)
    {
        return isAcross ? CollectiveAlgorithm::GetDefaultAcross(operation.kind, place.shape)
                        : CollectiveAlgorithm::GetDefault(operation.kind);
    }
    const bool isRegular = !isMixed || isAcross;
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
    RankContext part = operation.MakeContext(GetPlace(group).shape, index);
    part.terms = m_network.terms;
    if (!algorithm->CheckShape(operation.kind, part.shape).empty())
    {
        return {}; // the job is described with a remark, and cannot be run
    }
    SentBytes sent;
    uint64_t all = 0;
    for (const auto& [peer, bytes] : algorithm->GetSent(part))
    {
        Add(sent, rank, group.ranks[peer], bytes, onHosts);
        all += bytes;
    }
    sent.forwarded += CountForwardedBytes(part, all);
    return sent;
}

} // namespace ns3
