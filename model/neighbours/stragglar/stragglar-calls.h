// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STRAGGLAR_CALLS_H
#define PHOTONIC_RAILS_STRAGGLAR_CALLS_H

#include "ns3/collective-call.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief An AllReduce for a persistent straggler as calls on groups, as a pure function.
 *
 * StragglarCalls moves the same data as MakeStragglarSchedule, on fabrics that grant connectivity
 * to groups: a ReduceScatter of the group of all ranks but the straggler, then in each round
 * messages in a group of two ranks for each pair. Each pair requests and releases its own
 * connectivity. On photonic rails a round is therefore a matching whose circuits a controller
 * switches pair by pair, and a pair that is ready does not wait for other pairs. Other fabrics
 * grant every call at once.
 *
 * Rounds are synchronized by the calls: a rank makes the calls of a step when the calls of the
 * previous step have ended.
 */
class StragglarCalls
{
  public:
    /// Calls that are made at once.
    using Step = std::vector<CollectiveCall>;

    /**
     * @param group all ranks, of a number that CheckStragglarRanks allows
     * @param straggler index in the group of the one that is late
     * @param bytes size of the tensor
     * @param firstGroupId the groups that are needed have this id and those that follow
     */
    StragglarCalls(const ProcessGroup& group,
                   uint32_t straggler,
                   uint64_t bytes,
                   uint32_t firstGroupId);

    /// @return the groups: that of the others (none if there is one only), and each pair once
    const std::vector<ProcessGroup>& GetGroups() const
    {
        return m_groups;
    }

    /**
     * @param index of a rank in the group
     * @return the calls of the rank, step by step
     */
    const std::vector<Step>& GetSteps(uint32_t index) const
    {
        return m_steps.at(index);
    }

  private:
    std::vector<ProcessGroup> m_groups;
    std::vector<std::vector<Step>> m_steps; //!< by index
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STRAGGLAR_CALLS_H
