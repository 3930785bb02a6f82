// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MANAGEMENT_NETWORK_HELPER_H
#define PHOTONIC_RAILS_MANAGEMENT_NETWORK_HELPER_H

#include "ns3/data-rate.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-helper.h"

namespace ns3
{

/**
 * @brief Builds the electrical network that carries control messages: a star of point-to-point
 * links around one IPv4 switch.
 */
class ManagementNetworkHelper
{
  public:
    ManagementNetworkHelper();

    /**
     * @param latency one-way propagation delay from any node to any other; two links, half each
     */
    void SetLatency(Time latency);

    /// @param rate line rate of the links
    void SetRate(DataRate rate);

    /**
     * @brief Give a node an internet stack and a link to the switch.
     * @param node the node
     * @return its address
     */
    Ipv4Address Attach(Ptr<Node> node);

    /// @return the switch
    Ptr<Node> GetSwitch() const;

  private:
    InternetStackHelper m_stack;
    PointToPointHelper m_link;
    Ipv4AddressHelper m_addresses;
    Ptr<Node> m_switch;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MANAGEMENT_NETWORK_HELPER_H
