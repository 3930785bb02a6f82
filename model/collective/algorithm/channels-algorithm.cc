// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"
#include "ring-algorithm.h"

#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/**
 * The rings of a rank.
 *
 * In a group of D domains of L ranks there are L rings, or one if D or L is 1. Ring c leads through
 * all ranks, domain after domain, in each from the rank with local index c on. A rank's place on a
 * ring is its position.
 */
class ChannelRings
{
  public:
    explicit ChannelRings(const RankContext& part)
        : m_part(part),
          m_size(part.shape.size),
          m_perDomain(part.shape.perDomain),
          m_local(part.index % m_perDomain),
          m_first(part.index - m_local),
          m_rings(CountRings(part.shape)),
          m_steps(GetRingSteps(part.call.kind, m_size)),
          m_tensor(GetTensorBytes(part.call.kind, m_size, part.call.bytes)),
          m_lanes(part.directions * CountPieces())
    {
    }

    /// @return the number of rings
    static uint32_t CountRings(const GroupShape& shape)
    {
        return shape.GetDomains() > 1 ? shape.perDomain : 1;
    }

    CollectiveSchedule MakeSchedule() const
    {
        CollectiveSchedule schedule;
        AddReceives(schedule);
        AddRelays(schedule);
        // Step by step, so that posting order is time order.
        for (uint32_t step = 0; step < m_steps; ++step)
        {
            for (uint32_t ring = 0; ring < m_rings; ++ring)
            {
                for (uint32_t lane = 0; lane < m_lanes; ++lane)
                {
                    AddSend(schedule, {ring, lane, step});
                }
            }
            for (uint32_t lane = 0; HasRelays() && lane < m_lanes; ++lane)
            {
                AddRelayedSend(schedule, {m_local, lane, step});
            }
        }
        return schedule;
    }

  private:
    /// What moves along a ring in a step: in each direction there are lanes for its pieces.
    struct Move
    {
        uint32_t ring;
        uint32_t lane;
        uint32_t step;
    };

    /// More pieces than one keep both NVLink and NICs busy while a message changes over.
    static constexpr uint32_t MOST_PIECES = 2;

    uint32_t CountPieces() const
    {
        const uint64_t share = m_tensor / m_size / m_rings / m_part.directions;
        return GetPipelineChunks(share, m_part.chunkBytes, MOST_PIECES);
    }

    uint32_t GetDirection(const Move& move) const
    {
        return move.lane % m_part.directions;
    }

    /// @return the rank at a position of a ring
    uint32_t GetRank(uint32_t ring, uint32_t position) const
    {
        return position - position % m_perDomain + (ring + position) % m_perDomain;
    }

    /// @return the position of this rank on a ring
    uint32_t GetPosition(uint32_t ring) const
    {
        return m_first + (m_local + m_perDomain - ring) % m_perDomain;
    }

    /// @return what a position sends in a step
    ByteRange GetDeparture(const Move& move, uint32_t position) const
    {
        const RingView view(m_size, position, GetDirection(move));
        return GetChunk(move,
                        view.Upstream(GetRingStep(m_part.call.kind, m_size, move.step).sentFrom));
    }

    /// @return of the chunk of the rank at a position, the part of a ring and lane
    ByteRange GetChunk(const Move& move, uint32_t position) const
    {
        const auto chunk = SplitEvenly({0, m_tensor}, m_size, GetRank(move.ring, position));
        return SplitEvenly(SplitEvenly(chunk, m_rings, move.ring), m_lanes, move.lane);
    }

    /// @return true if this rank passes on what its ring moves between its domain and the next
    bool HasRelays() const
    {
        return m_rings > 1;
    }

    /// @return true if two positions next to each other are joined by a NIC of their ring's rail
    bool Crosses(uint32_t from, uint32_t to) const
    {
        return from / m_perDomain != to / m_perDomain;
    }

    /// @return transfer id of a message, the same at every rank
    uint16_t GetId(const Move& move) const
    {
        return static_cast<uint16_t>((move.ring * m_lanes + move.lane) * m_steps + move.step);
    }

