// SPDX-License-Identifier: GPL-2.0-only

#include "collective-helper.h"

#include "connector-installer.h"

#include "ns3/abort.h"
#include "ns3/circuit-planner.h"
#include "ns3/connectivity-provider.h"
#include "ns3/end-of-run.h"
#include "ns3/log.h"
#include "ns3/stall-observer.h"

#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveHelper");

namespace
{

/// @return the engine of a GPU
Ptr<CollectiveEngine>
GetEngine(const RailCluster& cluster, uint32_t gpu)
{
    auto engine = cluster.GetGpu(gpu)->GetObject<CollectiveEngine>();
    NS_ABORT_MSG_UNLESS(engine, "GPU " << gpu << " has no collective engine");
    return engine;
}

/// @return the shape of a group, or nothing unless every domain has equally many of its ranks, with
/// consecutive indices
std::optional<GroupShape>
FindShape(const RailCluster& cluster, const ProcessGroup& group)
{
    std::vector<uint32_t> domains;
    for (const uint32_t rank : group.ranks)
    {
        domains.push_back(cluster.GetDomain(rank));
    }
    return GroupShape::FromDomains(domains);
}

/// @return an empty string, or the reason why a rank of a group cannot have a connector; @p
/// inRounds says that messages on direct connectors are in rounds
std::string
CheckConnector(const RailCluster& cluster,
               const ProcessGroup& group,
               bool isAligned,
               uint32_t index,
               const CollectiveConnectorId& id,
               bool inRounds)
{
    if (id.peer >= group.GetSize() || id.peer == index)
    {
        return "rank " + std::to_string(index) + " has a connector to rank " +
               std::to_string(id.peer) +
               (id.peer == index
                    ? ", which is itself"
                    : ", but the group has ranks 0 to " + std::to_string(group.GetSize() - 1));
    }
    const uint32_t a = group.ranks[index];
    const uint32_t b = group.ranks[id.peer];
    const ConnectorInstaller connector(cluster);
    const auto way = connector.GetWay(a, b);
    const auto name = [](uint32_t one, uint32_t other) {
        return "GPUs " + std::to_string(one) + " and " + std::to_string(other);
    };
    if (way == ConnectorInstaller::NONE)
    {
        return name(a, b) + " cannot reach each other: the fabric does not join their NICs, and " +
               (cluster.HasScaleUpNetwork()
                    ? "circuits are missing between " + name(connector.GetProxy(a, b), b) +
                          " or between " + name(connector.GetProxy(b, a), a) +
                          ", over which messages could change the rail"
                    : "there is no scale-up network on whose GPUs messages could change the rail");
    }
    if (!cluster.IsLent() || way == ConnectorInstaller::SCALE_UP)
    {
        return "";
    }
    // CrossRailPlanner: a lent plan joins neighbours of the group, and the ranks of an aligned
    // group that are on equal rails of neighbouring domains.
    const bool isNeighbour =
        (index + 1) % group.GetSize() == id.peer || (id.peer + 1) % group.GetSize() == index;
    if (id.connector != CONNECTOR_DIRECT && (isNeighbour || isAligned))
    {
        return "";
    }
    // The two have circuits along their rail in a round.
    if (id.connector == CONNECTOR_DIRECT && inRounds && way == ConnectorInstaller::FABRIC)
    {
        return "";
    }
    return "on photonic rails a group has the circuits of rings, and none for " + name(a, b) +
           (id.connector == CONNECTOR_DIRECT
                ? ", which need the connector DIRECT; use an algorithm with connectors NEXT and "
                  "PREVIOUS only such as ring, an electrical --fabric, or in a training job a "
                  "--policy that does not lend circuits"
                : "");
}

/// @return an empty string, or the reason why no circuits can be lent to a group
std::string
CheckCircuits(const RailCluster& cluster, const ProcessGroup& group)
{
    CrossRailPlanner::Group circuits;
    bool isAcross = false;
    for (const uint32_t rank : group.ranks)
    {
        circuits.members.push_back(cluster.GetMember(rank));
        circuits.domains.push_back(cluster.GetDomain(rank));
        isAcross = isAcross || cluster.GetRailOf(rank) != cluster.GetRailOf(group.ranks[0]);
    }
    if (!isAcross)
    {
        return "";
    }
    circuits.findProxy = [&](uint32_t near, uint32_t ocs) {
        const uint32_t proxy = circuits.domains[near] * cluster.GetGpusPerDomain() + ocs;
        return std::make_optional(cluster.GetMember(proxy));
    };
    return CrossRailPlanner::Plan(circuits).error;
}

/// @return an empty string, or the reason why the ranks cannot have the connectors of an algorithm
std::string
CheckConnectors(const RailCluster& cluster,
                const ProcessGroup& group,
                CollectiveKind kind,
                Variant<CollectiveAlgorithm> algorithm)
{
    const GroupShape shape = CollectiveHelper::GetShape(cluster, group);
    const std::string what = algorithm->GetName() + " " + ToString(kind) + ": ";
    const bool isAligned = CollectiveHelper::IsAligned(cluster, group);
    const bool inRounds =
        CollectiveHelper::GetTerms(cluster).lendsPairs && algorithm->HasRounds(kind);
    for (uint32_t i = 0; i < shape.size; ++i)
    {
        for (const auto& id : algorithm->GetConnectors(kind, shape, i))
        {
            if (auto error = CheckConnector(cluster, group, isAligned, i, id, inRounds);
                !error.empty())
            {
                const bool mayBeLent = id.connector == CONNECTOR_DIRECT && cluster.IsLent() &&
                                       !inRounds && algorithm->HasRounds(kind);
                return what + error +
                       (mayBeLent ? "; or circuits lent to pairs, round by round (--lend of "
                                    "photonic-rails-collectives)"
                                  : "");
            }
        }
    }
    return "";
}

/// Make the connectors of a group, and let the engines of its ranks join the group.
void
ConnectGroup(const RailCluster& cluster,
             const ProcessGroup& group,
             const CollectiveAlgorithms& algorithms,
             bool overHosts)
{
    NS_LOG_LOGIC("group " << group.id << " joins on " << (overHosts ? "the hosts" : "the fabric"));
    const ConnectorInstaller connector(cluster, overHosts);
    const GroupShape shape = CollectiveHelper::GetShape(cluster, group);
    std::vector<std::vector<CollectiveConnectorPlace>> connectors(shape.size);
    for (const auto& one : CollectiveHelper::ListConnectors(shape, algorithms))
    {
        const uint32_t a = group.ranks[one.first];
        const uint32_t b = group.ranks[one.second];
        const auto kind = static_cast<CollectiveConnectorKind>(one.atFirst.connector);
        auto ends = connector.Connect(a, b, kind, GetEngine(cluster, a)->GetChunkBytes());
        const bool leaves = connector.GetWay(a, b) != ConnectorInstaller::SCALE_UP;
        connectors[one.first].push_back({one.atFirst, std::move(ends.first), leaves});
        connectors[one.second].push_back({one.atSecond, std::move(ends.second), leaves});
    }
    CollectiveAlgorithms onTerms = algorithms;
    onTerms.SetRates(CollectiveHelper::GetRates(cluster, overHosts));
    if (!overHosts)
    {
        onTerms.SetTerms(CollectiveHelper::GetTerms(cluster));
    }
    for (uint32_t i = 0; i < shape.size; ++i)
    {
        const auto engine = GetEngine(cluster, group.ranks[i]);
        if (overHosts)
        {
            engine->JoinHosts(group, shape.perDomain, onTerms, std::move(connectors[i]));
        }
        else
        {
            engine->JoinOver(group, shape.perDomain, onTerms, std::move(connectors[i]));
        }
    }
}

/// @return an empty string, or the reason why a group cannot use the algorithms; checks the
/// connectors on the fabric only with @p onFabric
std::string
CheckOver(const RailCluster& cluster,
          const ProcessGroup& group,
          const CollectiveAlgorithms& algorithms,
          bool onFabric)
{
    const std::string who = "group " + std::to_string(group.id) + ": ";
    for (const uint32_t rank : group.ranks)
    {
        if (rank >= cluster.GetNGpus())
        {
            return who + "rank " + std::to_string(rank) + " of a cluster of " +
                   std::to_string(cluster.GetNGpus()) + " GPUs";
        }
    }
    if (auto error =
            CollectiveHelper::CheckShape(CollectiveHelper::GetShape(cluster, group), algorithms);
        !error.empty())
    {
        return who + error;
    }
    const bool isRegular = FindShape(cluster, group).has_value();
    if (onFabric && cluster.IsLent() && group.GetSize() > 1 &&
        !CollectiveHelper::StaysInside(cluster, group))
    {
        if (auto error = CheckCircuits(cluster, group); !error.empty())
        {
            return who + error;
        }
    }
    for (const CollectiveKind kind : CollectiveAlgorithms::GetKinds())
    {
        if (!algorithms.IsChosen(kind))
        {
            continue;
        }
        const auto algorithm = algorithms.Get(kind);
        std::string error;
        if (!isRegular && algorithm->NeedsDomains())
        {
            error = algorithm->GetName() + " " + ToString(kind) +
                    " needs equally many ranks in each scale-up domain, domain after domain";
        }
        if (error.empty() && onFabric)
        {
            error = CheckConnectors(cluster, group, kind, algorithm);
        }
        if (!error.empty())
        {
            return who + error;
        }
    }
    return "";
}

} // namespace

