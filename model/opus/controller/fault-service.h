// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_SERVICE_H
#define PHOTONIC_RAILS_FAULT_SERVICE_H

#include "lease-service.h"

#include "ns3/address.h"
#include "ns3/message-server.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The part of an OpusController that handles faults: it moves rails to spare switches, plans
 * circuits without failed ports, moves ranks to other GPUs, and fails jobs that cannot continue.
 *
 * All information about faults arrives in messages, which are served like other messages. The
 * service has no state besides the state of the LeaseService.
 */
class FaultService
{
  public:
    /// Trace sources of the controller.
    struct Traces
    {
        const TracedCallback<const OpusMessage&>& rx;
        const TracedCallback<const OpusFault&, const std::string&>& served;
    };

    /**
     * @param leases leases the circuits
     * @param traces outlive this object
     */
    FaultService(LeaseService& leases, const Traces& traces);

    /**
     * @param arrival the message
     * @param fault its body
     * @param hasCoordinator true if a RecoveryCoordinator handles lost GPUs
     */
    void HandleFault(const OpusArrival& arrival, OpusFault fault, bool hasCoordinator);
    /// @param arrival the message @param restart its body
    void HandleRestart(const OpusArrival& arrival, const OpusRestart& restart);
    /**
     * @brief Handle the first part of a LEASES: the rank holds leases, and its job may have failed.
     * @param leases the message
     * @param arrival its sender
     */
    void HandleHeld(const OpusLeases& leases, const OpusArrival& arrival);
    /// @param arrival the message @param replace its body
    void HandleReplace(const OpusArrival& arrival, const OpusReplace& replace);

    /**
     * @brief Let circuits use repaired ports again whose groups no rank holds now; recall the
     * leases of the others. Call after every input.
     */
    void UseMendedPorts();

    /**
     * @brief Let a rail begin without circuits of which nothing is known: its switch takes it over.
     * @param rail the rail
     */
    void BeginDark(uint32_t rail);

  private:
    /// @return the action taken on a fault
    std::string React(const OpusFault& fault, bool hasCoordinator);
    std::string HandleSwitch(const OpusFault& fault);
    std::string HandleSwitchPort(const OpusFault& fault);
    std::string HandleRankFault(const OpusFault& fault, bool hasCoordinator);
    /// @return an empty string, or the reason why circuits cannot be planned
    std::string Replace(const OpusReplace& replace);
    /// Move a rail to a spare, or fail its jobs.
    std::string MoveRail(uint32_t rail, const std::string& reason);
    /// @return the action taken, if there is a spare for a rail; otherwise empty
    std::string MoveToSpare(uint32_t rail);
    /// Plan the circuits of the affected groups without a port, or fail the job.
    std::string LosePort(const JobTable::NicPort& port, FaultKind fault, const std::string& reason);
    /// @return what follows from the repair of a port
    std::string MendPort(const JobTable::NicPort& port, FaultKind fault);
    /// All ports of the switch of a rail work: it is another one, or has started again.
    void MendSwitchPorts(uint32_t rail);
    /// Use a repaired port again. @param port the port @param groups groups planned with its rank
    void UsePort(const JobTable::NicPort& port, const std::vector<GroupKey>& groups);
    /// @return the circuits of a group, see JobTable::Plan
    const CircuitPlanner::Result& Plan(const GroupKey& key);
    /// @return an empty string, or the reason why the circuits of a group cannot be planned
    std::string CheckPlans(const std::vector<GroupKey>& groups);
    /// Let groups have the circuits that are planned now.
    void Replan(const std::vector<GroupKey>& groups);
    /// Send the failed ports of its rail to a rank.
    void SendFailedPorts(uint32_t job, uint32_t rank);
    /// Send the failed ports of a rail to all its ranks of a job.
    void SendFailedPortsOnRail(uint32_t job, uint32_t rail);
    /// @return groups that have circuits of a rank, as a member or as a proxy
    std::vector<GroupKey> GetGroupsPlannedWith(uint32_t job, uint32_t rank) const;
    /// @return the ranks of some groups, as text
    std::string Describe(const std::vector<GroupKey>& groups) const;

    LeaseService& m_leases;
    JobTable& m_jobs;              //!< of the LeaseService
    CircuitScheduler& m_scheduler; //!< of the LeaseService
    const Traces m_traces;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_SERVICE_H
