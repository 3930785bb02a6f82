// SPDX-License-Identifier: GPL-2.0-only

#include "schedule-check.h"

#include "ns3/abort.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

using Schedules = std::vector<CollectiveSchedule>;

/// @return "rank 3"
std::string
NameRank(uint32_t rank)
{
    return "rank " + std::to_string(rank);
}

/// @return the name of a kind of connector in schedules
std::string
NameConnector(uint16_t connector)
{
    static const std::vector<std::string> names{"NEXT", "PREVIOUS", "DIRECT"};
    return connector < names.size() ? names[connector] : "connector " + std::to_string(connector);
}

/**
 * @param schedules of all ranks
 * @param buffer bytes of the buffer of a rank
 * @param rank the rank
 * @param message that the rank sends or receives
 * @param verb sends or receives
 * @param preposition to or from
 * @return an empty string, or the reason why a rank cannot have a message with its peer or in its
 * buffer
 */
template <typename Message>
std::string
CheckPeerAndRange(const Schedules& schedules,
                  uint64_t buffer,
                  uint32_t rank,
                  const Message& message,
                  const char* verb,
                  const char* preposition)
{
    const auto& [offset, bytes] = message.data;
    const bool isPeer = message.peer < schedules.size() && message.peer != rank;
    if (isPeer && bytes <= buffer && offset <= buffer - bytes)
    {
        return "";
    }
    const std::string what = NameRank(rank) + " " + verb + " ";
    if (!isPeer)
    {
        return what + preposition + " rank " + std::to_string(message.peer) +
               (message.peer == rank
                    ? ", which is itself"
                    : ", but the group has ranks 0 to " + std::to_string(schedules.size() - 1));
    }
    return what + "bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes) +
           " of a buffer of " + std::to_string(buffer) + " bytes";
}

/// @return an empty string, or the error in a message that has nothing to do with other ranks
std::string
CheckAlone(const Schedules& schedules, uint64_t buffer, uint32_t rank)
{
    const auto& schedule = schedules[rank];
    const auto receives = schedule.GetReceives().size();
    for (const auto& send : schedule.GetSends())
    {
        auto error = CheckPeerAndRange(schedules, buffer, rank, send, "sends", "to");
        for (const uint16_t id : schedule.GetAfter(send))
        {
            if (id >= receives && error.empty())
            {
                error = NameRank(rank) + " sends to rank " + std::to_string(send.peer) +
                        " after its receive " + std::to_string(id) + ", but it has " +
                        std::to_string(receives) + " receives, from 0 on";
            }
        }
        if (!error.empty())
        {
            return error;
        }
    }
    for (const auto& receive : schedule.GetReceives())
    {
        auto error = CheckPeerAndRange(schedules, buffer, rank, receive, "receives", "from");
        if (!error.empty())
        {
            return error;
        }
    }
    return "";
}

/// @return an empty string, or two ranks of which one sends more or less than the other receives
std::string
CheckCounts(const Schedules& schedules)
{
    std::map<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>> counts;
    for (uint32_t rank = 0; rank < schedules.size(); ++rank)
    {
        for (const auto& send : schedules[rank].GetSends())
        {
            ++counts[{rank, send.peer}].first;
        }
        for (const auto& receive : schedules[rank].GetReceives())
        {
            ++counts[{receive.peer, rank}].second;
        }
    }
    for (const auto& [ranks, count] : counts)
    {
        if (count.first != count.second)
        {
            return NameRank(ranks.first) + " sends " + std::to_string(count.first) +
                   " messages to rank " + std::to_string(ranks.second) + ", which receives " +
                   std::to_string(count.second) + " from it: a " +
                   (count.first > count.second ? "receive" : "send") + " is missing";
        }
    }
    return "";
}

