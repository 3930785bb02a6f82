// SPDX-License-Identifier: GPL-2.0-only

#include "switch-forwarding.h"

#include "ns3/packet.h"
#include "ns3/roce-header.h"

#include <array>

namespace ns3
{

void
SwitchForwarding::Add(uint32_t first, uint32_t last, const std::vector<uint32_t>& ports)
{
    m_routes.Add(first, last, ports);
    for (auto& route : m_lastRoutes)
    {
        route = {};
    }
}

SwitchForwarding::Class
SwitchForwarding::Classify(uint32_t input, const Packet& frame)
{
    using network_order::Get16;
    using network_order::Get32;
    constexpr uint32_t ipOffset = RoceHeader::ETHERNET_BYTES;
    constexpr uint32_t udpOffset = ipOffset + RoceHeader::IPV4_BYTES;
    std::array<uint8_t, udpOffset + 4> header{}; // up to the ports of UDP
    if (frame.CopyData(header.data(), header.size()) < udpOffset || header[ipOffset - 2] != 0x08 ||
        header[ipOffset - 1] != 0x00)
    {
        return {}; // not IPv4
    }
    const uint8_t* ip = header.data() + ipOffset;
    const uint8_t tos = ip[1];
    const uint8_t ecn = tos & RoceHeader::ECN_MASK;
    Class kind;
    kind.priority = RoceHeader::GetPriority(tos);
    kind.ecnCapable = ecn != RoceHeader::NOT_ECT && ecn != RoceHeader::CE;
    const uint32_t destination = Get32(ip + 16);
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
    const uint8_t* udp = ip + RoceHeader::IPV4_BYTES;
    kind.output =
        Choose(*route.ports, {Get32(ip + 12), destination, Get16(udp), Get16(udp + 2), ip[9]});
    return kind;
}

uint32_t
SwitchForwarding::FindOutput(const RoceHeader& header) const
{
    constexpr uint8_t udp = 17;
    const FlowTuple flow{header.sourceIp.Get(),
                         header.destinationIp.Get(),
                         header.sourcePort,
                         RoceHeader::UDP_PORT,
                         udp};
    const SwitchRoutes::Route route = m_routes.Find(flow.destination);
    if (!route.ports)
    {
        return NO_PORT;
    }
    return route.ports->size() == 1 ? route.ports->front() : Choose(*route.ports, flow);
}

uint32_t
SwitchForwarding::Choose(const SwitchRoutes::Ports& ports, const FlowTuple& flow) const
{
    const uint64_t seed = m_seed ? m_seed : m_defaultSeed;
    return ports[SwitchRoutes::Choose(flow, seed, static_cast<uint32_t>(ports.size()))];
}

} // namespace ns3
