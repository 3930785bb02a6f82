// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_TOPOLOGY_H
#define PHOTONIC_RAILS_FABRIC_TOPOLOGY_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief What a fabric of electrical switches has to join, and from what.
 *
 * GPU g is number g % gpusPerDomain of scale-up domain g / gpusPerDomain, and on the rail of that
 * number.
 */
struct FabricSpec
{
    uint32_t domains{1};       //!< scale-up domains, at least 1
    uint32_t gpusPerDomain{1}; //!< GPUs of each, at least 1; also the number of rails
    uint32_t nicPorts{1};      //!< NIC ports of a GPU, at least 1
    DataRate portRate;         //!< of a NIC port, above 0
    DataRate fabricRate;       //!< of a link between switches; 0 stands for portRate
    uint32_t radix{64};        //!< most ports that a switch may use
    uint32_t arity{0};         //!< k of a k-ary fat-tree, even; 0 for as few switches as suffice
    uint32_t down{1};          //!< bandwidth to hosts, 1 to 1000, is at most down : up times
    uint32_t up{1};            //!< that to the next tier, 1 to 1000, where hosts attach
    Time hostDelay;            //!< propagation delay from NIC to switch
    Time spineDelay;           //!< from tier 1 to tier 2
    Time coreDelay;            //!< from tier 2 to tier 3

    /// @return NIC ports of all GPUs
    uint64_t GetHosts() const;
    /// @return fabricRate, or portRate if there is none
    DataRate GetFabricRate() const;
    /// @return an empty string, or what is wrong with counts, rates and ratio
    std::string Check() const;
};

/**
 * @brief Hosts, switches and the links between them: a plain description, made by pure functions.
 *
 * A host is one NIC port. Hosts stand in the order of their addresses, which each topology chooses
 * so that what lies behind a switch is a range of them. Switches stand tier by tier within
 * what is connected. The ports of a
 * switch are numbered in the order of the links that name it: first those to hosts and lower tiers.
 */
struct FabricTopology
{
    struct Host
    {
        uint32_t gpu;  //!< a GPU
        uint32_t port; //!< one of its NIC ports
    };

    struct Switch
    {
        uint32_t tier;     //!< 1 next to the hosts
        std::string name;  //!< unique
        uint32_t ports{0}; //!< ports that links use
    };

    /// The ends are numbered through: hosts first, then switches.
    struct Link
    {
        uint32_t lower; //!< a host, or a switch
        uint32_t upper; //!< a switch of the next tier
        DataRate rate;  //!< each way
        Time delay;     //!< propagation
    };

    std::vector<Host> hosts;
    std::vector<Switch> switches;
    std::vector<Link> links;

    /// @return hosts and switches
    uint32_t GetNEnds() const;
    /// @return true if an end is a switch
    bool IsSwitch(uint32_t end) const;
    /// @return the end that a switch is
    uint32_t GetEnd(uint32_t number) const;

    /// @return the number of a new switch
    uint32_t AddSwitch(uint32_t tier, const std::string& name);
    /// @return the end that a new host is; all hosts come before the first link
    uint32_t AddHost(uint32_t gpu, uint32_t port);
    /**
     * @brief Join two ends by parallel links.
     * @param lower a host or a switch
     * @param upper a switch
     * @param count links
     * @param rate of each
     * @param delay of each
     */
    void Join(uint32_t lower, uint32_t upper, uint32_t count, DataRate rate, Time delay);
};

/// A topology, or why there is none.
struct FabricPlan
{
    FabricTopology topology;
    std::string error; //!< one line that names the numbers; empty if there is a topology
};

/**
 * @brief Routing tables of all switches of a topology, computed from it.
 *
 * An entry is a range of hosts and the ports that lie on a shortest path to them, all of equal
 * cost. Neighbouring ranges with the same ports are one entry: in the networks of ClosShape and
 * FatTreeShape a switch has an entry per host or group of hosts below it and one or two for all
 * others, which lead up. Hosts that cannot be reached have no entry.
 *
 * One breadth-first search through the switches for every run of hosts on one switch: time in
 * proportion to (switches with hosts) x (links), memory to the tables that come out.
 */
class FabricRouting
{
  public:
    struct Entry
    {
        uint32_t firstHost;          //!< first of a range,
        uint32_t lastHost;           //!< and last
        std::vector<uint32_t> ports; //!< of the switch, ascending
    };

    /// One end of a link, as a switch sees it.
    struct Port
    {
        uint32_t peer; //!< the end at the other side, as in FabricTopology::Link
        uint32_t link; //!< the link
    };

    /// @param topology a network of any shape whose hosts have one link each
    explicit FabricRouting(const FabricTopology& topology);

    /// @return the entries of a switch, in order of hosts, without overlap
    const std::vector<Entry>& GetTable(uint32_t switchNumber) const;
    /// @return the ports of a switch
    const std::vector<Port>& GetPorts(uint32_t switchNumber) const;
    /// @return the entry of a switch for a host, or null if there is no way
    const Entry* Find(uint32_t switchNumber, uint32_t host) const;
    /// @return the switch that a host is on
    uint32_t GetFirstSwitch(uint32_t host) const;

  private:
    /// Find how far every switch is from a switch.
    void Search(uint32_t from);
    /// Append the entries of all switches for a run of hosts on the switch of the last search.
    void AppendRun(uint32_t firstHost, uint32_t lastHost, uint32_t on);
    /// Append to the last entry of a table, or as a new one.
    static void Append(std::vector<Entry>& table,
                       uint32_t firstHost,
                       uint32_t lastHost,
                       const std::vector<uint32_t>& ports);

    uint32_t m_hosts;                         //!< number of hosts
    std::vector<uint32_t> m_firstSwitch;      //!< by host
    std::vector<uint32_t> m_firstPort;        //!< by host: the port of that switch
    std::vector<std::vector<Port>> m_ports;   //!< by switch
    std::vector<std::vector<Entry>> m_tables; //!< by switch
    std::vector<uint32_t> m_distance;         //!< by switch, from the one of the last search
    std::vector<uint32_t> m_order;            //!< switches that the last search has found
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_TOPOLOGY_H