/// @return an empty string, or the difference between a send and its receive
std::string
CheckPair(const Schedules& schedules, uint32_t rank, const ScheduledSend& send)
{
    const auto& receives = schedules[send.peer].GetReceives();
    const std::string id = std::to_string(send.transferId);
    const std::string what = NameRank(rank) + " sends transfer id " + id + " to rank " +
                             std::to_string(send.peer) + ", ";
    if (send.transferId >= receives.size())
    {
        return what + "which has " + std::to_string(receives.size()) + " receives, from 0 on";
    }
    const auto& receive = receives[send.transferId];
    if (receive.peer != rank)
    {
        return what + "which receives that message from rank " + std::to_string(receive.peer);
    }
    if (receive.data.bytes != send.data.bytes)
    {
        return what + std::to_string(send.data.bytes) + " bytes, but " +
               std::to_string(receive.data.bytes) + " are to be received";
    }
    if (receive.connector != GetOtherEnd(send.connector))
    {
        return what + "on " + NameConnector(send.connector) + ", but it is to be received on " +
               NameConnector(receive.connector) + ", not on the other end " +
               NameConnector(GetOtherEnd(send.connector));
    }
    return "";
}

/// A send: the rank and its place among the sends of the rank.
using SendId = std::pair<uint32_t, uint32_t>;

/// Carries out schedules that fit together, as far as they do not wait in a circle.
class CircleSearch
{
  public:
    explicit CircleSearch(const Schedules& schedules)
        : m_schedules(schedules)
    {
        for (const auto& schedule : schedules)
        {
            m_senders.emplace_back(schedule.GetReceives().size());
            m_waiters.emplace_back(schedule.GetReceives().size());
            m_arrived.emplace_back(schedule.GetReceives().size(), false);
        }
        for (uint32_t rank = 0; rank < schedules.size(); ++rank)
        {
            const auto& sends = schedules[rank].GetSends();
            for (uint32_t i = 0; i < sends.size(); ++i)
            {
                m_senders[sends[i].peer][sends[i].transferId] = {rank, i};
                m_missing[{rank, i}] = sends[i].afterCount;
                for (const uint16_t id : schedules[rank].GetAfter(sends[i]))
                {
                    m_waiters[rank][id].emplace_back(rank, i);
                }
            }
        }
    }

    /// @return an empty string, or the ranks of a circle
    std::string Run()
    {
        std::vector<SendId> ready;
        for (const auto& [send, missing] : m_missing)
        {
            if (missing == 0)
            {
                ready.push_back(send);
            }
        }
        while (!ready.empty())
        {
            const ScheduledSend& send = Get(ready.back());
            m_missing.erase(ready.back());
            ready.pop_back();
            m_arrived[send.peer][send.transferId] = true;
            for (const SendId& waiter : m_waiters[send.peer][send.transferId])
            {
                if (--m_missing[waiter] == 0)
                {
                    ready.push_back(waiter);
                }
            }
        }
        return m_missing.empty() ? "" : Describe(m_missing.begin()->first);
    }

  private:
    const ScheduledSend& Get(const SendId& send) const
    {
        return m_schedules[send.first].GetSends()[send.second];
    }

    /// @return a send for whose message a send waits
    SendId GetCause(const SendId& send) const
    {
        const auto after = m_schedules[send.first].GetAfter(Get(send));
        const auto late = std::find_if(after.begin(), after.end(), [this, &send](uint16_t id) {
            return !m_arrived[send.first][id];
        });
        return m_senders[send.first][*late];
    }

    /// @return the circle to which a send leads that never starts
    std::string Describe(SendId send) const
    {
        std::vector<SendId> way;
        while (std::find(way.begin(), way.end(), send) == way.end())
        {
            way.push_back(send);
            send = GetCause(send);
        }
        way.erase(way.begin(), std::find(way.begin(), way.end(), send));
        std::string text;
        for (const SendId& waiting : way)
        {
            text += (text.empty() ? "ranks wait for each other in a circle: rank " : "; rank ") +
                    std::to_string(waiting.first) + " sends to rank " +
                    std::to_string(Get(waiting).peer) + " only after a message from rank " +
                    std::to_string(GetCause(waiting).first);
        }
        return text;
    }

