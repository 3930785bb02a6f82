// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-star.h"

#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include "ns3/ethernet-port-net-device.h"

#include <algorithm>

// FastPathStar: takes over traffic with packets in flight.

// FastPathStar: returns to packets.

namespace ns3
{

uint32_t
FastPathStar::GetNumber(const RdmaQueuePair& queuePair) const
{
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        if (m_qps[number].qp.queuePair == &queuePair)
        {
            return number;
        }
    }
    return Star::NOBODY;
}

uint32_t
FastPathStar::GetEnd(const EthernetPortNetDevice& port) const
{
    uint32_t end = 0;
    while (m_ports[end].entry.port != &port)
    {
        ++end;
    }
    return end;
}

bool
FastPathStar::Has(const RdmaQueuePair& queuePair) const
{
    return GetNumber(queuePair) != Star::NOBODY;
}

// --- queries ------------------------------------------------------------------------------------

FastPathStar::Star::State
FastPathStar::GetPresent() const
{
    Star::State present = m_state;
    if (present.now < Now())
    {
        m_star.Run(present, Now(), false);
    }
    return present;
}

bool
FastPathStar::IsSending(uint32_t end) const
{
    // A transmission that ends at this time still counts.
    return GetPresent().ports[end].free >= Now();
}

bool
FastPathStar::IsPassing(const EthernetPortNetDevice& output) const
{
    uint32_t end = 0;
    while (m_ports[end].entry.path.receiver != &output)
    {
        ++end;
    }
    return GetPresent().ports[end].passFree >= Now();
}

bool
FastPathStar::HasNews(uint32_t end, const Star::State& state) const
{
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        const SenderEntry& one = m_qps[number];
        const Star::QueuePairState& qp = state.qps[number];
        if (one.qp.end == end && (one.reported < qp.arriving || one.finished < qp.answered))
        {
            return true;
        }
    }
    return false;
}

bool
FastPathStar::IsQuiet() const
{
    if (m_looked && (m_visible || m_ends))
    {
        return false; // an event is pending
    }
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        if (m_ports[end].asked || m_ports[end].reporting || HasNews(end, m_state))
        {
            return false;
        }
    }
    return m_star.IsQuiet(GetPresent());
}

// --- time passes --------------------------------------------------------------------------------

void
FastPathStar::CatchUp()
{
    const int64_t now = Now();
    if (m_looked && m_visible && m_ahead.now == now)
    {
        std::swap(m_state, m_ahead);
        m_looked = false;
    }
    else if (m_looked && !m_visible && !m_ends && m_ahead.now <= now)
    {
        std::swap(m_state, m_ahead);
        m_looked = false;
        m_state.now = now; // the star is quiet: nothing has changed since
    }
    else if (m_state.now < now)
    {
        m_star.Run(m_state, now, true);
    }
}

bool
FastPathStar::Posted(const RdmaQueuePair& queuePair)
{
    const uint32_t number = GetNumber(queuePair);
    if (number == Star::NOBODY)
    {
        return false;
    }
    CatchUp();
    if (IsQuiet())
    {
        return false; // for a single busy queue pair a FastPathPair is faster
    }
    TakeMessages(number);
    m_star.Ready(m_state, number);
    m_looked = false;
    End& end = m_ports[m_qps[number].qp.end];
    end.asked = true;
    end.entry.port->Kick();
    return true;
}

void
FastPathStar::Decide(uint32_t end)
{
    m_ports[end].asked = false;
    CatchUp();
    m_star.Decide(m_state, end);
    m_looked = false;
    LookAhead();
}

void
FastPathStar::LookAhead()
{
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        if (m_ports[end].asked || m_ports[end].reporting || HasNews(end, m_state))
        {
            return; // the pending decision or report calls LookAhead
        }
    }
    m_ahead = m_state;
    const bool split = m_star.IsSplit(m_state);
    const auto reason = split ? Star::FULL : m_star.Run(m_ahead, Star::NEVER, true);
    m_looked = true;
    m_visible = reason == Star::VISIBLE;
    m_ends = reason == Star::TIME_OUT || reason == Star::FULL;
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        m_ports[end].visibleAt =
            m_visible && HasNews(end, m_ahead) ? m_ahead.now : int64_t{Star::NEVER};
        if (m_ends && end == 0)
        {
            const int64_t at = reason == Star::TIME_OUT ? m_ahead.deadline - 1 : m_ahead.now;
            m_ports[end].visibleAt = std::max(Now(), at);
        }
        if (m_ports[end].visibleAt != Star::NEVER)
        {
            End& one = m_ports[end];
            WakeAt(one, end, *one.entry.port, one.visibleAt);
        }
    }
}

