// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_RANDOM_STRIKES_H
#define PHOTONIC_RAILS_OPUS_RANDOM_STRIKES_H

#include "opus-random-scenario.h"
#include "opus-random-watch.h"

#include "ns3/opus-helper.h"
#include "ns3/rail-cluster.h"

#include <cstdint>
#include <set>
#include <vector>

namespace ns3
{
namespace test
{

/// Schedules the faults of a scenario, and reports to the watch those that it cannot trace.
class OpusStrikes
{
  public:
    /**
     * @param scenario with the faults
     * @param cluster of all jobs
     * @param opus its control plane
     * @param parts of the jobs
     * @param watch is told of shims and light
     */
    OpusStrikes(const OpusScenario& scenario,
                const RailCluster& cluster,
                const OpusHelper& opus,
                const std::vector<RailCluster>& parts,
                OpusWatch& watch);

    /// @param moments times of traced events in the same run without trouble
    void Schedule(const std::vector<Time>& moments);
    /// @return true if a port of a NIC on a rail was away for a while
    bool HasFlapped(uint32_t rail) const;

  private:
    void Strike(const OpusFault& fault);
    /// Let the controller that acts crash, and not come back if there is another one.
    void Crash(const OpusFault& fault);
    /// Let the other controller of a pair crash, and come back.
    void CrashStandby(const OpusFault& fault);
    /// @return the controllers of a plane
    std::vector<Ptr<OpusController>> GetPair(std::size_t plane) const;
    void ForgetShim(const OpusFault& fault);
    void FlapNicPort(const OpusFault& fault);
    void FailSwitch(const OpusFault& fault);
    void StickPort(const OpusFault& fault);

    const OpusScenario& m_scenario;
    const OpusTrouble& m_trouble;
    const RailCluster& m_cluster;
    const OpusHelper& m_opus;
    const std::vector<RailCluster>& m_parts;
    OpusWatch& m_watch;
    std::set<uint32_t> m_flapped;    //!< rails
    std::set<std::size_t> m_crashed; //!< planes of which a controller was away
    std::set<Ptr<OpusController>> m_dead;
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_RANDOM_STRIKES_H
