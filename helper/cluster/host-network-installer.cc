// SPDX-License-Identifier: GPL-2.0-only

#include "host-network-installer.h"

#include "fabric-installer.h"
#include "fibre-cabling.h"

#include "ns3/abort.h"
#include "ns3/secondary-nic.h"
#include "ns3/transceiver-net-device.h"

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
    m_nicAttributes.emplace_back(name, value.Copy());
}

void
HostNetworkInstaller::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePairAttributes.emplace_back(name, value.Copy());
}

Ptr<RdmaNic>
HostNetworkInstaller::InstallNic(Ptr<Node> gpu, Ipv4Address address, Time roundTrip) const
{
    auto nic = CreateObject<RdmaNic>();
    for (const auto& [name, value] : m_nicAttributes)
    {
        nic->SetAttribute(name, *value);
    }
    nic->SetQueuePairAttribute("BaseRoundTrip", TimeValue(roundTrip));
    for (const auto& [name, value] : m_queuePairAttributes)
    {
        nic->SetQueuePairAttribute(name, *value);
    }
    ObjectFactory portFactory("ns3::TransceiverNetDevice");
    portFactory.Set("DataRate", DataRateValue(m_spec.gpuRate));
    nic->AddPort(FibreCabling::AddDevice<TransceiverNetDevice>(portFactory, gpu), address);
    auto holder = CreateObject<HostNic>();
    holder->SetNic(nic);
    gpu->AggregateObject(holder);
    return nic;
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
    Network network;
    std::vector<Ptr<TransceiverNetDevice>> ports;
    for (uint32_t gpu = 0; gpu < gpus.GetN(); ++gpu)
    {
        network.nics.push_back(InstallNic(gpus.Get(gpu),
                                          Ipv4Address(FIRST_HOST_ADDRESS + gpu),
                                          m_spec.GetRoundTrip(plan, hopLatency.Get())));
        ports.push_back(network.nics.back()->GetPort(0));
    }
    FabricInstaller installer(switchFactory,
                              ObjectFactory("ns3::TransceiverNetDevice"),
                              ObjectFactory("ns3::FibreChannel"));
    installer.SetProcess(process);
    network.switches = installer.Install(plan.topology, Ipv4Address(FIRST_HOST_ADDRESS), ports);
    return network;
}

} // namespace ns3
