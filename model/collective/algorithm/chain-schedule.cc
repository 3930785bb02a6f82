// SPDX-License-Identifier: GPL-2.0-only

#include "chain-schedule.h"

#include "ns3/assert.h"

#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// A rank's place in the chain of one direction.
struct ChainLink
{
    uint32_t upstream;     //!< rank before it
    uint32_t downstream;   //!< rank after it
    bool receives;         //!< it is not the first
    bool sends;            //!< it is not the last
    uint16_t inConnector;  //!< connector on which data arrives
    uint16_t outConnector; //!< connector on which data leaves
};

ChainLink
GetLink(const RankContext& part, uint32_t direction)
{
    const uint32_t size = part.shape.size;
    const uint32_t next = (part.index + 1) % size;
    const uint32_t previous = (part.index + size - 1) % size;
    ChainLink link;
    link.downstream = direction == 0 ? next : previous;
    link.upstream = direction == 0 ? previous : next;
    link.outConnector = direction == 0 ? CONNECTOR_NEXT : CONNECTOR_PREVIOUS;
    link.inConnector = direction == 0 ? CONNECTOR_PREVIOUS : CONNECTOR_NEXT;
    const bool broadcast = part.call.kind == CollectiveKind::BROADCAST;
    link.receives = broadcast ? part.index != part.root : link.upstream != part.root;
    link.sends = broadcast ? link.downstream != part.root : part.index != part.root;
    return link;
}

} // namespace

uint32_t
GetChainChunks(const RankContext& part)
{
    const auto share = SplitEvenly({0, part.call.bytes}, part.directions, 0);
    return GetPipelineChunks(share.bytes, part.chunkBytes, CollectiveSchedule::MAX_RECEIVES / 2);
}

CollectiveSchedule
MakeChainSchedule(const RankContext& part)
{
    NS_ASSERT_MSG(part.call.kind == CollectiveKind::BROADCAST ||
                      part.call.kind == CollectiveKind::REDUCE,
                  "chains cannot carry out " << ToString(part.call.kind));
    NS_ASSERT_MSG(part.index < part.shape.size && part.root < part.shape.size,
                  "rank outside of the group");
    NS_ASSERT_MSG(part.directions == 1 || part.directions == 2, part.directions << " directions");
    CollectiveSchedule schedule;
    if (part.shape.size == 1)
    {
        return schedule;
    }
    const auto action = part.call.kind == CollectiveKind::BROADCAST ? Action::COPY : Action::REDUCE;
    const uint32_t chunks = GetChainChunks(part);
    // Chunk by chunk, so that both directions start at once. A rank receives nothing in one
    // direction only if it receives nothing in the other either, or if it is the first link of a
    // Reduce there.
    std::vector<uint32_t> firstId(part.directions, 0);
    for (uint32_t direction = 0; direction < part.directions; ++direction)
    {
        const auto link = GetLink(part, direction);
        const auto share = SplitEvenly({0, part.call.bytes}, part.directions, direction);
        firstId[direction] = static_cast<uint32_t>(schedule.GetReceives().size());
        for (uint32_t chunk = 0; link.receives && chunk < chunks; ++chunk)
        {
            const auto data = SplitEvenly(share, chunks, chunk);
            schedule.AddReceive({data, link.upstream, link.inConnector, action});
        }
    }
    for (uint32_t chunk = 0; chunk < chunks; ++chunk)
    {
        for (uint32_t direction = 0; direction < part.directions; ++direction)
        {
            const auto link = GetLink(part, direction);
            if (!link.sends)
            {
                continue;
            }
            RankContext there = part;
            there.index = link.downstream;
            const bool hearsBefore = direction == 1 && GetLink(there, 0).receives;
            const auto share = SplitEvenly({0, part.call.bytes}, part.directions, direction);
            ScheduledSend send;
            send.data = SplitEvenly(share, chunks, chunk);
            send.peer = link.downstream;
            send.connector = link.outConnector;
            send.transferId = static_cast<uint16_t>((hearsBefore ? chunks : 0) + chunk);
            std::vector<uint16_t> after;
            if (link.receives)
            {
                after.push_back(static_cast<uint16_t>(firstId[direction] + chunk));
            }
            schedule.AddSend(send, after);
        }
    }
    return schedule;
}

} // namespace ns3