void
FastPathStar::Woken(uint32_t end)
{
    End& one = m_ports[end];
    WakeUp(one, end, *one.entry.port, *one.entry.nic, !m_over && m_looked && m_ends);
}

bool
FastPathStar::IsDue(const EthernetPortNetDevice& port, int64_t now)
{
    m_ports[GetEnd(port)].takenAt = now;
    return !m_looked || (m_visible && m_ahead.now <= now);
}

void
FastPathStar::DeliverDue(uint32_t end)
{
    if (!m_over && m_looked && m_visible && m_ahead.now == Now())
    {
        CatchUp();
    }
    End& one = m_ports[end];
    if (!HasNews(end, m_state))
    {
        return;
    }
    const Ptr<FastPathStar> self(this); // callbacks may end and release it
    one.visibleAt = Star::NEVER;
    one.reporting = true;
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        SenderEntry& sender = m_qps[number];
        if (sender.qp.end != end)
        {
            continue;
        }
        const uint32_t peer = sender.qp.peer;
        while (sender.reported < m_state.qps[number].arriving)
        {
            const Star::Message message = m_star.GetMessage(peer, sender.reported++);
            sender.qp.queuePair->BurstArrived(message.immediate, message.payloadBytes);
        }
        const bool finishes = sender.finished < m_state.qps[number].finishing;
        Finish(number);
        if (finishes && m_over)
        {
            one.entry.nic->Ready(*sender.qp.queuePair);
        }
        else if (finishes)
        {
            m_star.Ready(m_state, number);
        }
    }
    one.reporting = false;
    if (m_over)
    {
        return;
    }
    // After an arrival a message is usually posted at this end at the same time: let the port
    // decide before looking ahead.
    if (!one.asked)
    {
        one.asked = true;
        one.entry.port->Kick();
    }
}

void
FastPathStar::Finish(uint32_t number)
{
    SenderEntry& sender = m_qps[number];
    while (sender.finished < m_state.qps[number].finishing)
    {
        m_star.ForgetBefore(number, ++sender.finished);
        sender.qp.queuePair->BurstFinished();
    }
}

// --- counters -----------------------------------------------------------------------------------

void
FastPathStar::Settle()
{
    if (!m_over)
    {
        Star::State present = GetPresent();
        SettleTo(present, false);
    }
}

void
FastPathStar::SettleTo(Star::State& state, bool inclusive)
{
    m_star.Enter(state, Now());
    m_hop.CountBurst(state.entered - m_settledFrames, state.depth);
    m_settledFrames = state.entered;
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        End& one = m_ports[end];
        const Star::PortState& port = state.ports[end];
        one.entry.port->CountBytesSent(port.wireBytes - one.settledBytes);
        one.entry.path.receiver->CountBytesSent(port.passedBytes - one.settledPassed);
        one.settledBytes = port.wireBytes;
        one.settledPassed = port.passedBytes;
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        SenderEntry& one = m_qps[number];
        const End& end = m_ports[one.qp.end];
        const Star::QueuePairState& qp = state.qps[number];
        // A packet that arrives at this time counts once its NIC has processed its arrivals.
        const bool early = qp.receivedAt == Now() && !inclusive && end.takenAt != Now();
        const uint64_t received = qp.received - (early ? qp.lastBytes : 0);
        one.qp.queuePair->CountBurst(qp.packets - one.packets,
                                     qp.acks - one.acks,
                                     received - one.received);
        end.entry.nic->CountBurst(qp.packets - one.packets, qp.bursts - one.bursts);
        one.packets = qp.packets;
        one.bursts = qp.bursts;
        one.acks = qp.acks;
        one.received = received;
    }
}

FastPathStar::FastPathStar(std::vector<PortEntry> ports,
                           std::vector<QueuePairEntry> qps,
                           FastPathHop& hop)
    : m_hop(hop)
{
    for (auto& entry : ports)
    {
        const auto end = static_cast<uint32_t>(m_ports.size());
        m_ports.emplace_back();
        m_ports.back().entry = std::move(entry);
        static_cast<Outlook&>(m_ports.back()) = MakeOutlook(end);
    }
    for (const auto& qp : qps)
    {
        m_qps.emplace_back();
        m_qps.back().qp = qp;
    }
}

