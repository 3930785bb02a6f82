// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-pair-state.h"

#include "ns3/assert.h"
#include "ns3/kept-rule.h"

#include <algorithm>

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

} // namespace ns3
