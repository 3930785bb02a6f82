// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"
#include "ring-algorithm.h"

#include <algorithm>
#include <map>
#include <utility>
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

/// Parts of a rail's shard that pass from one level to the other while others still move.
constexpr uint32_t MOST_PIECES = 4;

/// @return into how many pieces shards are divided: of whole chunks of the ring of a rail
uint32_t
CountPieces(const RankContext& part)
{
    const auto tensor = GetTensorBytes(part.call.kind, part.shape.size, part.call.bytes);
    return GetPipelineChunks(tensor / part.shape.perDomain,
                             part.chunkBytes,
                             std::min(part.shape.GetDomains(), MOST_PIECES));
}

/// @return the first chunk of a piece of a shard, of one chunk for each domain
uint32_t
GetFirstChunk(const RankContext& part, uint32_t piece)
{
    return piece * part.shape.GetDomains() / CountPieces(part);
}

/// @return a piece of the part of the tensor that a rail carries
ByteRange
GetPiece(const RankContext& part, uint32_t local, uint32_t piece)
{
    const auto shard = GetLocalShard(part, local);
    const uint32_t domains = part.shape.GetDomains();
    const uint32_t next = GetFirstChunk(part, piece + 1);
    const uint64_t begin = SplitEvenly(shard, domains, GetFirstChunk(part, piece)).offset;
    const uint64_t end =
        next == domains ? shard.offset + shard.bytes : SplitEvenly(shard, domains, next).offset;
    return {begin, end - begin};
}

/// @return true if a range is a part of another one
bool
IsPart(const ByteRange& range, const ByteRange& whole)
{
    return range.offset >= whole.offset && range.offset + range.bytes <= whole.offset + whole.bytes;
}

/**
 * @param schedule a schedule
 * @param count number of its first receives
 * @param whole a range
 * @return of these receives those of parts of the range
 */
std::vector<uint16_t>
FindReceives(const CollectiveSchedule& schedule, std::size_t count, const ByteRange& whole)
{
    std::vector<uint16_t> found;
    for (uint16_t id = 0; id < count; ++id)
    {
        if (IsPart(schedule.GetReceives()[id].data, whole))
        {
            found.push_back(id);
        }
    }
    return found;
}

/**
 * Add messages from every rank of the domain to every other rank of it, one for each piece. The
 * k-th message of a rank goes to the rank k local ranks further, as the k-th receive of that rank.
 * That of the domain's own chunk is the last to be needed on the rail, and comes last.
 *
 * @param schedule schedule that gets the messages, which wait for all earlier receives of the piece
 * @param part the rank
 * @param action REDUCE: each rank gets its shard; COPY: all ranks get the own shard
 */
void
AddInsideDomain(CollectiveSchedule& schedule, const RankContext& part, Action action)
{
    const uint32_t perDomain = part.shape.perDomain;
    const uint32_t local = part.index % perDomain;
    const uint32_t first = part.index - local;
    const auto before = schedule.GetReceives().size();
    const bool reduce = action == Action::REDUCE;
    const uint32_t pieces = CountPieces(part);
    const uint32_t own = (part.index / perDomain * pieces + pieces - 1) / part.shape.GetDomains();
    for (uint32_t i = 1; i <= pieces; ++i)
    {
        const uint32_t piece = (own + i) % pieces;
        const auto after = FindReceives(schedule, before, GetPiece(part, local, piece));
        for (uint32_t k = 1; k < perDomain; ++k)
        {
            const uint32_t to = (local + k) % perDomain;
            const uint32_t from = (local + perDomain - k) % perDomain;
            const auto in = GetPiece(part, reduce ? local : from, piece);
            const auto out = GetPiece(part, reduce ? to : local, piece);
            const auto id = schedule.AddReceive({in, first + from, CONNECTOR_DIRECT, action});
            schedule.AddSend({out, first + to, CONNECTOR_DIRECT, id}, after);
        }
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
    const auto base = static_cast<uint16_t>(schedule.GetReceives().size());
    const auto ring = MakeRingSchedule(part.call.kind,
                                       shape.GetDomains(),
                                       part.index / shape.perDomain,
                                       GetRailBytes(part, shard),
                                       part.directions);
    std::vector<std::pair<ByteRange, std::vector<uint16_t>>> pieces; // what sends of each wait for
    for (uint32_t piece = 0; piece < CountPieces(part); ++piece)
    {
        const auto whole = GetPiece(part, local, piece);
        pieces.emplace_back(whole, FindReceives(schedule, base, whole));
    }
    for (auto receive : ring.GetReceives())
    {
        receive.data.offset += shard.offset;
        receive.peer = receive.peer * shape.perDomain + local;
        schedule.AddReceive(receive);
    }
    for (auto send : ring.GetSends())
    {
        send.data.offset += shard.offset;
        send.peer = send.peer * shape.perDomain + local;
        send.transferId += base;
        const auto piece = std::find_if(pieces.begin(), pieces.end(), [&send](const auto& one) {
            return IsPart(send.data, one.first);
        });
        auto after = piece->second;
        for (const uint16_t id : ring.GetAfter(send))
        {
            after.push_back(base + id);
        }
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
 * its ring, so that on photonic rails the circuits of one ring for each rail are enough. Shards
 * pass from level to level in pieces of whole chunks: a piece begins a phase when all its receives
 * of the phase before have arrived, so that domains and rails move data at the same time.
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
        return 2 * uint64_t{MOST_PIECES} * (shape.perDomain - 1) +
               4 * uint64_t{shape.GetDomains() - 1};
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
        CollectiveCost once{domains - 1,
                            tensor * (domains - 1) / part.shape.size,
                            perDomain > 1 ? 1.0 : 0.0,
                            tensor * (perDomain - 1) / perDomain};
        once.overlap = 1 - 1.0 / CountPieces(part);
        return part.call.kind == CollectiveKind::ALL_REDUCE ? 2 * once : once;
    }
};

NS_OBJECT_ENSURE_REGISTERED(HierarchicalAlgorithm);

} // namespace

} // namespace ns3
