// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_FAT_TREE_H
#define PHOTONIC_RAILS_FABRIC_FAT_TREE_H

#include "electrical-fabric.h"

namespace ns3
{

/**
 * @brief Dimensions of a k-ary fat-tree (Al-Fares et al., "A Scalable, Commodity Data Center
 * Network Architecture", SIGCOMM 2008).
 *
 * Up to k pods, each of k/2 edge switches with d hosts. A pod has u aggregation switches, each
 * joined to every edge switch of its pod; aggregation switch number j of all pods is joined to the
 * k/2 core switches of group j, so there are u x k/2 cores. Without oversubscription d = u = k/2
 * and there is room for k^3/4 hosts; with it PortSplit gives d and u, for k^2/2 x d hosts, and
 * nothing is oversubscribed above the edge. There is 1 path within an edge switch, there are u
 * within a pod and u x k/2 between pods.
 *
 * NIC ports are attached in the order of GPUs, so that a server is under one edge switch or
 * neighbours. Only edge switches with hosts are built, only pods with edge switches, and no tier
 * that a single switch below makes needless.
 */
struct FatTreeShape
{
    uint32_t arity{0};        //!< k
    uint32_t hostsPerEdge{0}; //!< d
    uint32_t uplinks{0};      //!< of an edge switch, and aggregation switches of a pod: u
    uint32_t edges{0};        //!< edge switches with hosts
    uint32_t pods{0};         //!< with edge switches
    std::string error;        //!< one line, or empty

    /// @return hosts that a fat-tree of this arity has room for
    uint64_t GetCapacity() const;

    /**
     * @param spec what to join; its arity is k
     * @return the dimensions, or an error
     */
    static FatTreeShape Find(const FabricSpec& spec);

    /// @param spec for which the dimensions were found @return the topology, or the error
    FabricPlan Build(const FabricSpec& spec) const;
    /// @param spec for which the dimensions were found @return the switches that Build makes
    FabricCount Count(const FabricSpec& spec) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_FAT_TREE_H
