// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROLLER_SNAPSHOT_H
#define PHOTONIC_RAILS_CONTROLLER_SNAPSHOT_H

#include "controller-machine.h"
#include "replicated-log.h"

#include "ns3/address.h"
#include "ns3/management-channel.h"

#include <cstdint>
#include <map>

namespace ns3
{

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

#endif // PHOTONIC_RAILS_CONTROLLER_SNAPSHOT_H
