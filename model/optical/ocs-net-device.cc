// SPDX-License-Identifier: GPL-2.0-only

#include "ocs-net-device.h"

#include "fibre-channel.h"
#include "optical-circuit-switch.h"
#include "transceiver-net-device.h"

#include "ns3/node.h"
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

uint32_t
OcsNetDevice::GetPort() const
{
    return m_port;
}

void
OcsNetDevice::SetLight(bool lit)
{
    m_lit = lit;
    NotifyLinkChange();
    FarEndChanged();
}

void
OcsNetDevice::FollowLight(LightPath& path)
{
    m_switch->FollowLight(m_port, path);
}

void
OcsNetDevice::FarEndChanged()
{
    auto* far = GetFibre() ? dynamic_cast<TransceiverNetDevice*>(GetFibre()->GetFarEnd(this))
                           : nullptr;
    if (far && far->GetNode())
    {
        // Keeping a reference: the device must outlive the event.
        Simulator::ScheduleWithContext(far->GetNode()->GetId(),
                                       GetFibre()->GetDelay(),
                                       &TransceiverNetDevice::LightChanged,
                                       Ptr<TransceiverNetDevice>(far));
    }
}

bool
OcsNetDevice::IsLinkUp() const
{
    return m_lit;
}

void
OcsNetDevice::DoDispose()
{
    m_switch = nullptr;
    FibreNetDevice::DoDispose();
}

} // namespace ns3
