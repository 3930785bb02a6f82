// SPDX-License-Identifier: GPL-2.0-only

#include "switch-forwarding.h"

#include "ns3/packet.h"
#include "ns3/roce-header.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Ports without a load.
class NoLoads : public PortLoads
{
  public:
    uint64_t GetLoad(uint32_t) const override
    {
        return 0;
    }
};

} // namespace

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
    for (auto& route : m_lastRoutes)
    {
        route = {};
    }
}

SwitchForwarding::Class
SwitchForwarding::Classify(uint32_t input, const Packet& frame, const PortLoads& loads)
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
    const FlowTuple flow{Get32(ip + 12), destination, Get16(udp), Get16(udp + 2), ip[9]};
    const uint64_t turn = m_balancing->KeepsOrder() ? 0 : m_turns[route.ports][kind.priority]++;
    kind.output =
        route.ports->at(m_balancing->Choose({*route.ports, flow, GetSeedInForce(), turn, loads}));
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
    if (!m_balancing->KeepsOrder())
    {
        const uint32_t port = route.ports->front();
        const bool isShared = port < m_isShared.size() && m_isShared[port];
        return route.ports->size() == 1 && !isShared ? port : NO_PORT;
    }
    if (route.ports->size() == 1)
    {
        return route.ports->front();
    }
    // A rule that keeps the order of a flow looks at nothing but the flow.
    const NoLoads loads;
    return route.ports->at(m_balancing->Choose({*route.ports, flow, GetSeedInForce(), 0, loads}));
}

} // namespace ns3
