// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How an ElectricalSwitch lets conversations pass in bursts.
 */

#include "electrical-switch.h"

#include "ns3/abort.h"
#include "ns3/network-order.h"
#include "ns3/rdma-ahead.h"
#include "ns3/simulator.h"
#include "ns3/transceiver-net-device.h"

#include <cmath>

namespace ns3
{

// --- begin --------------------------------------------------------------------------------------

bool
ElectricalSwitch::IsFree(Port& port) const
{
    if (port.conversation && port.conversation->IsQuiet())
    {
        port.conversation->Leave();
    }
    return !port.conversation && port.queues.GetBacklog() == 0 && port.device->IsUndisturbed() &&
           !port.device->IsSending();
}

uint32_t
ElectricalSwitch::FindOutput(const RoceHeader& header) const
{
    constexpr uint8_t udp = 17;
    const FlowTuple flow{header.sourceIp.Get(),
                         header.destinationIp.Get(),
                         header.sourcePort,
                         RoceHeader::UDP_PORT,
                         udp};
    const SwitchRoutes::Route route = m_routes.Find(flow.destination);
    if (!route.ports)
    {
        return NO_PORT;
    }
    return route.ports->size() == 1 ? route.ports->front() : ChoosePort(*route.ports, flow);
}

RdmaBurstHop::Way
ElectricalSwitch::FindWayAmid(TransceiverNetDevice& input, const Flow& flow)
{
    constexpr uint8_t firstStrict = 6;
    const bool traced = !m_enqueueTrace.IsEmpty() || !m_dequeueTrace.IsEmpty() ||
                        !m_markTrace.IsEmpty() || !m_dropTrace.IsEmpty() ||
                        !m_pauseTrace.IsEmpty() || !m_resumeTrace.IsEmpty();
    // Before the first frame, memory and thresholds may still be set.
    if (!m_buffer || traced || flow.controlPriority < firstStrict ||
        flow.controlPriority <= flow.dataPriority)
    {
        return {};
    }
    const uint32_t number = FindOutput(flow.header);
    if (number == NO_PORT || number == GetNumber(input))
    {
        return {};
    }
    TransceiverNetDevice& output = *m_ports[number].device;
    const LightPath& onward = output.GetPath();
    if (output.GetDataRate() != input.GetDataRate() || onward.epoch || !onward.receiver)
    {
        return {};
    }
    return {&output, onward, m_hopLatency, input.IsEarly()};
}

RdmaBurstHop::Way
ElectricalSwitch::FindWay(TransceiverNetDevice& input, const Flow& flow)
{
    const Way way = FindWayAmid(input, flow);
    if (!way.output)
    {
        return {};
    }
    Port& port = m_ports[GetNumber(*way.output)];
    if (!IsFree(m_ports[GetNumber(input)]) || !IsFree(port))
    {
        return {};
    }
    // What has not left is in the pipeline, or waits behind a longer frame: one at most.
    const double pipeline =
        static_cast<double>(input.GetDataRate().GetBitRate()) / 8 * m_hopLatency.GetSeconds();
    constexpr uint32_t frames = 4;
    port.longest = static_cast<uint64_t>(std::ceil(pipeline)) + frames * flow.frameBytes;
    if (port.marker.MayMark(port.longest) || !m_buffer->IsRoomyFor(m_burstBytes + 2 * port.longest))
    {
        return {};
    }
    return way;
}

bool
ElectricalSwitch::Spare(const std::vector<TransceiverNetDevice*>& ports, uint64_t bytes)
{
    for (const TransceiverNetDevice* device : ports)
    {
        Port& port = m_ports[GetNumber(*device)];
        if (port.marker.MayMark(bytes))
        {
            return false;
        }
        port.longest = bytes;
    }
    return m_buffer->IsRoomyFor(m_burstBytes + ports.size() * bytes);
}

void
ElectricalSwitch::Join(TransceiverNetDevice& device, const Ptr<RdmaAhead>& ahead)
{
    Port& port = m_ports[GetNumber(device)];
    port.conversation = ahead;
    m_burstBytes += port.longest;
}

void
ElectricalSwitch::Part(TransceiverNetDevice& device)
{
    Port& port = m_ports[GetNumber(device)];
    port.conversation = nullptr;
    m_burstBytes -= port.longest;
}

bool
ElectricalSwitch::Look(TransceiverNetDevice& output, std::vector<Held>& held) const
{
    const SwitchQueues& queues = m_ports[GetNumber(output)].queues;
    for (uint8_t priority = 0; priority < SwitchQueues::PRIORITIES; ++priority)
    {
        for (const auto& waiting : queues.GetFrames(priority))
        {
            held.push_back({waiting.frame, waiting.readyAt});
        }
    }
    return queues.IsFair();
}

void
ElectricalSwitch::Empty(TransceiverNetDevice& output)
{
    SwitchQueues& queues = m_ports[GetNumber(output)].queues;
    for (uint8_t priority = 0; priority < SwitchQueues::PRIORITIES; ++priority)
    {
        while ((queues.GetBacklog() >> priority) & 1)
        {
            const SwitchQueues::Waiting waiting = queues.Pop(priority);
            const bool resume = m_buffer->Release(waiting.input, priority, waiting.bytes);
            NS_ABORT_MSG_IF(resume, "a port that is paused has been taken into a burst");
        }
    }
}

// --- end ----------------------------------------------------------------------------------------

void
ElectricalSwitch::Interrupt(TransceiverNetDevice& device)
{
    if (m_burstBytes == 0)
    {
        return;
    }
    if (const Ptr<RdmaAhead> conversation = m_ports[GetNumber(device)].conversation)
    {
        conversation->Leave();
    }
}

void
ElectricalSwitch::InterruptAll() const
{
    for (const auto& port : m_ports)
    {
        if (const Ptr<RdmaAhead> conversation = port.conversation)
        {
            conversation->Leave();
        }
    }
}

void
ElectricalSwitch::TraceWanted()
{
    InterruptAll();
}

void
ElectricalSwitch::Intrude(uint32_t input, const Port& output, const Class& kind, uint32_t bytes)
{
    const bool first = m_receiving == NO_PORT;
    m_receiving = first ? input : m_receiving;
    if (const Ptr<RdmaAhead> conversation = output.conversation)
    {
        conversation->Leave();
    }
    // What conversations keep in the memory is not counted while they last.
    if (!m_buffer->IsRoomyFor(input,
                              kind.priority,
                              bytes,
                              output.queues.GetDepth(kind.priority),
                              m_burstBytes))
    {
        InterruptAll();
    }
    m_receiving = first ? NO_PORT : m_receiving;
}

void
ElectricalSwitch::Expect(TransceiverNetDevice& sender,
                         const LightPath& path,
                         Ptr<Packet> frame,
                         const Time& at,
                         bool now)
{
    sender.Launch(frame, path, at);
    // Of what arrives at this instant, a part has been taken in already: that of the first ports.
    if (now && m_receiving != NO_PORT && GetNumber(*path.receiver) < m_receiving)
    {
        path.receiver->DeliverDue();
    }
}

void
ElectricalSwitch::Hold(TransceiverNetDevice& input,
                       TransceiverNetDevice& output,
                       Ptr<Packet> frame,
                       const Time& ready)
{
    Port& port = m_ports[GetNumber(output)];
    const uint8_t priority = Classify(m_ports[GetNumber(input)], *frame).priority;
    const uint32_t number = GetNumber(input);
    const uint32_t bytes = frame->GetSize();
    const auto admission = m_buffer->Admit(number, priority, bytes, port.queues.GetDepth(priority));
    NS_ABORT_MSG_IF(admission.verdict != SwitchBuffer::ADMITTED,
                    "a burst has been let through a switch without room for it");
    port.queues.Push(priority, {frame, ready, bytes, number});
    if (!output.IsSending())
    {
        WakeAt(port, std::max(ready, Simulator::Now()));
    }
}

// --- what can be seen ---------------------------------------------------------------------------

bool
ElectricalSwitch::IsSendingAhead(const TransceiverNetDevice& device) const
{
    if (m_burstBytes == 0)
    {
        return false;
    }
    const auto& conversation = m_ports[GetNumber(device)].conversation;
    return conversation && conversation->IsPassing(device);
}

void
ElectricalSwitch::Settle(const TransceiverNetDevice& device)
{
    if (const auto& conversation = m_ports[GetNumber(device)].conversation)
    {
        conversation->Settle();
    }
}

void
ElectricalSwitch::CountBurst(uint64_t frames, uint64_t depth)
{
    m_statistics.enqueued += frames;
    m_statistics.maxDepth = std::max(m_statistics.maxDepth, depth);
}

void
ElectricalSwitch::SetHopLatency(Time latency)
{
    InterruptAll();
    m_hopLatency = latency;
}

Time
ElectricalSwitch::GetHopLatency() const
{
    return m_hopLatency;
}

void
ElectricalSwitch::SetEcmpSeed(uint64_t seed)
{
    InterruptAll();
    m_ecmpSeed = seed;
}

uint64_t
ElectricalSwitch::GetEcmpSeed() const
{
    return m_ecmpSeed;
}

} // namespace ns3