    const Schedules& m_schedules;
    std::vector<std::vector<SendId>> m_senders;              //!< by receiver and transfer id
    std::vector<std::vector<std::vector<SendId>>> m_waiters; //!< by receiver and transfer id
    std::vector<std::vector<bool>> m_arrived;                //!< by receiver and transfer id
    std::map<SendId, uint32_t> m_missing; //!< receives for which sends wait that have not started
};

/// @return an empty string, or two sends for one receive
std::string
CheckOnce(const Schedules& schedules)
{
    std::vector<std::vector<bool>> isTaken;
    for (const auto& schedule : schedules)
    {
        isTaken.emplace_back(schedule.GetReceives().size(), false);
    }
    for (uint32_t rank = 0; rank < schedules.size(); ++rank)
    {
        for (const auto& send : schedules[rank].GetSends())
        {
            if (isTaken[send.peer][send.transferId])
            {
                return NameRank(rank) + " sends transfer id " + std::to_string(send.transferId) +
                       " to rank " + std::to_string(send.peer) + " twice";
            }
            isTaken[send.peer][send.transferId] = true;
        }
    }
    return "";
}

/// @return the round of each message of a rank, by the index of the message
std::vector<const ScheduledRound*>
ListRounds(const CollectiveSchedule& schedule,
           std::size_t messages,
           uint32_t ScheduledRound::*first)
{
    std::vector<const ScheduledRound*> rounds(messages, nullptr);
    for (const auto& round : schedule.GetRounds())
    {
        std::fill(rounds.begin() + round.*first, rounds.end(), &round);
    }
    return rounds;
}

/// @return "rank 3 in round 2"
std::string
NameRound(uint32_t rank, const ScheduledRound* round)
{
    return NameRank(rank) + (round ? " in round " + std::to_string(round->number) : " in no round");
}

/**
 * @brief Rounds of the same number are a matching, messages are in the round of their peer, at both
 * ends, and none waits for a later round.
 * @return an empty string, or the first error
 */
std::string
CheckRounds(const Schedules& schedules)
{
    using Rounds = std::vector<const ScheduledRound*>;
    std::vector<Rounds> ofReceives;
    for (const auto& schedule : schedules)
    {
        ofReceives.push_back(
            ListRounds(schedule, schedule.GetReceives().size(), &ScheduledRound::firstReceive));
    }
    for (uint32_t rank = 0; rank < schedules.size(); ++rank)
    {
        const auto& schedule = schedules[rank];
        const auto& sends = schedule.GetSends();
        const Rounds ofSends = ListRounds(schedule, sends.size(), &ScheduledRound::firstSend);
        for (std::size_t i = 0; i < sends.size(); ++i)
        {
            const ScheduledSend& send = sends[i];
            const ScheduledRound* here = ofSends[i];
            const ScheduledRound* there = ofReceives[send.peer][send.transferId];
            const bool isAlike = here && there ? here->number == there->number : here == there;
            if (!isAlike)
            {
                return NameRound(rank, here) + " sends a message to " + NameRound(send.peer, there);
            }
            if (here && (here->peer != send.peer || there->peer != rank))
            {
                return NameRound(rank, here) + " sends to rank " + std::to_string(send.peer) +
                       ", but the round is with rank " +
                       std::to_string(here->peer != send.peer ? here->peer : there->peer);
            }
            for (const uint16_t id : schedule.GetAfter(send))
            {
                const ScheduledRound* cause = ofReceives[rank][id];
                if (here && cause->number > here->number)
                {
                    return NameRound(rank, here) + " sends a message after one of round " +
                           std::to_string(cause->number);
                }
            }
        }
    }
    return "";
}

/// @return a part of the input of a rank
ScheduleReplay::Buffer
MakeRun(uint32_t ranks, uint64_t place, uint64_t bytes)
{
    ScheduleReplay::Buffer run(bytes);
    for (auto& byte : run)
    {
        byte = {ranks, static_cast<uint32_t>(place++)};
    }
    return run;
}

