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
 * @brief The part of an OpusController that acts on faults: it moves rails to spare switches, plans
 * around ports that are lost, moves ranks to other GPUs, and fails jobs that cannot go on.
 *
 * All that it knows of faults comes in messages that are served as any other. Its only state is the
 * LeaseService's.
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

    /// @param leases lends the circuits @param traces live as long as this object
    FaultService(LeaseService& leases, const Traces& traces);

    /// @param coordinator address and UDP port of the RecoveryCoordinator, which alone moves ranks
    void SetCoordinator(const Address& coordinator);
    /// @param monitor address and UDP port of the FaultMonitor, which alone reports on switches
    void SetMonitor(const Address& monitor);
    /// @return the monitor; invalid if there is none
    const Address& GetMonitor() const;

    /// @param arrival the message @param fault its body
    void HandleFault(const OpusArrival& arrival, OpusFault fault);
    /// @param arrival the message @param restart its body
    void HandleRestart(const OpusArrival& arrival, const OpusRestart& restart);
    /// @param arrival the message @param replace its body
    void HandleReplace(const OpusArrival& arrival, const OpusReplace& replace);

  private:
    /// @return what has been done about a fault; empty: the sender is not believed
    std::string React(const Address& from, const OpusFault& fault);
    std::string HandleSwitch(uint32_t ocs, bool works);
    std::string HandleSwitchPort(uint32_t ocs, const OpusFault& fault);
    std::string HandleRankFault(const OpusFault& fault);
    /// @return an empty string, or why some circuits cannot be planned
    std::string Replace(const OpusReplace& replace);
    /// Move a rail to a spare, or fail its jobs.
    std::string MoveRail(uint32_t rail, const std::string& reason);
    /// @return what has been done, if there is a spare for a rail; otherwise empty
    std::string MoveToSpare(uint32_t rail);
    /// Have groups go on over the ports that are left, or fail the job.
    std::string LosePort(const JobTable::NicPort& port, const std::string& reason);
    /// Tell a rank which ports are not used any more.
    void SendFailedPorts(uint32_t job, uint32_t rank, const std::vector<JobTable::NicPort>& ports);
    /// @return groups of a rank that are asked for or held
    std::vector<GroupKey> GetGroupsInUse(uint32_t job, uint32_t rank) const;
    /// @return some groups in words, by their ranks
    std::string Describe(const std::vector<GroupKey>& groups) const;

    LeaseService& m_leases;
    JobTable& m_jobs;              //!< of the same
    CircuitScheduler& m_scheduler; //!< of the same
    const Traces m_traces;
    Address m_monitor;     //!< none if invalid
    Address m_coordinator; //!< none if invalid
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_SERVICE_H
