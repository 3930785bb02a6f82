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

/// A rank's place on the ring, seen along one direction.
class RingView
{
  public:
    /**
     * @param size number of ranks
     * @param index this rank
     * @param direction 0 along connectors NEXT, 1 along connectors PREVIOUS
     */
    RingView(uint32_t size, uint32_t index, uint32_t direction)
        : m_size(size),
          m_index(index),
          m_direction(direction)
    {
    }

    /**
     * @param hops how far against the direction, at most twice round
     * @return index of the rank (and so of its chunk) that lies there
     */
    uint32_t Upstream(uint32_t hops) const
    {
        const uint32_t back = hops % m_size;
        return (m_index + (m_direction == 0 ? m_size - back : back)) % m_size;
    }

    /// @return index of the rank to send to
    uint32_t Downstream() const
    {
        return Upstream(m_size - 1);
    }

    /// @return connector on which data leaves
    uint16_t OutConnector() const
    {
        return m_direction == 0 ? CONNECTOR_NEXT : CONNECTOR_PREVIOUS;
    }

    /// @return connector on which data arrives
    uint16_t InConnector() const
    {
        return m_direction == 0 ? CONNECTOR_PREVIOUS : CONNECTOR_NEXT;
    }

  private:
    uint32_t m_size;
    uint32_t m_index;
    uint32_t m_direction;
};

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
    const uint32_t steps = GetRingSteps(kind, size);

    CollectiveSchedule schedule;
    for (uint32_t direction = 0; direction < directions; ++direction)
    {
        const RingView ring(size, index, direction);
        for (uint32_t step = 0; step < steps; ++step)
        {
            const RingStep move = GetRingStep(kind, size, step);
            const auto chunk = SplitEvenly(tensor, size, ring.Upstream(move.sentFrom + 1));
            schedule.AddReceive({SplitEvenly(chunk, directions, direction),
                                 ring.Upstream(1),
                                 ring.InConnector(),
                                 move.action});
        }
    }
    // Step by step, so that both directions start at once and posting order is time order.
    for (uint32_t step = 0; step < steps; ++step)
    {
        for (uint32_t direction = 0; direction < directions; ++direction)
        {
            const RingView ring(size, index, direction);
            const RingStep move = GetRingStep(kind, size, step);
            const auto chunk = SplitEvenly(tensor, size, ring.Upstream(move.sentFrom));
            // All ranks number their receives alike: by direction, then by step.
            const auto id = static_cast<uint16_t>(direction * steps + step);
            ScheduledSend send;
            send.data = SplitEvenly(chunk, directions, direction);
            send.peer = ring.Downstream();
            send.connector = ring.OutConnector();
            send.transferId = id;
            schedule.AddSend(send,
                             step == 0 ? std::vector<uint16_t>{}
                                       : std::vector<uint16_t>{static_cast<uint16_t>(id - 1)});
        }
    }
    return schedule;
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
            ScheduledSend send;
            send.data = data;
            send.peer = peer;
            send.connector = ring.OutConnector();
            send.transferId = static_cast<uint16_t>(part);
            schedule.AddSend(send);
        }
        else
        {
            schedule.AddReceive({data, peer, ring.InConnector(), Action::COPY});
        }
    }
    return schedule;
}

} // namespace ns3
