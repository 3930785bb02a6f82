// SPDX-License-Identifier: GPL-2.0-only

#include "switch-routes.h"

#include "ns3/abort.h"
#include "ns3/ipv4-address.h"

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

std::size_t
SwitchRoutes::GetNRanges() const
{
    return m_routes.size();
}

uint32_t
SwitchRoutes::Choose(const FlowTuple& flow, uint64_t seed, uint32_t count)
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

bool
LoadBalancing::KeepsOrder() const
{
    return false;
}

} // namespace ns3
