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
FibreNetDevice::DoDispose()
{
    m_channel = nullptr;
    m_node = nullptr;
    m_receive = ReceiveCallback();
    m_promiscReceive = PromiscReceiveCallback();
    m_linkChange = TracedCallback<>();
    NetDevice::DoDispose();
}

Ptr<Channel>
FibreNetDevice::GetChannel() const
{
    return m_channel;
}

bool
FibreNetDevice::SetMtu(const uint16_t mtu)
{
    return SetAttributeFailSafe("Mtu", UintegerValue(mtu));
}

bool
FibreNetDevice::IsLinkUp() const
{
    return m_channel != nullptr;
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

} // namespace ns3
