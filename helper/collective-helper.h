// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_HELPER_H
#define PHOTONIC_RAILS_COLLECTIVE_HELPER_H

#include "rail-cluster.h"

#include "ns3/collective-engine.h"
#include "ns3/process-group.h"

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
     * @param cluster the GPUs
     */
    static void Install(const RailCluster& cluster);

    /**
     * @brief Connect the ranks of a group into a ring and let their engines join it.
     * @param cluster the GPUs, with engines
     * @param group a group whose ranks are on one rail
     */
    static void Join(const RailCluster& cluster, const ProcessGroup& group);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_HELPER_H