std::vector<CollectiveHelper::Connector>
CollectiveHelper::ListConnectors(const GroupShape& shape, const CollectiveAlgorithms& algorithms)
{
    std::vector<Connector> connectors;
    for (uint32_t i = 0; i < shape.size; ++i)
    {
        for (const auto& [j, connector] : algorithms.GetConnectors(shape, i))
        {
            // List each connector once: ring connectors from the rank before, direct connectors
            // from the lower index.
            if (connector != CONNECTOR_PREVIOUS && (connector != CONNECTOR_DIRECT || j > i))
            {
                const uint16_t other = connector == CONNECTOR_NEXT ? CONNECTOR_PREVIOUS : connector;
                connectors.push_back({i, {j, connector}, j, {i, other}});
            }
        }
    }
    return connectors;
}

void
CollectiveHelper::Install(const RailCluster& cluster)
{
    EndOfRun::Add(&StallObserver::Print);
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus(); ++gpu)
    {
        Ptr<Node> node = cluster.GetGpu(gpu);
        auto engine = CreateObject<CollectiveEngine>();
        engine->SetRank(gpu);
        auto provider = node->GetObject<ConnectivityProvider>();
        if (!provider)
        {
            provider = CreateObject<AlwaysConnected>();
        }
        engine->SetConnectivityProvider(provider);
        node->AggregateObject(engine);
    }
}

