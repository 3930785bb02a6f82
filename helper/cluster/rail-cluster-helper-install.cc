// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How a RailClusterHelper builds a cluster: GPUs, and what joins them.
 */

#include "fabric-installer.h"
#include "fibre-cabling.h"
#include "rail-addresses.h"
#include "rail-cluster-helper.h"

#include "ns3/abort.h"
#include "ns3/electrical-switch.h"
#include "ns3/end-of-run.h"
#include "ns3/transceiver-net-device.h"

namespace ns3
{

RailCluster
RailClusterHelper::InstallGpus(const std::vector<FabricTopology::Host>& hosts) const
{
    RailCluster cluster;
    cluster.m_gpusPerDomain = m_gpusPerDomain;
    cluster.m_nicPorts = m_nicPorts;
    cluster.m_partition = RailPartition(m_processes, m_gpusPerDomain);
    for (uint32_t gpu = 0; gpu < GetAllDomains() * m_gpusPerDomain; ++gpu)
    {
        const uint32_t rail = gpu % m_gpusPerDomain;
        cluster.m_gpus.Create(1, cluster.m_partition.GetProcessOfRail(rail));
    }
    std::vector<Ipv4Address> addresses(hosts.size());
    for (uint32_t i = 0; i < hosts.size(); ++i)
    {
        addresses[hosts[i].gpu * m_nicPorts + hosts[i].port] = Ipv4Address(FIRST_PORT_ADDRESS + i);
    }
    for (uint32_t gpu = 0; gpu < cluster.m_gpus.GetN(); ++gpu)
    {
        const auto first = addresses.begin() + gpu * m_nicPorts;
        InstallNic(cluster.m_gpus.Get(gpu), {first, first + m_nicPorts});
    }
    cluster.m_inRow = cluster.m_gpus.GetN();
    cluster.m_spareGpus = m_spareDomains * m_gpusPerDomain;
    return cluster;
}

void
RailClusterHelper::InstallNic(Ptr<Node> node, const std::vector<Ipv4Address>& addresses) const
{
    ObjectFactory portFactory = m_portFactory;
    portFactory.Set("DataRate", DataRateValue(m_portRate));
    auto nic = m_nicFactory.Create<RdmaNic>();
    node->AggregateObject(nic);
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
        nic->AddPort(FibreCabling::AddDevice<TransceiverNetDevice>(portFactory, node), address);
    }
}

void
RailClusterHelper::InstallFabric(RailCluster& cluster, const FabricTopology& topology) const
{
    std::vector<Ptr<TransceiverNetDevice>> ports;
    for (const auto& host : topology.hosts)
    {
        ports.push_back(cluster.GetNic(host.gpu)->GetPort(host.port));
    }
    FabricInstaller installer(m_switchFactory, m_portFactory, m_fibreFactory);
    installer.SetEcmpSeed(m_ecmpSeed);
    cluster.m_switches = installer.Install(topology, Ipv4Address(FIRST_PORT_ADDRESS), ports);
    for (const auto& one : cluster.m_switches)
    {
        if (cluster.m_fabric == RailCluster::ELECTRICAL_RAIL)
        {
            cluster.m_rails.Add(one.node);
        }
    }
}

RailCluster
RailClusterHelper::Install(RailCluster::Fabric fabric) const
{
    EndOfRun::Open();
    const std::string error = Check(fabric);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    const bool isPhotonic = fabric == RailCluster::PHOTONIC;
    FabricTopology topology;
    if (!isPhotonic)
    {
        topology = GetPlan(fabric).topology;
    }
    for (uint32_t i = 0; isPhotonic && i < GetAllDomains() * m_gpusPerDomain * m_nicPorts; ++i)
    {
        topology.AddHost(i / m_nicPorts, i % m_nicPorts);
    }
    RailCluster cluster = InstallGpus(topology.hosts);
    cluster.m_fabric = fabric;
    if (isPhotonic)
    {
        InstallOcses(cluster);
        InstallSpares(cluster);
        InstallSpareGpus(cluster);
    }
    else
    {
        InstallFabric(cluster, topology);
    }
    if (m_scaleUp)
    {
        InstallScaleUp(cluster);
    }
    if (m_hostNetwork)
    {
        const auto network =
            m_hostNetworkInstaller.Install(cluster.m_gpus,
                                           m_gpusPerDomain,
                                           cluster.m_partition.GetProcessOfHosts());
        cluster.m_hostNics = network.nics;
        cluster.m_hostSwitches = network.switches;
    }
    return cluster;
}

RailCluster
RailClusterHelper::InstallPhotonic() const
{
    return Install(RailCluster::PHOTONIC);
}

RailCluster
RailClusterHelper::InstallElectrical() const
{
    return Install(RailCluster::ELECTRICAL_RAIL);
}

RailCluster
RailClusterHelper::InstallLeafSpine() const
{
    return Install(RailCluster::LEAF_SPINE);
}

RailCluster
RailClusterHelper::InstallRailOnly() const
{
    return Install(RailCluster::RAIL_ONLY);
}

RailCluster
RailClusterHelper::InstallFatTree() const
{
    return Install(RailCluster::FAT_TREE);
}

int64_t
RailClusterHelper::AssignStreams(const RailCluster& cluster, int64_t first)
{
    int64_t next = first;
    for (const auto* switches : {&cluster.GetSwitches(), &cluster.GetHostSwitches()})
    {
        for (const auto& one : *switches)
        {
            next += one.device->AssignStreams(next);
        }
    }
    return next - first;
}

} // namespace ns3
