// SPDX-License-Identifier: GPL-2.0-only

#include "management-network-helper.h"

#include "ns3/abort.h"
#include "ns3/error-model.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/management-switch.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ManagementNetworkHelper");

namespace
{

/// Address of the first node: 172.16.0.1.
constexpr uint32_t FIRST_MANAGEMENT_ADDRESS = 0xac100001;

} // namespace

ManagementNetworkHelper::ManagementNetworkHelper()
    : m_port("ns3::ManagementPort")
{
    m_link.DisableFlowControl(); // there is no traffic control above these devices
    // Large enough that frames wait only in this queue.
    m_link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000000p"));
    SetRate(DataRate("10Gbps"));
    SetLatency(MicroSeconds(10));
}

void
ManagementNetworkHelper::SetLatency(Time latency)
{
    NS_ABORT_MSG_IF(latency.IsStrictlyNegative(), "a control latency of " << latency);
    m_link.SetChannelAttribute("Delay", TimeValue(latency / 2));
}

void
ManagementNetworkHelper::SetRate(DataRate rate)
{
    NS_ABORT_MSG_IF(rate.GetBitRate() == 0, "a management network without a rate");
    m_link.SetDeviceAttribute("DataRate", DataRateValue(rate));
}

void
ManagementNetworkHelper::SetLoss(double share, int64_t stream)
{
    NS_ABORT_MSG_UNLESS(share >= 0 && share <= 1, "a share of lost messages of " << share);
    m_loss = share;
    m_stream = stream;
}

Ipv4Address
ManagementNetworkHelper::Attach(Ptr<Node> node)
{
    NS_LOG_FUNCTION(this << node << GetNext());
    if (!m_switch)
    {
        m_switch = CreateObject<Node>(m_process);
        auto middle = CreateObject<ManagementSwitch>();
        middle->SetExtraDelay(m_extraDelay);
        m_switch->AggregateObject(middle);
    }
    const NetDeviceContainer link = m_link.Install(node, m_switch);
    const Ipv4Address address = GetNext();
    if (m_loss > 0)
    {
        auto error = CreateObject<RateErrorModel>();
        error->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        error->SetRate(m_loss);
        error->AssignStreams(m_stream + m_attached);
        link.Get(0)->SetAttribute("ReceiveErrorModel", PointerValue(error));
    }
    ++m_attached;
    auto port = m_port.Create<ManagementPort>();
    port->SetLink(link.Get(0), address);
    node->AggregateObject(port);
    m_switch->GetObject<ManagementSwitch>()->AddPort(link.Get(1), address);
    return address;
}

Ipv4Address
ManagementNetworkHelper::GetNext() const
{
    return Ipv4Address(FIRST_MANAGEMENT_ADDRESS + m_attached);
}

} // namespace ns3
