// SPDX-License-Identifier: GPL-2.0-only

#include "management-switch.h"

#include "host-link.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <array>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ManagementSwitch");
NS_OBJECT_ENSURE_REGISTERED(ManagementSwitch);

TypeId
ManagementSwitch::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ManagementSwitch")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<ManagementSwitch>();
    return tid;
}

ManagementSwitch::ManagementSwitch() = default;
ManagementSwitch::~ManagementSwitch() = default;

void
ManagementSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_ports.clear();
    m_neighbours.clear();
    m_extraDelay = nullptr;
    Object::DoDispose();
}

void
ManagementSwitch::AddPort(Ptr<NetDevice> device, Ipv4Address neighbour)
{
    NS_LOG_FUNCTION(this << device << neighbour);
    NS_ABORT_MSG_IF(!device->GetNode(), "a switch port needs a device that is on a node");
    if (m_ports.empty())
    {
        // One handler for all devices: a node asks its handlers one after the other.
        device->GetNode()->RegisterProtocolHandler(MakeCallback(&ManagementSwitch::Receive, this),
                                                   FrameQueue::IPV4_PROTOCOL,
                                                   nullptr);
    }
    m_ports[neighbour.Get()] = std::make_unique<FrameQueue>(device);
    m_neighbours[device] = neighbour.Get();
}

void
ManagementSwitch::Receive(Ptr<NetDevice> device,
                          Ptr<const Packet> packet,
                          uint16_t,
                          const Address&,
                          const Address&,
                          NetDevice::PacketType)
{
    NS_LOG_FUNCTION(this << device);
    std::array<uint8_t, 20> header{}; // IPv4, without options
    const uint32_t size = packet->CopyData(header.data(), header.size());
    const auto port = m_ports.find(Ipv4Address::Deserialize(header.data() + 16).Get());
    if (size < header.size() || port == m_ports.end())
    {
        NS_LOG_WARN("no port leads to the destination of a frame of " << size << " bytes");
        ++m_dropped;
        return;
    }
    const auto neighbour = m_neighbours.find(device);
    if (neighbour == m_neighbours.end() ||
        neighbour->second != Ipv4Address::Deserialize(header.data() + 12).Get())
    {
        NS_LOG_WARN("the source of a frame is not the neighbour at its port");
        ++m_forged;
        return;
    }
    if (!m_extraDelay)
    {
        port->second->Send(packet);
        return;
    }
    Simulator::Schedule(Seconds(m_extraDelay->GetValue()),
                        &ManagementSwitch::Forward,
                        Ptr<ManagementSwitch>(this),
                        port->first,
                        packet);
}

void
ManagementSwitch::Forward(uint32_t neighbour, Ptr<const Packet> packet)
{
    NS_LOG_FUNCTION(this << neighbour << packet);
    const auto port = m_ports.find(neighbour);
    if (port != m_ports.end())
    {
        port->second->Send(packet);
    }
}

} // namespace ns3
