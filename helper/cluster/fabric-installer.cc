// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-installer.h"

#include "fibre-cabling.h"
#include "rail-cluster.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/fabric-rerouter.h"
#include "ns3/fabric-topology.h"
#include "ns3/secondary-nic.h"
#include "ns3/uinteger.h"

namespace ns3
{

Ptr<RdmaNic>
NicInstaller::Install(Ptr<Node> node,
                      DataRate portRate,
                      const std::vector<Ipv4Address>& addresses) const
{
    ObjectFactory portFactory("ns3::EthernetPortNetDevice");
    portFactory.Set("DataRate", DataRateValue(portRate));
    auto nic = factory.Create<RdmaNic>();
    for (const auto& [name, value] : queuePair)
    {
        nic->SetQueuePairAttribute(name, *value);
    }
    for (const auto& [name, value] : congestionControl)
    {
        nic->SetCongestionControlAttribute(name, *value);
    }
    for (const Ipv4Address& address : addresses)
    {
        nic->AddPort(FibreCabling::AddDevice<EthernetPortNetDevice>(portFactory, node), address);
    }
    return nic;
}

FabricInstaller::FabricInstaller(const ObjectFactory& switchFactory,
                                 const ObjectFactory& portFactory,
                                 const ObjectFactory& fibreFactory)
    : m_switchFactory(switchFactory),
      m_portFactory(portFactory),
      m_fibreFactory(fibreFactory)
{
    m_portFactory.Set("Forwards", BooleanValue(true));
}

uint32_t
FabricInstaller::GetSwitchSeed(uint32_t base, uint32_t number)
{
    // The finalizer of MurmurHash3: it maps different numbers to different seeds.
    uint32_t mixed = base * 0x9e3779b9u + number + 1;
    mixed = (mixed ^ (mixed >> 16)) * 0x85ebca6bu;
    mixed = (mixed ^ (mixed >> 13)) * 0xc2b2ae35u;
    return mixed ^ (mixed >> 16);
}

Time
FabricInstaller::GetRoundTrip(const FabricRouting& routing) const
{
    TimeValue hopLatency;
    m_switchFactory.Create<ElectricalSwitch>()->GetAttribute("HopLatency", hopLatency);
    return routing.GetRoundTrip(hopLatency.Get());
}

std::vector<RailCluster::Switch>
FabricInstaller::Install(const FabricTopology& topology,
                         const FabricRouting& routing,
                         const std::vector<Ipv4Address>& addresses,
                         const std::vector<Ptr<EthernetPortNetDevice>>& hostPorts) const
{
    NS_ABORT_MSG_UNLESS(hostPorts.size() == topology.hosts.size() &&
                            addresses.size() == topology.hosts.size(),
                        "a port and an address for every host");
    std::vector<uint32_t> processOfHost;
    for (const auto& port : hostPorts)
    {
        processOfHost.push_back(port->GetNode()->GetSystemId());
    }
    const auto places = RailPartition::PlaceSwitches(topology, processOfHost);
    std::vector<RailCluster::Switch> switches;
    for (const auto& one : topology.switches)
    {
        const auto number = static_cast<uint32_t>(switches.size());
        auto node = CreateObject<Node>(m_process.value_or(places[number]));
        auto device = m_switchFactory.Create<ElectricalSwitch>();
        device->SetAttribute("EcmpSeed", UintegerValue(GetSwitchSeed(m_ecmpSeed, number)));
        node->AggregateObject(device);
        switches.push_back({device, node, one.tier, one.name});
    }
    Cable(topology, hostPorts, switches);
    for (uint32_t number = 0; number < switches.size(); ++number)
    {
        FabricRerouter::SetRoutes(*switches[number].device, number, routing, addresses);
    }
    return switches;
}

void
FabricInstaller::Cable(const FabricTopology& topology,
                       const std::vector<Ptr<EthernetPortNetDevice>>& hostPorts,
                       const std::vector<RailCluster::Switch>& switches) const
{
    ObjectFactory portFactory = m_portFactory;
    ObjectFactory fibreFactory = m_fibreFactory;
    const auto addPort = [&](uint32_t end) {
        const auto& one = switches[end - topology.hosts.size()];
        auto port = FibreCabling::AddDevice<EthernetPortNetDevice>(portFactory, one.node);
        one.device->AddPort(port);
        return port;
    };
    for (const auto& link : topology.links)
    {
        portFactory.Set("DataRate", DataRateValue(link.rate));
        fibreFactory.Set("Delay", TimeValue(link.delay));
        auto lower = topology.IsSwitch(link.lower) ? addPort(link.lower) : hostPorts[link.lower];
        FibreCabling::Connect(fibreFactory, lower, addPort(link.upper));
    }
}

namespace
{

/// 172.24.0.1: the addresses from 172.16.0.0 on are those of the management network.
constexpr uint32_t FIRST_SCALE_UP_ADDRESS = 0xac180001;
/// 100.64.0.1: of 100.64.0.0/10, the shared address space of RFC 6598.
constexpr uint32_t FIRST_HOST_ADDRESS = 0x64400001;

/// @return consecutive addresses
std::vector<Ipv4Address>
ListAddresses(uint32_t first, uint32_t count)
{
    std::vector<Ipv4Address> addresses;
    for (uint32_t i = 0; i < count; ++i)
    {
        addresses.emplace_back(first + i);
    }
    return addresses;
}

/**
 * @brief Give every GPU a NIC of one port, in an object that the GPU finds it by.
 * @tparam Holder ScaleUpNic or HostNic
 * @return the ports, by GPU
 */
template <typename Holder>
std::vector<Ptr<EthernetPortNetDevice>>
InstallSideNics(const NicInstaller& installer,
                const NodeContainer& gpus,
                DataRate rate,
                uint32_t firstAddress,
                std::vector<Ptr<RdmaNic>>& nics)
{
    std::vector<Ptr<EthernetPortNetDevice>> ports;
    for (uint32_t gpu = 0; gpu < gpus.GetN(); ++gpu)
    {
        nics.push_back(installer.Install(gpus.Get(gpu), rate, {Ipv4Address(firstAddress + gpu)}));
        ports.push_back(nics.back()->GetPort(0));
        auto holder = CreateObject<Holder>();
        holder->SetNic(nics.back());
        gpus.Get(gpu)->AggregateObject(holder);
    }
    return ports;
}

/// @return makes switches, and ports and fibres with their defaults
FabricInstaller
MakeFabricInstaller(const AttributeList& attributes, ObjectFactory switchFactory)
{
    for (const auto& [name, value] : attributes)
    {
        switchFactory.Set(name, *value);
    }
    return FabricInstaller(switchFactory,
                           ObjectFactory("ns3::EthernetPortNetDevice"),
                           ObjectFactory("ns3::OpticalFibreLink"));
}

} // namespace

SideNetworkInstaller::Network
SideNetworkInstaller::Install(const ScaleUpGeneration& generation,
                              const NodeContainer& gpus,
                              uint32_t gpusPerDomain) const
{
    Network network;
    const auto ports = InstallSideNics<ScaleUpNic>(nics,
                                                   gpus,
                                                   DataRate(generation.bitRate),
                                                   FIRST_SCALE_UP_ADDRESS,
                                                   network.nics);
    ObjectFactory switchFactory("ns3::ElectricalSwitch");
    const auto hopLatency = static_cast<int64_t>(generation.hopLatencyPicoseconds);
    switchFactory.Set("HopLatency", TimeValue(PicoSeconds(hopLatency)));
    const auto topology = generation.Build(gpus.GetN() / gpusPerDomain, gpusPerDomain);
    network.switches = MakeFabricInstaller(switches, switchFactory)
                           .Install(topology,
                                    FabricRouting(topology),
                                    ListAddresses(FIRST_SCALE_UP_ADDRESS, gpus.GetN()),
                                    ports);
    return network;
}

SideNetworkInstaller::Network
SideNetworkInstaller::Install(const HostNetworkSpec& spec,
                              const NodeContainer& gpus,
                              uint32_t gpusPerDomain,
                              uint32_t process) const
{
    const FabricPlan plan = spec.Build(gpus.GetN() / gpusPerDomain, gpusPerDomain);
    NS_ABORT_MSG_UNLESS(plan.error.empty(), plan.error);
    auto installer = MakeFabricInstaller(switches, ObjectFactory("ns3::ElectricalSwitch"));
    installer.SetProcess(process);
    NicInstaller nicInstaller = nics;
    const FabricRouting routing(plan.topology);
    nicInstaller.queuePair.SetDefault("BaseRoundTrip", TimeValue(installer.GetRoundTrip(routing)));
    Network network;
    const auto ports = InstallSideNics<HostNic>(nicInstaller,
                                                gpus,
                                                spec.gpuRate,
                                                FIRST_HOST_ADDRESS,
                                                network.nics);
    network.switches = installer.Install(plan.topology,
                                         routing,
                                         ListAddresses(FIRST_HOST_ADDRESS, gpus.GetN()),
                                         ports);
    return network;
}

} // namespace ns3
