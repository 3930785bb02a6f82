// SPDX-License-Identifier: GPL-2.0-only

#include "spare-gpu-cabling.h"

#include "fibre-cabling.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/fibre-selector.h"
#include "ns3/ocs-net-device.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/rdma-nic.h"

namespace ns3
{

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
