// SPDX-License-Identifier: GPL-2.0-only

#include "static-circuits.h"

#include "ns3/assert.h"

#include <algorithm>
#include <array>
#include <queue>
#include <set>
#include <sstream>

namespace ns3
{

StaticCircuits::StaticCircuits(uint32_t gpus, uint32_t ports)
    : m_ports(ports),
      m_jointOf(std::size_t{gpus} * ports, FREE)
{
}

uint32_t
StaticCircuits::FindFree(uint32_t gpu, uint32_t first, uint32_t end) const
{
    uint32_t port = first;
    while (port < end && m_jointOf[std::size_t{gpu} * m_ports + port] != FREE)
    {
        ++port;
    }
    return port;
}

bool
StaticCircuits::Join(uint32_t a, uint32_t b, uint32_t first, uint32_t end)
{
    const uint32_t low = std::min(a, b);
    const uint32_t high = std::max(a, b);
    end = std::min(end, m_ports);
    const Joint joint{low, FindFree(low, first, end), high, FindFree(high, first, end)};
    if (low == high || joint.port >= end || joint.peerPort >= end)
    {
        return false;
    }
    Join(joint);
    return true;
}

void
StaticCircuits::Join(const Joint& joint)
{
    const std::array ends{std::pair(joint.gpu, joint.port), std::pair(joint.peer, joint.peerPort)};
    for (const auto& [gpu, port] : ends)
    {
        const std::size_t place = std::size_t{gpu} * m_ports + port;
        const bool exists = port < m_ports && place < m_jointOf.size();
        if (m_error.empty() && (!exists || m_jointOf[place] != FREE || ends[0] == ends[1]))
        {
            m_error = "port " + std::to_string(port) + " of GPU " + std::to_string(gpu) +
                      (exists ? " is joined twice" : " does not exist");
        }
    }
    if (!m_error.empty())
    {
        return;
    }
    const auto index = static_cast<uint32_t>(m_joints.size());
    const bool inOrder = joint.gpu < joint.peer;
    m_joints.push_back(inOrder ? joint : Joint{joint.peer, joint.peerPort, joint.gpu, joint.port});
    for (const auto& [gpu, port] : ends)
    {
        m_jointOf[std::size_t{gpu} * m_ports + port] = index;
    }
}

void
StaticCircuits::SetRoute(const std::vector<uint32_t>& route)
{
    auto& kept = m_routes[std::minmax(route.front(), route.back())];
    kept = route;
    if (route.front() > route.back())
    {
        std::reverse(kept.begin(), kept.end());
    }
}

uint32_t
StaticCircuits::CountFree(uint32_t gpu) const
{
    const auto begin = m_jointOf.begin() + std::ptrdiff_t{gpu} * m_ports;
    return static_cast<uint32_t>(std::count(begin, begin + m_ports, FREE));
}

std::vector<std::pair<uint32_t, uint32_t>>
StaticCircuits::Find(uint32_t a, uint32_t b) const
{
    const uint32_t low = std::min(a, b);
    std::vector<std::pair<uint32_t, uint32_t>> ports;
    for (uint32_t port = 0; port < m_ports; ++port)
    {
        const uint32_t index = m_jointOf[std::size_t{low} * m_ports + port];
        if (index != FREE && m_joints[index].gpu == low && m_joints[index].peer == std::max(a, b))
        {
            const Joint& joint = m_joints[index];
            ports.emplace_back(a == low ? joint.port : joint.peerPort,
                               a == low ? joint.peerPort : joint.port);
        }
    }
    return ports;
}

std::vector<uint32_t>
StaticCircuits::FindRoute(uint32_t a, uint32_t b) const
{
    const auto kept = m_routes.find(std::minmax(a, b));
    std::vector<uint32_t> route =
        kept != m_routes.end() ? kept->second : FindShortest(std::min(a, b), std::max(a, b));
    if (a > b)
    {
        std::reverse(route.begin(), route.end());
    }
    return route;
}

std::vector<uint32_t>
StaticCircuits::FindShortest(uint32_t low, uint32_t high) const
{
    // The search starts at the far end, so that the route comes out in order.
    std::vector<uint32_t> before(m_jointOf.size() / std::max(m_ports, 1U), FREE);
    before[high] = high;
    std::queue<uint32_t> reached({high});
    while (!reached.empty() && before[low] == FREE)
    {
        const uint32_t gpu = reached.front();
        reached.pop();
        std::set<uint32_t> neighbours;
        for (uint32_t port = 0; port < m_ports; ++port)
        {
            const uint32_t index = m_jointOf[std::size_t{gpu} * m_ports + port];
            if (index != FREE)
            {
                const Joint& joint = m_joints[index];
                neighbours.insert(joint.gpu == gpu ? joint.peer : joint.gpu);
            }
        }
        for (const uint32_t neighbour : neighbours)
        {
            if (before[neighbour] == FREE)
            {
                before[neighbour] = gpu;
                reached.push(neighbour);
            }
        }
    }
    if (before[low] == FREE)
    {
        return {};
    }
    std::vector<uint32_t> route{low};
    while (route.back() != high)
    {
        route.push_back(before[route.back()]);
    }
    return route;
}

namespace
{

using Pair = std::pair<uint32_t, uint32_t>;

/// @return bytes of all pairs
uint64_t
GetTotal(const DimensionDemand& demand)
{
    uint64_t total = 0;
    for (const auto& [pair, bytes] : demand.pairs)
    {
        total += bytes;
    }
    return total;
}

/// @return the largest number of neighbours of a GPU
uint32_t
GetDegree(const DimensionDemand& demand)
{
    std::map<uint32_t, uint32_t> neighbours;
    uint32_t degree = 0;
    for (const auto& [pair, bytes] : demand.pairs)
    {
        degree = std::max({degree, ++neighbours[pair.first], ++neighbours[pair.second]});
    }
    return degree;
}

/// @return true if a dimension needs circuits of its own
bool
NeedsPorts(const DimensionDemand& demand, const std::set<Pair>& joined)
{
    const bool little = std::all_of(demand.pairs.begin(), demand.pairs.end(), [](const auto& x) {
        return x.second < PortPartition::LITTLE;
    });
    const bool served = std::all_of(demand.pairs.begin(),
                                    demand.pairs.end(),
                                    [&joined](const auto& x) { return joined.count(x.first) > 0; });
    return !little && !served;
}

/// @return an error that lists the shares
std::string
RefuseShares(const std::vector<PortPartition::Share>& shares, uint32_t needed, uint32_t ports)
{
    std::ostringstream text;
    text << ports << (ports == 1 ? " port" : " ports") << " of a NIC cannot be divided between";
    const char* separator = " ";
    for (const auto& share : shares)
    {
        if (share.ports > 0)
        {
            text << separator << share.name << " (" << share.ports << ")";
            separator = ", ";
        }
    }
    text << ": " << needed << " are needed";
    return text.str();
}

} // namespace

PortPartition::Result
PortPartition::Plan(std::vector<DimensionDemand> demands, uint32_t gpus, uint32_t ports)
{
    std::stable_sort(demands.begin(), demands.end(), [](const auto& x, const auto& y) {
        return GetTotal(x) > GetTotal(y);
    });
    Result result;
    std::set<Pair> joined;
    uint32_t needed = 0;
    for (const auto& demand : demands)
    {
        Share share{demand.name, 0, 0};
        if (NeedsPorts(demand, joined))
        {
            share.ports = GetDegree(demand);
            for (const auto& [pair, bytes] : demand.pairs)
            {
                joined.insert(pair);
            }
        }
        needed += share.ports;
        result.shares.push_back(share);
    }
    if (needed > ports)
    {
        result.error = RefuseShares(result.shares, needed, ports);
        return result;
    }
    const uint32_t times = needed == 0 ? 0 : ports / needed;
    result.circuits = StaticCircuits(gpus, ports);
    uint32_t first = 0;
    for (std::size_t i = 0; i < demands.size(); ++i)
    {
        Share& share = result.shares[i];
        share.first = first;
        for (uint32_t round = 0; share.ports > 0 && round < times; ++round)
        {
            for (const auto& [pair, bytes] : demands[i].pairs)
            {
                result.circuits.Join(pair.first, pair.second, first, first + share.ports);
            }
            first += share.ports;
        }
        share.ports *= times;
    }
    return result;
}

} // namespace ns3
