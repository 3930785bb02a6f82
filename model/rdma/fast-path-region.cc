// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-region.h"

#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include "ns3/ethernet-port-net-device.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

/// @return the messages in the send queue of a queue pair that end before a PSN
uint64_t
CountArrived(const RdmaQueuePair& sender, uint64_t psn)
{
    const RdmaSendQueue& sends = sender.GetRequester().GetQueue();
    uint64_t count = 0;
    while (count < sends.GetNMessages() &&
           sends.GetMessage(count).firstPsn + sends.GetMessage(count).packets <= psn)
    {
        ++count;
    }
    return count;
}

} // namespace

uint32_t
FastPathRegion::GetNumber(const RdmaQueuePair& queuePair) const
{
    const auto found = std::find(m_queuePairs.begin(), m_queuePairs.end(), &queuePair);
    return found == m_queuePairs.end() ? Region::NOBODY
                                       : static_cast<uint32_t>(found - m_queuePairs.begin());
}

uint32_t
FastPathRegion::GetLink(const EthernetPortNetDevice& port) const
{
    return static_cast<uint32_t>(std::find(m_devices.begin(), m_devices.end(), &port) -
                                 m_devices.begin());
}

bool
FastPathRegion::Has(const RdmaQueuePair& queuePair) const
{
    return GetNumber(queuePair) != Region::NOBODY;
}

// --- queries ------------------------------------------------------------------------------------

FastPathRegion::Region::State
FastPathRegion::GetPresent(bool arrivals) const
{
    Region::State present = *m_state;
    if (present.now < Now())
    {
        m_region.Run(present, Now(), arrivals);
    }
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        const bool isTaken = m_takenAt[end] == Now();
        if (isTaken)
        {
            m_region.TakeArrivals(present, end);
        }
        m_region.Absorb(present, end, isTaken || arrivals ? Now() : Now() - 1);
    }
    m_region.Cut(present);
    return present;
}

bool
FastPathRegion::IsSending(const EthernetPortNetDevice& port) const
{
    // A transmission that ends at this time still counts.
    return GetPresent(false).links[GetLink(port)].free >= Now();
}

bool
FastPathRegion::HasNews(uint32_t end, const Region::State& state) const
{
    return m_region.IsVisible(state, end) || HasUnreported(end, state);
}

bool
FastPathRegion::HasUnreported(uint32_t end, const Region::State& state) const
{
    return std::any_of(m_ports[end].qps.begin(), m_ports[end].qps.end(), [&](uint32_t number) {
        const SenderEntry& one = m_qps[number];
        const Region::QueuePairState& qp = state.qps[number];
        return one.reported < qp.arriving || one.finished < qp.answered;
    });
}

bool
FastPathRegion::IsQuiet() const
{
    if (m_looked && (m_visible || m_ends))
    {
        return false; // an event is pending
    }
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        if (m_ports[end].asked || m_ports[end].reporting || HasNews(end, *m_state))
        {
            return false;
        }
    }
    return m_region.IsQuiet(m_state->now < Now() ? GetPresent(false) : *m_state);
}

// --- time passes --------------------------------------------------------------------------------

void
FastPathRegion::CatchUp()
{
    const int64_t now = Now();
    if (m_looked && m_visible && m_aheadAt == now)
    {
        std::swap(m_state, m_ahead);
        m_looked = false;
    }
    else if (m_looked && !m_visible && !m_ends && m_aheadAt <= now)
    {
        std::swap(m_state, m_ahead);
        m_looked = false;
        m_state->now = now; // the region is quiet: nothing has changed since
    }
    else if (m_state->now < now)
    {
        m_region.Run(*m_state, now, false);
    }
}

void
FastPathRegion::TakeArrivals(uint32_t end)
{
    m_region.TakeArrivals(*m_state, end);
    m_takenAt[end] = m_state->now;
}