/// @return the place of the block of an AllToAll in the input of its source
uint64_t
GetBlockPlace(const RankContext& part, uint32_t from, uint32_t to)
{
    const auto& call = part.call;
    uint64_t place = 0;
    for (uint32_t i = 0; i < to; ++i)
    {
        place += call.sizes ? call.sizes->GetBytes(from, i)
                            : SplitEvenly({0, call.bytes}, part.shape.size, i).bytes;
    }
    return place;
}

/// @return the input of a rank by MPI's definition
ScheduleReplay::Buffer
MakeInput(const RankContext& part, uint32_t rank)
{
    uint64_t bytes = part.call.bytes;
    if (part.call.kind == CollectiveKind::ALL_TO_ALL)
    {
        bytes = GetBlockPlace(part, rank, part.shape.size);
    }
    if (part.call.kind == CollectiveKind::BROADCAST && rank != part.root)
    {
        bytes = 0;
    }
    return MakeRun(1U << rank, 0, bytes);
}

/// @return the output of a rank by MPI's definition
ScheduleReplay::Buffer
MakeOutput(const RankContext& part, uint32_t rank)
{
    const uint32_t size = part.shape.size;
    const uint64_t bytes = part.call.bytes;
    const uint32_t all = static_cast<uint32_t>((uint64_t{1} << size) - 1);
    switch (part.call.kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return MakeRun(all, 0, bytes);
    case CollectiveKind::REDUCE:
        return MakeRun(all, 0, rank == part.root ? bytes : 0);
    case CollectiveKind::BROADCAST:
        return MakeRun(1U << part.root, 0, bytes);
    case CollectiveKind::REDUCE_SCATTER: {
        const auto chunk = SplitEvenly({0, bytes}, size, rank);
        return MakeRun(all, chunk.offset, chunk.bytes);
    }
    default: {
        ScheduleReplay::Buffer output;
        for (uint32_t from = 0; from < size; ++from)
        {
            const bool gather = part.call.kind == CollectiveKind::ALL_GATHER;
            const uint64_t begin = gather ? 0 : GetBlockPlace(part, from, rank);
            const uint64_t end = gather ? bytes : GetBlockPlace(part, from, rank + 1);
            const auto block = MakeRun(1U << from, begin, end - begin);
            output.insert(output.end(), block.begin(), block.end());
        }
        return output;
    }
    }
}

/// @return true if a segment of a layout lies in a buffer and in an input or output
bool
IsInside(const LayoutSegment& segment, uint64_t buffer, uint64_t data)
{
    const uint64_t bytes = segment.buffer.bytes;
    return bytes <= data && segment.offset <= data - bytes && bytes <= buffer &&
           segment.buffer.offset <= buffer - bytes;
}

} // namespace

std::string
CheckSchedulesFit(const std::vector<CollectiveSchedule>& schedules,
                  const std::vector<uint64_t>& buffers)
{
    NS_ABORT_MSG_UNLESS(schedules.size() == buffers.size(), "a buffer for each rank is needed");
    std::string error;
    for (uint32_t rank = 0; rank < schedules.size() && error.empty(); ++rank)
    {
        error = CheckAlone(schedules, buffers[rank], rank);
    }
    error = error.empty() ? CheckCounts(schedules) : error;
    for (uint32_t rank = 0; rank < schedules.size(); ++rank)
    {
        for (const auto& send : schedules[rank].GetSends())
        {
            error = error.empty() ? CheckPair(schedules, rank, send) : error;
        }
    }
    error = error.empty() ? CheckOnce(schedules) : error;
    error = error.empty() ? CheckRounds(schedules) : error;
    return error.empty() ? CircleSearch(schedules).Run() : error;
}

ScheduleCheck::ScheduleCheck(Variant<CollectiveAlgorithm> algorithm, RankContext part)
{
    NS_ABORT_MSG_IF(part.shape.size > ScheduleReplay::MAX_RANKS, "too many ranks for a replay");
    for (part.index = 0; part.index < part.shape.size; ++part.index)
    {
        schedules.push_back(algorithm->MakeSchedule(part));
        m_layouts.push_back(algorithm->MakeLayout(part));
        Fill(part.index, MakeInput(part, part.index));
        m_outputs.push_back(MakeOutput(part, part.index));
    }
}

