// SPDX-License-Identifier: GPL-2.0-only

// FastPathStarState: arrivals, departures and the switch.

#include "fast-path-star-state.h"

#include <algorithm>

namespace ns3
{

// --- arrivals -----------------------------------------------------------------------------------

bool
FastPathStarState::Arrive(State& state, uint32_t port, Checkpoint& last) const
{
    PortState& one = state.ports[port];
    const Frame frame = one.arrivals.front();
    one.arrivals.pop_front();
    int64_t* const due = &state.due[port * KINDS];
    due[ARRIVAL] = one.arrivals.empty() ? NEVER : one.arrivals.front().at;
    const uint32_t number = m_qps[frame.qp].peer;
    if (frame.ack)
    {
        return Acknowledge(state, number, frame.psn, last);
    }
    QueuePairState& qp = state.qps[number];
    const uint64_t mtu = m_qps[frame.qp].mtu;
    uint64_t bytes = mtu;
    if (frame.ends)
    {
        const Message& message = GetMessage(frame.qp, qp.arriving);
        bytes = message.payloadBytes - (message.packets - 1) * mtu;
        ++qp.arriving;
    }
    qp.expected = frame.psn + 1;
    qp.received += bytes;
    qp.receivedAt = state.now;
    qp.lastBytes = bytes;
    if (frame.asks && !qp.ackDue)
    {
        qp.ackDue = true;
        one.acks.push_back(number);
        due[DEPARTURE] = std::max(one.free, state.now);
    }
    return frame.ends;
}

bool
FastPathStarState::Acknowledge(State& state, uint32_t qp, uint64_t psn, Checkpoint& last) const
{
    QueuePairState& one = state.qps[qp];
    if (psn <= one.unacked)
    {
        return false;
    }
    const bool finished =
        one.Acknowledge(psn, state.now, m_qps[qp].timeout, m_messages[qp], last.roundTrips[qp]);
    if (one.timer.running)
    {
        Watch(state, one.timer);
    }
    if (finished)
    {
        one.readyDue = true; // queued after the report, whose callbacks may post messages first
    }
    else
    {
        Ready(state, qp);
    }
    return finished;
}

// --- departures ---------------------------------------------------------------------------------

bool
FastPathStarState::Depart(State& state, uint32_t port) const
{
    PortState& one = state.ports[port];
    while (one.acks.empty() && !one.data.empty() && !HasData(state, one.data.front()))
    {
        state.qps[one.data.front()].queued = false;
        one.data.pop_front();
    }
    int64_t& due = state.due[port * KINDS + DEPARTURE];
    if (one.acks.empty() && one.data.empty())
    {
        due = NEVER;
        return true;
    }
    const bool acks = !one.acks.empty();
    const uint32_t qp = acks ? one.acks.front() : one.data.front();
    const uint32_t far = m_qps[m_qps[qp].peer].port;
    if (state.ports[far].bound > m_ports[far].most)
    {
        return false;
    }
    if (acks)
    {
        one.acks.pop_front();
        DepartAck(state, qp);
    }
    else
    {
        DepartData(state, qp);
        if (one.data.size() > 1)
        {
            one.data.pop_front();
            one.data.push_back(qp);
        }
    }
    due = one.acks.empty() && one.data.empty() ? NEVER : one.free;
    return true;
}

void
FastPathStarState::DepartAck(State& state, uint32_t qp) const
{
    const QueuePairEntry& line = m_qps[qp];
    QueuePairState& one = state.qps[qp];
    one.ackDue = false;
    ++one.acks;
    Frame frame;
    frame.psn = one.expected;
    frame.messages = line.firstMsn + static_cast<uint32_t>(one.arriving);
    frame.qp = qp;
    frame.bytes = line.ack.bytes;
    frame.ack = true;
    Send(state, line.port, frame, line.ack.time);
}

void
FastPathStarState::DepartData(State& state, uint32_t qp) const
{
    const QueuePairEntry& line = m_qps[qp];
    QueuePairState& one = state.qps[qp];
    const PortState& port = state.ports[line.port];
    const Message& message = GetMessage(qp, one.sending);
    const uint64_t psn = one.next++;
    const bool asks = (psn + 1) % line.ackEvery == 0 || psn + 1 == one.limit ||
                      psn + 1 >= one.unacked + line.window;
    const bool ends = psn + 1 == message.firstPsn + message.packets;
    const Size& size =
        ends ? message.last : (psn == message.firstPsn ? message.first : message.middle);
    ++one.packets;
    const bool goesOn = port.last.qp == qp && !port.last.ack && port.free == state.now;
    one.bursts += goesOn ? 0 : 1;
    one.sending += ends ? 1 : 0;
    if (asks)
    {
        state.asker = ends || one.next == one.limit ? state.asker : std::min(state.asker, qp);
        one.Asked(psn, state.now, line.timeout);
        Watch(state, one.timer);
    }
    Frame frame;
    frame.psn = psn;
    frame.qp = qp;
    frame.bytes = size.bytes;
    frame.asks = asks;
    frame.ends = ends;
    Send(state, line.port, frame, size.time);
}

void
FastPathStarState::Send(State& state, uint32_t port, Frame frame, int64_t time) const
{
    const Port& line = m_ports[port];
    PortState& one = state.ports[port];
    one.free = state.now + time;
    one.wireBytes += frame.bytes;
    frame.time = time;
    frame.at = state.now + line.toHop + (line.cutThrough ? 0 : time) + line.hopLatency;
    one.last = frame;
    const uint32_t far = m_qps[m_qps[frame.qp].peer].port;
    Insert(state, far, frame);
    Await(state, far);
}

// --- the switch ---------------------------------------------------------------------------------

void
FastPathStarState::Insert(State& state, uint32_t port, const Frame& frame) const
{
    PortState& one = state.ports[port];
    Fifo<Frame>& frames = one.queues[frame.ack ? 1 : 0].frames;
    const uint32_t input = m_qps[frame.qp].port;
    std::size_t place = frames.size();
    while (place > 0 &&
           (frames[place - 1].at > frame.at ||
            (frames[place - 1].at == frame.at && m_qps[frames[place - 1].qp].port > input)))
    {
        --place;
    }
    frames.insert(place, frame);
    one.bound += frame.bytes - m_ports[port].outsideBytes;
}

void
FastPathStarState::Pass(State& state, uint32_t port) const
{
    PortState& one = state.ports[port];
    Enter(state, port, state.now + 1);
    const Fifo<Frame>& acks = one.queues[1].frames;
    Queue& queue = one.queues[!acks.empty() && acks.front().at <= state.now ? 1 : 0];
    Frame frame = queue.frames.front();
    queue.frames.pop_front();
    const uint32_t bytes = frame.bytes - m_ports[port].outsideBytes;
    --queue.entered;
    queue.depth -= bytes;
    one.bound -= bytes;
    one.passFree = state.now + frame.time;
    one.passedBytes += frame.bytes;
    frame.at = one.passFree + m_ports[port].delay;
    one.arrivals.push_back(frame);
    if (one.arrivals.size() == 1)
    {
        state.due[port * KINDS + ARRIVAL] = frame.at;
    }
    Await(state, port);
}

void
FastPathStarState::Enter(State& state, uint32_t port, int64_t before) const
{
    for (auto& queue : state.ports[port].queues)
    {
        while (queue.entered < queue.frames.size() &&
               GetEntry(queue.frames[queue.entered]) < before)
        {
            queue.depth += queue.frames[queue.entered].bytes - m_ports[port].outsideBytes;
            state.depth = std::max(state.depth, queue.depth);
            ++queue.entered;
            ++state.entered;
        }
    }
}

void
FastPathStarState::Enter(State& state, int64_t before) const
{
    for (uint32_t port = 0; port < m_ports.size(); ++port)
    {
        Enter(state, port, before);
    }
}

} // namespace ns3
