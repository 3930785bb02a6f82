// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"
#include "ring-algorithm.h"

#include <map>
#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// @return the part of the tensor that a rail carries
ByteRange
GetLocalShard(const RankContext& part, uint32_t local)
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

/**
 * Add a message from every rank of the domain to every other rank of it. The k-th message of a rank
 * goes to the rank k local ranks further, as the k-th receive of that rank.
 *
 * @param schedule schedule that gets the messages, which wait for all earlier receives
 * @param part the rank
 * @param action REDUCE: each rank gets its shard; COPY: all ranks get the own shard
 */
void
AddInsideDomain(CollectiveSchedule& schedule, const RankContext& part, Action action)
{
    const uint32_t perDomain = part.shape.perDomain;
    const uint32_t local = part.index % perDomain;
    const uint32_t first = part.index - local;
    const auto after = schedule.GetReceiveIds();
    const bool reduce = action == Action::REDUCE;
    for (uint32_t k = 1; k < perDomain; ++k)
    {
        const uint32_t to = (local + k) % perDomain;
        const uint32_t from = (local + perDomain - k) % perDomain;
        const auto in = GetLocalShard(part, reduce ? local : from);
        const auto out = GetLocalShard(part, reduce ? to : local);
        const auto id = schedule.AddReceive({in, first + from, CONNECTOR_DIRECT, action});
        schedule.AddSend({out, first + to, CONNECTOR_DIRECT, id}, after);
    }
}

/// @return the input bytes of this rank in the collective on its shard
uint64_t
GetRailBytes(const RankContext& part, const ByteRange& shard)
{
    return part.call.kind == CollectiveKind::ALL_GATHER ? part.call.bytes : shard.bytes;
}

/// The collective on this rank's shard, round the ring of its rail and on that ring's connectors.
void
AddAlongRail(CollectiveSchedule& schedule, const RankContext& part)
{
    const auto& shape = part.shape;
    const uint32_t local = part.index % shape.perDomain;
    const auto shard = GetLocalShard(part, local);
    const auto before = schedule.GetReceiveIds();
    const auto base = static_cast<uint16_t>(before.size());
    const auto ring = MakeRingSchedule(part.call.kind,
                                       shape.GetDomains(),
                                       part.index / shape.perDomain,
                                       GetRailBytes(part, shard),
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

/**
 * Two levels: inside scale-up domains, then across them.
 *
 * In a group of D domains of L ranks, a rail is formed by the ranks with one local index, one of
 * each domain. Data crosses domains only along rails, and of every tensor each rail carries an L-th
 * (as BlueConnect does: Cho et al., MLSys 2019).
 *
 * - ReduceScatter: inside each domain, so that local rank l has the domain's sum of the chunks of
 *   all ranks of its rail; then along the rail.
 * - AllGather: along the rail, then inside the domain.
 * - AllReduce: ReduceScatter inside the domain, AllReduce of the shard along the rail, AllGather
 *   inside the domain.
 *
 * Inside a domain every rank sends one message to every other rank at once, as suits a switch
 * without blocking. Along the rail a ring is used, with data in both directions if the part says
 * so. Messages inside a domain take connectors DIRECT and those along the rail the connectors of
 * its ring, so that on photonic rails the circuits of one ring for each rail are enough. A rank
 * begins a phase when all its receives of the phase before have arrived.
 *
 * Ranges refer to the tensor with the chunks of a rail together (rank 0 of all domains, rank 1 of
 * all domains, ...), so that a message inside a domain is one range. One of D and L may be 1, and
 * its phases are then left out.
 */
class HierarchicalAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::HierarchicalAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<HierarchicalAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "hierarchical";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_GATHER || kind == CollectiveKind::REDUCE_SCATTER ||
               kind == CollectiveKind::ALL_REDUCE;
    }

    bool NeedsDomains() const override
    {
        return true;
    }

    CollectiveLayout MakeLayout(const RankContext& part) const override
    {
        if (part.call.kind == CollectiveKind::ALL_REDUCE)
        {
            return MakeLayoutInOrder(part);
        }
        return MakeChunkLayout(part, [&part](uint32_t rank) {
            const auto& shape = part.shape;
            return SplitEvenly(GetLocalShard(part, rank % shape.perDomain),
                               shape.GetDomains(),
                               rank / shape.perDomain);
        });
    }

  protected:
    std::map<uint32_t, uint64_t> DoGetSent(const RankContext& part) const override
    {
        const auto kind = part.call.kind;
        const uint32_t perDomain = part.shape.perDomain;
        const uint32_t local = part.index % perDomain;
        const auto shard = GetLocalShard(part, local);
        std::map<uint32_t, uint64_t> sent;
        for (const auto& [domain, bytes] : GetSentOnRing(kind,
                                                         part.shape.GetDomains(),
                                                         part.index / perDomain,
                                                         GetRailBytes(part, shard),
                                                         part.directions))
        {
            sent[domain * perDomain + local] += bytes;
        }
        for (uint32_t to = 0; to < perDomain; ++to)
        {
            if (to != local)
            {
                uint64_t& bytes = sent[part.index - local + to];
                bytes += kind != CollectiveKind::ALL_GATHER ? GetLocalShard(part, to).bytes : 0;
                bytes += kind != CollectiveKind::REDUCE_SCATTER ? shard.bytes : 0;
            }
        }
        return sent;
    }

  private:
    uint64_t GetMostReceives(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return 2 * uint64_t{shape.perDomain - 1} + 4 * uint64_t{shape.GetDomains() - 1};
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        const auto kind = part.call.kind;
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

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const double perDomain = part.shape.perDomain;
        const double domains = part.shape.GetDomains();
        const double tensor = part.GetTensor();
        const CollectiveCost once{domains - 1,
                                  tensor * (domains - 1) / part.shape.size,
                                  perDomain > 1 ? 1.0 : 0.0,
                                  tensor * (perDomain - 1) / perDomain};
        return part.call.kind == CollectiveKind::ALL_REDUCE ? 2 * once : once;
    }
};

NS_OBJECT_ENSURE_REGISTERED(HierarchicalAlgorithm);

} // namespace

} // namespace ns3
