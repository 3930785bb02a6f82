// SPDX-License-Identifier: GPL-2.0-only

#include "rail-cluster-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/electrical-switch.h"
#include "ns3/fibre-channel.h"
#include "ns3/ocs-net-device.h"
#include "ns3/ocs-technology.h"
#include "ns3/transceiver-net-device.h"
#include "ns3/uinteger.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

namespace ns3
{

namespace
{

/// Make a device, give it an address and add it to a node.
template <typename T>
Ptr<T>
AddDevice(const ObjectFactory& factory, Ptr<Node> node)
{
    auto device = factory.Create<T>();
    device->SetAddress(Mac48Address::Allocate());
    device->SetNode(node);
    node->AddDevice(device);
    return device;
}

/// @return 10.0.0.1 and so on: one address per NIC port, in order of GPU and port
Ipv4Address
GetPortAddress(uint32_t index)
{
    constexpr uint32_t network = 0x0a000000;
    return Ipv4Address(network + index + 1);
}

void
Capture(Ptr<PcapFileWrapper> file, Ptr<const Packet> frame)
{
    file->Write(Simulator::Now(), frame);
    if (file->Fail())
    {
        std::cerr << "a capture could not be written: is the disk full?" << std::endl;
        std::exit(1);
    }
}

} // namespace

RailClusterHelper::RailClusterHelper()
    : m_portFactory("ns3::TransceiverNetDevice"),
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
RailClusterHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
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

std::string
RailClusterHelper::Check(bool photonic) const
{
    if (m_domains == 0 || m_gpusPerDomain == 0)
    {
        return "a cluster needs at least one domain of one GPU";
    }
    if (m_nicPorts != 1 && m_nicPorts != 2 && m_nicPorts != 4)
    {
        return "a NIC has 1, 2 or 4 ports, not " + std::to_string(m_nicPorts);
    }
    if (m_portRate.GetBitRate() == 0)
    {
        return "the line rate of a NIC port must be above 0";
    }
    const uint64_t gpus = uint64_t{m_domains} * m_gpusPerDomain;
    if (gpus * m_nicPorts > (1 << 24) - 2)
    {
        return std::to_string(gpus) + " GPUs need more addresses than 10.0.0.0/8 has";
    }
    if (photonic)
    {
        const uint32_t radix = CreateOcs()->GetRadix();
        const uint64_t needed = uint64_t{m_domains} * m_nicPorts;
        if (needed > radix)
        {
            return "a rail of " + std::to_string(m_domains) + " GPUs with " +
                   std::to_string(m_nicPorts) + " ports each needs " + std::to_string(needed) +
                   " OCS ports, but the radix of " + m_technology + " is " + std::to_string(radix);
        }
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
    for (const auto& [name, value] : m_ocsAttributes)
    {
        ocs->SetAttribute(name, *value);
    }
    return ocs;
}

void
RailClusterHelper::Connect(Ptr<FibreNetDevice> a, Ptr<FibreNetDevice> b) const
{
    auto fibre = m_fibreFactory.Create<FibreChannel>();
    fibre->Attach(a);
    fibre->Attach(b);
}

RailCluster
RailClusterHelper::InstallHosts() const
{
    RailCluster cluster;
    cluster.m_gpusPerDomain = m_gpusPerDomain;
    cluster.m_nicPorts = m_nicPorts;
    cluster.m_gpus.Create(m_domains * m_gpusPerDomain);
    cluster.m_rails.Create(m_gpusPerDomain);
    cluster.m_ocsPorts.resize(cluster.m_gpus.GetN());
    ObjectFactory portFactory = m_portFactory;
    portFactory.Set("DataRate", DataRateValue(m_portRate));
    for (uint32_t gpu = 0; gpu < cluster.m_gpus.GetN(); ++gpu)
    {
        Ptr<Node> node = cluster.m_gpus.Get(gpu);
        auto nic = CreateObject<RdmaNic>();
        node->AggregateObject(nic);
        for (const auto& [name, value] : m_queuePairAttributes)
        {
            nic->SetQueuePairAttribute(name, *value);
        }
        for (uint32_t port = 0; port < m_nicPorts; ++port)
        {
            nic->AddPort(AddDevice<TransceiverNetDevice>(portFactory, node),
                         GetPortAddress(gpu * m_nicPorts + port));
        }
    }
    return cluster;
}

RailCluster
RailClusterHelper::InstallPhotonic() const
{
    const std::string error = Check(true);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    RailCluster cluster = InstallHosts();
    cluster.m_fabric = RailCluster::PHOTONIC;
    const ObjectFactory ocsPortFactory("ns3::OcsNetDevice");
    for (uint32_t rail = 0; rail < m_gpusPerDomain; ++rail)
    {
        Ptr<Node> node = cluster.m_rails.Get(rail);
        auto ocs = CreateOcs();
        node->AggregateObject(ocs);
        for (uint32_t domain = 0; domain < m_domains; ++domain)
        {
            const uint32_t gpu = domain * m_gpusPerDomain + rail;
            auto nic = cluster.GetNic(gpu);
            for (uint32_t port = 0; port < m_nicPorts; ++port)
            {
                auto device = AddDevice<OcsNetDevice>(ocsPortFactory, node);
                cluster.m_ocsPorts[gpu].push_back(ocs->AddPort(device));
                Connect(nic->GetPort(port), device);
            }
        }
    }
    return cluster;
}

RailCluster
RailClusterHelper::InstallElectrical() const
{
    const std::string error = Check(false);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    RailCluster cluster = InstallHosts();
    ObjectFactory switchPortFactory = m_portFactory;
    switchPortFactory.Set("DataRate", DataRateValue(m_portRate));
    switchPortFactory.Set("Forwards", BooleanValue(true));
    for (uint32_t rail = 0; rail < m_gpusPerDomain; ++rail)
    {
        Ptr<Node> node = cluster.m_rails.Get(rail);
        auto railSwitch = m_switchFactory.Create<ElectricalSwitch>();
        node->AggregateObject(railSwitch);
        cluster.m_switches.push_back({railSwitch, node, 1, "rail " + std::to_string(rail)});
        for (uint32_t domain = 0; domain < m_domains; ++domain)
        {
            const uint32_t gpu = domain * m_gpusPerDomain + rail;
            auto nic = cluster.GetNic(gpu);
            for (uint32_t port = 0; port < m_nicPorts; ++port)
            {
                auto device = AddDevice<TransceiverNetDevice>(switchPortFactory, node);
                railSwitch->AddRoute(GetPortAddress(gpu * m_nicPorts + port),
                                     railSwitch->AddPort(device));
                Connect(nic->GetPort(port), device);
            }
        }
    }
    return cluster;
}

void
RailClusterHelper::EnablePcapInternal(std::string prefix,
                                      Ptr<NetDevice> device,
                                      bool /* promiscuous: a port has one peer */,
                                      bool explicitFilename)
{
    auto port = DynamicCast<TransceiverNetDevice>(device);
    if (!port)
    {
        return;
    }
    if (auto nic = port->GetNode()->GetObject<RdmaNic>())
    {
        nic->SetQueuePairAttribute("InvariantCrc", BooleanValue(true));
    }
    PcapHelper pcap;
    const std::string filename =
        explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    auto file = CreateObject<PcapFileWrapper>();
    file->SetAttribute("NanosecMode", BooleanValue(true)); // packets are less than 1 us apart
    file->Open(filename, std::ios::out | std::ios::binary);
    if (file->Fail())
    {
        // As CommandLine does with a wrong flag: a line and no core dump.
        std::cerr << "the capture " << filename << " cannot be written" << std::endl;
        std::exit(1);
    }
    constexpr uint32_t ethernet = 1;
    file->Init(ethernet, m_pcapSnapLength);
    port->TraceConnectWithoutContext("PromiscSniffer", MakeBoundCallback(&Capture, file));
}

} // namespace ns3
