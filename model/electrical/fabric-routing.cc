// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-routing.h"

#include "ns3/abort.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

constexpr uint32_t UNKNOWN = std::numeric_limits<uint32_t>::max();

} // namespace

FabricRouting::FabricRouting(const FabricTopology& topology)
    : m_hosts(static_cast<uint32_t>(topology.hosts.size())),
      m_firstSwitch(topology.hosts.size(), UNKNOWN),
      m_firstPort(topology.hosts.size(), UNKNOWN),
      m_ports(topology.switches.size()),
      m_tables(topology.switches.size()),
      m_distance(topology.switches.size(), UNKNOWN)
{
    for (uint32_t i = 0; i < topology.links.size(); ++i)
    {
        const auto& link = topology.links[i];
        auto& upperPorts = m_ports[link.upper - m_hosts];
        upperPorts.push_back({link.lower, i});
        if (topology.IsSwitch(link.lower))
        {
            m_ports[link.lower - m_hosts].push_back({link.upper, i});
        }
        else
        {
            NS_ABORT_MSG_UNLESS(m_firstSwitch[link.lower] == UNKNOWN, "a host has one link");
            m_firstSwitch[link.lower] = link.upper - m_hosts;
            m_firstPort[link.lower] = static_cast<uint32_t>(upperPorts.size() - 1);
        }
    }
    for (uint32_t first = 0; first < m_hosts;)
    {
        const uint32_t on = m_firstSwitch[first];
        NS_ABORT_MSG_IF(on == UNKNOWN, "host " << first << " has no link");
        uint32_t last = first;
        while (last + 1 < m_hosts && m_firstSwitch[last + 1] == on)
        {
            ++last;
        }
        Search(on);
        AppendRun(first, last, on);
        first = last + 1;
    }
    for (auto& table : m_tables)
    {
        table.shrink_to_fit();
    }
}

void
FabricRouting::Search(uint32_t from)
{
    for (const uint32_t found : m_order)
    {
        m_distance[found] = UNKNOWN;
    }
    m_order.assign(1, from);
    m_distance[from] = 0;
    for (std::size_t i = 0; i < m_order.size(); ++i)
    {
        const uint32_t at = m_order[i];
        for (const auto& port : m_ports[at])
        {
            const uint32_t next = port.peer - m_hosts;
            if (port.peer >= m_hosts && m_distance[next] == UNKNOWN)
            {
                m_distance[next] = m_distance[at] + 1;
                m_order.push_back(next);
            }
        }
    }
}

void
FabricRouting::AppendRun(uint32_t firstHost, uint32_t lastHost, uint32_t on)
{
    std::vector<uint32_t> ports;
    for (uint32_t host = firstHost; host <= lastHost; ++host)
    {
        ports.assign(1, m_firstPort[host]);
        Append(m_tables[on], host, host, ports);
    }
    for (std::size_t i = 1; i < m_order.size(); ++i)
    {
        const uint32_t at = m_order[i];
        ports.clear();
        for (uint32_t number = 0; number < m_ports[at].size(); ++number)
        {
            const uint32_t peer = m_ports[at][number].peer;
            if (peer >= m_hosts && m_distance[peer - m_hosts] + 1 == m_distance[at])
            {
                ports.push_back(number);
            }
        }
        Append(m_tables[at], firstHost, lastHost, ports);
    }
}

void
FabricRouting::Append(std::vector<Entry>& table,
                      uint32_t firstHost,
                      uint32_t lastHost,
                      const std::vector<uint32_t>& ports)
{
    if (!table.empty() && table.back().lastHost + 1 == firstHost && table.back().ports == ports)
    {
        table.back().lastHost = lastHost;
        return;
    }
    table.push_back({firstHost, lastHost, ports});
}

const std::vector<FabricRouting::Entry>&
FabricRouting::GetTable(uint32_t switchNumber) const
{
    return m_tables.at(switchNumber);
}

const std::vector<FabricRouting::Port>&
FabricRouting::GetPorts(uint32_t switchNumber) const
{
    return m_ports.at(switchNumber);
}

const FabricRouting::Entry*
FabricRouting::Find(uint32_t switchNumber, uint32_t host) const
{
    const auto& table = m_tables.at(switchNumber);
    const auto after =
        std::upper_bound(table.begin(), table.end(), host, [](uint32_t wanted, const Entry& entry) {
            return wanted < entry.firstHost;
        });
    if (after == table.begin() || std::prev(after)->lastHost < host)
    {
        return nullptr;
    }
    return &*std::prev(after);
}

uint32_t
FabricRouting::GetFirstSwitch(uint32_t host) const
{
    return m_firstSwitch.at(host);
}

} // namespace ns3
