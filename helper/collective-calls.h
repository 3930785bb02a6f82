// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_CALLS_H
#define PHOTONIC_RAILS_COLLECTIVE_CALLS_H

#include "rail-cluster.h"

#include "ns3/collective-call.h"
#include "ns3/collective-engine.h"
#include "ns3/nstime.h"
#include "ns3/process-group.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief Lets all ranks of a group make the same call a few times, and takes the time.
 *
 * This is a stop-watch beside the simulation: ranks start together because it starts them, and
 * each makes its next call when its own has ended.
 */
class CollectiveCalls
{
  public:
    /**
     * @param cluster the GPUs, whose engines have joined the group
     * @param group the ranks
     * @param call the call
     */
    CollectiveCalls(const RailCluster& cluster,
                    const ProcessGroup& group,
                    const CollectiveCall& call);
    CollectiveCalls(const CollectiveCalls&) = delete;
    CollectiveCalls& operator=(const CollectiveCalls&) = delete;

    /**
     * @brief Run the simulator until all calls have ended.
     * @param times how many calls each rank makes, one after the other
     * @return from the start to the end on the last rank, or nothing if it never came
     */
    std::optional<Time> Run(uint32_t times);

    /// @return for each rank how long its calls in the last Run took
    const std::vector<std::vector<Time>>& GetDurations() const;

  private:
    /// A rank's call has ended.
    void Ended(uint32_t index);

    std::vector<Ptr<CollectiveEngine>> m_engines;
    CollectiveCall m_call;
    uint32_t m_times{0};
    uint32_t m_ranksLeft{0};
    std::vector<Time> m_begun; //!< when each rank made its call
    std::vector<std::vector<Time>> m_durations;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_CALLS_H
