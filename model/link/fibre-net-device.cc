// SPDX-License-Identifier: GPL-2.0-only

#include "fibre-net-device.h"

#include "optical-fibre-link.h"

#include "ns3/node.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FibreNetDevice);

TypeId
FibreNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FibreNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("PhotonicRails")
            .AddAttribute("Address",
                          "MAC address of the device.",
                          Mac48AddressValue(Mac48Address("ff:ff:ff:ff:ff:ff")),
                          MakeMac48AddressAccessor(&FibreNetDevice::m_address),
                          MakeMac48AddressChecker())
            .AddAttribute("Mtu",
                          "Largest layer-3 packet in bytes that Send accepts, 68 to 9216.",
                          UintegerValue(4500),
                          MakeUintegerAccessor(&FibreNetDevice::m_mtu),
                          MakeUintegerChecker<uint16_t>(68, 9216));
    return tid;
}

void
FibreNetDevice::PlugIn(Ptr<OpticalFibreLink> channel)
{
    m_channel = channel;
}

OpticalFibreLink*
FibreNetDevice::GetFibre() const
{
    return PeekPointer(m_channel);
}

void
FibreNetDevice::NotifyLinkChange()
{
    m_linkChange();
}

void
FibreNetDevice::DoDispose()
{
    m_channel = nullptr;
    m_node = nullptr;
    m_receive = ReceiveCallback();
    m_promiscReceive = PromiscReceiveCallback();
    m_linkChange = TracedCallback<>();
    NetDevice::DoDispose();
}

void
FibreNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FibreNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FibreNetDevice::GetChannel() const
{
    return m_channel;
}

void
FibreNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
FibreNetDevice::GetAddress() const
{
    return m_address;
}

bool
FibreNetDevice::SetMtu(const uint16_t mtu)
{
    return SetAttributeFailSafe("Mtu", UintegerValue(mtu));
}

uint16_t
FibreNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
FibreNetDevice::IsLinkUp() const
{
    return m_channel != nullptr;
}

bool
FibreNetDevice::IsBroadcast() const
{
    return true;
}

Address
FibreNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FibreNetDevice::IsMulticast() const
{
    return false;
}

Address
FibreNetDevice::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
FibreNetDevice::GetMulticast(Ipv6Address group) const
{
    return Mac48Address::GetMulticast(group);
}

bool
FibreNetDevice::IsBridge() const
{
    return false;
}

bool
FibreNetDevice::IsPointToPoint() const
{
    return true;
}

bool
FibreNetDevice::Send(Ptr<Packet>, const Address&, uint16_t)
{
    return false;
}

bool
FibreNetDevice::SendFrom(Ptr<Packet>, const Address&, const Address&, uint16_t)
{
    return false;
}

Ptr<Node>
FibreNetDevice::GetNode() const
{
    return m_node;
}

void
FibreNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
FibreNetDevice::NeedsArp() const
{
    return false;
}

void
FibreNetDevice::SetReceiveCallback(ReceiveCallback callback)
{
    m_receive = callback;
}

void
FibreNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback callback)
{
    m_promiscReceive = callback;
}

bool
FibreNetDevice::SupportsSendFrom() const
{
    return false;
}

} // namespace ns3
