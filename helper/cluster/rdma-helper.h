// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_HELPER_H
#define PHOTONIC_RAILS_RDMA_HELPER_H

#include "ns3/rdma-connection.h"
#include "ns3/rdma-nic.h"

#include <utility>
#include <vector>

namespace ns3
{

/// Connects NICs: plays the part of the out-of-band exchange of addresses and queue pair numbers.
class RdmaHelper
{
  public:
    /// The two ends of a connection.
    using ConnectionPair = std::pair<Ptr<RdmaConnection>, Ptr<RdmaConnection>>;

    /// The ports that lead to a rank's neighbours on a ring.
    struct RingPorts
    {
        std::vector<uint32_t> next;     //!< the first half of the ports
        std::vector<uint32_t> previous; //!< the second half; a NIC of one port has it in both
    };

    /**
     * @param ports ports of a NIC
     * @return the split of the ports between the two neighbours
     */
    static RingPorts GetRingPorts(uint32_t ports);

    /**
     * @brief Connect two NICs by one queue pair per pair of ports.
     * @param a one NIC
     * @param portsOfA its ports
     * @param b the other NIC
     * @param portsOfB its ports; the i-th is connected to the i-th of the other
     * @return the ends at a and at b
     */
    static ConnectionPair Connect(Ptr<RdmaNic> a,
                                  const std::vector<uint32_t>& portsOfA,
                                  Ptr<RdmaNic> b,
                                  const std::vector<uint32_t>& portsOfB);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_HELPER_H
