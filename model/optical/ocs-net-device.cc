// SPDX-License-Identifier: GPL-2.0-only

#include "ocs-net-device.h"

#include "optical-circuit-switch.h"

#include "ns3/abort.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/node.h"
#include "ns3/optical-fibre-link.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OcsNetDevice);

TypeId
OcsNetDevice::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OcsNetDevice")
                            .SetParent<FibreNetDevice>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OcsNetDevice>();
    return tid;
}

void
OcsNetDevice::SetSwitch(OpticalCircuitSwitch* ocs, uint32_t port)
{
    m_switch = ocs;
    m_port = port;
}

void
OcsNetDevice::SetLight(bool lit)
{
    m_lit = lit;
    NotifyLinkChange();
    NotifyTransceiver();
}

void
OcsNetDevice::Unplug()
{
    if (m_switch)
    {
        m_switch->Unplug(m_port);
    }
}

void
OcsNetDevice::FollowLight(LightPath& path)
{
    if (m_switch) // a port that is not added to a switch yet is dark
    {
        m_switch->FollowLight(m_port, path);
    }
}

void
OcsNetDevice::FarEndChanged()
{
    NS_ABORT_MSG_IF(dynamic_cast<OcsNetDevice*>(GetFibre()->GetFarEnd(this)),
                    "a fibre joins a port of an OCS to a transceiver, not to another OCS");
    if (m_lit)
    {
        NotifyTransceiver();
    }
}

void
OcsNetDevice::NotifyTransceiver()
{
    auto* far =
        GetFibre() ? dynamic_cast<EthernetPortNetDevice*>(GetFibre()->GetFarEnd(this)) : nullptr;
    if (far)
    {
        // The event holds a reference, so that the device outlives it.
        Simulator::ScheduleWithContext(far->GetNode() ? far->GetNode()->GetId()
                                                      : Simulator::NO_CONTEXT,
                                       GetFibre()->GetDelay(),
                                       &EthernetPortNetDevice::LightChanged,
                                       Ptr<EthernetPortNetDevice>(far));
    }
}

void
OcsNetDevice::DoDispose()
{
    m_switch = nullptr;
    FibreNetDevice::DoDispose();
}

} // namespace ns3
