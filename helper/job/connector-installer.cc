// SPDX-License-Identifier: GPL-2.0-only

#include "connector-installer.h"

#include "ns3/abort.h"
#include "ns3/collective-connector.h"
#include "ns3/path-migration.h"
#include "ns3/rdma-relay.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

/// @return the kind of connector at the peer's end of a connector
CollectiveConnectorKind
GetPeerKind(CollectiveConnectorKind kind)
{
    return static_cast<CollectiveConnectorKind>(GetOtherEnd(kind));
}

/// @return the ports of a NIC that a kind of connector uses
std::vector<uint32_t>
GetPorts(const RdmaNic& nic, CollectiveConnectorKind kind)
{
    if (kind == CONNECTOR_DIRECT)
    {
        std::vector<uint32_t> all(nic.GetNPorts());
        std::iota(all.begin(), all.end(), 0U);
        return all;
    }
    const auto ring = RdmaHelper::GetRingPorts(nic.GetNPorts());
    return kind == CONNECTOR_NEXT ? ring.next : ring.previous;
}

/// @return the relay of a GPU's node, created if missing
Ptr<RdmaRelay>
GetRelay(Ptr<Node> node)
{
    auto relay = node->GetObject<RdmaRelay>();
    if (!relay)
    {
        relay = CreateObject<RdmaRelay>();
        node->AggregateObject(relay);
    }
    return relay;
}

/// @return pairs of a port of one NIC and a port of the other that a connector joins, with
/// @p isLent on circuits that are lent to the two GPUs
PathMigration::Links
JoinPorts(const RdmaNic& a, const RdmaNic& b, CollectiveConnectorKind kind, bool isLent)
{
    if (isLent && kind == CONNECTOR_DIRECT)
    {
        return PathMigration::GetPair(a.GetNPorts(), {}, {}); // as the planner of circuits
    }
    const auto portsA = GetPorts(a, kind);
    const auto portsB = GetPorts(b, GetPeerKind(kind));
    PathMigration::Links links;
    for (std::size_t i = 0; i < portsA.size(); ++i)
    {
        links.emplace_back(portsA[i], portsB.at(i));
    }
    return links;
}

/// Connect two NICs over pairs of their ports.
RdmaHelper::ConnectionPair
ConnectPorts(Ptr<RdmaNic> a, Ptr<RdmaNic> b, const PathMigration::Links& links)
{
    std::vector<uint32_t> portsA;
    std::vector<uint32_t> portsB;
    for (const auto& [portA, portB] : links)
    {
        portsA.push_back(portA);
        portsB.push_back(portB);
    }
    return RdmaHelper::Connect(a, portsA, b, portsB);
}

/// Connect two NICs over the ports of JoinPorts.
RdmaHelper::ConnectionPair
ConnectNics(Ptr<RdmaNic> a, Ptr<RdmaNic> b, CollectiveConnectorKind kind, bool isLent = false)
{
    return ConnectPorts(a, b, JoinPorts(*a, *b, kind, isLent));
}

} // namespace

ConnectorInstaller::ConnectorInstaller(const RailCluster& cluster, bool overHosts)
    : m_cluster(cluster),
      m_overHosts(overHosts)
{
}

uint32_t
ConnectorInstaller::GetProxy(uint32_t from, uint32_t to) const
{
    return m_cluster.GetDomain(from) * m_cluster.GetGpusPerDomain() + m_cluster.GetRailOf(to);
}

ConnectorInstaller::Way
ConnectorInstaller::GetWay(uint32_t a, uint32_t b) const
{
    const bool sharesDomain = m_cluster.GetDomain(a) == m_cluster.GetDomain(b);
    if (sharesDomain && m_cluster.HasScaleUpNetwork())
    {
        return SCALE_UP;
    }
    if (m_overHosts)
    {
        return m_cluster.HasHostNetwork() ? HOSTS : NONE;
    }
    // The fabric connects NICs of different domains; some fabrics also connect NICs of one domain.
    const StaticCircuits* standing = m_cluster.GetStaticCircuits();
    const auto isJoined = [this, standing](uint32_t from, uint32_t to) {
        return m_cluster.IsReachable(from, to) && (!standing || !standing->Find(from, to).empty());
    };
    if (isJoined(a, b))
    {
        return FABRIC;
    }
    if (m_cluster.IsReachable(a, b))
    {
        return standing->FindRoute(a, b).empty() ? NONE : FORWARDED;
    }
    const bool isRelayed = !sharesDomain && m_cluster.HasScaleUpNetwork() &&
                           isJoined(GetProxy(a, b), b) && isJoined(GetProxy(b, a), a);
    return isRelayed ? RELAYED : NONE;
}

std::vector<std::pair<uint32_t, uint32_t>>
ConnectorInstaller::GetPortPairs(uint32_t a, uint32_t b, CollectiveConnectorKind kind) const
{
    const bool isInside = GetWay(a, b) == SCALE_UP;
    const auto nicA = isInside ? m_cluster.GetScaleUpNic(a) : m_cluster.GetNic(a);
    const auto nicB = isInside ? m_cluster.GetScaleUpNic(b) : m_cluster.GetNic(b);
    return JoinPorts(*nicA, *nicB, kind, !isInside && m_cluster.IsLent());
}

