// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-topology.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace ns3
{

std::string
FabricSpec::Check() const
{
    if (domains == 0 || gpusPerDomain == 0 || nicPorts == 0)
    {
        return "a fabric needs at least one domain of one GPU with one NIC port";
    }
    if (portRate.GetBitRate() == 0)
    {
        return "the line rate of a NIC port must be above 0";
    }
    if (down == 0 || down > 1000 || up == 0 || up > 1000)
    {
        return "an oversubscription of " + std::to_string(down) + ":" + std::to_string(up) +
               " is none: both numbers must be from 1 to 1000";
    }
    // A host part of 24 bits in addresses, without network and broadcast address.
    if (GetHosts() > (1 << 24) - 2)
    {
        return std::to_string(GetHosts()) + " NIC ports need more addresses than 10.0.0.0/8 has";
    }
    return "";
}

uint32_t
FabricTopology::AddSwitch(uint32_t tier, const std::string& name)
{
    switches.push_back({tier, name, 0});
    return static_cast<uint32_t>(switches.size() - 1);
}

uint32_t
FabricTopology::AddHost(uint32_t gpu, uint32_t port)
{
    NS_ASSERT_MSG(links.empty(), "links count the ends of switches from the number of hosts");
    hosts.push_back({gpu, port});
    return static_cast<uint32_t>(hosts.size() - 1);
}

void
FabricTopology::Join(uint32_t lower, uint32_t upper, uint32_t count, DataRate rate, Time delay)
{
    NS_ASSERT(IsSwitch(upper));
    for (uint32_t i = 0; i < count; ++i)
    {
        links.push_back({lower, upper, rate, delay});
    }
    switches[upper - hosts.size()].ports += count;
    if (IsSwitch(lower))
    {
        switches[lower - hosts.size()].ports += count;
    }
}

FabricTopology
FabricTopology::JoinDomains(uint32_t domains,
                            uint32_t gpusPerDomain,
                            const std::string& before,
                            const std::string& after,
                            DataRate rate,
                            Time delay)
{
    FabricTopology topology;
    for (uint32_t gpu = 0; gpu < domains * gpusPerDomain; ++gpu)
    {
        topology.AddHost(gpu, 0);
    }
    for (uint32_t domain = 0; domain < domains; ++domain)
    {
        topology.AddSwitch(0, before + std::to_string(domain) + after);
    }
    for (uint32_t gpu = 0; gpu < domains * gpusPerDomain; ++gpu)
    {
        topology.Join(gpu, topology.GetEnd(gpu / gpusPerDomain), 1, rate, delay);
    }
    return topology;
}

namespace
{

constexpr uint32_t UNKNOWN = std::numeric_limits<uint32_t>::max();

} // namespace

FabricRouting::FabricRouting(const FabricTopology& topology, const std::set<uint32_t>& down)
    : m_hosts(static_cast<uint32_t>(topology.hosts.size())),
      m_firstSwitch(topology.hosts.size(), UNKNOWN),
      m_firstPort(topology.hosts.size(), UNKNOWN),
      m_ports(topology.switches.size()),
      m_tables(topology.switches.size()),
      m_distance(topology.switches.size(), UNKNOWN),
      m_way(topology.switches.size()),
      m_hostDelay(topology.switches.size(), -1)
{
    for (uint32_t i = 0; i < topology.links.size(); ++i)
    {
        const auto& link = topology.links[i];
        auto& upperPorts = m_ports[link.upper - m_hosts];
        const bool isDown = down.count(i) > 0;
        upperPorts.push_back({link.lower, i, isDown});
        if (topology.IsSwitch(link.lower))
        {
            m_ports[link.lower - m_hosts].push_back({link.upper, i, isDown});
        }
        else
        {
            NS_ABORT_MSG_UNLESS(m_firstSwitch[link.lower] == UNKNOWN, "a host has one link");
            m_firstSwitch[link.lower] = link.upper - m_hosts;
            m_firstPort[link.lower] = static_cast<uint32_t>(upperPorts.size() - 1);
            int64_t& delay = m_hostDelay[link.upper - m_hosts];
            delay = std::max(delay, link.delay.GetTimeStep());
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
        Search(on, topology.links);
        AppendRun(first, last, on);
        first = last + 1;
    }
    for (auto& table : m_tables)
    {
        table.shrink_to_fit();
    }
}

void
FabricRouting::Search(uint32_t from, const std::vector<FabricTopology::Link>& links)
{
    for (const uint32_t found : m_order)
    {
        m_distance[found] = UNKNOWN;
    }
    m_order.assign(1, from);
    m_distance[from] = 0;
    m_way[from] = m_hostDelay[from];
    for (std::size_t i = 0; i < m_order.size(); ++i)
    {
        const uint32_t at = m_order[i];
        if (m_hostDelay[at] >= 0)
        {
            m_longestWay = std::max(m_longestWay, m_way[at] + m_hostDelay[at]);
            m_mostSwitches = std::max(m_mostSwitches, m_distance[at] + 1);
        }
        for (const auto& port : m_ports[at])
        {
            const uint32_t next = port.peer - m_hosts;
            if (port.isDown || port.peer < m_hosts)
            {
                continue;
            }
            if (m_distance[next] == UNKNOWN)
            {
                m_distance[next] = m_distance[at] + 1;
                m_way[next] = 0;
                m_order.push_back(next);
            }
            if (m_distance[next] == m_distance[at] + 1)
            {
                m_way[next] =
                    std::max(m_way[next], m_way[at] + links[port.link].delay.GetTimeStep());
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
            const auto& [peer, link, isDown] = m_ports[at][number];
            if (!isDown && peer >= m_hosts && m_distance[peer - m_hosts] + 1 == m_distance[at])
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

FabricNames::FabricNames(std::shared_ptr<const FabricTopology> topology)
    : m_topology(std::move(topology))
{
    const auto hosts = static_cast<uint32_t>(m_topology->hosts.size());
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> parallel;
    for (uint32_t i = 0; i < m_topology->links.size(); ++i)
    {
        const auto& link = m_topology->links[i];
        if (m_topology->IsSwitch(link.lower))
        {
            const auto ends = std::minmax(link.lower, link.upper);
            m_links.push_back({i, link.lower - hosts, link.upper - hosts, parallel[ends]++});
        }
    }
}

std::optional<uint32_t>
FabricNames::FindSwitch(const std::string& text) const
{
    for (const bool hasNumbers : {false, true})
    {
        for (uint32_t number = 0; number < CountSwitches(); ++number)
        {
            if (Print(number, hasNumbers) == text)
            {
                return number;
            }
        }
    }
    return std::nullopt;
}

std::optional<uint32_t>
FabricNames::FindLink(const std::string& text) const
{
    for (const bool hasNumbers : {false, true})
    {
        for (const Link& link : m_links)
        {
            const std::string lower = Print(link.lower, hasNumbers);
            const std::string upper = Print(link.upper, hasNumbers);
            if (text == Join(lower, upper, link.rank) || text == Join(upper, lower, link.rank))
            {
                return link.link;
            }
        }
    }
    return std::nullopt;
}

std::string
FabricNames::GetLinkName(uint32_t link) const
{
    const auto found = std::find_if(m_links.begin(), m_links.end(), [link](const Link& one) {
        return one.link == link;
    });
    return Join(GetSwitchName(found->lower), GetSwitchName(found->upper), found->rank);
}

std::string
FabricNames::Join(const std::string& first, const std::string& second, uint32_t rank)
{
    return first + "/" + second + (rank > 0 ? "/" + std::to_string(rank) : "");
}

} // namespace ns3
