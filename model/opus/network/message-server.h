// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MESSAGE_SERVER_H
#define PHOTONIC_RAILS_MESSAGE_SERVER_H

#include "fair-queue.h"
#include "management-channel.h"

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/opus-message.h"
#include "ns3/time-sum.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/// A received message and its sender.
struct OpusArrival
{
    uint32_t link{0};    //!< host link, at a manager
    Address from;        //!< sender on the management network
    OpusMessage message; //!< the message
    StreamSpan span{};   //!< positions in the stream of a reliable port
};

/// Service time of a message at its receiver.
struct MessageCost
{
    Time fixed;   //!< for each message
    Time perByte; //!< for each byte of a message

    /**
     * @param message a message
     * @return the service time, which includes the answers
     */
    Time Get(const OpusMessage& message) const;
};

/**
 * @brief The processor of a controller, manager or agent, which serves messages one after the
 * other.
 *
 * Each thread serves the messages of a tenant in the order of arrival, and tenants in turn
 * (FairQueue); the owner acts on a message when its service ends. A message without service time is
 * handled within Put if the thread is idle. Without SetLimits the queue has no limit: the
 * management network loses nothing, and messages refused by a full queue would wait at their
 * senders, in the same order.
 */
class MessageServer
{
  public:
    /// Called with every message at the end of its service.
    using Handler = Callback<void, const OpusArrival&>;

    /// Counts of all threads since the start.
    struct Stats
    {
        uint64_t served{0}; //!< messages whose service has ended
        uint64_t longest{
            0};           //!< largest number of messages of a thread, the one in service included
        TimeSum waited;   //!< in queues, before the service, of messages whose service has begun
        Time longestWait; //!< of one message
        TimeSum busy;     //!< in service, of messages whose service has begun
        uint64_t dropped{0}; //!< messages of tenants whose queue was full
    };

    MessageServer() = default;
    ~MessageServer();

    MessageServer(const MessageServer&) = delete;
    MessageServer& operator=(const MessageServer&) = delete;

    /// @param handler acts on messages
    void SetHandler(Handler handler);

    /**
     * @brief Limit what a tenant can do. Call before the first message.
     * @param perSecond messages of a tenant per second and thread, besides FairQueue::BURST at
     * once; 0: any number
     * @param queue messages of a tenant that a thread keeps; others are dropped; 0: any number
     */
    void SetLimits(double perSecond, uint32_t queue);

    /**
     * @brief Queue a message.
     * @param thread thread that serves the message
     * @param cost service time
     * @param arrival the message
     * @param tenant tenant of its sender
     */
    void Put(std::size_t thread, Time cost, const OpusArrival& arrival, uint64_t tenant = 0);

    /// Drop all queued messages and the messages in service.
    void Clear();

    /// @return counts since the start
    const Stats& GetStats() const;

    /**
     * @param thread a thread
     * @return number of its messages, the one in service included
     */
    std::size_t GetLength(std::size_t thread) const;

  private:
    struct Waiting
    {
        OpusArrival arrival;
        Time cost;
        Time since;
    };

    struct Thread
    {
        FairQueue<Waiting> queue;
        std::optional<Waiting> served; //!< the message in service
        EventId next;                  //!< end of its service, or begin of the next one
    };

    /// Serve the next message of an idle thread, now or when it is due.
    void ServeNext(std::size_t thread);
    /// Begin the service of the next message of an idle thread.
    void Begin(std::size_t thread);
    /// End the service of a thread.
    void End(std::size_t thread);

    Handler m_handler;
    std::vector<Thread> m_threads;
    double m_rate{0};
    uint32_t m_most{0};
    Stats m_stats;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MESSAGE_SERVER_H