    /// @return transfer id of a message that is relayed, the same at every rank
    uint16_t GetRelayId(const Move& move) const
    {
        return GetId({m_rings, move.lane, move.step});
    }

    /// @return the domain's rank of a ring's rail, `domains` further
    uint32_t GetProxy(uint32_t ring, uint32_t domains) const
    {
        return (m_first + domains * m_perDomain) % m_size + ring;
    }

    /// @return the rank of a rail in the domain before or after this rank's
    uint32_t GetProxyAcross(uint32_t ring, uint32_t direction) const
    {
        return GetProxy(ring, direction == 0 ? 1 : m_part.shape.GetDomains() - 1);
    }

    void AddReceives(CollectiveSchedule& schedule) const
    {
        for (uint32_t ring = 0; ring < m_rings; ++ring)
        {
            for (uint32_t lane = 0; lane < m_lanes; ++lane)
            {
                for (uint32_t step = 0; step < m_steps; ++step)
                {
                    AddReceive(schedule, {ring, lane, step});
                }
            }
        }
    }

    void AddReceive(CollectiveSchedule& schedule, const Move& move) const
    {
        const uint32_t direction = GetDirection(move);
        const uint32_t position = GetPosition(move.ring);
        const RingView view(m_size, position, direction);
        const uint32_t from = view.Upstream(1);
        ScheduledReceive receive =
            view.MakeReceive(GetDeparture(move, from),
                             GetRingStep(m_part.call.kind, m_size, move.step).action);
        receive.peer = GetRank(move.ring, from);
        if (!Crosses(from, position))
        {
            receive.connector = CONNECTOR_DIRECT;
        }
        else if (HasRelays() && direction == 0)
        {
            receive.peer = GetProxyAcross(move.ring, 1);
        }
        else if (HasRelays())
        {
            receive.peer = GetProxy(move.ring, 0);
            receive.connector = CONNECTOR_DIRECT;
        }
        schedule.AddReceive(receive);
    }

    void AddSend(CollectiveSchedule& schedule, const Move& move) const
    {
        const uint32_t direction = GetDirection(move);
        const uint32_t position = GetPosition(move.ring);
        const RingView view(m_size, position, direction);
        const uint32_t to = view.Downstream(1);
        ScheduledSend send = view.MakeSend(GetDeparture(move, position), GetId(move));
        send.peer = GetRank(move.ring, to);
        if (!Crosses(position, to))
        {
            send.connector = CONNECTOR_DIRECT;
        }
        else if (HasRelays() && direction == 0)
        {
            send.peer = GetProxy(move.ring, 0);
            send.connector = CONNECTOR_DIRECT;
            send.transferId = GetRelayId(move);
        }
        else if (HasRelays())
        {
            send.peer = GetProxyAcross(move.ring, 1);
            send.transferId = GetRelayId(move);
        }
        std::vector<uint16_t> after;
        if (move.step > 0)
        {
            after.push_back(GetId({move.ring, move.lane, move.step - 1}));
        }
        schedule.AddSend(send, after);
    }

    /// @return what is relayed: where the last rank of the domain is the sender, or the first one
    /// of the next domain
    ByteRange GetRelayed(const Move& move) const
    {
        const uint32_t last = m_first + m_perDomain - 1;
        auto data = GetDeparture(move, GetDirection(move) == 0 ? last : (last + 1) % m_size);
        data.offset += m_tensor; // scratch memory, see MakeLayout
        return data;
    }

    void AddRelays(CollectiveSchedule& schedule) const
    {
        for (uint32_t lane = 0; HasRelays() && lane < m_lanes; ++lane)
        {
            for (uint32_t step = 0; step < m_steps; ++step)
            {
                const Move move{m_local, lane, step};
                const bool leaves = GetDirection(move) == 0;
                const uint32_t last = GetRank(m_local, m_first + m_perDomain - 1);
                schedule.AddReceive({GetRelayed(move),
                                     leaves ? last : GetProxyAcross(m_local, 0),
                                     leaves ? CONNECTOR_DIRECT : CONNECTOR_NEXT,
                                     Action::RELAY});
            }
        }
    }

