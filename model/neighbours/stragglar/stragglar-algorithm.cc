// SPDX-License-Identifier: GPL-2.0-only

#include "stragglar-algorithm.h"

#include "stragglar-plan.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/collective-algorithm.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// A message of a round, by places.
struct RoundMessage
{
    /// Type of a message.
    enum Type : uint8_t
    {
        CALL,  //!< without data: the receiver may send its chunk
        CHUNK, //!< data
        REPLY, //!< without data: the chunk of the receiver has arrived
    };

    Type type{CHUNK};
    uint32_t from{0};
    uint32_t to{0};
    uint32_t chunk{0};  //!< of a CHUNK
    bool isSwap{false}; //!< both send what they have of this chunk
};

/// Goes through the rounds of a plan and lists their messages.
class StragglarRounds
{
  public:
    explicit StragglarRounds(const StragglarPlan& plan)
        : m_plan(plan),
          m_lastSend(plan.ranks, 0)
    {
        for (uint32_t round = 0; round < plan.rounds.size(); ++round)
        {
            for (const auto& meeting : plan.rounds[round])
            {
                m_lastSend[meeting.a] =
                    meeting.fromA == StragglarMeeting::NONE ? m_lastSend[meeting.a] : round;
                m_lastSend[meeting.b] =
                    meeting.fromB == StragglarMeeting::NONE ? m_lastSend[meeting.b] : round;
            }
        }
    }

    /// @return the messages of the next round; of a pair, calls come first and a reply last
    std::vector<RoundMessage> Next()
    {
        std::vector<RoundMessage> messages;
        for (const auto& meeting : m_plan.rounds[m_round])
        {
            const bool isSwap = m_round + 1 < m_plan.ranks && (meeting.a == m_plan.GetStraggler() ||
                                                               meeting.b == m_plan.GetStraggler());
            const auto add = [&](RoundMessage::Type type, uint32_t from, uint32_t to) {
                messages.push_back({type, from, to, 0, isSwap && type == RoundMessage::CHUNK});
            };
            constexpr uint32_t NONE = StragglarMeeting::NONE;
            const std::array<std::array<uint32_t, 3>, 2> ways{
                {{meeting.a, meeting.b, meeting.fromA}, {meeting.b, meeting.a, meeting.fromB}}};
            for (const auto& [from, to, chunk] : ways)
            {
                if (chunk != NONE)
                {
                    add(RoundMessage::CALL, to, from);
                }
            }
            for (const auto& [from, to, chunk] : ways)
            {
                if (chunk != NONE)
                {
                    add(RoundMessage::CHUNK, from, to);
                    messages.back().chunk = chunk;
                }
            }
            if (meeting.fromB == NONE && m_lastSend[meeting.a] > m_round)
            {
                add(RoundMessage::REPLY, meeting.b, meeting.a);
            }
            if (meeting.fromA == NONE && m_lastSend[meeting.b] > m_round)
            {
                add(RoundMessage::REPLY, meeting.a, meeting.b);
            }
        }
        ++m_round;
        return messages;
    }

  private:
    const StragglarPlan& m_plan;
    uint32_t m_round{0};
    std::vector<uint32_t> m_lastSend; //!< round of the last chunk of each place
};

/// Makes the schedule of one rank.
class StragglarBuilder
{
  public:
    StragglarBuilder(const RankContext& part, const StragglarPlan& plan)
        : m_part(part),
          m_plan(plan),
          m_own(GetPlace(part.index)),
          m_receives(plan.ranks, 0)
    {
    }

    CollectiveSchedule Build()
    {
        AddReduceScatter();
        StragglarRounds rounds(m_plan);
        for (uint32_t round = 0; round < m_plan.rounds.size(); ++round)
        {
            std::vector<uint16_t> received; // in this round so far
            std::vector<uint16_t> calls;    // of these
            for (const auto& message : rounds.Next())
            {
                const auto id = static_cast<uint16_t>(m_receives[message.to]++);
                if (message.to == m_own)
                {
                    Receive(message, id);
                    received.push_back(id);
                    calls = message.type == RoundMessage::CALL ? received : calls;
                }
                else if (message.from == m_own)
                {
                    Send(message, id, message.type == RoundMessage::CHUNK ? calls : received);
                }
            }
            if (!received.empty())
            {
                m_received = std::move(received);
            }
        }
        return std::move(m_schedule);
    }

  private:
    /// @return the place of a rank of the group
    uint32_t GetPlace(uint32_t index) const
    {
        if (index == m_part.root)
        {
            return m_plan.GetStraggler();
        }
        return index < m_part.root ? index : index - 1;
    }

