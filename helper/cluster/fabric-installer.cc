// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-installer.h"

#include "fibre-cabling.h"
#include "rail-partition.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/fabric-routing.h"
#include "ns3/uinteger.h"

namespace ns3
{

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

} // namespace ns3
