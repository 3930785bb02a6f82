// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_CALLS_H
#define PHOTONIC_RAILS_COLLECTIVE_CALLS_H

#include "ns3/collective-call.h"
#include "ns3/collective-engine.h"
#include "ns3/nstime.h"
#include "ns3/rail-cluster.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief Lets all ranks of some groups make the same call several times, and measures the
 * durations.
 *
 * The class is a stop-watch outside the simulated system. It starts all ranks at the same time, or
 * some later than others, and each rank makes its next call when its own previous call has ended.
 */
class CollectiveCalls
{
  public:
    CollectiveCalls() = default;
    CollectiveCalls(const CollectiveCalls&) = delete;
    CollectiveCalls& operator=(const CollectiveCalls&) = delete;

    /**
     * @param cluster the GPUs, whose engines have joined the group
     * @param group ranks that make the call
     * @param call the call on the group
     */
    void Add(const RailCluster& cluster, const ProcessGroup& group, const CollectiveCall& call);

    /// Calls that a rank makes at the same time.
    using Step = std::vector<CollectiveCall>;

    /**
     * @param cluster the GPUs, whose engines have joined the groups of the calls
     * @param rank rank that makes the calls
     * @param steps the calls of one round, at least one step with at least one call each; a step
     * begins when all calls of the previous step have ended
     */
    void AddSteps(const RailCluster& cluster, uint32_t rank, std::vector<Step> steps);

    /**
     * @param rank a rank that has been added
     * @param delay delay of its first call after the start of the run
     */
    void SetDelay(uint32_t rank, Time delay);

    /**
     * @brief Run the simulator until all calls have ended.
     * @param times number of rounds of each rank, one after the other
     * @return time from the start to the end on the last rank, or nothing if some call has not
     * ended
     */
    std::optional<Time> Run(uint32_t times);

    /// @return duration of each round of each rank in the last Run
    std::vector<Time> GetDurations() const;

  private:
    /// Start a round with its first step.
    void Begin(uint32_t index);
    /// Make the calls of a step.
    void Call(uint32_t index);
    /// Handle the end of a call of a step.
    void Ended(uint32_t index);

    /// A rank that makes calls.
    struct Caller
    {
        uint32_t rank{0};
        Ptr<CollectiveEngine> engine;
        std::vector<Step> steps;
        Time delay;                  //!< delay of its first call
        std::size_t step{0};         //!< current step
        std::size_t callsLeft{0};    //!< calls of the step that have not ended
        Time begun;                  //!< start of the current round
        std::vector<Time> durations; //!< from the start to the end of each round
    };

    std::vector<Caller> m_callers;
    uint32_t m_times{0};
    uint32_t m_callersLeft{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_CALLS_H
