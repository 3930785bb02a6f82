// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ADMISSION_TIMES_H
#define PHOTONIC_RAILS_ADMISSION_TIMES_H

#include "circuit-scheduler.h"

#include "ns3/nstime.h"
#include "ns3/time-sum.h"

#include <map>
#include <optional>

namespace ns3
{

/**
 * @brief Measures how long groups wait, by cause, and how long ports carry light, for a
 * CircuitScheduler.
 *
 * The class has no clock: every input has a time, and times never decrease. The wait of a group
 * begins with the first request that is not granted yet and ends with the grant, as seen by the
 * controller. It consists of the wait for ranks (until all have requested the group), for ports
 * (until the group is first on all its ports and no rank holds them), and for light (until the
 * switch reports, the wait for earlier commands included).
 */
class AdmissionTimes
{
  public:
    /// Sums over all grants.
    struct Waits
    {
        TimeSum ranks; //!< from the first to the last request
        TimeSum ports; //!< until its ports are free and it is first in the queue
        TimeSum light; //!< from the decision to switch to the grant
    };

    /// @param key group that a rank requests @param now the time
    void Request(const GroupKey& key, Time now);
    /**
     * @brief Update the state of a wait after an input that concerns the group.
     * @param key the group
     * @param waiting ranks that wait for a grant
     * @param now the time
     */
    void Update(const GroupKey& key, CircuitScheduler::Waiting waiting, Time now);
    /// @param command command to a switch @param now time of the decision
    void Switch(const CircuitScheduler::Switch& command, Time now);
    /// @param command command whose light is reported @param now time of the report
    void Complete(const CircuitScheduler::Switch& command, Time now);
    /// @param command command that the switch has refused @param now time of the report
    void Refuse(const CircuitScheduler::Switch& command, Time now);
    /// @param ocs switch that has lost all its circuits @param now time of the report
    void LoseSwitch(uint32_t ocs, Time now);
    /// @param key group that is granted @param now the time
    void Grant(const GroupKey& key, Time now);

    /// @return sums over all grants
    const Waits& GetWaits() const
    {
        return m_waits;
    }

    /**
     * @param port a port of a switch
     * @param now the time
     * @return how long the port has carried light: from the report of the switch to the next
     * command for the port
     */
    Time GetUpTime(const OcsPortId& port, Time now) const;

  private:
    struct Group
    {
        Time first;
        std::optional<Time> isQueued;
        std::optional<Time> switched;
    };

    struct Port
    {
        Time sum;
        std::optional<Time> since;
    };

    void SetLight(uint32_t ocs, const CircuitSet& circuits, bool isUp, Time now);

    std::map<GroupKey, Group> m_waiting;
    std::map<OcsPortId, Port> m_ports;
    Waits m_waits;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ADMISSION_TIMES_H
