// SPDX-License-Identifier: GPL-2.0-only

#include "ring-schedule.h"

#include "collective-call.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// What a step of a ring collective moves.
struct RingStep
{
    uint32_t sentFrom; //!< the chunk sent, in hops upstream; the one after it is received
    Action action;     //!< what the receiver does
};

/**
 * In a ReduceScatter the chunk of the rank upstream starts with this rank, so that it arrives
 * there, after N - 1 steps, with all contributions. An AllGather starts with the own chunk.
 */
RingStep
GetRingStep(CollectiveKind kind, uint32_t size, uint32_t step)
{
    if (kind == CollectiveKind::ALL_GATHER)
    {
        return {step, Action::COPY};
    }
    if (step < size - 1)
    {
        return {step + 1, Action::REDUCE};
    }
    return {step - (size - 1), Action::COPY};
}

} // namespace

RingView::RingView(uint32_t size, uint32_t index, uint32_t direction)
    : m_size(size),
      m_index(index),
      m_direction(direction)
{
    NS_ASSERT_MSG(index < size, "rank " << index << " of a group of " << size);
    NS_ASSERT_MSG(direction < 2, "direction " << direction << " on a ring");
}

uint32_t
RingView::Upstream(uint32_t hops) const
{
    return Downstream(m_size - hops % m_size);
}

uint32_t
RingView::Downstream(uint32_t hops) const
{
    const uint32_t ahead = hops % m_size;
    return (m_index + (m_direction == 0 ? ahead : m_size - ahead)) % m_size;
}

ScheduledSend
RingView::MakeSend(const ByteRange& data, std::size_t id) const
{
    ScheduledSend send;
    send.data = data;
    send.peer = Downstream(1);
    send.connector = m_direction == 0 ? CONNECTOR_NEXT : CONNECTOR_PREVIOUS;
    send.transferId = static_cast<uint16_t>(id);
    return send;
}

ScheduledReceive
RingView::MakeReceive(const ByteRange& data, Action action) const
{
    const auto connector = m_direction == 0 ? CONNECTOR_PREVIOUS : CONNECTOR_NEXT;
    return {data, Upstream(1), connector, action};
}

CollectiveSchedule
MakeStepsOnRing(uint32_t size,
                uint32_t index,
                uint32_t directions,
                uint32_t steps,
                const std::function<RingArrival(uint32_t, uint32_t)>& getArrival,
                const std::function<ByteRange(uint32_t, uint32_t)>& getDeparture)
{
    CollectiveSchedule schedule;
    for (uint32_t direction = 0; direction < directions; ++direction)
    {
        for (uint32_t step = 0; step < steps; ++step)
        {
            const auto [data, action] = getArrival(direction, step);
            schedule.AddReceive(RingView(size, index, direction).MakeReceive(data, action));
        }
    }
    // Step by step, so that both directions start at once and posting order is time order. All
    // ranks number their receives alike: by direction, then by step.
    for (uint32_t step = 0; step < steps; ++step)
    {
        for (uint32_t direction = 0; direction < directions; ++direction)
        {
            const uint32_t id = direction * steps + step;
            std::vector<uint16_t> after;
            if (step > 0)
            {
                after.push_back(static_cast<uint16_t>(id - 1));
            }
            const auto data = getDeparture(direction, step);
            schedule.AddSend(RingView(size, index, direction).MakeSend(data, id), after);
        }
    }
    return schedule;
}

uint32_t
GetRingSteps(CollectiveKind kind, uint32_t size)
{
    NS_ASSERT_MSG(size > 0, "a group without ranks");
    return kind == CollectiveKind::ALL_REDUCE ? 2 * (size - 1) : size - 1;
}

CollectiveSchedule
MakeRingSchedule(CollectiveKind kind,
                 uint32_t size,
                 uint32_t index,
                 uint64_t bytes,
                 uint32_t directions)
{
    NS_ASSERT_MSG(index < size, "rank " << index << " of a group of " << size);
    NS_ASSERT_MSG(directions == 1 || directions == 2, directions << " directions on a ring");
    NS_ASSERT_MSG(kind != CollectiveKind::SEND && kind != CollectiveKind::RECV,
                  "not a collective of the whole ring");

    const ByteRange tensor{0, GetTensorBytes(kind, size, bytes)};
    const auto getChunk = [&](uint32_t direction, uint32_t hops) {
        const uint32_t owner = RingView(size, index, direction).Upstream(hops);
        return SplitEvenly(SplitEvenly(tensor, size, owner), directions, direction);
    };
    return MakeStepsOnRing(
        size,
        index,
        directions,
        GetRingSteps(kind, size),
        [&](uint32_t direction, uint32_t step) {
            const RingStep move = GetRingStep(kind, size, step);
            return RingArrival(getChunk(direction, move.sentFrom + 1), move.action);
        },
        [&](uint32_t direction, uint32_t step) {
            return getChunk(direction, GetRingStep(kind, size, step).sentFrom);
        });
}

CollectiveSchedule
MakeNeighbourSchedule(CollectiveKind kind,
                      uint32_t size,
                      uint32_t index,
                      uint32_t peer,
                      uint64_t bytes,
                      uint32_t directions)
{
    NS_ASSERT_MSG(kind == CollectiveKind::SEND || kind == CollectiveKind::RECV,
                  "not a message between two ranks");
    NS_ASSERT_MSG(index < size && peer < size, "rank outside of the group");
    const uint32_t ahead = (peer + size - index) % size;
    NS_ABORT_MSG_IF(ahead == 0 || (ahead != 1 && ahead != size - 1),
                    "rank " << index << " of a ring of " << size << " has no connector to rank "
                            << peer);

    // Direction as the sender sees it; the message goes along it on the sender's connector.
    const bool sending = kind == CollectiveKind::SEND;
    const bool split = size == 2 && directions == 2;
    const bool forward = size == 2 || (ahead == 1) == sending;
    const uint32_t first = forward ? 0 : 1;
    const uint32_t parts = split ? 2 : 1;

    CollectiveSchedule schedule;
    for (uint32_t part = 0; part < parts; ++part)
    {
        const RingView ring(size, index, first + part);
        const auto data = SplitEvenly({0, bytes}, parts, part);
        if (sending)
        {
            schedule.AddSend(ring.MakeSend(data, part));
        }
        else
        {
            schedule.AddReceive(ring.MakeReceive(data, Action::COPY));
        }
    }
    return schedule;
}

} // namespace ns3
