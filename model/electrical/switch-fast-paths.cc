// SPDX-License-Identifier: GPL-2.0-only

#include "switch-fast-paths.h"

#include "electrical-switch.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace ns3
{

Time
SwitchPort::GetNextReady(uint8_t priorities) const
{
    Time next = Time::Max();
    for (uint8_t priority = 0; priorities >> priority != 0; ++priority)
    {
        if ((priorities >> priority) & 1)
        {
            next = std::min(next, queues.GetHead(priority).readyAt);
        }
    }
    return next;
}

void
SwitchPort::WakeAt(const Time& at)
{
    if (!ready->IsPending())
    {
        readyAt = at;
        ready->Schedule(device->GetContext(), at - Simulator::Now());
    }
    else if (at < readyAt)
    {
        // Rare: a frame cuts through while another frame waits until it has arrived in full.
        Simulator::Schedule(at - Simulator::Now(), &EthernetPortNetDevice::Decide, device);
    }
}

uint64_t
SwitchDataPath::GetLoad(uint32_t port) const
{
    const SwitchPort& output = ports[port];
    if (output.isDown)
    {
        return std::numeric_limits<uint64_t>::max();
    }
    uint64_t bytes = 0;
    for (uint8_t priority = 0; output.queues.GetBacklog() >> priority != 0; ++priority)
    {
        bytes += output.queues.GetDepth(priority);
    }
    return bytes;
}

// --- beginning ----------------------------------------------------------------------------------

FastPathHop::Way
SwitchFastPaths::FindWay(EthernetPortNetDevice& input, const Flow& flow)
{
    constexpr uint8_t firstStrict = 6;
    // Before the first frame, memory and thresholds may still be set.
    if (!m_path.buffer || m_switch.IsTraced() || flow.controlPriority < firstStrict ||
        flow.controlPriority <= flow.dataPriority)
    {
        return {};
    }
    const uint32_t number = m_path.forwarding.FindOutput(flow.header, m_path);
    if (number == SwitchForwarding::NO_PORT || number == m_path.GetNumber(input))
    {
        return {};
    }
    EthernetPortNetDevice& output = *m_path.ports[number].device;
    const LightPath& onward = output.GetPath();
    if (output.GetDataRate() != input.GetDataRate() || onward.epoch || !onward.receiver)
    {
        return {};
    }
    return {&output, onward, m_path.hopLatency, input.IsEarly()};
}

void
SwitchFastPaths::ListNeighbours(std::vector<EthernetPortNetDevice*>& ports) const
{
    for (const auto& port : m_path.ports)
    {
        if (EthernetPortNetDevice* const receiver = port.device->GetPath().receiver)
        {
            ports.push_back(receiver);
        }
    }
}

bool
SwitchFastPaths::Spare(const std::vector<EthernetPortNetDevice*>& ports,
                       uint64_t longest,
                       uint64_t bytes,
                       bool isShared)
{
    const uint64_t each = (bytes + ports.size() - 1) / ports.size();
    for (const EthernetPortNetDevice* device : ports)
    {
        SwitchPort& port = m_path.GetPort(*device);
        port.longest = longest;
        port.reserved = each;
    }
    return m_path.buffer->IsRoomyFor(Extend(ports.size() * each, longest)) &&
           (!isShared || m_path.buffer->IsRoomyFor({m_path.ports.size() * each, longest}));
}

void
SwitchFastPaths::Join(EthernetPortNetDevice& device, const Ptr<FastPath>& ahead)
{
    SwitchPort& port = m_path.GetPort(device);
    for (uint8_t priority = 0; priority < SwitchQueues::PRIORITIES; ++priority)
    {
        while ((port.queues.GetBacklog() >> priority) & 1)
        {
            const SwitchQueues::Waiting waiting = port.queues.Pop(priority);
            const bool resume = m_path.buffer->Release(waiting.input, priority, waiting.bytes);
            NS_ABORT_MSG_IF(resume, "a port that is paused has been taken into a burst");
        }
    }
    port.fastPath = ahead;
    m_reserve = Extend(port.reserved, port.longest);
}

void
SwitchFastPaths::Part(EthernetPortNetDevice& device)
{
    SwitchPort& port = m_path.GetPort(device);
    port.fastPath = nullptr;
    m_reserve.bytes -= port.reserved;
    m_reserve.longest = m_reserve.bytes > 0 ? m_reserve.longest : 0;
}

bool
SwitchFastPaths::Look(EthernetPortNetDevice& output, std::vector<Held>& held) const
{
    const SwitchQueues& queues = m_path.GetPort(output).queues;
    for (uint8_t priority = 0; priority < SwitchQueues::PRIORITIES; ++priority)
    {
        for (const auto& waiting : queues.GetFrames(priority))
        {
            held.push_back({waiting.frame, waiting.readyAt});
        }
    }
    return queues.IsFair();
}

// --- end ----------------------------------------------------------------------------------------

void
SwitchFastPaths::Interrupt(const EthernetPortNetDevice& device)
{
    if (const Ptr<FastPath> fastPath = m_path.GetPort(device).fastPath)
    {
        fastPath->Leave();
    }
}

void
SwitchFastPaths::InterruptAll() const
{
    for (const auto& port : m_path.ports)
    {
        if (const Ptr<FastPath> fastPath = port.fastPath)
        {
            fastPath->Leave();
        }
    }
}

void
SwitchFastPaths::InterruptFor(uint32_t input, const SwitchForwarding::Class& kind, uint32_t bytes)
{
    const bool first = m_receiving == SwitchForwarding::NO_PORT;
    m_receiving = first ? input : m_receiving;
    const SwitchPort& output = m_path.ports[kind.output];
    Interrupt(*output.device);
    // The memory does not count the frames that fast paths keep.
    if (!m_path.buffer->IsRoomyFor(input,
                                   kind.priority,
                                   bytes,
                                   output.queues.GetDepth(kind.priority),
                                   m_reserve))
    {
        InterruptAll();
    }
    m_receiving = first ? SwitchForwarding::NO_PORT : m_receiving;
}

void
SwitchFastPaths::Expect(EthernetPortNetDevice& sender,
                        const LightPath& path,
                        Ptr<Packet> frame,
                        const Time& at,
                        bool now)
{
    sender.Launch(frame, path, at);
    // Ports before the receiving one have already processed the arrivals of this simulated time.
    if (now && m_receiving != SwitchForwarding::NO_PORT &&
        m_path.GetNumber(*path.receiver) < m_receiving)
    {
        path.receiver->DeliverDue();
    }
}

void
SwitchFastPaths::Hold(EthernetPortNetDevice& input,
                      EthernetPortNetDevice& output,
                      Ptr<Packet> frame,
                      const Time& ready)
{
    SwitchPort& port = m_path.GetPort(output);
    const uint32_t number = m_path.GetNumber(input);
    const uint8_t priority = m_path.forwarding.Classify(number, *frame, m_path).priority;
    const uint32_t bytes = frame->GetSize();
    const auto admission =
        m_path.buffer->Admit(number, priority, bytes, port.queues.GetDepth(priority));
    NS_ABORT_MSG_IF(admission.verdict != SwitchBuffer::ADMITTED,
                    "a burst has been let through a switch without room for it");
    port.queues.Push(priority, {frame, ready, bytes, number});
    if (!output.IsSending())
    {
        port.WakeAt(std::max(ready, Simulator::Now()));
    }
}

void
SwitchFastPaths::Abandon()
{
    for (auto& port : m_path.ports)
    {
        if (port.fastPath)
        {
            port.fastPath->Abandon();
        }
    }
}

// --- counters -----------------------------------------------------------------------------------

bool
SwitchFastPaths::IsSending(const EthernetPortNetDevice& output) const
{
    const auto& fastPath = m_path.GetPort(output).fastPath;
    return fastPath && fastPath->IsSending(output);
}

void
SwitchFastPaths::Settle() const
{
    for (const auto& port : m_path.ports)
    {
        if (port.fastPath)
        {
            port.fastPath->Settle();
        }
    }
}

} // namespace ns3
