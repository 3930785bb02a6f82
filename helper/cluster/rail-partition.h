// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_PARTITION_H
#define PHOTONIC_RAILS_RAIL_PARTITION_H

#include "ns3/application.h"
#include "ns3/node.h"

#include <cstdint>
#include <vector>

namespace ns3
{

struct FabricTopology;

/**
 * @brief Which process of a distributed run simulates which node.
 *
 * A rail stays in one piece: its switches, optical or electrical, its GPUs and their NICs. Rails
 * that follow each other share a process. Hosts, the management network, the network of hosts and
 * the controller are together on the last process, whose rails are never more than those of
 * another; those of a rail with a controller of its own are where the rail is, and nothing crosses.
 * A switch of a scale-up domain, or one that joins rails, is where the first of what is below it
 * is. So what crosses processes are links between GPUs and hosts, the management links of circuit
 * switches, and fibres of switches that join rails.
 *
 * ns-3 calls the number of a process the system id of its nodes. Every process builds all nodes,
 * in the same order, and gives applications to its own.
 */
class RailPartition
{
  public:
    /**
     * @param processes that share the run, 1 to `rails`
     * @param rails GPUs of a scale-up domain
     */
    explicit RailPartition(uint32_t processes = 1, uint32_t rails = 1);

    /// @return processes that share the run
    uint32_t GetProcesses() const;
    /**
     * @param rail a rail
     * @return the process of its switches, GPUs and NICs
     */
    uint32_t GetProcessOfRail(uint32_t rail) const;
    /// @return the process of hosts, management network and controller, if there is one for all
    uint32_t GetProcessOfHosts() const;

    /**
     * @param topology a fabric of electrical switches
     * @param processOfHost the process of each of its hosts
     * @return the process of each of its switches
     */
    static std::vector<uint32_t> PlaceSwitches(const FabricTopology& topology,
                                               const std::vector<uint32_t>& processOfHost);

    /**
     * @param node a node
     * @return true if this process simulates it
     */
    static bool IsHere(Ptr<const Node> node);

    /**
     * @brief Give an application to a node, if this process simulates the node.
     * @param node a node
     * @param application never starts otherwise
     */
    static void AddApplication(Ptr<Node> node, Ptr<Application> application);

  private:
    uint32_t m_processes;
    uint32_t m_rails;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_PARTITION_H
