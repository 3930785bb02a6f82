// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_HELPER_H
#define PHOTONIC_RAILS_COLLECTIVE_HELPER_H

#include "ns3/algorithm-choice.h"
#include "ns3/collective-engine.h"
#include "ns3/process-group.h"
#include "ns3/rail-cluster.h"

#include <functional>
#include <string>

namespace ns3
{

/// Gives GPUs their collective library and lets them form groups.
class CollectiveHelper
{
  public:
    /**
     * @brief Aggregate a CollectiveEngine to every GPU; rank = number of the GPU.
     *
     * An engine asks the ConnectivityProvider that is aggregated to its node before it sends
     * (OpusHelper installs one), or nobody if there is none.
     *
     * If calls, or the training job that makes them, have not ended when the simulation is
     * destroyed, some lines on standard error say what ranks wait for (StallObserver).
     *
     * @param cluster the GPUs
     */
    static void Install(const RailCluster& cluster);

    /**
     * @brief Connect the ranks of a group into a ring and let their engines join it.
     * @param cluster the GPUs, with engines
     * @param group a group whose ranks are on one rail
     */
    static void Join(const RailCluster& cluster, const ProcessGroup& group);

    /**
     * @brief Connect the ranks of a group as its algorithms need it and let their engines join it.
     *
     * The lanes are those that the algorithms ask for and no more. Two GPUs are connected
     * - over the network of their scale-up domain, if they share one;
     * - else over the fabric, if it joins their NICs: a direct lane over all ports, the two lanes
     *   of a ring over half of them each;
     * - else, if there are scale-up networks, through the GPU that shares the domain with the
     *   sender and the rail with the receiver (PXN of NCCL 2.12, see RdmaRelay), one per direction.
     *
     * If the cluster has a host network, a group that the fabric cannot serve is joined on that
     * instead (see JoinHosts), and any other that leaves its domain on both.
     *
     * Aborts if Check finds an error.
     *
     * @param cluster the GPUs, with engines
     * @param group a group
     * @param algorithms how its collectives are carried out
     */
    static void Join(const RailCluster& cluster,
                     const ProcessGroup& group,
                     const CollectiveAlgorithms& algorithms);

    /**
     * @brief Connect the ranks of a group over fabric and scale-up networks only, as Join does.
     * @param cluster the GPUs, with engines
     * @param group a group; aborts if CheckFabric finds an error
     * @param algorithms how its collectives are carried out
     */
    static void JoinFabric(const RailCluster& cluster,
                           const ProcessGroup& group,
                           const CollectiveAlgorithms& algorithms);

    /**
     * @brief Connect the ranks of a group over the host network, and inside domains over those of
     * the domains, if there are any.
     * @param cluster the GPUs, with engines, and a host network
     * @param group a group
     * @param algorithms how its collectives are carried out there
     */
    static void JoinHosts(const RailCluster& cluster,
                          const ProcessGroup& group,
                          const CollectiveAlgorithms& algorithms);

    /**
     * @brief See whether a group can use some algorithms on a cluster, over any of its networks.
     * @param cluster the GPUs
     * @param group a group
     * @param algorithms how its collectives are carried out
     * @return an empty string, or one line that says what cannot be
     */
    static std::string Check(const RailCluster& cluster,
                             const ProcessGroup& group,
                             const CollectiveAlgorithms& algorithms);

    /**
     * @brief See whether a group can use some algorithms without the host network.
     *
     * On photonic rails the circuits of a group form its ring, so its lanes are those of a ring
     * along one rail, or stay inside a scale-up domain. A hierarchical collective has a ring for
     * each rail: their circuits have to be set up before (StaticCircuitsHelper), as those that a
     * ConnectivityProvider lends lie along one rail.
     *
     * @param cluster the GPUs
     * @param group a group
     * @param algorithms how its collectives are carried out
     * @return an empty string, or one line that says what cannot be
     */
    static std::string CheckFabric(const RailCluster& cluster,
                                   const ProcessGroup& group,
                                   const CollectiveAlgorithms& algorithms);

    /**
     * @brief See whether groups of a shape can use some algorithms, wherever they are.
     * @param shape of the group
     * @param algorithms how its collectives are carried out
     * @return an empty string, or one line that says what cannot be: also that lanes would have
     * more ends in all than MAX_LANE_ENDS
     */
    static std::string CheckShape(const GroupShape& shape, const CollectiveAlgorithms& algorithms);

    /// Ends of lanes that a group may have, each a queue pair or more.
    static constexpr uint64_t MAX_LANE_ENDS = 1000000;

    /**
     * @param cluster the GPUs
     * @param group a group
     * @return true if its ranks share a scale-up domain that is a network
     */
    static bool StaysInside(const RailCluster& cluster, const ProcessGroup& group);

    /// Called with a lane between two ranks of a group: the index of one in it, the lane as it sees
    /// it, and the same of the other.
    using LaneVisitor =
        std::function<void(uint32_t, const CollectiveLaneId&, uint32_t, const CollectiveLaneId&)>;

    /**
     * @param shape a group
     * @param algorithms how its collectives are carried out
     * @param visit called with each lane that they need, once, in an order that all agree on
     */
    static void VisitLanes(const GroupShape& shape,
                           const CollectiveAlgorithms& algorithms,
                           const LaneVisitor& visit);

    /**
     * @param cluster the GPUs
     * @param group a group
     * @return how its ranks lie in scale-up domains; if they are not equally many in each, domain
     * after domain, they count as one per domain
     */
    static GroupShape GetShape(const RailCluster& cluster, const ProcessGroup& group);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_HELPER_H
