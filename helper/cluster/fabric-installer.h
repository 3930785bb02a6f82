// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_INSTALLER_H
#define PHOTONIC_RAILS_FABRIC_INSTALLER_H

#include "fiber-cabling.h"
#include "rail-cluster.h"

#include "ns3/circuit-fabric.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-topology.h"
#include "ns3/host-network-spec.h"
#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/ocs-technology.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/rdma-nic.h"
#include "ns3/scale-up-generation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Makes NICs of GPUs for one network, all alike.
struct NicInstaller
{
    ObjectFactory factory{"ns3::RdmaNic"}; //!< with the attributes of NICs
    AttributeList queuePair;               //!< attributes of every RdmaQueuePair
    AttributeList congestionControl;       //!< attributes of every RdmaCongestionControl

    /**
     * @brief Make a NIC, and put its ports into a node.
     * @param node gets the ports
     * @param portRate line rate of the ports
     * @param addresses of the ports, in order
     * @return the NIC, which is not yet aggregated to the node
     */
    Ptr<RdmaNic> Install(Ptr<Node> node,
                         DataRate portRate,
                         const std::vector<Ipv4Address>& addresses) const;
};

/**
 * @brief Makes nodes, switches, ports, fibers and routes of a topology.
 *
 * Every switch hashes flows in a
 * way of its own (EcmpSeed), or all tiers would make the same choice; the same base and topology
 * give the same choices.
 */
struct FabricInstaller
{
    ObjectFactory switches{"ns3::ElectricalSwitch"}; //!< with the attributes of switches
    ObjectFactory fibers{"ns3::OpticalFiberLink"};   //!< with the attributes of fibers but Delay
    uint32_t ecmpSeed{0}; //!< number that the seeds of all switches follow from
    /// Process that simulates all switches; if none, each is where the first node below is.
    std::optional<uint32_t> process;

    /// @param routing of a topology @return FabricRouting::GetRoundTrip with these switches
    Time GetRoundTrip(const FabricRouting& routing) const;

    /**
     * @param base as ecmpSeed
     * @param number of a switch in its topology
     * @return the switch's EcmpSeed: it has nothing in common with those of other numbers
     */
    static uint32_t GetSwitchSeed(uint32_t base, uint32_t number);

    /**
     * @param topology the switches and links to build
     * @param routing of the topology
     * @param addresses of the hosts; a route of a switch is a range of them
     * @param hostPorts the NIC port of every host, in the order of the topology's hosts
     * @return the switches, in the order of the topology's
     */
    std::vector<RailCluster::Switch> Install(
        const FabricTopology& topology,
        const FabricRouting& routing,
        const std::vector<Ipv4Address>& addresses,
        const std::vector<Ptr<EthernetPortNetDevice>>& hostPorts) const;

  private:
    /// Put a port for every link into the switches, and fibers between them.
    void Cable(const FabricTopology& topology,
               const std::vector<Ptr<EthernetPortNetDevice>>& hostPorts,
               const std::vector<RailCluster::Switch>& installed) const;
};

/**
 * @brief Gives every GPU a second NIC, on a network beside the fabric: the network of its scale-up
 * domain, or the network of the hosts.
 */
struct SideNetworkInstaller
{
    /// The NICs and switches of such a network.
    struct Network
    {
        std::vector<Ptr<RdmaNic>> nics; //!< by GPU
        /// By domain; of hosts, these first and then the switches that join the hosts.
        std::vector<RailCluster::Switch> switches;
    };

    AttributeList switches; //!< attributes of every ElectricalSwitch, hosts included
    NicInstaller nics;      //!< NICs

    /**
     * @brief Build the networks of all scale-up domains, a switch each. GPU g has the address
     * 172.24.0.1 + g.
     * @param generation rates, delays and largest domain; the list of attributes wins
     * @param gpus the nodes of all GPUs, domain by domain
     * @param gpusPerDomain as many as the generation allows at most
     * @return NICs and switches
     */
    Network Install(const ScaleUpGeneration& generation,
                    const NodeContainer& gpus,
                    uint32_t gpusPerDomain) const;

    /**
     * @brief Build the network of the hosts, of which every domain has one. GPU g has the address
     * 100.64.0.1 + g there.
     * @param spec rates, delays and radix
     * @param gpus the nodes of all GPUs, domain by domain
     * @param gpusPerDomain GPUs of a domain
     * @param process that simulates hosts and switches
     * @return NICs and switches
     */
    Network Install(const HostNetworkSpec& spec,
                    const NodeContainer& gpus,
                    uint32_t gpusPerDomain,
                    uint32_t process) const;
};

/// Makes the optical circuit switches of a cluster, all alike: of a technology, with attributes.
struct OcsInstaller
{
    Variant<OcsTechnology> technology{"polatis"}; //!< of all switches
    AttributeList attributes; //!< of every switch, set after the technology has set its own

    /**
     * @param ports of a switch that are cabled
     * @return an empty string, or why a switch cannot join as many
     */
    std::string Check(uint32_t ports) const;

    /**
     * @param ports of a switch that are cabled, checked
     * @return an idle fabric for Create to copy; null if any matching can be up
     */
    Ptr<CircuitFabric> MakeFabric(uint32_t ports) const;

    /**
     * @param ports of the switch that are cabled, checked
     * @param fabric of which the switch gets a copy, which shares the layout; null if any matching
     * can be up
     * @return a switch
     */
    Ptr<OpticalCircuitSwitch> Create(uint32_t ports, Ptr<const CircuitFabric> fabric) const;

  private:
    /// @return a switch, and why its fabric does not join as many ports
    std::pair<Ptr<OpticalCircuitSwitch>, std::string> Make(uint32_t ports) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_INSTALLER_H
