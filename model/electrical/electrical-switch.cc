// SPDX-License-Identifier: GPL-2.0-only

#include "electrical-switch.h"

#include "ns3/network-order.h"
#include "ns3/node.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-ahead.h"
#include "ns3/roce-header.h"
#include "ns3/simulator.h"
#include "ns3/transceiver-net-device.h"

#include <algorithm>

namespace ns3
{

namespace
{

using network_order::Get16;
using network_order::Get32;

constexpr uint32_t IP_OFFSET = RoceHeader::ETHERNET_BYTES;
constexpr uint32_t UDP_OFFSET = IP_OFFSET + RoceHeader::IPV4_BYTES;

/// @return the reason of a drop, as the switch names it
ElectricalSwitch::DropReason
GetReason(SwitchBuffer::Verdict verdict)
{
    switch (verdict)
    {
    case SwitchBuffer::QUEUE_LIMIT:
        return ElectricalSwitch::QUEUE_LIMIT;
    case SwitchBuffer::BUFFER_FULL:
        return ElectricalSwitch::BUFFER_FULL;
    default:
        return ElectricalSwitch::HEADROOM_FULL;
    }
}

} // namespace

uint32_t
ElectricalSwitch::GetNumber(const TransceiverNetDevice& device) const
{
    return device.GetIfIndex() - m_firstIfIndex;
}

uint64_t
ElectricalSwitch::GetUnroutable() const
{
    return m_statistics.dropped[NO_ROUTE];
}

ElectricalSwitch::Statistics
ElectricalSwitch::GetStatistics() const
{
    for (const auto& port : m_ports)
    {
        if (port.conversation)
        {
            port.conversation->Settle();
        }
    }
    Statistics statistics = m_statistics;
    for (const auto& port : m_ports)
    {
        statistics.pfcFramesReceived += port.device->GetPfcFramesReceived();
    }
    return statistics;
}

uint64_t
ElectricalSwitch::GetQueueDepth(uint32_t port, uint8_t priority) const
{
    if (m_ports.at(port).conversation)
    {
        m_ports.at(port).conversation->Leave();
    }
    return m_ports.at(port).queues.GetDepth(priority);
}

// --- in -----------------------------------------------------------------------------------------

bool
ElectricalSwitch::AwaitArrival(TransceiverNetDevice& device, const Time& at)
{
    m_arrivals.Add(at, GetNumber(device));
    return true;
}

void
ElectricalSwitch::TakeArrivals(TransceiverNetDevice&)
{
    m_arrivals.Take();
}

void
ElectricalSwitch::Receive(TransceiverNetDevice& device, Ptr<Packet> frame)
{
    if (!m_buffer)
    {
        Start();
    }
    const uint32_t input = GetNumber(device);
    const Class kind = Classify(m_ports[input], *frame);
    if (kind.output == NO_PORT)
    {
        Drop(frame, input, kind, NO_ROUTE);
        return;
    }
    Port& output = m_ports[kind.output];
    if (output.isDown)
    {
        Drop(frame, kind.output, kind, LINK_DOWN);
        return;
    }
    const uint32_t bytes = frame->GetSize();
    if (m_burstBytes > 0)
    {
        Intrude(input, output, kind, bytes);
    }
    const uint64_t found = output.queues.GetDepth(kind.priority);
    const auto admission = m_buffer->Admit(input, kind.priority, bytes, found);
    if (admission.pause)
    {
        SetPause(input, kind.priority, true);
    }
    if (admission.verdict > SwitchBuffer::IN_HEADROOM)
    {
        Drop(frame, kind.output, kind, GetReason(admission.verdict));
        return;
    }
    if (kind.ecnCapable && output.marker.MayMark(found))
    {
        frame = Mark(frame, kind);
    }
    const Time readyAt = GetReadyTime(device, output, bytes);
    output.queues.Push(kind.priority, {frame, readyAt, bytes, input});
    ++m_statistics.enqueued;
    m_statistics.maxDepth = std::max(m_statistics.maxDepth, found + bytes);
    m_enqueueTrace(frame, kind.output, kind.priority, found + bytes);
    // A port that is sending looks again by itself, and so does one that is resumed.
    if (!output.device->IsSending() && !output.device->IsPaused(kind.priority))
    {
        WakeAt(output, readyAt);
    }
}

ElectricalSwitch::Class
ElectricalSwitch::Classify(Port& input, const Packet& frame) const
{
    std::array<uint8_t, UDP_OFFSET + 4> header{}; // up to the ports of UDP
    if (frame.CopyData(header.data(), header.size()) < UDP_OFFSET ||
        header[IP_OFFSET - 2] != 0x08 || header[IP_OFFSET - 1] != 0x00)
    {
        return {}; // not IPv4
    }
    const uint8_t* ip = header.data() + IP_OFFSET;
    const uint8_t tos = ip[1];
    const uint8_t ecn = tos & RoceHeader::ECN_MASK;
    Class kind;
    kind.priority = RoceHeader::GetPriority(tos);
    kind.ecnCapable = ecn != RoceHeader::NOT_ECT && ecn != RoceHeader::CE;
    const uint32_t destination = Get32(ip + 16);
    if (!input.lastRoute.Covers(destination))
    {
        input.lastRoute = m_routes.Find(destination);
        if (!input.lastRoute.ports)
        {
            return kind;
        }
    }
    const auto& ports = *input.lastRoute.ports;
    if (ports.size() == 1)
    {
        kind.output = ports[0];
        return kind;
    }
    const uint8_t* udp = ip + RoceHeader::IPV4_BYTES;
    kind.output =
        ChoosePort(ports, {Get32(ip + 12), destination, Get16(udp), Get16(udp + 2), ip[9]});
    return kind;
}

uint32_t
ElectricalSwitch::ChoosePort(const SwitchRoutes::Ports& ports, const FlowTuple& flow) const
{
    const uint64_t seed =
        m_ecmpSeed ? m_ecmpSeed : 1 + uint64_t{m_ports[0].device->GetNode()->GetId()};
    return ports[SwitchRoutes::Choose(flow, seed, static_cast<uint32_t>(ports.size()))];
}

Ptr<Packet>
ElectricalSwitch::Mark(Ptr<Packet> frame, const Class& kind)
{
    const Port& output = m_ports[kind.output];
    const uint64_t depth = output.queues.GetDepth(kind.priority);
    const double probability = output.marker.GetProbability(depth);
    if (probability < 1 && m_random->GetValue() >= probability)
    {
        return frame;
    }
    // The sender may still hold the frame: what is written on is a copy.
    Ptr<Packet> marked = frame->Copy();
    RoceHeader header;
    if (marked->RemoveHeader(header) == 0)
    {
        return frame;
    }
    header.tos |= RoceHeader::CE;
    marked->AddHeader(header);
    ++m_statistics.marked;
    m_markTrace(marked, kind.output, kind.priority, depth);
    return marked;
}

Time
ElectricalSwitch::GetReadyTime(TransceiverNetDevice& input,
                               const Port& output,
                               uint32_t bytes) const
{
    Time readyAt = Simulator::Now() + m_hopLatency;
    if (m_forwarding == CUT_THROUGH)
    {
        const Time rest = input.GetRestOfArrival();
        if (rest > output.device->GetRestOfFrame(bytes))
        {
            readyAt += rest; // the output would run dry
        }
    }
    return readyAt;
}

void
ElectricalSwitch::Drop(Ptr<const Packet> frame, uint32_t port, const Class& kind, DropReason reason)
{
    ++m_statistics.dropped[reason];
    const uint64_t depth = reason == NO_ROUTE ? 0 : GetQueueDepth(port, kind.priority);
    m_dropTrace(frame, port, kind.priority, depth, reason);
}

void
ElectricalSwitch::SetPause(uint32_t input, uint8_t priority, bool pause)
{
    ++(pause ? m_statistics.pausesSent : m_statistics.resumesSent);
    (pause ? m_pauseTrace : m_resumeTrace)(input, priority, m_buffer->GetHeld(input, priority));
    m_ports[input].device->SendPfc(priority, pause);
}

// --- out ----------------------------------------------------------------------------------------

void
ElectricalSwitch::WakeAt(Port& port, Time at)
{
    if (!port.ready->IsPending())
    {
        port.readyAt = at;
        port.ready->Schedule(port.device->GetNode()->GetId(), at - Simulator::Now());
    }
    else if (at < port.readyAt)
    {
        // It cuts through while another waits until it has arrived in full: rare.
        Simulator::Schedule(at - Simulator::Now(), &TransceiverNetDevice::Decide, port.device);
    }
}

Ptr<Packet>
ElectricalSwitch::NextFrame(TransceiverNetDevice& device)
{
    const uint32_t number = GetNumber(device);
    Port& port = m_ports[number];
    const uint8_t candidates = port.queues.GetBacklog() & ~device.GetPausedPriorities();
    if (candidates == 0)
    {
        return nullptr;
    }
    const Time now = Simulator::Now();
    uint8_t ready = 0;
    Time next = Time::Max();
    for (uint8_t priority = 0; candidates >> priority != 0; ++priority)
    {
        if ((candidates >> priority) & 1)
        {
            const Time readyAt = port.queues.GetHead(priority).readyAt;
            ready |= (readyAt <= now) << priority;
            next = std::min(next, readyAt);
        }
    }
    if (ready == 0)
    {
        WakeAt(port, next);
        return nullptr;
    }
    return Dequeue(number, port.queues.Select(ready)).frame;
}

SwitchQueues::Waiting
ElectricalSwitch::Dequeue(uint32_t number, uint8_t priority)
{
    Port& port = m_ports[number];
    SwitchQueues::Waiting waiting = port.queues.Pop(priority);
    m_dequeueTrace(waiting.frame, number, priority, port.queues.GetDepth(priority));
    if (m_buffer->Release(waiting.input, priority, waiting.bytes))
    {
        m_resumes.emplace_back(waiting.input, priority);
        if (!m_resume->IsPending())
        {
            m_resume->Schedule(port.device->GetNode()->GetId(), Time(0));
        }
    }
    return waiting;
}

void
ElectricalSwitch::Resume()
{
    std::sort(m_resumes.begin(), m_resumes.end());
    for (const auto& [input, priority] : m_resumes)
    {
        SetPause(input, priority, false);
    }
    m_resumes.clear();
}

void
ElectricalSwitch::LinkChanged(TransceiverNetDevice& device)
{
    const uint32_t number = GetNumber(device);
    Port& port = m_ports[number];
    port.isDown = !device.IsLit();
    for (uint8_t priority = 0; port.isDown && priority < SwitchQueues::PRIORITIES; ++priority)
    {
        while ((port.queues.GetBacklog() >> priority) & 1)
        {
            Class kind;
            kind.output = number;
            kind.priority = priority;
            Drop(Dequeue(number, priority).frame, number, kind, LINK_DOWN);
        }
    }
}

} // namespace ns3