FastPathStar::~FastPathStar()
{
    for (auto& end : m_ports)
    {
        end.wake->Disarm();
    }
}

// --- ports and queue pairs ----------------------------------------------------------------------

void
FastPathStar::ReadPort(uint32_t end)
{
    const PortEntry& entry = m_ports[end].entry;
    Star::Port line;
    line.delay = entry.onward.delay.GetTimeStep();
    line.cutThrough = entry.way.cutThrough;
    line.hopLatency = entry.way.latency.GetTimeStep();
    line.toHop = entry.path.delay.GetTimeStep();
    if (line.cutThrough)
    {
        constexpr uint32_t bytes = RoceHeader::MAX_BYTES; // any size gives the same difference
        const Time header = entry.port->GetFrameTime(bytes) - entry.port->GetRestOfFrame(bytes);
        line.toHop += header.GetTimeStep();
    }
    line.outsideBytes = EthernetPortNetDevice::FRAME_OVERHEAD_BYTES;
    line.most = entry.most;
    m_star.Add(line);
}

void
FastPathStar::ReadQueuePair(uint32_t number)
{
    const QueuePairEntry& qp = m_qps[number].qp;
    const RdmaRequester& requester = qp.queuePair->GetRequester();
    const RdmaResponder& responder = qp.queuePair->GetResponder();
    Star::QueuePairEntry line;
    line.port = qp.end;
    line.peer = qp.peer;
    line.ack = qp.queuePair->GetAckSize();
    line.mtu = requester.GetMtu();
    line.window = requester.GetWindowPackets();
    line.ackEvery = requester.GetAckInterval();
    line.timeout = requester.GetTimer().GetBounds();
    // Message 0 of the peer is the oldest one in its send queue.
    const RdmaSendQueue& sends = m_qps[qp.peer].qp.queuePair->GetRequester().GetQueue();
    Star::QueuePairState& state = m_state.qps[number];
    state.expected = responder.GetExpectedPsn();
    while (state.arriving < sends.GetNMessages() &&
           sends.GetMessage(state.arriving).firstPsn + sends.GetMessage(state.arriving).packets <=
               state.expected)
    {
        ++state.arriving;
    }
    m_qps[number].reported = state.arriving;
    line.firstMsn = responder.GetMessages() - static_cast<uint32_t>(state.arriving);
    m_star.Add(line);

    const RdmaRequester::Progress progress = requester.GetProgress();
    state.next = progress.next;
    state.unacked = progress.unacked;
    state.limit = progress.next;
    state.ackRequested = progress.ackRequested;
    state.timer = progress.timer;
    TakeMessages(number);
    const RdmaSendQueue& own = requester.GetQueue();
    while (state.sending < own.GetNMessages() &&
           own.GetMessage(state.sending).firstPsn + own.GetMessage(state.sending).packets <=
               state.next)
    {
        ++state.sending;
    }
}

void
FastPathStar::TakeMessages(uint32_t number)
{
    const RdmaQueuePair& queuePair = *m_qps[number].qp.queuePair;
    const RdmaSendQueue& queue = queuePair.GetRequester().GetQueue();
    // Finished messages have been removed from the send queue and from the star.
    const uint64_t known = m_star.GetEndNumber(number) - m_qps[number].finished;
    for (uint64_t i = known; i < queue.GetNMessages(); ++i)
    {
        m_star.Post(m_state, number, queuePair.GetBurstMessage(queue.GetMessage(i)));
    }
}

// --- frames -------------------------------------------------------------------------------------

uint32_t
FastPathStar::Find(const RoceHeader& header) const
{
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        const RdmaQueuePair& queuePair = *m_qps[number].qp.queuePair;
        const RdmaEndpoint& local = queuePair.GetEndpoint();
        const RdmaEndpoint& remote = queuePair.GetRemote();
        if (local.queuePair == header.destinationQp && local.ip == header.destinationIp &&
            local.mac == header.destinationMac)
        {
            return remote.ip == header.sourceIp && remote.mac == header.sourceMac ? number
                                                                                  : Star::NOBODY;
        }
    }
    return Star::NOBODY;
}

