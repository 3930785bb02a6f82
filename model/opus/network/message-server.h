// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MESSAGE_SERVER_H
#define PHOTONIC_RAILS_MESSAGE_SERVER_H

#include "management-channel.h"

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/opus-message.h"
#include "ns3/time-sum.h"

#include <cstddef>
#include <cstdint>
#include <deque>
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
 * Each thread serves its messages in the order of arrival; the owner acts on a message when its
 * service ends. A message without service time is handled within Put if the thread is idle. The
 * queue has no limit: the management network loses nothing, and messages refused by a full queue
 * would wait at their senders, in the same order.
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
    };

    MessageServer() = default;
    ~MessageServer();

    MessageServer(const MessageServer&) = delete;
    MessageServer& operator=(const MessageServer&) = delete;

    /// @param handler acts on messages
    void SetHandler(Handler handler);

    /**
     * @brief Queue a message.
     * @param thread thread that serves the message
     * @param cost service time
     * @param arrival the message
     */
    void Put(std::size_t thread, Time cost, const OpusArrival& arrival);

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
        std::deque<Waiting> queue; //!< the first one is in service
        EventId done;              //!< end of its service
    };

    /// Begin the service of the first message of a thread.
    void Begin(std::size_t thread);
    /// End the service of the first message of a thread.
    void End(std::size_t thread);

    Handler m_handler;
    std::vector<Thread> m_threads;
    Stats m_stats;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MESSAGE_SERVER_H
