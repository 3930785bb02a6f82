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
 * A group of D domains of L ranks has L rings for each direction, or one ring in all if D is 1. The
 * rings of a direction visit the domains in order, those of the other in the opposite order. Ring c
 * passes through domains with even numbers from local index c upwards, and through those with odd
 * numbers from c - 1 downwards: so it leaves a domain on the rail on which it enters the next one.
 * If D is odd two domains with even numbers follow each other; between them the last rank hands its
 * data to the rank on rail c, whose NIC sends it (PXN of NCCL 2.12).
 *
 * A domain's ranks have one neighbour before and one behind them on all rings.
 */
class ChannelRings
{
  public:
    explicit ChannelRings(const RankContext& part)
        : m_part(part),
          m_size(part.shape.size),
          m_perDomain(part.shape.perDomain),
          m_domains(part.shape.GetDomains()),
          m_local(part.index % m_perDomain),
          m_domain(part.index / m_perDomain),
          m_rings(m_domains > 1 ? m_perDomain * part.directions : 1),
          m_steps(GetRingSteps(part.call.kind, m_size)),
          m_tensor(GetTensorBytes(part.call.kind, m_size, part.call.bytes))
    {
    }

    /// @return true if data crosses between two domains by the NIC of a proxy
    static bool HasRelays(const GroupShape& shape)
    {
        return shape.perDomain > 1 && shape.GetDomains() % 2 == 1 && shape.GetDomains() > 1;
    }

    CollectiveSchedule MakeSchedule() const
    {
        CollectiveSchedule schedule;
        for (uint32_t ring = 0; ring < m_rings; ++ring)
        {
            for (uint32_t step = 0; step < m_steps; ++step)
            {
                AddReceive(schedule, ring, step);
            }
        }
        const uint32_t relayed = FindRelayed();
        for (uint32_t step = 0; relayed < m_rings && step < m_steps; ++step)
        {
            schedule.AddReceive({GetRelayedData(relayed, step),
                                 GetRank(relayed, GetLastPosition(relayed)),
                                 CONNECTOR_DIRECT,
                                 Action::RELAY});
        }
        // Step by step, so that posting order is time order.
        for (uint32_t step = 0; step < m_steps; ++step)
        {
            for (uint32_t ring = 0; ring < m_rings; ++ring)
            {
                AddSend(schedule, ring, step);
            }
            if (relayed < m_rings)
            {
                AddRelayedSend(schedule, relayed, step);
            }
        }
        return schedule;
    }

  private:
    uint32_t GetDirection(uint32_t ring) const
    {
        return ring / m_perDomain;
    }

    /// @return the domain that a ring visits at a place, or the place at which it visits a domain
    uint32_t Visit(uint32_t ring, uint32_t domain) const
    {
        return GetDirection(ring) == 0 ? domain : (m_domains - domain) % m_domains;
    }

    /// @return the rank at a position of a ring
    uint32_t GetRank(uint32_t ring, uint32_t position) const
    {
        const uint32_t domain = Visit(ring, position / m_perDomain);
        const uint32_t passed = position % m_perDomain;
        const uint32_t entry = ring % m_perDomain;
        const uint32_t local =
            domain % 2 == 0 ? entry + passed : entry + 2 * m_perDomain - 1 - passed;
        return domain * m_perDomain + local % m_perDomain;
    }

    /// @return the position of this rank on a ring
    uint32_t GetPosition(uint32_t ring) const
    {
        const uint32_t entry = ring % m_perDomain;
        const uint32_t passed = m_domain % 2 == 0 ? m_local + m_perDomain - entry
                                                  : entry + 2 * m_perDomain - 1 - m_local;
        return Visit(ring, m_domain) * m_perDomain + passed % m_perDomain;
    }

    /// @return the last position of a ring in this rank's domain
    uint32_t GetLastPosition(uint32_t ring) const
    {
        return (Visit(ring, m_domain) + 1) * m_perDomain - 1;
    }

    /// @return the range that a position of a ring sends in a step
    ByteRange GetDeparture(uint32_t ring, uint32_t step, uint32_t position) const
    {
        const uint32_t hops = GetRingStep(m_part.call.kind, m_size, step).sentFrom;
        const uint32_t rank = GetRank(ring, RingView(m_size, position, 0).Upstream(hops));
        return SplitEvenly(SplitEvenly({0, m_tensor}, m_size, rank), m_rings, ring);
    }

    /// @return transfer id of a message, the same at every rank; that of a proxy with one more ring
    uint16_t GetId(uint32_t ring, uint32_t step) const
    {
        return static_cast<uint16_t>(ring * m_steps + step);
    }

    bool Crosses(uint32_t from, uint32_t to) const
    {
        return m_domains > 1 && from / m_perDomain != to / m_perDomain;
    }

    /// @return the rank of the sender's domain whose NIC sends from one rank to the other
    uint32_t GetProxy(uint32_t from, uint32_t to) const
    {
        return from - from % m_perDomain + to % m_perDomain;
    }

