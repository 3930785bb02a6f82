// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NIC_INSTALLER_H
#define PHOTONIC_RAILS_NIC_INSTALLER_H

#include "ns3/data-rate.h"
#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-nic.h"

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

} // namespace ns3

#endif // PHOTONIC_RAILS_NIC_INSTALLER_H
