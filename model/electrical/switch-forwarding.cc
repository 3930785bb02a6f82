// SPDX-License-Identifier: GPL-2.0-only

#include "switch-forwarding.h"

#include "ns3/abort.h"
#include "ns3/ip-frame.h"
#include "ns3/ipv4-address.h"
#include "ns3/packet.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// The finaliser of SplitMix64: each bit of the input moves half of the bits of the output.
uint64_t
Mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

} // namespace

void
SwitchRoutes::Add(uint32_t first, uint32_t last, Ports ports)
{
    std::sort(ports.begin(), ports.end());
    NS_ABORT_MSG_IF(first > last,
                    "a route from " << Ipv4Address(first) << " to " << Ipv4Address(last)
                                    << " is upside down");
    NS_ABORT_MSG_IF(ports.empty(), "the route to " << Ipv4Address(first) << " has no port");
    NS_ABORT_MSG_IF(std::adjacent_find(ports.begin(), ports.end()) != ports.end(),
                    "the route to " << Ipv4Address(first) << " names a port twice");
    const auto next = m_routes.lower_bound(first);
    const auto previous = next == m_routes.begin() ? m_routes.end() : std::prev(next);
    for (const auto& neighbour : {previous, next})
    {
        NS_ABORT_MSG_IF(neighbour != m_routes.end() && neighbour->second.first <= last &&
                            neighbour->second.last >= first,
                        "the route from " << Ipv4Address(first) << " to " << Ipv4Address(last)
                                          << " overlaps that from "
                                          << Ipv4Address(neighbour->second.first) << " to "
                                          << Ipv4Address(neighbour->second.last));
    }
    Route route{first, last, &*m_portSets.insert(std::move(ports)).first};
    if (next != m_routes.end() && next->second.ports == route.ports &&
        next->second.first == last + 1)
    {
        route.last = next->second.last;
        m_routes.erase(next); // keeps `previous` valid
    }
    if (previous != m_routes.end() && previous->second.ports == route.ports &&
        previous->second.last + 1 == first)
    {
        previous->second.last = route.last;
        return;
    }
    m_routes.emplace(first, route);
}

void
SwitchRoutes::Clear()
{
    m_routes.clear();
    m_portSets.clear();
}

SwitchRoutes::Route
SwitchRoutes::Find(uint32_t destination) const
{
    const auto next = m_routes.upper_bound(destination);
    if (next == m_routes.begin())
    {
        return {};
    }
    const Route& route = std::prev(next)->second;
    return route.Covers(destination) ? route : Route{};
}

uint32_t
SwitchRoutes::Choose(const FlowTuple& flow, uint64_t seed, std::size_t count)
{
    const uint64_t addresses = (uint64_t{flow.source} << 32) | flow.destination;
    const uint64_t ports =
        (uint64_t{flow.protocol} << 32) | (uint64_t{flow.sourcePort} << 16) | flow.destinationPort;
    const uint64_t hash = Mix(Mix(Mix(seed) ^ addresses) ^ ports);
    return static_cast<uint32_t>(((hash >> 32) * count) >> 32);
}

NS_OBJECT_ENSURE_REGISTERED(LoadBalancing);

TypeId
LoadBalancing::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LoadBalancing").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

void
SwitchForwarding::Add(uint32_t first, uint32_t last, const std::vector<uint32_t>& ports)
{
    m_routes.Add(first, last, ports);
    if (ports.size() > 1)
    {
        m_hasChoice = true;
        for (const uint32_t port : ports)
        {
            m_isShared.resize(std::max<std::size_t>(m_isShared.size(), port + 1));
            m_isShared[port] = true;
        }
    }
    m_lastRoutes.assign(m_lastRoutes.size(), {});
}

void
SwitchForwarding::Clear()
{
    m_routes.Clear();
    m_hasChoice = false;
    m_isShared.clear();
    m_turns.clear();
    m_lastRoutes.assign(m_lastRoutes.size(), {});
}

SwitchForwarding::Class
SwitchForwarding::Classify(uint32_t input, const Packet& frame, const PortLoads& loads)
{
    const IpFrame fields(frame);
    if (!fields.isIp && !fields.isArp)
    {
        return {};
    }
    const uint8_t ecn = fields.tos & RoceHeader::ECN_MASK;
    Class kind;
    kind.priority = fields.GetPriority();
    kind.ecnCapable = ecn != RoceHeader::NOT_ECT && ecn != RoceHeader::CE;
    const uint32_t destination = fields.destination;
    SwitchRoutes::Route& route = m_lastRoutes[input];
    if (!route.Covers(destination))
    {
        route = m_routes.Find(destination);
        if (!route.ports)
        {
            return kind;
        }
    }
    if (route.ports->size() == 1)
    {
        kind.output = route.ports->front();
        return kind;
    }
    const FlowTuple flow{fields.source,
                         destination,
                         fields.sourcePort,
                         fields.destinationPort,
                         fields.protocol};
    const uint64_t turn = m_balancing->KeepsOrder() ? 0 : m_turns[route.ports][kind.priority]++;
    kind.output = ChoosePort({*route.ports, flow, GetSeedInForce(), turn, loads});
    return kind;
}

uint32_t
SwitchForwarding::FindOutput(const RoceHeader& header, const PortLoads& loads) const
{
    const FlowTuple flow{header.sourceIp.Get(),
                         header.destinationIp.Get(),
                         header.sourcePort,
                         RoceHeader::UDP_PORT,
                         IpFrame::UDP};
    const SwitchRoutes::Route route = m_routes.Find(flow.destination);
    if (!route.ports)
    {
        return NO_PORT;
    }
    const bool keepsOrder = m_balancing->KeepsOrder();
    if (route.ports->size() == 1)
    {
        const uint32_t port = route.ports->front();
        const bool isShared = port < m_isShared.size() && m_isShared[port];
        return keepsOrder || !isShared ? port : NO_PORT;
    }
    if (!keepsOrder)
    {
        return NO_PORT;
    }
    return ChoosePort({*route.ports, flow, GetSeedInForce(), 0, loads});
}

uint32_t
SwitchForwarding::ChoosePort(const LoadBalancing::Frame& frame) const
{
    const uint32_t place = m_balancing->Choose(frame);
    NS_ABORT_MSG_UNLESS(place < frame.ports.size(),
                        "the rule " << m_balancing->GetName() << " chooses place " << place
                                    << " of " << frame.ports.size()
                                    << " equal-cost ports, which count from 0");
    return frame.ports[place];
}

} // namespace ns3