    /// @return the ring whose data this rank passes on between domains, or m_rings
    uint32_t FindRelayed() const
    {
        for (uint32_t ring = m_local; ring < m_rings; ring += m_perDomain)
        {
            const uint32_t last = GetLastPosition(ring);
            const uint32_t from = GetRank(ring, last);
            const uint32_t to = GetRank(ring, (last + 1) % m_size);
            if (Crosses(from, to) && from != m_part.index && GetProxy(from, to) == m_part.index)
            {
                return ring;
            }
        }
        return m_rings;
    }

    void AddReceive(CollectiveSchedule& schedule, uint32_t ring, uint32_t step) const
    {
        const uint32_t before = RingView(m_size, GetPosition(ring), 0).Upstream(1);
        const uint32_t from = GetRank(ring, before);
        ScheduledReceive receive{GetDeparture(ring, step, before), from, CONNECTOR_DIRECT};
        receive.action = GetRingStep(m_part.call.kind, m_size, step).action;
        if (Crosses(from, m_part.index))
        {
            receive.peer = GetProxy(from, m_part.index);
            receive.connector = GetDirection(ring) == 0 ? CONNECTOR_PREVIOUS : CONNECTOR_NEXT;
        }
        schedule.AddReceive(receive);
    }

    void AddSend(CollectiveSchedule& schedule, uint32_t ring, uint32_t step) const
    {
        const uint32_t position = GetPosition(ring);
        const uint32_t to = GetRank(ring, (position + 1) % m_size);
        ScheduledSend send{GetDeparture(ring, step, position),
                           to,
                           CONNECTOR_DIRECT,
                           GetId(ring, step)};
        if (Crosses(m_part.index, to) && GetProxy(m_part.index, to) != m_part.index)
        {
            send.peer = GetProxy(m_part.index, to);
            send.transferId = GetId(m_rings, step);
        }
        else if (Crosses(m_part.index, to))
        {
            send.connector = GetWayOut(ring);
        }
        std::vector<uint16_t> after;
        if (step > 0)
        {
            after.push_back(GetId(ring, step - 1));
        }
        schedule.AddSend(send, after);
    }

    void AddRelayedSend(CollectiveSchedule& schedule, uint32_t ring, uint32_t step) const
    {
        const uint32_t to = GetRank(ring, (GetLastPosition(ring) + 1) % m_size);
        schedule.AddSend({GetRelayedData(ring, step), to, GetWayOut(ring), GetId(ring, step)},
                         {GetId(m_rings, step)});
    }

    /// @return the connector on which a ring leaves a domain
    uint16_t GetWayOut(uint32_t ring) const
    {
        return GetDirection(ring) == 0 ? CONNECTOR_NEXT : CONNECTOR_PREVIOUS;
    }

    /// @return the range that is relayed from the last rank of the domain
    ByteRange GetRelayedData(uint32_t ring, uint32_t step) const
    {
        auto data = GetDeparture(ring, step, GetLastPosition(ring));
        data.offset += m_tensor; // scratch memory, see MakeLayout
        return data;
    }

    const RankContext& m_part;
    uint32_t m_size;
    uint32_t m_perDomain;
    uint32_t m_domains;
    uint32_t m_local;  //!< index of the rank in its domain
    uint32_t m_domain; //!< index of its domain
    uint32_t m_rings;
    uint32_t m_steps;
    uint64_t m_tensor;
};

/**
 * Rings over the NICs of all ranks, as the channels of NCCL are.
 *
 * Each ring (ChannelRings) has an equal part of the data and moves it as MakeRingSchedule does. So
 * each NIC carries 2 (N - 1) / N of its L-th of an AllReduce. Messages between domains are on the
 * connectors of a ring on each rail, so that circuits of those rings are enough, and all others on
 * connectors DIRECT.
 *
 * Ranges refer to the tensor with chunks in the order of ranks; relayed data is kept behind it.
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
        layout.bytes *= ChannelRings::HasRelays(part.shape) ? 2 : 1;
        return layout;
    }

  private:
    uint64_t GetMostReceives(CollectiveKind kind, const GroupShape& shape) const override
    {
        const uint64_t rings = shape.GetDomains() > 1 ? shape.perDomain * RING_DIRECTIONS : 1;
        return (rings + (ChannelRings::HasRelays(shape) ? 1 : 0)) * GetRingSteps(kind, shape.size);
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
        cost.overlap = 1;
        if (perDomain == 1)
        {
            cost.rounds = hops;
            cost.bytes = bytes;
            return cost;
        }
        if (part.shape.GetDomains() > 1)
        {
            cost.rounds = (hops + perDomain - 1) / perDomain; // whole numbers
            cost.bytes = bytes / perDomain;
        }
        // Data is relayed once on the way round, and in one direction by a domain.
        const bool hasRelays = ChannelRings::HasRelays(part.shape);
        const double relayed = hasRelays ? cost.bytes / part.directions : 0;
        cost.domainRounds = hops - cost.rounds + (hasRelays ? hops / (part.shape.size - 1) : 0);
        cost.domainBytes = bytes - cost.bytes + relayed;
        return cost;
    }
};

NS_OBJECT_ENSURE_REGISTERED(ChannelsAlgorithm);

} // namespace

} // namespace ns3
