// SPDX-License-Identifier: GPL-2.0-only

#include "ocs-installer.h"

#include "fibre-cabling.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/fibre-selector.h"
#include "ns3/ocs-net-device.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/rdma-nic.h"

namespace ns3
{

void
OcsInstaller::SetTechnology(const Variant<OcsTechnology>& technology)
{
    m_technology = technology;
}

void
OcsInstaller::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_attributes.emplace_back(name, value.Copy());
}

void
OcsInstaller::SetFabricAttribute(const std::string& name, const AttributeValue& value)
{
    m_fabricAttributes.emplace_back(name, value.Copy());
}

std::pair<Ptr<OpticalCircuitSwitch>, std::string>
OcsInstaller::Make(uint32_t ports) const
{
    std::string error;
    auto ocs = CreateObject<OpticalCircuitSwitch>();
    ocs->SetTechnology(m_technology->GetName());
    if (const auto fabric = m_technology->MakeFabric())
    {
        for (const auto& [name, value] : m_fabricAttributes)
        {
            fabric->SetAttribute(name, *value);
        }
        error = fabric->UsePorts(ports);
        ocs->SetFabric(fabric);
    }
    for (const auto& [name, value] : m_attributes)
    {
        ocs->SetAttribute(name, *value);
    }
    return {ocs, error};
}

std::string
OcsInstaller::Check(uint32_t ports) const
{
    const auto [ocs, error] = Make(ports);
    if (ports > ocs->GetRadix())
    {
        return "the radix of " + m_technology->GetName() + " is " + std::to_string(ocs->GetRadix());
    }
    // A fabric that is an attribute of the switch keeps its ports.
    const auto fabric = ocs->GetFabric();
    return error.empty() && fabric ? fabric->CircuitFabric::UsePorts(ports) : error;
}

Ptr<CircuitFabric>
OcsInstaller::MakeFabric(uint32_t ports) const
{
    const auto fabric = Make(ports).first->GetFabric();
    if (fabric)
    {
        fabric->Change({}, {}); // makes what copies then share
    }
    return fabric;
}

Ptr<OpticalCircuitSwitch>
OcsInstaller::Create(uint32_t ports, Ptr<const CircuitFabric> fabric) const
{
    auto ocs = Make(ports).first;
    ocs->SetFabric(fabric ? fabric->Copy() : nullptr);
    return ocs;
}

SpareGpuCabling::SpareGpuCabling(const NodeContainer& rails,
                                 const ObjectFactory& fibreFactory,
                                 Time selectionTime)
    : m_rails(rails),
      m_fibreFactory(fibreFactory),
      m_selectionTime(selectionTime)
{
}

std::vector<std::vector<uint32_t>>
SpareGpuCabling::Cable(Ptr<Node> gpu) const
{
    const ObjectFactory ocsPortFactory("ns3::OcsNetDevice");
    Ptr<FibreSelector> selector;
    if (m_rails.GetN() > 1)
    {
        selector = CreateObject<FibreSelector>();
        selector->SetAttribute("SelectionTime", TimeValue(m_selectionTime));
        gpu->AggregateObject(selector);
    }
    const auto nic = gpu->GetObject<RdmaNic>();
    std::vector<std::vector<uint32_t>> kept(m_rails.GetN());
    for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
    {
        std::vector<Ptr<OcsNetDevice>> branches;
        for (uint32_t rail = 0; rail < m_rails.GetN(); ++rail)
        {
            const auto node = m_rails.Get(rail);
            branches.push_back(FibreCabling::AddDevice<OcsNetDevice>(ocsPortFactory, node));
            kept[rail].push_back(node->GetObject<OpticalCircuitSwitch>()->AddPort(branches.back()));
        }
        if (!selector)
        {
            FibreCabling::Connect(m_fibreFactory, nic->GetPort(port), branches.front());
            continue;
        }
        auto fibre = m_fibreFactory.Create<OpticalFibreLink>();
        fibre->Attach(nic->GetPort(port));
        selector->AddFibre(fibre, branches);
    }
    return kept;
}

} // namespace ns3
