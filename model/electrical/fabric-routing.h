// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_ROUTING_H
#define PHOTONIC_RAILS_FABRIC_ROUTING_H

#include "fabric-topology.h"

namespace ns3
{

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

#endif // PHOTONIC_RAILS_FABRIC_ROUTING_H
