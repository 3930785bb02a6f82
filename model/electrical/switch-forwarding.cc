// SPDX-License-Identifier: GPL-2.0-only

#include "switch-forwarding.h"

#include "ns3/ip-frame.h"
#include "ns3/packet.h"

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

void
SwitchForwarding::Clear()
{
    m_routes.Clear();
    m_hasChoice = false;
    m_isShared.clear();
    m_turns.clear();
    for (auto& route : m_lastRoutes)
    {
        route = {};
    }
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
    kind.output =
        route.ports->at(m_balancing->Choose({*route.ports, flow, GetSeedInForce(), turn, loads}));
    return kind;
}

uint32_t
SwitchForwarding::FindOutput(const RoceHeader& header) const
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
