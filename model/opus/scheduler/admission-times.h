// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ADMISSION_TIMES_H
#define PHOTONIC_RAILS_ADMISSION_TIMES_H

#include "circuit-scheduler.h"

#include "ns3/nstime.h"

#include <map>
#include <optional>

namespace ns3
{

/**
 * @brief What groups wait for, and how long ports carry light: times beside a CircuitScheduler.
 *
 * Pure but for the times that it is told, which never go back. A wait of a group is that from the
 * first request that is not yet granted to the grant, as a controller sees it. It has three parts:
 * until all ranks have asked; until it is the group's turn on all its ports and nobody holds them;
 * and until there is light, waits for a turn at the switch included.
 */
class AdmissionTimes
{
  public:
    /// Sums over all grants.
    struct Waits
    {
        Time ranks; //!< from the first to the last request
        Time ports; //!< until its ports are free and it is the first in line
        Time light; //!< from the decision to switch to the grant
    };

    /// @param key a group @param now one of its ranks asks
    void Request(const GroupKey& key, Time now);
    /**
     * @brief Say who asks after something has happened to a group.
     * @param key the group
     * @param waiting who asks and has not been granted
     * @param now the time
     */
    void Update(const GroupKey& key, CircuitScheduler::Waiting waiting, Time now);
    /// @param command of a controller to a switch @param now when it was decided on
    void Switch(const CircuitScheduler::Switch& command, Time now);
    /// @param command that has been carried out @param now when that was reported
    void Complete(const CircuitScheduler::Switch& command, Time now);
    /// @param command that the switch has refused @param now when that was reported
    void Refuse(const CircuitScheduler::Switch& command, Time now);
    /// @param ocs a switch that has lost all its circuits @param now when that was heard of
    void LoseSwitch(uint32_t ocs, Time now);
    /// @param key a group @param now its ranks are told
    void Grant(const GroupKey& key, Time now);

    /// @return sums over all grants
    const Waits& GetWaits() const;

    /**
     * @param port a port of a switch
     * @param now the time
     * @return how long it has carried light, as reported by the switch, until it was switched
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
