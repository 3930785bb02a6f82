// SPDX-License-Identifier: GPL-2.0-only

// FastPathPairState: detects that a state recurs and computes all repetitions of the period at
// once.

#include "fast-path-pair-state.h"

#include <algorithm>

namespace ns3
{

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
