// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_REPLICATED_LOG_H
#define PHOTONIC_RAILS_REPLICATED_LOG_H

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/message-server.h"
#include "ns3/nstime.h"
#include "ns3/simple-ref-count.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @brief The inputs of a controller in the order in which they were processed: the write-ahead log
 * for restarts after a crash.
 *
 * The log corresponds to a disk: it outlives the application. A controller is a deterministic state
 * machine, so the same inputs in the same order give the same state and the same messages. An input
 * is written before it has any effect and before it is acknowledged to its sender.
 *
 * A ControllerSnapshot replaces the oldest entries when there are many, so that the size of the log
 * is bounded.
 */
class ControllerLog : public SimpleRefCount<ControllerLog>
{
  public:
    /// An input.
    struct Entry
    {
        OpusArrival arrival; //!< message, sender and positions in its stream
        Time at;             //!< time at which it was processed
        /// The sender has confirmed the stream of the controller before this position.
        uint64_t acknowledged{0};
    };

    /// Write an entry. @param entry the entry
    void Append(const Entry& entry);
    /// Remove the oldest entry, which a snapshot contains.
    void RemoveFirst();

    /// @return the entries that no snapshot contains, the oldest first
    const std::deque<Entry>& GetEntries() const;

    /// @return epoch of the controller, from 0
    uint32_t GetEpoch() const;
    /// @param epoch epoch of a restarted controller, higher than the current one
    void SetEpoch(uint32_t epoch);

  private:
    std::deque<Entry> m_entries;
    uint32_t m_epoch{0};
};

class ManagementPort;

/**
 * @brief Makes the inputs of a controller durable before they are processed: writes each to the log
 * of the controller, and stores it at a standby, if there is one.
 *
 * Inputs are passed on in the order of Put, each as soon as it is durable. The input is
 * acknowledged to its sender at the same time. Without a log, inputs are passed on at once.
 */
class ReplicatedLog
{
  public:
    /// Called with every durable input.
    using Handler = Callback<void, const OpusArrival&>;

    ReplicatedLog();

    /// @param log outlives the controller
    void SetLog(Ptr<ControllerLog> log);
    /// @return the log; nullptr if there is none
    ControllerLog* GetLog() const;
    /// @param standby address and UDP port of a ControllerStandby
    void SetStandby(const Address& standby);
    /// @return true if there is a standby
    bool HasStandby() const;
    /// @param commit processes inputs @param yield called when the standby has taken over
    void SetHandlers(Handler commit, Callback<void> yield);

    /**
     * @brief Set the network for messages.
     * @param network management port of the node of the controller; null to stop
     * @param port UDP port of the controller
     */
    void SetNetwork(Ptr<ManagementPort> network, uint16_t port);
    /// Drop inputs that are being written, and stop the heartbeats.
    void Stop();
    /// Stop, drop inputs that the standby has not stored, and close the channel to the standby.
    void Close();

    /**
     * @brief Open a channel to the standby, as a new TCP connection. @param crashes number of
     * crashes so far
     */
    void OpenStandby(uint64_t crashes);
    /// Send heartbeats to the standby. @param interval interval of heartbeats
    void StartHeartbeats(Time interval);
    /// Send no more heartbeats, because the job has ended.
    void StopHeartbeats();
    /// Request the takeover by the standby.
    void Yield();

    /**
     * @brief Make an input durable.
     * @param arrival the input
     * @param writeTime time of the disk for one input; inputs are written one at a time
     */
    void Put(const OpusArrival& arrival, Time writeTime);

    /// @return number of messages on the channel of the standby from other senders
    uint64_t GetForeign() const;
    /// @return number of unexpected messages of the standby
    uint64_t GetMalformed() const;

  private:
    /// Store a written input at the standby, if there is one.
    void Store(const OpusArrival& arrival);
    /// Log, confirm and process a durable input.
    void Commit(ControllerLog::Entry entry);
    void HandleStandby(const Address& from, const OpusMessage& message);
    void Heartbeat();

    Handler m_commit;
    Callback<void> m_yield;
    Ptr<ManagementPort> m_network;
    uint16_t m_port{0};
    Ptr<ControllerLog> m_log;
    MessageServer m_disk; //!< writes inputs one at a time

    Address m_standby;         //!< none if invalid
    uint16_t m_replicaPort{0}; //!< UDP port for its messages, different after each crash
    std::deque<ControllerLog::Entry> m_pending; //!< inputs that the standby has not stored
    uint64_t m_lastEntry{0};                    //!< number of the last entry sent
    uint64_t m_lastStored{0};                   //!< number of the last that the standby has stored
    Time m_heartbeatInterval;
    EventId m_heartbeat;
    bool m_isOver{false}; //!< no more heartbeats
    uint64_t m_foreign{0};
    uint64_t m_malformed{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_REPLICATED_LOG_H
