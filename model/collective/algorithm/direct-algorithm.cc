// SPDX-License-Identifier: GPL-2.0-only

#include "all-to-all-blocks.h"
#include "collective-algorithm.h"

#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// Adds steps in which every rank sends a message to every other rank.
class DirectExchange
{
  public:
    explicit DirectExchange(const RankContext& part)
        : m_part(part),
          m_tensor{0, GetTensorBytes(part.call.kind, part.shape.size, part.call.bytes)}
    {
    }

    /**
     * @param action REDUCE to send each rank its chunk, COPY to send all ranks the own one
     * @param after transfer ids of the receives that the sends wait for
     * @return transfer ids of the new receives
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
            send.connector = CONNECTOR_DIRECT;
            send.transferId = static_cast<uint16_t>(first + distance - 1);
            m_schedule.AddSend(send, after);
            const auto data = GetChunk(action == Action::REDUCE ? m_part.index : from);
            ids.push_back(m_schedule.AddReceive({data, from, CONNECTOR_DIRECT, action}));
        }
        return ids;
    }

    /// @return the schedule so far
    const CollectiveSchedule& Get() const
    {
        return m_schedule;
    }

  private:
    ByteRange GetChunk(uint32_t rank) const
    {
        return SplitEvenly(m_tensor, m_part.shape.size, rank);
    }

    const RankContext& m_part;
    ByteRange m_tensor;
    CollectiveSchedule m_schedule;
};

/// @return the schedule of an AllGather, a ReduceScatter or an AllReduce
CollectiveSchedule
MakeDirectSchedule(const RankContext& part)
{
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

/**
 * Direct exchange: a rank sends all messages at once. The first goes to the rank after it, so that
 * not all ranks send to the same one. All connectors are DIRECT.
 *
 * - ReduceScatter: each rank sends its part of chunk c to rank c.
 * - AllGather: each rank sends its chunk to all others.
 * - AllReduce: a ReduceScatter, and an AllGather when all parts of the own chunk have arrived ("two
 *   shot" in the libraries of GPU vendors). AllReduce has 2 (N - 1) messages each way, the other
 *   kinds have N - 1.
 * - AllToAll: each block is a message, as NCCL programs write it: a Send and a Recv for each peer
 *   within one group call.
 *
 * Ranges refer to the tensor, that of AllGather to its output; see MakeBlockSchedule for AllToAll.
 */
class DirectAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::DirectAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<DirectAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "direct";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_GATHER || kind == CollectiveKind::REDUCE_SCATTER ||
               kind == CollectiveKind::ALL_REDUCE || kind == CollectiveKind::ALL_TO_ALL;
    }

  private:
    uint64_t GetMostReceives(CollectiveKind kind, const GroupShape& shape) const override
    {
        return (kind == CollectiveKind::ALL_REDUCE ? 2 : 1) * uint64_t{shape.size - 1};
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        return part.call.kind == CollectiveKind::ALL_TO_ALL
                   ? MakeBlockSchedule(part, MakeShiftSteps(part), BlockOrder::AT_ONCE)
                   : MakeDirectSchedule(part);
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const double ranks = part.shape.size;
        const CollectiveCost once{1, part.GetTensor() * (ranks - 1) / ranks};
        return part.call.kind == CollectiveKind::ALL_REDUCE ? 2 * once : once;
    }
};

NS_OBJECT_ENSURE_REGISTERED(DirectAlgorithm);

} // namespace

} // namespace ns3
