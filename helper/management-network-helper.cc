// SPDX-License-Identifier: GPL-2.0-only

#include "management-network-helper.h"

#include "ns3/management-port.h"
#include "ns3/management-switch.h"
#include "ns3/node.h"
#include "ns3/string.h"

namespace ns3
{

namespace
{

/// Address of the first node: 172.16.0.1.
constexpr uint32_t FIRST_ADDRESS = 0xac100001;

} // namespace

ManagementNetworkHelper::ManagementNetworkHelper()
{
    // Long enough that no frame ever waits outside of it.
    m_link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000000p"));
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

void
ManagementNetworkHelper::SetProcess(uint32_t process)
{
    m_process = process;
}

Ipv4Address
ManagementNetworkHelper::Attach(Ptr<Node> node)
{
    if (!m_switch)
    {
        m_switch = CreateObject<Node>(m_process);
        m_switch->AggregateObject(CreateObject<ManagementSwitch>());
    }
    const NetDeviceContainer link = m_link.Install(node, m_switch);
    const Ipv4Address address = GetNext();
    ++m_attached;
    auto port = CreateObject<ManagementPort>();
    port->SetLink(link.Get(0), address);
    node->AggregateObject(port);
    m_switch->GetObject<ManagementSwitch>()->AddPort(link.Get(1), address);
    return address;
}

Ipv4Address
ManagementNetworkHelper::GetNext() const
{
    return Ipv4Address(FIRST_ADDRESS + m_attached);
}

Ptr<Node>
ManagementNetworkHelper::GetSwitch() const
{
    return m_switch;
}

} // namespace ns3
