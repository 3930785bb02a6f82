// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROLLER_MACHINE_H
#define PHOTONIC_RAILS_CONTROLLER_MACHINE_H

#include "fault-service.h"
#include "lease-service.h"
#include "sender-rights.h"

#include "ns3/message-server.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * @brief The deterministic part of an OpusController: checks the sender of each input, and passes
 * the input to the LeaseService or to the FaultService.
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

    /// @return which sender may send what
    SenderRights& GetRights()
    {
        return m_rights;
    }

    /// @copydoc GetRights
    const SenderRights& GetRights() const
    {
        return m_rights;
    }

    /// @return the part that leases circuits
    LeaseService& GetLeases()
    {
        return m_leases;
    }

    /// @copydoc GetLeases
    const LeaseService& GetLeases() const
    {
        return m_leases;
    }

  private:
    void Dispatch(const OpusArrival& arrival);
    /// Count a message of a sender that may not send it, and answer a request.
    void Refuse(const OpusArrival& arrival);

    LeaseService m_leases;
    SenderRights m_rights;
    FaultService m_faults;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROLLER_MACHINE_H
