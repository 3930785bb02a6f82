// SPDX-License-Identifier: GPL-2.0-only

#include "message-server.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

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
MessageServer::SetHandler(Handler handler)
{
    m_handler = handler;
}

void
MessageServer::Put(std::size_t thread, Time cost, const OpusArrival& arrival)
{
    if (m_handler.IsNull()) // of an application that has been disposed of
    {
        return;
    }
    if (m_threads.size() <= thread)
    {
        m_threads.resize(thread + 1);
    }
    auto& queue = m_threads[thread].queue;
    m_stats.longest = std::max<uint64_t>(m_stats.longest, queue.size() + 1);
    if (queue.empty() && cost.IsZero())
    {
        ++m_stats.served;
        m_handler(arrival);
        return;
    }
    queue.push_back(Waiting{arrival, cost, Simulator::Now()});
    if (queue.size() == 1)
    {
        Begin(thread);
    }
}

void
MessageServer::Begin(std::size_t thread)
{
    const Waiting& first = m_threads[thread].queue.front();
    const Time waited = Simulator::Now() - first.since;
    m_stats.waited += waited;
    m_stats.longestWait = Max(m_stats.longestWait, waited);
    m_stats.busy += first.cost;
    m_threads[thread].done = Simulator::Schedule(first.cost, &MessageServer::End, this, thread);
}

void
MessageServer::End(std::size_t thread)
{
    const OpusArrival arrival = std::move(m_threads[thread].queue.front().arrival);
    m_threads[thread].queue.pop_front();
    if (!m_threads[thread].queue.empty())
    {
        Begin(thread);
    }
    ++m_stats.served;
    m_handler(arrival);
}

void
MessageServer::Clear()
{
    for (auto& thread : m_threads)
    {
        thread.done.Cancel();
        thread.queue.clear();
    }
}

const MessageServer::Stats&
MessageServer::GetStats() const
{
    return m_stats;
}

std::size_t
MessageServer::GetLength(std::size_t thread) const
{
    return thread < m_threads.size() ? m_threads[thread].queue.size() : 0;
}

} // namespace ns3
