// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-pair-state.h"

#include "ns3/assert.h"
#include "ns3/kept-rule.h"

#include <algorithm>

// The switch of a FastPathPairState: passage of frames and queue depths.

// FastPathPairState: detects that a state recurs and computes all repetitions of the period at
// once.

namespace ns3
{

namespace
{

// Called at every step; defined here so that the compiler can inline them.

/// @return when the next flight for which Matters holds arrives at the other end
inline int64_t
FindArrival(const FastPathPairState::EndState& from)
{
    for (const auto& flight : from.flights)
    {
        if (flight.Matters())
        {
            return flight.GetEnd();
        }
    }
    return FastPathPairState::NEVER;
}

/// @return when an end sends next if nothing arrives before, or NEVER
inline int64_t
FindDeparture(const FastPathPairState::End& line,
              const FastPathPairState::EndState& one,
              int64_t now)
{
    return one.ackDue || one.HasData(line.window) ? std::max(one.free, now)
                                                  : FastPathPairState::NEVER;
}

/// @return true if a timer runs out by a time, inclusive
inline bool
RunsOut(const RdmaTimerState& timer, int64_t time)
{
    return timer.running && timer.deadline <= time;
}

} // namespace

// --- what happens next --------------------------------------------------------------------------

int64_t
FastPathPairState::GetDeparture(const State& state, uint32_t end) const
{
    return FindDeparture(m_ends[end], state.ends[end], state.now);
}

bool
FastPathPairState::IsQuiet(const State& state) const
{
    return std::all_of(state.ends.begin(), state.ends.end(), [&state](const EndState& end) {
        return end.flights.empty() && !end.ackDue && end.next == end.limit &&
               end.unacked == end.next && end.free <= state.now;
    });
}

FastPathPairState::Reason
FastPathPairState::Run(State& state, int64_t until, bool arrivals) const
{
    Checkpoint last;
    Checkpoint here;
    // Brent's cycle detection: the checkpoint moves when the steps since reach a power of two.
    uint64_t steps = 0;
    uint64_t power = 0;
    while (true)
    {
        const std::array<int64_t, ENDS> arrival = {FindArrival(state.ends[0]),
                                                   FindArrival(state.ends[1])};
        const std::array<int64_t, ENDS> departure = {
            FindDeparture(m_ends[0], state.ends[0], state.now),
            FindDeparture(m_ends[1], state.ends[1], state.now)};
        const int64_t arrives = std::min(arrival[0], arrival[1]);
        const int64_t departs = std::min(departure[0], departure[1]);
        const int64_t next = std::min(arrives, departs);
        const bool arrivesFirst = arrives <= departs;
        if (next == NEVER)
        {
            state.now = until == NEVER ? state.now : until;
            return QUIET;
        }
        if (next > until || (next == until && !(arrivesFirst && arrivals)))
        {
            state.now = until;
            return REACHED;
        }
        if (RunsOut(state.ends[0].timer, next) || RunsOut(state.ends[1].timer, next))
        {
            return TIME_OUT;
        }
        state.now = next;
        if (arrivesFirst)
        {
            bool visible = arrival[0] == next && Arrive(state, 0, last);
            visible |= arrival[1] == next && Arrive(state, 1, last);
            if (visible)
            {
                return VISIBLE;
            }
            continue;
        }
        const uint32_t anchor = state.ends[0].next < state.ends[0].limit ? 0 : 1;
        for (uint32_t end = 0; end < ENDS; ++end)
        {
            if (departure[end] == next)
            {
                Depart(state, end);
            }
        }
        // States are compared after the anchor has sent an acknowledgement request within a
        // message.
        const EndState& sender = state.ends[anchor];
        if (departure[anchor] != next || sender.flights.back().count == 0 ||
            !sender.flights.back().asks || sender.flights.back().ends || !MayRecur(state, anchor))
        {
            continue;
        }
        Normalise(state, here);
        if (power > 0 && here.form == last.form)
        {
            Repeat(state, until, last);
            power = 0;
            continue;
        }
        if (++steps >= power)
        {
            std::swap(last.form, here.form);
            last.now = here.now;
            last.next = here.next;
            last.unacked = here.unacked;
            last.totals = here.totals;
            last.roundTrips[0].clear();
            last.roundTrips[1].clear();
            power = std::max<uint64_t>(1, 2 * power);
            steps = 0;
        }
    }
}

void
FastPathPairState::Decide(State& state, uint32_t end) const
{
    if (GetDeparture(state, end) == state.now)
    {
        Depart(state, end);
    }
}

// --- arrivals -----------------------------------------------------------------------------------

bool
FastPathPairState::Arrive(State& state, uint32_t from, Checkpoint& last) const
{
    const uint32_t to = 1 - from;
    Flights& flights = state.ends[from].flights;
    EndState& end = state.ends[to];
    auto due = flights.begin();
    while (!due->Matters())
    {
        end.expected = due->psn + due->count;
        ++due;
    }
    const Flight flight = *due;
    if (m_ends[from].hop)
    {
        for (auto passed = flights.begin(); passed != due + 1; ++passed)
        {
            Pass(state.ends[from], from, *passed, NEVER);
        }
    }
    flights.erase(flights.begin(), due + 1);
    if (m_ends[from].hop)
    {
        ForgetPassed(state, from);
    }
    if (flight.count == 0)
    {
        return Acknowledge(state, to, flight.psn, last);
    }
    end.expected = flight.psn + flight.count;
    if (flight.asks && !end.ackDue)
    {
        end.ackDue = true;
        Cut(state, to);
    }
    end.arriving += flight.ends ? 1 : 0;
    return flight.ends;
}

bool
FastPathPairState::Acknowledge(State& state, uint32_t end, uint64_t psn, Checkpoint& last) const
{
    EndState& one = state.ends[end];
    if (psn <= one.unacked)
    {
        return false;
    }
    return one.Acknowledge(psn,
                           state.now,
                           m_ends[end].timeout,
                           m_messages[end],
                           last.roundTrips[end]);
}

uint64_t
FastPathPairState::GetExpected(const State& state, uint32_t end, bool inclusive) const
{
    uint64_t expected = state.ends[end].expected;
    const int64_t time = inclusive ? state.now : state.now - 1;
    for (const auto& flight : state.ends[1 - end].flights)
    {
        if (flight.at > time)
        {
            break;
        }
        if (flight.count > 0)
        {
            const int64_t all = flight.count - 1;
            const int64_t more = all == 0 ? 0 : std::min((time - flight.at) / flight.spacing, all);
            expected = flight.psn + static_cast<uint64_t>(more) + 1;
        }
    }
    return expected;
}

// --- departures ---------------------------------------------------------------------------------

void
FastPathPairState::Cut(State& state, uint32_t end) const
{
    EndState& one = state.ends[end];
    if (one.runCount <= 1 || one.free <= state.now)
    {
        return;
    }
    // A packet that would begin at this time is cut as well, because arrivals are processed first.
    const int64_t nearly = IsRuleKept("split") ? one.runSpacing - 1 : 0;
    const int64_t begun = (state.now - one.runStart + nearly) / one.runSpacing;
    const auto kept = static_cast<uint32_t>(std::max<int64_t>(begun, 1));
    if (kept >= one.runCount)
    {
        return;
    }
    const uint32_t back = one.runCount - kept;
    NS_ASSERT(one.flights.back().count == one.runCount);
    one.flights.back().count = kept;
    one.next -= back;
    one.totals.packets -= back;
    one.totals.wireBytes -= uint64_t{back} * one.runBytes;
    one.free = one.runStart + kept * one.runSpacing;
    one.hopFree -= back * one.runSpacing;
    one.runCount = kept;
}

void
FastPathPairState::Depart(State& state, uint32_t end) const
{
    if (state.ends[end].ackDue)
    {
        DepartAck(state, end);
    }
    else
    {
        DepartData(state, end);
    }
}

void
FastPathPairState::DepartAck(State& state, uint32_t end) const
{
    const End& line = m_ends[end];
    EndState& one = state.ends[end];
    one.ackDue = false;
    one.queued = one.queued && one.free == state.now;
    one.free = state.now + line.ackTime;
    one.runCount = 0;
    ++one.totals.acks;
    one.totals.wireBytes += line.ackBytes;
    Flight flight;
    flight.spacing = line.ackTime;
    flight.psn = GetExpected(state, end, true);
    flight.bytes = line.ackBytes;
    EnterAck(state, end, flight);
}

void
FastPathPairState::DepartData(State& state, uint32_t end) const
{
    const End& line = m_ends[end];
    EndState& one = state.ends[end];
    const Message& message = GetMessage(end, one.sending);
    const uint64_t psn = one.next;
    const uint64_t last = message.firstPsn + message.packets - 1;
    const uint64_t edge = one.unacked + line.window; // the packet before this PSN requests one
    const uint64_t until =
        line.ackEvery - 1 - psn % line.ackEvery; // packets before the next request
    const bool asks = until == 0 || psn + 1 == one.limit || psn + 1 >= edge;
    const bool ends = psn == last;
    const bool first = psn == message.firstPsn;
    const Size& size = ends ? message.last : (first ? message.first : message.middle);
    uint32_t count = 1;
    if (!asks && !ends && !first)
    {
        count = static_cast<uint32_t>(std::min({last, psn + until, edge - 1}) - psn);
    }
    Flight flight;
    flight.spacing = size.time;
    flight.psn = psn;
    flight.count = count;
    flight.bytes = size.bytes;
    flight.asks = asks;
    flight.ends = ends;
    Enter(state, end, flight);
    one.flights.push_back(flight);
    one.runStart = state.now;
    one.runSpacing = size.time;
    one.runCount = count;
    one.runBytes = size.bytes;
    one.free = state.now + count * size.time;
    one.next += count;
    one.queued = true;
    one.sending += ends ? 1 : 0;
    one.totals.packets += count;
    one.totals.wireBytes += uint64_t{count} * size.bytes;
    ++one.totals.bursts;
    if (asks)
    {
        one.Asked(psn, state.now, line.timeout);
    }
}

void
FastPathPairState::Enter(State& state, uint32_t end, Flight& flight) const
{
    const End& line = m_ends[end];
    EndState& one = state.ends[end];
    int64_t passes = state.now;
    if (line.hop)
    {
        const int64_t enters = state.now + line.toHop + (line.cutThrough ? 0 : flight.spacing);
        passes = std::max(enters + line.hopLatency, one.hopFree);
        flight.wait = passes - enters - line.hopLatency;
        one.hopFree = passes + flight.GetFrames() * flight.spacing; // the others follow
    }
    flight.at = passes + flight.spacing + line.delay;
}

void
FastPathPairState::EnterAck(State& state, uint32_t end, Flight flight) const
{
    EndState& one = state.ends[end];
    Enter(state, end, flight);
    auto place = one.flights.end();
    if (flight.wait > 0)
    {
        // Data that the switch has not begun to send when the acknowledgement is ready follows it.
        const int64_t ready = GetPassage(end, flight, 0).ready;
        while (place != one.flights.begin())
        {
            const Flight& before = *(place - 1);
            if (before.count == 0 || GetPassage(end, before, 0).passes < ready)
            {
                break;
            }
            // Packets of a run wait for less than the transmission time of an acknowledgement, so
            // only single packets can be overtaken.
            NS_ASSERT(before.count == 1);
            --place;
            flight.at -= before.spacing;
            flight.wait -= before.spacing;
        }
        for (auto behind = place; behind != one.flights.end(); ++behind)
        {
            behind->at += flight.spacing;
            behind->wait += flight.spacing;
        }
    }
    one.flights.insert(place, flight);
}

FastPathPairState::Passage
FastPathPairState::GetPassage(uint32_t end, const Flight& flight, uint32_t index) const
{
    const End& line = m_ends[end];
    Passage passage;
    passage.arrives = flight.at + index * flight.spacing;
    passage.passes = passage.arrives - line.delay - flight.spacing;
    passage.ready = passage.passes - flight.wait;
    passage.enters = passage.ready - line.hopLatency;
    passage.leaves =
        passage.enters - line.toHop - (line.hop && !line.cutThrough ? flight.spacing : 0);
    return passage;
}

// --- queue depths -------------------------------------------------------------------------------

void
FastPathPairState::Pass(EndState& one, uint32_t end, const Flight& flight, int64_t before) const
{
    const Passage first = GetPassage(end, flight, 0);
    const uint32_t outside = m_ends[end].outsideBytes;
    const int64_t stay = first.passes - first.enters; // time of each frame in the switch
    // The queue reaches its maximum no later than when its first frame leaves.
    const int64_t last = std::min<int64_t>(flight.GetFrames() - 1, stay / flight.spacing);
    for (int64_t index = 0; index <= last; ++index)
    {
        const int64_t enters = first.enters + index * flight.spacing;
        if (enters >= before)
        {
            break;
        }
        uint64_t depth = (index + 1) * uint64_t{flight.bytes - outside};
        for (const auto& other : one.passed)
        {
            const int64_t ahead = GetPassage(end, other, other.GetFrames() - 1).passes - enters;
            if (ahead >= 0 && (other.count == 0) == (flight.count == 0))
            {
                const int64_t frames =
                    std::min<int64_t>(ahead / other.spacing + 1, other.GetFrames());
                depth += static_cast<uint64_t>(frames) * (other.bytes - outside);
            }
        }
        one.depth = std::max(one.depth, depth);
    }
    one.passed.push_back(flight);
}

void
FastPathPairState::ForgetPassed(State& state, uint32_t end) const
{
    EndState& one = state.ends[end];
    for (const bool ack : {false, true})
    {
        const auto isSame = [ack](const Flight& flight) { return (flight.count == 0) == ack; };
        const auto next = std::find_if(one.flights.begin(), one.flights.end(), isSame);
        const int64_t oldest =
            next == one.flights.end() ? state.now : GetPassage(end, *next, 0).enters;
        const auto isOver = [&](const Flight& flight) {
            return isSame(flight) &&
                   GetPassage(end, flight, flight.GetFrames() - 1).passes < oldest;
        };
        one.passed.erase(std::remove_if(one.passed.begin(), one.passed.end(), isOver),
                         one.passed.end());
    }
}

uint64_t
FastPathPairState::GetDepth(const State& state, uint32_t end) const
{
    EndState one = state.ends[end];
    for (const auto& flight : state.ends[end].flights)
    {
        Pass(one, end, flight, state.now);
    }
    return one.depth;
}

void
FastPathPairState::Normalise(const State& state, Checkpoint& checkpoint) const
{
    auto& form = checkpoint.form;
    form.clear();
    checkpoint.now = state.now;
    const auto relative = [&state](int64_t time) { return time - state.now; };
    const auto behind = [](uint64_t base, uint64_t psn) {
        return static_cast<int64_t>(base - psn);
    };
    for (uint32_t i = 0; i < ENDS; ++i)
    {
        const EndState& end = state.ends[i];
        const EndState& other = state.ends[1 - i];
        checkpoint.next[i] = end.next;
        checkpoint.unacked[i] = end.unacked;
        checkpoint.totals[i] = end.totals;
        const bool busy = end.free > state.now;
        const bool runs = busy && end.runCount > 0;
        const bool timed = end.timer.timedPsn != RdmaTimerState::NONE;
        // The round-trip estimate is not compared: it changes every period, and Repeat updates it.
        form.insert(form.end(),
                    {busy ? relative(end.free) : 0,
                     runs ? relative(end.runStart) : 0,
                     runs ? end.runSpacing : 0,
                     runs ? int64_t{end.runCount} : 0,
                     behind(end.next, end.unacked),
                     behind(end.next, end.ackRequested),
                     static_cast<int64_t>(end.next % m_ends[i].ackEvery),
                     end.timer.running ? relative(end.timer.startedAt) : 1,
                     timed ? behind(end.next, end.timer.timedPsn) : -1,
                     timed ? relative(end.timer.timedAt) : 0,
                     behind(other.next, end.expected),
                     int64_t{end.ackDue} + 2 * int64_t{end.next < end.limit},
                     std::max<int64_t>(relative(end.hopFree), 0),
                     static_cast<int64_t>(end.passed.size()),
                     static_cast<int64_t>(end.flights.size())});
        for (const auto& flight : end.passed)
        {
            form.insert(form.end(),
                        {relative(flight.at),
                         flight.spacing,
                         flight.wait,
                         int64_t{flight.count},
                         int64_t{flight.bytes}});
        }
        for (const auto& flight : end.flights)
        {
            form.insert(form.end(),
                        {relative(flight.at),
                         flight.spacing,
                         flight.wait,
                         behind(flight.count > 0 ? end.next : other.next, flight.psn),
                         int64_t{flight.count},
                         int64_t{flight.asks} + 2 * int64_t{flight.ends}});
        }
    }
}

bool
FastPathPairState::MayRecur(const State& state, uint32_t end) const
{
    // A period is no shorter than the distance between two acknowledgement requests.
    const EndState& one = state.ends[end];
    if (one.next == one.limit)
    {
        return false;
    }
    const Message& message = GetMessage(end, one.sending);
    const uint64_t period = std::min(m_ends[end].ackEvery, m_ends[end].window);
    return message.firstPsn + message.packets > one.next + period;
}

int64_t
FastPathPairState::CountRepetitions(const State& state, const Checkpoint& last, int64_t until) const
{
    const int64_t period = state.now - last.now;
    int64_t count = NEVER;
    if (until != NEVER)
    {
        count = (until - 1 - state.now) / period;
    }
    for (uint32_t i = 0; i < ENDS; ++i)
    {
        const EndState& end = state.ends[i];
        const uint64_t sent = end.next - last.next[i];
        if (period >= m_ends[i].timeout.least)
        {
            return 0; // a timer might run out between two checkpoints
        }
        if (sent == 0)
        {
            continue;
        }
        // All packets sent or in flight must lie strictly inside one message.
        const Message& message = GetMessage(i, end.sending);
        if (last.unacked[i] <= message.firstPsn)
        {
            return 0;
        }
        const uint64_t left = message.firstPsn + message.packets - 1 - end.next;
        count = std::min(count, static_cast<int64_t>(left / sent));
    }
    return count;
}

void
FastPathPairState::Repeat(State& state, int64_t until, const Checkpoint& last) const
{
    const int64_t count = CountRepetitions(state, last, until);
    if (count <= 0)
    {
        return;
    }
    const int64_t later = count * (state.now - last.now);
    const auto times = static_cast<uint64_t>(count);
    std::array<uint64_t, ENDS> further{};
    for (uint32_t i = 0; i < ENDS; ++i)
    {
        further[i] = times * (state.ends[i].next - last.next[i]);
    }
    state.now += later;
    for (uint32_t i = 0; i < ENDS; ++i)
    {
        EndState& end = state.ends[i];
        end.free += later;
        end.hopFree += later;
        for (auto& flight : end.passed)
        {
            flight.at += later;
        }
        end.runStart += later;
        end.next += further[i];
        end.unacked += further[i];
        end.ackRequested += further[i];
        end.expected += further[1 - i];
        for (auto& flight : end.flights)
        {
            flight.at += later;
            flight.psn += further[flight.count > 0 ? i : 1 - i];
        }
        const Totals& before = last.totals[i];
        end.totals.packets += times * (end.totals.packets - before.packets);
        end.totals.bursts += times * (end.totals.bursts - before.bursts);
        end.totals.acks += times * (end.totals.acks - before.acks);
        end.totals.wireBytes += times * (end.totals.wireBytes - before.wireBytes);

        RdmaTimerState timer = end.timer; // a copy that may stay in registers
        timer.startedAt += later;
        timer.timedAt += later;
        timer.timedPsn += timer.timedPsn == RdmaTimerState::NONE ? 0 : further[i];
        for (int64_t round = 0; round < count; ++round)
        {
            const RdmaTimerState asBefore = timer;
            for (const int64_t roundTrip : last.roundTrips[i])
            {
                timer.Measured(roundTrip);
            }
            if (timer.smoothed == asBefore.smoothed && timer.variation == asBefore.variation &&
                timer.shortest == asBefore.shortest)
            {
                break; // the estimate has converged: the remaining rounds do not change it
            }
        }
        timer.deadline = timer.startedAt + timer.GetTimeout(m_ends[i].timeout, 0);
        end.timer = timer;
    }
}

} // namespace ns3
