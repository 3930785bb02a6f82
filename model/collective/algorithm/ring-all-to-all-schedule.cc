// SPDX-License-Identifier: GPL-2.0-only

#include "ring-all-to-all-schedule.h"

#include "all-to-all-blocks.h"

#include "ns3/assert.h"

#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// The way of each block round the ring, and the place of blocks in the buffer of one rank.
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
        NS_ASSERT_MSG(m_index < m_size, "rank " << m_index << " of a group of " << m_size);
        NS_ASSERT_MSG(m_directions == 1 || m_directions == 2, m_directions << " directions");
        for (uint32_t direction = 0; direction < m_directions; ++direction)
        {
            m_own.push_back(Allocate(GetSum(m_index, direction, 1)));
        }
        m_kept = Allocate(m_blocks.Get(m_index, m_index));
        m_arrivals.resize(m_directions);
        for (uint32_t direction = 0; direction < m_directions; ++direction)
        {
            for (uint32_t step = 0; step < m_steps; ++step)
            {
                const uint32_t from = GetRank(m_index, step + 1, 1 - direction);
                m_arrivals[direction].push_back(Allocate(GetSum(from, direction, step + 1)));
            }
        }
    }

    /// @return steps in each direction: as many as the hops that blocks travel at most
    uint32_t GetSteps() const
    {
        return m_steps;
    }

    /// @return the rank some hops away from another; direction 0 is along connectors NEXT
    uint32_t GetRank(uint32_t rank, uint32_t hops, uint32_t direction) const
    {
        return (rank + (direction == 0 ? hops : m_size - hops)) % m_size;
    }

    /// @return what of a rank's block for the one some hops away travels in a direction
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

    /// @return the range that is received in a step
    const ByteRange& GetArrival(uint32_t direction, uint32_t step) const
    {
        return m_arrivals[direction][step];
    }

    CollectiveLayout GetLayout() const
    {
        const auto inputs = m_blocks.GetInputOffsets(m_index);
        const auto outputs = m_blocks.GetOutputOffsets(m_index);
        CollectiveLayout layout;
        layout.bytes = m_bytes;
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

    ByteRange Allocate(uint64_t bytes)
    {
        const ByteRange range{m_bytes, bytes};
        m_bytes += bytes;
        return range;
    }

    AllToAllBlocks m_blocks;
    uint32_t m_size;
    uint32_t m_index;
    uint32_t m_directions;
    uint32_t m_steps;
    uint64_t m_bytes{0};                            //!< of the buffer
    std::vector<ByteRange> m_own;                   //!< by direction: what the first step sends
    ByteRange m_kept;                               //!< what the rank has for itself
    std::vector<std::vector<ByteRange>> m_arrivals; //!< by direction and step
};

} // namespace

CollectiveSchedule
MakeRingAllToAllSchedule(const RankContext& part)
{
    const RingAllToAll ring(part);
    CollectiveSchedule schedule;
    for (uint32_t direction = 0; direction < part.directions; ++direction)
    {
        for (uint32_t step = 0; step < ring.GetSteps(); ++step)
        {
            schedule.AddReceive(
                {ring.GetArrival(direction, step),
                 ring.GetRank(part.index, 1, 1 - direction),
                 static_cast<uint16_t>(direction == 0 ? CONNECTOR_PREVIOUS : CONNECTOR_NEXT),
                 Action::COPY});
        }
    }
    for (uint32_t step = 0; step < ring.GetSteps(); ++step)
    {
        for (uint32_t direction = 0; direction < part.directions; ++direction)
        {
            ScheduledSend send;
            send.data = ring.GetDeparture(direction, step);
            send.peer = ring.GetRank(part.index, 1, direction);
            send.connector = direction == 0 ? CONNECTOR_NEXT : CONNECTOR_PREVIOUS;
            send.transferId = static_cast<uint16_t>(direction * ring.GetSteps() + step);
            std::vector<uint16_t> after;
            if (step > 0)
            {
                after.push_back(static_cast<uint16_t>(send.transferId - 1));
            }
            schedule.AddSend(send, after);
        }
    }
    return schedule;
}

CollectiveLayout
MakeRingAllToAllLayout(const RankContext& part)
{
    return RingAllToAll(part).GetLayout();
}

} // namespace ns3
