// SPDX-License-Identifier: GPL-2.0-only

#include "halving-doubling-schedule.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// What a rank exchanges with its neighbour along one dimension of the hypercube.
struct Exchange
{
    uint32_t peer;  //!< the neighbour
    ByteRange kept; //!< the half that this rank answers for
    ByteRange left; //!< the half that the neighbour answers for
};

/// @return some consecutive chunks of the tensor
ByteRange
GetChunks(uint64_t tensor, uint32_t size, uint32_t first, uint32_t count)
{
    const uint64_t begin = SplitEvenly({0, tensor}, size, first).offset;
    const auto last = SplitEvenly({0, tensor}, size, first + count - 1);
    return {begin, last.offset + last.bytes - begin};
}

/// @return the exchanges of a halving: what is kept is divided further in the next
std::vector<Exchange>
GetHalving(const CollectivePart& part, uint64_t tensor)
{
    const uint32_t size = part.shape.size;
    const bool nearestFirst = part.call.kind == CollectiveKind::ALL_REDUCE;
    std::vector<Exchange> exchanges;
    uint32_t first = 0;
    uint32_t count = size;
    for (uint32_t mask = nearestFirst ? 1 : size / 2; count > 1;
         mask = nearestFirst ? mask * 2 : mask / 2)
    {
        count /= 2;
        const bool upper = (part.index & mask) != 0;
        const uint32_t kept = upper ? first + count : first;
        const uint32_t left = upper ? first : first + count;
        exchanges.push_back({part.index ^ mask,
                             GetChunks(tensor, size, kept, count),
                             GetChunks(tensor, size, left, count)});
        first = kept;
    }
    return exchanges;
}

/// Add an exchange that waits for everything before it. Both sides number their receives by step.
void
AddStep(CollectiveSchedule& schedule,
        uint32_t peer,
        const ByteRange& out,
        const ByteRange& in,
        Action action)
{
    std::vector<uint16_t> after(schedule.GetReceives().size());
    for (uint32_t id = 0; id < after.size(); ++id)
    {
        after[id] = static_cast<uint16_t>(id);
    }
    ScheduledSend send;
    send.data = out;
    send.peer = peer;
    send.lane = LANE_DIRECT;
    send.transferId = schedule.AddReceive({in, peer, LANE_DIRECT, action});
    schedule.AddSend(send, after);
}

} // namespace

CollectiveSchedule
MakeHalvingDoublingSchedule(const CollectivePart& part)
{
    const uint32_t size = part.shape.size;
    const auto kind = part.call.kind;
    NS_ABORT_MSG_IF(size == 0 || (size & (size - 1)) != 0, size << " ranks are no hypercube");
    NS_ASSERT_MSG(part.index < size, "rank " << part.index << " of a group of " << size);

    auto exchanges = GetHalving(part, GetTensorBytes(kind, size, part.call.bytes));
    CollectiveSchedule schedule;
    if (kind != CollectiveKind::ALL_GATHER)
    {
        for (const auto& exchange : exchanges)
        {
            AddStep(schedule, exchange.peer, exchange.left, exchange.kept, Action::REDUCE);
        }
    }
    if (kind != CollectiveKind::REDUCE_SCATTER)
    {
        std::reverse(exchanges.begin(), exchanges.end());
        for (const auto& exchange : exchanges)
        {
            AddStep(schedule, exchange.peer, exchange.kept, exchange.left, Action::COPY);
        }
    }
    return schedule;
}

} // namespace ns3