bool
FastPathRegion::Posted(const RdmaQueuePair& queuePair)
{
    const uint32_t number = GetNumber(queuePair);
    if (number == Region::NOBODY)
    {
        return false;
    }
    End& end = m_ports[m_qps[number].qp.end];
    end.followed |= end.arrivedAt == Now();
    Region::QueuePairState& ahead = m_ahead->qps[number];
    if (m_looked && ahead.next < ahead.limit)
    {
        // The queue pair is not done with older messages when the next event is observable.
        TakeMessages(number);
        ahead.limit = m_state->qps[number].limit;
        return true;
    }
    CatchUp();
    if (!end.entry.nic->IsYetToTake(*end.entry.port))
    {
        TakeArrivals(m_qps[number].qp.end);
    }
    if (m_mayShrink && IsQuiet())
    {
        return false; // a region of the busy queue pairs is faster
    }
    TakeMessages(number);
    m_region.Ready(*m_state, number);
    m_looked = false;
    end.asked = true;
    end.entry.port->Kick();
    return true;
}

void
FastPathRegion::Decide(const EthernetPortNetDevice& port)
{
    const uint32_t end = GetLink(port);
    m_ports[end].asked = false;
    CatchUp();
    TakeArrivals(end);
    m_region.Decide(*m_state, end);
    m_looked = false;
    LookAhead();
}

void
FastPathRegion::LookAhead()
{
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        if (m_ports[end].asked || m_ports[end].reporting || HasNews(end, *m_state))
        {
            return; // the pending decision or report calls LookAhead
        }
    }
    *m_ahead = *m_state;
    const bool split = m_region.IsSplit(*m_state);
    const auto reason = split ? Region::FULL : m_region.Run(*m_ahead, Region::NEVER, false);
    m_looked = true;
    m_aheadAt = m_ahead->now;
    m_visible = reason == Region::VISIBLE;
    m_ends = reason == Region::TIME_OUT || reason == Region::FULL;
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        m_ports[end].visibleAt =
            m_visible && HasNews(end, *m_ahead) ? m_ahead->now : int64_t{Region::NEVER};
        if (m_ends && end == 0)
        {
            const int64_t at = reason == Region::TIME_OUT ? m_ahead->deadline - 1 : m_ahead->now;
            m_ports[end].visibleAt = std::max(Now(), at);
        }
        if (m_ports[end].visibleAt != Region::NEVER)
        {
            End& one = m_ports[end];
            WakeAt(one, end, *one.entry.port, one.visibleAt);
        }
    }
}

void
FastPathRegion::LightLost()
{
    Leave();
}

void
FastPathRegion::Woken(uint32_t end)
{
    End& one = m_ports[end];
    WakeUp(one, end, *one.entry.port, *one.entry.nic, !m_over && m_looked && m_ends);
}

void
FastPathRegion::DeliverDue(const EthernetPortNetDevice& port)
{
    const uint32_t end = GetLink(port);
    const int64_t now = Now();
    m_takenAt[end] = now;
    if (!m_over && m_looked)
    {
        if (!m_visible || m_aheadAt > now)
        {
            return;
        }
        CatchUp();
    }
    if (!m_over && m_state->now == now)
    {
        m_region.TakeArrivals(*m_state, end);
    }
    if (!HasUnreported(end, *m_state))
    {
        return;
    }
    const Ptr<FastPathRegion> self(this); // callbacks may end and release it
    End& one = m_ports[end];
    one.visibleAt = Region::NEVER;
    one.reporting = true;
    const auto arrives = [this](uint32_t number) {
        return m_qps[number].reported < m_state->qps[number].arriving;
    };
    const bool arrived = std::any_of(one.qps.begin(), one.qps.end(), arrives);
    if (arrived)
    {
        one.arrivedAt = now;
        one.follows = one.followed;
        one.followed = false;
    }
    for (const uint32_t number : one.qps)
    {
        SenderEntry& sender = m_qps[number];
        const uint32_t peer = sender.qp.peer;
        while (sender.reported < m_state->qps[number].arriving)
        {
            const Region::Message message = m_region.GetMessage(peer, sender.reported++);
            sender.qp.queuePair->BurstArrived(message.immediate, message.payloadBytes);
        }
        const bool finishes = sender.finished < m_state->qps[number].finishing;
        Finish(number);
        if (finishes && m_over)
        {
            one.entry.nic->Ready(*sender.qp.queuePair);
        }
        else if (finishes)
        {
            m_region.Ready(*m_state, number);
        }
    }
    one.reporting = false;
    if (m_over || one.asked || m_region.IsQuiet(*m_state))
    {
        return;
    }
    // If a message was posted at the previous arrival, one is likely to be posted at this time too:
    // let the port decide first. If an acknowledgement is due, it precedes the message anyway.
    const bool decides =
        m_state->ports[end].acks.empty() && m_region.GetDeparture(*m_state, end) == now;
    if ((arrived && one.follows) || decides)
    {
        one.asked = true;
        one.entry.port->Kick();
        return;
    }
    LookAhead();
}

