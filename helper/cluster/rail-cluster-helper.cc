// SPDX-License-Identifier: GPL-2.0-only

#include "rail-cluster-helper.h"

#include "fibre-capture.h"
#include "rail-cluster-builder.h"

#include "ns3/abort.h"
#include "ns3/arp-l3-protocol.h"
#include "ns3/circuit-neighbours.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-routing-table-entry.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

#include <map>
#include <memory>

namespace ns3
{

namespace
{

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

    /// Let a GPU know its neighbours on circuits.
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
RailClusterHelper::SetFibreAttribute(const std::string& name, const AttributeValue& value)
{
    m_spec.fibreFactory.Set(name, value);
    if (name == "Delay")
    {
        m_spec.fibreDelay = RailClusterSpec::ToFibreDelay(value);
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

Time
RailClusterHelper::GetReconfigurationDelay() const
{
    TimeValue delay;
    m_spec.ocs.Create(m_spec.GetOcsPorts(), nullptr)->GetAttribute("ReconfigurationDelay", delay);
    return delay.Get();
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
