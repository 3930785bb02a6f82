// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PATH_MIGRATION_H
#define PHOTONIC_RAILS_PATH_MIGRATION_H

#include "rdma-queue-pair.h"

#include "ns3/mac48-address.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Circuits between the ports of two NICs when some ports are broken, and the circuit that
 * each queue pair uses.
 *
 * All functions are pure functions of the sets of broken ports. The circuit planner and both ends
 * of a queue pair therefore compute the same result without exchanging messages.
 *
 * Of P ports the first max(1, P/2) lead to the next rank of a ring and the last max(1, P/2) to the
 * previous rank (see CircuitPlanner and RdmaHelper::GetRingPorts). Ports keep their direction,
 * unless all ports of one direction are broken and two or more of the other work: then the first of
 * these changes its direction, so that a ring goes on with four ports of which two are left. Port k
 * towards the next rank is connected to port k of the next rank's ports towards its
 * previous rank if both work. The working ports that remain on both sides are connected in order.
 * A connector therefore has as many circuits as its side with fewer working ports has working
 * ports. A pair of ranks has one connector in each direction. If neither connector has a circuit,
 * the working ports of both NICs are connected regardless of direction.
 *
 * A queue pair whose ports are no longer connected to each other moves to a circuit of its
 * connector. If the connector has no circuit, the queue pair moves to another circuit of the pair
 * of ranks.
 */
class PathMigration
{
  public:
    /// A circuit: a port of the first NIC and the port of the second NIC connected to that port.
    using Link = std::pair<uint32_t, uint32_t>;
    using Links = std::vector<Link>;
    /// Ports of a NIC, counted from 0.
    using Ports = std::set<uint32_t>;

    /**
     * @brief Compute the circuits from a rank to the next rank of a ring or line.
     * @param ports number of ports of each NIC, at least 1
     * @param broken broken ports of the rank
     * @param brokenOfNext broken ports of the next rank
     * @return the circuits, each as a port of the rank and a port of the next rank
     */
    static Links GetConnector(uint32_t ports, const Ports& broken, const Ports& brokenOfNext);

    /**
     * @brief Compute all circuits of a pair of ranks.
     * @param ports number of ports of each NIC, at least 1
     * @param broken broken ports of the first rank
     * @param brokenOfPeer broken ports of the second rank
     * @return the circuits, each as a port of the first rank and a port of the second rank
     */
    static Links GetPair(uint32_t ports, const Ports& broken, const Ports& brokenOfPeer);

    /**
     * @brief Find the circuit that a queue pair uses.
     * @param link the ports that the queue pair was created for
     * @param ports number of ports of each NIC, at least 1
     * @param broken broken ports of this end
     * @param brokenOfPeer broken ports of the remote end
     * @return the ports of the circuit; the remote end finds the same circuit. Empty if all ports
     * of an end are broken, or if the queue pair was not created for a connector of a ring
     */
    static std::optional<Link> Find(const Link& link,
                                    uint32_t ports,
                                    const Ports& broken,
                                    const Ports& brokenOfPeer);
};

/**
 * @brief Keeps the failed ports of a NIC and its peers, and the ports for which queue pairs that
 * have moved were made. Finds the ports that a queue pair must use (see PathMigration).
 */
class QueuePairMigration
{
  public:
    /**
     * @param ports MAC addresses of all ports that no queue pair may use
     * @return false if the ports are the same as before
     */
    bool SetFailedPorts(const std::set<Mac48Address>& ports)
    {
        const bool isNew = ports != m_failed;
        m_failed = ports;
        return isNew;
    }

    /**
     * @brief Find the working ports that a queue pair must move to. After repairs these are the
     * ports that it was made for.
     * @param queuePair a connected queue pair of the NIC
     * @param port the index of the port it uses
     * @param ports the ports of the NIC
     * @return indexes of a port of the NIC and of the peer's NIC; empty if the queue pair stays
     */
    std::optional<PathMigration::Link> FindMove(const RdmaQueuePair& queuePair,
                                                uint32_t port,
                                                const RdmaPorts& ports);

  private:
    /// The ports for which a queue pair was made.
    struct Origin
    {
        uint32_t port;
        Mac48Address peerMac;
    };

    /// @return indexes of the ports that have failed
    PathMigration::Ports GetFailed(const RdmaPorts& ports) const;

    std::set<Mac48Address> m_failed;
    std::map<uint32_t, Origin> m_origins; //!< by number of the queue pair; only those that moved
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PATH_MIGRATION_H
