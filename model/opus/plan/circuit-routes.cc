// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-routes.h"

#include "ns3/abort.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <limits>
#include <map>

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

} // namespace ns3
