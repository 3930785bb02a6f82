// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-installer.h"

#include "fiber-cabling.h"
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
        nic->AddPort(FiberCabling::AddDevice<EthernetPortNetDevice>(portFactory, node), address);
    }
    return nic;
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
    switches.Create<ElectricalSwitch>()->GetAttribute("HopLatency", hopLatency);
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
    std::vector<RailCluster::Switch> installed;
    for (const auto& one : topology.switches)
    {
        const auto number = static_cast<uint32_t>(installed.size());
        auto node = CreateObject<Node>(process.value_or(places[number]));
        auto device = switches.Create<ElectricalSwitch>();
        device->SetAttribute("EcmpSeed", UintegerValue(GetSwitchSeed(ecmpSeed, number)));
        node->AggregateObject(device);
        installed.push_back({device, node, one.tier, one.name});
    }
    Cable(topology, hostPorts, installed);
    for (uint32_t number = 0; number < installed.size(); ++number)
    {
        FabricRerouter::SetRoutes(*installed[number].device, number, routing, addresses);
    }
    return installed;
}

void
FabricInstaller::Cable(const FabricTopology& topology,
                       const std::vector<Ptr<EthernetPortNetDevice>>& hostPorts,
                       const std::vector<RailCluster::Switch>& installed) const
{
    ObjectFactory portFactory("ns3::EthernetPortNetDevice");
    portFactory.Set("Forwards", BooleanValue(true));
    ObjectFactory fiberFactory = fibers;
    const auto addPort = [&](uint32_t end) {
        const auto& one = installed[end - topology.hosts.size()];
        auto port = FiberCabling::AddDevice<EthernetPortNetDevice>(portFactory, one.node);
        one.device->AddPort(port);
        return port;
    };
    for (const auto& link : topology.links)
    {
        portFactory.Set("DataRate", DataRateValue(link.rate));
        fiberFactory.Set("Delay", TimeValue(link.delay));
        auto lower = topology.IsSwitch(link.lower) ? addPort(link.lower) : hostPorts[link.lower];
        FiberCabling::Connect(fiberFactory, lower, addPort(link.upper));
    }
}

namespace
{

/// 172.24.0.1: the addresses from 172.16.0.0 on are those of the management network.
constexpr uint32_t FIRST_SCALE_UP_ADDRESS = 0xac180001;
/// 100.64.0.1: of 100.64.0.0/10, the shared address space of RFC 6598.
constexpr uint32_t FIRST_HOST_ADDRESS = 0x64400001;

/// Set attributes on a factory of switches.
void
SetSwitchAttributes(ObjectFactory& factory, const AttributeList& attributes)
{
    for (const auto& [name, value] : attributes)
    {
        factory.Set(name, *value);
    }
}

/**
 * @brief Give every GPU a NIC of one port, in an object that the GPU finds it by, and join the
 * NICs.
 * @tparam Holder ScaleUpNic or HostNic
 * @param topology whose hosts are the GPUs
 * @param routing of the topology
 * @param fabric makes switches and fibers
 * @param nics makes the NICs
 * @param gpus nodes of the GPUs
 * @param rate of a port
 * @param firstAddress of the NICs, whose addresses are consecutive
 */
template <typename Holder>
SideNetworkInstaller::Network
InstallSideNetwork(const FabricTopology& topology,
                   const FabricRouting& routing,
                   const FabricInstaller& fabric,
                   const NicInstaller& nics,
                   const NodeContainer& gpus,
                   DataRate rate,
                   uint32_t firstAddress)
{
    SideNetworkInstaller::Network network;
    std::vector<Ipv4Address> addresses;
    std::vector<Ptr<EthernetPortNetDevice>> ports;
    for (uint32_t gpu = 0; gpu < gpus.GetN(); ++gpu)
    {
        addresses.emplace_back(firstAddress + gpu);
        const auto nic = nics.Install(gpus.Get(gpu), rate, {addresses.back()});
        network.nics.push_back(nic);
        ports.push_back(nic->GetPort(0));
        auto holder = CreateObject<Holder>();
        holder->SetNic(nic);
        gpus.Get(gpu)->AggregateObject(holder);
    }
    network.switches = fabric.Install(topology, routing, addresses, ports);
    return network;
}

} // namespace

SideNetworkInstaller::Network
SideNetworkInstaller::Install(const ScaleUpGeneration& generation,
                              const NodeContainer& gpus,
                              uint32_t gpusPerDomain) const
{
    FabricInstaller installer;
    const auto hopLatency = static_cast<int64_t>(generation.hopLatencyPicoseconds);
    installer.switches.Set("HopLatency", TimeValue(PicoSeconds(hopLatency)));
    SetSwitchAttributes(installer.switches, switches);
    const auto topology = generation.Build(gpus.GetN() / gpusPerDomain, gpusPerDomain);
    return InstallSideNetwork<ScaleUpNic>(topology,
                                          FabricRouting(topology),
                                          installer,
                                          nics,
                                          gpus,
                                          DataRate(generation.bitRate),
                                          FIRST_SCALE_UP_ADDRESS);
}

SideNetworkInstaller::Network
SideNetworkInstaller::Install(const HostNetworkSpec& spec,
                              const NodeContainer& gpus,
                              uint32_t gpusPerDomain,
                              uint32_t process) const
{
    const FabricPlan plan = spec.Build(gpus.GetN() / gpusPerDomain, gpusPerDomain);
    NS_ABORT_MSG_UNLESS(plan.error.empty(), plan.error);
    FabricInstaller installer;
    SetSwitchAttributes(installer.switches, switches);
    installer.process = process;
    NicInstaller nicInstaller = nics;
    const FabricRouting routing(plan.topology);
    nicInstaller.queuePair.SetDefault("BaseRoundTrip", TimeValue(installer.GetRoundTrip(routing)));
    return InstallSideNetwork<HostNic>(plan.topology,
                                       routing,
                                       installer,
                                       nicInstaller,
                                       gpus,
                                       spec.gpuRate,
                                       FIRST_HOST_ADDRESS);
}

std::pair<Ptr<OpticalCircuitSwitch>, std::string>
OcsInstaller::Make(uint32_t ports) const
{
    std::string error;
    auto ocs = CreateObject<OpticalCircuitSwitch>();
    ocs->SetTechnology(technology->GetName());
    if (const auto fabric = technology->MakeFabric())
    {
        error = fabric->UsePorts(ports);
        ocs->SetFabric(fabric);
    }
    for (const auto& [name, value] : attributes)
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
        return "the radix of " + technology->GetName() + " is " + std::to_string(ocs->GetRadix());
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

} // namespace ns3
