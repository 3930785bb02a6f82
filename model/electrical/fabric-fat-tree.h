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
 * connected to every edge switch of its pod; aggregation switch number j of all pods is connected
 * to the k/2 core switches of group j, so there are u x k/2 cores. Without oversubscription d = u =
 * k/2 and the capacity is k^3/4 hosts. With oversubscription PortSplit determines d and u, the
 * capacity is k^2/2 x d hosts, and only the edge is oversubscribed. There is 1 path within an edge
 * switch, and there are u paths within a pod and u x k/2 between pods.
 *
 * NIC ports are attached in the order of GPUs, so that the GPUs of a server share an edge switch or
 * adjacent ones. The fabric has only edge switches with hosts and pods with edge switches, and no
 * tier above a single switch.
 */
struct FatTreeShape
{
    uint32_t arity{0};        //!< k
    uint32_t hostsPerEdge{0}; //!< d
    uint32_t uplinks{0};      //!< uplinks of an edge switch, and aggregation switches of a pod: u
    uint32_t edges{0};        //!< edge switches with hosts
    uint32_t pods{0};         //!< pods with edge switches
    std::string error;        //!< one line, or empty

    /// @return maximum number of hosts at this arity
    uint64_t GetCapacity() const
    {
        return uint64_t{arity} * (arity / 2) * hostsPerEdge;
    }

    /**
     * @param spec the GPUs to connect
     * @param arity k
     * @return the dimensions, or an error
     */
    static FatTreeShape Find(const FabricSpec& spec, uint32_t arity);

    /// @param spec the argument of Find @return the topology, or the error
    FabricPlan Build(const FabricSpec& spec) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_FAT_TREE_H
