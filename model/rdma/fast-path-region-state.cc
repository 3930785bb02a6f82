// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-region-state.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @return the first of the times of events
int64_t
FindFirst(const std::vector<int64_t>& times)
{
    int64_t first = FastPathRegionState::NEVER;
    for (const int64_t time : times)
    {
        first = std::min(first, time);
    }
    return first;
}

} // namespace

bool
FastPathRegionState::HasData(const State& state, uint32_t qp) const
{
    return state.qps[qp].HasData(m_qps[qp].window);
}

void
FastPathRegionState::Ready(State& state, uint32_t qp) const
{
    QueuePairState& one = state.qps[qp];
    one.readyDue = false;
    if (!one.queued && HasData(state, qp))
    {
        const uint32_t port = m_qps[qp].port;
        one.queued = true;
        state.ports[port].data.push_back(qp);
        state.sends[port] = std::max(state.links[port].free, state.now);
    }
}

FastPathRegionState::State
FastPathRegionState::MakeState() const
{
    State state;
    state.links.resize(m_links.size());
    state.ports.resize(m_ports);
    state.outputs.resize(m_links.size() - m_ports);
    state.qps.resize(m_qps.size());
    return state;
}

// --- queries ------------------------------------------------------------------------------------

uint64_t
FastPathRegionState::GetLongest(const State& state) const
{
    uint64_t longest = 0;
    for (const LinkState& link : state.links)
    {
        longest = std::max(longest, link.held);
    }
    for (const Output& output : state.outputs)
    {
        longest = std::max(longest, output.bound);
    }
    return longest;
}

bool
FastPathRegionState::IsBusy(const QueuePairState& qp)
{
    return qp.next != qp.limit || qp.unacked != qp.next || qp.ackDue;
}

bool
FastPathRegionState::IsQuiet(const State& state) const
{
    return std::none_of(state.qps.begin(), state.qps.end(), IsBusy) &&
           std::all_of(state.links.begin(),
                       state.links.end(),
                       [&](const auto& link) { return link.free <= state.now; }) &&
           std::all_of(state.outputs.begin(),
                       state.outputs.end(),
                       [](const auto& output) { return output.bound == 0; }) &&
           std::all_of(state.ports.begin(), state.ports.end(), [](const auto& port) {
               return port.arrivals.empty();
           });
}

bool
FastPathRegionState::IsSplit(const State& state) const
{
    // A forest: the links of a tree are connected by busy queue pairs.
    std::vector<uint32_t> parents(m_links.size(), NOBODY);
    const auto findRoot = [&parents](uint32_t link) {
        while (parents[link] != link)
        {
            parents[link] = parents[parents[link]];
            link = parents[link];
        }
        return link;
    };
    uint32_t groups = 0;
    const auto use = [&](uint32_t link) {
        if (parents[link] == NOBODY)
        {
            parents[link] = link;
            ++groups;
        }
        return findRoot(link);
    };
    const auto join = [&](uint32_t one, uint32_t other) {
        one = use(one);
        other = use(other);
        groups -= one == other ? 0 : 1;
        parents[one] = other;
    };
    for (const QueuePairEntry& qp : m_qps)
    {
        const auto number = static_cast<uint32_t>(&qp - m_qps.data());
        if (!IsBusy(state.qps[number]) && !IsBusy(state.qps[qp.peer]))
        {
            continue;
        }
        join(qp.port, m_qps[qp.peer].port);
        for (const uint32_t link : qp.route)
        {
            join(qp.port, link);
        }
    }
    return groups > 1;
}

void
FastPathRegionState::Watch(State& state, const RdmaTimerState& timer)
{
    state.deadline = std::min(state.deadline, timer.deadline);
}

bool
FastPathRegionState::TimesOut(State& state, int64_t by)
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
FastPathRegionState::Await(State& state, uint32_t link) const
{
    int64_t ready = NEVER;
    for (const auto& queue : GetOutput(state, link).queues)
    {
        ready = queue.frames.empty() ? ready : std::min(ready, queue.frames.front().at);
    }
    state.sends[link] = ready == NEVER ? NEVER : std::max(ready, state.links[link].free);
}

