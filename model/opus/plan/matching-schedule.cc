// SPDX-License-Identifier: GPL-2.0-only

#include "matching-schedule.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/edge_coloring.hpp>
#include <limits>

namespace ns3
{

namespace
{

/// Number of edge orders tried for a colouring with as many colours as the largest degree.
constexpr std::size_t TIGHT_ATTEMPTS = 8;

constexpr uint32_t NO_COLOUR = std::numeric_limits<uint32_t>::max();

using PairGraph = boost::adjacency_list<boost::vecS,
                                        boost::vecS,
                                        boost::undirectedS,
                                        boost::no_property,
                                        boost::property<boost::edge_index_t, std::size_t>>;

/// @return the pairs sorted, each once
std::vector<MemberPair>
Unite(std::vector<MemberPair> pairs, uint32_t n, bool isDirected)
{
    for (MemberPair& pair : pairs)
    {
        NS_ABORT_MSG_IF(pair.a >= n || pair.b >= n || pair.a == pair.b,
                        "a pair joins two of " << n << " members, not " << pair.a << " and "
                                               << pair.b);
        if (!isDirected && pair.b < pair.a)
        {
            std::swap(pair.a, pair.b);
        }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

/// @return the graph in which the i-th pair is the edge of index i
PairGraph
MakeGraph(uint32_t n, const std::vector<MemberPair>& pairs)
{
    PairGraph graph(n);
    for (std::size_t i = 0; i < pairs.size(); ++i)
    {
        boost::add_edge(pairs[i].a, pairs[i].b, i, graph);
    }
    return graph;
}

/**
 * Colours edges one by one with as many colours as the largest degree, as far as possible.
 *
 * If no colour is free at both ends of an edge, a colour x is free at one end and a colour y at the
 * other. The colours x and y are exchanged on the path of edges of these colours that begins at the
 * other end. Afterwards x is free at both ends, unless the path ends at the first end. In a
 * bipartite graph the path never ends there, and all edges get a colour. In other graphs some edges
 * may remain without a colour.
 */
class TightColouring
{
  public:
    TightColouring(uint32_t vertices, const std::vector<MemberPair>& edges)
        : m_edges(edges),
          m_vertices(vertices)
    {
        std::vector<uint32_t> degrees(vertices, 0);
        for (const MemberPair& edge : edges)
        {
            m_degree = std::max({m_degree, ++degrees[edge.a], ++degrees[edge.b]});
        }
    }

    /**
     * @param first index of the first edge
     * @return true if all edges have a colour
     */
    bool Colour(std::size_t first)
    {
        m_colours.assign(m_edges.size(), NO_COLOUR);
        m_edgeAt.assign(m_vertices, std::vector<uint32_t>(m_degree, NO_COLOUR));
        for (std::size_t i = 0; i < m_edges.size(); ++i)
        {
            if (!ColourEdge(static_cast<uint32_t>((first + i) % m_edges.size())))
            {
                return false;
            }
        }
        return true;
    }

    /// @return the colour of each edge
    const std::vector<uint32_t>& GetColours() const
    {
        return m_colours;
    }

  private:
    bool ColourEdge(uint32_t edge)
    {
        const auto [a, b] = m_edges[edge];
        for (uint32_t x = 0; x < m_degree; ++x)
        {
            if (m_edgeAt[a][x] == NO_COLOUR && m_edgeAt[b][x] == NO_COLOUR)
            {
                Give(edge, x);
                return true;
            }
        }
        for (uint32_t x = 0; x < m_degree; ++x)
        {
            for (uint32_t y = 0; y < m_degree && m_edgeAt[a][x] == NO_COLOUR; ++y)
            {
                if (m_edgeAt[b][y] == NO_COLOUR && Exchange(b, a, x, y))
                {
                    Give(edge, x);
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * @brief Exchange two colours along the path that starts at a vertex with the first colour.
     * @return false, without any change, if the path ends at the avoided vertex
     */
    bool Exchange(uint32_t vertex, uint32_t avoided, uint32_t x, uint32_t y)
    {
        std::vector<uint32_t> path;
        for (uint32_t colour = x, edge = m_edgeAt[vertex][colour]; edge != NO_COLOUR;
             edge = m_edgeAt[vertex][colour])
        {
            path.push_back(edge);
            vertex = m_edges[edge].a == vertex ? m_edges[edge].b : m_edges[edge].a;
            colour = colour == x ? y : x;
        }
        if (vertex == avoided)
        {
            return false;
        }
        for (uint32_t edge : path)
        {
            m_edgeAt[m_edges[edge].a][m_colours[edge]] = NO_COLOUR;
            m_edgeAt[m_edges[edge].b][m_colours[edge]] = NO_COLOUR;
        }
        for (uint32_t edge : path)
        {
            Give(edge, m_colours[edge] == x ? y : x);
        }
        return true;
    }

    void Give(uint32_t edge, uint32_t colour)
    {
        m_colours[edge] = colour;
        m_edgeAt[m_edges[edge].a][colour] = edge;
        m_edgeAt[m_edges[edge].b][colour] = edge;
    }

    const std::vector<MemberPair>& m_edges;
    uint32_t m_vertices;
    uint32_t m_degree{0};
    std::vector<uint32_t> m_colours;             //!< by edge
    std::vector<std::vector<uint32_t>> m_edgeAt; //!< by vertex and colour
};

/// @return the pairs of each colour
MatchingSchedule
Collect(const std::vector<MemberPair>& pairs, const std::vector<uint32_t>& colours)
{
    MatchingSchedule schedule;
    for (std::size_t i = 0; i < pairs.size(); ++i)
    {
        if (schedule.size() <= colours[i])
        {
            schedule.resize(colours[i] + 1);
        }
        schedule[colours[i]].push_back(pairs[i]);
    }
    return schedule;
}

} // namespace

MatchingSchedule
MakeRoundRobin(uint32_t n)
{
    // If n is even, the last member stays in the middle of the circle of the others.
    const uint32_t circle = n - 1 + n % 2;
    MatchingSchedule schedule(n > 1 ? circle : 0);
    for (uint32_t round = 0; round < schedule.size(); ++round)
    {
        if (n % 2 == 0)
        {
            schedule[round].push_back({round, n - 1});
        }
        for (uint32_t k = 1; k <= (circle - 1) / 2; ++k)
        {
            const uint32_t x = (round + k) % circle;
            const uint32_t y = (round + circle - k) % circle;
            schedule[round].push_back({std::min(x, y), std::max(x, y)});
        }
    }
    return schedule;
}

MatchingSchedule
ColourPairs(uint32_t n, const std::vector<MemberPair>& pairs)
{
    const auto edges = Unite(pairs, n, false);
    if (!edges.empty() && edges.size() == static_cast<std::size_t>(n) * (n - 1) / 2)
    {
        return MakeRoundRobin(n);
    }
    TightColouring tight(n, edges);
    for (std::size_t attempt = 0; attempt < TIGHT_ATTEMPTS; ++attempt)
    {
        if (tight.Colour(attempt * edges.size() / TIGHT_ATTEMPTS))
        {
            return Collect(edges, tight.GetColours());
        }
    }
    const PairGraph graph = MakeGraph(n, edges);
    std::vector<uint32_t> colours(edges.size());
    boost::edge_coloring(
        graph,
        boost::make_iterator_property_map(colours.begin(), get(boost::edge_index, graph)));
    return Collect(edges, colours);
}

MatchingSchedule
ColourDirectedPairs(uint32_t n, const std::vector<MemberPair>& pairs)
{
    const auto united = Unite(pairs, n, true);
    std::vector<MemberPair> edges;
    for (const MemberPair& pair : united)
    {
        edges.push_back({pair.a, n + pair.b});
    }
    TightColouring tight(2 * n, edges);
    [[maybe_unused]] const bool isComplete = tight.Colour(0);
    NS_ASSERT_MSG(isComplete, "senders and receivers are two sides");
    return Collect(united, tight.GetColours());
}

uint32_t
CountSteps(uint32_t matchings, uint32_t ports)
{
    NS_ASSERT_MSG(ports > 0, "a rank has ports");
    return (matchings + ports - 1) / ports;
}

uint32_t
GetMatchingOfPort(uint32_t matchings, uint32_t ports, uint32_t step, uint32_t port)
{
    const uint32_t first = step * ports;
    NS_ASSERT_MSG(first < matchings && port < ports, "no such step or port");
    return first + port % std::min(ports, matchings - first);
}

std::vector<uint32_t>
FindMeetingPorts(const MatchingSchedule& schedule, uint32_t ports, const MemberPair& pair)
{
    std::vector<bool> meets(ports, false);
    const auto matchings = static_cast<uint32_t>(schedule.size());
    for (uint32_t step = 0; step < CountSteps(matchings, ports); ++step)
    {
        for (uint32_t port = 0; port < ports; ++port)
        {
            const Matching& matching = schedule[GetMatchingOfPort(matchings, ports, step, port)];
            meets[port] =
                meets[port] || std::find(matching.begin(), matching.end(), pair) != matching.end();
        }
    }
    std::vector<uint32_t> found;
    for (uint32_t port = 0; port < ports; ++port)
    {
        if (meets[port])
        {
            found.push_back(port);
        }
    }
    return found;
}

StepPlans
PlanSteps(const std::vector<CircuitPlanner::Member>& members, const MatchingSchedule& schedule)
{
    StepPlans plans;
    plans.error = CircuitPlanner::CheckMembers(members);
    if (!plans.error.empty())
    {
        return plans;
    }
    const auto ports = static_cast<uint32_t>(members.front().ports.size());
    const auto matchings = static_cast<uint32_t>(schedule.size());
    for (uint32_t step = 0; step < CountSteps(matchings, ports); ++step)
    {
        std::vector<CircuitPlanner::Link> links;
        for (uint32_t port = 0; port < ports; ++port)
        {
            for (const auto& [a, b] : schedule[GetMatchingOfPort(matchings, ports, step, port)])
            {
                links.push_back({a, port, b, port});
            }
        }
        auto result = CircuitPlanner::PlanLinks(members, links);
        if (!result.error.empty())
        {
            return {{}, result.error};
        }
        plans.steps.push_back(std::move(result.plan));
    }
    return plans;
}

} // namespace ns3
