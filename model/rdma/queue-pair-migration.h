// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_QUEUE_PAIR_MIGRATION_H
#define PHOTONIC_RAILS_QUEUE_PAIR_MIGRATION_H

#include "path-migration.h"
#include "rdma-queue-pair.h"

#include "ns3/mac48-address.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace ns3
{

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

#endif // PHOTONIC_RAILS_QUEUE_PAIR_MIGRATION_H
