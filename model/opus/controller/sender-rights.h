// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SENDER_RIGHTS_H
#define PHOTONIC_RAILS_SENDER_RIGHTS_H

#include "lease-service.h"

#include "ns3/address.h"
#include "ns3/opus-message.h"

#include <cstdint>
#include <map>
#include <set>

namespace ns3
{

/**
 * @brief Which sender may send which message to a controller: the only place where a controller
 * checks a sender.
 *
 * The identity of a sender is its address and UDP port on the management network. A message that no
 * rule allows is refused, so a new type of message is refused until it has a rule.
 *
 * - A message of a rank (REQUEST, RELEASE, LEASES, RESTART, FAULT of a GPU or NIC port) comes from
 *   the manager of the rank, and the rank is known. The parts of a BATCH are checked one by one.
 * - A report of a command (CONFIGURED) comes from the agent of the switch of the command; CIRCUITS
 *   and FAULT of a switch port from the agent of any switch, which can only report this switch.
 * - FAULT of a switch comes from the fault monitor, REPLACE from the recovery coordinator.
 */
class SenderRights
{
  public:
    /// Who a sender is: the senders of a tenant share its part of the controller's time.
    static constexpr uint64_t INFRASTRUCTURE = uint64_t{1} << 32;
    static constexpr uint64_t STRANGER = INFRASTRUCTURE + 1; //!< an unknown sender

    /// @param leases knows ranks, managers, switches and commands; outlives this object
    explicit SenderRights(LeaseService& leases);

    /// @param monitor address and UDP port of the FaultMonitor
    void SetMonitor(const Address& monitor)
    {
        m_monitor = monitor;
    }

    /// @param coordinator address and UDP port of the RecoveryCoordinator
    void SetCoordinator(const Address& coordinator)
    {
        m_coordinator = coordinator;
    }

    /// @return true if a coordinator handles lost GPUs
    bool HasCoordinator() const
    {
        return !m_coordinator.IsInvalid();
    }

    /// @param from a sender @return true for the monitor
    bool IsMonitor(const Address& from) const
    {
        return from == m_monitor;
    }

    /// @param from a sender @return true for the coordinator
    bool IsCoordinator(const Address& from) const
    {
        return from == m_coordinator;
    }

    /// @return monitor and coordinator, if there are any
    std::set<Address> GetPeers() const;

    /**
     * @param message a message to a controller
     * @return true if some sender may send it. A controller drops all other messages at once
     */
    static bool IsInput(const OpusMessage& message);

    /**
     * @param from address and UDP port of the sender of a message
     * @param message the message
     * @return true if the sender may send the message. For a BATCH, the parts decide
     */
    bool MaySend(const Address& from, const OpusMessage& message);

    /**
     * @param from address and UDP port of a sender
     * @return the job of a manager, INFRASTRUCTURE for agents, monitor and coordinator, otherwise
     * STRANGER
     */
    uint64_t GetTenant(const Address& from) const;

  private:
    /// Whether a sender may send a message of one type. May bind the manager of an unbound rank.
    using Rule = bool (SenderRights::*)(const Address& from, const OpusMessage& message);

    /// @return the rule of every type that a controller accepts
    static const std::map<OpusMessageType, Rule>& GetRules();

    bool IsAnybody(const Address& from, const OpusMessage& message);
    bool IsManagerOfRank(const Address& from, const OpusMessage& message);
    bool IsAgentOfCommand(const Address& from, const OpusMessage& message);
    bool IsAgent(const Address& from, const OpusMessage& message);
    bool IsReporterOfFault(const Address& from, const OpusMessage& message);
    bool IsRecoveryCoordinator(const Address& from, const OpusMessage& message);

    LeaseService& m_leases;
    Address m_monitor;     //!< none if invalid
    Address m_coordinator; //!< none if invalid
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SENDER_RIGHTS_H
