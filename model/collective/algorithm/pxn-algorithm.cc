// SPDX-License-Identifier: GPL-2.0-only

#include "all-to-all-blocks.h"
#include "collective-algorithm.h"
#include "tournament.h"

#include <set>
#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// Where blocks lie on one rank.
class PxnBuffer
{
  public:
    explicit PxnBuffer(const RankContext& part)
        : m_blocks(part),
          m_size(part.shape.size),
          m_perDomain(part.shape.perDomain),
          m_domains(part.shape.GetDomains()),
          m_index(part.index),
          m_domain(part.index / m_perDomain),
          m_local(part.index % m_perDomain),
          m_relays(m_size),
          m_own(m_size),
          m_output(m_size)
    {
        for (uint32_t domain = 0; domain < m_domains; ++domain)
        {
            const uint32_t to = domain * m_perDomain + m_local;
            for (uint32_t local = 0; domain != m_domain && local < m_perDomain; ++local)
            {
                const uint32_t from = m_domain * m_perDomain + local;
                m_relays[domain * m_perDomain + local] = m_buffer.Allocate(m_blocks.Get(from, to));
            }
            m_own[to] = m_relays[to];
        }
        for (uint32_t to = 0; to < m_size; ++to)
        {
            if (to % m_perDomain != m_local)
            {
                m_own[to] = m_buffer.Allocate(m_blocks.Get(m_index, to));
            }
        }
        m_own[m_index] = m_buffer.Allocate(m_blocks.Get(m_index, m_index));
        for (uint32_t from = 0; from < m_size; ++from)
        {
            m_output[from] =
                from == m_index ? m_own[m_index] : m_buffer.Allocate(m_blocks.Get(from, m_index));
        }
    }

    /// @return the block of this rank for another
    const ByteRange& GetOwn(uint32_t to) const
    {
        return m_own[to];
    }

    /// @return the block of a local rank that this one relays to a domain
    const ByteRange& GetRelay(uint32_t domain, uint32_t local) const
    {
        return m_relays[domain * m_perDomain + local];
    }

    /// @return all that this rank sends to a domain
    ByteRange GetDeparture(uint32_t domain) const
    {
        return Join(m_relays[domain * m_perDomain], m_relays[(domain + 1) * m_perDomain - 1]);
    }

    /// @return the block of a rank for this one
    const ByteRange& GetOutput(uint32_t from) const
    {
        return m_output[from];
    }

    /// @return all that this rank receives from a domain
    ByteRange GetArrival(uint32_t domain) const
    {
        return Join(m_output[domain * m_perDomain], m_output[(domain + 1) * m_perDomain - 1]);
    }

    CollectiveLayout GetLayout() const
    {
        const auto inputs = m_blocks.GetInputOffsets(m_index);
        const auto outputs = m_blocks.GetOutputOffsets(m_index);
        CollectiveLayout layout;
        layout.bytes = m_buffer.bytes;
        for (uint32_t rank = 0; rank < m_size; ++rank)
        {
            layout.input.push_back({m_own[rank], inputs[rank]});
            layout.output.push_back({m_output[rank], outputs[rank]});
        }
        return layout;
    }

  private:
    static ByteRange Join(const ByteRange& first, const ByteRange& last)
    {
        return {first.offset, last.offset + last.bytes - first.offset};
    }

    AllToAllBlocks m_blocks;
    uint32_t m_size;
    uint32_t m_perDomain;
    uint32_t m_domains;
    uint32_t m_index;
    uint32_t m_domain;
    uint32_t m_local;
    BlockBuffer m_buffer;
    std::vector<ByteRange> m_relays; //!< by domain of the destination and local rank of the source
    std::vector<ByteRange> m_own;    //!< by destination
    std::vector<ByteRange> m_output; //!< by source
};

