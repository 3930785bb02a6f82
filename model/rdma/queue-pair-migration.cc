// SPDX-License-Identifier: GPL-2.0-only

#include "queue-pair-migration.h"

#include <algorithm>

namespace ns3
{

std::optional<PathMigration::Link>
QueuePairMigration::FindMove(const RdmaQueuePair& queuePair, uint32_t port, const RdmaPorts& ports)
{
    const auto& peer = queuePair.GetPeerPorts();
    if ((m_failed.empty() && m_origins.empty()) || !peer || peer->size() != ports.size())
    {
        return std::nullopt;
    }
    const uint32_t number = queuePair.GetEndpoint().queuePair;
    const Mac48Address& peerMac = queuePair.GetRemote().mac;
    const auto moved = m_origins.find(number);
    const Origin origin = moved == m_origins.end() ? Origin{port, peerMac} : moved->second;
    const auto peerPort = std::find_if(peer->begin(), peer->end(), [&origin](const auto& one) {
        return one.first == origin.peerMac;
    });
    const auto link =
        PathMigration::Find({origin.port, static_cast<uint32_t>(peerPort - peer->begin())},
                            static_cast<uint32_t>(ports.size()),
                            GetFailed(ports),
                            GetFailed(*peer));
    if (!link || (link->first == port && (*peer)[link->second].first == peerMac))
    {
        return std::nullopt;
    }
    m_origins.emplace(number, origin);
    return link;
}

PathMigration::Ports
QueuePairMigration::GetFailed(const RdmaPorts& ports) const
{
    PathMigration::Ports failed;
    for (uint32_t i = 0; i < ports.size(); ++i)
    {
        if (m_failed.count(ports[i].first) > 0)
        {
            failed.insert(i);
        }
    }
    return failed;
}

} // namespace ns3