void
FastPathRegion::Finish(uint32_t number)
{
    SenderEntry& sender = m_qps[number];
    while (sender.finished < m_state->qps[number].finishing)
    {
        m_region.ForgetBefore(number, ++sender.finished);
        sender.qp.queuePair->BurstFinished();
    }
}

// --- counters -----------------------------------------------------------------------------------

void
FastPathRegion::Settle()
{
    if (!m_over)
    {
        Region::State present = GetPresent(true);
        SettleTo(present);
    }
}

void
FastPathRegion::SettleTo(Region::State& state)
{
    m_region.Enter(state, Now());
    for (uint32_t link = 0; link < m_settled.size(); ++link)
    {
        Settled& settled = m_settled[link];
        GetPort(link).CountBytesSent(state.links[link].wireBytes - settled.bytes);
        settled.bytes = state.links[link].wireBytes;
        if (link >= m_ports.size())
        {
            const Region::Output& output = m_region.GetOutput(state, link);
            m_outputs[link - m_ports.size()].hop->CountBurst(output.entered - settled.frames,
                                                             output.maxDepth);
            settled.frames = output.entered;
        }
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        SenderEntry& one = m_qps[number];
        const End& end = m_ports[one.qp.end];
        const Region::QueuePairState& qp = state.qps[number];
        // A packet that arrives at this time counts once its NIC has processed its arrivals.
        const bool early = qp.receivedAt == Now() && m_takenAt[one.qp.end] != Now();
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

// --- beginning ----------------------------------------------------------------------------------

FastPathRegion::FastPathRegion(Plan plan)
    : m_mayShrink(plan.qps.size() > 2),
      m_state(std::make_unique<Region::State>()),
      m_ahead(std::make_unique<Region::State>()),
      m_outputs(std::move(plan.outputs))
{
    for (auto& entry : plan.ports)
    {
        const auto end = static_cast<uint32_t>(m_ports.size());
        m_devices.push_back(entry.port);
        m_ports.emplace_back();
        m_ports.back().entry = std::move(entry);
        static_cast<Outlook&>(m_ports.back()) = MakeOutlook(end);
    }
    for (const auto& output : m_outputs)
    {
        m_devices.push_back(output.output);
    }
    for (auto& qp : plan.qps)
    {
        for (auto& hop : qp.route)
        {
            hop += static_cast<uint32_t>(m_ports.size());
        }
        m_mayShrink = m_mayShrink && qp.route.size() <= 1;
        m_ports[qp.end].qps.push_back(static_cast<uint32_t>(m_qps.size()));
        m_queuePairs.push_back(qp.queuePair);
        m_qps.emplace_back();
        m_qps.back().qp = std::move(qp);
    }
    m_settled.resize(m_devices.size());
    m_takenAt.resize(m_ports.size(), -1);
}

FastPathRegion::~FastPathRegion()
{
    for (auto& end : m_ports)
    {
        end.wake->Disarm();
    }
}

// --- links and queue pairs ----------------------------------------------------------------------

EthernetPortNetDevice&
FastPathRegion::GetPort(uint32_t link) const
{
    return *m_devices[link];
}

const LightPath&
FastPathRegion::GetPath(uint32_t link) const
{
    return link < m_ports.size() ? m_ports[link].entry.path : m_outputs[link - m_ports.size()].path;
}

FastPathRegion::Region::Link
FastPathRegion::MakeLink(uint32_t link) const
{
    const LightPath& path = GetPath(link);
    Region::Link line;
    line.delay = path.delay.GetTimeStep();
    line.toNext = line.delay;
    line.cutThrough = path.receiver->IsEarly();
    line.input = path.receiver->GetIfIndex();
    line.toNext += line.cutThrough ? GetPort(link).GetHeaderTime().GetTimeStep() : 0;
    line.outsideBytes = EthernetPortNetDevice::FRAME_OVERHEAD_BYTES;
    if (link >= m_ports.size())
    {
        line.latency = m_outputs[link - m_ports.size()].latency.GetTimeStep();
    }
    return line;
}

void
FastPathRegion::AddQueuePair(uint32_t number)
{
    const QueuePairEntry& qp = m_qps[number].qp;
    const RdmaRequester& requester = qp.queuePair->GetRequester();
    Region::QueuePairEntry line;
    line.port = qp.end;
    line.peer = qp.peer;
    line.route = qp.route;
    line.ack = qp.queuePair->GetAckSize();
    line.mtu = requester.GetMtu();
    line.window = requester.GetWindowPackets();
    line.ackEvery = requester.GetAckInterval();
    line.timeout = requester.GetTimer().GetBounds();
    m_region.Add(line);
}

void
FastPathRegion::ReadQueuePair(uint32_t number)
{
    const QueuePairEntry& qp = m_qps[number].qp;
    const RdmaQueuePair& queuePair = *qp.queuePair;
    Region::QueuePairState& state = m_state->qps[number];
    static_cast<RdmaReceiverState&>(state) = queuePair.GetResponder().GetState();
    // Message 0 of the peer is the oldest one in its send queue.
    state.arriving = CountArrived(*m_qps[qp.peer].qp.queuePair, state.expected);
    m_qps[number].reported = state.arriving;
    static_cast<RdmaSenderState&>(state) = queuePair.GetRequester().GetState();
    TakeMessages(number);
    state.sending = CountArrived(queuePair, state.next);
}

void
FastPathRegion::TakeMessages(uint32_t number)
{
    const RdmaQueuePair& queuePair = *m_qps[number].qp.queuePair;
    const RdmaSendQueue& queue = queuePair.GetRequester().GetQueue();
    // Finished messages have been removed from the send queue and from the region.
    const uint64_t known = m_region.GetEndNumber(number) - m_qps[number].finished;
    for (uint64_t i = known; i < queue.GetNMessages(); ++i)
    {
        m_region.Post(*m_state, number, queuePair.GetBurstMessage(queue.GetMessage(i)));
    }
}

// --- frames -------------------------------------------------------------------------------------

uint32_t
FastPathRegion::Find(const RoceHeader& header)
{
    for (uint32_t number = static_cast<uint32_t>(m_addresses.size()); number < m_qps.size();
         ++number)
    {
        const RdmaEndpoint& local = m_qps[number].qp.queuePair->GetEndpoint();
        m_addresses[{local.mac, local.queuePair}] = number;
    }
    const auto found = m_addresses.find({header.destinationMac, header.destinationQp});
    if (found == m_addresses.end())
    {
        return Region::NOBODY;
    }
    const RdmaQueuePair& queuePair = *m_qps[found->second].qp.queuePair;
    const RdmaEndpoint& remote = queuePair.GetRemote();
    return queuePair.GetEndpoint().ip == header.destinationIp && remote.ip == header.sourceIp &&
                   remote.mac == header.sourceMac
               ? found->second
               : Region::NOBODY;
}

bool
FastPathRegion::Recognise(const Ptr<Packet>& frame,
                          uint32_t link,
                          bool queued,
                          Region::Frame& result)
{
    RoceHeader header;
    if (frame->PeekHeader(header) == 0 || (header.tos & RoceHeader::ECN_MASK) == RoceHeader::CE)
    {
        return false;
    }
    const uint32_t to = Find(header);
    if (to == Region::NOBODY || header.opcode == RoceHeader::CONGESTION_NOTIFICATION)
    {
        return false;
    }
    const QueuePairEntry& receiver = m_qps[to].qp;
    const QueuePairEntry& sender = m_qps[receiver.peer].qp;
    const bool isFirst = link == sender.end;
    const auto place = std::find(sender.route.begin(), sender.route.end(), link);
    if (isFirst ? queued : place == sender.route.end())
    {
        return false;
    }
    const FastPathHop::Flow flow = sender.queuePair->GetFlow();
    const uint8_t priority = RoceHeader::GetPriority(header.tos);
    result = Region::Frame{};
    result.qp = receiver.peer;
    result.hop =
        isFirst ? 0 : static_cast<uint8_t>(place - sender.route.begin() + (queued ? 0 : 1));
    result.time = GetPort(sender.end).GetFrameTime(frame->GetSize()).GetTimeStep();
    result.bytes = EthernetPortNetDevice::GetWireBytes(frame->GetSize());
    if (header.opcode == RoceHeader::ACKNOWLEDGE)
    {
        result.ack = true;
        result.psn = receiver.queuePair->GetRequester().Unwrap(header.psn) + 1;
        result.messages = header.msn;
        // An obsolete acknowledgement unwraps to a PSN far ahead and is rejected here.
        const uint64_t next = m_state->qps[to].next;
        return header.syndrome == RoceHeader::ACK && priority == flow.controlPriority &&
               result.psn <= next;
    }
    const uint64_t expected = m_state->qps[to].expected;
    result.psn = expected + ((header.psn - static_cast<uint32_t>(expected)) & RoceHeader::PSN_MASK);
    result.asks = header.ackRequest;
    result.ends = header.opcode == RoceHeader::WRITE_LAST_WITH_IMMEDIATE ||
                  header.opcode == RoceHeader::WRITE_ONLY_WITH_IMMEDIATE;
    return priority == flow.dataPriority;
}

bool
FastPathRegion::ReadQueues(uint32_t link)
{
    const OutputEntry& entry = m_outputs[link - m_ports.size()];
    std::vector<FastPathHop::Held> held;
    if (!entry.hop->Look(*entry.output, held))
    {
        return false;
    }
    std::array<int64_t, 2> readyAt{};
    Region::Frame frame;
    for (const auto& one : held)
    {
        if (!Recognise(one.frame, link, true, frame))
        {
            return false;
        }
        frame.at = one.ready.GetTimeStep();
        Region::Queue& queue = m_region.GetOutput(*m_state, link).queues[frame.ack ? 1 : 0];
        if (m_region.GetEntry(frame) > Now() || frame.at < readyAt[frame.ack])
        {
            return false; // the hop latency was larger when this frame entered the switch
        }
        readyAt[frame.ack] = frame.at;
        frame.entered = 1;
        m_region.Insert(*m_state, frame);
        queue.entered = queue.frames.size();
        queue.depth += frame.bytes - EthernetPortNetDevice::FRAME_OVERHEAD_BYTES;
    }
    return true;
}

bool
FastPathRegion::ReadLink(uint32_t link)
{
    const LightPath& path = GetPath(link);
    std::vector<EthernetPortNetDevice::UnderWay> arrivals;
    if (!path.receiver->GetArrivals(path.epoch, arrivals))
    {
        return false;
    }
    Region::Frame frame;
    for (const auto& arrival : arrivals)
    {
        if (!Recognise(arrival.frame, link, false, frame))
        {
            return false;
        }
        const QueuePairEntry& sender = m_qps[frame.qp].qp;
        frame.at = arrival.at.GetTimeStep();
        if (frame.hop == sender.route.size())
        {
            m_state->ports[m_qps[sender.peer].qp.end].arrivals.push_back(frame);
            continue;
        }
        frame.at += m_region.GetLink(sender.route[frame.hop]).latency;
        m_region.Insert(*m_state, frame);
    }
    Region::LinkState& state = m_state->links[link];
    const EthernetPortNetDevice::Transmission sending = GetPort(link).GetTransmission();
    state.free = sending.until.GetTimeStep();
    state.last.qp = Region::NOBODY;
    const bool known = !sending.frame || Recognise(sending.frame, link, false, state.last);
    state.last.entered = 1;
    return known;
}

bool
FastPathRegion::IsComplete() const
{
    std::vector<std::vector<uint64_t>> psns(m_qps.size());
    const auto collect = [&psns](const auto& frames) {
        for (std::size_t i = 0; i < frames.size(); ++i)
        {
            for (uint32_t packet = 0; !frames[i].ack && packet < frames[i].count; ++packet)
            {
                psns[frames[i].qp].push_back(frames[i].psn + packet);
            }
        }
    };
    for (const auto& port : m_state->ports)
    {
        collect(port.arrivals);
    }
    for (const auto& output : m_state->outputs)
    {
        collect(output.queues[0].frames);
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        std::sort(psns[number].begin(), psns[number].end());
        uint64_t next = m_state->qps[m_qps[number].qp.peer].expected;
        for (const uint64_t psn : psns[number])
        {
            if (psn != next++)
            {
                return false;
            }
        }
        if (next != m_state->qps[number].next)
        {
            return false;
        }
    }
    return true;
}

bool
FastPathRegion::Read()
{
    const auto links = static_cast<uint32_t>(m_devices.size());
    const auto ports = static_cast<uint32_t>(m_ports.size());
    for (uint32_t link = 0; link < links; ++link)
    {
        link < ports ? m_region.AddPort(MakeLink(link)) : m_region.AddOutput(MakeLink(link));
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        AddQueuePair(number);
    }
    *m_state = m_region.MakeState();
    m_state->now = Now();
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        ReadQueuePair(number);
    }
    for (uint32_t link = ports; link < links; ++link)
    {
        if (!ReadQueues(link))
        {
            return false;
        }
    }
    for (uint32_t link = 0; link < links; ++link)
    {
        if (!ReadLink(link))
        {
            return false;
        }
    }
    m_addresses.clear();
    return IsComplete();
}

void
FastPathRegion::TakeTurns(uint32_t end, const RdmaPortScheduler& scheduler)
{
    Region::PortState& state = m_state->ports[end];
    for (std::size_t i = 0; i < scheduler.GetAcks().size(); ++i)
    {
        state.acks.push_back(GetNumber(*scheduler.GetAcks()[i]));
        m_state->qps[state.acks.back()].ackDue = true;
    }
    for (std::size_t i = 0; i < scheduler.GetData().size(); ++i)
    {
        state.data.push_back(GetNumber(*scheduler.GetData()[i]));
        m_state->qps[state.data.back()].queued = true;
    }
}

void
FastPathRegion::Begin(uint64_t limit)
{
    m_region.SetLimit(limit);
    for (const auto& end : m_ports)
    {
        if (end.entry.path.epoch)
        {
            end.entry.path.epoch->SetWatcher(this);
        }
    }
    for (uint32_t link = 0; link < m_devices.size(); ++link)
    {
        GetPort(link).SetTransmission({});
        GetPath(link).receiver->TakeOverArrivals();
    }
    for (const auto& output : m_outputs)
    {
        output.hop->Join(*output.output, this);
    }
    for (const auto& one : m_qps)
    {
        one.qp.queuePair->BeginBurst();
    }
    m_region.Prepare(*m_state);
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        if (HasNews(end, *m_state))
        {
            WakeAt(m_ports[end], end, *m_ports[end].entry.port, m_state->now);
        }
        // A port whose next departure is due now still has to decide.
        if (m_region.GetDeparture(*m_state, end) == m_state->now)
        {
            m_ports[end].asked = true;
            m_ports[end].entry.port->Kick();
        }
    }
}

