// SPDX-License-Identifier: GPL-2.0-only

#include "rail-cluster-helper.h"

#include "fabric-installer.h"
#include "fibre-ascii.h"
#include "fibre-cabling.h"
#include "fibre-capture.h"
#include "rail-addresses.h"

#include "ns3/abort.h"
#include "ns3/electrical-switch.h"
#include "ns3/fabric-clos.h"
#include "ns3/fabric-fat-tree.h"
#include "ns3/ocs-net-device.h"
#include "ns3/ocs-technology.h"
#include "ns3/pip-switch-fabric.h"
#include "ns3/protection-switch.h"
#include "ns3/transceiver-net-device.h"
#include "ns3/uinteger.h"

namespace ns3
{

RailClusterHelper::RailClusterHelper()
    : m_nicFactory("ns3::RdmaNic"),
      m_portFactory("ns3::TransceiverNetDevice"),
      m_switchFactory("ns3::ElectricalSwitch"),
      m_fibreFactory("ns3::FibreChannel")
{
}

void
RailClusterHelper::SetDomains(uint32_t domains, uint32_t gpusPerDomain)
{
    m_domains = domains;
    m_gpusPerDomain = gpusPerDomain;
}

void
RailClusterHelper::SetProcesses(uint32_t processes)
{
    m_processes = processes;
}

void
RailClusterHelper::SetNic(uint32_t ports, DataRate portRate)
{
    m_nicPorts = ports;
    m_portRate = portRate;
}

bool
RailClusterHelper::SetOcs(const std::string& technology)
{
    if (!OcsTechnology::Find(technology))
    {
        return false;
    }
    m_technology = technology;
    return true;
}

void
RailClusterHelper::SetOcsAttribute(const std::string& name, const AttributeValue& value)
{
    m_ocsAttributes.emplace_back(name, value.Copy());
}

void
RailClusterHelper::SetMesh(uint32_t rows, uint32_t columns)
{
    m_meshRows = rows;
    m_meshColumns = columns;
}

void
RailClusterHelper::SetMeshAttribute(const std::string& name, const AttributeValue& value)
{
    m_meshAttributes.emplace_back(name, value.Copy());
}

Ptr<CircuitFabric>
RailClusterHelper::MakeOcsFabric() const
{
    const auto fabric = CreateOcs()->GetFabric();
    if (fabric)
    {
        fabric->Change({}, {}); // makes what copies then share
    }
    return fabric;
}

void
RailClusterHelper::SetSpareRails(uint32_t spares, Time protectionTime)
{
    m_spares = spares;
    m_protectionTime = protectionTime;
}

void
RailClusterHelper::SetSpareGpus(uint32_t perDomain, Time selectionTime)
{
    m_spareGpus = perDomain;
    m_selectionTime = selectionTime;
}

void
RailClusterHelper::SetSpareDomains(uint32_t domains)
{
    m_spareDomains = domains;
}

void
RailClusterHelper::SetSwitchRadix(uint32_t radix)
{
    NS_ABORT_MSG_IF(radix == 0, "a switch has at least one port");
    m_radix = radix;
}

void
RailClusterHelper::SetOversubscription(uint32_t down, uint32_t up)
{
    m_down = down;
    m_up = up;
}

void
RailClusterHelper::SetFabricLinkRate(DataRate rate)
{
    m_fabricRate = rate;
}

void
RailClusterHelper::SetFabricDelay(Time spine, Time core)
{
    m_spineDelay = spine;
    m_coreDelay = core;
}

void
RailClusterHelper::SetFatTreeArity(uint32_t k)
{
    m_arity = k;
}

void
RailClusterHelper::SetEcmpSeed(uint32_t base)
{
    m_ecmpSeed = base;
}

bool
RailClusterHelper::SetScaleUp(const std::string& name)
{
    const auto* generation = ScaleUpGeneration::Find(name);
    if (!generation)
    {
        return false;
    }
    SetScaleUp(*generation);
    return true;
}

void
RailClusterHelper::SetScaleUp(const ScaleUpGeneration& generation)
{
    m_scaleUp = generation;
    m_scaleUpInstaller.SetGeneration(generation);
}

void
RailClusterHelper::SetScaleUpSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_scaleUpInstaller.SetSwitchAttribute(name, value);
}

void
RailClusterHelper::SetScaleUpQueuePairAttribute(const std::string& name,
                                                const AttributeValue& value)
{
    m_scaleUpInstaller.SetQueuePairAttribute(name, value);
}

void
RailClusterHelper::SetHostNetwork(const HostNetworkSpec& spec)
{
    m_hostNetwork = spec;
    m_hostNetworkInstaller.SetSpec(spec);
}

void
RailClusterHelper::SetHostNetwork(DataRate nicRate)
{
    HostNetworkSpec spec;
    spec.nicRate = nicRate;
    SetHostNetwork(spec);
}

void
RailClusterHelper::SetHostNetworkSwitchAttribute(const std::string& name,
                                                 const AttributeValue& value)
{
    m_hostNetworkInstaller.SetSwitchAttribute(name, value);
}

void
RailClusterHelper::SetHostNetworkQueuePairAttribute(const std::string& name,
                                                    const AttributeValue& value)
{
    m_hostNetworkInstaller.SetQueuePairAttribute(name, value);
}

