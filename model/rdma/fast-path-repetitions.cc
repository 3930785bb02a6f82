// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-repetitions.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ns3
{

namespace
{

/// An estimate that a round trip, measured again and again, no longer changes. The ranks of a ring
/// have the same ones, message after message.
struct Convergence
{
    int64_t roundTrip{0};
    RdmaRoundTripEstimate before;
    RdmaRoundTripEstimate after;
    uint64_t rounds{1}; //!< measurements until then, and one that changes nothing
};

/// @return a hash of the begin of a Convergence
uint64_t
GetHash(const RdmaRoundTripEstimate& before, int64_t roundTrip)
{
    return static_cast<uint64_t>(before.smoothed) + 31 * static_cast<uint64_t>(before.variation) +
           17 * static_cast<uint64_t>(roundTrip);
}

} // namespace

void
FastPathRepetitions::Skip(State& state, uint32_t asker, int64_t until)
{
    if (!IsAnchor(state, asker))
    {
        return;
    }
    m_form.clear();
    Normalise(state, m_form);
    if (m_power > 0 && m_form == m_checkpoint.form)
    {
        Repeat(state, until);
        m_power = 0;
    }
    else if (++m_steps >= m_power)
    {
        Keep(state, m_form);
        m_power = std::max<uint64_t>(1, 2 * m_power);
        m_steps = 0;
    }
}

bool
FastPathRepetitions::IsAnchor(const State& state, uint32_t qp) const
{
    for (uint32_t number = 0; number < qp; ++number)
    {
        if (state.qps[number].next < state.qps[number].limit)
        {
            return false;
        }
    }
    if (state.qps[qp].next == state.qps[qp].limit)
    {
        return false; // the queue pair has sent its last message at the same time
    }
    // A period is no shorter than the distance between two acknowledgement requests.
    const auto& message = m_region.GetMessage(qp, state.qps[qp].sending);
    const auto& constants = m_region.GetQueuePair(qp);
    const uint64_t period = std::min(constants.ackEvery, constants.window);
    return message.firstPsn + message.packets > state.qps[qp].next + period;
}

void
FastPathRepetitions::Keep(const State& state, Form& form)
{
    std::swap(m_checkpoint.form, form);
    m_checkpoint.now = state.now;
    m_checkpoint.links = state.links;
    m_checkpoint.qps = state.qps;
    m_checkpoint.entered.clear();
    for (const auto& output : state.outputs)
    {
        m_checkpoint.entered.push_back(output.entered);
    }
    m_checkpoint.roundTrips.clear();
}

// --- comparison ---------------------------------------------------------------------------------

void
FastPathRepetitions::Normalise(const State& state, Form& form) const
{
    const auto add = [&](const Frame& frame) {
        form.insert(form.end(),
                    {frame.at - state.now,
                     static_cast<int64_t>(state.qps[GetSender(frame)].next - frame.psn),
                     int64_t{frame.qp} * 8 + int64_t{frame.ack} + 2 * int64_t{frame.asks} +
                         4 * int64_t{frame.ends},
                     int64_t{frame.bytes},
                     int64_t{frame.count},
                     int64_t{frame.entered}});
    };
    const auto addAll = [&](const auto& frames) {
        form.push_back(static_cast<int64_t>(frames.size()));
        for (std::size_t i = 0; i < frames.size(); ++i)
        {
            add(frames[i]);
        }
    };
    for (const LinkState& link : state.links)
    {
        form.insert(form.end(),
                    {std::max<int64_t>(link.free - state.now, 0),
                     int64_t{link.last.qp} * 2 + int64_t{link.last.ack}});
        if (link.last.count > 1 && link.free > state.now)
        {
            add(link.last);
        }
    }
    for (const auto& port : state.ports)
    {
        for (const auto* qps : {&port.acks, &port.data})
        {
            form.push_back(static_cast<int64_t>(qps->size()));
            for (std::size_t i = 0; i < qps->size(); ++i)
            {
                form.push_back((*qps)[i]);
            }
        }
        addAll(port.arrivals);
    }
    for (std::size_t number = 0; number < state.outputs.size(); ++number)
    {
        const auto& output = state.outputs[number];
        addAll(output.queues[0].frames);
        addAll(output.queues[1].frames);
        form.push_back(state.links[m_region.GetNPorts() + number].last.count - output.begun);
    }
    for (uint32_t qp = 0; qp < m_region.GetNQueuePairs(); ++qp)
    {
        NormaliseQueuePair(state, qp, form);
    }
}

void
FastPathRepetitions::NormaliseQueuePair(const State& state, uint32_t qp, Form& form) const
{
    const auto behind = [](uint64_t base, uint64_t psn) {
        return static_cast<int64_t>(base - psn);
    };
    const auto& constants = m_region.GetQueuePair(qp);
    const QueuePairState& one = state.qps[qp];
    const bool timed = one.timer.timedPsn != RdmaTimerState::NONE;
    // The round-trip estimate is not compared: it changes every period, and Repeat updates it.
    form.insert(form.end(),
                {behind(one.next, one.unacked),
                 behind(one.next, one.ackRequested),
                 static_cast<int64_t>(one.next % constants.ackEvery),
                 one.timer.running ? one.timer.startedAt - state.now : 1,
                 timed ? behind(one.next, one.timer.timedPsn) : -1,
                 timed ? one.timer.timedAt - state.now : 0,
                 behind(state.qps[constants.peer].next, one.expected),
                 int64_t{one.ackDue} + 2 * int64_t{one.next < one.limit} + 4 * int64_t{one.queued}});
}

// --- repetition ---------------------------------------------------------------------------------

int64_t
FastPathRepetitions::CountRepetitions(const State& state, int64_t until) const
{
    const int64_t period = state.now - m_checkpoint.now;
    int64_t count = FastPathRegionState::NEVER;
    if (until != FastPathRegionState::NEVER)
    {
        count = (until - 1 - state.now) / period;
    }
    for (uint32_t number = 0; number < m_region.GetNQueuePairs(); ++number)
    {
        const QueuePairState& qp = state.qps[number];
        const QueuePairState& before = m_checkpoint.qps[number];
        if (period >= m_region.GetQueuePair(number).timeout.least)
        {
            return 0; // a timer might run out between two checkpoints
        }
        const uint64_t sent = qp.next - before.next;
        if (sent == 0)
        {
            continue;
        }
        // All packets sent or in flight must lie strictly inside one message.
        const auto& message = m_region.GetMessage(number, qp.sending);
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
FastPathRepetitions::Repeat(State& state, int64_t until) const
{
    const int64_t count = CountRepetitions(state, until);
    if (count <= 0 || count == FastPathRegionState::NEVER)
    {
        return;
    }
    Repeats repeats{static_cast<uint64_t>(count), count * (state.now - m_checkpoint.now), {}};
    for (uint32_t qp = 0; qp < m_region.GetNQueuePairs(); ++qp)
    {
        const uint64_t sent = state.qps[qp].next - m_checkpoint.qps[qp].next;
        repeats.further.push_back(repeats.count * sent);
    }
    state.now += repeats.later;
    state.deadline = 0; // FastPathRegionState computes it when it looks for time-outs
    for (auto* events : {&state.sends, &state.arrivals})
    {
        for (auto& time : *events)
        {
            time += time == FastPathRegionState::NEVER ? 0 : repeats.later;
        }
    }
    RepeatLinks(state, repeats);
    for (auto& port : state.ports)
    {
        RepeatFrames(port.arrivals, repeats);
    }
    for (uint32_t qp = 0; qp < m_region.GetNQueuePairs(); ++qp)
    {
        RepeatQueuePair(state.qps[qp], qp, repeats);
    }
}

template <typename Frames>
void
FastPathRepetitions::RepeatFrames(Frames& frames, const Repeats& repeats) const
{
    for (std::size_t i = 0; i < frames.size(); ++i)
    {
        frames[i].at += repeats.later;
        frames[i].psn += repeats.further[GetSender(frames[i])];
    }
}

void
FastPathRepetitions::RepeatLinks(State& state, const Repeats& repeats) const
{
    for (std::size_t number = 0; number < state.links.size(); ++number)
    {
        LinkState& link = state.links[number];
        const LinkState& before = m_checkpoint.links[number];
        if (link.free == before.free)
        {
            continue; // the link has sent nothing in the period
        }
        if (link.last.qp != FastPathRegionState::NOBODY)
        {
            link.last.psn += repeats.further[GetSender(link.last)];
            link.last.at += repeats.later;
        }
        link.free += repeats.later;
        link.wireBytes += repeats.count * (link.wireBytes - before.wireBytes);
    }
    for (std::size_t number = 0; number < state.outputs.size(); ++number)
    {
        auto& output = state.outputs[number];
        RepeatFrames(output.queues[0].frames, repeats);
        RepeatFrames(output.queues[1].frames, repeats);
        output.entered += repeats.count * (output.entered - m_checkpoint.entered[number]);
    }
}

void
FastPathRepetitions::RepeatQueuePair(QueuePairState& qp,
                                     uint32_t number,
                                     const Repeats& repeats) const
{
    const auto& constants = m_region.GetQueuePair(number);
    const QueuePairState& before = m_checkpoint.qps[number];
    const uint64_t sent = repeats.further[number];
    qp.next += sent;
    qp.unacked += sent;
    qp.ackRequested += sent;
    qp.expected += repeats.further[constants.peer];
    qp.receivedAt += qp.receivedAt == before.receivedAt ? 0 : repeats.later;
    qp.received += repeats.count * (qp.received - before.received);
    qp.packets += repeats.count * (qp.packets - before.packets);
    qp.bursts += repeats.count * (qp.bursts - before.bursts);
    qp.acks += repeats.count * (qp.acks - before.acks);
    if (sent == 0)
    {
        return;
    }
    RdmaTimerState& timer = qp.timer;
    timer.startedAt += repeats.later;
    timer.timedAt += repeats.later;
    timer.timedPsn += timer.timedPsn == RdmaTimerState::NONE ? 0 : sent;
    Measure(timer, number, repeats.count);
    timer.deadline = timer.startedAt + timer.GetTimeout(constants.timeout, 0);
}

void
FastPathRepetitions::Measure(RdmaTimerState& timer, uint32_t qp, uint64_t count) const
{
    boost::container::small_vector<int64_t, 8> roundTrips;
    for (const RoundTrip& measured : m_checkpoint.roundTrips)
    {
        if (measured.qp == qp)
        {
            roundTrips.push_back(measured.time);
        }
    }
    RdmaRoundTripEstimate& estimate = timer;
    static std::array<Convergence, 256> results;
    Convergence* const known = roundTrips.size() == 1
                                   ? &results[GetHash(estimate, roundTrips[0]) % results.size()]
                                   : nullptr; // periods of several round trips are computed
    if (known && known->rounds <= count && known->roundTrip == roundTrips[0] &&
        known->before == estimate)
    {
        estimate = known->after;
        return;
    }
    RdmaRoundTripEstimate after = estimate; // a copy that may stay in registers
    for (uint64_t round = 1; round <= count; ++round)
    {
        const RdmaRoundTripEstimate before = after;
        for (const int64_t roundTrip : roundTrips)
        {
            after.Measured(roundTrip);
        }
        if (after == before) // it has converged: the remaining rounds do not change it
        {
            if (known)
            {
                *known = {roundTrips[0], estimate, after, round};
            }
            break;
        }
    }
    estimate = after;
}

} // namespace ns3
