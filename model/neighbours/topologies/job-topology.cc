// SPDX-License-Identifier: GPL-2.0-only

#include "job-topology.h"

#include "ns3/abort.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/connected_components.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace ns3
{

namespace
{

constexpr uint32_t FAR = std::numeric_limits<uint32_t>::max();

/// Routes demands over circuits one by one.
class CircuitRouter
{
  public:
    CircuitRouter(uint32_t n, const std::vector<CircuitLink>& links)
        : m_graph(n),
          m_neighbours(n),
          m_distances(n)
    {
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> circuits;
        for (const CircuitLink& link : links)
        {
            NS_ABORT_MSG_IF(link.a >= n || link.b >= n || link.a == link.b || link.circuits == 0,
                            "a link joins two of " << n << " members");
            circuits[{link.a, link.b}] += link.circuits;
            circuits[{link.b, link.a}] += link.circuits;
        }
        for (const auto& [ends, count] : circuits)
        {
            m_neighbours[ends.first].push_back(m_loads.size());
            m_loads.push_back({ends.first, ends.second, count, 0});
            if (ends.first < ends.second)
            {
                boost::add_edge(ends.first, ends.second, m_graph);
            }
        }
    }

    bool IsReachable(const MemberDemand& demand)
    {
        return GetDistances(demand.to)[demand.from] != FAR;
    }

    /// @return true if the demand has exactly one shortest path
    bool HasOneWay(const MemberDemand& demand)
    {
        const auto& distances = GetDistances(demand.to);
        for (uint32_t member = demand.from; member != demand.to;)
        {
            uint32_t next = FAR;
            for (std::size_t link : m_neighbours[member])
            {
                if (distances[m_loads[link].to] + 1 == distances[member])
                {
                    if (next != FAR)
                    {
                        return false;
                    }
                    next = m_loads[link].to;
                }
            }
            member = next;
        }
        return true;
    }

    /// @return the members on the route of a reachable demand
    std::vector<uint32_t> Place(const MemberDemand& demand)
    {
        const std::vector<std::size_t> next = FindWays(demand);
        std::vector<uint32_t> members{demand.from};
        while (members.back() != demand.to)
        {
            LinkLoad& link = m_loads[next[members.back()]];
            link.bytes += demand.bytes;
            members.push_back(link.to);
        }
        return members;
    }

    const std::vector<LinkLoad>& GetLoads() const
    {
        return m_loads;
    }

  private:
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

    /// Cost of the rest of a path: the largest load and the sum of loads.
    using Cost = std::pair<double, double>;

    /// @return the number of hops from each member to @p to
    const std::vector<uint32_t>& GetDistances(uint32_t to)
    {
        auto& distances = m_distances[to];
        if (distances.empty())
        {
            distances.assign(m_distances.size(), FAR);
            distances[to] = 0;
            boost::breadth_first_search(
                m_graph,
                to,
                boost::visitor(boost::make_bfs_visitor(
                    boost::record_distances(distances.data(), boost::on_tree_edge()))));
        }
        return distances;
    }

    /// @return the link to take, for each member on a shortest path
    std::vector<std::size_t> FindWays(const MemberDemand& demand)
    {
        const auto& distances = GetDistances(demand.to);
        // The members on shortest paths, the farthest first.
        std::vector<uint32_t> order{demand.from};
        std::vector<bool> isFound(m_distances.size(), false);
        for (std::size_t i = 0; i < order.size(); ++i)
        {
            for (std::size_t link : m_neighbours[order[i]])
            {
                const uint32_t other = m_loads[link].to;
                if (distances[other] + 1 == distances[order[i]] && !isFound[other])
                {
                    isFound[other] = true;
                    order.push_back(other);
                }
            }
        }
        std::vector<Cost> costs(m_distances.size());
        std::vector<std::size_t> next(m_distances.size(), 0);
        for (auto it = order.rbegin(); it != order.rend(); ++it)
        {
            bool isFirst = true;
            for (std::size_t link : m_neighbours[*it])
            {
                const LinkLoad& load = m_loads[link];
                if (distances[load.to] + 1 != distances[*it])
                {
                    continue;
                }
                const double after = static_cast<double>(load.bytes + demand.bytes) / load.circuits;
                const Cost cost{std::max(after, costs[load.to].first),
                                after + costs[load.to].second};
                if (isFirst || cost < costs[*it])
                {
                    costs[*it] = cost;
                    next[*it] = link;
                    isFirst = false;
                }
            }
        }
        return next;
    }

    Graph m_graph;
    std::vector<LinkLoad> m_loads;                      //!< both directions of every link
    std::vector<std::vector<std::size_t>> m_neighbours; //!< indices into m_loads, by member
    std::vector<std::vector<uint32_t>> m_distances; //!< by receiver and sender, computed on demand
};

} // namespace

uint64_t
CircuitRoutes::GetLargestLoad() const
{
    uint64_t largest = 0;
    for (const LinkLoad& load : loads)
    {
        largest = std::max(largest, (load.bytes + load.circuits - 1) / load.circuits);
    }
    return largest;
}

double
CircuitRoutes::GetMeanHops() const
{
    uint64_t hops = 0;
    for (const MemberRoute& route : routes)
    {
        hops += route.GetHops();
    }
    const std::size_t reached = routes.size() - unreachable;
    return reached == 0 ? 0 : static_cast<double>(hops) / static_cast<double>(reached);
}

CircuitRoutes
RouteOverCircuits(uint32_t n,
                  const std::vector<CircuitLink>& links,
                  const std::vector<MemberDemand>& demands)
{
    CircuitRouter router(n, links);
    CircuitRoutes result;
    std::vector<std::size_t> order;
    std::vector<bool> hasOneWay(demands.size());
    for (std::size_t i = 0; i < demands.size(); ++i)
    {
        const MemberDemand& demand = demands[i];
        NS_ABORT_MSG_IF(demand.from >= n || demand.to >= n || demand.from == demand.to,
                        "a demand leads from one of " << n << " members to another");
        result.routes.push_back({demand, {}});
        if (router.IsReachable(demand))
        {
            hasOneWay[i] = router.HasOneWay(demand);
            order.push_back(i);
        }
        else
        {
            ++result.unreachable;
        }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return hasOneWay[x] != hasOneWay[y] ? hasOneWay[x] : demands[x].bytes > demands[y].bytes;
    });
    for (std::size_t i : order)
    {
        MemberRoute& route = result.routes[i];
        route.members = router.Place(demands[i]);
        result.maxHops = std::max(result.maxHops, route.GetHops());
        result.forwardedBytes += demands[i].bytes * (route.GetHops() - 1);
    }
    result.loads = router.GetLoads();
    return result;
}

