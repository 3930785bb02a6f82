// SPDX-License-Identifier: GPL-2.0-only

#include "collective-communicator.h"

#include "ns3/abort.h"
#include "ns3/all-to-all-blocks.h"
#include "ns3/ring-algorithm.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @return one side of a message over the direct connector to a peer
CollectiveSchedule
MakeDirectSchedule(CollectiveKind kind, uint32_t peer, uint64_t bytes)
{
    CollectiveSchedule schedule;
    if (kind == CollectiveKind::SEND)
    {
        schedule.AddSend({{0, bytes}, peer, CONNECTOR_DIRECT});
    }
    else
    {
        schedule.AddReceive({{0, bytes}, peer, CONNECTOR_DIRECT, ScheduledReceive::Action::COPY});
    }
    return schedule;
}

/// Where two ranks of a group are on the ring that joins them: that of their rail, or that of the
/// whole group between rails.
struct RingPlace
{
    /// @param group a group @param shape its shape @param rank index of a rank @param other of
    /// another
    RingPlace(const ProcessGroup& group, const GroupShape& shape, uint32_t rank, uint32_t other)
    {
        const bool sharesRail = rank % shape.perDomain == other % shape.perDomain;
        const uint32_t step = sharesRail ? shape.perDomain : 1;
        size = group.isLink ? 3 : shape.size / step; // of a link both ends are used, no more
        index = rank / step;
        peer = other / step;
    }

    uint32_t size;  //!< ranks on the ring
    uint32_t index; //!< of the rank
    uint32_t peer;  //!< of the other rank
};

/**
 * @param call a message
 * @param place of both ranks
 * @param peer index of the other rank in the group
 * @param directions 1 or 2
 * @return one side of it over the connectors of the ring that joins both
 */
CollectiveSchedule
MakeRingMessage(const CollectiveCall& call,
                const RingPlace& place,
                uint32_t peer,
                uint32_t directions)
{
    const auto onRing = MakeNeighbourSchedule(call.kind,
                                              place.size,
                                              place.index,
                                              place.peer,
                                              call.bytes,
                                              directions);
    CollectiveSchedule schedule;
    for (auto receive : onRing.GetReceives())
    {
        receive.peer = peer;
        schedule.AddReceive(receive);
    }
    for (auto send : onRing.GetSends())
    {
        send.peer = peer;
        schedule.AddSend(send);
    }
    return schedule;
}

} // namespace

bool
CollectiveCommunicator::HasRoot(const CollectiveCall& call) const
{
    return call.HasRoot() || (!call.IsPointToPoint() && algorithms.Get(call.kind)->NeedsRoot());
}

CollectiveStream&
CollectiveCommunicator::GetStream(const CollectiveCall& call)
{
    if (!call.IsPointToPoint())
    {
        return collectives;
    }
    auto& streams = call.kind == CollectiveKind::SEND ? sends : receives;
    return streams[group.GetIndex(call.peer)];
}

std::vector<CollectiveStream*>
CollectiveCommunicator::GetStreams()
{
    std::vector<CollectiveStream*> all{&collectives};
    for (auto* streams : {&sends, &receives})
    {
        for (auto& entry : *streams)
        {
            all.push_back(&entry.second);
        }
    }
    return all;
}

std::vector<CollectiveConnectorPlace>::const_iterator
CollectiveCommunicator::LowerBound(const CollectiveConnectorId& id) const
{
    const auto before = [](const CollectiveConnectorPlace& end,
                           const CollectiveConnectorId& wanted) { return end.id < wanted; };
    return std::lower_bound(connectors.begin(), connectors.end(), id, before);
}

uint64_t
CollectiveCommunicator::CountCalls(const CollectiveCall& call) const
{
    if (!call.IsPointToPoint())
    {
        return collectives.made;
    }
    const auto& streams = call.kind == CollectiveKind::SEND ? sends : receives;
    const auto stream = streams.find(group.GetIndex(call.peer));
    return stream == streams.end() ? 0 : stream->second.made;
}

bool
CollectiveCommunicator::NeedsGrant(const CollectiveCall& call) const
{
    if (!isLent || !call.IsPointToPoint())
    {
        return isLent && shape.GetDomains() > 1;
    }
    const uint32_t peer = group.GetIndex(call.peer);
    return std::any_of(connectors.begin(), connectors.end(), [peer](const auto& end) {
        return end.id.peer == peer && end.leavesDomain;
    });
}

bool
CollectiveCommunicator::HasConnector(const CollectiveConnectorId& id) const
{
    const auto found = LowerBound(id);
    return found != connectors.end() && found->id == id;
}

const CollectiveConnectorPlace&
CollectiveCommunicator::GetEnd(const CollectiveConnectorId& id) const
{
    const auto found = LowerBound(id);
    NS_ABORT_MSG_IF(found == connectors.end() || !(found->id == id),
                    "rank " << group.ranks[index] << " has no connector of kind " << id.connector
                            << " to rank " << group.ranks[id.peer] << " in group " << group.id);
    return *found;
}

std::vector<CollectiveConnector*>
CollectiveCommunicator::GetLentConnectors() const
{
    std::vector<CollectiveConnector*> lent;
    for (const auto& end : connectors)
    {
        if (end.leavesDomain && !IsLentToPair(end.id))
        {
            lent.push_back(end.connector.get());
        }
    }
    return lent;
}

