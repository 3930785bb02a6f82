// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HOST_NETWORK_INSTALLER_H
#define PHOTONIC_RAILS_HOST_NETWORK_INSTALLER_H

#include "nic-installer.h"
#include "rail-cluster.h"

#include "ns3/host-network-spec.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

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

#endif // PHOTONIC_RAILS_HOST_NETWORK_INSTALLER_H
