// SPDX-License-Identifier: GPL-2.0-only

#include "rail-cluster-helper.h"

#include "fiber-cabling.h"
#include "fiber-capture.h"

#include "ns3/abort.h"
#include "ns3/arp-l3-protocol.h"
#include "ns3/circuit-neighbours.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/end-of-run.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/fabric-file.h"
#include "ns3/fabric-rerouter.h"
#include "ns3/fiber-switches.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-routing-table-entry.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

#include <map>
#include <memory>
#include <numeric>

namespace ns3
{

namespace
{

/**
 * @brief Lead the fibers of a spare GPU to all rails, by a FiberSelector if there are several.
 * @param gpu its node, with the NIC
 * @param rails nodes of the optical circuit switches
 * @param spec of the cluster
 * @return the OCS ports kept for it, by rail and NIC port
 */
std::map<uint32_t, std::vector<OcsPortId>>
CableSpareGpu(Ptr<Node> gpu, const NodeContainer& rails, const RailClusterSpec& spec)
{
    const ObjectFactory ocsPortFactory("ns3::OcsNetDevice");
    Ptr<FiberSelector> selector;
    if (rails.GetN() > 1)
    {
        selector = CreateObject<FiberSelector>();
        selector->SetAttribute("SelectionTime", TimeValue(spec.selectionTime));
        gpu->AggregateObject(selector);
    }
    const auto nic = gpu->GetObject<RdmaNic>();
    std::map<uint32_t, std::vector<OcsPortId>> kept;
    for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
    {
        std::vector<Ptr<OcsNetDevice>> branches;
        for (uint32_t rail = 0; rail < rails.GetN(); ++rail)
        {
            const auto node = rails.Get(rail);
            branches.push_back(FiberCabling::AddDevice<OcsNetDevice>(ocsPortFactory, node));
            const auto ocs = node->GetObject<OpticalCircuitSwitch>();
            kept[rail].push_back({rail, ocs->AddPort(branches.back())});
        }
        if (!selector)
        {
            FiberCabling::Connect(spec.installer.fibers, nic->GetPort(port), branches.front());
            continue;
        }
        auto fiber = spec.installer.fibers.Create<OpticalFiberLink>();
        fiber->Attach(nic->GetPort(port));
        selector->AddFiber(fiber, branches);
    }
    return kept;
}

/// Gives the GPUs of a cluster IPv4 stacks on their NIC ports, see
/// RailClusterHelper::InstallInternet.
class InternetInstaller
{
  public:
    /// @param cluster the cluster; must outlive the installer
    explicit InternetInstaller(const RailCluster& cluster)
        : m_cluster(cluster)
    {
    }

    /// @return the interfaces of all GPUs, in the order of RailCluster::GetNicPorts; those of spare
    /// GPUs are the last
    Ipv4InterfaceContainer Install()
    {
        Ipv4InterfaceContainer interfaces;
        for (uint32_t gpu = 0; gpu < m_cluster.GetNAllGpus(); ++gpu)
        {
            const auto ipv4 = InstallStack(gpu);
            for (uint32_t port = 0; port < m_cluster.GetNic(gpu)->GetNPorts(); ++port)
            {
                interfaces.Add(ipv4, AddInterface(ipv4, gpu, port));
            }
            if (m_cluster.IsPhotonic())
            {
                AddNeighbours(ipv4, gpu);
            }
        }
        return interfaces;
    }

  private:
    /// The rail of a spare GPU that can be led to any.
    static constexpr uint32_t ANY_RAIL = 0xffffffff;

    /// @return the rail of a GPU, or ANY_RAIL
    uint32_t GetRail(uint32_t gpu) const
    {
        const bool isMovable = gpu >= m_cluster.GetNGpus() && m_cluster.HasSparesInDomains();
        return isMovable ? ANY_RAIL : m_cluster.GetRailOf(gpu);
    }

