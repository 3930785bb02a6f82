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
#include <vector>

namespace ns3
{

/**
 * @brief What a controller has been told, in the order in which it acted on it: the write-ahead log
 * from which it begins anew after a crash.
 *
 * Think of a disk: it survives the application. A controller is a deterministic state machine fed
 * by messages, so that the same inputs in the same order make the same state and the same outputs.
 * An input is in the log before anything follows from it and before its sender is told that it need
 * not send it again.
 *
 * The log has no limit: it grows by an entry for each message.
 */
class ControllerLog : public SimpleRefCount<ControllerLog>
{
  public:
    /// An input.
    struct Entry
    {
        OpusArrival arrival; //!< the message, whence it came, and where it lay in its stream
        Time at;             //!< when it was acted on
    };

    /**
     * @brief Write an entry.
     * @param arrival what is acted on now
     * @param now the time
     */
    void Append(const OpusArrival& arrival, Time now);

    /// @return all entries, the oldest first
    const std::vector<Entry>& GetEntries() const;

    /// @return number of the controller's life, from 0
    uint32_t GetEpoch() const;
    /// @param epoch number of a new life, higher than that before
    void SetEpoch(uint32_t epoch);

  private:
    std::vector<Entry> m_entries;
    uint32_t m_epoch{0};
};

class ManagementPort;

/**
 * @brief Makes the inputs of a controller durable before it acts on them: writes each to the
 * controller's log, and stores it at a standby, if there is one.
 *
 * Inputs are handed on in the order in which they were put in, each as soon as it is durable. The
 * sender of an input gets its acknowledgement then, and not before. Without a log, an input is
 * handed on at once.
 */
class ReplicatedLog
{
  public:
    /// Called with an input that is durable.
    using Handler = Callback<void, const OpusArrival&>;

    ReplicatedLog();

    /// @param log survives the controller
    void SetLog(Ptr<ControllerLog> log);
    /// @return the log; nullptr if there is none
    ControllerLog* GetLog() const;
    /// @param standby address and UDP port of a ControllerStandby
    void SetStandby(const Address& standby);
    /// @return true if there is a standby
    bool HasStandby() const;
    /// @param commit acts on inputs @param yield called when the standby is the controller now
    void SetHandlers(Handler commit, Callback<void> yield);

    /**
     * @brief Set where messages are sent.
     * @param network management port of the controller's node; null at the end
     * @param port UDP port of the controller
     */
    void SetNetwork(Ptr<ManagementPort> network, uint16_t port);
    /// Drop inputs that are being written, and send no more heartbeats.
    void Stop();
    /// Stop, drop inputs that the standby has not stored, and close the channel to it.
    void Close();

    /// Open a channel to the standby, as a new TCP connection. @param life number of crashes so far
    void OpenStandby(uint64_t crashes);
    /// Tell the standby again and again that the controller is there. @param interval between two
    void StartHeartbeats(Time interval);
    /// Send no more heartbeats, ever: the job has ended.
    void StopHeartbeats();
    /// Ask the standby to take over.
    void Yield();

    /**
     * @brief Make an input durable.
     * @param arrival the input
     * @param writeTime of the disk, which writes one at a time
     */
    void Put(const OpusArrival& arrival, Time writeTime);

    /// @return messages on the standby's channel that were not the standby's
    uint64_t GetForeign() const;
    /// @return messages of the standby that made no sense
    uint64_t GetMalformed() const;

  private:
    /// The disk has written an input: store it at the standby, if there is one.
    void Store(const OpusArrival& arrival);
    /// It is durable.
    void Commit(const OpusArrival& arrival);
    void HandleStandby(const Address& from, const OpusMessage& message);
    void Heartbeat();

    Handler m_commit;
    Callback<void> m_yield;
    Ptr<ManagementPort> m_network;
    uint16_t m_port{0};
    Ptr<ControllerLog> m_log;
    MessageServer m_disk; //!< writes inputs, one after the other

    Address m_standby;                 //!< none if invalid
    uint16_t m_replicaPort{0};         //!< UDP port on which it is heard, another in each life
    std::deque<OpusArrival> m_pending; //!< not yet stored by the standby
    uint64_t m_lastEntry{0};           //!< number of the last of them
    uint64_t m_lastStored{0};          //!< number of the last that the standby has stored
    Time m_heartbeatInterval;
    EventId m_heartbeat;
    bool m_isOver{false}; //!< no more heartbeats
    uint64_t m_foreign{0};
    uint64_t m_malformed{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_REPLICATED_LOG_H