    /// @return the rank of the group at a place
    uint32_t GetIndex(uint32_t place) const
    {
        if (place == m_plan.GetStraggler())
        {
            return m_part.root;
        }
        return place < m_part.root ? place : place + 1;
    }

    ByteRange GetChunk(uint32_t chunk) const
    {
        return SplitEvenly({0, m_part.call.bytes}, m_plan.ranks - 1, chunk);
    }

    /// Round the ring of the others, as MakeRingSchedule does in one direction, on direct
    /// connectors.
    void AddReduceScatter()
    {
        const uint32_t others = m_plan.ranks - 1;
        const uint32_t steps = others - 1;
        std::fill(m_receives.begin(), m_receives.end() - 1, steps);
        if (m_own == m_plan.GetStraggler())
        {
            return;
        }
        const auto upstream = [&](uint32_t hops) { return (m_own + others - hops) % others; };
        for (uint32_t step = 0; step < steps; ++step)
        {
            m_schedule.AddSend({GetChunk(upstream(step + 1)),
                                GetIndex((m_own + 1) % others),
                                CONNECTOR_DIRECT,
                                static_cast<uint16_t>(step)},
                               m_partial);
            m_partial = {m_schedule.AddReceive({GetChunk(upstream((step + 2) % others)),
                                                GetIndex(upstream(1)),
                                                CONNECTOR_DIRECT,
                                                Action::REDUCE})};
        }
        m_received = m_partial;
    }

    void Receive(const RoundMessage& message, uint16_t id)
    {
        const bool isChunk = message.type == RoundMessage::CHUNK;
        const uint16_t given =
            m_schedule.AddReceive({isChunk ? GetChunk(message.chunk) : ByteRange{},
                                   GetIndex(message.from),
                                   CONNECTOR_DIRECT,
                                   message.isSwap ? Action::SWAP : Action::COPY});
        NS_ASSERT_MSG(given == id, "receives are not numbered alike");
        if (isChunk)
        {
            m_sources[message.chunk].push_back(id);
        }
    }

    /**
     * Add a message that this rank sends.
     * @param message the message
     * @param id its transfer id at the receiver
     * @param answered receives of this round that the send answers: a call, or a call and the
     * chunk to which a reply answers
     */
    void Send(const RoundMessage& message, uint16_t id, const std::vector<uint16_t>& answered)
    {
        ScheduledSend send{{}, GetIndex(message.to), CONNECTOR_DIRECT, id};
        std::vector<uint16_t> after = m_received;
        if (message.type != RoundMessage::CALL)
        {
            after.insert(after.end(), answered.begin(), answered.end());
        }
        if (message.type == RoundMessage::CHUNK)
        {
            send.data = GetChunk(message.chunk);
            if (message.isSwap)
            {
                const bool isPartial = m_own != m_plan.GetStraggler();
                after.insert(after.end(),
                             m_partial.begin(),
                             isPartial ? m_partial.end() : m_partial.begin());
                Sort(after);
                // The chunk is complete when it has come and the own part of it has gone.
                auto& sources = m_sources[message.chunk];
                sources.insert(sources.end(), after.begin(), after.end());
            }
            else
            {
                const auto& sources = m_sources[message.chunk];
                after.insert(after.end(), sources.begin(), sources.end());
            }
        }
        Sort(after);
        m_schedule.AddSend(send, after);
    }

    /// Each id once, in order.
    static void Sort(std::vector<uint16_t>& ids)
    {
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    }

    const RankContext& m_part;
    const StragglarPlan& m_plan;
    uint32_t m_own;                   //!< place of this rank
    std::vector<uint32_t> m_receives; //!< of all places so far
    std::vector<uint16_t> m_received; //!< in the last round in which anything was
    std::vector<uint16_t> m_partial;  //!< what completes the own partial chunk
    std::map<uint32_t, std::vector<uint16_t>> m_sources; //!< what a complete chunk waits for
    CollectiveSchedule m_schedule;
};

/// @return the one with more messages, or more chunks if there are as many
StragglarChain
GetLonger(const StragglarChain& a, const StragglarChain& b)
{
    const bool first =
        std::make_pair(a.GetMessages(), a.chunks) >= std::make_pair(b.GetMessages(), b.chunks);
    return first ? a : b;
}

} // namespace

CollectiveSchedule
MakeStragglarSchedule(const RankContext& part)
{
    NS_ABORT_MSG_UNLESS(part.call.kind == CollectiveKind::ALL_REDUCE,
                        ToString(part.call.kind) << " knows no straggler");
    NS_ASSERT_MSG(part.index < part.shape.size && part.root < part.shape.size, "no such rank");
    if (part.shape.size == 1)
    {
        return {};
    }
    const auto plan = GetStragglarPlan(part.shape.size);
    return StragglarBuilder(part, *plan).Build();
}

