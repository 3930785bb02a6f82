// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MESSAGE_SERVER_H
#define PHOTONIC_RAILS_MESSAGE_SERVER_H

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/opus-message.h"
#include "ns3/time-sum.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Queues of several tenants, of which each gets its turn: one element of every tenant that
 * waits, in ascending order of the tenants, then the next of each.
 *
 * An element therefore waits for at most one element of every other tenant for each element before
 * it in its own queue. The elements of a tenant keep their order. A tenant whose rate is limited
 * has no turn until its next element is due: a token bucket (RFC 2697) of BURST elements, which the
 * rate fills. A pure state machine: all inputs have times, which never decrease.
 */
template <typename T>
class FairQueue
{
  public:
    static constexpr double BURST = 1e6; //!< elements that a tenant can have at once at any rate

    /// @param perSecond elements of a tenant per second; 0: any number
    void SetRate(double perSecond)
    {
        m_rate = perSecond;
    }

    /// @param tenant number of the tenant @param element waits from now on
    void Push(uint64_t tenant, T element)
    {
        m_tenants[tenant].queue.push_back(std::move(element));
        ++m_size;
    }

    /**
     * @param now the time
     * @return the time at which an element has its turn, now or later; nothing if none waits
     */
    std::optional<Time> GetNext(Time now) const
    {
        std::optional<Time> next;
        for (const auto& [number, tenant] : m_tenants)
        {
            if (!tenant.queue.empty())
            {
                const Time due = GetDue(tenant, now);
                next = next ? Min(*next, due) : due;
            }
        }
        return next;
    }

    /// Take the element that has its turn. @param now time at which there is one (GetNext)
    T Pop(Time now)
    {
        auto turn = m_tenants.upper_bound(m_last);
        for (std::size_t left = m_tenants.size(); left > 0; --left, ++turn)
        {
            turn = turn == m_tenants.end() ? m_tenants.begin() : turn;
            if (!turn->second.queue.empty() && GetDue(turn->second, now) <= now)
            {
                break;
            }
        }
        Tenant& tenant = turn->second;
        m_last = turn->first;
        T element = std::move(tenant.queue.front());
        tenant.queue.pop_front();
        tenant.tokens = GetTokens(tenant, now) - 1;
        tenant.since = now;
        --m_size;
        return element;
    }

    /// @return number of waiting elements
    std::size_t GetSize() const
    {
        return m_size;
    }

    /// @param tenant number of a tenant @return number of its waiting elements
    std::size_t GetSize(uint64_t tenant) const
    {
        const auto it = m_tenants.find(tenant);
        return it == m_tenants.end() ? 0 : it->second.queue.size();
    }

    /// Drop all elements.
    void Clear()
    {
        m_tenants.clear();
        m_size = 0;
    }

  private:
    struct Tenant
    {
        std::deque<T> queue;
        double tokens{BURST}; //!< at the time `since`
        Time since;
    };

    double GetTokens(const Tenant& tenant, Time now) const
    {
        return std::min(BURST, tenant.tokens + m_rate * (now - tenant.since).GetSeconds());
    }

    /// @return when the next element of a tenant may have its turn
    Time GetDue(const Tenant& tenant, Time now) const
    {
        const double missing = m_rate > 0 ? 1 - GetTokens(tenant, now) : 0;
        return missing > 0 ? now + Max(Seconds(missing / m_rate), TimeStep(1)) : now;
    }

    double m_rate{0};
    std::map<uint64_t, Tenant> m_tenants; //!< by number
    uint64_t m_last{0};                   //!< tenant that had the last turn
    std::size_t m_size{0};
};

/// A received message and its sender.
struct OpusArrival
{
    uint32_t link{0};    //!< host link, at a manager
    Address from;        //!< sender on the management network
    OpusMessage message; //!< the message
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
    void SetHandler(Handler handler)
    {
        m_handler = handler;
    }

    /**
     * @brief Limit what a tenant can do. Call before the first message.
     * @param perSecond messages of a tenant per second and thread, besides FairQueue::BURST at
     * once; 0: any number
     * @param queue messages of a tenant that a thread keeps; others are dropped; 0: any number
     */
    void SetLimits(double perSecond, uint32_t queue)
    {
        m_rate = perSecond;
        m_most = queue;
    }

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
    const Stats& GetStats() const
    {
        return m_stats;
    }

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
