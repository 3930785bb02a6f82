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

/// Finds the path between two GPUs of a cluster and makes lanes over it.
class LaneConnector
{
  public:
    /// The path between two GPUs.
    enum Way
    {
        SCALE_UP,  //!< over the network of their scale-up domain
        FABRIC,    //!< over the fabric between domains
        HOSTS,     //!< over the host network
        RELAYED,   //!< through a GPU that shares the domain of one end and the rail of the other
        FORWARDED, //!< through GPUs of the rail, along standing circuits
        NONE,      //!< no path
    };

    /// The two ends of a lane.
    using LanePair = std::pair<std::unique_ptr<CollectiveLane>, std::unique_ptr<CollectiveLane>>;

    /**
     * @param cluster the GPUs, which must outlive this object
     * @param overHosts true to use the host network instead of the fabric between domains
     */
    explicit LaneConnector(const RailCluster& cluster, bool overHosts = false);

    /**
     * @param a a GPU
     * @param b another GPU
     * @return the path between the two, the same in both directions
     */
    Way GetWay(uint32_t a, uint32_t b) const;

    /**
     * @param from a GPU
     * @param to another GPU
     * @return the GPU that shares the domain with @p from and the rail with @p to
     */
    uint32_t GetProxy(uint32_t from, uint32_t to) const;

    /**
     * @param a a GPU
     * @param b another GPU, connected to a by SCALE_UP, or by FABRIC without standing or rotating
     * circuits
     * @param kind kind of the lane between the two
     * @return pairs of a port of a's NIC and a port of b's NIC that the lane joins
     */
    std::vector<std::pair<uint32_t, uint32_t>> GetPortPairs(uint32_t a,
                                                            uint32_t b,
                                                            CollectiveLaneKind kind) const;

    /**
     * @brief Connect two GPUs with a path.
     * @param a a GPU
     * @param b another GPU
     * @param kind LANE_DIRECT, or LANE_NEXT if b follows a on a ring
     * @param chunkBytes size of the pieces in which relays forward a message, bytes
     * @return the ends at a and at b
     */
    LanePair Connect(uint32_t a, uint32_t b, CollectiveLaneKind kind, uint64_t chunkBytes) const;

  private:
    /// Connect two NICs over the ports that a kind of lane uses.
    static RdmaHelper::ConnectionPair ConnectNics(Ptr<RdmaNic> a,
                                                  Ptr<RdmaNic> b,
                                                  CollectiveLaneKind kind);

    /// Connect two GPUs over the fabric.
    RdmaHelper::ConnectionPair ConnectFabric(uint32_t a, uint32_t b, CollectiveLaneKind kind) const;

    /// Connect two GPUs over the standing circuits between them.
    RdmaHelper::ConnectionPair ConnectStanding(uint32_t a,
                                               uint32_t b,
                                               CollectiveLaneKind kind) const;

    /// @return the ends of one direction between two GPUs along a path of standing circuits
    RdmaHelper::ConnectionPair ConnectForwarded(uint32_t from, uint32_t to) const;

    /// @return the ends of one direction between two GPUs through a relay
    RdmaHelper::ConnectionPair ConnectRelayed(uint32_t from,
                                              uint32_t to,
                                              CollectiveLaneKind kind) const;

    /// Connect two GPUs over the single network of a path.
    RdmaHelper::ConnectionPair ConnectDirectly(uint32_t a,
                                               uint32_t b,
                                               Way way,
                                               CollectiveLaneKind kind) const;

    const RailCluster& m_cluster;
    bool m_overHosts;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LANE_CONNECTOR_H