void
FastPathRegion::Detach()
{
    if (m_over)
    {
        return;
    }
    m_over = true;
    for (const auto& output : m_outputs)
    {
        output.hop->Part(*output.output);
    }
    for (const auto& end : m_ports)
    {
        if (end.entry.path.epoch)
        {
            end.entry.path.epoch->SetWatcher(nullptr);
        }
    }
}

void
FastPathRegion::Abandon()
{
    Detach();
    for (auto& end : m_ports)
    {
        end.wake->Disarm();
    }
}

void
FastPathRegion::Leave()
{
    // A frame that arrives at this time is converted into a packet unless it has been processed.
    Region::State present = GetPresent(false);
    SettleTo(present);
    *m_state = std::move(present);
    const Ptr<FastPathRegion> self(this);
    uint64_t packets = 0;
    for (const SenderEntry& one : m_qps)
    {
        packets += one.packets;
    }
    Detach();
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        // Events that have been processed but not reported are reported when the port is due.
        const bool reports = HasUnreported(end, *m_state);
        m_ports[end].entry.nic->EndFastPath(*m_ports[end].entry.port, reports, packets);
        if (reports)
        {
            WakeAt(m_ports[end], end, *m_ports[end].entry.port, Now());
        }
        else
        {
            for (const uint32_t number : m_ports[end].qps)
            {
                Finish(number); // messages without a report
            }
        }
    }
    Launch();
    Release();
}

