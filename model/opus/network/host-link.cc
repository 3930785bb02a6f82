// SPDX-License-Identifier: GPL-2.0-only

#include "host-link.h"

#include "ns3/abort.h"
#include "ns3/channel.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HostLink");

FrameQueue::FrameQueue(Ptr<NetDevice> device)
    : m_device(device)
{
}

FrameQueue::~FrameQueue()
{
    m_retry.Cancel();
}

void
FrameQueue::Send(Ptr<const Packet> frame)
{
    m_frames.push_back(frame);
    if (m_frames.size() == 1)
    {
        Flush();
    }
}

namespace
{

constexpr uint32_t HOST_HEADER_BYTES = 20 + 8; // IPv4 without options, UDP

/// @return whether both ends of a link are on nodes, which those are not that were disposed of:
/// ns-3's channel does not ask
bool
HasBothEnds(const NetDevice& device)
{
    const Ptr<Channel> channel = device.GetChannel();
    bool isComplete = channel != nullptr;
    for (std::size_t end = 0; isComplete && end < channel->GetNDevices(); ++end)
    {
        isComplete = channel->GetDevice(end)->GetNode() != nullptr;
    }
    return isComplete;
}

} // namespace

void
FrameQueue::Flush()
{
    if (!HasBothEnds(*m_device))
    {
        m_frames.clear();
        return;
    }
    while (!m_frames.empty())
    {
        // The device changes the packet even if it refuses it.
        if (!m_device->Send(m_frames.front()->Copy(), m_device->GetBroadcast(), IPV4_PROTOCOL))
        {
            NS_LOG_LOGIC("the device is full: " << m_frames.size() << " frames wait");
            m_retry = Simulator::Schedule(MicroSeconds(1), &FrameQueue::Flush, this);
            return;
        }
        m_frames.pop_front();
    }
}

void
FrameQueue::Send(Ptr<Packet> payload,
                 const InetSocketAddress& source,
                 const InetSocketAddress& destination)
{
    UdpHeader udp;
    udp.SetSourcePort(source.GetPort());
    udp.SetDestinationPort(destination.GetPort());
    payload->AddHeader(udp);
    Ipv4Header ip;
    ip.SetSource(source.GetIpv4());
    ip.SetDestination(destination.GetIpv4());
    ip.SetProtocol(UdpL4Protocol::PROT_NUMBER);
    ip.SetTtl(1);
    ip.EnableChecksum();
    ip.SetPayloadSize(static_cast<uint16_t>(payload->GetSize()));
    payload->AddHeader(ip);
    Send(payload);
}

HostLink::HostLink(Ptr<NetDevice> device, uint32_t index, ReceiveCallback receive)
    : m_device(device),
      m_index(index),
      m_receive(receive),
      m_queue(device)
{
    NS_ABORT_MSG_IF(!device->GetNode(), "a host link needs a device that is on a node");
    device->GetNode()->RegisterProtocolHandler(MakeCallback(&HostLink::Receive, this),
                                               FrameQueue::IPV4_PROTOCOL,
                                               device);
}

HostLink::~HostLink()
{
    // A node that has been disposed of has neither handlers nor, through the device, a name.
    if (Ptr<Node> node = m_device->GetNode())
    {
        node->UnregisterProtocolHandler(MakeCallback(&HostLink::Receive, this));
    }
}

void
HostLink::Send(const std::vector<OpusMessage>& messages)
{
    NS_LOG_FUNCTION(this << m_index << messages.size());
    Ptr<Packet> payload = Create<Packet>();
    for (const OpusMessage& message : messages)
    {
        Ptr<Packet> packet = Create<Packet>();
        packet->AddHeader(message);
        payload->AddAtEnd(packet);
    }
    for (uint32_t sent = 0; sent < payload->GetSize(); sent += MAX_PAYLOAD)
    {
        m_queue.Send(
            payload->CreateFragment(sent, std::min(MAX_PAYLOAD, payload->GetSize() - sent)),
            InetSocketAddress(Ipv4Address("169.254.0.1"), UDP_PORT),
            InetSocketAddress(Ipv4Address("169.254.0.2"), UDP_PORT));
    }
}

void
HostLink::Receive(Ptr<NetDevice>,
                  Ptr<const Packet> packet,
                  uint16_t,
                  const Address&,
                  const Address&,
                  NetDevice::PacketType)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    if (bytes.size() <= HOST_HEADER_BYTES)
    {
        NS_LOG_WARN("host link " << m_index << " drops a frame of " << bytes.size() << " bytes");
        ++m_malformed;
        return;
    }
    m_reader.Append(bytes.data() + HOST_HEADER_BYTES, bytes.size() - HOST_HEADER_BYTES);
    for (OpusMessage message; m_reader.Next(message);)
    {
        m_receive(m_index, message);
    }
}

} // namespace ns3
