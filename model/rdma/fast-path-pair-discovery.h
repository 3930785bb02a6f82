// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_PAIR_DISCOVERY_H
#define PHOTONIC_RAILS_FAST_PATH_PAIR_DISCOVERY_H

namespace ns3
{

class RdmaNic;
class RdmaQueuePair;

/// Starts a FastPathPair where two queue pairs have their ports and the path between to themselves.
class FastPathPairDiscovery
{
  public:
    /**
     * @brief Start a fast path of a queue pair and its peer.
     * @param nic the NIC of the queue pair
     * @param queuePair the queue pair, whose data packet is next at its port
     * @return true if a fast path computes the traffic of both from now on; otherwise nothing has
     * changed
     */
    static bool Start(RdmaNic& nic, RdmaQueuePair& queuePair);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_PAIR_DISCOVERY_H
