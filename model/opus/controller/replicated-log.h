// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_REPLICATED_LOG_H
#define PHOTONIC_RAILS_REPLICATED_LOG_H

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/message-server.h"
#include "ns3/nstime.h"
#include "ns3/simple-ref-count.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

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
    void Append(const Entry& entry)
    {
        m_entries.push_back(entry);
    }

    /// Remove the oldest entry, which a snapshot contains.
    void RemoveFirst()
    {
        m_entries.pop_front();
        ++m_removed;
    }

    /// Remove the newest entries. @param count number of entries that remain, at least GetFirst ()
    /// - 1
    void Truncate(uint64_t count);

    /// @return the entries that no snapshot contains, the oldest first
    const std::deque<Entry>& GetEntries() const
    {
        return m_entries;
    }

    /// @return number of entries so far, removed ones included: the number of the last entry
    uint64_t GetCount() const
    {
        return m_removed + m_entries.size();
    }

    /// @return number of the oldest entry that is not removed
    uint64_t GetFirst() const
    {
        return m_removed + 1;
    }

    /// @return epoch of the controller, from 0
    uint32_t GetEpoch() const
    {
        return m_epoch;
    }

    /// @param epoch epoch of a controller with this log; no effect unless higher than the current
    /// one
    void RaiseEpoch(uint32_t epoch)
    {
        m_epoch = std::max(m_epoch, epoch);
    }

    /// @param number a controller has processed all entries up to this number
    void SetCommitted(uint64_t number)
    {
        m_committed = std::max(m_committed, number);
    }

    /// @return number of entries of this log that a controller has processed
    uint64_t GetCommitted() const
    {
        return std::min(m_committed, GetCount());
    }

    /// @param number all entries up to this number are also in the log of the other node
    void SetStored(uint64_t number)
    {
        m_stored = std::max(m_stored, number);
    }

    /// @return number of entries that are also in the log of the other node
    uint64_t GetStored() const
    {
        return m_stored;
    }

    /// @param isAlone true while the controller with this log is active without a standby
    void SetAlone(bool isAlone)
    {
        m_isAlone = isAlone;
    }

    /// @return true if no other node can have a newer log
    bool IsAlone() const
    {
        return m_isAlone;
    }

  private:
    std::deque<Entry> m_entries;
    uint64_t m_removed{0};
    uint64_t m_committed{0};
    uint64_t m_stored{0};
    bool m_isAlone{false};
    uint32_t m_epoch{0};
};

class ManagementPort;

/**
 * @brief Makes the inputs of a controller durable before they are processed: writes each to the log
 * of the controller, and stores it at a standby while one is attached.
 *
 * Inputs are passed on in the order of Put, each as soon as it is durable. The input is
 * acknowledged to its sender at the same time. Without a log, inputs are passed on at once.
 *
 * A standby answers every heartbeat. If the standby has been silent for a time, it is detached:
 * inputs are passed on without it. In the middle of this time the owner asks its peers whether the
 * standby has taken over. Without answers of more than half of the peers the controller may itself
 * be disconnected; then the standby stays attached, and the owner asks again.
 */
class ReplicatedLog
{
  public:
    /// Called with every durable input.
    using Handler = Callback<void, const OpusArrival&>;

    /// What happens to a standby.
    enum StandbyEvent
    {
        TOOK_OVER, //!< the standby has taken over
        SILENT,    //!< the standby has been silent for half of the time after which it is detached
        LOST,      //!< the standby is about to be detached
    };

    ReplicatedLog();

    /// @param log outlives the controller
    void SetLog(Ptr<ControllerLog> log)
    {
        m_log = log;
    }

    /// @return the log; nullptr if there is none
    ControllerLog* GetLog() const
    {
        return PeekPointer(m_log);
    }

    /// @param standby address and UDP port of the ControllerStandby of the other node
    void SetStandby(const Address& standby)
    {
        m_standby = standby;
    }

    /// @return true if there is another node
    bool HasStandby() const
    {
        return !m_standby.IsInvalid();
    }

    /// @param commit processes inputs @param notify called with events of the standby
    void SetHandlers(Handler commit, Callback<void, StandbyEvent> notify)
    {
        m_commit = commit;
        m_notify = notify;
    }

    /**
     * @brief Set the network for messages.
     * @param network management port of the node of the controller; null to stop
     * @param port UDP port of the controller
     */
    void SetNetwork(Ptr<ManagementPort> network, uint16_t port);

    /// @param interval interval of heartbeats @param timeout silence after which a standby is lost
    void SetTimes(Time interval, Time timeout)
    {
        m_heartbeatInterval = interval;
        m_timeout = timeout;
    }

    /// Drop inputs that are being written, and stop the heartbeats.
    void Stop();
    /// Stop, drop inputs that the standby has not stored, and close the channel to the standby.
    void Close();

    /**
     * @brief Attach the standby over a new channel, as a new TCP connection: send the entries that
     * the standby lacks, and heartbeats.
     * @param committed number of entries that the standby has and a controller has processed
     * @param attempt number of the JOIN of the standby
     * @return false for a JOIN that came before or is late, or if the log no longer contains all
     * entries that the standby lacks
     */
    bool Attach(uint64_t committed, uint64_t attempt);

    /// Send no more heartbeats, because the job has ended.
    void StopHeartbeats()
    {
        m_isOver = true;
        m_heartbeat.Cancel();
    }

    /**
     * @brief Make an input durable.
     * @param arrival the input
     * @param writeTime time of the disk for one input; inputs are written one at a time
     * @param tenant tenant of the sender; tenants take turns
     */
    void Put(const OpusArrival& arrival, Time writeTime, uint64_t tenant);

    /// @return number of messages on the channel of the standby from other senders
    uint64_t GetForeign() const
    {
        return m_foreign;
    }

    /// @return number of unexpected messages of the standby
    uint64_t GetMalformed() const
    {
        return m_malformed;
    }

  private:
    /// Store a written input at the standby, if there is one.
    void Store(const OpusArrival& arrival);
    /// Log, confirm and process a durable input.
    void Commit(ControllerLog::Entry entry);
    /// Commit the oldest input that the standby has not stored.
    void CommitPending();
    /// Send an entry to the standby. @param number number of the entry @param input the entry
    void SendEntry(uint64_t number, const ControllerLog::Entry& input);
    void HandleStandby(const Address& from, const OpusMessage& message);
    void Heartbeat();
    /// Go on without the standby.
    void Detach();

    Handler m_commit;
    Callback<void, StandbyEvent> m_notify;
    Ptr<ManagementPort> m_network;
    uint16_t m_port{0};
    Ptr<ControllerLog> m_log;
    MessageServer m_disk; //!< writes inputs one at a time

    Address m_standby;         //!< none if invalid
    bool m_isAttached{false};  //!< the standby stores all inputs
    uint16_t m_replicaPort{0}; //!< UDP port for its messages, different after each attachment
    uint64_t m_attachments{0};
    uint64_t m_attempt{0}; //!< of the JOIN that was accepted last
    uint64_t m_kept{0};    //!< number of entries that the standby had then
    uint64_t m_missed{0};  //!< last entry that was processed without the standby
    std::deque<ControllerLog::Entry> m_pending; //!< inputs that the standby has not stored
    Time m_heartbeatInterval;
    Time m_timeout;
    Time m_lastRx;               //!< of a message of the standby
    std::optional<Time> m_asked; //!< time of the last SILENT since then
    EventId m_heartbeat;
    bool m_isOver{false}; //!< no more heartbeats
    uint64_t m_foreign{0};
    uint64_t m_malformed{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_REPLICATED_LOG_H
