// SPDX-License-Identifier: GPL-2.0-only

// FastPathStarState: detects that a state recurs and computes all repetitions of the period at
// once.

#include "fast-path-star-state.h"

#include <algorithm>

namespace ns3
{

bool
FastPathStarState::IsAnchor(const State& state, uint32_t qp)
{
    for (uint32_t number = 0; number < qp; ++number)
    {
        if (state.qps[number].next < state.qps[number].limit)
        {
            return false;
        }
    }
    return true;
}

void
FastPathStarState::Normalise(const State& state, Form& form) const
{
    const auto relative = [&state](int64_t time) { return std::max<int64_t>(time - state.now, 0); };
    const auto behind = [](uint64_t base, uint64_t psn) {
        return static_cast<int64_t>(base - psn);
    };
    const auto add = [&](const Frame& frame) {
        const uint32_t sender = frame.ack ? m_qps[frame.qp].peer : frame.qp;
        form.insert(form.end(),
                    {frame.at - state.now,
                     behind(state.qps[sender].next, frame.psn),
                     int64_t{frame.qp} * 8 + int64_t{frame.ack} + 2 * int64_t{frame.asks} +
                         4 * int64_t{frame.ends},
                     int64_t{frame.bytes}});
    };
    for (const PortState& port : state.ports)
    {
        form.insert(form.end(),
                    {relative(port.free),
                     relative(port.passFree),
                     int64_t{port.last.qp} * 2 + int64_t{port.last.ack},
                     static_cast<int64_t>(port.queues[0].entered),
                     static_cast<int64_t>(port.queues[1].entered)});
        for (const auto* qps : {&port.acks, &port.data})
        {
            form.push_back(static_cast<int64_t>(qps->size()));
            for (std::size_t i = 0; i < qps->size(); ++i)
            {
                form.push_back((*qps)[i]);
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
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        const QueuePairState& qp = state.qps[number];
        const QueuePairState& peer = state.qps[m_qps[number].peer];
        const bool timed = qp.timer.timedPsn != RdmaTimerState::NONE;
        // The round-trip estimate is not compared: it changes every period, and Repeat updates it.
        form.insert(
            form.end(),
            {behind(qp.next, qp.unacked),
             behind(qp.next, qp.ackRequested),
             static_cast<int64_t>(qp.next % m_qps[number].ackEvery),
             qp.timer.running ? qp.timer.startedAt - state.now : 1,
             timed ? behind(qp.next, qp.timer.timedPsn) : -1,
             timed ? qp.timer.timedAt - state.now : 0,
             behind(peer.next, qp.expected),
             int64_t{qp.ackDue} + 2 * int64_t{qp.next < qp.limit} + 4 * int64_t{qp.queued}});
    }
}

int64_t
FastPathStarState::CountRepetitions(const State& state, const State& last, int64_t until) const
{
    const int64_t period = state.now - last.now;
    int64_t count = NEVER;
    if (until != NEVER)
    {
        count = (until - 1 - state.now) / period;
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        const QueuePairState& qp = state.qps[number];
        const QueuePairState& before = last.qps[number];
        if (period >= m_qps[number].timeout.least)
        {
            return 0; // a timer might run out between two checkpoints
        }
        const uint64_t sent = qp.next - before.next;
        if (sent == 0)
        {
            continue;
        }
        // All packets sent or in flight must lie strictly inside one message.
        const Message& message = GetMessage(number, qp.sending);
        if (before.unacked <= message.firstPsn)
        {
            return 0;
        }
        const uint64_t left = message.firstPsn + message.packets - 1 - qp.next;
        count = std::min(count, static_cast<int64_t>(left / sent));
    }
    return count;
}

void
FastPathStarState::Repeat(State& state, int64_t until, const Checkpoint& last) const
{
    const int64_t count = CountRepetitions(state, last.state, until);
    if (count <= 0 || count == NEVER)
    {
        return;
    }
    const int64_t later = count * (state.now - last.state.now);
    const auto times = static_cast<uint64_t>(count);
    std::vector<uint64_t> further;
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        const uint64_t before = last.state.qps[number].next;
        further.push_back(times * (state.qps[number].next - before));
    }
    const auto move = [&](Fifo<Frame>& frames) {
        for (std::size_t i = 0; i < frames.size(); ++i)
        {
            Frame& frame = frames[i];
            frame.at += later;
            frame.psn += further[frame.ack ? m_qps[frame.qp].peer : frame.qp];
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
        if (port.last.qp != NOBODY && port.free != before.free)
        {
            const uint32_t sender = port.last.qp;
            port.last.psn += further[port.last.ack ? m_qps[sender].peer : sender];
        }
        move(port.queues[0].frames);
        move(port.queues[1].frames);
        move(port.arrivals);
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        QueuePairState& qp = state.qps[number];
        const QueuePairState& before = last.state.qps[number];
        const uint64_t peers = further[m_qps[number].peer];
        qp.next += further[number];
        qp.unacked += further[number];
        qp.ackRequested += further[number];
        qp.expected += peers;
        qp.receivedAt += qp.receivedAt == before.receivedAt ? 0 : later;
        qp.received += times * (qp.received - before.received);
        qp.packets += times * (qp.packets - before.packets);
        qp.bursts += times * (qp.bursts - before.bursts);
        qp.acks += times * (qp.acks - before.acks);
        RdmaTimerState& timer = qp.timer;
        if (further[number] == 0)
        {
            continue;
        }
        timer.startedAt += later;
        timer.timedAt += later;
        timer.timedPsn += timer.timedPsn == RdmaTimerState::NONE ? 0 : further[number];
        Measure(timer, last.roundTrips[number], count);
        timer.deadline = timer.startedAt + timer.GetTimeout(m_qps[number].timeout, 0);
    }
}

void
FastPathStarState::Measure(RdmaTimerState& timer,
                           const std::vector<int64_t>& roundTrips,
                           int64_t count)
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
