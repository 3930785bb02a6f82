// SPDX-License-Identifier: GPL-2.0-only

#include "hierarchical-schedule.h"

#include "ring-schedule.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <numeric>
#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// @return the part of the tensor that a rail carries
ByteRange
GetLocalShard(const CollectivePart& part, uint32_t local)
{
    const auto& shape = part.shape;
    const uint64_t tensor = GetTensorBytes(part.call.kind, shape.size, part.call.bytes);
    if (part.call.kind == CollectiveKind::ALL_REDUCE)
    {
        return SplitEvenly({0, tensor}, shape.perDomain, local);
    }
    // The chunks of this rail's ranks: the first `larger` chunks of the group have a byte more.
    const uint64_t base = tensor / shape.size;
    const uint64_t larger = tensor % shape.size;
    ByteRange shard;
    for (uint32_t rail = 0; rail <= local; ++rail)
    {
        shard.offset += shard.bytes;
        const uint64_t extra = larger > rail ? (larger - rail - 1) / shape.perDomain + 1 : 0;
        shard.bytes = base * shape.GetDomains() + extra;
    }
    return shard;
}

/// @return transfer ids of everything that has been added
std::vector<uint16_t>
GetAllReceives(const CollectiveSchedule& schedule)
{
    std::vector<uint16_t> ids(schedule.GetReceives().size());
    std::iota(ids.begin(), ids.end(), uint16_t{0});
    return ids;
}

/**
 * Everyone in the domain sends to everyone. The k-th message goes k local ranks further, and is the
 * k-th that the receiver gets.
 *
 * @param schedule what goes before
 * @param part the rank
 * @param action REDUCE: to each its shard; COPY: to each the own shard
 */
void
AddInsideDomain(CollectiveSchedule& schedule, const CollectivePart& part, Action action)
{
    const uint32_t perDomain = part.shape.perDomain;
    const uint32_t local = part.index % perDomain;
    const uint32_t first = part.index - local;
    const auto after = GetAllReceives(schedule);
    const bool reduce = action == Action::REDUCE;
    for (uint32_t k = 1; k < perDomain; ++k)
    {
        const uint32_t to = (local + k) % perDomain;
        const uint32_t from = (local + perDomain - k) % perDomain;
        ScheduledSend send;
        send.data = GetLocalShard(part, reduce ? to : local);
        send.peer = first + to;
        send.lane = LANE_DIRECT;
        send.transferId = schedule.AddReceive(
            {GetLocalShard(part, reduce ? local : from), first + from, LANE_DIRECT, action});
        schedule.AddSend(send, after);
    }
}

/// The collective on this rank's shard, round the ring of its rail and on that ring's lanes.
void
AddAlongRail(CollectiveSchedule& schedule, const CollectivePart& part)
{
    const auto& shape = part.shape;
    const uint32_t local = part.index % shape.perDomain;
    const auto shard = GetLocalShard(part, local);
    const auto before = GetAllReceives(schedule);
    const auto base = static_cast<uint16_t>(before.size());
    const bool gather = part.call.kind == CollectiveKind::ALL_GATHER;
    const auto ring = MakeRingSchedule(part.call.kind,
                                       shape.GetDomains(),
                                       part.index / shape.perDomain,
                                       gather ? part.call.bytes : shard.bytes,
                                       part.directions);
    for (auto receive : ring.GetReceives())
    {
        receive.data.offset += shard.offset;
        receive.peer = receive.peer * shape.perDomain + local;
        schedule.AddReceive(receive);
    }
    for (auto send : ring.GetSends())
    {
        auto after = before;
        for (const uint16_t id : ring.GetAfter(send))
        {
            after.push_back(base + id);
        }
        send.data.offset += shard.offset;
        send.peer = send.peer * shape.perDomain + local;
        send.transferId += base;
        schedule.AddSend(send, after);
    }
}

} // namespace

CollectiveSchedule
MakeHierarchicalSchedule(const CollectivePart& part)
{
    const auto& shape = part.shape;
    const auto kind = part.call.kind;
    NS_ABORT_MSG_IF(shape.perDomain == 0 || shape.size % shape.perDomain != 0,
                    shape.size << " ranks do not fill domains of " << shape.perDomain);
    NS_ASSERT_MSG(part.index < shape.size, "rank " << part.index << " of " << shape.size);
    CollectiveSchedule schedule;
    if (kind != CollectiveKind::ALL_GATHER)
    {
        AddInsideDomain(schedule, part, Action::REDUCE);
    }
    AddAlongRail(schedule, part);
    if (kind != CollectiveKind::REDUCE_SCATTER)
    {
        AddInsideDomain(schedule, part, Action::COPY);
    }
    return schedule;
}

ByteRange
GetRailOrderedChunk(const CollectivePart& part, uint32_t rank)
{
    const auto& shape = part.shape;
    return SplitEvenly(GetLocalShard(part, rank % shape.perDomain),
                       shape.GetDomains(),
                       rank / shape.perDomain);
}

} // namespace ns3
