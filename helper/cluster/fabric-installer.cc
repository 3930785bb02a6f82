// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-installer.h"

#include "fibre-cabling.h"
#include "rail-partition.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/fabric-topology.h"
#include "ns3/secondary-nic.h"
#include "ns3/uinteger.h"

namespace ns3
{

NicInstaller::NicInstaller()
    : m_nicFactory("ns3::RdmaNic")
{
}

void
NicInstaller::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicFactory.Set(name, value);
}

void
NicInstaller::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePairAttributes.emplace_back(name, value.Copy());
}

void
NicInstaller::SetQueuePairDefault(const std::string& name, const AttributeValue& value)
{
    m_queuePairAttributes.insert(m_queuePairAttributes.begin(), {name, value.Copy()});
}

void
NicInstaller::SetCongestionControlAttribute(const std::string& name, const AttributeValue& value)
{
    m_controlAttributes.emplace_back(name, value.Copy());
}

Ptr<RdmaNic>
NicInstaller::Install(Ptr<Node> node,
                      DataRate portRate,
                      const std::vector<Ipv4Address>& addresses) const
{
    ObjectFactory portFactory("ns3::EthernetPortNetDevice");
    portFactory.Set("DataRate", DataRateValue(portRate));
    auto nic = m_nicFactory.Create<RdmaNic>();
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

void
FabricInstaller::SetProcess(uint32_t process)
{
    m_process = process;
}

void
FabricInstaller::SetEcmpSeed(uint32_t base)
{
    m_ecmpSeed = base;
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

std::vector<RailCluster::Switch>
FabricInstaller::Install(const FabricTopology& topology,
                         Ipv4Address firstAddress,
                         const std::vector<Ptr<EthernetPortNetDevice>>& hostPorts) const
{
    NS_ABORT_MSG_UNLESS(hostPorts.size() == topology.hosts.size(), "a port for every host");
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

    const FabricRouting routing(topology);
    for (uint32_t number = 0; number < switches.size(); ++number)
    {
        for (const auto& entry : routing.GetTable(number))
        {
            switches[number].device->AddRoute(Ipv4Address(firstAddress.Get() + entry.firstHost),
                                              Ipv4Address(firstAddress.Get() + entry.lastHost),
                                              entry.ports);
        }
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

} // namespace

void
ScaleUpInstaller::SetGeneration(const ScaleUpGeneration& generation)
{
    m_generation = generation;
}

void
ScaleUpInstaller::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchAttributes.emplace_back(name, value.Copy());
}

void
ScaleUpInstaller::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicInstaller.SetAttribute(name, value);
}

void
ScaleUpInstaller::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicInstaller.SetQueuePairAttribute(name, value);
}

ScaleUpInstaller::Network
ScaleUpInstaller::Install(const NodeContainer& gpus, uint32_t gpusPerDomain) const
{
    Network network;
    std::vector<Ptr<EthernetPortNetDevice>> ports;
    for (uint32_t gpu = 0; gpu < gpus.GetN(); ++gpu)
    {
        auto nic = m_nicInstaller.Install(gpus.Get(gpu),
                                          DataRate(m_generation.bitRate),
                                          {Ipv4Address(FIRST_SCALE_UP_ADDRESS + gpu)});
        ports.push_back(nic->GetPort(0));
        auto holder = CreateObject<ScaleUpNic>();
        holder->SetNic(nic);
        gpus.Get(gpu)->AggregateObject(holder);
        network.nics.push_back(nic);
    }
    ObjectFactory switchFactory("ns3::ElectricalSwitch");
    const auto hopLatency = static_cast<int64_t>(m_generation.hopLatencyPicoseconds);
    switchFactory.Set("HopLatency", TimeValue(PicoSeconds(hopLatency)));
    for (const auto& [name, value] : m_switchAttributes)
    {
        switchFactory.Set(name, *value);
    }
    const FabricInstaller installer(switchFactory,
                                    ObjectFactory("ns3::EthernetPortNetDevice"),
                                    ObjectFactory("ns3::OpticalFibreLink"));
    network.switches =
        installer.Install(m_generation.Build(gpus.GetN() / gpusPerDomain, gpusPerDomain),
                          Ipv4Address(FIRST_SCALE_UP_ADDRESS),
                          ports);
    return network;
}

namespace
{

/// 100.64.0.1: of 100.64.0.0/10, the shared address space of RFC 6598.
constexpr uint32_t FIRST_HOST_ADDRESS = 0x64400001;

} // namespace

void
HostNetworkInstaller::SetSpec(const HostNetworkSpec& spec)
{
    m_spec = spec;
}

void
HostNetworkInstaller::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchAttributes.emplace_back(name, value.Copy());
}

void
HostNetworkInstaller::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicInstaller.SetAttribute(name, value);
}

void
HostNetworkInstaller::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicInstaller.SetQueuePairAttribute(name, value);
}

HostNetworkInstaller::Network
HostNetworkInstaller::Install(const NodeContainer& gpus,
                              uint32_t gpusPerDomain,
                              uint32_t process) const
{
    const FabricPlan plan = m_spec.Build(gpus.GetN() / gpusPerDomain, gpusPerDomain);
    NS_ABORT_MSG_UNLESS(plan.error.empty(), plan.error);
    ObjectFactory switchFactory("ns3::ElectricalSwitch");
    for (const auto& [name, value] : m_switchAttributes)
    {
        switchFactory.Set(name, *value);
    }
    TimeValue hopLatency;
    switchFactory.Create<ElectricalSwitch>()->GetAttribute("HopLatency", hopLatency);
    NicInstaller nicInstaller = m_nicInstaller;
    const Time roundTrip = m_spec.GetRoundTrip(plan, hopLatency.Get());
    nicInstaller.SetQueuePairDefault("BaseRoundTrip", TimeValue(roundTrip));
    Network network;
    std::vector<Ptr<EthernetPortNetDevice>> ports;
    for (uint32_t gpu = 0; gpu < gpus.GetN(); ++gpu)
    {
        auto nic = nicInstaller.Install(gpus.Get(gpu),
                                        m_spec.gpuRate,
                                        {Ipv4Address(FIRST_HOST_ADDRESS + gpu)});
        auto holder = CreateObject<HostNic>();
        holder->SetNic(nic);
        gpus.Get(gpu)->AggregateObject(holder);
        network.nics.push_back(nic);
        ports.push_back(nic->GetPort(0));
    }
    FabricInstaller installer(switchFactory,
                              ObjectFactory("ns3::EthernetPortNetDevice"),
                              ObjectFactory("ns3::OpticalFibreLink"));
    installer.SetProcess(process);
    network.switches = installer.Install(plan.topology, Ipv4Address(FIRST_HOST_ADDRESS), ports);
    return network;
}

} // namespace ns3
