// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_INSTALLER_H
#define PHOTONIC_RAILS_FABRIC_INSTALLER_H

#include "rail-cluster.h"

#include "ns3/fabric-topology.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief Makes nodes, switches, ports, fibres and routes of a topology.
 *
 * Host i of the topology has the address that is i after the first. Every switch hashes flows in a
 * way of its own (EcmpSeed), or all tiers would make the same choice; the same base and topology
 * give the same choices.
 */
class FabricInstaller
{
  public:
    /**
     * @param switchFactory makes an ElectricalSwitch
     * @param portFactory makes an EthernetPortNetDevice; DataRate and Forwards are set by Install
     * @param fibreFactory makes an OpticalFibreLink; Delay is set by Install
     */
    FabricInstaller(const ObjectFactory& switchFactory,
                    const ObjectFactory& portFactory,
                    const ObjectFactory& fibreFactory);

    /// @param process that simulates all switches; by default each is where what is below it is
    void SetProcess(uint32_t process);

    /// @param base number that the seeds of all switches follow from
    void SetEcmpSeed(uint32_t base);
    /**
     * @param base as set
     * @param number of a switch in its topology
     * @return the switch's EcmpSeed: it has nothing in common with those of other numbers
     */
    static uint32_t GetSwitchSeed(uint32_t base, uint32_t number);

    /**
     * @param topology what to build
     * @param firstAddress of host 0
     * @param hostPorts the NIC port of every host, in the order of the topology's hosts
     * @return the switches, in the order of the topology's
     */
    std::vector<RailCluster::Switch> Install(
        const FabricTopology& topology,
        Ipv4Address firstAddress,
        const std::vector<Ptr<EthernetPortNetDevice>>& hostPorts) const;

  private:
    /// Put a port for every link into the switches, and fibres between them.
    void Cable(const FabricTopology& topology,
               const std::vector<Ptr<EthernetPortNetDevice>>& hostPorts,
               const std::vector<RailCluster::Switch>& switches) const;

    ObjectFactory m_switchFactory;
    ObjectFactory m_portFactory;
    ObjectFactory m_fibreFactory;
    uint32_t m_ecmpSeed{0};
    std::optional<uint32_t> m_process; //!< of all switches, if it has been set
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_INSTALLER_H
