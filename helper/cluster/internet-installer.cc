// SPDX-License-Identifier: GPL-2.0-only

#include "internet-installer.h"

#include "ns3/abort.h"
#include "ns3/arp-l3-protocol.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-routing-table-entry.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

namespace ns3
{

Ipv4InterfaceContainer
InternetInstaller::Install()
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

uint32_t
InternetInstaller::GetRail(uint32_t gpu) const
{
    const bool isMovable = gpu >= m_cluster.GetNGpus() && m_cluster.HasSparesInDomains();
    return isMovable ? ANY_RAIL : m_cluster.GetRailOf(gpu);
}

Ptr<Ipv4>
InternetInstaller::InstallStack(uint32_t gpu) const
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

uint32_t
InternetInstaller::AddInterface(Ptr<Ipv4> ipv4, uint32_t gpu, uint32_t port) const
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
    // All ports of a NIC are in one subnet. Of routes with the same metric, ns-3 takes the last.
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

void
InternetInstaller::AddNeighbours(Ptr<Ipv4> ipv4, uint32_t gpu)
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

std::shared_ptr<const CircuitNeighbours::Table>
InternetInstaller::GetTable(uint32_t rail)
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

} // namespace ns3
