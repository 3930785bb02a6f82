// SPDX-License-Identifier: GPL-2.0-only

#include "management-network-helper.h"

#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/node.h"

namespace ns3
{

ManagementNetworkHelper::ManagementNetworkHelper()
    : m_addresses("172.16.0.0", "255.255.255.252")
{
    // Static routes suffice in a star, and IPv6 would only send its own packets.
    m_stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
    m_stack.SetIpv6StackInstall(false);
    SetRate(DataRate("10Gbps"));
    SetLatency(MicroSeconds(10));
}

void
ManagementNetworkHelper::SetLatency(Time latency)
{
    m_link.SetChannelAttribute("Delay", TimeValue(latency / 2));
}

void
ManagementNetworkHelper::SetRate(DataRate rate)
{
    m_link.SetDeviceAttribute("DataRate", DataRateValue(rate));
}

Ipv4Address
ManagementNetworkHelper::Attach(Ptr<Node> node)
{
    if (!m_switch)
    {
        m_switch = CreateObject<Node>();
        m_stack.Install(m_switch);
    }
    m_stack.Install(node);
    const Ipv4InterfaceContainer interfaces = m_addresses.Assign(m_link.Install(node, m_switch));
    m_addresses.NewNetwork();
    Ipv4StaticRoutingHelper routing;
    routing.GetStaticRouting(interfaces.Get(0).first)
        ->SetDefaultRoute(interfaces.GetAddress(1), interfaces.Get(0).second);
    return interfaces.GetAddress(0);
}

Ptr<Node>
ManagementNetworkHelper::GetSwitch() const
{
    return m_switch;
}

} // namespace ns3