std::string
ScheduleCheck::CheckFit() const
{
    std::vector<uint64_t> buffers;
    for (const auto& layout : m_layouts)
    {
        buffers.push_back(layout.bytes);
    }
    return CheckSchedulesFit(schedules, buffers);
}

std::string
ScheduleCheck::Run(const ReplayOrder& order)
{
    if (!m_error.empty())
    {
        return m_error;
    }
    ScheduleReplay replay(schedules, m_inputs);
    auto error = replay.Run(order);
    m_rounds = replay.GetRounds();
    for (uint32_t rank = 0; rank < schedules.size() && error.empty(); ++rank)
    {
        error = CheckOutput(rank, replay.GetBuffer(rank));
    }
    return error;
}

std::string
ScheduleCheck::RunAll(std::size_t limit)
{
    auto orders = ReplayOrder::GetAll(static_cast<uint32_t>(schedules.size()));
    orders.resize(std::min(limit, orders.size()));
    for (const auto& order : orders)
    {
        const auto error = Run(order);
        if (!error.empty())
        {
            return error + " (next " + std::to_string(order.next) +
                   (order.readLate ? ", read late)" : ")");
        }
    }
    return "";
}

void
ScheduleCheck::Fill(uint32_t rank, const ScheduleReplay::Buffer& input)
{
    const auto& layout = m_layouts[rank];
    ScheduleReplay::Buffer buffer(layout.bytes);
    uint64_t filled = 0;
    for (const auto& segment : layout.input)
    {
        if (!IsInside(segment, buffer.size(), input.size()))
        {
            m_error = "the layout of the input of " + NameRank(rank) + " is too long";
            break;
        }
        for (uint64_t i = 0; i < segment.buffer.bytes; ++i, ++filled)
        {
            auto& byte = buffer[segment.buffer.offset + i];
            m_error = byte.ranks == 0 ? m_error : "the layout uses a byte twice";
            byte = input[segment.offset + i];
        }
    }
    if (m_error.empty() && filled != input.size())
    {
        m_error = "the layout has no place for some input of " + NameRank(rank);
    }
    m_inputs.push_back(std::move(buffer));
}

std::string
ScheduleCheck::CheckOutput(uint32_t rank, const ScheduleReplay::Buffer& buffer) const
{
    const auto& expected = m_outputs[rank];
    ScheduleReplay::Buffer output(expected.size()); // undefined as long as no segment has it
    for (const auto& segment : m_layouts[rank].output)
    {
        if (!IsInside(segment, buffer.size(), output.size()))
        {
            return "the layout of " + NameRank(rank) + " is too long";
        }
        std::copy_n(buffer.data() + segment.buffer.offset,
                    segment.buffer.bytes,
                    output.data() + segment.offset);
    }
    const auto wrong = std::mismatch(output.begin(), output.end(), expected.begin()).first;
    return wrong == output.end()
               ? ""
               : NameRank(rank) + " has a wrong byte " + std::to_string(wrong - output.begin());
}

namespace
{

/// @return an empty string, or an error if a schedule has rounds for other terms
std::string
CheckTerms(const CircuitTerms& terms, const CollectiveSchedule& schedule)
{
    return terms.lendsPairs || schedule.GetRounds().empty()
               ? ""
               : "has rounds where no circuits are lent to pairs (CircuitTerms::lendsPairs)";
}

} // namespace

std::string
CheckSchedules(Variant<CollectiveAlgorithm> algorithm, RankContext part)
{
    std::vector<CollectiveSchedule> schedules;
    std::vector<uint64_t> buffers;
    for (part.index = 0; part.index < part.shape.size; ++part.index)
    {
        schedules.push_back(algorithm->MakeSchedule(part));
        buffers.push_back(algorithm->MakeLayout(part).bytes);
        if (auto error = CheckTerms(part.terms, schedules.back()); !error.empty())
        {
            return NameRank(part.index) + " " + error;
        }
    }
    return CheckSchedulesFit(schedules, buffers);
}

