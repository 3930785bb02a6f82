// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_CALLS_H
#define PHOTONIC_RAILS_COLLECTIVE_CALLS_H

#include "ns3/collective-call.h"
#include "ns3/collective-engine.h"
#include "ns3/nstime.h"
#include "ns3/process-group.h"
#include "ns3/rail-cluster.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief Lets all ranks of some groups make the same call a few times, and takes the time.
 *
 * This is a stop-watch beside the simulation: ranks start together, or one later than the others,
 * because it starts them, and each makes its next call when its own has ended.
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

    /// Calls that a rank makes at once.
    using Step = std::vector<CollectiveCall>;

    /**
     * @param cluster the GPUs, whose engines have joined the groups of the calls
     * @param rank that shall call
     * @param steps what it calls each time; a step begins when all calls of the one before have
     * ended. At least one, each with a call
     */
    void AddSteps(const RailCluster& cluster, uint32_t rank, std::vector<Step> steps);

    /**
     * @param rank one that has been added
     * @param delay by which it makes its first call later than the others
     */
    void SetDelay(uint32_t rank, Time delay);

    /**
     * @brief Run the simulator until all calls have ended.
     * @param times how many calls each rank makes, one after the other
     * @return from the start to the end on the last rank, or nothing if it never came
     */
    std::optional<Time> Run(uint32_t times);

    /// @return how long each call of each rank in the last Run took
    std::vector<Time> GetDurations() const;

  private:
    /// Begin with the first step.
    void Begin(uint32_t index);
    /// Make the calls of a step.
    void Call(uint32_t index);
    /// A call of a step has ended.
    void Ended(uint32_t index);

    /// A rank that calls.
    struct Caller
    {
        uint32_t rank{0};
        Ptr<CollectiveEngine> engine;
        std::vector<Step> steps;
        Time delay;                  //!< of its first call
        std::size_t step{0};         //!< the one under way
        std::size_t callsLeft{0};    //!< of the step
        Time begun;                  //!< when it began with the first step
        std::vector<Time> durations; //!< from there to the end of the last step, each time
    };

    std::vector<Caller> m_callers;
    uint32_t m_times{0};
    uint32_t m_callersLeft{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_CALLS_H