Ptr<Packet>
FastPathRegion::Build(const Region::Frame& frame) const
{
    RdmaQueuePair& queuePair = *m_qps[frame.qp].qp.queuePair;
    return frame.ack ? queuePair.BuildAckAt(frame.psn, frame.messages)
                     : queuePair.BuildDataAt(frame.psn, frame.asks);
}

void
FastPathRegion::Launch()
{
    const int64_t now = Now();
    std::vector<Ptr<Packet>> last(m_devices.size()); // last packet sent by each port
    std::vector<std::pair<Region::Frame, Ptr<Packet>>> frames;
    const auto build = [&](Region::Frame frame) {
        frames.emplace_back(frame, Build(frame));
        const Region::QueuePairEntry& qp = m_region.GetQueuePair(frame.qp);
        for (uint32_t hop = 0; hop <= frame.hop; ++hop)
        {
            const uint32_t link = hop == 0 ? qp.port : qp.route[hop - 1];
            const Region::Frame& sent = m_state->links[link].last;
            if (sent.qp == frame.qp && sent.ack == frame.ack &&
                sent.psn + sent.count - 1 == frame.psn)
            {
                last[link] = frames.back().second;
            }
        }
    };
    const auto buildAll = [&build](const auto& fifo) {
        for (std::size_t i = 0; i < fifo.size(); ++i)
        {
            for (Region::Frame rest = fifo[i]; rest.count > 0;)
            {
                Region::Frame frame = rest;
                rest = frame.Split(1);
                build(frame);
            }
        }
    };
    for (const auto& port : m_state->ports)
    {
        buildAll(port.arrivals);
    }
    for (const auto& output : m_state->outputs)
    {
        buildAll(output.queues[0].frames);
        buildAll(output.queues[1].frames);
    }
    for (uint32_t link = 0; link < m_devices.size(); ++link)
    {
        const int64_t free = m_state->links[link].free;
        if (free >= now && last[link])
        {
            GetPort(link).SetTransmission({last[link], TimeStep(free)});
        }
    }

    struct Coming
    {
        int64_t at;     // when the last bit arrives
        int64_t enters; // when the switch receives the frame
        Ptr<Packet> frame;
        FastPathHop* hop;
    };

    std::vector<std::vector<Coming>> coming(m_devices.size()); // on the fibers to switches
    for (const auto& [frame, packet] : frames)
    {
        const uint32_t link = m_region.GetInput(frame);
        const Region::Route& route = m_qps[frame.qp].qp.route;
        if (frame.hop == route.size())
        {
            GetPort(link).Launch(packet, GetPath(link), TimeStep(frame.at));
            continue;
        }
        const OutputEntry& output = m_outputs[route[frame.hop] - m_ports.size()];
        const int64_t enters = m_region.GetEntry(frame);
        if (enters < now)
        {
            output.hop->Hold(*GetPath(link).receiver, *output.output, packet, TimeStep(frame.at));
            continue;
        }
        // Expect takes the arrival time of the last bit, also for a cut-through switch.
        const Region::Link& line = m_region.GetLink(link);
        const int64_t rest = (line.cutThrough ? frame.time : 0) - line.toNext + line.delay;
        coming[link].push_back({enters + rest, enters, packet, output.hop});
    }
    for (uint32_t link = 0; link < m_devices.size(); ++link)
    {
        std::sort(coming[link].begin(), coming[link].end(), [](const Coming& x, const Coming& y) {
            return x.at < y.at;
        });
        for (const auto& [at, enters, frame, hop] : coming[link])
        {
            hop->Expect(GetPort(link), GetPath(link), frame, TimeStep(at), enters == now);
        }
    }
}

void
FastPathRegion::Restore(uint32_t number)
{
    const SenderEntry& one = m_qps[number];
    const Region::QueuePairState& qp = m_state->qps[number];
    const uint32_t peer = one.qp.peer;
    uint64_t bytes = 0; // of the message that is arriving
    if (qp.arriving < m_region.GetEndNumber(peer))
    {
        const uint64_t first = m_region.GetMessage(peer, qp.arriving).firstPsn;
        bytes = qp.expected > first ? (qp.expected - first) * m_region.GetQueuePair(peer).mtu : 0;
    }
    one.qp.queuePair->EndBurst(qp, qp, bytes);
}

void
FastPathRegion::Release()
{
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        Restore(number);
    }
    for (uint32_t end = 0; end < m_ports.size(); ++end)
    {
        const PortEntry& entry = m_ports[end].entry;
        const Region::PortState& port = m_state->ports[end];
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
        if (!m_state->qps[number].readyDue) // otherwise DeliverDue calls Ready
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
