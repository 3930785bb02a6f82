// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROLLER_MACHINE_H
#define PHOTONIC_RAILS_CONTROLLER_MACHINE_H

#include "fault-service.h"
#include "lease-service.h"

#include "ns3/message-server.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * @brief The deterministic part of an OpusController: passes each input to the LeaseService or to
 * the FaultService.
 *
 * State and sent messages depend only on the configuration and on the inputs with their times, in
 * their order. A log of the inputs therefore restores a machine, and so does a copy of the state
 * with the inputs that follow.
 */
class ControllerMachine
{
  public:
    /// @param leases trace sources @param faults trace sources; they outlive this object
    ControllerMachine(const LeaseService::Traces& leases, const FaultService::Traces& faults);

    /// Copy configuration and state. @param other another machine
    void CopyState(const ControllerMachine& other);

    /**
     * @brief Process an input.
     * @param arrival the input
     * @param at time at which the input is or was processed
     * @param isTraced true if trace sources fire
     */
    void Serve(const OpusArrival& arrival, Time at, bool isTraced);

    /// @return the part that leases circuits
    LeaseService& GetLeases();
    /// @copydoc GetLeases
    const LeaseService& GetLeases() const;
    /// @return the part that handles faults
    FaultService& GetFaults();
    /// @copydoc GetFaults
    const FaultService& GetFaults() const;

  private:
    void Dispatch(const OpusArrival& arrival);

    LeaseService m_leases;
    FaultService m_faults;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROLLER_MACHINE_H