void
RailClusterHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

void
RailClusterHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicFactory.Set(name, value);
    m_scaleUpInstaller.SetNicAttribute(name, value);
    m_hostNetworkInstaller.SetNicAttribute(name, value);
}

void
RailClusterHelper::SetFibreAttribute(const std::string& name, const AttributeValue& value)
{
    m_fibreFactory.Set(name, value);
}

void
RailClusterHelper::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePairAttributes.emplace_back(name, value.Copy());
}

void
RailClusterHelper::SetCongestionControlAttribute(const std::string& name,
                                                 const AttributeValue& value)
{
    m_controlAttributes.emplace_back(name, value.Copy());
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

void
RailClusterHelper::SetPcapSnapLength(uint32_t bytes)
{
    NS_ABORT_MSG_IF(bytes < 96, "a snap length of " << bytes << " would cut off headers");
    m_pcapSnapLength = bytes;
}

Ptr<OpticalCircuitSwitch>
RailClusterHelper::CreateOcs() const
{
    auto ocs = CreateObject<OpticalCircuitSwitch>();
    ocs->SetTechnology(m_technology);
    if (OcsTechnology::Find(m_technology)->isMesh)
    {
        auto mesh = CreateObject<PipSwitchFabric>();
        mesh->SetAttribute("Rows", UintegerValue(m_meshRows));
        mesh->SetAttribute("Columns", UintegerValue(m_meshColumns));
        mesh->SetAttribute("Ports", UintegerValue(GetOcsPorts()));
        for (const auto& [name, value] : m_meshAttributes)
        {
            mesh->SetAttribute(name, *value);
        }
        ocs->SetFabric(mesh);
    }
    for (const auto& [name, value] : m_ocsAttributes)
    {
        ocs->SetAttribute(name, *value);
    }
    return ocs;
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
    spec.hostDelay = m_fibreFactory.Create<FibreChannel>()->GetDelay();
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
RailClusterHelper::InstallOcses(RailCluster& cluster) const
{
    const ObjectFactory ocsPortFactory("ns3::OcsNetDevice");
    const auto fabric = MakeOcsFabric();
    cluster.m_ocsPorts.resize(cluster.m_gpus.GetN());
    for (uint32_t rail = 0; rail < m_gpusPerDomain; ++rail)
    {
        cluster.m_rails.Create(1, cluster.m_partition.GetProcessOfRail(rail));
        Ptr<Node> node = cluster.m_rails.Get(rail);
        auto ocs = CreateOcs();
        ocs->SetFabric(fabric ? fabric->Copy() : nullptr);
        node->AggregateObject(ocs);
        for (uint32_t domain = 0; domain < GetAllDomains(); ++domain)
        {
            const uint32_t gpu = domain * m_gpusPerDomain + rail;
            auto nic = cluster.GetNic(gpu);
            for (uint32_t port = 0; port < m_nicPorts; ++port)
            {
                auto device = FibreCabling::AddDevice<OcsNetDevice>(ocsPortFactory, node);
                cluster.m_ocsPorts[gpu].push_back(ocs->AddPort(device));
                FibreCabling::Connect(m_fibreFactory, nic->GetPort(port), device);
            }
        }
    }
}

void
RailClusterHelper::InstallSpares(RailCluster& cluster) const
{
    const ObjectFactory ocsPortFactory("ns3::OcsNetDevice");
    const auto fabric = cluster.GetOcs(0)->GetFabric();
    NS_ABORT_MSG_IF(m_spares > 0 && m_processes > 1, "spares join rails: one process has them all");
    for (uint32_t spare = 0; spare < m_spares; ++spare)
    {
        cluster.m_spares.Create(1, cluster.m_partition.GetProcessOfHosts());
        Ptr<Node> node = cluster.m_spares.Get(spare);
        auto ocs = CreateOcs();
        ocs->SetFabric(fabric ? fabric->Copy() : nullptr);
        auto protection = CreateObject<ProtectionSwitch>();
        protection->SetAttribute("ProtectionTime", TimeValue(m_protectionTime));
        node->AggregateObject(ocs);
        node->AggregateObject(protection);
        for (uint32_t port = 0; port < m_domains * m_nicPorts; ++port)
        {
            ocs->AddPort(FibreCabling::AddDevice<OcsNetDevice>(ocsPortFactory, node));
            for (uint32_t rail = 0; rail < m_gpusPerDomain; ++rail)
            {
                protection->AddFibre(rail, cluster.GetOcs(rail), port);
            }
        }
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

void
RailClusterHelper::EnablePcapInternal(std::string prefix,
                                      Ptr<NetDevice> device,
                                      bool /* promiscuous: a port has one peer */,
                                      bool explicitFilename)
{
    PcapHelper pcap;
    FibreCapture::Start(device,
                        explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device),
                        m_pcapSnapLength);
}

void
RailClusterHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                       std::string prefix,
                                       Ptr<NetDevice> device,
                                       bool explicitFilename)
{
    if (stream)
    {
        FibreAscii::Start(device, stream);
        return;
    }
    AsciiTraceHelper ascii;
    FibreAscii::Start(device,
                      explicitFilename ? prefix : ascii.GetFilenameFromDevice(prefix, device));
}

} // namespace ns3
