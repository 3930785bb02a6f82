// SPDX-License-Identifier: GPL-2.0-only

#include "rail-cluster-builder.h"

#include "fibre-cabling.h"

#include "ns3/abort.h"
#include "ns3/circuit-cabling.h"
#include "ns3/end-of-run.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/fabric-rerouter.h"
#include "ns3/fibre-switches.h"
#include "ns3/optical-circuit-switch.h"

#include <map>
#include <numeric>

namespace ns3
{

namespace
{

/**
 * @brief Lead the fibres of a spare GPU to all rails, by a FibreSelector if there are several.
 * @param gpu its node, with the NIC
 * @param rails nodes of the optical circuit switches
 * @param spec of the cluster
 * @return the OCS ports kept for it, by rail and NIC port
 */
std::vector<std::vector<uint32_t>>
CableSpareGpu(Ptr<Node> gpu, const NodeContainer& rails, const RailClusterSpec& spec)
{
    const ObjectFactory ocsPortFactory("ns3::OcsNetDevice");
    Ptr<FibreSelector> selector;
    if (rails.GetN() > 1)
    {
        selector = CreateObject<FibreSelector>();
        selector->SetAttribute("SelectionTime", TimeValue(spec.selectionTime));
        gpu->AggregateObject(selector);
    }
    const auto nic = gpu->GetObject<RdmaNic>();
    std::vector<std::vector<uint32_t>> kept(rails.GetN());
    for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
    {
        std::vector<Ptr<OcsNetDevice>> branches;
        for (uint32_t rail = 0; rail < rails.GetN(); ++rail)
        {
            const auto node = rails.Get(rail);
            branches.push_back(FibreCabling::AddDevice<OcsNetDevice>(ocsPortFactory, node));
            kept[rail].push_back(node->GetObject<OpticalCircuitSwitch>()->AddPort(branches.back()));
        }
        if (!selector)
        {
            FibreCabling::Connect(spec.fibreFactory, nic->GetPort(port), branches.front());
            continue;
        }
        auto fibre = spec.fibreFactory.Create<OpticalFibreLink>();
        fibre->Attach(nic->GetPort(port));
        selector->AddFibre(fibre, branches);
    }
    return kept;
}

} // namespace

RailClusterBuilder::RailClusterBuilder(const RailClusterSpec& spec, const RailFabric& fabric)
    : m_spec(spec)
{
    m_cluster.m_fabric = fabric;
}

RailCluster
RailClusterBuilder::Build()
{
    EndOfRun::Open();
    const RailFabric& fabric = m_cluster.m_fabric;
    const std::string error = m_spec.Check(fabric);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    if (fabric.IsPhotonic())
    {
        FabricTopology topology;
        for (uint32_t gpu = 0; gpu < m_spec.GetAllDomains() * m_spec.gpusPerDomain; ++gpu)
        {
            for (uint32_t port = 0; port < m_spec.nicPorts; ++port)
            {
                topology.AddHost(gpu, port);
            }
        }
        const auto cabling = fabric.GetCabling();
        const Time fibre = m_spec.GetFibreDelay();
        InstallGpus(topology.hosts, 4 * (cabling ? cabling->GetLongestDelay(fibre) : fibre));
        InstallOcses();
        InstallSpares();
        InstallSpareGpus();
    }
    else
    {
        InstallFabric(m_spec.GetPlan(fabric.GetElectrical()).topology);
    }
    if (m_spec.scaleUp)
    {
        InstallScaleUp();
    }
    if (m_spec.hostNetwork)
    {
        auto network = m_spec.networkOfHosts.Install(*m_spec.hostNetwork,
                                                     m_cluster.m_gpus,
                                                     m_spec.gpusPerDomain,
                                                     m_cluster.m_partition.GetProcessOfHosts());
        m_cluster.m_hostNics = std::move(network.nics);
        m_cluster.m_hostSwitches = std::move(network.switches);
    }
    return m_cluster;
}

void
RailClusterBuilder::InstallGpus(const std::vector<FabricTopology::Host>& hosts, Time roundTrip)
{
    NicInstaller installer = m_spec.nic;
    installer.queuePair.SetDefault("BaseRoundTrip", TimeValue(roundTrip));
    m_cluster.m_gpusPerDomain = m_spec.gpusPerDomain;
    m_cluster.m_nicPorts = m_spec.nicPorts;
    m_cluster.m_partition = RailPartition(m_spec.processes, m_spec.gpusPerDomain);
    for (uint32_t gpu = 0; gpu < m_spec.GetAllDomains() * m_spec.gpusPerDomain; ++gpu)
    {
        const uint32_t rail = gpu % m_spec.gpusPerDomain;
        m_cluster.m_gpus.Create(1, m_cluster.m_partition.GetProcessOfRail(rail));
    }
    const std::vector<Ipv4Address> ofHosts = GetAddresses(hosts);
    std::vector<Ipv4Address> addresses(hosts.size());
    for (uint32_t i = 0; i < hosts.size(); ++i)
    {
        addresses[hosts[i].gpu * m_spec.nicPorts + hosts[i].port] = ofHosts[i];
    }
    m_cluster.m_subnetMask = GetSubnets().GetMask();
    for (uint32_t gpu = 0; gpu < m_cluster.m_gpus.GetN(); ++gpu)
    {
        const auto first = addresses.begin() + gpu * m_spec.nicPorts;
        Ptr<Node> node = m_cluster.m_gpus.Get(gpu);
        node->AggregateObject(
            installer.Install(node, m_spec.portRate, {first, first + m_spec.nicPorts}));
    }
    m_cluster.m_inRow = m_cluster.m_gpus.GetN();
    m_cluster.m_spareGpus = m_spec.spareDomains * m_spec.gpusPerDomain;
}

RailSubnets
RailClusterBuilder::GetSubnets() const
{
    return m_spec.GetSubnets(m_cluster.m_fabric.JoinsRails());
}

std::vector<Ipv4Address>
RailClusterBuilder::GetAddresses(const std::vector<FabricTopology::Host>& hosts) const
{
    return GetSubnets().GetAddresses(hosts,
                                     m_cluster.m_fabric.JoinsRails() ? 1 : m_spec.gpusPerDomain);
}

void
RailClusterBuilder::InstallFabric(const FabricTopology& topology)
{
    FabricInstaller installer(m_spec.switchFactory,
                              ObjectFactory("ns3::EthernetPortNetDevice"),
                              m_spec.fibreFactory);
    installer.SetEcmpSeed(m_spec.ecmpSeed);
    const FabricRouting routing(topology);
    InstallGpus(topology.hosts, installer.GetRoundTrip(routing));
    std::vector<Ptr<EthernetPortNetDevice>> ports;
    for (const auto& host : topology.hosts)
    {
        ports.push_back(m_cluster.GetNic(host.gpu)->GetPort(host.port));
    }
    const auto addresses = GetAddresses(topology.hosts);
    m_cluster.m_switches = installer.Install(topology, routing, addresses, ports);
    std::vector<Ptr<ElectricalSwitch>> devices;
    for (const auto& one : m_cluster.m_switches)
    {
        devices.push_back(one.device);
    }
    auto rerouter = CreateObject<FabricRerouter>();
    rerouter->Install(topology, addresses, devices);
    m_cluster.m_rerouter = rerouter;
    const bool isRailEach = topology.switches.size() == m_spec.gpusPerDomain;
    for (const auto& one : m_cluster.m_switches)
    {
        if (isRailEach && !m_cluster.m_fabric.JoinsRails())
        {
            m_cluster.m_rails.Add(one.node);
        }
    }
}

void
RailClusterBuilder::InstallOcses()
{
    const uint32_t ports = m_spec.GetOcsPorts(m_cluster.m_fabric);
    const auto fabric = m_spec.ocs.MakeFabric(ports);
    m_cluster.m_ocsPorts.resize(m_cluster.m_gpus.GetN());
    for (uint32_t rail = 0; rail < m_spec.gpusPerDomain; ++rail)
    {
        m_cluster.m_rails.Create(1, m_cluster.m_partition.GetProcessOfRail(rail));
        Ptr<Node> node = m_cluster.m_rails.Get(rail);
        auto ocs = m_spec.ocs.Create(ports, fabric);
        node->AggregateObject(ocs);
        CableRail(rail, ocs);
    }
}

void
RailClusterBuilder::CableRail(uint32_t rail, Ptr<OpticalCircuitSwitch> ocs)
{
    const ObjectFactory ocsPortFactory("ns3::OcsNetDevice");
    const auto cabling = m_cluster.m_fabric.GetCabling();
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> fibres; // GPU and port, by OCS port
    for (uint32_t domain = 0; domain < m_spec.GetAllDomains(); ++domain)
    {
        const uint32_t gpu = domain * m_spec.gpusPerDomain + rail;
        for (uint32_t port = 0; port < m_spec.nicPorts; ++port)
        {
            const uint32_t next = domain * m_spec.nicPorts + port;
            const uint32_t end = cabling ? cabling->GetFibre(gpu, port).ocsPort : next;
            fibres[end] = {gpu, port};
            m_cluster.m_ocsPorts[gpu].push_back(end);
        }
    }
    for (const auto& [end, from] : fibres)
    {
        Ptr<OcsNetDevice> device;
        do // ports without a fibre come before
        {
            device = FibreCabling::AddDevice<OcsNetDevice>(ocsPortFactory, m_cluster.GetRail(rail));
        } while (ocs->AddPort(device) < end);
        ObjectFactory fibre = m_spec.fibreFactory;
        if (cabling && cabling->GetFibre(from.first, from.second).delay)
        {
            fibre.Set("Delay", TimeValue(*cabling->GetFibre(from.first, from.second).delay));
        }
        FibreCabling::Connect(fibre, m_cluster.GetNic(from.first)->GetPort(from.second), device);
    }
}

void
RailClusterBuilder::InstallSpares()
{
    const ObjectFactory ocsPortFactory("ns3::OcsNetDevice");
    const auto fabric = m_cluster.GetOcs(0)->GetFabric();
    NS_ABORT_MSG_IF(m_spec.spareRails > 0 && m_spec.processes > 1,
                    "spares join rails: one process has them all");
    for (uint32_t spare = 0; spare < m_spec.spareRails; ++spare)
    {
        m_cluster.m_spares.Create(1, m_cluster.m_partition.GetProcessOfHosts());
        Ptr<Node> node = m_cluster.m_spares.Get(spare);
        auto ocs = m_spec.ocs.Create(m_spec.GetOcsPorts(), fabric);
        node->AggregateObject(ocs);
        for (uint32_t port = 0; port < m_spec.domains * m_spec.nicPorts; ++port)
        {
            ocs->AddPort(FibreCabling::AddDevice<OcsNetDevice>(ocsPortFactory, node));
        }
        std::vector<uint32_t> all(m_spec.gpusPerDomain);
        std::iota(all.begin(), all.end(), 0U);
        InstallProtection(node, all);
    }
    for (uint32_t rail = 0; rail < m_spec.gpusPerDomain && m_spec.spareRails > 0; ++rail)
    {
        InstallProtection(m_cluster.GetRail(rail), {rail});
    }
}

void
RailClusterBuilder::InstallProtection(Ptr<Node> node, const std::vector<uint32_t>& rails)
{
    auto protection = CreateObject<ProtectionSwitch>();
    protection->SetAttribute("ProtectionTime", TimeValue(m_spec.protectionTime));
    for (const uint32_t rail : rails)
    {
        for (uint32_t port = 0; port < m_spec.domains * m_spec.nicPorts; ++port)
        {
            protection->AddFibre(rail, m_cluster.GetOcs(rail), port);
        }
    }
    node->AggregateObject(protection);
}

void
RailClusterBuilder::InstallSpareGpus()
{
    m_cluster.m_sparesPerDomain = m_spec.spareGpus;
    m_cluster.m_spareGpus += m_spec.CountSpareGpus();
    uint32_t number = 0; // in the subnet behind those of the rails
    for (uint32_t spare = 0; spare < m_spec.CountSpareGpus(); ++spare)
    {
        m_cluster.m_gpus.Create(1);
        Ptr<Node> node = m_cluster.m_gpus.Get(m_cluster.m_inRow + spare);
        std::vector<Ipv4Address> addresses;
        for (uint32_t port = 0; port < m_spec.nicPorts; ++port)
        {
            addresses.push_back(GetSubnets().GetAddress(m_spec.gpusPerDomain, number++));
        }
        node->AggregateObject(m_spec.nic.Install(node, m_spec.portRate, addresses));
        m_cluster.m_sparePorts.push_back(CableSpareGpu(node, m_cluster.m_rails, m_spec));
    }
}

void
RailClusterBuilder::InstallScaleUp()
{
    // Domain by domain, with its spares.
    const uint32_t perDomain = m_spec.gpusPerDomain + m_spec.spareGpus;
    std::vector<uint32_t> gpus;
    NodeContainer nodes;
    for (uint32_t domain = 0; domain < m_cluster.GetNAllDomains(); ++domain)
    {
        for (uint32_t i = 0; i < perDomain; ++i)
        {
            const bool isSpare = i >= m_spec.gpusPerDomain;
            gpus.push_back(isSpare ? m_cluster.m_inRow + domain * m_spec.spareGpus + i -
                                         m_spec.gpusPerDomain
                                   : domain * m_spec.gpusPerDomain + i);
            nodes.Add(m_cluster.GetGpu(gpus.back()));
        }
    }
    const auto network = m_spec.domainNetwork.Install(*m_spec.scaleUp, nodes, perDomain);
    m_cluster.m_scaleUpNics.resize(gpus.size());
    for (std::size_t i = 0; i < gpus.size(); ++i)
    {
        m_cluster.m_scaleUpNics[gpus[i]] = network.nics[i];
    }
    m_cluster.m_switches.insert(m_cluster.m_switches.end(),
                                network.switches.begin(),
                                network.switches.end());
}

} // namespace ns3
