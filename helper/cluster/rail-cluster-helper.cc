// SPDX-License-Identifier: GPL-2.0-only

#include "rail-cluster-helper.h"

#include "fabric-installer.h"
#include "fibre-cabling.h"
#include "fibre-capture.h"
#include "ocs-installer.h"
#include "rail-cluster.h"

#include "ns3/abort.h"
#include "ns3/electrical-switch.h"
#include "ns3/end-of-run.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/ocs-net-device.h"
#include "ns3/optical-fibre-link.h"
#include "ns3/protection-switch.h"

namespace ns3
{

RailClusterHelper::RailClusterHelper()
    : m_switchFactory("ns3::ElectricalSwitch"),
      m_fibreFactory("ns3::OpticalFibreLink")
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

void
RailClusterHelper::SetOcs(const Variant<OcsTechnology>& technology)
{
    m_ocsInstaller.SetTechnology(technology);
}

void
RailClusterHelper::SetOcsAttribute(const std::string& name, const AttributeValue& value)
{
    m_ocsInstaller.SetAttribute(name, value);
}

void
RailClusterHelper::SetOcsFabricAttribute(const std::string& name, const AttributeValue& value)
{
    m_ocsInstaller.SetFabricAttribute(name, value);
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
    m_fabricSpec.down = down;
    m_fabricSpec.up = up;
}

void
RailClusterHelper::SetFabricLinkRate(DataRate rate)
{
    m_fabricSpec.fabricRate = rate;
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
    m_fabricSpec.arity = k;
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
    m_nicInstaller.SetAttribute(name, value);
    m_scaleUpInstaller.SetNicAttribute(name, value);
    m_hostNetworkInstaller.SetNicAttribute(name, value);
}

void
RailClusterHelper::SetFibreAttribute(const std::string& name, const AttributeValue& value)
{
    m_fibreFactory.Set(name, value);
    if (name == "Delay")
    {
        m_fibreDelay = ToFibreDelay(value);
    }
}

void
RailClusterHelper::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicInstaller.SetQueuePairAttribute(name, value);
}

void
RailClusterHelper::SetCongestionControlAttribute(const std::string& name,
                                                 const AttributeValue& value)
{
    m_nicInstaller.SetCongestionControlAttribute(name, value);
}

void
RailClusterHelper::SetPcapSnapLength(uint32_t bytes)
{
    NS_ABORT_MSG_IF(bytes < 96, "a snap length of " << bytes << " would cut off headers");
    m_pcapSnapLength = bytes;
}

Time
RailClusterHelper::ToFibreDelay(const AttributeValue& value)
{
    TypeId::AttributeInformation delay;
    OpticalFibreLink::GetTypeId().LookupAttributeByName("Delay", &delay);
    return DynamicCast<TimeValue>(delay.checker->CreateValidValue(value))->Get();
}

Time
RailClusterHelper::GetFibreDelay() const
{
    // A channel that is made only to be asked would stay in ns-3's list of channels.
    TypeId::AttributeInformation delay;
    OpticalFibreLink::GetTypeId().LookupAttributeByName("Delay", &delay);
    return m_fibreDelay ? *m_fibreDelay : ToFibreDelay(*delay.initialValue);
}

std::string
RailClusterHelper::Check(const RailFabric& fabric) const
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
    return fabric.IsPhotonic() ? CheckOcs() : GetPlan(fabric.GetElectrical()).error;
}

uint32_t
RailClusterHelper::GetOcsPorts() const
{
    return (GetAllDomains() + CountSpareGpus()) * m_nicPorts;
}

std::string
RailClusterHelper::CheckOcs() const
{
    const uint32_t needed = GetOcsPorts();
    const std::string error = m_ocsInstaller.Check(needed);
    return error.empty() ? ""
                         : "a rail of " + std::to_string(needed / m_nicPorts) + " GPUs with " +
                               std::to_string(m_nicPorts) + " ports each needs " +
                               std::to_string(needed) + " OCS ports, but " + error;
}

