// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-pair.h"

#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include "ns3/ethernet-port-net-device.h"

#include <algorithm>

// FastPathPair with a switch between the two ends.

namespace ns3
{

namespace
{

/**
 * @param line the line
 * @param state the state of the line
 * @param end the receiving end
 * @param inclusive true to count packets that arrive at state.now
 * @param mtu payload bytes of a full packet
 * @return bytes received so far of the message that is arriving at the end
 */
uint64_t
CountArriving(const FastPathPairState& line,
              const FastPathPairState::State& state,
              uint32_t end,
              bool inclusive,
              uint64_t mtu)
{
    const uint64_t number = state.ends[end].arriving;
    if (number == line.GetEndNumber(1 - end))
    {
        return 0;
    }
    const uint64_t expected = line.GetExpected(state, end, inclusive);
    const uint64_t first = line.GetMessage(1 - end, number).firstPsn;
    return expected > first ? (expected - first) * mtu : 0;
}

} // namespace

// --- beginning ----------------------------------------------------------------------------------

FastPathPair::FastPathPair(const std::array<PairEnd, 2>& sides, FastPathHop* hop)
    : m_firstPort(sides[0].port),
      m_hop(hop)
{
    m_state.now = Now();
    for (uint32_t end = 0; end < 2; ++end)
    {
        m_ends[end].side = sides[end];
        static_cast<Outlook&>(m_ends[end]) = MakeOutlook(end);
        if (sides[end].path.epoch)
        {
            sides[end].path.epoch->SetWatcher(this);
        }
        Begin(end);
    }
    // The next PSN that each end expects is the next one that the other end sends.
    for (uint32_t end = 0; end < 2; ++end)
    {
        m_state.ends[end].expected = m_state.ends[1 - end].next;
        TakeMessages(end);
    }
    // A message may have arrived in part before this object took over.
    for (uint32_t end = 0; end < 2; ++end)
    {
        m_ends[end].settledBytes = CountReceived(m_state, end, true);
    }
}

FastPathPair::~FastPathPair()
{
    for (auto& end : m_ends)
    {
        end.wake->Disarm();
    }
}

void
FastPathPair::Begin(uint32_t end)
{
    const PairEnd& side = m_ends[end].side;
    const RdmaRequester& requester = side.queuePair->GetRequester();
    Line::End& line = m_line.At(end);
    line.delay = side.path.delay.GetTimeStep();
    const Line::Size ack = side.queuePair->GetAckSize();
    line.ackTime = ack.time;
    line.ackBytes = ack.bytes;
    line.window = requester.GetWindowPackets();
    line.ackEvery = requester.GetAckInterval();
    line.timeout = requester.GetTimer().GetBounds();

    const RdmaRequester::Progress progress = requester.GetProgress();
    Line::EndState& state = m_state.ends[end];
    state.free = m_state.now;
    state.next = progress.next;
    state.unacked = progress.unacked;
    state.limit = progress.next;
    state.ackRequested = progress.ackRequested;
    state.timer = progress.timer;
    if (m_hop)
    {
        BeginHop(end);
    }
    m_ends[end].firstMsn = side.queuePair->GetResponder().GetMessages();
}

void
FastPathPair::TakeMessages(uint32_t end)
{
    RdmaQueuePair& queuePair = *m_ends[end].side.queuePair;
    const RdmaSendQueue& queue = queuePair.GetRequester().GetQueue();
    // Finished messages have been removed from the send queue and from the line.
    const uint64_t known = m_line.GetEndNumber(end) - m_ends[end].finished;
    for (uint64_t i = known; i < queue.GetNMessages(); ++i)
    {
        m_line.Post(m_state, end, queuePair.GetBurstMessage(queue.GetMessage(i)));
    }
}

uint32_t
FastPathPair::GetEnd(const EthernetPortNetDevice& port) const
{
    return m_firstPort == &port ? 0 : 1;
}

bool
FastPathPair::Has(const RdmaQueuePair& queuePair) const
{
    return m_ends[0].side.queuePair == &queuePair || m_ends[1].side.queuePair == &queuePair;
}

bool
FastPathPair::IsSending(uint32_t end) const
{
    const Line::EndState present = GetPresent().ends[end];
    // A transmission that ends at this time still counts.
    return present.free >= Now() && present.totals.wireBytes > 0;
}

bool
FastPathPair::IsQuiet() const
{
    Line::State present = m_state;
    if (present.now < Now())
    {
        m_line.Run(present, Now(), false);
    }
    return m_line.IsQuiet(present) && !m_ends[0].asked && !m_ends[1].asked &&
           m_ends[0].reported == present.ends[0].arriving &&
           m_ends[1].reported == present.ends[1].arriving &&
           m_ends[0].finished >= present.ends[0].answered &&
           m_ends[1].finished >= present.ends[1].answered;
}

// --- time passes --------------------------------------------------------------------------------

void
FastPathPair::CatchUp()
{
    const int64_t now = Now();
    if (m_looked && m_visible && m_ahead.now == now)
    {
        m_state = m_ahead;
        m_looked = false;
    }
    else if (m_looked && !m_visible && !m_timeOut && m_ahead.now <= now)
    {
        m_state = m_ahead;
        m_looked = false;
        m_state.now = now; // the line is quiet: nothing has changed since
    }
    else if (m_state.now < now)
    {
        m_line.Run(m_state, now, true);
        m_dueAt = std::min(m_dueAt, now);
    }
}

bool
FastPathPair::Posted(const RdmaQueuePair& queuePair)
{
    if (!Has(queuePair))
    {
        return false;
    }
    const uint32_t end = m_ends[0].side.queuePair == &queuePair ? 0 : 1;
    CatchUp();
    TakeMessages(end);
    m_looked = false;
    m_ends[end].followed |= m_ends[end].arrivedAt == m_state.now;
    m_ends[end].asked = true;
    m_ends[end].side.port->Kick();
    return true;
}

void
FastPathPair::Decide(uint32_t end)
{
    m_ends[end].asked = false;
    CatchUp();
    m_line.Decide(m_state, end);
    m_looked = false;
    if (!m_ends[1 - end].asked)
    {
        LookAhead();
    }
}

void
FastPathPair::LookAhead()
{
    m_ahead = m_state;
    const Line::Reason reason = m_line.Run(m_ahead, Line::NEVER, true);
    m_looked = true;
    m_visible = reason == Line::VISIBLE;
    m_timeOut = reason == Line::TIME_OUT;
    m_dueAt =
        HasToReport(0) || HasToReport(1) ? m_state.now : (m_visible ? m_ahead.now : Line::NEVER);
    for (uint32_t end = 0; end < 2; ++end)
    {
        const Line::EndState& ahead = m_ahead.ends[end];
        const bool visible = m_visible && (ahead.arriving > m_ends[end].reported ||
                                           ahead.answered > m_ends[end].finished);
        m_ends[end].visibleAt = visible ? m_ahead.now : Line::NEVER;
        if (m_timeOut && ahead.timer.running)
        {
            m_ends[end].visibleAt = std::max(Now(), ahead.timer.deadline - 1);
        }
        if (m_ends[end].visibleAt != Line::NEVER)
        {
            WakeAt(m_ends[end], end, *m_ends[end].side.port, m_ends[end].visibleAt);
        }
    }
}

void
FastPathPair::Woken(uint32_t end)
{
    End& one = m_ends[end];
    WakeUp(one, end, *one.side.port, *one.side.nic, !m_over && m_looked && m_timeOut);
}

bool
FastPathPair::HasToReport(uint32_t end) const
{
    const Line::EndState& state = m_state.ends[end];
    return m_ends[end].reported < state.arriving || m_ends[end].finished < state.answered;
}

void
FastPathPair::DeliverDue(uint32_t end)
{
    if (!m_over && m_looked && m_visible && m_ahead.now == Now())
    {
        CatchUp();
    }
    if (!HasToReport(end))
    {
        return;
    }
    End& one = m_ends[end];
    const Line::EndState& state = m_state.ends[end];
    const Ptr<FastPathPair> self(this); // callbacks may end and release it
    one.visibleAt = Line::NEVER;
    one.reporting = true;
    const bool arrives = one.reported < state.arriving;
    if (arrives)
    {
        one.arrivedAt = Now();
        one.follows = one.followed;
        one.followed = false;
    }
    while (one.reported < state.arriving)
    {
        const Line::Message message = m_line.GetMessage(1 - end, one.reported++);
        one.reportedBytes += message.payloadBytes;
        one.side.queuePair->BurstArrived(message.immediate, message.payloadBytes);
    }
    Finish(end, state.finishing);
    one.reporting = false;
    if (m_over)
    {
        one.side.nic->Ready(*one.side.queuePair);
        return;
    }
    if (one.asked || m_line.IsQuiet(m_state))
    {
        return;
    }
    // If a message was posted at the previous arrival, one is likely to be posted at this time too:
    // let the port decide first. If an acknowledgement is due, it precedes the message anyway.
    const bool decides = !state.ackDue && m_line.GetDeparture(m_state, end) == Now();
    if ((arrives && one.follows) || decides)
    {
        one.asked = true;
        one.side.port->Kick();
        return;
    }
    if (!m_ends[1 - end].asked && !HasToReport(1 - end))
    {
        LookAhead();
    }
}

void
FastPathPair::Finish(uint32_t end, uint64_t number)
{
    End& one = m_ends[end];
    while (one.finished < number)
    {
        m_line.ForgetBefore(end, ++one.finished);
        one.side.queuePair->BurstFinished();
    }
}

// --- leaving ------------------------------------------------------------------------------------

FastPathPair::Line::State
FastPathPair::GetPresent() const
{
    Line::State present = m_state;
    if (present.now < Now())
    {
        m_line.Run(present, Now(), false);
    }
    for (uint32_t end = 0; end < 2; ++end)
    {
        m_line.Cut(present, end);
    }
    return present;
}

uint64_t
FastPathPair::CountReceived(const Line::State& state, uint32_t end, bool taken) const
{
    const uint64_t mtu = m_ends[1 - end].side.queuePair->GetRequester().GetMtu();
    const uint32_t from = 1 - end;
    const Line::EndState& one = state.ends[end];
    uint64_t bytes = m_ends[end].reportedBytes;
    for (uint64_t number = m_ends[end].reported; number < one.arriving; ++number)
    {
        const Line::Message& message = m_line.GetMessage(from, number);
        bytes += taken ? message.payloadBytes : (message.packets - 1) * mtu;
    }
    return bytes + CountArriving(m_line, state, end, taken, mtu);
}

void
FastPathPair::Settle()
{
    if (!m_over)
    {
        // A packet that arrives at this time counts once its NIC has processed its arrivals.
        SettleTo(GetPresent(), {m_takenAt[0] == Now(), m_takenAt[1] == Now()});
    }
}

void
FastPathPair::SettleTo(const Line::State& state, const std::array<bool, 2>& taken)
{
    for (uint32_t end = 0; end < 2; ++end)
    {
        End& one = m_ends[end];
        const Line::Totals& totals = state.ends[end].totals;
        const uint64_t received = CountReceived(state, end, taken[end]);
        one.side.queuePair->CountBurst(totals.packets - one.settled.packets,
                                       totals.acks - one.settled.acks,
                                       received - one.settledBytes);
        one.side.nic->CountBurst(totals.packets - one.settled.packets,
                                 totals.bursts - one.settled.bursts);
        one.side.port->CountBytesSent(totals.wireBytes - one.settled.wireBytes);
        if (m_hop)
        {
            SettleHop(state, end);
        }
        one.settled = totals;
        one.settledBytes = received;
    }
}

void
FastPathPair::LightLost()
{
    Leave();
}

void
FastPathPair::Detach()
{
    if (m_hop && !m_over)
    {
        m_hop->Part(*m_ends[0].side.path.receiver);
        m_hop->Part(*m_ends[1].side.path.receiver);
    }
    m_over = true;
    m_dueAt = 0;
    for (const auto& end : m_ends)
    {
        if (end.side.path.epoch)
        {
            end.side.path.epoch->SetWatcher(nullptr);
        }
    }
}

void
FastPathPair::Abandon()
{
    Detach();
    for (auto& end : m_ends)
    {
        end.wake->Disarm();
    }
}

void
FastPathPair::Leave()
{
    // A frame that arrives at this time is converted into a packet unless it has been processed.
    const Line::State present = GetPresent();
    const bool inclusive = m_state.now == Now();
    SettleTo(present, {inclusive, inclusive});
    m_state = present;
    const Ptr<FastPathPair> self(this);
    Detach();
    for (uint32_t end = 0; end < 2; ++end)
    {
        // Events that have been processed but not reported are reported when the port is due.
        const bool reports = m_ends[end].reported < present.ends[end].arriving ||
                             m_ends[end].finished < present.ends[end].answered;
        m_ends[end].side.nic->EndFastPath(*m_ends[end].side.port, reports);
        if (reports)
        {
            WakeAt(m_ends[end], end, *m_ends[end].side.port, Now());
        }
        else
        {
            Finish(end, present.ends[end].finishing); // messages without a report
        }
    }
    for (uint32_t end = 0; end < 2; ++end)
    {
        Restore(present, end, inclusive);
    }
    for (uint32_t end = 0; end < 2; ++end)
    {
        Launch(present, end, inclusive);
    }
    for (uint32_t end = 0; end < 2; ++end)
    {
        const PairEnd& side = m_ends[end].side;
        if (present.ends[end].queued && present.ends[end].free >= present.now)
        {
            side.nic->Requeue(*side.queuePair);
            side.port->Kick();
        }
        else if (!m_ends[end].reporting || m_ends[end].asked) // otherwise DeliverDue calls Ready
        {
            side.nic->Ready(*side.queuePair);
        }
        if (m_ends[end].asked)
        {
            side.port->Kick();
        }
    }
}

uint64_t
FastPathPair::CountMessages(uint32_t end, uint64_t from, uint64_t psn) const
{
    uint64_t number = from;
    while (number < m_line.GetEndNumber(end) &&
           m_line.GetMessage(end, number).firstPsn + m_line.GetMessage(end, number).packets <= psn)
    {
        ++number;
    }
    return number;
}

void
FastPathPair::Restore(const Line::State& state, uint32_t end, bool inclusive)
{
    const Line::EndState& one = state.ends[end];
    RdmaQueuePair& queuePair = *m_ends[end].side.queuePair;
    queuePair.EndBurst({one.next, one.unacked, one.ackRequested, one.timer});
    const uint64_t mtu = m_ends[1 - end].side.queuePair->GetRequester().GetMtu();
    queuePair.EndBurst(m_line.GetExpected(state, end, inclusive),
                       CountArriving(m_line, state, end, inclusive, mtu),
                       m_ends[end].firstMsn + one.arriving,
                       one.ackDue);
}

void
FastPathPair::Launch(const Line::State& state, uint32_t end, bool inclusive)
{
    const PairEnd& side = m_ends[end].side;
    const Line::EndState& one = state.ends[end];
    const int64_t now = Now();
    std::vector<UnderWay> frames;
    int64_t latest = 0;
    Ptr<Packet> last;
    for (const auto& flight : one.flights)
    {
        for (uint32_t i = 0; i < flight.GetFrames(); ++i)
        {
            const Line::Passage passage = m_line.GetPassage(end, flight, i);
            if (passage.arrives < now || (passage.arrives == now && inclusive))
            {
                continue; // processed already
            }
            Ptr<Packet> frame;
            if (flight.count > 0)
            {
                frame = side.queuePair->BuildDataAt(flight.psn + i,
                                                    i + 1 == flight.count && flight.asks);
            }
            else
            {
                const uint32_t from = 1 - end;
                const uint64_t messages =
                    CountMessages(from, m_ends[from].finished, flight.psn) + m_ends[end].firstMsn;
                frame = side.queuePair->BuildAckAt(flight.psn, static_cast<uint32_t>(messages));
            }
            if (!last || passage.leaves > latest)
            {
                last = frame;
                latest = passage.leaves;
            }
            if (m_hop)
            {
                frames.push_back(UnderWay{passage, flight.spacing, frame});
            }
            else
            {
                side.port->Launch(frame, side.path, TimeStep(passage.arrives));
            }
        }
    }
    if (m_hop)
    {
        LaunchByHop(end, std::move(frames));
    }
    if (one.free >= now && last)
    {
        side.port->Occupy(last, TimeStep(one.free - now));
    }
}

void
FastPathPair::BeginHop(uint32_t end)
{
    const PairEnd& side = m_ends[end].side;
    Line::End& line = m_line.At(end);
    line.delay = side.way.onward.delay.GetTimeStep();
    line.hop = true;
    line.cutThrough = side.way.cutThrough;
    line.hopLatency = side.way.latency.GetTimeStep();
    line.toHop = side.path.delay.GetTimeStep();
    line.toHop += line.cutThrough ? side.port->GetHeaderTime().GetTimeStep() : 0;
    line.outsideBytes = EthernetPortNetDevice::FRAME_OVERHEAD_BYTES;
    m_state.ends[end].hopFree = m_state.now;
}

bool
FastPathPair::IsPassing(const EthernetPortNetDevice& output) const
{
    const uint32_t end = m_ends[0].side.way.output == &output ? 0 : 1;
    const Line::State present = GetPresent();
    const Line::Flights& flights = present.ends[end].flights;
    return std::any_of(flights.begin(), flights.end(), [&](const Line::Flight& flight) {
        const int64_t passes = m_line.GetPassage(end, flight, 0).passes;
        // A transmission that ends at this time still counts.
        return passes < present.now && present.now <= passes + flight.GetFrames() * flight.spacing;
    });
}

void
FastPathPair::SettleHop(const Line::State& state, uint32_t end)
{
    End& one = m_ends[end];
    const Line::Totals& totals = state.ends[end].totals;
    uint64_t frames = totals.packets + totals.acks;
    uint64_t bytes = totals.wireBytes;
    for (const auto& flight : state.ends[end].flights)
    {
        for (uint32_t i = 0; i < flight.GetFrames(); ++i)
        {
            const Line::Passage passage = m_line.GetPassage(end, flight, i);
            frames -= passage.enters >= state.now ? 1 : 0;
            bytes -= passage.passes >= state.now ? flight.bytes : 0;
        }
    }
    m_hop->CountBurst(frames - one.settledFrames, m_line.GetDepth(state, end));
    one.side.way.output->CountBytesSent(bytes - one.settledPassed);
    one.settledFrames = frames;
    one.settledPassed = bytes;
}

void
FastPathPair::LaunchByHop(uint32_t end, std::vector<UnderWay> frames)
{
    const PairEnd& side = m_ends[end].side;
    EthernetPortNetDevice& output = *side.way.output;
    const int64_t now = Now();
    for (const auto& [passage, time, frame] : frames)
    {
        if (passage.passes < now)
        {
            output.Launch(frame, side.way.onward, TimeStep(passage.arrives));
            if (passage.passes + time >= now)
            {
                output.Occupy(frame, TimeStep(passage.passes + time - now));
            }
        }
    }
    for (const auto& [passage, time, frame] : frames)
    {
        if (passage.passes >= now && passage.enters < now)
        {
            m_hop->Hold(*side.path.receiver, output, frame, TimeStep(passage.ready));
        }
    }
    // An acknowledgement may overtake earlier frames in the switch, so restore the sending order.
    std::sort(frames.begin(), frames.end(), [](const UnderWay& x, const UnderWay& y) {
        return x.passage.leaves < y.passage.leaves;
    });
    for (const auto& [passage, time, frame] : frames)
    {
        if (passage.enters >= now)
        {
            const int64_t at = passage.leaves + time + side.path.delay.GetTimeStep();
            m_hop->Expect(*side.port, side.path, frame, TimeStep(at), passage.enters == now);
        }
    }
}

} // namespace ns3
