// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RUN_COUNTERS_H
#define PHOTONIC_RAILS_RUN_COUNTERS_H

#include "ns3/opus-helper.h"
#include "ns3/rail-cluster.h"
#include "ns3/run-share.h"

#include <cstdint>

namespace ns3
{

/// What the devices and controllers of a run have counted, as far as they are simulated here.
class RunCounters
{
  public:
    /// @param cluster of the run @return data packets that all NICs have sent
    static uint64_t CountPackets(const RailCluster& cluster);

    /**
     * @param cluster of the run
     * @return ports of switches with a fibre to a rail that is simulated here; a spare has those of
     * a rail
     */
    static uint64_t CountRailPorts(const RailCluster& cluster);

    /**
     * @brief Add what NICs and switches have counted. Those of other processes have counted nothing
     * here.
     * @param cluster of the run
     * @param share of this process
     */
    static void Add(const RailCluster& cluster, RunShare& share);

    /**
     * @brief Add what a control plane has done.
     * @param opus that was installed, or nothing
     * @param sum of this process
     */
    static void Add(const OpusHelper& opus, ControlShare& sum);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RUN_COUNTERS_H
