// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_NEIGHBOURS_H
#define PHOTONIC_RAILS_CIRCUIT_NEIGHBOURS_H

#include "ns3/ethernet-port-net-device.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4.h"
#include "ns3/mac48-address.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief Static neighbours and routes of a node whose ports are on circuits. Aggregated to a node
 * with an IPv4 stack.
 *
 * A broadcast reaches only the port at the other end of the circuit, so ARP cannot find a neighbour
 * whose circuit is not up. Each port therefore has a permanent entry for each neighbour. (ns-3
 * removes the entries of a port whose link changes; CircuitNeighbours adds them again.)
 *
 * The link partner of a lit port, which the port knows as from LLDP, tells which node the circuit
 * leads to. CircuitNeighbours then routes all addresses of that node over the circuit, and keeps
 * these routes until another port of this node leads there: packets for a node whose circuit is
 * down wait in the queue of the port that led there last.
 */
class CircuitNeighbours : public Object
{
  public:
    static TypeId GetTypeId();

    /// A port of a node.
    struct Neighbour
    {
        Ipv4Address address;
        uint32_t node; //!< any number that the ports of a node have in common
    };

    /// The neighbours, by MAC address.
    using Table = std::map<Mac48Address, Neighbour>;

    /**
     * @param table all ports that circuits may lead to, with those of this node; nodes may share
     * the table, which does not change any more
     */
    void SetTable(std::shared_ptr<const Table> table)
    {
        m_table = std::move(table);
    }

    /**
     * @brief Add a port, after SetTable and AggregateObject.
     * @param device the port
     * @param interface number of its IPv4 interface, which is up
     */
    void AddPort(Ptr<EthernetPortNetDevice> device, uint32_t interface);

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t NOWHERE = 0xffffffff;

    struct Port
    {
        Ptr<EthernetPortNetDevice> device;
        uint32_t interface;
        uint32_t leadsTo{NOWHERE}; //!< the node at the other end of the circuit, while lit
    };

    /// Called when a port becomes dark or lit, or has a new link partner.
    static void LinkChanged(CircuitNeighbours* self, std::size_t port);
    /// Add the permanent entries of a port.
    void AddEntries(const Port& port);
    /// Add the entries of a port, find the node that its circuit leads to, and update the routes.
    void Follow(std::size_t port);
    /// Route the addresses of a node over the first port that leads there, if one does.
    void RouteTo(uint32_t node);
    /// Replace the route to an address.
    void SetRoute(Ipv4Address to, Ipv4Address via, uint32_t interface);

    std::shared_ptr<const Table> m_table;
    std::vector<Port> m_ports;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_NEIGHBOURS_H
