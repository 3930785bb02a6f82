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
 * @brief Lets all ranks of some groups make the same call a few times, and takes the time.
 *
 * This is a stop-watch beside the simulation: ranks start together because it starts them, and
 * each makes its next call when its own has ended.
 */
class CollectiveCalls
{
  public:
    CollectiveCalls() = default;
    CollectiveCalls(const CollectiveCalls&) = delete;
    CollectiveCalls& operator=(const CollectiveCalls&) = delete;

    /**
     * @param cluster the GPUs, whose engines have joined the group
     * @param group ranks that shall call
     * @param call what they call on the group
     */
    void Add(const RailCluster& cluster, const ProcessGroup& group, const CollectiveCall& call);

    /**
     * @brief Run the simulator until all calls have ended.
     * @param times how many calls each rank makes, one after the other
     * @return from the start to the end on the last rank, or nothing if it never came
     */
    std::optional<Time> Run(uint32_t times);

    /// @return how long each call of each rank in the last Run took
    std::vector<Time> GetDurations() const;

  private:
    /// Make a call.
    void Call(uint32_t index);
    /// A rank's call has ended.
    void Ended(uint32_t index);

    /// A rank that calls.
    struct Caller
    {
        Ptr<CollectiveEngine> engine;
        CollectiveCall call;
        Time begun;                  //!< when it made its last call
        std::vector<Time> durations; //!< of its calls that have ended
    };

    std::vector<Caller> m_callers;
    uint32_t m_times{0};
    uint32_t m_callersLeft{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_CALLS_H
