// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROLLER_MACHINE_H
#define PHOTONIC_RAILS_CONTROLLER_MACHINE_H

#include "fault-service.h"
#include "lease-service.h"
#include "replicated-log.h"
#include "sender-rights.h"

#include "ns3/address.h"
#include "ns3/management-channel.h"
#include "ns3/message-server.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>

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
