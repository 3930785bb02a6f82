// SPDX-License-Identifier: GPL-2.0-only

#include "fiber-net-device.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FiberNetDevice);

TypeId
FiberNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FiberNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("PhotonicRails")
            .AddAttribute("Address",
                          "MAC address of the device.",
                          Mac48AddressValue(Mac48Address("ff:ff:ff:ff:ff:ff")),
                          MakeMac48AddressAccessor(&FiberNetDevice::m_address),
                          MakeMac48AddressChecker())
            .AddAttribute("Mtu",
                          "Largest layer-3 packet in bytes that Send accepts, 68 to 9216.",
                          UintegerValue(4500),
                          MakeUintegerAccessor(&FiberNetDevice::m_mtu),
                          MakeUintegerChecker<uint16_t>(68, 9216));
    return tid;
}

void
FiberNetDevice::DoDispose()
{
    m_channel = nullptr;
    m_node = nullptr;
    m_receive = ReceiveCallback();
    m_promiscReceive = PromiscReceiveCallback();
    m_linkChange = TracedCallback<>();
    NetDevice::DoDispose();
}

bool
FiberNetDevice::SetMtu(const uint16_t mtu)
{
    return SetAttributeFailSafe("Mtu", UintegerValue(mtu));
}

} // namespace ns3
