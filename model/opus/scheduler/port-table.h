// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PORT_TABLE_H
#define PHOTONIC_RAILS_PORT_TABLE_H

#include "scheduler-group.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// What is up, in the book of a CircuitScheduler: ports and their circuits, and which groups use
/// them.
class PortTable
{
  public:
    /**
     * @param id a port
     * @return what is known of it; it stays where it is
     */
    SchedulerPort* GetPort(const OcsPortId& id);

    /**
     * @brief Give a group circuits.
     * @param group a group without circuits
     * @param plan its circuits
     */
    void SetCircuits(SchedulerGroup& group, const CircuitPlan& plan);
    /**
     * @brief Take a group's circuits from it.
     * @param group the group
     * @return what they were
     */
    std::vector<SchedulerCircuit> TakeCircuits(SchedulerGroup& group);

    /**
     * @param circuit a circuit, whether it is there or not
     * @return the groups that need it
     */
    const std::vector<SchedulerGroup*>& GetUsers(const SchedulerCircuit& circuit) const;

    /**
     * @param group a group
     * @return circuits that the group lacks, and those that are on their ports
     */
    static SchedulerChange FindChange(const SchedulerGroup& group);

    /// @return true if ports of a group are being switched
    static bool IsBusy(const SchedulerGroup& group);

    /**
     * @param ocs a switch
     * @return its ports that are known, in order
     */
    std::vector<SchedulerPort*> GetPorts(uint32_t ocs);

    /**
     * @param ocs a switch
     * @return the circuits that are up or being made there, as is believed
     */
    CircuitSet GetCircuits(uint32_t ocs) const;

    /// All circuits of a switch are gone.
    void Darken(uint32_t ocs);

    /// @return an empty string, or what is wrong (for tests)
    std::string CheckInvariants() const;

  private:
    std::map<OcsPortId, SchedulerPort> m_ports;
    std::map<SchedulerCircuit, std::vector<SchedulerGroup*>> m_users; //!< looked up, never walked
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PORT_TABLE_H