int64_t
FastPathRegionState::FindDeparture(const State& state, uint32_t port) const
{
    const PortState& one = state.ports[port];
    return one.acks.empty() && one.data.empty() ? NEVER
                                                : std::max(state.links[port].free, state.now);
}

void
FastPathRegionState::Prepare(State& state) const
{
    state.sends.assign(m_links.size(), NEVER);
    state.arrivals.assign(m_ports, NEVER);
    for (uint32_t port = 0; port < m_ports; ++port)
    {
        const Fifo<Frame>& arrivals = state.ports[port].arrivals;
        state.sends[port] = FindDeparture(state, port);
        state.arrivals[port] = arrivals.empty() ? NEVER : arrivals.front().at;
    }
    for (uint32_t link = m_ports; link < m_links.size(); ++link)
    {
        Await(state, link);
        state.sends[link] = std::max(state.sends[link], state.now);
    }
    state.deadline = 0; // TimesOut computes it
}

FastPathRegionState::Reason
FastPathRegionState::Run(State& state, int64_t until, bool arrivals) const
{
    const auto links = static_cast<uint32_t>(m_links.size());
    Checkpoint last;
    // Brent's cycle detection: the checkpoint moves when the steps since reach a power of two.
    uint64_t steps = 0;
    uint64_t power = 0;
    Form form;
    last.roundTrips.resize(m_qps.size());
    while (true)
    {
        const int64_t arrives = FindFirst(state.arrivals);
        const int64_t departs = FindFirst(state.sends);
        const int64_t next = std::min(arrives, departs);
        const bool arrivesFirst = arrives <= departs;
        if (next == NEVER)
        {
            if (until == NEVER && TimesOut(state, NEVER - 1))
            {
                return TIME_OUT; // an acknowledgement was lost before the fast path began
            }
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
        for (uint32_t port = 0; arrivesFirst && port < m_ports; ++port)
        {
            visible |= state.arrivals[port] == next && Arrive(state, port, last);
        }
        for (uint32_t link = 0; !arrivesFirst && link < links; ++link)
        {
            if (state.sends[link] == next &&
                !(link < m_ports ? Depart(state, link) : Pass(state, link)))
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
FastPathRegionState::Decide(State& state, uint32_t port) const
{
    if (GetDeparture(state, port) == state.now)
    {
        Depart(state, port); // if this reports FULL, so does the next Run
    }
}

// --- arrivals -----------------------------------------------------------------------------------

bool
FastPathRegionState::Arrive(State& state, uint32_t port, Checkpoint& last) const
{
    PortState& one = state.ports[port];
    const Frame frame = one.arrivals.front();
    one.arrivals.pop_front();
    state.arrivals[port] = one.arrivals.empty() ? NEVER : one.arrivals.front().at;
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
        state.sends[port] = std::max(state.links[port].free, state.now);
    }
    return frame.ends;
}

bool
FastPathRegionState::Acknowledge(State& state, uint32_t qp, uint64_t psn, Checkpoint& last) const
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
FastPathRegionState::Depart(State& state, uint32_t port) const
{
    PortState& one = state.ports[port];
    while (one.acks.empty() && !one.data.empty() && !HasData(state, one.data.front()))
    {
        state.qps[one.data.front()].queued = false;
        one.data.pop_front();
    }
    if (one.acks.empty() && one.data.empty())
    {
        state.sends[port] = NEVER;
        return true;
    }
    const bool acks = !one.acks.empty();
    Frame frame;
    frame.qp = acks ? one.acks.front() : one.data.front();
    if (!HasRoom(state, port, frame))
    {
        return false;
    }
    if (acks)
    {
        one.acks.pop_front();
        frame = DepartAck(state, frame.qp);
    }
    else
    {
        frame = DepartData(state, frame.qp);
        if (one.data.size() > 1)
        {
            one.data.pop_front();
            one.data.push_back(frame.qp);
        }
    }
    Send(state, port, frame);
    state.sends[port] = FindDeparture(state, port);
    return true;
}

FastPathRegionState::Frame
FastPathRegionState::DepartAck(State& state, uint32_t qp) const
{
    const QueuePairEntry& line = m_qps[qp];
    QueuePairState& one = state.qps[qp];
    one.ackDue = false;
    ++one.acks;
    Frame frame;
    frame.time = line.ack.time;
    frame.psn = one.expected;
    frame.messages = line.firstMsn + static_cast<uint32_t>(one.arriving);
    frame.qp = qp;
    frame.bytes = line.ack.bytes;
    frame.ack = true;
    return frame;
}

FastPathRegionState::Frame
FastPathRegionState::DepartData(State& state, uint32_t qp) const
{
    const QueuePairEntry& line = m_qps[qp];
    QueuePairState& one = state.qps[qp];
    const LinkState& link = state.links[line.port];
    const Message& message = GetMessage(qp, one.sending);
    const uint64_t psn = one.next++;
    const bool asks = (psn + 1) % line.ackEvery == 0 || psn + 1 == one.limit ||
                      psn + 1 >= one.unacked + line.window;
    const bool ends = psn + 1 == message.firstPsn + message.packets;
    const Size& size =
        ends ? message.last : (psn == message.firstPsn ? message.first : message.middle);
    ++one.packets;
    const bool goesOn = link.last.qp == qp && !link.last.ack && link.free == state.now;
    one.bursts += goesOn ? 0 : 1;
    one.sending += ends ? 1 : 0;
    if (asks)
    {
        state.asker = ends || one.next == one.limit ? state.asker : std::min(state.asker, qp);
        one.Asked(psn, state.now, line.timeout);
        Watch(state, one.timer);
    }
    Frame frame;
    frame.time = size.time;
    frame.psn = psn;
    frame.qp = qp;
    frame.bytes = size.bytes;
    frame.asks = asks;
    frame.ends = ends;
    return frame;
}

bool
FastPathRegionState::HasRoom(const State& state, uint32_t link, const Frame& frame) const
{
    const std::vector<uint32_t>& route = m_qps[frame.qp].route;
    if (frame.hop == route.size())
    {
        return true; // the link leads to a NIC
    }
    const uint32_t next = route[frame.hop];
    return state.links[link].held <= m_limit && state.outputs[next - m_ports].bound <= m_limit;
}

void
FastPathRegionState::Send(State& state, uint32_t link, Frame& frame) const
{
    const Link& line = m_links[link];
    LinkState& one = state.links[link];
    one.free = state.now + frame.time;
    one.wireBytes += frame.bytes;
    one.last = frame;
    const QueuePairEntry& qp = m_qps[frame.qp];
    if (frame.hop < qp.route.size())
    {
        const uint32_t next = qp.route[frame.hop];
        frame.at =
            state.now + line.toNext + (line.cutThrough ? 0 : frame.time) + m_links[next].latency;
        Insert(state, frame);
        Await(state, next);
        return;
    }
    const uint32_t port = m_qps[qp.peer].port;
    Fifo<Frame>& arrivals = state.ports[port].arrivals;
    frame.at = one.free + line.delay;
    arrivals.push_back(frame);
    if (arrivals.size() == 1)
    {
        state.arrivals[port] = frame.at;
    }
}

// --- switches -----------------------------------------------------------------------------------

void
FastPathRegionState::Insert(State& state, const Frame& frame) const
{
    const uint32_t link = m_qps[frame.qp].route[frame.hop];
    const uint32_t input = GetInput(frame);
    Output& output = GetOutput(state, link);
    Fifo<Frame>& frames = output.queues[frame.ack ? 1 : 0].frames;
    std::size_t place = frames.size();
    while (place > 0 && (frames[place - 1].at > frame.at ||
                         (frames[place - 1].at == frame.at &&
                          m_links[GetInput(frames[place - 1])].input > m_links[input].input)))
    {
        --place;
    }
    frames.insert(place, frame);
    const uint32_t bytes = frame.bytes - m_links[link].outsideBytes;
    output.bound += bytes;
    state.links[input].held += bytes;
}

bool
FastPathRegionState::Pass(State& state, uint32_t link) const
{
    Enter(state, link, state.now + 1);
    Output& output = GetOutput(state, link);
    const Fifo<Frame>& acks = output.queues[1].frames;
    Queue& queue = output.queues[!acks.empty() && acks.front().at <= state.now ? 1 : 0];
    Frame frame = queue.frames.front();
    const uint32_t input = GetInput(frame);
    ++frame.hop;
    if (!HasRoom(state, link, frame))
    {
        return false;
    }
    queue.frames.pop_front();
    const uint32_t bytes = frame.bytes - m_links[link].outsideBytes;
    --queue.entered;
    queue.depth -= bytes;
    output.bound -= bytes;
    state.links[input].held -= bytes;
    Send(state, link, frame);
    Await(state, link);
    return true;
}

void
FastPathRegionState::Enter(State& state, uint32_t link, int64_t before) const
{
    Output& output = GetOutput(state, link);
    for (auto& queue : output.queues)
    {
        while (queue.entered < queue.frames.size() &&
               GetEntry(queue.frames[queue.entered]) < before)
        {
            queue.depth += queue.frames[queue.entered].bytes - m_links[link].outsideBytes;
            output.maxDepth = std::max(output.maxDepth, queue.depth);
            ++queue.entered;
            ++output.entered;
        }
    }
}

void
FastPathRegionState::Enter(State& state, int64_t before) const
{
    for (uint32_t link = m_ports; link < m_links.size(); ++link)
    {
        Enter(state, link, before);
    }
}

// --- repetitions --------------------------------------------------------------------------------

bool
FastPathRegionState::IsAnchor(const State& state, uint32_t qp)
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
FastPathRegionState::Normalise(const State& state, Form& form) const
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
    const auto addAll = [&](const Fifo<Frame>& frames) {
        form.push_back(static_cast<int64_t>(frames.size()));
        for (std::size_t i = 0; i < frames.size(); ++i)
        {
            add(frames[i]);
        }
    };
    for (const LinkState& link : state.links)
    {
        form.insert(form.end(),
                    {relative(link.free), int64_t{link.last.qp} * 2 + int64_t{link.last.ack}});
    }
    for (const PortState& port : state.ports)
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
    for (const Output& output : state.outputs)
    {
        for (const Queue& queue : output.queues)
        {
            form.push_back(static_cast<int64_t>(queue.entered));
            addAll(queue.frames);
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
FastPathRegionState::CountRepetitions(const State& state, const State& last, int64_t until) const
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
FastPathRegionState::Repeat(State& state, int64_t until, const Checkpoint& last) const
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
    state.deadline = 0; // TimesOut computes it
    for (auto* events : {&state.sends, &state.arrivals})
    {
        for (auto& time : *events)
        {
            time += time == NEVER ? 0 : later;
        }
    }
    for (std::size_t number = 0; number < m_links.size(); ++number)
    {
        LinkState& link = state.links[number];
        const LinkState& before = last.state.links[number];
        if (link.last.qp != NOBODY && link.free != before.free)
        {
            const uint32_t sender = link.last.qp;
            link.last.psn += further[link.last.ack ? m_qps[sender].peer : sender];
        }
        link.free += link.free == before.free ? 0 : later;
        link.wireBytes += times * (link.wireBytes - before.wireBytes);
    }
    for (PortState& port : state.ports)
    {
        move(port.arrivals);
    }
    for (std::size_t number = 0; number < state.outputs.size(); ++number)
    {
        Output& output = state.outputs[number];
        move(output.queues[0].frames);
        move(output.queues[1].frames);
        output.entered += times * (output.entered - last.state.outputs[number].entered);
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
FastPathRegionState::Measure(RdmaTimerState& timer,
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