void
CollectiveHelper::Join(const RailCluster& cluster,
                       const ProcessGroup& group,
                       const CollectiveAlgorithms& algorithms)
{
    const bool onHosts = cluster.HasHostNetwork() && !StaysInside(cluster, group);
    if (!onHosts || CheckFabric(cluster, group, algorithms).empty())
    {
        JoinFabric(cluster, group, algorithms);
    }
    if (onHosts)
    {
        JoinHosts(cluster, group, algorithms);
    }
}

void
CollectiveHelper::JoinFabric(const RailCluster& cluster,
                             const ProcessGroup& group,
                             const CollectiveAlgorithms& algorithms)
{
    const std::string error = CheckFabric(cluster, group, algorithms);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    ConnectGroup(cluster, group, algorithms, false);
}

void
CollectiveHelper::JoinHosts(const RailCluster& cluster,
                            const ProcessGroup& group,
                            const CollectiveAlgorithms& algorithms)
{
    NS_ABORT_MSG_UNLESS(cluster.HasHostNetwork(), "there is no host network");
    const std::string error = Check(cluster, group, algorithms);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    ConnectGroup(cluster, group, algorithms, true);
}

std::string
CollectiveHelper::Check(const RailCluster& cluster,
                        const ProcessGroup& group,
                        const CollectiveAlgorithms& algorithms)
{
    return CheckOver(cluster, group, algorithms, !cluster.HasHostNetwork());
}

std::string
CollectiveHelper::CheckFabric(const RailCluster& cluster,
                              const ProcessGroup& group,
                              const CollectiveAlgorithms& algorithms)
{
    return CheckOver(cluster, group, algorithms, true);
}

bool
CollectiveHelper::StaysInside(const RailCluster& cluster, const ProcessGroup& group)
{
    const ConnectorInstaller connector(cluster);
    for (std::size_t i = 1; i < group.ranks.size(); ++i)
    {
        if (connector.GetWay(group.ranks[0], group.ranks[i]) != ConnectorInstaller::SCALE_UP)
        {
            return false;
        }
    }
    return true;
}

CollectiveRates
CollectiveHelper::GetRates(const RailCluster& cluster, bool overHosts)
{
    const auto sum = [](Ptr<RdmaNic> nic) {
        double bits = 0;
        for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
        {
            bits += static_cast<double>(nic->GetPort(port)->GetDataRate().GetBitRate());
        }
        return bits / 8;
    };
    return {sum(overHosts ? cluster.GetHostNic(0) : cluster.GetNic(0)),
            cluster.HasScaleUpNetwork() ? sum(cluster.GetScaleUpNic(0)) : 0};
}

CircuitTerms
CollectiveHelper::GetTerms(const RailCluster& cluster)
{
    const auto provider = cluster.GetGpu(0)->GetObject<ConnectivityProvider>();
    return provider && cluster.IsLent() ? provider->GetTerms() : CircuitTerms();
}

std::string
CollectiveHelper::CheckShape(const GroupShape& shape, const CollectiveAlgorithms& algorithms)
{
    if (auto error = algorithms.Check(shape); !error.empty())
    {
        return error;
    }
    uint64_t ends = 0;
    for (uint32_t i = 0; i < shape.size; ++i)
    {
        ends += algorithms.GetConnectors(shape, i).size();
        if (ends > MAX_LANE_ENDS)
        {
            return std::to_string(shape.size) + " ranks would need more than " +
                   std::to_string(MAX_LANE_ENDS) + " queue pairs";
        }
    }
    return "";
}

bool
CollectiveHelper::IsAligned(const RailCluster& cluster, const ProcessGroup& group)
{
    std::vector<uint32_t> domains;
    std::vector<uint32_t> rails;
    for (const uint32_t rank : group.ranks)
    {
        domains.push_back(cluster.GetDomain(rank));
        rails.push_back(cluster.GetRailOf(rank));
    }
    return GroupShape::IsAligned(domains, rails);
}

GroupShape
CollectiveHelper::GetShape(const RailCluster& cluster, const ProcessGroup& group)
{
    return FindShape(cluster, group).value_or(GroupShape{group.GetSize(), 1});
}

} // namespace ns3
