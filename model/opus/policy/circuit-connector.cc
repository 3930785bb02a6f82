// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-connector.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>

namespace ns3
{

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

} // namespace ns3
