// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-star-state.h"

#include <algorithm>

// FastPathStarState: arrivals, departures and the switch.

// FastPathStarState: detects that a state recurs and computes all repetitions of the period at
// once.

namespace ns3
{

bool
FastPathStarState::HasData(const State& state, uint32_t qp) const
{
    return state.qps[qp].HasData(m_qps[qp].window);
}

void
FastPathStarState::Ready(State& state, uint32_t qp) const
{
    QueuePairState& one = state.qps[qp];
    one.readyDue = false;
    if (!one.queued && HasData(state, qp))
    {
        const uint32_t port = m_qps[qp].port;
        one.queued = true;
        state.ports[port].data.push_back(qp);
        state.due[port * KINDS + DEPARTURE] = std::max(state.ports[port].free, state.now);
    }
}

// --- queries ------------------------------------------------------------------------------------

bool
FastPathStarState::IsBusy(const QueuePairState& qp)
{
    return qp.next != qp.limit || qp.unacked != qp.next || qp.ackDue;
}

bool
FastPathStarState::IsQuiet(const State& state) const
{
    const bool silent = std::none_of(state.qps.begin(), state.qps.end(), IsBusy);
    return silent && std::all_of(state.ports.begin(), state.ports.end(), [&](const auto& port) {
               return port.free <= state.now && port.passFree <= state.now && port.bound == 0 &&
                      port.arrivals.empty();
           });
}

bool
FastPathStarState::IsSplit(const State& state) const
{
    // For each port, the representative of its connected component.
    std::vector<uint32_t> heads(m_ports.size(), NOBODY);
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        const QueuePairEntry& qp = m_qps[number];
        if (!IsBusy(state.qps[number]) && !IsBusy(state.qps[qp.peer]))
        {
            continue;
        }
        const uint32_t far = m_qps[qp.peer].port;
        for (const uint32_t port : {qp.port, far})
        {
            heads[port] = heads[port] == NOBODY ? port : heads[port];
        }
        std::replace(heads.begin(), heads.end(), uint32_t{heads[far]}, uint32_t{heads[qp.port]});
    }
    uint32_t head = NOBODY;
    for (const uint32_t one : heads)
    {
        if (one != NOBODY && head != NOBODY && one != head)
        {
            return true;
        }
        head = one != NOBODY ? one : head;
    }
    return false;
}

void
FastPathStarState::Watch(State& state, const RdmaTimerState& timer)
{
    state.deadline = std::min(state.deadline, timer.deadline);
}

bool
FastPathStarState::TimesOut(State& state, int64_t by)
{
    if (state.deadline > by)
    {
        return false;
    }
    state.deadline = NEVER;
    for (const auto& qp : state.qps)
    {
        if (qp.timer.running)
        {
            Watch(state, qp.timer);
        }
    }
    return state.deadline <= by;
}

// --- what happens next --------------------------------------------------------------------------

void
FastPathStarState::Await(State& state, uint32_t port) const
{
    const PortState& one = state.ports[port];
    int64_t ready = NEVER;
    for (const auto& queue : one.queues)
    {
        ready = queue.frames.empty() ? ready : std::min(ready, queue.frames.front().at);
    }
    state.due[port * KINDS + PASSAGE] = ready == NEVER ? NEVER : std::max(ready, one.passFree);
}

void
FastPathStarState::Prepare(State& state) const
{
    state.due.assign(m_ports.size() * KINDS, NEVER);
    for (uint32_t port = 0; port < m_ports.size(); ++port)
    {
        const PortState& one = state.ports[port];
        int64_t* const due = &state.due[port * KINDS];
        Await(state, port);
        due[PASSAGE] = std::max(due[PASSAGE], state.now);
        due[ARRIVAL] = one.arrivals.empty() ? NEVER : one.arrivals.front().at;
        due[DEPARTURE] =
            one.acks.empty() && one.data.empty() ? NEVER : std::max(one.free, state.now);
    }
    state.deadline = 0; // TimesOut computes it
}

FastPathStarState::Reason
FastPathStarState::Run(State& state, int64_t until, bool arrivals) const
{
    const auto ports = static_cast<uint32_t>(m_ports.size());
    Checkpoint last;
    // Brent's cycle detection: the checkpoint moves when the steps since reach a power of two.
    uint64_t steps = 0;
    uint64_t power = 0;
    Form form;
    last.roundTrips.resize(m_qps.size());
    while (true)
    {
        int64_t arrives = NEVER;
        int64_t departs = NEVER;
        for (uint32_t port = 0; port < ports; ++port)
        {
            const int64_t* const due = &state.due[port * KINDS];
            arrives = std::min(arrives, due[ARRIVAL]);
            departs = std::min(departs, std::min(due[DEPARTURE], due[PASSAGE]));
        }
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
        if (TimesOut(state, next))
        {
            return TIME_OUT;
        }
        state.now = next;
        bool visible = false;
        for (uint32_t port = 0; port < ports; ++port)
        {
            const int64_t* const due = &state.due[port * KINDS];
            if (arrivesFirst)
            {
                visible |= due[ARRIVAL] == next && Arrive(state, port, last);
                continue;
            }
            if (due[PASSAGE] == next)
            {
                Pass(state, port);
            }
            if (due[DEPARTURE] == next && !Depart(state, port))
            {
                return FULL;
            }
        }
        if (visible)
        {
            return VISIBLE;
        }
        const uint32_t asker = state.asker;
        state.asker = NOBODY;
        if (asker == NOBODY || !IsAnchor(state, asker))
        {
            continue;
        }
        form.clear();
        Normalise(state, form);
        if (power > 0 && form == last.form)
        {
            Repeat(state, until, last);
            power = 0;
        }
        else if (++steps >= power)
        {
            std::swap(last.form, form);
            last.state = state;
            for (auto& roundTrips : last.roundTrips)
            {
                roundTrips.clear();
            }
            power = std::max<uint64_t>(1, 2 * power);
            steps = 0;
        }
    }
}

void
FastPathStarState::Decide(State& state, uint32_t port) const
{
    if (GetDeparture(state, port) == state.now)
    {
        Depart(state, port); // if this reports FULL, so does the next Run
    }
}

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
    if (state.ports[far].bound > m_ports[far].most || one.held > m_ports[port].most)
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
    const uint32_t bytes = frame.bytes - m_ports[port].outsideBytes;
    one.bound += bytes;
    state.ports[input].held += bytes;
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
    state.ports[m_qps[frame.qp].port].held -= bytes;
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
