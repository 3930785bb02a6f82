// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_TOPOLOGY_H
#define PHOTONIC_RAILS_FABRIC_TOPOLOGY_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The GPUs that a fabric of electrical switches connects, and its switches and links.
 *
 * GPU g is number g % gpusPerDomain of scale-up domain g / gpusPerDomain, and on the rail with the
 * same number.
 */
struct FabricSpec
{
    uint32_t domains{1};       //!< scale-up domains, at least 1
    uint32_t gpusPerDomain{1}; //!< GPUs of each, at least 1; also the number of rails
    uint32_t nicPorts{1};      //!< NIC ports of a GPU, at least 1
    DataRate portRate;         //!< rate of a NIC port, above 0
    DataRate fabricRate;       //!< rate of a link between switches; 0 means portRate
    uint32_t radix{64};        //!< maximum number of ports of a switch
    uint32_t down{1}; //!< oversubscription of the lowest tier is down : up, each 1 to 1000;
    uint32_t up{1};   //!< `down` counts bandwidth to hosts, `up` to the next tier
    Time hostDelay;   //!< propagation delay from NIC to switch
    Time spineDelay;  //!< from tier 1 to tier 2
    Time coreDelay;   //!< from tier 2 to tier 3

    /// @return NIC ports of all GPUs
    uint64_t GetHosts() const
    {
        return uint64_t{domains} * gpusPerDomain * nicPorts;
    }

    /// @return fabricRate, or portRate if fabricRate is 0
    DataRate GetFabricRate() const
    {
        return fabricRate.GetBitRate() == 0 ? portRate : fabricRate;
    }

    /// @return an empty string, or the error in counts, rates or ratio
    std::string Check() const;
};

/**
 * @brief Hosts, switches and the links between them: a plain description that pure functions make.
 *
 * A host is one NIC port. Hosts are in the order of their addresses, which each topology chooses so
 * that the hosts behind a switch are a range. Switches are ordered by tier within each connected
 * network. The ports of a switch are numbered in the order of its links: first links to hosts and
 * lower tiers.
 */
struct FabricTopology
{
    struct Host
    {
        uint32_t gpu;  //!< the GPU
        uint32_t port; //!< the NIC port of the GPU
    };

    struct Switch
    {
        uint32_t tier;     //!< 1 for switches with hosts
        std::string name;  //!< unique
        uint32_t ports{0}; //!< ports that links use
    };

    /// A link. Its ends are numbered: first all hosts, then all switches.
    struct Link
    {
        uint32_t lower; //!< a host, or a switch
        uint32_t upper; //!< a switch of the next tier
        DataRate rate;  //!< in each direction
        Time delay;     //!< propagation
    };

    std::vector<Host> hosts;
    std::vector<Switch> switches;
    std::vector<Link> links;

    /// @return number of hosts and switches
    uint32_t GetNEnds() const
    {
        return static_cast<uint32_t>(hosts.size() + switches.size());
    }

    /// @return true if an end is a switch
    bool IsSwitch(uint32_t end) const
    {
        return end >= hosts.size();
    }

    /// @return the number of a switch as an end
    uint32_t GetEnd(uint32_t number) const
    {
        return static_cast<uint32_t>(hosts.size()) + number;
    }

    /// Add a switch. @return the number of the switch
    uint32_t AddSwitch(uint32_t tier, const std::string& name);
    /// Add a host, before the first link. @return the number of the host as an end
    uint32_t AddHost(uint32_t gpu, uint32_t port);
    /**
     * @brief Join two ends by parallel links.
     * @param lower a host or a switch
     * @param upper a switch
     * @param count number of links
     * @param rate rate of each link
     * @param delay propagation delay of each link
     */
    void Join(uint32_t lower, uint32_t upper, uint32_t count, DataRate rate, Time delay);

    /**
     * @brief Describe a network of GPUs with one port each.
     * @param domains scale-up domains
     * @param gpusPerDomain GPUs of each domain
     * @param before text before the number of a domain in the name of its switch
     * @param after text after the number
     * @param rate rate of each link
     * @param delay propagation delay of each link
     * @return a switch (tier 0) per domain, with the GPUs of the domain
     */
    static FabricTopology JoinDomains(uint32_t domains,
                                      uint32_t gpusPerDomain,
                                      const std::string& before,
                                      const std::string& after,
                                      DataRate rate,
                                      Time delay);
};

/// A topology, or an error.
struct FabricPlan
{
    FabricTopology topology;
    std::string error; //!< one line with the numbers; empty without an error
};

/**
 * @brief Routing tables of all switches of a topology.
 *
 * An entry is a range of hosts and the ports on shortest paths to these hosts, all of equal cost.
 * Adjacent ranges with the same ports are one entry: in the networks of ClosShape and FatTreeShape
 * a switch has an entry for each host or group of hosts below it, and one or two entries for all
 * other hosts, with ports to the next tier. Unreachable hosts have no entry. Links that are down
 * have no part in paths, but the last switch keeps the port of a host whose link is down.
 *
 * The algorithm is one breadth-first search through the switches for every run of hosts on one
 * switch. Time is proportional to (switches with hosts) x (links), memory to the size of the
 * tables.
 */
