// SPDX-License-Identifier: GPL-2.0-only

#include "path-migration.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @return the links whose ports both work, then the remaining working ports paired in order
PathMigration::Links
JoinWhole(const PathMigration::Links& links,
          const PathMigration::Ports& a,
          const PathMigration::Ports& b)
{
    PathMigration::Links joined;
    std::vector<uint32_t> restOfA;
    std::vector<uint32_t> restOfB;
    for (const auto& [x, y] : links)
    {
        const bool isWholeX = a.count(x) == 0;
        const bool isWholeY = b.count(y) == 0;
        if (isWholeX && isWholeY)
        {
            joined.emplace_back(x, y);
        }
        else if (isWholeX)
        {
            restOfA.push_back(x);
        }
        else if (isWholeY)
        {
            restOfB.push_back(y);
        }
    }
    for (std::size_t i = 0; i < std::min(restOfA.size(), restOfB.size()); ++i)
    {
        joined.emplace_back(restOfA[i], restOfB[i]);
    }
    return joined;
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
    return JoinWhole(links, broken, brokenOfNext);
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
        return JoinWhole(links, broken, brokenOfPeer);
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
