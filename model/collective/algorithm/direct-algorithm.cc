// SPDX-License-Identifier: GPL-2.0-only

#include "all-to-all-blocks.h"
#include "collective-algorithm.h"

#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/**
 * Add messages from every rank to every other rank.
 * @param schedule schedule that gets the messages
 * @param part the call and the rank
 * @param action REDUCE to send each rank its chunk, COPY to send all ranks the own one
 */
void
AddDirectExchange(CollectiveSchedule& schedule, const RankContext& part, Action action)
{
    const uint32_t size = part.shape.size;
    const ByteRange tensor{0, GetTensorBytes(part.call.kind, size, part.call.bytes)};
    const bool reduces = action == Action::REDUCE;
    const auto after = schedule.GetReceiveIds();
    for (uint32_t distance = 1; distance < size; ++distance)
    {
        const uint32_t to = (part.index + distance) % size;
        const uint32_t from = (part.index + size - distance) % size;
        const auto in = SplitEvenly(tensor, size, reduces ? part.index : from);
        const auto out = SplitEvenly(tensor, size, reduces ? to : part.index);
        const auto id = schedule.AddReceive({in, from, CONNECTOR_DIRECT, action});
        schedule.AddSend({out, to, CONNECTOR_DIRECT, id}, after);
    }
}

/// @return the schedule of an AllGather, a ReduceScatter or an AllReduce
CollectiveSchedule
MakeExchangeSchedule(const RankContext& part)
{
    CollectiveSchedule schedule;
    if (part.call.kind != CollectiveKind::ALL_GATHER)
    {
        AddDirectExchange(schedule, part, Action::REDUCE);
    }
    if (part.call.kind != CollectiveKind::REDUCE_SCATTER)
    {
        AddDirectExchange(schedule, part, Action::COPY);
    }
    return schedule;
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
                   : MakeExchangeSchedule(part);
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