class FabricRouting
{
  public:
    struct Entry
    {
        uint32_t firstHost;          //!< first host of the range
        uint32_t lastHost;           //!< last host of the range
        std::vector<uint32_t> ports; //!< output ports of the switch, ascending
    };

    /// A port of a switch.
    struct Port
    {
        uint32_t peer; //!< the other end of the link, as in FabricTopology::Link
        uint32_t link; //!< index of the link
        bool isDown;   //!< the link is down
    };

    /**
     * @param topology any topology in which each host has one link
     * @param down indices of the links that are down
     */
    explicit FabricRouting(const FabricTopology& topology, const std::set<uint32_t>& down = {});

    /// @return the entries of a switch, in order of hosts, without overlap
    const std::vector<Entry>& GetTable(uint32_t switchNumber) const
    {
        return m_tables.at(switchNumber);
    }

    /// @return the ports of a switch
    const std::vector<Port>& GetPorts(uint32_t switchNumber) const
    {
        return m_ports.at(switchNumber);
    }

    /// @return the entry of a switch for a host, or null if the host is unreachable
    const Entry* Find(uint32_t switchNumber, uint32_t host) const;

    /// @return the switch at the other end of the link of a host
    uint32_t GetFirstSwitch(uint32_t host) const
    {
        return m_firstSwitch.at(host);
    }

    /**
     * @param hopLatency latency of a switch
     * @return an upper bound of the round-trip time between two hosts, without queues and
     * serialisation: the longest of all delays, and the most switches, of shortest paths
     */
    Time GetRoundTrip(Time hopLatency) const
    {
        return 2 * (TimeStep(m_longestWay) + m_mostSwitches * hopLatency);
    }

  private:
    /// Compute the distance of every switch from a switch, and the delay of the longest way.
    void Search(uint32_t from, const std::vector<FabricTopology::Link>& links);
    /// Append the entries of all switches for a run of hosts on the switch of the last search.
    void AppendRun(uint32_t firstHost, uint32_t lastHost, uint32_t on);
    /// Extend the last entry of a table, or add a new one.
    static void Append(std::vector<Entry>& table,
                       uint32_t firstHost,
                       uint32_t lastHost,
                       const std::vector<uint32_t>& ports);

    uint32_t m_hosts;                         //!< number of hosts
    std::vector<uint32_t> m_firstSwitch;      //!< by host
    std::vector<uint32_t> m_firstPort;        //!< by host: the port of m_firstSwitch
    std::vector<std::vector<Port>> m_ports;   //!< by switch
    std::vector<std::vector<Entry>> m_tables; //!< by switch
    std::vector<uint32_t> m_distance;         //!< by switch: distance in the last search
    std::vector<uint32_t> m_order;            //!< switches in the order of the last search
    std::vector<int64_t> m_way;       //!< by switch: most delay in the last search, in time steps
    std::vector<int64_t> m_hostDelay; //!< by switch: most delay to a host on it; -1 without hosts
    int64_t m_longestWay{0};          //!< delay between two hosts, in time steps
    uint32_t m_mostSwitches{0};       //!< between two hosts
};

/**
 * @brief The names by which users select switches of a fabric, and links between switches. Pure.
 *
 * A switch is selected by its name, or by its number in the topology. A link is selected by its two
 * switches in any order, such as "leaf 0/spine 1", and further parallel links by a number from 1
 * on, such as "leaf 0/spine 1/1". Names are tried before numbers.
 */
class FabricNames
{
  public:
    /// @param topology a fabric
    explicit FabricNames(std::shared_ptr<const FabricTopology> topology);

    /// @return number of switches
    uint32_t CountSwitches() const
    {
        return static_cast<uint32_t>(m_topology->switches.size());
    }

    /// @return number of links between switches
    uint32_t CountLinks() const
    {
        return static_cast<uint32_t>(m_links.size());
    }

    /**
     * @param index from 0 to below CountLinks
     * @return index of the link in the topology
     */
    uint32_t GetLink(uint32_t index) const
    {
        return m_links.at(index).link;
    }

    /// @param text name or number @return the number of the switch, or nothing
    std::optional<uint32_t> FindSwitch(const std::string& text) const;
    /// @param text two switches @return index of the link in the topology, or nothing
    std::optional<uint32_t> FindLink(const std::string& text) const;

    /// @param number of a switch @return its name
    const std::string& GetSwitchName(uint32_t number) const
    {
        return m_topology->switches.at(number).name;
    }

    /// @param link index in the topology of a link between switches @return its name
    std::string GetLinkName(uint32_t link) const;

  private:
    /// A link between switches.
    struct Link
    {
        uint32_t link;  //!< index in the topology
        uint32_t lower; //!< number of the switch of the lower tier
        uint32_t upper; //!< number of the other switch
        uint32_t rank;  //!< number of links between these switches before this one
    };

    /// @return "first/second", or "first/second/rank"
    static std::string Join(const std::string& first, const std::string& second, uint32_t rank);

    /// @return the number of a switch as text, or its name
    std::string Print(uint32_t number, bool hasNumbers) const
    {
        return hasNumbers ? std::to_string(number) : GetSwitchName(number);
    }

    std::shared_ptr<const FabricTopology> m_topology;
    std::vector<Link> m_links;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_TOPOLOGY_H