bool
FastPathStar::Recognise(const Ptr<Packet>& frame, Star::Frame& result) const
{
    RoceHeader header;
    if (frame->PeekHeader(header) == 0 || (header.tos & RoceHeader::ECN_MASK) == RoceHeader::CE)
    {
        return false;
    }
    const uint32_t to = Find(header);
    if (to == Star::NOBODY || header.opcode == RoceHeader::CONGESTION_NOTIFICATION)
    {
        return false;
    }
    const QueuePairEntry& receiver = m_qps[to].qp;
    const QueuePairEntry& sender = m_qps[receiver.peer].qp;
    const FastPathHop::Flow flow = sender.queuePair->GetFlow();
    const uint8_t priority = RoceHeader::GetPriority(header.tos);
    EthernetPortNetDevice& port = *m_ports[sender.end].entry.port;
    result = Star::Frame{};
    result.qp = receiver.peer;
    result.time = port.GetFrameTime(frame->GetSize()).GetTimeStep();
    result.bytes = EthernetPortNetDevice::GetWireBytes(frame->GetSize());
    if (header.opcode == RoceHeader::ACKNOWLEDGE)
    {
        result.ack = true;
        result.psn = receiver.queuePair->GetRequester().Unwrap(header.psn) + 1;
        result.messages = header.msn;
        // An obsolete acknowledgement unwraps to a PSN far ahead and is rejected here.
        const uint64_t next = m_state.qps[to].next;
        return header.syndrome == RoceHeader::ACK && priority == flow.controlPriority &&
               result.psn <= next;
    }
    const uint64_t expected = m_state.qps[to].expected;
    result.psn = expected + ((header.psn - static_cast<uint32_t>(expected)) & RoceHeader::PSN_MASK);
    result.asks = header.ackRequest;
    result.ends = header.opcode == RoceHeader::WRITE_LAST_WITH_IMMEDIATE ||
                  header.opcode == RoceHeader::WRITE_ONLY_WITH_IMMEDIATE;
    return priority == flow.dataPriority;
}

bool
FastPathStar::ReadPassing(uint32_t end)
{
    const PortEntry& entry = m_ports[end].entry;
    Star::PortState& state = m_state.ports[end];
    std::vector<EthernetPortNetDevice::UnderWay> arrivals;
    if (!entry.port->GetArrivals(arrivals))
    {
        return false;
    }
    Star::Frame frame;
    for (const auto& arrival : arrivals)
    {
        if (!Recognise(arrival.frame, frame) || m_qps[m_qps[frame.qp].qp.peer].qp.end != end)
        {
            return false;
        }
        frame.at = arrival.at.GetTimeStep();
        state.arrivals.push_back(frame);
    }
    std::vector<FastPathHop::Held> held;
    if (!m_hop.Look(*entry.path.receiver, held))
    {
        return false;
    }
    for (const auto& one : held)
    {
        if (!Recognise(one.frame, frame) || m_qps[m_qps[frame.qp].qp.peer].qp.end != end)
        {
            return false;
        }
        frame.at = one.ready.GetTimeStep();
        Star::Queue& queue = state.queues[frame.ack ? 1 : 0];
        const std::size_t before = queue.frames.size();
        if (m_star.GetEntry(frame) > Now() ||
            (before > 0 && queue.frames[before - 1].at > frame.at))
        {
            return false; // the hop latency was larger when this frame entered the switch
        }
        m_star.Insert(m_state, end, frame);
        queue.entered = queue.frames.size();
        queue.depth += frame.bytes - EthernetPortNetDevice::FRAME_OVERHEAD_BYTES;
    }
    state.free = entry.port->GetBusyUntil().GetTimeStep();
    state.passFree = entry.path.receiver->GetBusyUntil().GetTimeStep();
    return true;
}

bool
FastPathStar::ReadComing(uint32_t end)
{
    const PortEntry& entry = m_ports[end].entry;
    std::vector<EthernetPortNetDevice::UnderWay> arrivals;
    if (!entry.path.receiver->GetArrivals(arrivals))
    {
        return false;
    }
    Star::Frame frame;
    for (const auto& arrival : arrivals)
    {
        if (!Recognise(arrival.frame, frame) || m_qps[frame.qp].qp.end != end)
        {
            return false;
        }
        frame.at = arrival.at.GetTimeStep() + entry.way.latency.GetTimeStep();
        m_star.Insert(m_state, m_qps[m_qps[frame.qp].qp.peer].qp.end, frame);
    }
    const Ptr<Packet> sending = entry.port->GetFrameInService();
    m_state.ports[end].last.qp = Star::NOBODY;
    return !sending || Recognise(sending, m_state.ports[end].last);
}