    void AddRelayedSend(CollectiveSchedule& schedule, const Move& move) const
    {
        const bool leaves = GetDirection(move) == 0;
        const uint32_t last = GetRank(m_local, m_first + m_perDomain - 1);
        schedule.AddSend({GetRelayed(move),
                          leaves ? GetProxyAcross(m_local, 0) : last,
                          leaves ? CONNECTOR_NEXT : CONNECTOR_DIRECT,
                          GetId(move)},
                         {GetRelayId(move)});
    }

    const RankContext& m_part;
    uint32_t m_size;
    uint32_t m_perDomain;
    uint32_t m_local; //!< index of the rank in its domain
    uint32_t m_first; //!< first rank of the domain
    uint32_t m_rings;
    uint32_t m_steps;
    uint64_t m_tensor;
    uint32_t m_lanes; //!< directions times pieces
};

/**
 * Rings over the NICs of all ranks, as the channels of NCCL are.
 *
 * Each ring has an equal part of the data and moves it as MakeRingSchedule does. Ring c enters and
 * leaves domains on rail c only: its last rank in a domain hands its data to the rank on rail c,
 * whose NIC sends it (PXN of NCCL 2.12), and in the other direction that rank takes in the data for
 * the last one. So each NIC carries 2 (N - 1) / N of its L-th of an AllReduce, and each rank sends
 * as much as on one ring over the scale-up network. Messages between domains are on the connectors
 * of a ring on each rail, so that circuits of those rings are enough, and all others on connectors
 * DIRECT.
 *
 * Ranges refer to the tensor with chunks in the order of ranks; what is relayed is kept behind it.
 */
class ChannelsAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ChannelsAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<ChannelsAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "channels";
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
        CollectiveLayout layout = MakeLayoutInOrder(part);
        layout.bytes *= 2;
        return layout;
    }

  private:
    uint64_t GetMostReceives(CollectiveKind kind, const GroupShape& shape) const override
    {
        const uint64_t rings = ChannelRings::CountRings(shape);
        const uint64_t lanes = 4;
        return (rings > 1 ? rings + 1 : 1) * lanes * GetRingSteps(kind, shape.size);
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        return part.shape.size == 1 ? CollectiveSchedule() : ChannelRings(part).MakeSchedule();
    }

    std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind /* kind */,
                                                       const GroupShape& shape,
                                                       uint32_t index) const override
    {
        std::vector<CollectiveConnectorId> connectors;
        const uint32_t perDomain = shape.perDomain;
        const uint32_t local = index % perDomain;
        for (const uint32_t other : {local + 1, local + perDomain - 1})
        {
            if (perDomain > 1)
            {
                connectors.push_back({index - local + other % perDomain, CONNECTOR_DIRECT});
            }
        }
        if (shape.GetDomains() > 1)
        {
            connectors.push_back({(index + perDomain) % shape.size, CONNECTOR_NEXT});
            connectors.push_back(
                {(index + shape.size - perDomain) % shape.size, CONNECTOR_PREVIOUS});
        }
        return connectors;
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const uint32_t perDomain = part.shape.perDomain;
        const uint32_t hops = GetRingSteps(part.call.kind, part.shape.size);
        const double bytes = part.GetTensor() * hops / part.shape.size;
        CollectiveCost cost;
        cost.overlaps = true;
        if (perDomain == 1)
        {
            cost.rounds = hops;
            cost.bytes = bytes;
            return cost;
        }
        // What crosses takes a hop to the proxy more.
        cost.domainRounds = hops;
        cost.domainBytes = bytes;
        if (part.shape.GetDomains() > 1)
        {
            cost.rounds = (hops + perDomain - 1) / perDomain; // whole numbers
            cost.bytes = bytes / perDomain;
        }
        return cost;
    }
};

NS_OBJECT_ENSURE_REGISTERED(ChannelsAlgorithm);

} // namespace

} // namespace ns3