/**
 * AllToAll and AllToAllv that change rails inside the scale-up domain: PXN, "PCI x NVLink", of NCCL
 * 2.12. In the group ranks are ordered by domain.
 *
 * The block of a rank for local rank l of another domain goes to local rank l of its own domain.
 * That relay puts the blocks of all ranks of the domain for the same destination together, and
 * sends them along its rail in one message. Traffic between domains therefore never leaves its
 * rail, and each rank has D - 1 messages between domains instead of (D - 1) L. Blocks inside the
 * domain need no relay, and a relay's own blocks are part of its messages.
 *
 * All messages take connectors DIRECT. A message along the rail waits for its L - 1 blocks only. A
 * rank sends D (L - 1) messages inside its domain, those for the following domain first.
 *
 * Where circuits are lent to pairs, all messages belong to rounds (Tournament): first those of the
 * pairs inside a domain, which need no circuits, then those of the pairs of domains, in which every
 * rank exchanges one message with its counterpart on its rail. Every second call of a group takes
 * the latter in reverse.
 *
 * **Buffer.** For each other domain, in their order, the message along the rail: one block of each
 * local rank, in their order. Then the blocks of the rank for all that are not on its rail,
 * in the order of ranks, then its block for itself, then the output in the order of ranks, without
 * that block.
 */
class PxnAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PxnAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<PxnAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "pxn";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_TO_ALL;
    }

    bool NeedsDomains() const override
    {
        return true;
    }

    bool HasRounds(CollectiveKind /* kind */) const override
    {
        return true;
    }

    CollectiveLayout MakeLayout(const RankContext& part) const override
    {
        return PxnBuffer(part).GetLayout();
    }

  private:
    uint64_t GetMostReceives(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return uint64_t{shape.GetDomains()} * shape.perDomain - 1;
    }

    /// A round of a rank: the other rank of its pair, as an index in the domain or of a domain.
    struct PxnRound
    {
        uint32_t number{0}; //!< of the round
        uint32_t peer{0};   //!< the other one
        uint32_t theirs{0}; //!< rounds of the peer before, without those in which it rests
    };

    /// @return the rounds in which a player of a tournament has a peer
    static std::vector<PxnRound> MakeRounds(uint32_t players, uint32_t player, bool isReversed)
    {
        const Tournament tournament(players);
        const uint32_t count = tournament.GetRounds();
        std::vector<PxnRound> rounds;
        std::vector<uint32_t> played(players, 0);
        for (uint32_t number = 0; number < count; ++number)
        {
            const uint32_t place = isReversed ? count - 1 - number : number;
            if (const auto peer = tournament.FindPeer(player, place))
            {
                rounds.push_back({number, *peer, played[*peer]});
            }
            for (uint32_t one = 0; one < players; ++one)
            {
                played[one] += tournament.FindPeer(one, place) ? 1 : 0;
            }
        }
        return rounds;
    }

    /// @return the schedule in rounds of pairs
    static CollectiveSchedule MakeInRounds(const RankContext& part)
    {
        const uint32_t perDomain = part.shape.perDomain;
        const uint32_t domains = part.shape.GetDomains();
        const uint32_t domain = part.index / perDomain;
        const uint32_t local = part.index % perDomain;
        const PxnBuffer buffer(part);
        CollectiveSchedule schedule;
        std::vector<std::vector<uint16_t>> relayed(domains); // receives, by domain of destination
        std::vector<uint16_t> before;                        // receives of the round before
        for (const auto& round : MakeRounds(perDomain, local, false))
        {
            const uint32_t peer = domain * perDomain + round.peer;
            schedule.BeginRound(round.number, peer);
            std::vector<uint16_t> received;
            for (uint32_t to = 0; to < domains; ++to)
            {
                const auto& data =
                    to == domain ? buffer.GetOutput(peer) : buffer.GetRelay(to, round.peer);
                received.push_back(
                    schedule.AddReceive({data, peer, CONNECTOR_DIRECT, Action::COPY}));
                relayed[to].push_back(received.back());
                const auto& own = buffer.GetOwn(to * perDomain + round.peer);
                const auto id = static_cast<uint16_t>(round.theirs * domains + to);
                schedule.AddSend({own, peer, CONNECTOR_DIRECT, id}, before);
            }
            before = received;
        }
        const uint32_t inside = Tournament(perDomain).GetRounds();
        for (const auto& round : MakeRounds(domains, domain, part.sequence % 2 == 1))
        {
            const uint32_t peer = round.peer * perDomain + local;
            schedule.BeginRound(inside + round.number, peer);
            std::set<uint16_t> after(before.begin(), before.end());
            after.insert(relayed[round.peer].begin(), relayed[round.peer].end());
            before = {schedule.AddReceive(
                {buffer.GetArrival(round.peer), peer, CONNECTOR_DIRECT, Action::COPY})};
            const auto id = static_cast<uint16_t>((perDomain - 1) * domains + round.theirs);
            schedule.AddSend({buffer.GetDeparture(round.peer), peer, CONNECTOR_DIRECT, id},
                             {after.begin(), after.end()});
        }
        return schedule;
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        if (part.terms.lendsPairs)
        {
            return MakeInRounds(part);
        }
        const uint32_t perDomain = part.shape.perDomain;
        const uint32_t domains = part.shape.GetDomains();
        const uint32_t domain = part.index / perDomain;
        const uint32_t local = part.index % perDomain;
        const PxnBuffer buffer(part);

        // Receives are numbered alike on all ranks: first by how far the domain of the destination
        // is, the own one last, and by how far the local source is; then those along the rail.
        CollectiveSchedule schedule;
        for (uint32_t ahead = 1; ahead <= domains; ++ahead)
        {
            const uint32_t to = (domain + ahead) % domains;
            for (uint32_t k = 1; k < perDomain; ++k)
            {
                const uint32_t source = (local + perDomain - k) % perDomain;
                const uint32_t rank = domain * perDomain + source;
                const auto& data =
                    to == domain ? buffer.GetOutput(rank) : buffer.GetRelay(to, source);
                schedule.AddReceive({data, rank, CONNECTOR_DIRECT, Action::COPY});
            }
        }
        const auto rails = static_cast<uint32_t>(schedule.GetReceives().size());
        for (uint32_t ahead = 1; ahead < domains; ++ahead)
        {
            const uint32_t from = (domain + domains - ahead) % domains;
            schedule.AddReceive({buffer.GetArrival(from),
                                 from * perDomain + local,
                                 CONNECTOR_DIRECT,
                                 Action::COPY});
        }

        for (uint32_t ahead = 1; ahead <= domains; ++ahead)
        {
            const uint32_t to = (domain + ahead) % domains;
            std::vector<uint16_t> relayed;
            for (uint32_t k = 1; k < perDomain; ++k)
            {
                const uint32_t relay = (local + k) % perDomain;
                const auto id = static_cast<uint16_t>((ahead - 1) * (perDomain - 1) + k - 1);
                relayed.push_back(id);
                schedule.AddSend({buffer.GetOwn(to * perDomain + relay),
                                  domain * perDomain + relay,
                                  CONNECTOR_DIRECT,
                                  id});
            }
            if (to != domain)
            {
                const auto id = static_cast<uint16_t>(rails + ahead - 1);
                schedule.AddSend(
                    {buffer.GetDeparture(to), to * perDomain + local, CONNECTOR_DIRECT, id},
                    relayed);
            }
        }
        return schedule;
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const double perDomain = part.shape.perDomain;
        const double domains = part.shape.GetDomains();
        const double tensor = part.GetTensor();
        if (part.terms.lendsPairs)
        {
            const double rounds = Tournament(part.shape.GetDomains()).GetRounds();
            CollectiveCost cost{rounds,
                                tensor * rounds / domains,
                                static_cast<double>(Tournament(part.shape.perDomain).GetRounds()),
                                tensor * (perDomain - 1) / perDomain};
            // Two domains have the circuits of the group's rings in their only round.
            cost.switches = rounds > 1 ? rounds : 0;
            return cost;
        }
        return {domains > 1 ? 1.0 : 0.0,
                tensor * (domains - 1) / domains,
                perDomain > 1 ? 1.0 : 0.0,
                tensor * (perDomain - 1) / perDomain};
    }
};

NS_OBJECT_ENSURE_REGISTERED(PxnAlgorithm);

} // namespace

} // namespace ns3
