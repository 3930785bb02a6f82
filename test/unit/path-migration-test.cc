// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/path-migration.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ns3
{
namespace
{

using Links = PathMigration::Links;
using MigratedPorts = PathMigration::Ports;

/// @return the ports of a bit mask
MigratedPorts
GetPorts(uint32_t mask)
{
    MigratedPorts ports;
    for (uint32_t port = 0; port < 32; ++port)
    {
        if ((mask >> port) & 1)
        {
            ports.insert(port);
        }
    }
    return ports;
}

/// @return how many of the ports from first to last - 1 are whole
std::size_t
CountWhole(const MigratedPorts& broken, uint32_t first, uint32_t last)
{
    return last - first -
           static_cast<std::size_t>(std::count_if(broken.begin(), broken.end(), [&](uint32_t port) {
               return port >= first && port < last;
           }));
}

/// @return how many ports lead on and back, when one has changed its direction if it must
std::pair<std::size_t, std::size_t>
CountSides(const MigratedPorts& broken, uint32_t ports)
{
    const uint32_t half = std::max(1u, ports / 2);
    const std::size_t on = CountWhole(broken, 0, half);
    const std::size_t back = CountWhole(broken, ports - half, ports);
    return on + back == 2 ? std::make_pair(std::size_t{1}, std::size_t{1})
                          : std::make_pair(on, back);
}

/// @return true if a port of a NIC has changed its direction
bool
HasChanged(const MigratedPorts& broken, uint32_t ports)
{
    const uint32_t half = std::max(1u, ports / 2);
    return CountSides(broken, ports) !=
           std::make_pair(CountWhole(broken, 0, half), CountWhole(broken, ports - half, ports));
}

/// Expect each port once at most, and none that is broken.
void
ExpectMatching(const Links& links, const MigratedPorts& a, const MigratedPorts& b)
{
    MigratedPorts usedOfA = a;
    MigratedPorts usedOfB = b;
    for (const auto& [x, y] : links)
    {
        EXPECT_TRUE(usedOfA.insert(x).second);
        EXPECT_TRUE(usedOfB.insert(y).second);
    }
}

Links
Sorted(Links links)
{
    std::sort(links.begin(), links.end());
    return links;
}

/// @return what the other end sees
Links
Turned(Links links)
{
    for (auto& link : links)
    {
        std::swap(link.first, link.second);
    }
    return Sorted(links);
}

/// Calls a function with all that may be broken at two ends with up to 4 ports.
template <typename F>
void
ForAll(F function)
{
    for (const uint32_t ports : {1u, 2u, 3u, 4u})
    {
        for (uint32_t a = 0; a < 1u << ports; ++a)
        {
            for (uint32_t b = 0; b < 1u << ports; ++b)
            {
                SCOPED_TRACE(std::to_string(ports) + " ports, broken " + std::to_string(a) +
                             " and " + std::to_string(b));
                function(ports, GetPorts(a), GetPorts(b));
            }
        }
    }
}

TEST(PathMigration, ConnectorsHaveAsManyCircuitsAsTheSideThatHasFewerPorts)
{
    ForAll([](uint32_t ports, const MigratedPorts& a, const MigratedPorts& b) {
        const uint32_t half = std::max(1u, ports / 2);
        const Links connector = PathMigration::GetConnector(ports, a, b);
        ExpectMatching(connector, a, b);
        EXPECT_EQ(connector.size(),
                  std::min(CountSides(a, ports).first, CountSides(b, ports).second));
        for (const auto& [x, y] : connector)
        {
            EXPECT_TRUE(x < half || HasChanged(a, ports)) << "towards the next rank";
            EXPECT_TRUE(y >= ports - half || HasChanged(b, ports)) << "and back";
        }
    });
}

TEST(PathMigration, ARingOfFourPortsGoesOnWithTwoOfOneDirection)
{
    EXPECT_EQ(PathMigration::GetConnector(4, {0, 1}, {}), (Links{{2, 2}}));
    EXPECT_EQ(PathMigration::GetConnector(4, {}, {0, 1}), (Links{{1, 3}}));
    EXPECT_EQ(PathMigration::GetConnector(4, {2, 3}, {}), (Links{{1, 3}}));
    EXPECT_EQ(PathMigration::GetConnector(4, {}, {2, 3}), (Links{{0, 0}}));
    EXPECT_EQ(PathMigration::GetConnector(4, {2, 3}, {0, 1}), (Links{{1, 3}}));
    EXPECT_TRUE(PathMigration::GetConnector(4, {0, 1, 2}, {}).empty()) << "one port is not enough";
}

TEST(PathMigration, PairsHaveBothConnectorsOrWhatIsLeft)
{
    ForAll([](uint32_t ports, const MigratedPorts& a, const MigratedPorts& b) {
        const Links pair = PathMigration::GetPair(ports, a, b);
        ExpectMatching(pair, a, b);
        EXPECT_EQ(Turned(pair), Sorted(PathMigration::GetPair(ports, b, a)))
            << "seen from the other end the same";
        const std::size_t most = std::min(CountWhole(a, 0, ports), CountWhole(b, 0, ports));
        EXPECT_EQ(pair.empty(), most == 0);
        const Links connector = PathMigration::GetConnector(ports, a, b);
        for (const auto& link : connector)
        {
            EXPECT_EQ(std::count(pair.begin(), pair.end(), link), 1);
        }
        if (ports <= 2)
        {
            EXPECT_EQ(pair.size(), most) << "no more are possible";
        }
        if (b.empty())
        {
            EXPECT_EQ(pair.size(), most) << "one fewer for each port of the one";
        }
    });
}

TEST(PathMigration, WholePortsStayJoinedAsTheyWere)
{
    ForAll([](uint32_t ports, const MigratedPorts& a, const MigratedPorts& b) {
        for (const auto& link : PathMigration::GetPair(ports, {}, {}))
        {
            const bool isWhole = a.count(link.first) == 0 && b.count(link.second) == 0;
            if (HasChanged(a, ports) || HasChanged(b, ports))
            {
                continue;
            }
            const Links pair = PathMigration::GetPair(ports, a, b);
            EXPECT_EQ(std::count(pair.begin(), pair.end(), link), isWhole ? 1 : 0);
        }
    });
}

TEST(PathMigration, BothEndsOfAQueuePairFindTheSameCircuit)
{
    ForAll([](uint32_t ports, const MigratedPorts& a, const MigratedPorts& b) {
        const Links on = PathMigration::GetConnector(ports, {}, {});
        const Links back = Turned(on);
        const Links pair = PathMigration::GetPair(ports, a, b);
        for (const Links& links : {on, back})
        {
            const Links connector = links == on ? PathMigration::GetConnector(ports, a, b)
                                                : Turned(PathMigration::GetConnector(ports, b, a));
            for (const auto& link : links)
            {
                const auto found = PathMigration::Find(link, ports, a, b);
                const auto other = PathMigration::Find({link.second, link.first}, ports, b, a);
                ASSERT_EQ(found.has_value(), !pair.empty());
                ASSERT_EQ(other.has_value(), found.has_value());
                if (!found)
                {
                    continue;
                }
                EXPECT_EQ(*found, (PathMigration::Link{other->second, other->first}));
                const Links& mine = ports == 1 || connector.empty() ? pair : connector;
                EXPECT_EQ(std::count(mine.begin(), mine.end(), *found), 1)
                    << "of its connector as long as there is one";
                if (std::count(connector.begin(), connector.end(), link) == 1)
                {
                    EXPECT_EQ(*found, link) << "it stays";
                }
            }
        }
    });
    EXPECT_FALSE(PathMigration::Find({0, 0}, 2, {}, {1})) << "not of a ring";
}

} // namespace
} // namespace ns3