bool
FastPathStar::IsComplete() const
{
    std::vector<uint64_t> psns;
    for (const auto& one : m_qps)
    {
        psns.push_back(m_state.qps[one.qp.peer].expected);
    }
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        const Star::PortState& port = m_state.ports[end];
        if (2 * std::max(port.bound, port.held) > m_ports[end].entry.most)
        {
            return false; // the fast path would soon reach the limit and end
        }
        for (const auto* frames : {&port.arrivals, &port.queues[0].frames})
        {
            for (std::size_t i = 0; i < frames->size(); ++i)
            {
                const Star::Frame& frame = (*frames)[i];
                if (!frame.ack && frame.psn != psns[frame.qp]++)
                {
                    return false;
                }
            }
        }
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        if (psns[number] != m_state.qps[number].next)
        {
            return false;
        }
    }
    return true;
}

bool
FastPathStar::Read()
{
    m_state.now = Now();
    m_state.ports.resize(m_ports.size());
    m_state.qps.resize(m_qps.size());
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        ReadPort(end);
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        ReadQueuePair(number);
    }
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        if (!ReadPassing(end))
        {
            return false;
        }
    }
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        if (!ReadComing(end))
        {
            return false;
        }
    }
    return IsComplete();
}

void
FastPathStar::Begin()
{
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        const PortEntry& entry = m_ports[end].entry;
        Star::PortState& state = m_state.ports[end];
        for (const RdmaQueuePair* queuePair : entry.acks)
        {
            state.acks.push_back(GetNumber(*queuePair));
            m_state.qps[state.acks.back()].ackDue = true;
        }
        for (const RdmaQueuePair* queuePair : entry.data)
        {
            state.data.push_back(GetNumber(*queuePair));
            m_state.qps[state.data.back()].queued = true;
        }
        m_hop.Empty(*entry.path.receiver);
        entry.port->TakeOver();
        entry.path.receiver->TakeOver();
        m_hop.Join(*entry.path.receiver, this);
    }
    for (const auto& one : m_qps)
    {
        one.qp.queuePair->BeginBurst();
    }
    m_star.Prepare(m_state);
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        // A port whose next departure is due now still has to decide.
        if (m_star.GetDeparture(m_state, end) == m_state.now)
        {
            m_ports[end].asked = true;
            m_ports[end].entry.port->Kick();
        }
    }
}

void
FastPathStar::Detach()
{
    if (!m_over)
    {
        for (const auto& end : m_ports)
        {
            m_hop.Part(*end.entry.path.receiver);
        }
    }
    m_over = true;
}

void
FastPathStar::Abandon()
{
    Detach();
    for (auto& end : m_ports)
    {
        end.wake->Disarm();
    }
}

void
FastPathStar::Leave()
{
    // A frame that arrives at this time is converted into a packet unless it has been processed.
    const bool inclusive = m_state.now == Now();
    Star::State present = GetPresent();
    SettleTo(present, inclusive);
    m_state = std::move(present);
    const Ptr<FastPathStar> self(this);
    Detach();
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        // Events that have been processed but not reported are reported when the port is due.
        const bool reports = HasNews(end, m_state);
        m_ports[end].entry.nic->EndFastPath(*m_ports[end].entry.port, reports);
        if (reports)
        {
            WakeAt(m_ports[end], end, *m_ports[end].entry.port, Now());
        }
        for (uint32_t number = 0; !reports && number < m_qps.size(); ++number)
        {
            if (m_qps[number].qp.end == end)
            {
                Finish(number); // messages without a report
            }
        }
    }
    std::vector<std::vector<Coming>> coming(m_ports.size());
    LaunchFromHop(coming);
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        const PortEntry& entry = m_ports[end].entry;
        auto& frames = coming[end];
        std::sort(frames.begin(), frames.end(), [](const Coming& x, const Coming& y) {
            return x.at < y.at;
        });
        for (const auto& one : frames)
        {
            m_hop.Expect(*entry.port, entry.path, one.frame, TimeStep(one.at), one.enters == Now());
        }
    }
    Release();
}

