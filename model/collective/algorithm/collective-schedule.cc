// SPDX-License-Identifier: GPL-2.0-only

#include "collective-schedule.h"

#include "all-to-all-blocks.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace ns3
{

namespace
{

/// @return the sum of the sizes of messages
template <typename Messages>
uint64_t
SumBytes(const Messages& messages)
{
    return std::accumulate(
        messages.begin(),
        messages.end(),
        uint64_t{0},
        [](uint64_t sum, const auto& message) { return sum + message.data.bytes; });
}

} // namespace

uint16_t
GetOtherEnd(uint16_t connector)
{
    return connector == CONNECTOR_NEXT       ? CONNECTOR_PREVIOUS
           : connector == CONNECTOR_PREVIOUS ? CONNECTOR_NEXT
                                             : connector;
}

ByteRange
SplitEvenly(const ByteRange& range, uint64_t parts, uint64_t index)
{
    NS_ASSERT_MSG(index < parts, "part " << index << " of " << parts);
    const uint64_t base = range.bytes / parts;
    const uint64_t larger = range.bytes % parts;
    return {range.offset + index * base + std::min(index, larger), base + (index < larger ? 1 : 0)};
}

uint32_t
GetPipelineChunks(uint64_t bytes, uint64_t chunkBytes, uint32_t most)
{
    NS_ABORT_MSG_IF(chunkBytes == 0, "chunks of no bytes");
    const uint64_t chunks = bytes / chunkBytes + (bytes % chunkBytes > 0 ? 1 : 0);
    return static_cast<uint32_t>(std::clamp<uint64_t>(chunks, 1, most));
}

uint16_t
CollectiveSchedule::AddReceive(const ScheduledReceive& receive)
{
    NS_ABORT_MSG_IF(m_receives.size() >= MAX_RECEIVES,
                    "a collective in which a rank receives more than "
                        << MAX_RECEIVES << " messages: the group is too large for its algorithm");
    m_receives.push_back(receive);
    return static_cast<uint16_t>(m_receives.size() - 1);
}

void
CollectiveSchedule::AddSend(ScheduledSend send, const std::vector<uint16_t>& after)
{
    send.firstAfter = static_cast<uint32_t>(m_after.size());
    send.afterCount = static_cast<uint32_t>(after.size());
    m_after.insert(m_after.end(), after.begin(), after.end());
    m_sends.push_back(send);
}

void
CollectiveSchedule::BeginRound(uint32_t number, uint32_t peer)
{
    NS_ABORT_MSG_UNLESS(m_rounds.empty() || m_rounds.back().number < number,
                        "round " << number << " after round " << m_rounds.back().number
                                 << ": all ranks go through the rounds by their numbers");
    m_rounds.push_back({number,
                        peer,
                        static_cast<uint32_t>(m_sends.size()),
                        static_cast<uint32_t>(m_receives.size())});
}

std::vector<uint16_t>
CollectiveSchedule::GetReceiveIds() const
{
    std::vector<uint16_t> ids(m_receives.size());
    std::iota(ids.begin(), ids.end(), uint16_t{0});
    return ids;
}

std::vector<CollectiveConnectorId>
CollectiveSchedule::GetConnectors() const
{
    std::set<CollectiveConnectorId> connectors;
    for (const auto& send : m_sends)
    {
        connectors.insert({send.peer, send.connector});
    }
    for (const auto& receive : m_receives)
    {
        connectors.insert({receive.peer, receive.connector});
    }
    return {connectors.begin(), connectors.end()};
}

uint64_t
CollectiveSchedule::GetBytesSent() const
{
    return SumBytes(m_sends);
}

uint64_t
CollectiveSchedule::GetBytesReceived() const
{
    return SumBytes(m_receives);
}

CollectiveLayout
MakeChunkLayout(const RankContext& part, const std::function<ByteRange(uint32_t)>& getChunk)
{
    const uint32_t size = part.shape.size;
    const ByteRange tensor{0, GetTensorBytes(part.call.kind, size, part.call.bytes)};
    CollectiveLayout layout;
    layout.bytes = tensor.bytes;
    const bool gather = part.call.kind == CollectiveKind::ALL_GATHER;
    auto& whole = gather ? layout.output : layout.input;
    auto& own = gather ? layout.input : layout.output;
    for (uint32_t rank = 0; rank < size; ++rank)
    {
        const auto chunk = getChunk(rank);
        whole.push_back({chunk, SplitEvenly(tensor, size, rank).offset});
        if (rank == part.index)
        {
            own.push_back({chunk, 0});
        }
    }
    return layout;
}

CollectiveLayout
MakeLayoutInOrder(const RankContext& part)
{
    const LayoutSegment tensor{{0, part.call.bytes}, 0};
    const std::vector<LayoutSegment> atRoot(part.index == part.root ? 1 : 0, tensor);
    switch (part.call.kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return {part.call.bytes, {tensor}, {tensor}};
    case CollectiveKind::BROADCAST:
        return {part.call.bytes, atRoot, {tensor}};
    case CollectiveKind::REDUCE:
        return {part.call.bytes, {tensor}, atRoot};
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
        return MakeChunkLayout(part, [&part](uint32_t rank) {
            const uint32_t size = part.shape.size;
            const uint64_t bytes = GetTensorBytes(part.call.kind, size, part.call.bytes);
            return SplitEvenly({0, bytes}, size, rank);
        });
    case CollectiveKind::ALL_TO_ALL:
        return MakeBlockLayout(part);
    case CollectiveKind::SEND:
    case CollectiveKind::RECV:
        break;
    }
    NS_ABORT_MSG(ToString(part.call.kind) << " is no collective of a whole group");
}

} // namespace ns3
