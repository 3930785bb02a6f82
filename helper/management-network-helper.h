// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MANAGEMENT_NETWORK_HELPER_H
#define PHOTONIC_RAILS_MANAGEMENT_NETWORK_HELPER_H

#include "ns3/data-rate.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-helper.h"

namespace ns3
{

/**
 * @brief Builds the electrical network that carries control messages: a star of point-to-point
 * links around one switch.
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

    /// @param process which process of a distributed run simulates the switch; 0 by default
    void SetProcess(uint32_t process);

    /**
     * @brief Give a node a ManagementPort and a link to the switch.
     * @param node the node, which has none yet
     * @return its address
     */
    Ipv4Address Attach(Ptr<Node> node);

    /// @return the address that the next node will have
    Ipv4Address GetNext() const;

    /// @return the switch
    Ptr<Node> GetSwitch() const;

  private:
    PointToPointHelper m_link;
    uint32_t m_attached{0}; //!< nodes so far
    uint32_t m_process{0};
    Ptr<Node> m_switch;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MANAGEMENT_NETWORK_HELPER_H