StragglarChain
GetStragglarChain(uint32_t ranks, uint32_t scatter)
{
    const auto plan = GetStragglarPlan(ranks);
    StragglarRounds rounds(*plan);
    // The longest chains: by place, up to what came in the last round in which anything did, and up
    // to when a chunk is complete there. A call waits for no other of its round.
    std::vector<StragglarChain> chain(ranks, {scatter, 0});
    chain[plan->GetStraggler()] = {};
    std::vector<std::vector<StragglarChain>> complete(ranks,
                                                      std::vector<StragglarChain>(ranks - 1));
    StragglarChain longest;
    for (std::size_t round = 0; round < plan->rounds.size(); ++round)
    {
        std::vector<StragglarChain> received(ranks);
        std::vector<StragglarChain> called(ranks);
        for (const auto& message : rounds.Next())
        {
            auto before = chain[message.from];
            if (message.type != RoundMessage::CALL)
            {
                const bool isReply = message.type == RoundMessage::REPLY;
                before = GetLonger(before, (isReply ? received : called)[message.from]);
            }
            const bool isChunk = message.type == RoundMessage::CHUNK;
            auto& own = complete[message.from][isChunk ? message.chunk : 0];
            if (isChunk && message.isSwap)
            {
                own = GetLonger(own, before);
            }
            else if (isChunk)
            {
                before = GetLonger(before, own);
            }
            auto after = before;
            ++(isChunk ? after.chunks : after.calls);
            received[message.to] = GetLonger(received[message.to], after);
            longest = GetLonger(longest, after);
            if (message.type == RoundMessage::CALL)
            {
                called[message.to] = after;
            }
            if (isChunk)
            {
                auto& theirs = complete[message.to][message.chunk];
                theirs = GetLonger(theirs, after);
            }
        }
        for (uint32_t place = 0; place < ranks; ++place)
        {
            chain[place] = received[place].GetMessages() > 0 ? received[place] : chain[place];
        }
    }
    return longest;
}

double
StragglarCost::GetSeconds(const AlphaBeta& network, double callAlpha, double delay) const
{
    return std::max(delay, scatter.GetSeconds(network)) + rounds.GetSeconds(network) +
           calls * callAlpha;
}

CollectiveCost
GetStragglarScatter(const RankContext& part)
{
    const double steps = part.shape.size - 2;
    const double chunk = static_cast<double>(part.call.bytes) / (part.shape.size - 1);
    return {steps, steps * chunk};
}

StragglarCost
GetStragglarCost(const RankContext& part)
{
    const double chunk = static_cast<double>(part.call.bytes) / (part.shape.size - 1);
    const auto rounds = static_cast<double>(GetStragglarPlan(part.shape.size)->rounds.size());
    StragglarCost cost;
    cost.scatter = GetStragglarScatter(part);
    const auto chain = GetStragglarChain(part.shape.size, 0);
    cost.rounds.rounds = chain.chunks;
    cost.calls = chain.calls;
    cost.rounds.bytes = rounds * chunk;
    return cost;
}

namespace
{

/// AllReduce for a rank that is late, which the call names; see MakeStragglarSchedule.
class StragglarAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::StragglarAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<StragglarAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "stragglar";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_REDUCE;
    }

    bool NeedsRoot() const override
    {
        return true;
    }

  private:
    std::string DoCheck(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return shape.size == 1 ? "" : CheckStragglarRanks(shape.size);
    }

    uint64_t GetMostReceives(CollectiveKind /* kind */,
                             const GroupShape& /* shape */) const override
    {
        return 0; // the number of ranks is limited
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        return MakeStragglarSchedule(part);
    }

    std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind /* kind */,
                                                       const GroupShape& shape,
                                                       uint32_t index) const override
    {
        // The straggler meets every rank, and any rank may be late.
        std::vector<CollectiveConnectorId> connectors;
        for (uint32_t peer = 0; peer < shape.size; ++peer)
        {
            if (peer != index)
            {
                connectors.push_back({peer, CONNECTOR_DIRECT});
            }
        }
        return connectors;
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const auto cost = GetStragglarCost(part);
        const auto chain = GetStragglarChain(part.shape.size, part.shape.size - 2);
        return {static_cast<double>(chain.GetMessages()), cost.scatter.bytes + cost.rounds.bytes};
    }
};

NS_OBJECT_ENSURE_REGISTERED(StragglarAlgorithm);

} // namespace

} // namespace ns3
