// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAIR_QUEUE_H
#define PHOTONIC_RAILS_FAIR_QUEUE_H

#include "ns3/nstime.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

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

} // namespace ns3

#endif // PHOTONIC_RAILS_FAIR_QUEUE_H
