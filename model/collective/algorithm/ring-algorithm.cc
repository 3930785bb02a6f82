// SPDX-License-Identifier: GPL-2.0-only

#include "ring-algorithm.h"

#include "all-to-all-blocks.h"
#include "collective-algorithm.h"
#include "collective-call.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <map>
#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

} // namespace

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
    const auto connector = m_direction == 0 ? CONNECTOR_NEXT : CONNECTOR_PREVIOUS;
    return {data, Downstream(1), connector, static_cast<uint16_t>(id)};
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

std::map<uint32_t, uint64_t>
GetSentOnRing(CollectiveKind kind,
              uint32_t size,
              uint32_t index,
              uint64_t bytes,
              uint32_t directions)
{
    std::map<uint32_t, uint64_t> sent;
    const ByteRange tensor{0, GetTensorBytes(kind, size, bytes)};
    for (uint32_t direction = 0; size > 1 && direction < directions; ++direction)
    {
        const RingView ring(size, index, direction);
        const uint32_t next = ring.Downstream(1);
        const auto getPart = [&](uint32_t chunk) {
            return SplitEvenly(SplitEvenly(tensor, size, chunk), directions, direction).bytes;
        };
        // The first `larger` chunks have a byte more than the others, of which the last is one.
        const uint64_t larger = tensor.bytes % size;
        const uint64_t all = larger * getPart(0) + (size - larger) * getPart(size - 1);
        if (kind != CollectiveKind::REDUCE_SCATTER)
        {
            sent[next] += all - getPart(next);
        }
        if (kind != CollectiveKind::ALL_GATHER)
        {
            sent[next] += all - getPart(index);
        }
    }
    return sent;
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

namespace
{

/// @return true for Broadcast and Reduce, which go along the ring cut open at the root
bool
IsChain(CollectiveKind kind)
{
    return kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE;
}

/// A rank's place in the chain of one direction.
struct ChainLink
{
    /// @param part Broadcast or Reduce @param direction see RingView
    ChainLink(const RankContext& part, uint32_t direction)
        : ring(part.shape.size, part.index, direction)
    {
        const bool broadcast = part.call.kind == CollectiveKind::BROADCAST;
        receives = broadcast ? part.index != part.root : ring.Upstream(1) != part.root;
        sends = broadcast ? ring.Downstream(1) != part.root : part.index != part.root;
    }

    RingView ring;
    bool receives; //!< it is not the first
    bool sends;    //!< it is not the last
};

/**
 * @param part Broadcast or Reduce
 * @return number of chunks into which each direction divides its share of the data
 */
uint32_t
GetChainChunks(const RankContext& part)
{
    const auto share = SplitEvenly({0, part.call.bytes}, part.directions, 0);
    return GetPipelineChunks(share.bytes, part.chunkBytes, CollectiveSchedule::MAX_RECEIVES / 2);
}

/**
 * @brief One rank's part of a Broadcast or Reduce along the ring.
 *
 * As NCCL does it: the ring is cut open at the root, and chunks follow each other along the chain
 * of all ranks. With two directions each carries half of the tensor, on connectors NEXT and
 * PREVIOUS.
 *
 * - Broadcast: from the root to the rank before it, seen in that direction.
 * - Reduce: from the rank after the root round to the root; each rank adds its own data.
 *
 * Ranges refer to the tensor. There are at most 2^15 chunks in each direction, so that transfer
 * ids suffice; larger tensors have larger chunks.
 *
 * @param part Broadcast or Reduce; any number of ranks, any root
 * @return the schedule
 */
CollectiveSchedule
MakeChainSchedule(const RankContext& part)
{
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
        const ChainLink link(part, direction);
        const auto share = SplitEvenly({0, part.call.bytes}, part.directions, direction);
        firstId[direction] = static_cast<uint32_t>(schedule.GetReceives().size());
        for (uint32_t chunk = 0; link.receives && chunk < chunks; ++chunk)
        {
            const auto data = SplitEvenly(share, chunks, chunk);
            schedule.AddReceive(link.ring.MakeReceive(data, action));
        }
    }
    for (uint32_t chunk = 0; chunk < chunks; ++chunk)
    {
        for (uint32_t direction = 0; direction < part.directions; ++direction)
        {
            const ChainLink link(part, direction);
            if (!link.sends)
            {
                continue;
            }
            RankContext there = part;
            there.index = link.ring.Downstream(1);
            const bool hearsBefore = direction == 1 && ChainLink(there, 0).receives;
            const auto share = SplitEvenly({0, part.call.bytes}, part.directions, direction);
            std::vector<uint16_t> after;
            if (link.receives)
            {
                after.push_back(static_cast<uint16_t>(firstId[direction] + chunk));
            }
            schedule.AddSend(link.ring.MakeSend(SplitEvenly(share, chunks, chunk),
                                                (hearsBefore ? chunks : 0) + chunk),
                             after);
        }
    }
    return schedule;
}

/**
 * AllToAll and AllToAllv for ranks that reach their neighbours on the ring only, as over circuits:
 * store and forward round the ring.
 *
 * In the first step a rank sends its following neighbour one message, the blocks for all ranks that
 * are served in this direction. In each further step a rank passes on the message that it received
 * from the preceding neighbour in the step before, without its own block; so messages become
 * shorter by a block in each step. With two directions a block goes the shorter way, over
 * connectors NEXT or PREVIOUS, and half of it each way if both are of N / 2 hops.
 *
 * Steps: N - 1 with one direction, N / 2 rounded down with two. Every rank sends N (N - 1) / 2
 * blocks with one direction; with two N^2 / 4 if N is even, else (N^2 - 1) / 4.
 *
 * **Buffer.** For each direction the blocks (or halves) of the rank in the order of hops, and then
 * its own block; for each direction the messages that arrive, in the order of steps. The first
 * block of each message is for the rank itself.
 */
class RingAllToAll
{
  public:
    explicit RingAllToAll(const RankContext& part)
        : m_blocks(part),
          m_size(part.shape.size),
          m_index(part.index),
          m_directions(part.directions),
          m_steps(m_directions == 1 ? m_size - 1 : m_size / 2)
    {
        for (uint32_t direction = 0; direction < m_directions; ++direction)
        {
            m_own.push_back(m_buffer.Allocate(GetSum(m_index, direction, 1)));
        }
        m_kept = m_buffer.Allocate(m_blocks.Get(m_index, m_index));
        m_arrivals.resize(m_directions);
        for (uint32_t direction = 0; direction < m_directions; ++direction)
        {
            for (uint32_t step = 0; step < m_steps; ++step)
            {
                const uint32_t from = GetRank(m_index, step + 1, 1 - direction);
                m_arrivals[direction].push_back(
                    m_buffer.Allocate(GetSum(from, direction, step + 1)));
            }
        }
    }

    /// @return the schedule of the rank
    CollectiveSchedule MakeSchedule() const
    {
        return MakeStepsOnRing(
            m_size,
            m_index,
            m_directions,
            m_steps,
            [this](uint32_t direction, uint32_t step) {
                return RingArrival(m_arrivals[direction][step], Action::COPY);
            },
            [this](uint32_t direction, uint32_t step) { return GetDeparture(direction, step); });
    }

    /// @return the layout of the data
    CollectiveLayout MakeLayout() const
    {
        const auto inputs = m_blocks.GetInputOffsets(m_index);
        const auto outputs = m_blocks.GetOutputOffsets(m_index);
        CollectiveLayout layout;
        layout.bytes = m_buffer.bytes;
        layout.input.push_back({m_kept, inputs[m_index]});
        layout.output.push_back({m_kept, outputs[m_index]});
        for (uint32_t direction = 0; direction < m_directions; ++direction)
        {
            uint64_t next = m_own[direction].offset;
            for (uint32_t hops = 1; hops <= m_steps; ++hops)
            {
                const auto out = GetPiece(m_index, hops, direction);
                const uint32_t to = GetRank(m_index, hops, direction);
                layout.input.push_back({{next, out.bytes}, inputs[to] + out.offset});
                next += out.bytes;

                const uint32_t from = GetRank(m_index, hops, 1 - direction);
                const auto in = GetPiece(from, hops, direction);
                layout.output.push_back({{m_arrivals[direction][hops - 1].offset, in.bytes},
                                         outputs[from] + in.offset});
            }
        }
        return layout;
    }

  private:
    /// @return the rank some hops away from another; direction 0 is along connectors NEXT
    uint32_t GetRank(uint32_t rank, uint32_t hops, uint32_t direction) const
    {
        return RingView(m_size, rank, direction).Downstream(hops);
    }

    /// @return the part of the block for the rank `hops` away that is sent in `direction`
    ByteRange GetPiece(uint32_t from, uint32_t hops, uint32_t direction) const
    {
        const ByteRange block{0, m_blocks.Get(from, GetRank(from, hops, direction))};
        return IsSplit(hops) ? SplitEvenly(block, 2, direction) : block;
    }

    /// @return the range that is sent in a step
    ByteRange GetDeparture(uint32_t direction, uint32_t step) const
    {
        if (step == 0)
        {
            return m_own[direction];
        }
        const auto& message = m_arrivals[direction][step - 1];
        const uint32_t from = GetRank(m_index, step, 1 - direction);
        const uint64_t mine = GetPiece(from, step, direction).bytes;
        return {message.offset + mine, message.bytes - mine};
    }

    /// @return true if both ways to a rank are of the same length
    bool IsSplit(uint32_t hops) const
    {
        return m_directions == 2 && 2 * hops == m_size;
    }

    /// @return bytes that a rank has for those at least some hops away in a direction
    uint64_t GetSum(uint32_t from, uint32_t direction, uint32_t hops) const
    {
        if (hops > m_steps)
        {
            return 0;
        }
        const uint32_t first = GetRank(from, direction == 0 ? hops : m_steps, direction);
        const uint64_t sum = m_blocks.GetSum(from, first, m_steps - hops + 1);
        if (!IsSplit(m_steps))
        {
            return sum;
        }
        return sum - GetPiece(from, m_steps, 1 - direction).bytes;
    }

    AllToAllBlocks m_blocks;
    uint32_t m_size;
    uint32_t m_index;
    uint32_t m_directions;
    uint32_t m_steps;
    BlockBuffer m_buffer;
    std::vector<ByteRange> m_own;                   //!< by direction: what the first step sends
    ByteRange m_kept;                               //!< what the rank has for itself
    std::vector<std::vector<ByteRange>> m_arrivals; //!< by direction and step
};

/**
 * Collectives of ranks that reach their neighbours on the ring only, which is all that the circuits
 * of a group allow: AllGather, ReduceScatter and AllReduce in steps (MakeRingSchedule),
 * Broadcast and Reduce along a chain, AllToAll by store and forward.
 */
class RingAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RingAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<RingAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "ring";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind != CollectiveKind::SEND && kind != CollectiveKind::RECV;
    }

    CollectiveLayout MakeLayout(const RankContext& part) const override
    {
        return part.call.kind == CollectiveKind::ALL_TO_ALL ? RingAllToAll(part).MakeLayout()
                                                            : MakeLayoutInOrder(part);
    }

  protected:
    std::map<uint32_t, uint64_t> DoGetSent(const RankContext& part) const override
    {
        const auto kind = part.call.kind;
        return IsChain(kind) || kind == CollectiveKind::ALL_TO_ALL
                   ? CollectiveAlgorithm::DoGetSent(part)
                   : GetSentOnRing(kind,
                                   part.shape.size,
                                   part.index,
                                   part.call.bytes,
                                   part.directions);
    }

  private:
    uint64_t GetMostReceives(CollectiveKind kind, const GroupShape& shape) const override
    {
        if (IsChain(kind))
        {
            return 0; // chains have as many chunks as are allowed
        }
        return kind == CollectiveKind::ALL_TO_ALL ? shape.size
                                                  : 2 * uint64_t{GetRingSteps(kind, shape.size)};
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        const auto kind = part.call.kind;
        if (kind == CollectiveKind::ALL_TO_ALL)
        {
            return RingAllToAll(part).MakeSchedule();
        }
        return IsChain(kind) ? MakeChainSchedule(part)
                             : MakeRingSchedule(kind,
                                                part.shape.size,
                                                part.index,
                                                part.call.bytes,
                                                part.directions);
    }

    std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind /* kind */,
                                                       const GroupShape& shape,
                                                       uint32_t index) const override
    {
        return {{(index + 1) % shape.size, CONNECTOR_NEXT},
                {(index + shape.size - 1) % shape.size, CONNECTOR_PREVIOUS}};
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const auto kind = part.call.kind;
        const uint64_t size = part.shape.size;
        const auto ranks = static_cast<double>(size);
        const double tensor = part.GetTensor();
        if (IsChain(kind))
        {
            const double chunks = GetChainChunks(part);
            return {ranks - 1, (ranks - 1 + chunks - 1) * tensor / chunks};
        }
        if (kind != CollectiveKind::ALL_TO_ALL)
        {
            const CollectiveCost once{ranks - 1, tensor * (ranks - 1) / ranks};
            return kind == CollectiveKind::ALL_REDUCE ? 2 * once : once;
        }
        if (part.directions == 1)
        {
            return {ranks - 1, tensor * (ranks - 1) / 2};
        }
        return {static_cast<double>(size / 2),
                static_cast<double>(size * size / 4) * tensor / ranks};
    }
};

NS_OBJECT_ENSURE_REGISTERED(RingAlgorithm);

} // namespace

} // namespace ns3
