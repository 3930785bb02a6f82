// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LANE_CONNECTOR_H
#define PHOTONIC_RAILS_LANE_CONNECTOR_H

#include "ns3/collective-lane.h"
#include "ns3/rail-cluster.h"
#include "ns3/rdma-helper.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/// Finds the way between two GPUs of a cluster and makes lanes over it.
class LaneConnector
{
  public:
    /// How two GPUs reach each other.
    enum Way
    {
        SCALE_UP,  //!< over the network of their scale-up domain
        FABRIC,    //!< over the fabric between domains
        HOSTS,     //!< over the host network
        RELAYED,   //!< through a GPU that the one reaches over SCALE_UP and the other over FABRIC
        FORWARDED, //!< through GPUs of the rail, along circuits that stay
        NONE,      //!< not at all
    };

    /// The two ends of a lane.
    using LanePair = std::pair<std::unique_ptr<CollectiveLane>, std::unique_ptr<CollectiveLane>>;

    /**
     * @param cluster the GPUs, which outlive this object
     * @param overHosts between domains, over the host network instead of the fabric
     */
    explicit LaneConnector(const RailCluster& cluster, bool overHosts = false);

    /**
     * @param a a GPU
     * @param b another GPU
     * @return the way from the one to the other, the same in both directions
     */
    Way GetWay(uint32_t a, uint32_t b) const;

    /**
     * @param from a GPU
     * @param to another GPU
     * @return the GPU that shares the domain with the first and the rail with the second
     */
    uint32_t GetProxy(uint32_t from, uint32_t to) const;

    /**
     * @param a a GPU
     * @param b another GPU, which it reaches over SCALE_UP, or over FABRIC but for circuits that
     * stay or rotate
     * @param kind of the lane between them
     * @return ports of the NIC of the one and of the other that the lane joins
     */
    std::vector<std::pair<uint32_t, uint32_t>> GetPortPairs(uint32_t a,
                                                            uint32_t b,
                                                            CollectiveLaneKind kind) const;

    /**
     * @brief Connect two GPUs between which there is a way.
     * @param a a GPU
     * @param b another GPU
     * @param kind LANE_DIRECT, or LANE_NEXT if b follows a on a ring
     * @param chunkBytes size of the pieces in which relays pass a message on
     * @return the ends at a and at b
     */
    LanePair Connect(uint32_t a, uint32_t b, CollectiveLaneKind kind, uint64_t chunkBytes) const;

  private:
    /// Connect two NICs over the ports that belong to a kind of lane.
    static RdmaHelper::ConnectionPair ConnectNics(Ptr<RdmaNic> a,
                                                  Ptr<RdmaNic> b,
                                                  CollectiveLaneKind kind);

    /// Connect two GPUs over the fabric.
    RdmaHelper::ConnectionPair ConnectFabric(uint32_t a, uint32_t b, CollectiveLaneKind kind) const;

    /// Connect two GPUs over the circuits between them that stay.
    RdmaHelper::ConnectionPair ConnectStanding(uint32_t a,
                                               uint32_t b,
                                               CollectiveLaneKind kind) const;

    /// The ends of one direction between GPUs along a row of circuits that stay.
    RdmaHelper::ConnectionPair ConnectForwarded(uint32_t from, uint32_t to) const;

    /// The ends of one direction between GPUs that reach each other through a relay.
    RdmaHelper::ConnectionPair ConnectRelayed(uint32_t from,
                                              uint32_t to,
                                              CollectiveLaneKind kind) const;

    /// Connect two GPUs over the one-hop network of a way.
    RdmaHelper::ConnectionPair ConnectDirectly(uint32_t a,
                                               uint32_t b,
                                               Way way,
                                               CollectiveLaneKind kind) const;

    const RailCluster& m_cluster;
    bool m_overHosts;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LANE_CONNECTOR_H
