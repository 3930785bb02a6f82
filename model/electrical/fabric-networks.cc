// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-networks.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/range/iterator_range.hpp>
#include <map>
#include <numeric>
#include <tuple>

namespace ns3
{

namespace
{

/// The networks of the switches of a file.
class FabricNetworks
{
  public:
    /// @param content in which each NIC port has a link
    explicit FabricNetworks(FabricContent& content)
        : m_content(content)
    {
        Graph graph(content.switches.size());
        for (const auto& link : content.links)
        {
            boost::add_edge(link.a, link.b, graph);
        }
        FindTiers(graph);
        m_network.resize(content.switches.size());
        const auto networks = boost::connected_components(graph, m_network.data());
        content.joinsRails = networks == 1 && !content.hasCircuits;
    }

    /// @return an error unless one network has all NIC ports, or each rail a network of its own
    std::string CheckRails() const
    {
        for (const auto& one : m_content.switches)
        {
            if (one.tier == 0)
            {
                return "links: switch " + one.name + " is not connected with any NIC port";
            }
        }
        std::map<uint32_t, uint32_t> railOf;    // by network
        std::map<uint32_t, uint32_t> networkOf; // by rail
        for (const auto& nic : m_content.nics)
        {
            const uint32_t rail = nic.gpu % m_content.size.gpusPerDomain;
            const uint32_t network = m_network[nic.switchNumber];
            const bool fits = railOf.emplace(network, rail).first->second == rail &&
                              networkOf.emplace(rail, network).first->second == network;
            if (!m_content.joinsRails && !fits)
            {
                return "links: port " + std::to_string(nic.port) + " of GPU " +
                       std::to_string(nic.gpu) + " on switch " +
                       m_content.switches[nic.switchNumber].name +
                       (m_content.hasCircuits
                            ? ": all NIC ports of a rail lead to one circuit switch, and no others "
                              "do"
                            : ": NIC ports must all be connected, or those of each rail with "
                              "each other only");
            }
        }
        return "";
    }

    /// Order switches by rail, if each has a network of its own, and tier; and NIC ports by switch.
    void SortSwitches()
    {
        std::map<uint32_t, uint32_t> railOf; // by network
        for (const auto& nic : m_content.nics)
        {
            const uint32_t rail = m_content.joinsRails ? 0 : nic.gpu % m_content.size.gpusPerDomain;
            railOf[m_network[nic.switchNumber]] = rail;
        }
        std::vector<uint32_t> order(m_content.switches.size());
        std::iota(order.begin(), order.end(), 0);
        const auto getKey = [&](uint32_t number) {
            return std::make_tuple(railOf[m_network[number]], m_content.switches[number].tier);
        };
        std::stable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
            return getKey(x) < getKey(y);
        });
        std::vector<FabricContent::Switch> sorted;
        std::vector<uint32_t> place(order.size());
        for (const uint32_t number : order)
        {
            place[number] = static_cast<uint32_t>(sorted.size());
            sorted.push_back(m_content.switches[number]);
        }
        m_content.switches = std::move(sorted);
        for (auto& nic : m_content.nics)
        {
            nic.switchNumber = place[nic.switchNumber];
        }
        std::sort(m_content.nics.begin(), m_content.nics.end(), [](const auto& x, const auto& y) {
            return std::tie(x.switchNumber, x.gpu, x.port) <
                   std::tie(y.switchNumber, y.gpu, y.port);
        });
        for (auto& link : m_content.links)
        {
            link.a = place[link.a];
            link.b = place[link.b];
        }
    }

  private:
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

    /// Find the tier of each switch: 0 for a switch that is not connected with any NIC port.
    void FindTiers(const Graph& graph)
    {
        auto& switches = m_content.switches;
        std::vector<uint32_t> order;
        for (const auto& nic : m_content.nics)
        {
            if (switches[nic.switchNumber].tier == 0)
            {
                switches[nic.switchNumber].tier = 1;
                order.push_back(nic.switchNumber);
            }
        }
        for (std::size_t i = 0; i < order.size(); ++i)
        {
            for (const auto next :
                 boost::make_iterator_range(boost::adjacent_vertices(order[i], graph)))
            {
                if (switches[next].tier == 0)
                {
                    switches[next].tier = switches[order[i]].tier + 1;
                    order.push_back(static_cast<uint32_t>(next));
                }
            }
        }
    }

    FabricContent& m_content;
    std::vector<uint32_t> m_network; //!< by switch
};

} // namespace

std::string
ArrangeNetworks(FabricContent& content)
{
    FabricNetworks networks(content);
    const std::string error = networks.CheckRails();
    if (error.empty())
    {
        networks.SortSwitches();
    }
    return error;
}

} // namespace ns3
