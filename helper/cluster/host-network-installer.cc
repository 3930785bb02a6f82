// SPDX-License-Identifier: GPL-2.0-only

#include "host-network-installer.h"

#include "fabric-installer.h"

#include "ns3/abort.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/secondary-nic.h"

namespace ns3
{

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