RdmaHelper::ConnectionPair
ConnectorInstaller::ConnectStatic(uint32_t a, uint32_t b, CollectiveConnectorKind kind) const
{
    auto circuits = m_cluster.GetStaticCircuits()->Find(a, b);
    // On a ring of two, each rank is both neighbours of the other. With several circuits each
    // direction of the ring has its own half.
    const std::size_t half = circuits.size() / 2;
    if (kind != CONNECTOR_DIRECT && half > 0)
    {
        const bool isFirstHalf = (kind == CONNECTOR_NEXT) == (a < b);
        circuits = isFirstHalf ? std::vector(circuits.begin(), circuits.begin() + half)
                               : std::vector(circuits.begin() + half, circuits.end());
    }
    return ConnectPorts(m_cluster.GetNic(a), m_cluster.GetNic(b), circuits);
}

RdmaHelper::ConnectionPair
ConnectorInstaller::ConnectFabric(uint32_t a, uint32_t b, CollectiveConnectorKind kind) const
{
    if (m_cluster.GetStaticCircuits())
    {
        return ConnectStatic(a, b, kind);
    }
    if (const MatchingSchedule* rotation = m_cluster.GetRotation())
    {
        const uint32_t x = m_cluster.GetDomain(a);
        const uint32_t y = m_cluster.GetDomain(b);
        const auto ports = FindMeetingPorts(*rotation,
                                            m_cluster.GetNicPortCount(),
                                            {std::min(x, y), std::max(x, y)});
        return RdmaHelper::Connect(m_cluster.GetNic(a), ports, m_cluster.GetNic(b), ports);
    }
    return ConnectNics(m_cluster.GetNic(a), m_cluster.GetNic(b), kind, m_cluster.IsLent());
}

RdmaHelper::ConnectionPair
ConnectorInstaller::ConnectForwarded(uint32_t from, uint32_t to) const
{
    const auto route = m_cluster.GetStaticCircuits()->FindRoute(from, to);
    std::vector<RdmaHelper::ConnectionPair> hops;
    for (std::size_t i = 0; i + 1 < route.size(); ++i)
    {
        // Relays take pieces from one queue pair; different routes share parallel circuits evenly.
        const auto circuits = m_cluster.GetStaticCircuits()->Find(route[i], route[i + 1]);
        hops.push_back(ConnectPorts(m_cluster.GetNic(route[i]),
                                    m_cluster.GetNic(route[i + 1]),
                                    {circuits[(from + to) % circuits.size()]}));
    }
    for (std::size_t i = 0; i + 1 < hops.size(); ++i)
    {
        GetRelay(m_cluster.GetGpu(route[i + 1]))
            ->AddPath(hops[i].second,
                      hops[i + 1].first,
                      i + 2 < hops.size() ? RdmaRelay::RELAY : RdmaRelay::DESTINATION);
    }
    return {hops.front().first, hops.back().second};
}

RdmaHelper::ConnectionPair
ConnectorInstaller::ConnectRelayed(uint32_t from, uint32_t to, CollectiveConnectorKind kind) const
{
    const uint32_t proxy = GetProxy(from, to);
    const auto first =
        ConnectNics(m_cluster.GetScaleUpNic(from), m_cluster.GetScaleUpNic(proxy), kind);
    const auto second = ConnectFabric(proxy, to, kind);
    GetRelay(m_cluster.GetGpu(proxy))->AddPath(first.second, second.first);
    return {first.first, second.second};
}

ConnectorInstaller::ConnectorPair
ConnectorInstaller::Connect(uint32_t a,
                            uint32_t b,
                            CollectiveConnectorKind kind,
                            uint64_t chunkBytes) const
{
    const Way way = GetWay(a, b);
    NS_ABORT_MSG_IF(way == NONE, "there is no way between GPUs " << a << " and " << b);
    if (way == RELAYED || way == FORWARDED)
    {
        const bool relayed = way == RELAYED;
        const auto forth = relayed ? ConnectRelayed(a, b, kind) : ConnectForwarded(a, b);
        const auto back =
            relayed ? ConnectRelayed(b, a, GetPeerKind(kind)) : ConnectForwarded(b, a);
        return {std::make_unique<RelayConnector>(forth.first, back.second, chunkBytes),
                std::make_unique<RelayConnector>(back.first, forth.second, chunkBytes)};
    }
    const auto ends =
        way == SCALE_UP ? ConnectNics(m_cluster.GetScaleUpNic(a), m_cluster.GetScaleUpNic(b), kind)
        : way == HOSTS  ? ConnectNics(m_cluster.GetHostNic(a), m_cluster.GetHostNic(b), kind)
                        : ConnectFabric(a, b, kind);
    return {std::make_unique<RdmaConnector>(ends.first),
            std::make_unique<RdmaConnector>(ends.second)};
}

} // namespace ns3