CollectiveNetwork
CollectiveCommunicator::GetNetwork(const CollectiveCall& call) const
{
    return !isLent            ? CollectiveNetwork::HOSTS
           : NeedsGrant(call) ? CollectiveNetwork::RAILS
                              : CollectiveNetwork::SCALE_UP;
}

CollectiveNetwork
CollectiveCommunicator::GetNetwork(const CollectiveConnectorPlace& end) const
{
    return !end.leavesDomain ? CollectiveNetwork::SCALE_UP
           : isLent          ? CollectiveNetwork::RAILS
                             : CollectiveNetwork::HOSTS;
}

bool
CollectiveCommunicator::MayHaveRounds(const CollectiveCall& call) const
{
    return !call.IsPointToPoint() && NeedsGrant(call) && algorithms.GetTerms().lendsPairs &&
           algorithms.Get(call.kind)->HasRounds(call.kind);
}

bool
CollectiveCommunicator::IsLentToPair(const CollectiveConnectorId& id) const
{
    return algorithms.GetTerms().lendsPairs && id.connector == CONNECTOR_DIRECT;
}

bool
CollectiveCommunicator::IsLentToPair(uint32_t peer) const
{
    const CollectiveConnectorId id{peer, CONNECTOR_DIRECT};
    return IsLentToPair(id) && HasConnector(id);
}

RingLink
CollectiveCommunicator::GetLink(const CollectiveCall& call) const
{
    const uint32_t peer = call.IsPointToPoint() ? group.GetIndex(call.peer) : index;
    if (peer == index || !algorithms.GetTerms().hasRings || HasConnector({peer, CONNECTOR_DIRECT}))
    {
        return RingLink::NONE;
    }
    const RingPlace place(group, shape, index, peer);
    const uint32_t ahead = (place.peer + place.size - place.index) % place.size;
    return place.size == 2           ? RingLink::NONE
           : ahead == 1              ? RingLink::TO_NEXT
           : ahead == place.size - 1 ? RingLink::TO_PREVIOUS
                                     : RingLink::NONE;
}

std::string
CollectiveCommunicator::Check(const CollectiveCall& call) const
{
    const std::string who = ToString(call.kind) + " of rank " + std::to_string(group.ranks[index]) +
                            " on group " + std::to_string(group.id);
    if (call.IsPointToPoint() || HasRoot(call))
    {
        const uint32_t peer = group.GetIndex(call.peer);
        if (peer >= group.GetSize() || (call.IsPointToPoint() && peer == index))
        {
            return who + " names rank " + std::to_string(call.peer) + ", which is no " +
                   (call.IsPointToPoint() ? "other " : "") + "member of it";
        }
    }
    if (call.sizes &&
        (call.kind != CollectiveKind::ALL_TO_ALL || call.sizes->GetRanks() != group.GetSize()))
    {
        return who + " has sizes for an AllToAll of " + std::to_string(call.sizes->GetRanks()) +
               " ranks";
    }
    return "";
}

CollectiveProtocol
CollectiveCommunicator::ChooseProtocol(const CollectiveCall& call,
                                       uint32_t directions,
                                       uint64_t chunkBytes) const
{
    const CollectiveRates& rates = algorithms.GetRates();
    if (call.IsPointToPoint() || call.sizes)
    {
        const auto most = call.sizes ? call.sizes->GetMost() : call.bytes;
        CollectiveCost exchange{1, static_cast<double>(most)};
        return CollectiveProtocol::Choose(exchange.On(shape, rates.domain > 0), shape, rates);
    }
    RankContext part;
    part.call = call;
    part.shape = shape;
    part.directions = directions;
    part.chunkBytes = chunkBytes;
    part.terms = algorithms.GetTerms();
    part.rates = rates;
    const CollectiveCost cost = algorithms.Get(call.kind)->GetCost(part);
    return CollectiveProtocol::Choose(cost.On(shape, rates.domain > 0), shape, rates);
}

CollectiveSchedule
CollectiveCommunicator::MakeSchedule(const CollectiveCall& call,
                                     uint64_t sequence,
                                     uint32_t directions,
                                     uint64_t chunkBytes,
                                     uint64_t eagerBytes) const
{
    if (call.IsPointToPoint())
    {
        const uint32_t peer = group.GetIndex(call.peer);
        return HasConnector({peer, CONNECTOR_DIRECT})
                   ? MakeDirectSchedule(call.kind, peer, call.bytes)
                   : MakeRingMessage(call, RingPlace(group, shape, index, peer), peer, directions);
    }
    const uint32_t root = HasRoot(call) ? group.GetIndex(call.peer) : 0;
    return algorithms.Get(call.kind)->MakeSchedule({call,
                                                    shape,
                                                    index,
                                                    root,
                                                    directions,
                                                    chunkBytes,
                                                    eagerBytes,
                                                    algorithms.GetTerms(),
                                                    algorithms.GetRates(),
                                                    sequence});
}

uint64_t
CollectiveCommunicator::CountForwarded(const CollectiveCall& call,
                                       const CollectiveSchedule& schedule) const
{
    return CountForwardedBytes({call, shape, index}, schedule.GetBytesSent());
}

} // namespace ns3
