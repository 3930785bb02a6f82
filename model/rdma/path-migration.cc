// SPDX-License-Identifier: GPL-2.0-only

#include "path-migration.h"

#include "ns3/assert.h"

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

namespace
{

/// The working ports of a NIC by the direction in which they lead.
struct Sides
{
    PathMigration::Ports next;     //!< towards the next rank of a ring
    PathMigration::Ports previous; //!< towards the previous rank
};

/// Let the outermost port of a side change its direction, if the other side has no working port.
void
Share(PathMigration::Ports& empty, PathMigration::Ports& other)
{
    if (empty.empty() && other.size() > 1)
    {
        empty.insert(*other.begin());
        other.erase(other.begin());
    }
}

/// @return the working ports of a NIC
Sides
FindSides(uint32_t ports, const PathMigration::Ports& broken)
{
    const uint32_t half = std::max<uint32_t>(1, ports / 2);
    Sides sides;
    for (uint32_t port = 0; port < ports; ++port)
    {
        if (broken.count(port) == 0 && port < half)
        {
            sides.next.insert(port);
        }
        if (broken.count(port) == 0 && port >= ports - half)
        {
            sides.previous.insert(port);
        }
    }
    Share(sides.next, sides.previous);
    Share(sides.previous, sides.next);
    return sides;
}

/// @return the links between ports of both sides, then the remaining ports of both paired in order
PathMigration::Links
JoinWhole(const PathMigration::Links& links, PathMigration::Ports a, PathMigration::Ports b)
{
    PathMigration::Links joined;
    for (const auto& [x, y] : links)
    {
        if (a.count(x) > 0 && b.count(y) > 0)
        {
            joined.emplace_back(x, y);
            a.erase(x);
            b.erase(y);
        }
    }
    for (; !a.empty() && !b.empty(); a.erase(a.begin()), b.erase(b.begin()))
    {
        joined.emplace_back(*a.begin(), *b.begin());
    }
    return joined;
}

/// @return the working ports of a NIC, whatever their direction
PathMigration::Ports
FindWorking(uint32_t ports, const PathMigration::Ports& broken)
{
    PathMigration::Ports working;
    for (uint32_t port = 0; port < ports; ++port)
    {
        if (broken.count(port) == 0)
        {
            working.insert(port);
        }
    }
    return working;
}

/// @return the links as seen from the remote end
PathMigration::Links
Turn(PathMigration::Links links)
{
    for (auto& link : links)
    {
        std::swap(link.first, link.second);
    }
    return links;
}

} // namespace

PathMigration::Links
PathMigration::GetConnector(uint32_t ports, const Ports& broken, const Ports& brokenOfNext)
{
    NS_ASSERT_MSG(ports > 0, "a NIC has ports");
    const uint32_t half = std::max<uint32_t>(1, ports / 2);
    Links links;
    for (uint32_t k = 0; k < half; ++k)
    {
        links.emplace_back(k, ports - half + k);
    }
    return JoinWhole(links, FindSides(ports, broken).next, FindSides(ports, brokenOfNext).previous);
}

PathMigration::Links
PathMigration::GetPair(uint32_t ports, const Ports& broken, const Ports& brokenOfPeer)
{
    Links links = GetConnector(ports, broken, brokenOfPeer);
    if (ports == 1)
    {
        return links;
    }
    const Links back = Turn(GetConnector(ports, brokenOfPeer, broken));
    links.insert(links.end(), back.begin(), back.end());
    if (links.empty())
    {
        for (uint32_t k = 0; k < ports; ++k)
        {
            links.emplace_back(k, k);
        }
        return JoinWhole(links, FindWorking(ports, broken), FindWorking(ports, brokenOfPeer));
    }
    const uint32_t middle = ports / 2;
    if (ports % 2 == 1 && broken.count(middle) == 0 && brokenOfPeer.count(middle) == 0)
    {
        links.emplace_back(middle, middle);
    }
    return links;
}

std::optional<PathMigration::Link>
PathMigration::Find(const Link& link,
                    uint32_t ports,
                    const Ports& broken,
                    const Ports& brokenOfPeer)
{
    const uint32_t half = std::max<uint32_t>(1, ports / 2);
    const bool leadsOn = link.first < half && link.second == ports - half + link.first;
    const bool leadsBack = link.second < half && link.first == ports - half + link.second;
    if (!leadsOn && !leadsBack)
    {
        return std::nullopt;
    }
    Links links = leadsOn ? GetConnector(ports, broken, brokenOfPeer)
                          : Turn(GetConnector(ports, brokenOfPeer, broken));
    if (std::find(links.begin(), links.end(), link) != links.end())
    {
        return link;
    }
    if (links.empty())
    {
        links = GetPair(ports, broken, brokenOfPeer);
    }
    if (links.empty())
    {
        return std::nullopt;
    }
    return links[std::min(link.first, link.second) % links.size()];
}

} // namespace ns3
