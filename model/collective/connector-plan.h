// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONNECTOR_PLAN_H
#define PHOTONIC_RAILS_CONNECTOR_PLAN_H

#include "ns3/collective-algorithm.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Lists the queue pairs that each rank of a job must create for all connectors.
 *
 * A connector needs queue pairs at both ends, and each queue pair must know the number of its peer.
 * If each rank creates its queue pairs in the order of GetSides, the k-th queue pair on a NIC has
 * the number of the first one plus k. Ranks therefore exchange only the number of their first queue
 * pair, as NCCL's bootstrap exchanges addresses. Pure.
 */
class ConnectorPlan
{
  public:
    /// The networks on which a rank has a NIC.
    enum Network
    {
        RAIL,     //!< between scale-up domains
        SCALE_UP, //!< inside a scale-up domain
    };

    static constexpr std::size_t NETWORKS = 2;

    /// Ports of a NIC, and of the peer's NIC, in pairs.
    using Ports = std::vector<std::pair<uint32_t, uint32_t>>;

    /// A rank's side of a connector.
    struct Side
    {
        uint32_t group{0};        //!< a number of the caller's
        CollectiveConnectorId id; //!< among the connectors of the group
        uint32_t peer{0};         //!< the rank at the other end
        Network network{RAIL};    //!< that the connector crosses
        Ports ports;              //!< a queue pair each, in this order
        uint32_t first{0};        //!< place of the first of them among those of the rank on the NIC
        uint32_t peerFirst{0};    //!< the same of the peer
    };

    /// @param ranks of the job
    explicit ConnectorPlan(uint32_t ranks);

    /// One end of a connector that is added.
    struct End
    {
        uint32_t rank{0};         //!< the rank
        CollectiveConnectorId id; //!< of the connector, seen from there
    };

    /**
     * @brief Add a connector.
     * @param group a number by which the caller finds its group
     * @param a one end
     * @param b the other end
     * @param network that it crosses
     * @param ports of the NIC of a, and of that of b
     */
    void Add(uint32_t group, const End& a, const End& b, Network network, const Ports& ports);

    /**
     * @param rank a rank
     * @return its sides, in the order in which it has to make them
     */
    const std::vector<Side>& GetSides(uint32_t rank) const;

    /**
     * @param rank a rank
     * @param network a network
     * @return queue pairs that it makes there
     */
    uint32_t GetQueuePairs(uint32_t rank, Network network) const;

  private:
    std::vector<std::vector<Side>> m_sides;                   //!< by rank
    std::vector<std::array<uint32_t, NETWORKS>> m_queuePairs; //!< by rank
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONNECTOR_PLAN_H
