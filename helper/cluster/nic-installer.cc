// SPDX-License-Identifier: GPL-2.0-only

#include "nic-installer.h"

#include "fibre-cabling.h"

#include "ns3/ethernet-port-net-device.h"

namespace ns3
{

NicInstaller::NicInstaller()
    : m_nicFactory("ns3::RdmaNic")
{
}

void
NicInstaller::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicFactory.Set(name, value);
}

void
NicInstaller::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePairAttributes.emplace_back(name, value.Copy());
}

void
NicInstaller::SetQueuePairDefault(const std::string& name, const AttributeValue& value)
{
    m_queuePairAttributes.insert(m_queuePairAttributes.begin(), {name, value.Copy()});
}

void
NicInstaller::SetCongestionControlAttribute(const std::string& name, const AttributeValue& value)
{
    m_controlAttributes.emplace_back(name, value.Copy());
}

Ptr<RdmaNic>
NicInstaller::Install(Ptr<Node> node,
                      DataRate portRate,
                      const std::vector<Ipv4Address>& addresses) const
{
    ObjectFactory portFactory("ns3::EthernetPortNetDevice");
    portFactory.Set("DataRate", DataRateValue(portRate));
    auto nic = m_nicFactory.Create<RdmaNic>();
    for (const auto& [name, value] : m_queuePairAttributes)
    {
        nic->SetQueuePairAttribute(name, *value);
    }
    for (const auto& [name, value] : m_controlAttributes)
    {
        nic->SetCongestionControlAttribute(name, *value);
    }
    for (const Ipv4Address& address : addresses)
    {
        nic->AddPort(FibreCabling::AddDevice<EthernetPortNetDevice>(portFactory, node), address);
    }
    return nic;
}

} // namespace ns3