CircuitConnector::CircuitConnector(uint32_t members, uint32_t ports, const std::vector<Link>& links)
    : m_links(links),
      m_isFree(members, std::vector<bool>(ports, true))
{
    for (const Link& link : links)
    {
        m_isFree[link.a][link.portOfA] = false;
        m_isFree[link.b][link.portOfB] = false;
    }
    m_components = FindComponents(std::nullopt);
}

std::vector<uint32_t>
CircuitConnector::FindComponents(std::optional<std::size_t> without) const
{
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> graph(m_isFree.size());
    for (std::size_t i = 0; i < m_links.size(); ++i)
    {
        if (i != without)
        {
            boost::add_edge(m_links[i].a, m_links[i].b, graph);
        }
    }
    std::vector<uint32_t> components(m_isFree.size());
    boost::connected_components(graph, components.data());
    return components;
}

void
CircuitConnector::Connect(const std::vector<MemberDemand>& demands)
{
    m_bytes.clear();
    for (const MemberDemand& demand : demands)
    {
        m_bytes[std::minmax(demand.from, demand.to)] += demand.bytes;
    }
    std::vector<MemberDemand> order = demands;
    std::stable_sort(order.begin(), order.end(), [](const auto& x, const auto& y) {
        return x.bytes > y.bytes;
    });
    for (const MemberDemand& demand : order)
    {
        if (m_components[demand.from] != m_components[demand.to] && Join(demand.from, demand.to))
        {
            m_components = FindComponents(std::nullopt);
        }
    }
}

bool
CircuitConnector::Join(uint32_t a, uint32_t b)
{
    const auto portOfA = FindFreePort(a);
    const auto portOfB = FindFreePort(b);
    if (portOfA && portOfB)
    {
        AddLink(*portOfA, *portOfB);
        return true;
    }
    const auto spareOfA = FindSpareLink(a);
    const auto spareOfB = FindSpareLink(b);
    if (portOfA && spareOfB)
    {
        Bend(*spareOfB, *portOfA);
        return true;
    }
    if (portOfB && spareOfA)
    {
        Bend(*spareOfA, *portOfB);
        return true;
    }
    // Only one of the two components may fall apart: the other one joins its halves again.
    const auto linkOfA = spareOfA ? spareOfA : FindLink(a);
    const auto linkOfB = spareOfB ? spareOfB : FindLink(b);
    if ((spareOfA || spareOfB) && linkOfA && linkOfB)
    {
        Cross(*linkOfA, *linkOfB);
        return true;
    }
    return false;
}

