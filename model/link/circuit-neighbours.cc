// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-neighbours.h"

#include "ns3/arp-cache.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-routing-table-entry.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CircuitNeighbours");
NS_OBJECT_ENSURE_REGISTERED(CircuitNeighbours);

TypeId
CircuitNeighbours::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CircuitNeighbours")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<CircuitNeighbours>();
    return tid;
}

void
CircuitNeighbours::DoDispose()
{
    m_ports.clear();
    m_table = nullptr;
    Object::DoDispose();
}

void
CircuitNeighbours::AddPort(Ptr<EthernetPortNetDevice> device, uint32_t interface)
{
    NS_LOG_FUNCTION(this << device << interface);
    m_ports.push_back({device, interface});
    // The callback holds no reference: the device belongs to the same node and is disposed with it.
    device->AddLinkChangeCallback(
        MakeBoundCallback(&CircuitNeighbours::LinkChanged, this, m_ports.size() - 1));
    Follow(m_ports.size() - 1);
}

void
CircuitNeighbours::LinkChanged(CircuitNeighbours* self, std::size_t port)
{
    if (port < self->m_ports.size())
    {
        self->Follow(port);
    }
}

void
CircuitNeighbours::AddEntries(const Port& port)
{
    const auto cache = GetObject<Ipv4L3Protocol>()->GetInterface(port.interface)->GetArpCache();
    for (const auto& [mac, neighbour] : *m_table)
    {
        if (mac != port.device->GetMacAddress() && !cache->Lookup(neighbour.address))
        {
            ArpCache::Entry* const entry = cache->Add(neighbour.address);
            entry->SetMacAddress(mac);
            entry->MarkPermanent();
        }
    }
}

void
CircuitNeighbours::Follow(std::size_t number)
{
    NS_LOG_FUNCTION(this << number);
    Port& port = m_ports[number];
    AddEntries(port);
    const uint32_t before = port.leadsTo;
    const auto found = m_table->find(port.device->GetLinkPartner().address);
    port.leadsTo = port.device->IsLit() && found != m_table->end() ? found->second.node : NOWHERE;
    for (const uint32_t node : {before, port.leadsTo})
    {
        if (node != NOWHERE)
        {
            RouteTo(node);
        }
    }
}

void
CircuitNeighbours::RouteTo(uint32_t node)
{
    for (const auto& port : m_ports)
    {
        if (port.leadsTo != node)
        {
            continue;
        }
        const Ipv4Address via = m_table->at(port.device->GetLinkPartner().address).address;
        for (const auto& [mac, neighbour] : *m_table)
        {
            if (neighbour.node == node)
            {
                SetRoute(neighbour.address, via, port.interface);
            }
        }
        return;
    }
}

void
CircuitNeighbours::SetRoute(Ipv4Address to, Ipv4Address via, uint32_t interface)
{
    NS_LOG_LOGIC("route to " << to << " via " << via << " on interface " << interface);
    const auto routing = Ipv4StaticRoutingHelper().GetStaticRouting(GetObject<Ipv4>());
    for (uint32_t i = 0; i < routing->GetNRoutes(); ++i)
    {
        const Ipv4RoutingTableEntry route = routing->GetRoute(i);
        if (route.IsHost() && route.GetDest() == to)
        {
            routing->RemoveRoute(i);
            break;
        }
    }
    routing->AddHostRouteTo(to, via, interface);
}

} // namespace ns3
