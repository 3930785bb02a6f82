// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-region-state.h"

#include "fast-path-repetitions.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// @return the first of the times of events
template <typename Times>
int64_t
FindFirst(const Times& times)
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
        CutPort(state, port);
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
    for (LinkState& link : state.links)
    {
        link.last.entered = 1; // there is no frame to count
    }
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
                       [](const auto& output) {
                           return output.queues[0].frames.empty() &&
                                  output.queues[1].frames.empty();
                       }) &&
           std::all_of(state.ports.begin(), state.ports.end(), [](const auto& port) {
               return port.arrivals.empty();
           });
}

bool
FastPathRegionState::IsSplit(const State& state) const
{
    if (IsLone())
    {
        return false;
    }
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
    // A frame may be ready for long in a port that was paused.
    state.sends[link] =
        ready == NEVER ? NEVER : std::max({ready, state.links[link].free, state.now});
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
        state.sends[port] = FindDeparture(state, port);
        AwaitArrival(state, port);
    }
    for (uint32_t link = m_ports; link < m_links.size(); ++link)
    {
        Await(state, link);
    }
    state.deadline = 0; // TimesOut computes it
}

FastPathRegionState::Reason
FastPathRegionState::Run(State& state, int64_t until, bool arrivals) const
{
    const auto links = static_cast<uint32_t>(m_links.size());
    FastPathRepetitions repetitions(*this);
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
        NS_ASSERT_MSG(next >= state.now, "a link has sent in the past");
        state.now = next;
        bool visible = false;
        for (uint32_t port = 0; arrivesFirst && !arrivals && port < m_ports; ++port)
        {
            if (IsVisible(state, port))
            {
                return VISIBLE;
            }
        }
        for (uint32_t port = 0; arrivesFirst && port < m_ports; ++port)
        {
            visible |= state.arrivals[port] == next && Arrive(state, port, repetitions);
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
        const uint32_t asker = std::exchange(state.asker, NOBODY);
        if (asker != NOBODY)
        {
            repetitions.Skip(state, asker, until);
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

const FastPathRegionState::Frame*
FastPathRegionState::FindMattering(const State& state, uint32_t port)
{
    const auto& arrivals = state.ports[port].arrivals;
    for (std::size_t i = 0; i < arrivals.size(); ++i)
    {
        if (arrivals[i].Matters())
        {
            return &arrivals[i];
        }
    }
    return nullptr;
}

void
FastPathRegionState::AwaitArrival(State& state, uint32_t port) const
{
    const Frame* const frame = FindMattering(state, port);
    state.arrivals[port] = frame ? frame->at : int64_t{NEVER};
}

bool
FastPathRegionState::IsNextVisible(const State& state, uint32_t port) const
{
    const Frame& frame = *FindMattering(state, port);
    const uint32_t number = m_qps[frame.qp].peer;
    return frame.ack ? state.qps[number].Finishes(frame.psn, m_messages[number]) : frame.ends;
}

void
FastPathRegionState::ArriveNow(State& state, uint32_t port) const
{
    FastPathRepetitions repetitions(*this);
    while (state.arrivals[port] == state.now)
    {
        Arrive(state, port, repetitions);
    }
}

void
FastPathRegionState::Absorb(State& state, uint32_t port, int64_t until) const
{
    auto& arrivals = state.ports[port].arrivals;
    while (!arrivals.empty() && !arrivals.front().Matters() && arrivals.front().at <= until)
    {
        Frame& run = arrivals.front();
        const QueuePairEntry& sender = m_qps[run.qp];
        QueuePairState& qp = state.qps[sender.peer];
        Frame rest;
        rest.count = 0;
        if (run.count > 1 && run.at + (run.count - 1) * run.time > until)
        {
            rest = run.Split(static_cast<uint32_t>((until - run.at) / run.time + 1));
        }
        qp.expected = run.psn + run.count;
        qp.received += run.count * sender.mtu;
        qp.receivedAt = run.at + (run.count - 1) * run.time;
        qp.lastBytes = sender.mtu;
        if (rest.count > 0)
        {
            run = rest;
            return;
        }
        arrivals.pop_front();
    }
}

bool
FastPathRegionState::Arrive(State& state, uint32_t port, FastPathRepetitions& repetitions) const
{
    PortState& one = state.ports[port];
    if (!one.arrivals.front().Matters())
    {
        Absorb(state, port, state.now);
    }
    const Frame frame = one.arrivals.front();
    one.arrivals.pop_front();
    AwaitArrival(state, port);
    const uint32_t number = m_qps[frame.qp].peer;
    if (frame.ack)
    {
        return Acknowledge(state, number, frame.psn, repetitions);
    }
    QueuePairState& qp = state.qps[number];
    const uint64_t mtu = m_qps[frame.qp].mtu;
    uint64_t bytes = mtu;
    if (frame.ends)
    {
        const Message& message = GetMessage(frame.qp, qp.arriving);
        bytes = message.payloadBytes - (message.packets - 1) * mtu;
        ++qp.arriving;
        ++qp.messages;
    }
    qp.expected = frame.psn + 1;
    qp.received += bytes;
    qp.receivedAt = state.now;
    qp.lastBytes = bytes;
    if (frame.asks && !qp.ackDue)
    {
        CutPort(state, port);
        qp.ackDue = true;
        one.acks.push_back(number);
        state.sends[port] = std::max(state.links[port].free, state.now);
    }
    return frame.ends;
}

bool
FastPathRegionState::Acknowledge(State& state,
                                 uint32_t qp,
                                 uint64_t psn,
                                 FastPathRepetitions& repetitions) const
{
    QueuePairState& one = state.qps[qp];
    if (psn <= one.unacked)
    {
        return false;
    }
    const auto measured = [&](int64_t time) { repetitions.AddRoundTrip(qp, time); };
    const bool finished =
        one.Acknowledge(psn, state.now, m_qps[qp].timeout, m_messages[qp], measured);
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
    if (!IsLone() && CountRoom(state, port, frame) == 0)
    {
        return false;
    }
    if (acks)
    {
        one.acks.pop_front();
        if (!one.arrivals.empty() && !one.arrivals.front().Matters())
        {
            Absorb(state, port, state.now);
        }
        Frame sent = DepartAck(state, frame.qp);
        Send(state, port, sent);
    }
    else
    {
        Frame sent = DepartData(state, frame.qp, one.data.size() == 1);
        if (one.data.size() > 1)
        {
            one.data.pop_front();
            one.data.push_back(frame.qp);
        }
        Send(state, port, sent);
    }
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
    frame.at = state.now;
    frame.psn = one.expected;
    frame.messages = one.messages;
    frame.qp = qp;
    frame.bytes = line.ack.bytes;
    frame.ack = true;
    return frame;
}

FastPathRegionState::Frame
FastPathRegionState::DepartData(State& state, uint32_t qp, bool alone) const
{
    const QueuePairEntry& line = m_qps[qp];
    QueuePairState& one = state.qps[qp];
    const LinkState& link = state.links[line.port];
    const Message& message = GetMessage(qp, one.sending);
    const uint64_t psn = one.next;
    const uint64_t last = message.firstPsn + message.packets - 1;
    const uint64_t before = one.CountBeforeRequest(psn, line.window, line.ackEvery);
    const bool asks = before == 0;
    const bool ends = psn == last;
    const bool first = psn == message.firstPsn;
    const Size& size = ends ? message.last : (first ? message.first : message.middle);
    Frame frame;
    frame.at = state.now;
    frame.time = size.time;
    frame.psn = psn;
    frame.qp = qp;
    frame.bytes = size.bytes;
    frame.asks = asks;
    frame.ends = ends;
    if (alone && !asks && !ends && !first)
    {
        frame.count = static_cast<uint32_t>(std::min(last - psn, before));
        frame.count = IsLone() ? frame.count : CountRoom(state, line.port, frame);
    }
    one.next += frame.count;
    one.packets += frame.count;
    const bool goesOn = link.last.qp == qp && !link.last.ack && link.free == state.now;
    one.bursts += goesOn ? 0 : 1;
    one.sending += ends ? 1 : 0;
    if (asks)
    {
        state.asker = ends || one.next == one.limit ? state.asker : std::min(state.asker, qp);
        one.Asked(psn, state.now, line.timeout);
        Watch(state, one.timer);
    }
    return frame;
}

uint32_t
FastPathRegionState::CountRoom(State& state, uint32_t link, const Frame& frame) const
{
    const Route& route = m_qps[frame.qp].route;
    if (frame.hop == route.size() || IsLone())
    {
        return frame.count;
    }
    const uint32_t next = route[frame.hop];
    const LinkState& one = state.links[link];
    const auto release = [&](uint32_t output) {
        if (GetOutput(state, output).begun < state.links[output].last.count)
        {
            Enter(state, output, state.now + 1); // packets that enter meet those that leave later
            Release(state, output, state.now + 1);
        }
    };
    release(next);
    for (uint32_t other = m_ports; one.held > m_limit && other < m_links.size(); ++other)
    {
        release(other);
    }
    const uint64_t bound = GetOutput(state, next).bound;
    if (one.held > m_limit || bound > m_limit)
    {
        return 0;
    }
    const uint64_t room = m_limit - std::max(one.held, bound);
    return frame.count == 1
               ? 1
               : static_cast<uint32_t>(std::min<uint64_t>(frame.count, room / frame.bytes + 1));
}

template <typename Frames>
void
FastPathRegionState::Append(Frames& frames, const Frame& frame)
{
    if (!frame.Matters() && !frames.empty())
    {
        Frame& run = frames.back();
        const bool follows = run.qp == frame.qp && !run.Matters() &&
                             run.psn + run.count == frame.psn && run.time == frame.time &&
                             run.bytes == frame.bytes && run.at + run.count * run.time == frame.at;
        if (follows)
        {
            run.count += frame.count;
            run.entered += frame.entered;
            return;
        }
    }
    frames.push_back(frame);
}

void
FastPathRegionState::Send(State& state, uint32_t link, Frame& frame) const
{
    const Link& line = m_links[link];
    LinkState& one = state.links[link];
    one.free = state.now + frame.count * frame.time;
    one.wireBytes += uint64_t{frame.count} * frame.bytes;
    one.last = frame;
    frame.entered = 0;
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
    frame.at = state.now + frame.time + line.delay;
    Append(state.ports[port].arrivals, frame);
    if (frame.Matters() && state.arrivals[port] == NEVER)
    {
        state.arrivals[port] = frame.at;
    }
}

// --- switches -----------------------------------------------------------------------------------

FastPathRegionState::Frame
FastPathRegionState::Frame::Split(uint32_t kept)
{
    Frame rest = *this;
    const uint32_t enteredHere = std::min(entered, kept);
    rest.at += kept * time;
    rest.psn += kept;
    rest.count -= kept;
    rest.entered -= enteredHere;
    count = kept;
    entered = enteredHere;
    return rest;
}

uint32_t
FastPathRegionState::CountBefore(const Frame& frame, const Frame& packet) const
{
    if (frame.at > packet.at)
    {
        return 0;
    }
    const auto precedes = [&](int64_t at) {
        return at < packet.at || m_links[GetInput(frame)].input <= m_links[GetInput(packet)].input;
    };
    if (frame.count == 1)
    {
        return precedes(frame.at) ? 1 : 0;
    }
    const int64_t before = (packet.at - frame.at + frame.time - 1) / frame.time;
    if (before >= frame.count)
    {
        return frame.count;
    }
    const int64_t at = frame.at + before * frame.time;
    return static_cast<uint32_t>(before) + (at == packet.at && precedes(at) ? 1 : 0);
}

void
FastPathRegionState::Insert(State& state, const Frame& frame) const
{
    const uint32_t link = m_qps[frame.qp].route[frame.hop];
    Output& output = GetOutput(state, link);
    const uint64_t bytes = uint64_t{frame.count} * (frame.bytes - m_links[link].outsideBytes);
    output.bound += bytes;
    state.links[GetInput(frame)].held += bytes;
    const LinkState& one = state.links[link];
    if (one.last.count > 1 && one.free > state.now)
    {
        // The packets of the present run that are sent after the frame wait in the queue again.
        Frame sent = one.last;
        --sent.hop;
        if (frame.ack)
        {
            PutBack(state, link, TakeBack(state, link, frame.at));
        }
        else if (const uint32_t kept = CountBefore(sent, frame); kept < sent.count)
        {
            PutBack(state, link, Shorten(state, link, kept));
        }
    }
    Queue& queue = output.queues[frame.ack ? 1 : 0];
    auto& frames = queue.frames;
    if (frames.empty() || CountBefore(frames.back(), frame) == frames.back().count)
    {
        Append(frames, frame);
        queue.entered = std::min(queue.entered, frames.size() - 1);
        return;
    }
    Frame rest = frame;
    while (rest.count > 0)
    {
        Frame next = rest;
        std::size_t place = frames.size();
        while (place > 0 && CountBefore(frames[place - 1], next) == 0)
        {
            --place;
        }
        if (place > 0)
        {
            Frame& before = frames[place - 1];
            const uint32_t kept = CountBefore(before, next);
            if (kept < before.count)
            {
                frames.insert(place, before.Split(kept));
            }
        }
        rest = place < frames.size() ? next.Split(std::max(CountBefore(next, frames[place]), 1U))
                                     : next.Split(next.count);
        frames.insert(place, next);
    }
}

bool
FastPathRegionState::Pass(State& state, uint32_t link) const
{
    Enter(state, link, state.now + 1);
    Release(state, link, state.now);
    Output& output = GetOutput(state, link);
    const auto& acks = output.queues[1].frames;
    const bool isAck = !acks.empty() && acks.front().at <= state.now;
    Queue& queue = output.queues[isAck ? 1 : 0];
    Frame frame = queue.frames.front();
    const uint32_t input = GetInput(frame);
    uint32_t count = frame.count;
    if (count > 1 && !acks.empty())
    {
        const int64_t before = (acks.front().at - state.now + frame.time - 1) / frame.time;
        count = static_cast<uint32_t>(std::min<int64_t>(count, before));
    }
    ++frame.hop;
    frame.count = count;
    count = IsLone() ? count : CountRoom(state, link, frame);
    if (count == 0)
    {
        return false;
    }
    Frame& front = queue.frames.front();
    frame.count = count;
    if (count < front.count)
    {
        const Frame rest = front.Split(count);
        frame.entered = front.entered;
        front = rest;
    }
    else
    {
        frame.entered = front.entered;
        queue.frames.pop_front();
        queue.entered -= queue.entered > 0 ? 1 : 0;
    }
    const uint32_t bytes = frame.bytes - m_links[link].outsideBytes;
    queue.depth -= bytes;
    output.bound -= bytes;
    output.begun = 1;
    state.links[input].held -= bytes;
    Send(state, link, frame);
    Await(state, link);
    return true;
}

void
FastPathRegionState::Release(State& state, uint32_t link, int64_t before) const
{
    Output& output = GetOutput(state, link);
    const LinkState& one = state.links[link];
    if (output.begun >= one.last.count)
    {
        return;
    }
    const int64_t since = before - 1 - one.GetStart();
    const auto begun = static_cast<uint32_t>(
        std::min<int64_t>(since < 0 ? 1 : since / one.last.time + 1, one.last.count));
    if (begun <= output.begun)
    {
        return;
    }
    const uint64_t bytes =
        uint64_t{begun - output.begun} * (one.last.bytes - m_links[link].outsideBytes);
    Frame sent = one.last;
    --sent.hop;
    output.begun = begun;
    output.bound -= bytes;
    output.queues[0].depth -= bytes;
    state.links[GetInput(sent)].held -= bytes;
}

bool
FastPathRegionState::Enter(State& state, uint32_t link, Frame& frame, int64_t before) const
{
    Output& output = GetOutput(state, link);
    const Frame& sent = state.links[link].last;
    uint64_t& depth = output.queues[frame.ack ? 1 : 0].depth;
    int64_t enters = frame.at + frame.entered * frame.time - m_links[link].latency;
    while (frame.entered < frame.count && enters < before)
    {
        uint32_t further = 1;
        if (frame.count > 1 && (output.begun == sent.count || sent.bytes == frame.bytes))
        {
            // At most one packet leaves between two that enter: the queue is longest at the end.
            further = frame.count - frame.entered;
            further = static_cast<uint32_t>(
                std::min<int64_t>((before - 1 - enters) / frame.time + 1, further));
        }
        enters += (further - 1) * frame.time;
        Release(state, link, enters); // a frame that leaves at this time still counts
        depth += further * (frame.bytes - m_links[link].outsideBytes);
        output.maxDepth = std::max(output.maxDepth, depth);
        frame.entered += further;
        output.entered += further;
        enters += frame.time;
    }
    return frame.entered == frame.count;
}

void
FastPathRegionState::Enter(State& state, uint32_t link, int64_t before) const
{
    // The first packets to enter are those of a run that the switch has begun to send.
    Enter(state, link, state.links[link].last, before);
    for (auto& queue : GetOutput(state, link).queues)
    {
        while (queue.entered < queue.frames.size() &&
               Enter(state, link, queue.frames[queue.entered], before))
        {
            ++queue.entered;
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

// --- shorter runs -------------------------------------------------------------------------------

template <typename Frames>
uint32_t
FastPathRegionState::Remove(Frames& frames, const Frame& from)
{
    uint32_t removed = 0;
    for (std::size_t i = frames.size(); i-- > 0 && removed < from.count;)
    {
        Frame& frame = frames[i];
        if (frame.qp != from.qp || frame.ack || frame.psn + frame.count <= from.psn)
        {
            continue;
        }
        if (frame.psn >= from.psn)
        {
            removed += frame.count;
            frames.erase(i);
            continue;
        }
        removed += frame.Split(static_cast<uint32_t>(from.psn - frame.psn)).count;
    }
    return removed;
}

FastPathRegionState::Frame
FastPathRegionState::Shorten(State& state, uint32_t link, uint32_t kept) const
{
    LinkState& one = state.links[link];
    Frame back = one.last.Split(std::min(kept, one.last.count));
    if (back.count == 0)
    {
        return back;
    }
    one.free -= back.count * back.time;
    one.wireBytes -= uint64_t{back.count} * back.bytes;
    const QueuePairEntry& qp = m_qps[back.qp];
    if (back.hop == qp.route.size())
    {
        Remove(state.ports[m_qps[qp.peer].port].arrivals, back);
        return back;
    }
    const uint32_t next = qp.route[back.hop];
    Output& output = GetOutput(state, next);
    if (Remove(output.queues[0].frames, back) < back.count)
    {
        // The next switch has planned to send the others in its present run.
        Shorten(state, next, static_cast<uint32_t>(back.psn - state.links[next].last.psn));
    }
    const uint64_t bytes = uint64_t{back.count} * (back.bytes - m_links[next].outsideBytes);
    output.bound -= bytes;
    one.held -= bytes;
    Await(state, next);
    return back;
}

FastPathRegionState::Frame
FastPathRegionState::TakeBack(State& state, uint32_t link, int64_t from) const
{
    const LinkState& one = state.links[link];
    if (one.last.count == 1 || one.free <= from)
    {
        return Shorten(state, link, one.last.count);
    }
    // A packet that would begin at `from` is taken back as well.
    const int64_t begun = (from - one.GetStart() + one.last.time - 1) / one.last.time;
    return Shorten(state, link, static_cast<uint32_t>(std::max<int64_t>(begun, 1)));
}

void
FastPathRegionState::CutPort(State& state, uint32_t port) const
{
    const LinkState& one = state.links[port];
    if (one.last.count == 1 || one.free <= state.now)
    {
        return;
    }
    const Frame back = TakeBack(state, port, state.now);
    state.qps[back.qp].next -= back.count;
    state.qps[back.qp].packets -= back.count;
    state.sends[port] = FindDeparture(state, port);
}

void
FastPathRegionState::PutBack(State& state, uint32_t link, Frame frame) const
{
    if (frame.count > 0)
    {
        Queue& queue = GetOutput(state, link).queues[0];
        --frame.hop;
        queue.frames.insert(0, frame);
        queue.entered = 0;
    }
}

void
FastPathRegionState::Cut(State& state) const
{
    for (uint32_t port = 0; port < m_ports; ++port)
    {
        CutPort(state, port);
    }
    for (uint32_t link = m_ports; link < m_links.size(); ++link)
    {
        PutBack(state, link, TakeBack(state, link, state.now));
        Await(state, link);
    }
}

} // namespace ns3
