// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How an ElectricalSwitch lets conversations pass in bursts.
 */

#include "electrical-switch.h"

#include "ns3/abort.h"
#include "ns3/network-order.h"
#include "ns3/rdma-conversation.h"
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
ElectricalSwitch::FindWay(TransceiverNetDevice& input, const Flow& flow)
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
    Port& from = m_ports[GetNumber(input)];
    const uint32_t number = FindOutput(flow.header);
    if (number == NO_PORT || number == GetNumber(input))
    {
        return {};
    }
    Port& port = m_ports[number];
    TransceiverNetDevice& output = *port.device;
    if (output.GetDataRate() != input.GetDataRate() || !IsFree(from) || !IsFree(port))
    {
        return {};
    }
    // What has not left is in the pipeline, or waits behind a longer frame: one at most.
    const double pipeline =
        static_cast<double>(output.GetDataRate().GetBitRate()) / 8 * m_hopLatency.GetSeconds();
    constexpr uint32_t frames = 4;
    port.longest = static_cast<uint64_t>(std::ceil(pipeline)) + frames * flow.frameBytes;
    const LightPath& onward = output.GetPath();
    if (onward.epoch || !onward.receiver || port.marker.MayMark(port.longest) ||
        !m_buffer->IsRoomyFor(m_burstBytes + 2 * port.longest))
    {
        return {};
    }
    return {&output, onward, m_hopLatency, input.IsEarly()};
}

void
ElectricalSwitch::Join(TransceiverNetDevice& one,
                       TransceiverNetDevice& other,
                       const Ptr<RdmaConversation>& conversation)
{
    for (const TransceiverNetDevice* device : {&one, &other})
    {
        Port& port = m_ports[GetNumber(*device)];
        port.conversation = conversation;
        m_burstBytes += port.longest;
    }
}

void
ElectricalSwitch::Part(TransceiverNetDevice& one, TransceiverNetDevice& other)
{
    for (const TransceiverNetDevice* device : {&one, &other})
    {
        Port& port = m_ports[GetNumber(*device)];
        port.conversation = nullptr;
        m_burstBytes -= port.longest;
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
    if (const Ptr<RdmaConversation> conversation = m_ports[GetNumber(device)].conversation)
    {
        conversation->Leave();
    }
}

void
ElectricalSwitch::InterruptAll() const
{
    for (const auto& port : m_ports)
    {
        if (const Ptr<RdmaConversation> conversation = port.conversation)
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
    if (const Ptr<RdmaConversation> conversation = output.conversation)
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
