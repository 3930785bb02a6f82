// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONNECTOR_INSTALLER_H
#define PHOTONIC_RAILS_CONNECTOR_INSTALLER_H

#include "ns3/collective-connector.h"
#include "ns3/rail-cluster.h"
#include "ns3/rdma-helper.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/// Finds the path between two GPUs of a cluster and makes connectors over it.
class ConnectorInstaller
{
  public:
    /// The path between two GPUs.
    enum Way
    {
        SCALE_UP,  //!< over the network of their scale-up domain
        FABRIC,    //!< over the fabric between domains
        HOSTS,     //!< over the host network
        RELAYED,   //!< through a GPU that shares the domain of one end and the rail of the other
        FORWARDED, //!< through GPUs of the rail, along static circuits
        NONE,      //!< no path
    };

    /// The two ends of a connector.
    using ConnectorPair =
        std::pair<std::unique_ptr<CollectiveConnector>, std::unique_ptr<CollectiveConnector>>;

    /**
     * @param cluster the GPUs, which must outlive this object
     * @param overHosts true to use the host network instead of the fabric between domains
     */
    explicit ConnectorInstaller(const RailCluster& cluster, bool overHosts = false);

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
     * @param kind kind of the connector between the two
     * @return pairs of a port of a's NIC and a port of b's NIC that the connector joins
     */
    std::vector<std::pair<uint32_t, uint32_t>> GetPortPairs(uint32_t a,
                                                            uint32_t b,
                                                            CollectiveConnectorKind kind) const;

    /**
     * @brief Connect two GPUs with a path.
     * @param a a GPU
     * @param b another GPU
     * @param kind CONNECTOR_DIRECT, or CONNECTOR_NEXT if b follows a on a ring
     * @param chunkBytes size of the pieces in which relays forward a message, bytes
     * @return the ends at a and at b
     */
    ConnectorPair Connect(uint32_t a,
                          uint32_t b,
                          CollectiveConnectorKind kind,
                          uint64_t chunkBytes) const;

  private:
    /// Connect two GPUs over the fabric.
    RdmaHelper::ConnectionPair ConnectFabric(uint32_t a,
                                             uint32_t b,
                                             CollectiveConnectorKind kind) const;

    /// Connect two GPUs over the static circuits between them.
    RdmaHelper::ConnectionPair ConnectStatic(uint32_t a,
                                             uint32_t b,
                                             CollectiveConnectorKind kind) const;

    /// @return the ends of one direction between two GPUs along a path of static circuits
    RdmaHelper::ConnectionPair ConnectForwarded(uint32_t from, uint32_t to) const;

    /// @return the ends of one direction between two GPUs through a relay
    RdmaHelper::ConnectionPair ConnectRelayed(uint32_t from,
                                              uint32_t to,
                                              CollectiveConnectorKind kind) const;

    const RailCluster& m_cluster;
    bool m_overHosts;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONNECTOR_INSTALLER_H