    /// @return the stack of a GPU, which gets one if it has none
    Ptr<Ipv4> InstallStack(uint32_t gpu) const
    {
        const auto node = m_cluster.GetGpu(gpu);
        if (!node->GetObject<Ipv4>())
        {
            InternetStackHelper stack;
            stack.SetIpv6StackInstall(false);
            stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
            stack.Install(node);
            // ns-3 delays ARP requests at random, against collisions of radio stations.
            node->GetObject<ArpL3Protocol>()->SetAttribute(
                "RequestJitter",
                StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        }
        return node->GetObject<Ipv4>();
    }

    /// Add an interface for a port. @return its number
    uint32_t AddInterface(Ptr<Ipv4> ipv4, uint32_t gpu, uint32_t port) const
    {
        const auto nic = m_cluster.GetNic(gpu);
        const auto device = nic->GetPort(port);
        NS_ABORT_MSG_IF(ipv4->GetInterfaceForDevice(device) >= 0,
                        "port " << port << " of GPU " << gpu << " has an IPv4 interface already");
        PointerValue queue;
        device->GetAttribute("TxQueue", queue);
        if (!queue.Get<Queue<Packet>>())
        {
            // Now, since FlowMonitor connects to the queues that exist when it is installed.
            device->SetAttribute("TxQueue", PointerValue(CreateObject<DropTailQueue<Packet>>()));
        }
        const uint32_t interface = ipv4->AddInterface(device);
        const Ipv4Mask mask = m_cluster.GetSubnetMask();
        const Ipv4Address address = (*nic->GetPorts())[port].second;
        ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, mask));
        ipv4->SetUp(interface);
        // All ports of a NIC are in one subnet. Of routes with the same metric, ns-3 takes the
        // last.
        const auto routing = Ipv4StaticRoutingHelper().GetStaticRouting(ipv4);
        for (uint32_t i = 0; i < routing->GetNRoutes(); ++i)
        {
            if (routing->GetRoute(i).GetInterface() == interface)
            {
                routing->RemoveRoute(i);
                break;
            }
        }
        routing->AddNetworkRouteTo(address.CombineMask(mask), mask, interface, port);
        return interface;
    }

    /// Give a GPU the addresses of its neighbours on circuits.
    void AddNeighbours(Ptr<Ipv4> ipv4, uint32_t gpu)
    {
        auto neighbours = CreateObject<CircuitNeighbours>();
        neighbours->SetTable(GetTable(GetRail(gpu)));
        m_cluster.GetGpu(gpu)->AggregateObject(neighbours);
        const auto nic = m_cluster.GetNic(gpu);
        for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
        {
            const auto device = nic->GetPort(port);
            neighbours->AddPort(device, static_cast<uint32_t>(ipv4->GetInterfaceForDevice(device)));
        }
    }

    /// @return the ports that circuits of a rail may lead to
    std::shared_ptr<const CircuitNeighbours::Table> GetTable(uint32_t rail)
    {
        auto& table = m_tables[rail];
        if (table)
        {
            return table;
        }
        CircuitNeighbours::Table members;
        for (uint32_t gpu = 0; gpu < m_cluster.GetNAllGpus(); ++gpu)
        {
            const uint32_t other = GetRail(gpu);
            if (other == rail || other == ANY_RAIL || rail == ANY_RAIL)
            {
                for (const auto& [mac, address] : *m_cluster.GetNic(gpu)->GetPorts())
                {
                    members[mac] = {address, gpu};
                }
            }
        }
        table = std::make_shared<const CircuitNeighbours::Table>(std::move(members));
        return table;
    }

    const RailCluster& m_cluster;
    std::map<uint32_t, std::shared_ptr<const CircuitNeighbours::Table>> m_tables; //!< by rail
};

} // namespace

/// Builds one cluster: GPUs with NICs, the fabric, spares, and the other networks.
class RailClusterBuilder
{
  public:
    /**
     * @param spec the cluster to build; must outlive the builder
     * @param fabric the rails that join the domains
     */
    RailClusterBuilder(const RailClusterSpec& spec, const RailFabric& fabric);

    /// @return the cluster; the program aborts if RailClusterSpec::Check finds a problem
    RailCluster Build();

  private:
    /**
     * @brief Create GPUs with NICs, without cables.
     * @param hosts NIC ports in the order of addresses
     * @param roundTrip longest delay of a way and back, without queues
     */
    void InstallGpus(const std::vector<FabricTopology::Host>& hosts, Time roundTrip);
    /// @return the subnets of the NIC ports
    RailSubnets GetSubnets() const;
    /// @param hosts NIC ports in the order of the fabric @return their addresses
    std::vector<Ipv4Address> GetAddresses(const std::vector<FabricTopology::Host>& hosts) const;
    /// Give every rail an OCS, and fibers to its GPUs.
    void InstallOcses();
    /// Join the NIC ports of a rail with its switch. @param rail the rail @param ocs its switch
    void CableRail(uint32_t rail, Ptr<OpticalCircuitSwitch> ocs);
    /// Give the cluster spare OCSes, and every fiber a way to them.
    void InstallSpares();
    /// Let the fibers of rails lead to the switch of a node. @param node the node @param rails
    /// rails
    void InstallProtection(Ptr<Node> node, const std::vector<uint32_t>& rails);
    /// Give each domain spare GPUs, and their fibers a way to every rail.
    void InstallSpareGpus();
    /// Install the networks of the domains.
    void InstallScaleUp();
    /// Install GPUs and an electrical fabric.
    void InstallFabric(const FabricTopology& topology);

