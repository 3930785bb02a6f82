// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What a RailClusterHelper would build, and whether it can.
 */

#include "rail-cluster-helper.h"

#include "ns3/abort.h"
#include "ns3/fabric-clos.h"
#include "ns3/fabric-fat-tree.h"
#include "ns3/fibre-channel.h"
#include "ns3/ocs-technology.h"
#include "ns3/pip-switch-fabric.h"

namespace ns3
{

Time
RailClusterHelper::ToFibreDelay(const AttributeValue& value)
{
    TypeId::AttributeInformation delay;
    FibreChannel::GetTypeId().LookupAttributeByName("Delay", &delay);
    return DynamicCast<TimeValue>(delay.checker->CreateValidValue(value))->Get();
}

Time
RailClusterHelper::GetFibreDelay() const
{
    // A channel that is made only to be asked would stay in ns-3's list of channels.
    TypeId::AttributeInformation delay;
    FibreChannel::GetTypeId().LookupAttributeByName("Delay", &delay);
    return m_fibreDelay ? *m_fibreDelay : ToFibreDelay(*delay.initialValue);
}

std::string
RailClusterHelper::Check(RailCluster::Fabric fabric) const
{
    if (m_domains == 0 || m_gpusPerDomain == 0)
    {
        return "a cluster needs at least one domain of one GPU";
    }
    if (m_processes == 0 || m_processes > m_gpusPerDomain)
    {
        return std::to_string(m_gpusPerDomain) + " rails can be shared between 1 to " +
               std::to_string(m_gpusPerDomain) + " processes, not " + std::to_string(m_processes);
    }
    if (m_nicPorts != 1 && m_nicPorts != 2 && m_nicPorts != 4)
    {
        return "a NIC has 1, 2 or 4 ports, not " + std::to_string(m_nicPorts);
    }
    if (m_portRate.GetBitRate() == 0)
    {
        return "the line rate of a NIC port must be above 0";
    }
    const uint64_t gpus = uint64_t{GetAllDomains()} * m_gpusPerDomain + CountSpareGpus();
    if (gpus * m_nicPorts > (1 << 24) - 2)
    {
        return std::to_string(gpus) + " GPUs need more addresses than 10.0.0.0/8 has";
    }
    if (auto error = CheckSpareGpus(fabric); !error.empty())
    {
        return error;
    }
    if (m_scaleUp)
    {
        if (auto error = m_scaleUp->Check(m_gpusPerDomain + m_spareGpus); !error.empty())
        {
            return error;
        }
    }
    if (m_hostNetwork)
    {
        if (auto error = m_hostNetwork->Check(GetAllDomains(), m_gpusPerDomain); !error.empty())
        {
            return error;
        }
    }
    return fabric == RailCluster::PHOTONIC ? CheckOcs() : GetPlan(fabric).error;
}

uint32_t
RailClusterHelper::GetOcsPorts() const
{
    return (GetAllDomains() + CountSpareGpus()) * m_nicPorts;
}

std::string
RailClusterHelper::CheckOcs() const
{
    const bool isMesh = OcsTechnology::Find(m_technology)->isMesh;
    const uint32_t needed = GetOcsPorts();
    const std::string needs = "a rail of " + std::to_string(needed / m_nicPorts) + " GPUs with " +
                              std::to_string(m_nicPorts) + " ports each needs " +
                              std::to_string(needed) + " OCS ports, but ";
    const std::string size =
        isMesh ? PipSwitchFabric::CheckSize(m_meshRows, m_meshColumns, needed) : "";
    const uint32_t radix = isMesh ? OcsTechnology::Find(m_technology)->radix : needed;
    if (needed <= radix && !size.empty())
    {
        return needs + size;
    }
    const auto ocs = needed <= radix ? CreateOcs() : nullptr;
    if (!ocs || needed > ocs->GetRadix())
    {
        return needs + "the radix of " + m_technology + " is " +
               std::to_string(ocs ? ocs->GetRadix() : radix);
    }
    if (const auto fabric = ocs->GetFabric(); fabric && needed > fabric->GetPorts())
    {
        return needs + "its fabric has " + std::to_string(fabric->GetPorts());
    }
    return "";
}

FabricSpec
RailClusterHelper::GetSpec(RailCluster::Fabric fabric) const
{
    FabricSpec spec;
    spec.domains = GetAllDomains();
    spec.gpusPerDomain = m_gpusPerDomain;
    spec.nicPorts = m_nicPorts;
    spec.portRate = m_portRate;
    spec.fabricRate = m_fabricRate;
    if (m_radix > 0)
    {
        spec.radix = m_radix;
    }
    else if (fabric == RailCluster::ELECTRICAL_RAIL)
    {
        spec.radix = GetAllDomains() * m_nicPorts;
    }
    spec.arity = m_arity;
    spec.down = m_down;
    spec.up = m_up;
    spec.hostDelay = GetFibreDelay();
    spec.spineDelay = m_spineDelay.value_or(spec.hostDelay);
    spec.coreDelay = m_coreDelay.value_or(spec.hostDelay);
    return spec;
}

FabricPlan
RailClusterHelper::GetPlan(RailCluster::Fabric fabric) const
{
    const FabricSpec spec = GetSpec(fabric);
    switch (fabric)
    {
    case RailCluster::ELECTRICAL_RAIL:
        return FabricClos::BuildElectricalRails(spec);
    case RailCluster::LEAF_SPINE:
        return FabricClos::BuildLeafSpine(spec);
    case RailCluster::RAIL_ONLY:
        return FabricClos::BuildRailOnly(spec);
    case RailCluster::FAT_TREE:
        return FatTreeShape::Build(spec);
    case RailCluster::PHOTONIC:
        break;
    }
    NS_ABORT_MSG("a photonic rail has no electrical switches");
    return {}; // never
}

} // namespace ns3
