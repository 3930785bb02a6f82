// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROLLER_MACHINE_H
#define PHOTONIC_RAILS_CONTROLLER_MACHINE_H

#include "fault-service.h"
#include "lease-service.h"
#include "replicated-log.h"

#include "ns3/address.h"
#include "ns3/management-channel.h"
#include "ns3/message-server.h"
#include "ns3/nstime.h"
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
 * - A message of a rank (REQUEST, RELEASE, RESTART, FAULT of a GPU or NIC port) comes from the
 *   manager of the rank, and the rank is known. The parts of a BATCH are checked one by one.
 * - A report of a command (CONFIGURED) comes from the agent of the switch of the command; FAULT of
 * a switch port from the agent of any switch, which can only report ports of this switch.
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

    /// Copy the configuration. @param other other rights
    void CopyState(const SenderRights& other);

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

    /// @return monitor and coordinator, if there are any
    std::set<Address> GetPeers() const;

    /**
     * @param message a message to a controller
     * @return true if some sender may send it, and an ENTRY for a standby can contain it. A
     * controller drops all other messages before it writes its log
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
    bool IsReporterOfFault(const Address& from, const OpusMessage& message);
    bool IsRecoveryCoordinator(const Address& from, const OpusMessage& message);

    LeaseService& m_leases;
    Address m_monitor;     //!< none if invalid
    Address m_coordinator; //!< none if invalid
};

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
    void CopyState(const ControllerMachine& other)
    {
        m_leases.CopyState(other.m_leases);
        m_rights.CopyState(other.m_rights);
    }

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

/**
 * @brief The state of a controller after a prefix of its log, which replaces the entries of the
 * prefix: the snapshot on the disk.
 *
 * The snapshot is a machine that processes the entries without a network. It consists of the state
 * of the controller and of the channels to its peers: which messages of each peer the prefix
 * contains, and which messages to each peer the peer has not confirmed. A restarted controller
 * copies both and processes the rest of the log; afterwards its state and its messages are those
 * after the whole log.
 */
class ControllerSnapshot
{
  public:
    /// Both directions of a channel, as the controller sees them.
    struct Channel
    {
        ReliableSender sender;     //!< messages that the peer has not confirmed
        ReliableReceiver receiver; //!< has read the messages of the log
    };

    /// @param leases trace sources @param faults trace sources; they outlive this object
    ControllerSnapshot(const LeaseService::Traces& leases, const FaultService::Traces& faults);

    ControllerSnapshot(const ControllerSnapshot&) = delete;
    ControllerSnapshot& operator=(const ControllerSnapshot&) = delete;

    /// Begin with a controller that has processed nothing. @param configured the controller
    void Begin(const ControllerMachine& configured);
    /**
     * @brief Process the next entry of the log.
     * @param entry the entry
     * @param isTraced true if trace sources fire
     */
    void Apply(const ControllerLog::Entry& entry, bool isTraced);

    /// @return number of processed entries
    uint64_t GetEntries() const
    {
        return m_entries;
    }

    /// @return the state of the controller
    const ControllerMachine& GetMachine() const
    {
        return m_machine;
    }

    /// @return the channels, by address and UDP port of the peer
    const std::map<Address, Channel>& GetChannels() const
    {
        return m_channels;
    }

  private:
    void Send(const Address& to, const OpusMessage& message);

    ControllerMachine m_machine;
    std::map<Address, Channel> m_channels;
    uint64_t m_entries{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROLLER_MACHINE_H
