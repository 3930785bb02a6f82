// SPDX-License-Identifier: GPL-2.0-only

#include "message-server.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MessageServer");

Time
MessageCost::Get(const OpusMessage& message) const
{
    // Computing the size of a long message is slow.
    return perByte.IsZero() ? fixed : fixed + message.GetSerializedSize() * perByte;
}

MessageServer::~MessageServer()
{
    Clear();
}

void
MessageServer::Put(std::size_t thread, Time cost, const OpusArrival& arrival, uint64_t tenant)
{
    if (m_handler.IsNull()) // of an application that has been disposed of
    {
        return;
    }
    while (m_threads.size() <= thread)
    {
        m_threads.emplace_back();
        m_threads.back().queue.SetRate(m_rate);
    }
    auto& [queue, served, next] = m_threads[thread];
    if (m_most > 0 && queue.GetSize(tenant) >= m_most)
    {
        NS_LOG_WARN(m_most << " messages of tenant " << tenant
                           << " wait, dropped: " << arrival.message);
        ++m_stats.dropped;
        return;
    }
    m_stats.longest = std::max<uint64_t>(m_stats.longest, GetLength(thread) + 1);
    const Time now = Simulator::Now();
    const bool isIdle = !served && queue.GetSize() == 0;
    queue.Push(tenant, Waiting{arrival, cost, now});
    if (isIdle && cost.IsZero() && queue.GetNext(now) == now)
    {
        queue.Pop(now);
        ++m_stats.served;
        m_handler(arrival);
    }
    else if (!served)
    {
        next.Cancel(); // another tenant may have its turn earlier
        ServeNext(thread);
    }
}

void
MessageServer::ServeNext(std::size_t thread)
{
    const Time now = Simulator::Now();
    const auto due = m_threads[thread].queue.GetNext(now);
    if (due && *due > now)
    {
        // Tokens are fractions, so that one may be short of a whole one when it is due.
        m_threads[thread].next =
            Simulator::Schedule(*due - now, &MessageServer::ServeNext, this, thread);
    }
    else if (due)
    {
        Begin(thread);
    }
}

void
MessageServer::Begin(std::size_t thread)
{
    Waiting first = m_threads[thread].queue.Pop(Simulator::Now());
    const Time cost = first.cost;
    const Time waited = Simulator::Now() - first.since;
    NS_LOG_LOGIC("a wait of " << waited << " ends, served in " << cost << ": "
                              << first.arrival.message);
    m_threads[thread].served = std::move(first);
    m_stats.waited += waited;
    m_stats.longestWait = Max(m_stats.longestWait, waited);
    m_stats.busy += cost;
    m_threads[thread].next = Simulator::Schedule(cost, &MessageServer::End, this, thread);
}

void
MessageServer::End(std::size_t thread)
{
    const OpusArrival arrival = std::move(m_threads[thread].served->arrival);
    m_threads[thread].served.reset();
    ServeNext(thread);
    ++m_stats.served;
    m_handler(arrival);
}

void
MessageServer::Clear()
{
    for (auto& thread : m_threads)
    {
        thread.next.Cancel();
        thread.queue.Clear();
        thread.served.reset();
    }
}

std::size_t
MessageServer::GetLength(std::size_t thread) const
{
    if (thread >= m_threads.size())
    {
        return 0;
    }
    const Thread& one = m_threads[thread];
    return one.queue.GetSize() + (one.served ? 1 : 0);
}

} // namespace ns3
