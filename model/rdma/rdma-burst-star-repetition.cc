// SPDX-License-Identifier: GPL-2.0-only

// RdmaBurstStar: detects that a state recurs and computes all repetitions of the period at once.

#include "rdma-burst-star.h"

#include <algorithm>

namespace ns3
{

bool
RdmaBurstStar::IsAnchor(const State& state, uint32_t talker)
{
    for (uint32_t number = 0; number < talker; ++number)
    {
        if (state.talkers[number].next < state.talkers[number].limit)
        {
            return false;
        }
    }
    return true;
}

void
RdmaBurstStar::Normalise(const State& state, Form& form) const
{
    const auto relative = [&state](int64_t time) { return std::max<int64_t>(time - state.now, 0); };
    const auto behind = [](uint64_t base, uint64_t psn) {
        return static_cast<int64_t>(base - psn);
    };
    const auto add = [&](const Frame& frame) {
        const uint32_t sender = frame.ack ? m_talkers[frame.talker].peer : frame.talker;
        form.insert(form.end(),
                    {frame.at - state.now,
                     behind(state.talkers[sender].next, frame.psn),
                     int64_t{frame.talker} * 8 + int64_t{frame.ack} + 2 * int64_t{frame.asks} +
                         4 * int64_t{frame.ends},
                     int64_t{frame.bytes}});
    };
    for (const PortState& port : state.ports)
    {
        form.insert(form.end(),
                    {relative(port.free),
                     relative(port.passFree),
                     int64_t{port.last.talker} * 2 + int64_t{port.last.ack},
                     static_cast<int64_t>(port.queues[0].entered),
                     static_cast<int64_t>(port.queues[1].entered)});
        for (const auto* talkers : {&port.acks, &port.data})
        {
            form.push_back(static_cast<int64_t>(talkers->size()));
            for (std::size_t i = 0; i < talkers->size(); ++i)
            {
                form.push_back((*talkers)[i]);
            }
        }
        for (const auto* frames : {&port.queues[0].frames, &port.queues[1].frames, &port.arrivals})
        {
            form.push_back(static_cast<int64_t>(frames->size()));
            for (std::size_t i = 0; i < frames->size(); ++i)
            {
                add((*frames)[i]);
            }
        }
    }
    for (uint32_t number = 0; number < m_talkers.size(); ++number)
    {
        const TalkerState& talker = state.talkers[number];
        const TalkerState& peer = state.talkers[m_talkers[number].peer];
        const bool timed = talker.timer.timedPsn != RdmaTimerState::NONE;
        // The round-trip estimate is not compared: it changes every period, and Repeat updates it.
        form.insert(form.end(),
                    {behind(talker.next, talker.unacked),
                     behind(talker.next, talker.ackRequested),
                     static_cast<int64_t>(talker.next % m_talkers[number].ackEvery),
                     talker.timer.running ? talker.timer.startedAt - state.now : 1,
                     timed ? behind(talker.next, talker.timer.timedPsn) : -1,
                     timed ? talker.timer.timedAt - state.now : 0,
                     behind(peer.next, talker.expected),
                     int64_t{talker.ackDue} + 2 * int64_t{talker.next < talker.limit} +
                         4 * int64_t{talker.queued}});
    }
}

int64_t
RdmaBurstStar::CountRepetitions(const State& state, const State& last, int64_t until) const
{
    const int64_t period = state.now - last.now;
    int64_t count = NEVER;
    if (until != NEVER)
    {
        count = (until - 1 - state.now) / period;
    }
    for (uint32_t number = 0; number < m_talkers.size(); ++number)
    {
        const TalkerState& talker = state.talkers[number];
        const TalkerState& before = last.talkers[number];
        if (period >= m_talkers[number].timeout.least)
        {
            return 0; // a timer might run out between two checkpoints
        }
        const uint64_t sent = talker.next - before.next;
        if (sent == 0)
        {
            continue;
        }
        // All packets sent or in flight must lie strictly inside one message.
        const Message& message = GetMessage(number, talker.sending);
        if (before.unacked <= message.firstPsn)
        {
            return 0;
        }
        const uint64_t left = message.firstPsn + message.packets - 1 - talker.next;
        count = std::min(count, static_cast<int64_t>(left / sent));
    }
    return count;
}

void
RdmaBurstStar::Repeat(State& state, int64_t until, const Checkpoint& last) const
{
    const int64_t count = CountRepetitions(state, last.state, until);
    if (count <= 0 || count == NEVER)
    {
        return;
    }
    const int64_t later = count * (state.now - last.state.now);
    const auto times = static_cast<uint64_t>(count);
    std::vector<uint64_t> further;
    for (uint32_t number = 0; number < m_talkers.size(); ++number)
    {
        const uint64_t before = last.state.talkers[number].next;
        further.push_back(times * (state.talkers[number].next - before));
    }
    const auto move = [&](Fifo<Frame>& frames) {
        for (std::size_t i = 0; i < frames.size(); ++i)
        {
            Frame& frame = frames[i];
            frame.at += later;
            frame.psn += further[frame.ack ? m_talkers[frame.talker].peer : frame.talker];
        }
    };
    state.now += later;
    state.entered += times * (state.entered - last.state.entered);
    state.deadline = 0; // TimesOut computes it
    for (auto& due : state.due)
    {
        due += due == NEVER ? 0 : later;
    }
    for (uint32_t number = 0; number < m_ports.size(); ++number)
    {
        PortState& port = state.ports[number];
        const PortState& before = last.state.ports[number];
        port.free += port.free == before.free ? 0 : later;
        port.passFree += port.passFree == before.passFree ? 0 : later;
        port.wireBytes += times * (port.wireBytes - before.wireBytes);
        port.passedBytes += times * (port.passedBytes - before.passedBytes);
        if (port.last.talker != NOBODY && port.free != before.free)
        {
            const uint32_t sender = port.last.talker;
            port.last.psn += further[port.last.ack ? m_talkers[sender].peer : sender];
        }
        move(port.queues[0].frames);
        move(port.queues[1].frames);
        move(port.arrivals);
    }
    for (uint32_t number = 0; number < m_talkers.size(); ++number)
    {
        TalkerState& talker = state.talkers[number];
        const TalkerState& before = last.state.talkers[number];
        const uint64_t peers = further[m_talkers[number].peer];
        talker.next += further[number];
        talker.unacked += further[number];
        talker.ackRequested += further[number];
        talker.expected += peers;
        talker.receivedAt += talker.receivedAt == before.receivedAt ? 0 : later;
        talker.received += times * (talker.received - before.received);
        talker.packets += times * (talker.packets - before.packets);
        talker.bursts += times * (talker.bursts - before.bursts);
        talker.acks += times * (talker.acks - before.acks);
        RdmaTimerState& timer = talker.timer;
        if (further[number] == 0)
        {
            continue;
        }
        timer.startedAt += later;
        timer.timedAt += later;
        timer.timedPsn += timer.timedPsn == RdmaTimerState::NONE ? 0 : further[number];
        Measure(timer, last.roundTrips[number], count);
        timer.deadline = timer.startedAt + timer.GetTimeout(m_talkers[number].timeout, 0);
    }
}

void
RdmaBurstStar::Measure(RdmaTimerState& timer, const std::vector<int64_t>& roundTrips, int64_t count)
{
    for (int64_t round = 0; round < count; ++round)
    {
        const RdmaTimerState before = timer;
        for (const int64_t roundTrip : roundTrips)
        {
            timer.Measured(roundTrip);
        }
        if (timer.smoothed == before.smoothed && timer.variation == before.variation &&
            timer.shortest == before.shortest)
        {
            break; // the estimate has converged: the remaining rounds do not change it
        }
    }
}

} // namespace ns3
