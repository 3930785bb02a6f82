// SPDX-License-Identifier: GPL-2.0-only

// RdmaBurstStar: arrivals, departures and the switch.

#include "rdma-burst-star.h"

#include <algorithm>

namespace ns3
{

// --- arrivals -----------------------------------------------------------------------------------

bool
RdmaBurstStar::Arrive(State& state, uint32_t port, Checkpoint& last) const
{
    PortState& one = state.ports[port];
    const Frame frame = one.arrivals.front();
    one.arrivals.pop_front();
    int64_t* const due = &state.due[port * KINDS];
    due[ARRIVAL] = one.arrivals.empty() ? NEVER : one.arrivals.front().at;
    const uint32_t number = m_talkers[frame.talker].peer;
    if (frame.ack)
    {
        return Acknowledge(state, number, frame.psn, last);
    }
    TalkerState& talker = state.talkers[number];
    const uint64_t mtu = m_talkers[frame.talker].mtu;
    uint64_t bytes = mtu;
    if (frame.ends)
    {
        const Message& message = GetMessage(frame.talker, talker.arriving);
        bytes = message.payloadBytes - (message.packets - 1) * mtu;
        ++talker.arriving;
    }
    talker.expected = frame.psn + 1;
    talker.received += bytes;
    talker.receivedAt = state.now;
    talker.lastBytes = bytes;
    if (frame.asks && !talker.ackDue)
    {
        talker.ackDue = true;
        one.acks.push_back(number);
        due[DEPARTURE] = std::max(one.free, state.now);
    }
    return frame.ends;
}

bool
RdmaBurstStar::Acknowledge(State& state, uint32_t talker, uint64_t psn, Checkpoint& last) const
{
    TalkerState& one = state.talkers[talker];
    if (psn <= one.unacked)
    {
        return false;
    }
    const bool finished = one.Acknowledge(psn,
                                          state.now,
                                          m_talkers[talker].timeout,
                                          m_messages[talker],
                                          last.roundTrips[talker]);
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
        Ready(state, talker);
    }
    return finished;
}

// --- departures ---------------------------------------------------------------------------------

bool
RdmaBurstStar::Depart(State& state, uint32_t port) const
{
    PortState& one = state.ports[port];
    while (one.acks.empty() && !one.data.empty() && !HasData(state, one.data.front()))
    {
        state.talkers[one.data.front()].queued = false;
        one.data.pop_front();
    }
    int64_t& due = state.due[port * KINDS + DEPARTURE];
    if (one.acks.empty() && one.data.empty())
    {
        due = NEVER;
        return true;
    }
    const bool acks = !one.acks.empty();
    const uint32_t talker = acks ? one.acks.front() : one.data.front();
    const uint32_t far = m_talkers[m_talkers[talker].peer].port;
    if (state.ports[far].bound > m_ports[far].most)
    {
        return false;
    }
    if (acks)
    {
        one.acks.pop_front();
        DepartAck(state, talker);
    }
    else
    {
        DepartData(state, talker);
        if (one.data.size() > 1)
        {
            one.data.pop_front();
            one.data.push_back(talker);
        }
    }
    due = one.acks.empty() && one.data.empty() ? NEVER : one.free;
    return true;
}

void
RdmaBurstStar::DepartAck(State& state, uint32_t talker) const
{
    const Talker& line = m_talkers[talker];
    TalkerState& one = state.talkers[talker];
    one.ackDue = false;
    ++one.acks;
    Frame frame;
    frame.psn = one.expected;
    frame.messages = line.firstMsn + static_cast<uint32_t>(one.arriving);
    frame.talker = talker;
    frame.bytes = line.ack.bytes;
    frame.ack = true;
    Send(state, line.port, frame, line.ack.time);
}

void
RdmaBurstStar::DepartData(State& state, uint32_t talker) const
{
    const Talker& line = m_talkers[talker];
    TalkerState& one = state.talkers[talker];
    const PortState& port = state.ports[line.port];
    const Message& message = GetMessage(talker, one.sending);
    const uint64_t psn = one.next++;
    const bool asks = (psn + 1) % line.ackEvery == 0 || psn + 1 == one.limit ||
                      psn + 1 >= one.unacked + line.window;
    const bool ends = psn + 1 == message.firstPsn + message.packets;
    const Size& size =
        ends ? message.last : (psn == message.firstPsn ? message.first : message.middle);
    ++one.packets;
    const bool goesOn = port.last.talker == talker && !port.last.ack && port.free == state.now;
    one.bursts += goesOn ? 0 : 1;
    one.sending += ends ? 1 : 0;
    if (asks)
    {
        state.asker = ends || one.next == one.limit ? state.asker : std::min(state.asker, talker);
        one.Asked(psn, state.now, line.timeout);
        Watch(state, one.timer);
    }
    Frame frame;
    frame.psn = psn;
    frame.talker = talker;
    frame.bytes = size.bytes;
    frame.asks = asks;
    frame.ends = ends;
    Send(state, line.port, frame, size.time);
}

void
RdmaBurstStar::Send(State& state, uint32_t port, Frame frame, int64_t time) const
{
    const Port& line = m_ports[port];
    PortState& one = state.ports[port];
    one.free = state.now + time;
    one.wireBytes += frame.bytes;
    frame.time = time;
    frame.at = state.now + line.toHop + (line.cutThrough ? 0 : time) + line.hopLatency;
    one.last = frame;
    const uint32_t far = m_talkers[m_talkers[frame.talker].peer].port;
    Insert(state, far, frame);
    Await(state, far);
}

// --- the switch ---------------------------------------------------------------------------------

void
RdmaBurstStar::Insert(State& state, uint32_t port, const Frame& frame) const
{
    PortState& one = state.ports[port];
    Fifo<Frame>& frames = one.queues[frame.ack ? 1 : 0].frames;
    const uint32_t input = m_talkers[frame.talker].port;
    std::size_t place = frames.size();
    while (place > 0 &&
           (frames[place - 1].at > frame.at ||
            (frames[place - 1].at == frame.at && m_talkers[frames[place - 1].talker].port > input)))
    {
        --place;
    }
    frames.insert(place, frame);
    one.bound += frame.bytes - m_ports[port].outsideBytes;
}

void
RdmaBurstStar::Pass(State& state, uint32_t port) const
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
RdmaBurstStar::Enter(State& state, uint32_t port, int64_t before) const
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
RdmaBurstStar::Enter(State& state, int64_t before) const
{
    for (uint32_t port = 0; port < m_ports.size(); ++port)
    {
        Enter(state, port, before);
    }
}

} // namespace ns3
