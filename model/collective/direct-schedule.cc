// SPDX-License-Identifier: GPL-2.0-only

#include "direct-schedule.h"

#include "ns3/assert.h"

#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// Adds steps in which everybody sends a message to everybody.
class DirectExchange
{
  public:
    explicit DirectExchange(const CollectivePart& part)
        : m_part(part),
          m_tensor{0, GetTensorBytes(part.call.kind, part.shape.size, part.call.bytes)}
    {
    }

    /**
     * @param action REDUCE to send each rank its chunk, COPY to send all ranks the own one
     * @param after what the messages wait for
     * @return transfer ids of what arrives
     */
    std::vector<uint16_t> Add(Action action, const std::vector<uint16_t>& after)
    {
        const uint32_t size = m_part.shape.size;
        const auto first = static_cast<uint32_t>(m_schedule.GetReceives().size());
        std::vector<uint16_t> ids;
        for (uint32_t distance = 1; distance < size; ++distance)
        {
            const uint32_t to = (m_part.index + distance) % size;
            const uint32_t from = (m_part.index + size - distance) % size;
            ScheduledSend send;
            send.data = GetChunk(action == Action::REDUCE ? to : m_part.index);
            send.peer = to;
            send.lane = LANE_DIRECT;
            send.transferId = static_cast<uint16_t>(first + distance - 1);
            m_schedule.AddSend(send, after);
            const auto data = GetChunk(action == Action::REDUCE ? m_part.index : from);
            ids.push_back(m_schedule.AddReceive({data, from, LANE_DIRECT, action}));
        }
        return ids;
    }

    /// @return what has been added
    const CollectiveSchedule& Get() const
    {
        return m_schedule;
    }

  private:
    ByteRange GetChunk(uint32_t rank) const
    {
        return SplitEvenly(m_tensor, m_part.shape.size, rank);
    }

    const CollectivePart& m_part;
    ByteRange m_tensor;
    CollectiveSchedule m_schedule;
};

} // namespace

CollectiveSchedule
MakeDirectSchedule(const CollectivePart& part)
{
    NS_ASSERT_MSG(part.index < part.shape.size,
                  "rank " << part.index << " of a group of " << part.shape.size);
    DirectExchange exchange(part);
    std::vector<uint16_t> after;
    if (part.call.kind != CollectiveKind::ALL_GATHER)
    {
        after = exchange.Add(Action::REDUCE, {});
    }
    if (part.call.kind != CollectiveKind::REDUCE_SCATTER)
    {
        exchange.Add(Action::COPY, after);
    }
    return exchange.Get();
}

} // namespace ns3
