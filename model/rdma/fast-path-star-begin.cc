// SPDX-License-Identifier: GPL-2.0-only

// FastPathStar: takes over traffic with packets in flight.

#include "fast-path-star.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include "ns3/ethernet-port-net-device.h"

#include <algorithm>

namespace ns3
{

FastPathStar::FastPathStar(std::vector<PairEnd> parties,
                           std::vector<QueuePairEntry> qps,
                           FastPathHop& hop)
    : m_hop(hop)
{
    for (auto& party : parties)
    {
        const auto end = static_cast<uint32_t>(m_parties.size());
        m_parties.emplace_back();
        m_parties.back().party = std::move(party);
        static_cast<Outlook&>(m_parties.back()) = MakeOutlook(end);
    }
    for (const auto& qp : qps)
    {
        m_qps.emplace_back();
        m_qps.back().qp = qp;
    }
}

FastPathStar::~FastPathStar()
{
    for (auto& end : m_parties)
    {
        end.wake->Disarm();
    }
}

// --- ports and queue pairs ----------------------------------------------------------------------

void
FastPathStar::ReadPort(uint32_t end)
{
    const PairEnd& party = m_parties[end].party;
    Star::Port line;
    line.delay = party.onward.delay.GetTimeStep();
    line.cutThrough = party.way.cutThrough;
    line.hopLatency = party.way.latency.GetTimeStep();
    line.toHop = party.path.delay.GetTimeStep();
    if (line.cutThrough)
    {
        constexpr uint32_t bytes = RoceHeader::MAX_BYTES; // any size gives the same difference
        const Time header = party.port->GetFrameTime(bytes) - party.port->GetRestOfFrame(bytes);
        line.toHop += header.GetTimeStep();
    }
    line.outsideBytes = EthernetPortNetDevice::FRAME_OVERHEAD_BYTES;
    line.most = party.most;
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
    EthernetPortNetDevice& port = *m_parties[sender.end].party.port;
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
    const PairEnd& party = m_parties[end].party;
    Star::PortState& state = m_state.ports[end];
    std::vector<EthernetPortNetDevice::UnderWay> arrivals;
    if (!party.port->GetArrivals(arrivals))
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
    if (!m_hop.Look(*party.path.receiver, held))
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
    state.free = party.port->GetBusyUntil().GetTimeStep();
    state.passFree = party.path.receiver->GetBusyUntil().GetTimeStep();
    return true;
}

bool
FastPathStar::ReadComing(uint32_t end)
{
    const PairEnd& party = m_parties[end].party;
    std::vector<EthernetPortNetDevice::UnderWay> arrivals;
    if (!party.path.receiver->GetArrivals(arrivals))
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
        frame.at = arrival.at.GetTimeStep() + party.way.latency.GetTimeStep();
        m_star.Insert(m_state, m_qps[m_qps[frame.qp].qp.peer].qp.end, frame);
    }
    const Ptr<Packet> sending = party.port->GetFrameInService();
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
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        const Star::PortState& port = m_state.ports[end];
        if (2 * port.bound > m_parties[end].party.most)
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
    m_state.ports.resize(m_parties.size());
    m_state.qps.resize(m_qps.size());
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        ReadPort(end);
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        ReadQueuePair(number);
    }
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        if (!ReadPassing(end))
        {
            return false;
        }
    }
    for (uint32_t end = 0; end < m_parties.size(); ++end)
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
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        const PairEnd& party = m_parties[end].party;
        Star::PortState& state = m_state.ports[end];
        for (const RdmaQueuePair* queuePair : party.acks)
        {
            state.acks.push_back(GetNumber(*queuePair));
            m_state.qps[state.acks.back()].ackDue = true;
        }
        for (const RdmaQueuePair* queuePair : party.data)
        {
            state.data.push_back(GetNumber(*queuePair));
            m_state.qps[state.data.back()].queued = true;
        }
        m_hop.Empty(*party.path.receiver);
        party.port->TakeOver();
        party.path.receiver->TakeOver();
        m_hop.Join(*party.path.receiver, this);
    }
    for (const auto& one : m_qps)
    {
        one.qp.queuePair->BeginBurst();
    }
    m_star.Prepare(m_state);
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        // A port whose next departure is due now still has to decide.
        if (m_star.GetDeparture(m_state, end) == m_state.now)
        {
            m_parties[end].asked = true;
            m_parties[end].party.port->Kick();
        }
    }
}

} // namespace ns3