namespace
{

/// Orders of messages in which each call is replayed.
constexpr std::size_t ORDERS = 8;

/// @return a call and an error in one line
std::string
DescribeError(const RankContext& part, const std::string& error)
{
    std::ostringstream text;
    text << part.shape.size << " ranks";
    if (part.shape.perDomain > 1)
    {
        text << " in domains of " << part.shape.perDomain;
    }
    text << ", " << part.call.bytes << (part.call.sizes ? " bytes in unlike parts" : " bytes")
         << ", root " << part.root << ", " << part.directions << " directions: " << error;
    return text.str();
}

/// @return sizes of an AllToAll, some of them 0
Ptr<const AllToAllSizes>
MakeUnlikeSizes(uint32_t ranks)
{
    std::vector<uint64_t> bytes;
    for (uint32_t i = 0; i < ranks * ranks; ++i)
    {
        bytes.push_back(i * 7 % 5);
    }
    return Create<AllToAllSizes>(ranks, bytes);
}

/// @return a peer with a message on a connector DIRECT before the first round, if there is one
std::optional<uint32_t>
FindOutsideOfRounds(const CollectiveSchedule& schedule)
{
    const auto& rounds = schedule.GetRounds();
    const auto find = [](const auto& messages, std::size_t end) {
        const auto isDirect = [](const auto& one) { return one.connector == CONNECTOR_DIRECT; };
        const auto last = messages.begin() + static_cast<std::ptrdiff_t>(end);
        const auto found = std::find_if(messages.begin(), last, isDirect);
        return found == last ? std::nullopt : std::optional<uint32_t>(found->peer);
    };
    const auto& sends = schedule.GetSends();
    const auto& receives = schedule.GetReceives();
    const auto sent = find(sends, rounds.empty() ? sends.size() : rounds.front().firstSend);
    return sent ? sent
                : find(receives, rounds.empty() ? receives.size() : rounds.front().firstReceive);
}

} // namespace

AlgorithmCheck::AlgorithmCheck(Variant<CollectiveAlgorithm> algorithm, CollectiveKind kind)
    : m_algorithm(algorithm),
      m_kind(kind)
{
}

std::string
AlgorithmCheck::Run(uint32_t mostRanks)
{
    for (uint32_t size = 2; size <= mostRanks; ++size)
    {
        for (uint32_t perDomain = 1; perDomain <= (m_algorithm->NeedsDomains() ? size : 1);
             ++perDomain)
        {
            if (size % perDomain != 0)
            {
                continue;
            }
            if (auto error = m_algorithm->Check(m_kind, {size, perDomain}); !error.empty())
            {
                ++m_refused;
                m_refusal = m_refusal.empty() ? error : m_refusal;
                continue;
            }
            for (const bool lendsPairs : {false, true})
            {
                if (lendsPairs && !m_algorithm->HasRounds(m_kind))
                {
                    continue;
                }
                m_terms.lendsPairs = lendsPairs;
                if (auto error = CheckGroup({size, perDomain}); !error.empty())
                {
                    return (lendsPairs ? "on lent circuits, " : "") + error;
                }
            }
        }
    }
    return m_calls > 0 ? "" : "no call is checked, because all groups are refused: " + m_refusal;
}

std::string
AlgorithmCheck::CheckGroup(const GroupShape& shape)
{
    RankContext part;
    part.call.kind = m_kind;
    part.shape = shape;
    part.chunkBytes = 7;
    part.eagerBytes = 5;
    part.terms = m_terms;
    const bool hasRoot = part.call.HasRoot() || m_algorithm->NeedsRoot();
    for (part.directions = 1; part.directions <= 2; ++part.directions)
    {
        for (const uint64_t bytes : {0U, 1U, shape.size - 1, shape.size, 2 * shape.size + 1, 97U})
        {
            part.call.bytes = bytes;
            ++part.sequence;
            for (part.root = 0; part.root < (hasRoot ? shape.size : 1); ++part.root)
            {
                if (auto error = CheckCall(part); !error.empty())
                {
                    return DescribeError(part, error);
                }
            }
            part.root = 0;
        }
        if (m_kind == CollectiveKind::ALL_TO_ALL)
        {
            part.call.sizes = MakeUnlikeSizes(shape.size);
            if (auto error = CheckCall(part); !error.empty())
            {
                return DescribeError(part, error);
            }
            part.call.sizes = nullptr;
        }
    }
    return CheckCost(shape);
}