std::optional<CircuitConnector::Port>
CircuitConnector::FindFreePort(uint32_t member) const
{
    std::vector<uint32_t> order{member};
    for (uint32_t other = 0; other < m_isFree.size(); ++other)
    {
        if (m_components[other] == m_components[member] && other != member)
        {
            order.push_back(other);
        }
    }
    for (uint32_t other : order)
    {
        const auto& ports = m_isFree[other];
        const auto port = std::find(ports.begin(), ports.end(), true);
        if (port != ports.end())
        {
            return Port{other, static_cast<uint32_t>(port - ports.begin())};
        }
    }
    return std::nullopt;
}

std::vector<std::size_t>
CircuitConnector::GetLightestLinks(uint32_t member) const
{
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> circuits;
    for (const Link& link : m_links)
    {
        ++circuits[std::minmax(link.a, link.b)];
    }
    std::vector<std::pair<uint64_t, std::size_t>> weights;
    for (std::size_t i = 0; i < m_links.size(); ++i)
    {
        if (m_components[m_links[i].a] == m_components[member])
        {
            const std::pair<uint32_t, uint32_t> ends = std::minmax(m_links[i].a, m_links[i].b);
            const auto bytes = m_bytes.find(ends);
            weights.emplace_back(bytes == m_bytes.end() ? 0 : bytes->second / circuits[ends], i);
        }
    }
    std::sort(weights.begin(), weights.end());
    std::vector<std::size_t> links;
    for (const auto& [weight, link] : weights)
    {
        links.push_back(link);
    }
    return links;
}

std::optional<std::size_t>
CircuitConnector::FindSpareLink(uint32_t member) const
{
    for (std::size_t link : GetLightestLinks(member))
    {
        const auto components = FindComponents(link);
        if (components[m_links[link].a] == components[m_links[link].b])
        {
            return link;
        }
    }
    return std::nullopt;
}

std::optional<std::size_t>
CircuitConnector::FindLink(uint32_t member) const
{
    const auto links = GetLightestLinks(member);
    return links.empty() ? std::nullopt : std::optional<std::size_t>(links.front());
}

void
CircuitConnector::AddLink(const Port& a, const Port& b)
{
    m_links.push_back({a.member, a.port, b.member, b.port});
    m_isFree[a.member][a.port] = false;
    m_isFree[b.member][b.port] = false;
}

void
CircuitConnector::Cross(std::size_t x, std::size_t y)
{
    const Link first = m_links[x];
    const Link second = m_links[y];
    m_links[x] = {first.a, first.portOfA, second.a, second.portOfA};
    m_links[y] = {first.b, first.portOfB, second.b, second.portOfB};
}

void
CircuitConnector::Bend(std::size_t link, const Port& a)
{
    const Link old = m_links[link];
    m_isFree[old.b][old.portOfB] = true;
    m_isFree[a.member][a.port] = false;
    m_links[link] = {old.a, old.portOfA, a.member, a.port};
}

namespace
{

using Link = CircuitPlanner::Link;

/// @return the demands of groups between neighbours and the other demands, added up by pair
std::vector<MemberDemand>
CollectDemands(const std::vector<RingDemand>& groups, const std::vector<MemberDemand>& pairs)
{
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> bytes;
    for (const auto& group : groups)
    {
        const std::size_t size = group.members.size();
        for (std::size_t i = 0; size > 1 && i + (group.isLine ? 1 : 0) < size; ++i)
        {
            const uint32_t here = group.members[i];
            const uint32_t next = group.members[(i + 1) % size];
            bytes[{here, next}] += group.bytes;
            bytes[{next, here}] += group.bytes;
        }
    }
    for (const MemberDemand& pair : pairs)
    {
        bytes[{pair.from, pair.to}] += pair.bytes;
    }
    std::vector<MemberDemand> demands;
    for (const auto& [ends, sum] : bytes)
    {
        if (sum > 0)
        {
            demands.push_back({ends.first, ends.second, sum});
        }
    }
    return demands;
}

/// Free ports of a rail during the choice of circuits.
class PortBudget
{
  public:
    PortBudget(std::size_t members, std::size_t ports)
        : m_free(members, std::vector<bool>(ports, true))
    {
    }

    void Take(const Link& link)
    {
        m_free[link.a][link.portOfA] = false;
        m_free[link.b][link.portOfB] = false;
        m_links.push_back(link);
    }

    /// Give a group its ring or line over the k-th ports of both halves. Returns false if one is
    /// taken.
    bool TakeRing(const RingDemand& group, uint32_t k)
    {
        const auto ports = static_cast<uint32_t>(m_free.front().size());
        const uint32_t back = ports - ports / 2 + k;
        for (uint32_t member : group.members)
        {
            if (!m_free[member][k] || !m_free[member][back])
            {
                return false;
            }
        }
        const std::size_t size = group.members.size();
        // A pair has circuits on all its ports, as a ring and as a line.
        const bool isOpen = group.isLine && size > 2;
        for (std::size_t i = 0; i + (isOpen ? 1 : 0) < size; ++i)
        {
            Take({group.members[i], k, group.members[(i + 1) % size], back});
        }
        return true;
    }