Ptr<Packet>
FastPathStar::Build(const Star::Frame& frame) const
{
    RdmaQueuePair& queuePair = *m_qps[frame.qp].qp.queuePair;
    return frame.ack ? queuePair.BuildAckAt(frame.psn, frame.messages)
                     : queuePair.BuildDataAt(frame.psn, frame.asks);
}

void
FastPathStar::LaunchFromHop(std::vector<std::vector<Coming>>& coming)
{
    const int64_t now = Now();
    std::vector<Ptr<Packet>> last(m_ports.size()); // last packet sent by each port
    const auto build = [&](const Star::Frame& frame) {
        const uint32_t from = m_qps[frame.qp].qp.end;
        const Star::Frame& sent = m_state.ports[from].last;
        const Ptr<Packet> packet = Build(frame);
        if (sent.qp == frame.qp && sent.ack == frame.ack && sent.psn == frame.psn)
        {
            last[from] = packet;
        }
        return packet;
    };
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        const PortEntry& entry = m_ports[end].entry;
        EthernetPortNetDevice& output = *entry.path.receiver;
        Star::PortState& port = m_state.ports[end];
        Ptr<Packet> passing;
        for (std::size_t i = 0; i < port.arrivals.size(); ++i)
        {
            const Star::Frame& frame = port.arrivals[i];
            passing = build(frame);
            output.Launch(passing, entry.onward, TimeStep(frame.at));
        }
        if (passing && port.passFree >= now)
        {
            output.Occupy(passing, TimeStep(port.passFree - now));
        }
        for (auto& queue : port.queues)
        {
            for (std::size_t i = 0; i < queue.frames.size(); ++i)
            {
                const Star::Frame& frame = queue.frames[i];
                const Ptr<Packet> one = build(frame);
                const int64_t enters = m_star.GetEntry(frame);
                const uint32_t from = m_qps[frame.qp].qp.end;
                const PortEntry& sender = m_ports[from].entry;
                if (enters < now)
                {
                    m_hop.Hold(*sender.path.receiver, output, one, TimeStep(frame.at));
                    continue;
                }
                // Expect takes the arrival time of the last bit, also for a cut-through switch.
                const Star::Port& line = m_star.GetPort(from);
                const int64_t rest = line.cutThrough ? frame.time - line.toHop : -line.toHop;
                const int64_t at = enters + rest + sender.path.delay.GetTimeStep();
                coming[from].push_back({at, enters, one});
            }
        }
    }
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        const int64_t free = m_state.ports[end].free;
        if (free >= now && last[end])
        {
            m_ports[end].entry.port->Occupy(last[end], TimeStep(free - now));
        }
    }
}

void
FastPathStar::Restore(uint32_t number)
{
    const SenderEntry& one = m_qps[number];
    const Star::QueuePairState& qp = m_state.qps[number];
    const uint32_t peer = one.qp.peer;
    uint64_t bytes = 0; // of the message that is arriving
    if (qp.arriving < m_star.GetEndNumber(peer))
    {
        const uint64_t first = m_star.GetMessage(peer, qp.arriving).firstPsn;
        bytes = qp.expected > first ? (qp.expected - first) * m_star.GetQueuePair(peer).mtu : 0;
    }
    one.qp.queuePair->EndBurst({qp.next, qp.unacked, qp.ackRequested, qp.timer});
    one.qp.queuePair->EndBurst(qp.expected,
                               bytes,
                               m_star.GetQueuePair(number).firstMsn +
                                   static_cast<uint32_t>(qp.arriving),
                               false);
}

void
FastPathStar::Release()
{
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        Restore(number);
    }
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        const PortEntry& entry = m_ports[end].entry;
        const Star::PortState& port = m_state.ports[end];
        for (std::size_t i = 0; i < port.acks.size(); ++i)
        {
            m_qps[port.acks[i]].qp.queuePair->OweAck();
        }
        for (std::size_t i = 0; i < port.data.size(); ++i)
        {
            entry.nic->Requeue(*m_qps[port.data[i]].qp.queuePair);
        }
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        const SenderEntry& one = m_qps[number];
        const End& end = m_ports[one.qp.end];
        if (!m_state.qps[number].readyDue) // otherwise DeliverDue calls Ready
        {
            end.entry.nic->Ready(*one.qp.queuePair);
        }
    }
    for (auto& end : m_ports)
    {
        end.entry.port->Kick();
    }
}

} // namespace ns3