std::string
AlgorithmCheck::CheckCall(const RankContext& part)
{
    ScheduleCheck check(m_algorithm, part);
    std::string error = check.CheckFit();
    error = error.empty() ? check.RunAll(ORDERS) : error;
    ++m_calls;
    RankContext one = part;
    for (one.index = 0; one.index < part.shape.size && error.empty(); ++one.index)
    {
        error = CheckRank(one, check.schedules[one.index]);
        error = error.empty() ? "" : NameRank(one.index) + " " + error;
    }
    return error;
}

std::string
AlgorithmCheck::CheckRank(const RankContext& part, const CollectiveSchedule& schedule) const
{
    if (auto error = CheckTerms(part.terms, schedule); !error.empty())
    {
        return error;
    }
    const uint64_t most = m_algorithm->GetReceiveLimit(m_kind, part.shape);
    const uint64_t receives = schedule.GetReceives().size();
    if (receives > most)
    {
        return "receives " + std::to_string(receives) + " messages, but GetMostReceives says " +
               std::to_string(most);
    }
    if (const auto peer = m_terms.lendsPairs ? FindOutsideOfRounds(schedule) : std::nullopt)
    {
        return "has messages with rank " + std::to_string(*peer) +
               " in no round, where circuits are lent to pairs";
    }
    const auto connectors = m_algorithm->GetConnectors(m_kind, part.shape, part.index);
    for (const auto& id : schedule.GetConnectors())
    {
        if (!std::binary_search(connectors.begin(), connectors.end(), id))
        {
            return "has no connector of this kind to rank " + std::to_string(id.peer) +
                   ": DoGetConnectors does not name it";
        }
    }
    auto sent = m_algorithm->GetSent(part);
    for (const auto& send : schedule.GetSends())
    {
        sent[send.peer] -= send.data.bytes;
    }
    for (const auto& [peer, left] : sent)
    {
        if (left != 0)
        {
            return "sends other bytes to rank " + std::to_string(peer) + " than DoGetSent says";
        }
    }
    return "";
}

std::string
AlgorithmCheck::CheckCost(const GroupShape& shape) const
{
    RankContext part;
    part.call.kind = m_kind;
    // Chunks are parts of the ranks, of the ranks but one, or halves of them.
    part.call.bytes = uint64_t{2} * shape.size * shape.size * (shape.size - 1);
    part.shape = shape;
    part.chunkBytes = part.call.bytes * shape.size;
    part.terms = m_terms;
    ScheduleCheck check(m_algorithm, part);
    if (auto error = check.Run({}); !error.empty())
    {
        return DescribeError(part, error);
    }
    const CollectiveCost cost = m_algorithm->GetCost(part);
    const double rounds = cost.rounds + cost.domainRounds;
    const double bytes = cost.bytes + cost.domainBytes;
    uint64_t most = 0;
    for (const auto& schedule : check.schedules)
    {
        most = std::max(most, schedule.GetBytesSent());
    }
    std::ostringstream error;
    const double lack = check.GetRounds() - rounds;
    if (m_algorithm->NeedsRoot() ? lack > 0 : lack != 0)
    {
        error << "DoGetCost has " << rounds << " rounds, but " << check.GetRounds()
              << " messages wait for each other";
    }
    else if (bytes + 0.5 < static_cast<double>(most))
    {
        error << "DoGetCost has " << bytes << " bytes, but a rank sends " << most;
    }
    return error.str().empty() ? "" : DescribeError(part, error.str());
}

} // namespace ns3
