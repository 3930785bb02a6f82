// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_HELPER_H
#define PHOTONIC_RAILS_COLLECTIVE_HELPER_H

#include "ns3/collective-algorithm.h"
#include "ns3/collective-call.h"
#include "ns3/collective-engine.h"
#include "ns3/rail-cluster.h"

#include <string>
#include <vector>

namespace ns3
{

/// Installs collective engines on GPUs and connects groups.
class CollectiveHelper
{
  public:
    /**
     * @brief Aggregate a CollectiveEngine to every GPU; rank = number of the GPU.
     *
     * Before sending, an engine requests connectivity from the ConnectivityProvider aggregated to
     * its node (OpusHelper installs one). Without a provider the engine sends at once.
     *
     * If calls, or the training job that makes them, have not ended when the simulation is
     * destroyed, some lines on standard error list the waits of ranks (StallObserver).
     *
     * @param cluster the GPUs
     */
    static void Install(const RailCluster& cluster);

    /**
     * @brief Connect the ranks of a group for its algorithms and let their engines join the group.
     *
     * Only the connectors that the algorithms use are made. Two GPUs are connected
     * - over the network of their scale-up domain, if they share one;
     * - else over the fabric, if the fabric connects their NICs: a direct connector over all ports,
     * the two connectors of a ring over half of them each;
     * - else, if there are scale-up networks, through the GPU that shares the domain with the
     *   sender and the rail with the receiver (PXN of NCCL 2.12, see RdmaRelay), one per direction.
     *
     * If the cluster has a host network, a group that the fabric cannot connect is connected by the
     * host network (see JoinHosts). Every other group that leaves its domain is connected by both.
     *
     * Aborts if Check returns an error.
     *
     * @param cluster the GPUs, with engines
     * @param group a group
     * @param algorithms algorithms of its collectives; by default ring algorithms for all
     */
    static void Join(const RailCluster& cluster,
                     const ProcessGroup& group,
                     const CollectiveAlgorithms& algorithms = CollectiveAlgorithms::Rings());

    /**
     * @brief Connect the ranks of a group by Join's rules, over fabric and scale-up networks only.
     * @param cluster the GPUs, with engines
     * @param group a group; aborts if CheckFabric returns an error
     * @param algorithms algorithms of its collectives
     */
    static void JoinFabric(const RailCluster& cluster,
                           const ProcessGroup& group,
                           const CollectiveAlgorithms& algorithms);

    /**
     * @brief Connect the ranks of a group over the host network, and inside domains over the
     * scale-up networks, if there are any.
     * @param cluster the GPUs, with engines, and a host network
     * @param group a group
     * @param algorithms algorithms of its collectives on these networks
     */
    static void JoinHosts(const RailCluster& cluster,
                          const ProcessGroup& group,
                          const CollectiveAlgorithms& algorithms);

    /**
     * @brief Check whether a group can use some algorithms on a cluster, over any of its networks.
     * @param cluster the GPUs
     * @param group a group
     * @param algorithms algorithms of its collectives
     * @return an empty string, or one line with the unsupported case
     */
    static std::string Check(const RailCluster& cluster,
                             const ProcessGroup& group,
                             const CollectiveAlgorithms& algorithms);

    /**
     * @brief Check whether a group can use some algorithms without the host network.
     *
     * On photonic rails a lent group has the circuits of CrossRailPlanner, or those of two of its
     * ranks. Its connectors must therefore be those of a ring through all ranks, those of a ring on
     * each rail if the group is aligned, direct along the rail for an algorithm in rounds
     * (CollectiveAlgorithm::HasRounds), or stay inside a scale-up domain. Rounds need switches on
     * which any matching can be up.
     *
     * @param cluster the GPUs
     * @param group a group
     * @param algorithms algorithms of its collectives
     * @return an empty string, or one line with the unsupported case
     */
    static std::string CheckFabric(const RailCluster& cluster,
                                   const ProcessGroup& group,
                                   const CollectiveAlgorithms& algorithms);

    /**
     * @brief Check whether groups of a shape can use some algorithms, wherever their ranks are.
     * @param shape shape of the group
     * @param algorithms algorithms of its collectives
     * @return an empty string, or one line with the unsupported case; more than MAX_LANE_ENDS ends
     * of connectors in total are an error, too
     */
    static std::string CheckShape(const GroupShape& shape, const CollectiveAlgorithms& algorithms);

    /**
     * @param cluster the GPUs
     * @param overHosts true for groups on the host network
     * @return the line rates of the networks of its first GPU
     */
    static CollectiveRates GetRates(const RailCluster& cluster, bool overHosts = false);

    /**
     * @param cluster the GPUs
     * @return the terms on which the provider of its first GPU lends circuits; by default, and
     * without a provider or lent circuits, every rank can be reached at any time
     */
    static CircuitTerms GetTerms(const RailCluster& cluster);

    /// Largest number of ends of connectors of a group; each end is one queue pair or more.
    static constexpr uint64_t MAX_LANE_ENDS = 1000000;

    /**
     * @param cluster the GPUs
     * @param group a group
     * @return true if the ranks share a scale-up domain that is simulated as a network
     */
    static bool StaysInside(const RailCluster& cluster, const ProcessGroup& group);

    /**
     * @param cluster the GPUs
     * @param group a group
     * @return GroupShape::IsAligned for the group
     */
    static bool IsAligned(const RailCluster& cluster, const ProcessGroup& group);

    /// A connector between two ranks of a group.
    struct Connector
    {
        uint32_t first;                 //!< index of a rank
        CollectiveConnectorId atFirst;  //!< its end of the connector
        uint32_t second;                //!< index of the other rank
        CollectiveConnectorId atSecond; //!< its end of the connector
    };

    /**
     * @param shape shape of a group
     * @param algorithms algorithms of its collectives
     * @return each connector once, in an order that is the same on every rank
     */
    static std::vector<Connector> ListConnectors(const GroupShape& shape,
                                                 const CollectiveAlgorithms& algorithms);

    /**
     * @param cluster the GPUs
     * @param group a group
     * @return the distribution of the ranks over scale-up domains. Unless every domain has equally
     * many ranks, domain after domain, the ranks count as one per domain.
     */
    static GroupShape GetShape(const RailCluster& cluster, const ProcessGroup& group);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_HELPER_H
