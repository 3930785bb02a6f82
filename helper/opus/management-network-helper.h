// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MANAGEMENT_NETWORK_HELPER_H
#define PHOTONIC_RAILS_MANAGEMENT_NETWORK_HELPER_H

#include "ns3/data-rate.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <string>

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
     * @param latency one-way propagation delay between any two nodes, half of it on each of the two
     * links
     */
    void SetLatency(Time latency);

    /// @param rate line rate of the links
    void SetRate(DataRate rate);

    /**
     * @brief Set an attribute of the ManagementPorts of all nodes attached later.
     * @param name name of the attribute
     * @param value its value
     */
    void SetPortAttribute(const std::string& name, const AttributeValue& value)
    {
        m_port.Set(name, value);
    }

    /**
     * @brief Drop frames at random on the links to all nodes attached later.
     * @param share share of dropped frames, 0 to 1
     * @param stream stream of random numbers for the first of the nodes; each node has its own
     * stream
     */
    void SetLoss(double share, int64_t stream);

    /**
     * @brief Let the switch hold each frame for an extra time, so that frames may overtake each
     * other. Call before the first Attach.
     * @param delay extra time in seconds, with its stream of random numbers
     */
    void SetExtraDelay(Ptr<RandomVariableStream> delay)
    {
        m_extraDelay = delay;
    }

    /// @param process process of a distributed run that simulates the switch; 0 by default
    void SetProcess(uint32_t process)
    {
        m_process = process;
    }

    /**
     * @brief Add a ManagementPort and a link to the switch to a node.
     * @param node a node without ManagementPort
     * @return address of the node
     */
    Ipv4Address Attach(Ptr<Node> node);

    /// @return the address of the next attached node
    Ipv4Address GetNext() const;

    /// @return the switch
    Ptr<Node> GetSwitch() const
    {
        return m_switch;
    }

  private:
    PointToPointHelper m_link;
    ObjectFactory m_port;
    double m_loss{0};
    int64_t m_stream{0};
    Ptr<RandomVariableStream> m_extraDelay;
    uint32_t m_attached{0}; //!< number of attached nodes
    uint32_t m_process{0};
    Ptr<Node> m_switch;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MANAGEMENT_NETWORK_HELPER_H