    const RailClusterSpec& m_spec;
    RailCluster m_cluster;
};

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
        const Time fiber = m_spec.GetFiberDelay();
        InstallGpus(topology.hosts, 4 * (cabling ? cabling->GetLongestDelay(fiber) : fiber));
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
    const FabricRouting routing(topology);
    InstallGpus(topology.hosts, m_spec.installer.GetRoundTrip(routing));
    std::vector<Ptr<EthernetPortNetDevice>> ports;
    for (const auto& host : topology.hosts)
    {
        ports.push_back(m_cluster.GetNic(host.gpu)->GetPort(host.port));
    }
    const auto addresses = GetAddresses(topology.hosts);
    m_cluster.m_switches = m_spec.installer.Install(topology, routing, addresses, ports);
    const bool isRailEach =
        topology.switches.size() == m_spec.gpusPerDomain && !m_cluster.m_fabric.JoinsRails();
    std::vector<Ptr<ElectricalSwitch>> devices;
    for (const auto& one : m_cluster.m_switches)
    {
        devices.push_back(one.device);
        if (isRailEach)
        {
            m_cluster.m_rails.Add(one.node);
        }
    }
    auto rerouter = CreateObject<FabricRerouter>();
    rerouter->Install(topology, addresses, devices);
    m_cluster.m_rerouter = rerouter;
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
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> fibers; // GPU and port, by OCS port
    for (uint32_t domain = 0; domain < m_spec.GetAllDomains(); ++domain)
    {
        const uint32_t gpu = domain * m_spec.gpusPerDomain + rail;
        for (uint32_t port = 0; port < m_spec.nicPorts; ++port)
        {
            const uint32_t next = domain * m_spec.nicPorts + port;
            const uint32_t end = cabling ? cabling->GetFiber(gpu, port).ocsPort : next;
            fibers[end] = {gpu, port};
            m_cluster.m_ocsPorts[gpu].push_back(end);
        }
    }
    for (const auto& [end, from] : fibers)
    {
        Ptr<OcsNetDevice> device;
        do // ports without a fiber come before
        {
            device = FiberCabling::AddDevice<OcsNetDevice>(ocsPortFactory, m_cluster.GetRail(rail));
        } while (ocs->AddPort(device) < end);
        ObjectFactory fiber = m_spec.installer.fibers;
        if (cabling && cabling->GetFiber(from.first, from.second).delay)
        {
            fiber.Set("Delay", TimeValue(*cabling->GetFiber(from.first, from.second).delay));
        }
        FiberCabling::Connect(fiber, m_cluster.GetNic(from.first)->GetPort(from.second), device);
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
            ocs->AddPort(FiberCabling::AddDevice<OcsNetDevice>(ocsPortFactory, node));
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
            protection->AddFiber(rail, m_cluster.GetOcs(rail), port);
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

void
RailClusterHelper::SetSwitchRadix(uint32_t radix)
{
    NS_ABORT_MSG_IF(radix == 0, "a switch has at least one port");
    m_spec.switchRadix = radix;
}

void
RailClusterHelper::SetFabricDelay(Time spine, Time core)
{
    NS_ABORT_MSG_IF(spine.IsStrictlyNegative() || core.IsStrictlyNegative(),
                    "delays of " << spine << " and " << core << " between switches");
    m_spec.spineDelay = spine;
    m_spec.coreDelay = core;
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
RailClusterHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_spec.nic.factory.Set(name, value);
    m_spec.domainNetwork.nics.factory.Set(name, value);
    m_spec.networkOfHosts.nics.factory.Set(name, value);
}

void
RailClusterHelper::SetFiberAttribute(const std::string& name, const AttributeValue& value)
{
    m_spec.installer.fibers.Set(name, value);
    if (name == "Delay")
    {
        m_spec.fiberDelay = RailClusterSpec::ToFiberDelay(value);
    }
}

void
RailClusterHelper::SetPcapSnapLength(uint32_t bytes)
{
    NS_ABORT_MSG_IF(bytes < 96, "a snap length of " << bytes << " would cut off headers");
    m_pcapSnapLength = bytes;
}

RailCluster
RailClusterHelper::Install(const RailFabric& fabric) const
{
    return RailClusterBuilder(m_spec, fabric).Build();
}

Ipv4InterfaceContainer
RailClusterHelper::InstallInternet(const RailCluster& cluster)
{
    return InternetInstaller(cluster).Install();
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
    FiberCapture::Start(device,
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
        FiberAscii::Start(device, stream);
        return;
    }
    AsciiTraceHelper ascii;
    FiberAscii::Start(device,
                      explicitFilename ? prefix : ascii.GetFilenameFromDevice(prefix, device));
}

} // namespace ns3
