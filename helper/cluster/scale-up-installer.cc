// SPDX-License-Identifier: GPL-2.0-only

#include "scale-up-installer.h"

#include "fabric-installer.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/secondary-nic.h"

namespace ns3
{

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

} // namespace ns3
