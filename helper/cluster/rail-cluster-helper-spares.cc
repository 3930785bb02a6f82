// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How a RailClusterHelper builds spare GPUs.
 */

#include "fibre-cabling.h"
#include "rail-addresses.h"
#include "rail-cluster-helper.h"

#include "ns3/fibre-selector.h"
#include "ns3/ocs-net-device.h"
#include "ns3/transceiver-net-device.h"

namespace ns3
{

uint32_t
RailClusterHelper::GetAllDomains() const
{
    return m_domains + m_spareDomains;
}

uint32_t
RailClusterHelper::CountSpareGpus() const
{
    return m_domains * m_spareGpus;
}

std::string
RailClusterHelper::CheckSpareGpus(RailCluster::Fabric fabric) const
{
    if (m_spareGpus == 0 && m_spareDomains == 0)
    {
        return "";
    }
    if (m_processes > 1)
    {
        return "spare GPUs need one process";
    }
    if (m_hostNetwork)
    {
        return "spare GPUs have no ports on a host network";
    }
    if (m_spareGpus > 0 && fabric != RailCluster::PHOTONIC)
    {
        return "spare GPUs in a domain need photonic rails, to any of which they are led";
    }
    if (m_spareGpus > 0 && (m_spares > 0 || m_spareDomains > 0))
    {
        return "spare GPUs in a domain cannot be combined with spare rails or spare domains";
    }
    return "";
}

void
RailClusterHelper::InstallSpareGpus(RailCluster& cluster) const
{
    cluster.m_sparesPerDomain = m_spareGpus;
    cluster.m_spareGpus += CountSpareGpus();
    uint32_t address = FIRST_PORT_ADDRESS + cluster.m_inRow * m_nicPorts;
    for (uint32_t spare = 0; spare < CountSpareGpus(); ++spare)
    {
        cluster.m_gpus.Create(1);
        Ptr<Node> node = cluster.m_gpus.Get(cluster.m_inRow + spare);
        std::vector<Ipv4Address> addresses;
        for (uint32_t port = 0; port < m_nicPorts; ++port)
        {
            addresses.emplace_back(address++);
        }
        InstallNic(node, addresses);
        cluster.m_sparePorts.emplace_back(m_gpusPerDomain);
        if (m_gpusPerDomain > 1)
        {
            auto selector = CreateObject<FibreSelector>();
            selector->SetAttribute("SelectionTime", TimeValue(m_selectionTime));
            node->AggregateObject(selector);
        }
        for (uint32_t port = 0; port < m_nicPorts; ++port)
        {
            InstallSelector(cluster, node, port);
        }
    }
}

void
RailClusterHelper::InstallSelector(RailCluster& cluster, Ptr<Node> node, uint32_t port) const
{
    const ObjectFactory ocsPortFactory("ns3::OcsNetDevice");
    std::vector<Ptr<OcsNetDevice>> branches;
    for (uint32_t rail = 0; rail < m_gpusPerDomain; ++rail)
    {
        branches.push_back(
            FibreCabling::AddDevice<OcsNetDevice>(ocsPortFactory, cluster.GetRail(rail)));
        cluster.m_sparePorts.back()[rail].push_back(cluster.GetOcs(rail)->AddPort(branches.back()));
    }
    const auto nicPort = node->GetObject<RdmaNic>()->GetPort(port);
    auto selector = node->GetObject<FibreSelector>();
    if (!selector)
    {
        FibreCabling::Connect(m_fibreFactory, nicPort, branches.front());
        return;
    }
    auto fibre = m_fibreFactory.Create<FibreChannel>();
    fibre->Attach(nicPort);
    selector->AddFibre(fibre, branches);
}

void
RailClusterHelper::InstallScaleUp(RailCluster& cluster) const
{
    // Domain by domain, with its spares.
    const uint32_t perDomain = m_gpusPerDomain + m_spareGpus;
    std::vector<uint32_t> gpus;
    NodeContainer nodes;
    for (uint32_t domain = 0; domain < cluster.GetNAllDomains(); ++domain)
    {
        for (uint32_t i = 0; i < perDomain; ++i)
        {
            const bool isSpare = i >= m_gpusPerDomain;
            gpus.push_back(isSpare ? cluster.m_inRow + domain * m_spareGpus + i - m_gpusPerDomain
                                   : domain * m_gpusPerDomain + i);
            nodes.Add(cluster.GetGpu(gpus.back()));
        }
    }
    const auto network = m_scaleUpInstaller.Install(nodes, perDomain);
    cluster.m_scaleUpNics.resize(gpus.size());
    for (std::size_t i = 0; i < gpus.size(); ++i)
    {
        cluster.m_scaleUpNics[gpus[i]] = network.nics[i];
    }
    cluster.m_switches.insert(cluster.m_switches.end(),
                              network.switches.begin(),
                              network.switches.end());
}

} // namespace ns3
