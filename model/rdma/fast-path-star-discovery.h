// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_STAR_DISCOVERY_H
#define PHOTONIC_RAILS_FAST_PATH_STAR_DISCOVERY_H

#include "fast-path-star.h"
#include "fast-path.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

class MacClient;
class RdmaNic;
class RdmaQueuePair;
struct RdmaNicPort;

/**
 * @brief Finds the NIC ports around a switch whose traffic depends on each other, and starts a
 * FastPathStar for these ports.
 *
 * Beginning with one port, the discovery follows every busy queue pair to the port of its peer. The
 * discovery fails if one of the ports or queue pairs does not suit a fast path, or if a queue of
 * the switch could reach a limit.
 */
class FastPathStarDiscovery
{
  public:
    /**
     * @brief Start a fast path of a port and all ports that depend on it.
     * @param nic the NIC of the port
     * @param port the port, which is about to choose a frame
     * @return true if a fast path computes the traffic of the ports from now on
     */
    static bool Start(RdmaNic& nic, RdmaNicPort& port);

  private:
    static constexpr std::size_t MAX_PORTS = 4096;

    /// A port that depends on the first one.
    struct Place
    {
        RdmaNic* nic;
        RdmaNicPort* port;
        FastPathStar::PortEntry entry;
    };

    /// Look for ports around the switch that a port leads to.
    explicit FastPathStarDiscovery(const RdmaNicPort& port);
    /// @return true if a port has been added
    bool AddPort(RdmaNic& nic, RdmaNicPort& port);
    /// @return true if all busy queue pairs of a port, their peers, and the ports of these have
    /// been added
    bool AddQueuePairs(std::size_t place);
    /// @return true if a queue pair and its peer have been added
    bool AddPair(std::size_t place,
                 RdmaQueuePair& queuePair,
                 RdmaNic& peerNic,
                 RdmaQueuePair& peer);
    /// @return true if the switch has reserved buffer space for all ports
    bool ReserveBuffer();
    /// @return the index of a port in m_places; their number if the port has not been added
    std::size_t Find(const RdmaNicPort& port) const;
    /// @return true if a queue pair has been added
    bool Has(const RdmaQueuePair& queuePair) const;
    /// Order the ports by the ports of the switch they lead to.
    void Sort();
    /// @return true if packets have been replaced by a fast path
    bool Begin(const RdmaNicPort& first);

    MacClient* m_client; //!< the switch, or null
    FastPathHop* m_hop;  //!< the same
    uint32_t m_process;
    DataRate m_rate;
    FastPathHop::Flow m_flow; //!< priorities of all queue pairs, and the largest frame
    Time m_delay;             //!< longest delay from a port to the switch
    std::vector<Place> m_places;
    std::vector<FastPathStar::QueuePairEntry> m_queuePairs;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_STAR_DISCOVERY_H
