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
 * @brief Who waits, in the book of a CircuitScheduler: groups in the order in which they are
 * served.
 *
 * Each port has a line of its own, in the same order. A group is handed out when it is the first on
 * all its ports and something has changed on one of them. Groups that lack circuits while ranks
 * hold them stand before all, then those that a rank needs in order to send, then those that are
 * asked for ahead of time.
 */
class RequestQueue
{
  public:
    /**
     * @brief Let a group enter the line, leave it, or change its place, after its ranks have asked
     * for it or left.
     * @param group the group
     */
    void Update(SchedulerGroup& group);

    /**
     * @brief Let a group that ranks hold wait before all if it lacks circuits, until it does not.
     * @param group the group
     */
    void UpdateRepair(SchedulerGroup& group);

    /**
     * @brief A group in line gets other circuits, at the same place.
     * @param group the group
     * @param change gives them to it
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

    /// Something has changed on a port.
    void MarkChanged(const SchedulerPort& port);
    /// Something has changed on the ports of circuits.
    void MarkChanged(const std::vector<SchedulerCircuit>& circuits);
    /// Light paths may have become free on a switch.
    void MarkRoomChanged(uint32_t ocs);
    /// Light paths may have become free on the switches of circuits.
    void MarkRoomChanged(const std::vector<SchedulerCircuit>& circuits);

    /**
     * @param ocs a switch
     * @param group a group in line
     * @return true if light paths that become free there are for another
     */
    bool IsRoomReserved(uint32_t ocs, const SchedulerGroup& group) const;
    /// A group in line waits for light paths on a switch.
    void WaitForRoom(uint32_t ocs, SchedulerGroup& group);
    /// A group in line has found its light paths on a switch.
    void EndWaitForRoom(uint32_t ocs, const SchedulerGroup& group);

    /// @return the next group to look at, which is the first on all its ports; null if there is
    /// none
    SchedulerGroup* Take();

    /**
     * @param group a group in line
     * @return true if it stands before those that are asked for ahead of time
     */
    static bool IsUrgent(const SchedulerGroup& group);

    /// @return an empty string, or what is wrong (for tests)
    std::string CheckInvariants() const;

  private:
    /// Added to the place of a group that is not urgent: it stands behind all that are.
    static constexpr uint64_t NOT_URGENT = uint64_t{1} << 62;
    /// Places below are for groups that ranks hold and that lack circuits: they stand before all.
    static constexpr uint64_t URGENT = uint64_t{1} << 61;

    void Enter(SchedulerGroup& group, uint64_t place);
    void Leave(SchedulerGroup& group);
    static bool IsFirst(const SchedulerGroup& group);

    using Places = std::map<uint64_t, SchedulerGroup*>;

    Places m_changed;                  //!< groups in line to be looked at
    std::map<uint32_t, Places> m_room; //!< groups that wait for light paths, by switch
    uint64_t m_lastPlace{URGENT};
    uint64_t m_lastRepair{0}; //!< place of one
};

} // namespace ns3

#endif // PHOTONIC_RAILS_REQUEST_QUEUE_H
