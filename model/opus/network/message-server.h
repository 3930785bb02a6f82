// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MESSAGE_SERVER_H
#define PHOTONIC_RAILS_MESSAGE_SERVER_H

#include "management-channel.h"

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/opus-message.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

/// A message and whence it came.
struct OpusArrival
{
    uint32_t link{0};    //!< of a manager: the host link
    Address from;        //!< on the management network
    OpusMessage message; //!< what was said
    StreamSpan span{};   //!< where it lay in what a reliable port has heard from there
};

/// What a message costs the processor of who reads it.
struct MessageCost
{
    Time fixed;   //!< for each message
    Time perByte; //!< and for each of its bytes

    /**
     * @param message a message
     * @return how long it is served, with all that is answered to it
     */
    Time Get(const OpusMessage& message) const;
};

/**
 * @brief The processor of a controller, a manager or an agent: messages take time, one after the
 * other.
 *
 * Each thread serves what it is given in the order of arrival; the owner acts on a message when its
 * service ends. What costs nothing and waits for nothing is acted upon at once, within Put. The
 * queue has no limit: the management network loses nothing, and what a full queue would hold back
 * would wait at its senders instead, in the same order.
 */
class MessageServer
{
  public:
    /// Called with every message when its service has ended.
    using Handler = Callback<void, const OpusArrival&>;

    /// What happened so far, on all threads.
    struct Stats
    {
        uint64_t served{0};  //!< messages whose service has ended
        uint64_t longest{0}; //!< most messages of a thread at once, the one in service included
        Time waited;         //!< in queues, before the service, of messages whose service has begun
        Time longestWait;    //!< of one message
        Time busy;           //!< in service, of messages whose service has begun
    };

    MessageServer() = default;
    ~MessageServer();

    MessageServer(const MessageServer&) = delete;
    MessageServer& operator=(const MessageServer&) = delete;

    /// @param handler acts on messages
    void SetHandler(Handler handler);

    /**
     * @brief Take a message.
     * @param thread who serves it
     * @param cost how long that takes
     * @param arrival the message
     */
    void Put(std::size_t thread, Time cost, const OpusArrival& arrival);

    /// Forget all that waits or is served.
    void Clear();

    /// @return what happened so far
    const Stats& GetStats() const;

    /**
     * @param thread a thread
     * @return messages that it has, the one in service included
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

    /// Begin with the first of a thread's queue.
    void Begin(std::size_t thread);
    /// The first has been served.
    void End(std::size_t thread);

    Handler m_handler;
    std::vector<Thread> m_threads;
    Stats m_stats;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MESSAGE_SERVER_H
