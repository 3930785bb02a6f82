// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_INSTALLER_H
#define PHOTONIC_RAILS_FABRIC_INSTALLER_H

#include "rail-cluster.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-topology.h"
#include "ns3/host-network-spec.h"
#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
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
class NicInstaller
{
  public:
    NicInstaller();

    /// Set an attribute of every RdmaNic.
    void SetAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every RdmaQueuePair.
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every RdmaQueuePair, unless SetQueuePairAttribute has set it.
    void SetQueuePairDefault(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every RdmaCongestionControl.
    void SetCongestionControlAttribute(const std::string& name, const AttributeValue& value);

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

  private:
    using Attributes = std::vector<std::pair<std::string, Ptr<const AttributeValue>>>;

    ObjectFactory m_nicFactory;
    Attributes m_queuePairAttributes;
    Attributes m_controlAttributes;
};

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

/// Gives every GPU a port into its scale-up domain, and every domain a switch.
class ScaleUpInstaller
{
  public:
    /// @param generation rates, delays and largest domain
    void SetGeneration(const ScaleUpGeneration& generation);
    /// Set an attribute of every ElectricalSwitch, after the generation has set its own.
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every RdmaNic.
    void SetNicAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every RdmaQueuePair.
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /// What has been built.
    struct Network
    {
        std::vector<Ptr<RdmaNic>> nics;            //!< by GPU
        std::vector<RailCluster::Switch> switches; //!< by domain
    };

    /**
     * @brief Build the networks of all domains. GPU g has the address 172.24.0.1 + g.
     * @param gpus the nodes of all GPUs, domain by domain
     * @param gpusPerDomain as many as the generation allows at most
     * @return NICs and switches
     */
    Network Install(const NodeContainer& gpus, uint32_t gpusPerDomain) const;

  private:
    using Attributes = std::vector<std::pair<std::string, Ptr<const AttributeValue>>>;

    ScaleUpGeneration m_generation;
    Attributes m_switchAttributes;
    NicInstaller m_nicInstaller;
};

/// Gives every GPU a port on its host, every domain a host, and joins the hosts by a network.
class HostNetworkInstaller
{
  public:
    /// @param spec rates, delays and radix
    void SetSpec(const HostNetworkSpec& spec);
    /// Set an attribute of every ElectricalSwitch, of hosts and of the network.
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every RdmaNic.
    void SetNicAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every RdmaQueuePair.
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /// What has been built.
    struct Network
    {
        std::vector<Ptr<RdmaNic>> nics;            //!< by GPU
        std::vector<RailCluster::Switch> switches; //!< hosts by domain, then those between them
    };

    /**
     * @brief Build the network. GPU g has the address 100.64.0.1 + g there.
     * @param gpus the nodes of all GPUs, domain by domain
     * @param gpusPerDomain as many as there are in each
     * @param process that simulates hosts and switches
     * @return NICs and switches
     */
    Network Install(const NodeContainer& gpus, uint32_t gpusPerDomain, uint32_t process) const;

  private:
    using Attributes = std::vector<std::pair<std::string, Ptr<const AttributeValue>>>;

    HostNetworkSpec m_spec;
    Attributes m_switchAttributes;
    NicInstaller m_nicInstaller;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_INSTALLER_H