FabricPlan
RailClusterHelper::GetPlan(const Variant<ElectricalFabric>& fabric) const
{
    FabricSpec spec = m_fabricSpec;
    spec.domains = GetAllDomains();
    spec.gpusPerDomain = m_gpusPerDomain;
    spec.nicPorts = m_nicPorts;
    spec.portRate = m_portRate;
    spec.hostDelay = GetFibreDelay();
    spec.spineDelay = m_spineDelay.value_or(spec.hostDelay);
    spec.coreDelay = m_coreDelay.value_or(spec.hostDelay);
    spec.radix = m_radix > 0 ? m_radix : fabric->GetDefaultRadix(spec);
    return fabric->MakePlan(spec);
}

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
RailClusterHelper::CheckSpareGpus(const RailFabric& fabric) const
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
    if (m_spareGpus > 0 && !fabric.IsPhotonic())
    {
        return "spare GPUs in a domain need photonic rails, to any of which they are led";
    }
    if (m_spareGpus > 0 && (m_spares > 0 || m_spareDomains > 0))
    {
        return "spare GPUs in a domain cannot be combined with spare rails or spare domains";
    }
    return "";
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
        Ptr<Node> node = cluster.m_gpus.Get(gpu);
        node->AggregateObject(
            m_nicInstaller.Install(node, m_portRate, {first, first + m_nicPorts}));
    }
    cluster.m_inRow = cluster.m_gpus.GetN();
    cluster.m_spareGpus = m_spareDomains * m_gpusPerDomain;
    return cluster;
}

void
RailClusterHelper::InstallFabric(RailCluster& cluster, const FabricTopology& topology) const
{
    std::vector<Ptr<EthernetPortNetDevice>> ports;
    for (const auto& host : topology.hosts)
    {
        ports.push_back(cluster.GetNic(host.gpu)->GetPort(host.port));
    }
    FabricInstaller installer(m_switchFactory,
                              ObjectFactory("ns3::EthernetPortNetDevice"),
                              m_fibreFactory);
    installer.SetEcmpSeed(m_ecmpSeed);
    cluster.m_switches = installer.Install(topology, Ipv4Address(FIRST_PORT_ADDRESS), ports);
    const bool isRailEach = topology.switches.size() == m_gpusPerDomain;
    for (const auto& one : cluster.m_switches)
    {
        if (isRailEach && !cluster.m_fabric.JoinsRails())
        {
            cluster.m_rails.Add(one.node);
        }
    }
}

RailCluster
RailClusterHelper::Install(const RailFabric& fabric) const
{
    EndOfRun::Open();
    const std::string error = Check(fabric);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    const bool isPhotonic = fabric.IsPhotonic();
    FabricTopology topology;
    if (!isPhotonic)
    {
        topology = GetPlan(fabric.GetElectrical()).topology;
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
    return Install(RailFabric());
}

RailCluster
RailClusterHelper::InstallElectrical(const Variant<ElectricalFabric>& fabric) const
{
    return Install(fabric);
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

Ptr<CircuitFabric>
RailClusterHelper::MakeOcsFabric() const
{
    return m_ocsInstaller.MakeFabric(GetOcsPorts());
}

Time
RailClusterHelper::GetReconfigurationDelay() const
{
    TimeValue delay;
    m_ocsInstaller.Create(GetOcsPorts(), nullptr)->GetAttribute("ReconfigurationDelay", delay);
    return delay.Get();
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
        auto ocs = m_ocsInstaller.Create(GetOcsPorts(), fabric);
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
        auto ocs = m_ocsInstaller.Create(GetOcsPorts(), fabric);
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
RailClusterHelper::InstallSpareGpus(RailCluster& cluster) const
{
    cluster.m_sparesPerDomain = m_spareGpus;
    cluster.m_spareGpus += CountSpareGpus();
    const SpareGpuCabling cabling(cluster.m_rails, m_fibreFactory, m_selectionTime);
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
        node->AggregateObject(m_nicInstaller.Install(node, m_portRate, addresses));
        cluster.m_sparePorts.push_back(cabling.Cable(node));
    }
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
