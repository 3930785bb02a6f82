// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_REQUEST_QUEUE_H
#define PHOTONIC_RAILS_REQUEST_QUEUE_H

#include "scheduler-group.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The waiting groups of a CircuitScheduler, in the order in which they are served.
 *
 * Each port has its own queue, in the same order. Take returns a group when the group is first on
 * all its ports and one of them has changed. Groups that ranks hold and that lack circuits precede
 * all others; urgent groups precede groups that are requested speculatively.
 */
class RequestQueue
{
  public:
    /**
     * @brief Enqueue a group, remove it, or change its position, after requests or releases of its
     * ranks.
     * @param group the group
     */
    void Update(SchedulerGroup& group);

    /**
     * @brief Let a group with holders precede all others while it lacks circuits.
     * @param group the group
     */
    void UpdateRepair(SchedulerGroup& group);

    /**
     * @brief Replace the circuits of a group, which keeps its position.
     * @param group the group
     * @param change replaces the circuits
     */
    template <typename F>
    void Exchange(SchedulerGroup& group, const F& change)
    {
        const bool wasQueued = group.isQueued;
        if (wasQueued)
        {
            Leave(group);
        }
        change();
        if (wasQueued)
        {
            Enter(group, group.place);
        }
    }

    /// Examine the groups of a port whose state has changed.
    void MarkChanged(const SchedulerPort& port);
    /// Examine the groups of the ports of circuits whose state has changed.
    void MarkChanged(const std::vector<SchedulerCircuit>& circuits);
    /// Examine the groups that wait for light paths of a switch.
    void MarkRoomChanged(uint32_t ocs);
    /// Examine the groups that wait for light paths of the switches of circuits.
    void MarkRoomChanged(const std::vector<SchedulerCircuit>& circuits);

    /**
     * @param ocs a switch
     * @param group a queued group
     * @return true if light paths of the switch are reserved for an earlier group
     */
    bool IsRoomReserved(uint32_t ocs, const SchedulerGroup& group) const;
    /// Let a queued group wait for light paths of a switch.
    void WaitForRoom(uint32_t ocs, SchedulerGroup& group);
    /// End the wait of a queued group for light paths of a switch.
    void EndWaitForRoom(uint32_t ocs, const SchedulerGroup& group);

    /// @return the next group to examine, which is first on all its ports; null if there is none
    SchedulerGroup* Take();

    /**
     * @param group a queued group
     * @return true if the group precedes groups that are requested speculatively
     */
    static bool IsUrgent(const SchedulerGroup& group);

    /// Refer to copies of groups. @param copies all of them
    void Relocate(const SchedulerCopies& copies);

    /// @return an empty string, or the broken invariant (for tests)
    std::string CheckInvariants() const;

  private:
    /**
     * @brief Added to the position of a group that is not urgent, which therefore follows all
     * urgent groups.
     */
    static constexpr uint64_t NOT_URGENT = uint64_t{1} << 62;
    /// Positions below this value are for groups with holders that lack circuits.
    static constexpr uint64_t URGENT = uint64_t{1} << 61;

    void Enter(SchedulerGroup& group, uint64_t place);
    void Leave(SchedulerGroup& group);
    static bool IsFirst(const SchedulerGroup& group);

    using Places = std::map<uint64_t, SchedulerGroup*>;

    Places m_changed;                  //!< queued groups to examine
    std::map<uint32_t, Places> m_room; //!< groups that wait for light paths, by switch
    uint64_t m_lastPlace{URGENT};
    uint64_t m_lastRepair{0}; //!< place of one
};

} // namespace ns3

#endif // PHOTONIC_RAILS_REQUEST_QUEUE_H
