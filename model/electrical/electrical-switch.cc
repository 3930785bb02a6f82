// SPDX-License-Identifier: GPL-2.0-only

#include "electrical-switch.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/node.h"
#include "ns3/roce-header.h"
#include "ns3/simulator.h"
#include "ns3/transceiver-net-device.h"
#include "ns3/uinteger.h"

#include <array>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ElectricalSwitch);

TypeId
ElectricalSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ElectricalSwitch")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<ElectricalSwitch>()
            .AddAttribute("HopLatency",
                          "Time from the last bit of a frame at its input to the first bit at an "
                          "idle output.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&ElectricalSwitch::m_hopLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("EcmpSeed",
                          "Seed of the hash that chooses among equal-cost ports; 0 takes one of "
                          "the switch's own, from the number of its node.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ElectricalSwitch::m_ecmpSeed),
                          MakeUintegerChecker<uint64_t>())
            .AddTraceSource("Enqueue",
                            "A frame is put into an output queue: frame, port, frames queued.",
                            MakeTraceSourceAccessor(&ElectricalSwitch::m_enqueueTrace),
                            "ns3::ElectricalSwitch::FrameTracedCallback")
            .AddTraceSource("Dequeue",
                            "A frame leaves an output queue: frame, port, frames left.",
                            MakeTraceSourceAccessor(&ElectricalSwitch::m_dequeueTrace),
                            "ns3::ElectricalSwitch::FrameTracedCallback")
            .AddTraceSource("Drop",
                            "A frame without a route is dropped: frame, input port, 0.",
                            MakeTraceSourceAccessor(&ElectricalSwitch::m_dropTrace),
                            "ns3::ElectricalSwitch::FrameTracedCallback");
    return tid;
}

ElectricalSwitch::ElectricalSwitch() = default;
ElectricalSwitch::~ElectricalSwitch() = default;

void
ElectricalSwitch::DoDispose()
{
    for (auto& port : m_ports)
    {
        port.ready->Disarm();
        port.device->SetMacClient(nullptr);
    }
    m_ports.clear();
    Object::DoDispose();
}

uint32_t
ElectricalSwitch::AddPort(Ptr<TransceiverNetDevice> device)
{
    const auto number = static_cast<uint32_t>(m_ports.size());
    if (number == 0)
    {
        m_firstIfIndex = device->GetIfIndex();
    }
    NS_ABORT_MSG_IF(device->GetIfIndex() != m_firstIfIndex + number,
                    "the ports of a switch are consecutive devices of its node");
    device->SetMacClient(this);
    auto wake = Create<RecurringEvent>([device = PeekPointer(device)] { device->Kick(); });
    m_ports.push_back(Port{device, {}, wake, {}});
    return number;
}

void
ElectricalSwitch::AddRoute(Ipv4Address destination, uint32_t port)
{
    AddRoute(destination, destination, {port});
}

void
ElectricalSwitch::AddRoute(Ipv4Address first, Ipv4Address last, const std::vector<uint32_t>& ports)
{
    for (const uint32_t port : ports)
    {
        NS_ABORT_MSG_IF(port >= m_ports.size(), "the switch has no port " << port);
    }
    m_routes.Add(first.Get(), last.Get(), ports);
    for (auto& port : m_ports)
    {
        port.lastRoute = {};
    }
}

uint64_t
ElectricalSwitch::GetUnroutable() const
{
    return m_unroutable;
}

uint32_t
ElectricalSwitch::GetNumber(const TransceiverNetDevice& device) const
{
    return device.GetIfIndex() - m_firstIfIndex;
}

uint32_t
ElectricalSwitch::Classify(Port& input, const Packet& frame) const
{
    constexpr uint32_t ip = RoceHeader::ETHERNET_BYTES;
    constexpr uint32_t udp = ip + RoceHeader::IPV4_BYTES;
    std::array<uint8_t, udp + 4> header{};
    if (frame.CopyData(header.data(), header.size()) < udp || header[ip - 2] != 0x08 ||
        header[ip - 1] != 0x00)
    {
        return NO_PORT; // not IPv4
    }
    const uint32_t destination = Ipv4Address::Deserialize(&header[ip + 16]).Get();
    if (!input.lastRoute.Covers(destination))
    {
        input.lastRoute = m_routes.Find(destination);
        if (!input.lastRoute.ports)
        {
            return NO_PORT;
        }
    }
    const auto& ports = *input.lastRoute.ports;
    if (ports.size() == 1)
    {
        return ports[0];
    }
    const FlowTuple flow{Ipv4Address::Deserialize(&header[ip + 12]).Get(),
                         destination,
                         static_cast<uint16_t>((header[udp] << 8) | header[udp + 1]),
                         static_cast<uint16_t>((header[udp + 2] << 8) | header[udp + 3]),
                         header[ip + 9]};
    const uint64_t seed = m_ecmpSeed ? m_ecmpSeed : 1 + uint64_t{input.device->GetNode()->GetId()};
    return ports[SwitchRoutes::Choose(flow, seed, static_cast<uint32_t>(ports.size()))];
}

void
ElectricalSwitch::Receive(TransceiverNetDevice& device, Ptr<Packet> frame)
{
    const uint32_t number = Classify(m_ports[GetNumber(device)], *frame);
    if (number == NO_PORT)
    {
        ++m_unroutable;
        m_dropTrace(frame, GetNumber(device), 0);
        return;
    }
    Port& output = m_ports[number];
    output.queue.push_back(Waiting{frame, Simulator::Now() + m_hopLatency});
    m_enqueueTrace(frame, number, static_cast<uint32_t>(output.queue.size()));
    if (!output.ready->IsPending() && output.queue.size() == 1)
    {
        output.ready->Schedule(output.device->GetNode()->GetId(), m_hopLatency);
    }
}

Ptr<Packet>
ElectricalSwitch::NextFrame(TransceiverNetDevice& device)
{
    const uint32_t number = GetNumber(device);
    Port& port = m_ports[number];
    if (port.queue.empty())
    {
        return nullptr;
    }
    const Time wait = port.queue.front().readyAt - Simulator::Now();
    if (wait.IsStrictlyPositive())
    {
        if (!port.ready->IsPending())
        {
            port.ready->Schedule(device.GetNode()->GetId(), wait);
        }
        return nullptr;
    }
    Ptr<Packet> frame = port.queue.front().frame;
    port.queue.pop_front();
    m_dequeueTrace(frame, number, static_cast<uint32_t>(port.queue.size()));
    return frame;
}

void
ElectricalSwitch::LinkChanged(TransceiverNetDevice&)
{
}

} // namespace ns3