    const FreePorts& GetFree() const
    {
        return m_free;
    }

    const std::vector<Link>& GetLinks() const
    {
        return m_links;
    }

  private:
    FreePorts m_free;
    std::vector<Link> m_links;
};

void
TakeRings(const std::vector<RingDemand>& groups, uint32_t ports, PortBudget& budget)
{
    std::vector<std::size_t> order(groups.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return groups[x].bytes > groups[y].bytes;
    });
    for (std::size_t i : order)
    {
        bool hasRing = groups[i].members.size() < 2 || groups[i].bytes == 0;
        for (uint32_t k = 0; k < ports / 2 && !hasRing; ++k)
        {
            hasRing = budget.TakeRing(groups[i], k);
        }
    }
}

void
TakeHeaviest(const std::vector<MemberDemand>& demands, PortBudget& budget)
{
    std::map<MemberPair, uint32_t> circuits;
    for (const Link& link : budget.GetLinks())
    {
        ++circuits[{std::min(link.a, link.b), std::max(link.a, link.b)}];
    }
    std::vector<PairDemand> pairs;
    for (const MemberDemand& demand : demands)
    {
        const MemberPair pair{std::min(demand.from, demand.to), std::max(demand.from, demand.to)};
        pairs.push_back({pair, demand.bytes / (circuits[pair] + 1)});
    }
    const auto matchings = ChooseHeaviest(pairs, budget.GetFree(), true);
    for (uint32_t port = 0; port < matchings.size(); ++port)
    {
        for (const auto& [a, b] : matchings[port])
        {
            budget.Take({a, port, b, port});
        }
    }
}

/// @return an empty string, or an error in a group or a demand
std::string
CheckJob(const std::vector<CircuitPlanner::Member>& members,
         const std::vector<RingDemand>& groups,
         const std::vector<MemberDemand>& pairs)
{
    std::string error = CircuitPlanner::CheckMembers(members);
    if (error.empty())
    {
        error = CircuitPlanner::CheckRail(members);
    }
    if (!error.empty())
    {
        return error;
    }
    for (const auto& group : groups)
    {
        std::set<uint32_t> seen;
        for (uint32_t member : group.members)
        {
            if (member >= members.size())
            {
                return "a group has member " + std::to_string(member) + " of " +
                       std::to_string(members.size());
            }
            if (!seen.insert(member).second)
            {
                return "rank " + std::to_string(members[member].rank) +
                       " occurs twice in its group";
            }
        }
    }
    for (const auto& [from, to, bytes] : pairs)
    {
        if (from >= members.size() || to >= members.size() || from == to)
        {
            return "a demand leads from member " + std::to_string(from) + " to " +
                   std::to_string(to) + " of " + std::to_string(members.size());
        }
    }
    return "";
}

} // namespace

JobTopology::Result
JobTopology::Plan(const std::vector<CircuitPlanner::Member>& members,
                  const std::vector<RingDemand>& groups,
                  const std::vector<MemberDemand>& pairs)
{
    Result result;
    result.error = CheckJob(members, groups, pairs);
    if (!result.error.empty())
    {
        return result;
    }
    const auto size = static_cast<uint32_t>(members.size());
    const auto ports = static_cast<uint32_t>(members.front().ports.size());
    result.demands = CollectDemands(groups, pairs);
    PortBudget budget(size, ports);
    TakeRings(groups, ports, budget);
    TakeHeaviest(result.demands, budget);

    CircuitConnector connector(size, ports, budget.GetLinks());
    connector.Connect(result.demands);
    result.links = connector.GetLinks();
    auto plan = CircuitPlanner::PlanLinks(members, result.links);
    NS_ABORT_MSG_UNLESS(plan.error.empty(), plan.error);
    result.plan = std::move(plan.plan);

    std::vector<CircuitLink> circuits;
    std::set<std::pair<uint32_t, uint32_t>> joined;
    for (const Link& link : result.links)
    {
        circuits.push_back({link.a, link.b, 1});
        joined.insert(std::minmax(link.a, link.b));
    }
    result.routes = RouteOverCircuits(size, circuits, result.demands);
    for (const RingDemand& group : groups)
    {
        const std::size_t length = group.members.size();
        bool isDirect = true;
        for (std::size_t i = 0; length > 1 && i + (group.isLine ? 1 : 0) < length; ++i)
        {
            isDirect = isDirect && joined.count(std::minmax(group.members[i],
                                                            group.members[(i + 1) % length])) > 0;
        }
        result.isDirect.push_back(isDirect);
    }
    return result;
}

} // namespace ns3
