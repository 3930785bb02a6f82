// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCALE_UP_INSTALLER_H
#define PHOTONIC_RAILS_SCALE_UP_INSTALLER_H

#include "nic-installer.h"
#include "rail-cluster.h"

#include "ns3/object-factory.h"
#include "ns3/scale-up-generation.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

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

} // namespace ns3

#endif // PHOTONIC_RAILS_SCALE_UP_INSTALLER_H
