// SPDX-License-Identifier: GPL-2.0-only

#include "switch-arrivals.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

SwitchArrivals::SwitchArrivals(std::function<void(uint32_t port, const Time& at)> deliver,
                               std::function<Time()> slack)
    : m_deliver(std::move(deliver)),
      m_slack(std::move(slack))
{
}

SwitchArrivals::~SwitchArrivals()
{
    Stop();
}

void
SwitchArrivals::Stop()
{
    for (auto& wake : m_wakes)
    {
        wake.event->Disarm();
    }
    m_arrivals.clear();
    m_firstTaken = false;
}

void
SwitchArrivals::Add(const Time& at, uint32_t port)
{
    if (m_firstTaken)
    {
        m_firstTaken = false;
        ReplaceFirst(Arrival{at, port});
        return;
    }
    m_arrivals.push_back(Arrival{at, port});
    std::push_heap(m_arrivals.begin(), m_arrivals.end());
    if (!m_taking)
    {
        Await();
    }
}

void
SwitchArrivals::ReplaceFirst(const Arrival& arrival)
{
    std::size_t place = 0;
    while (true)
    {
        std::size_t next = 2 * place + 1;
        if (next + 1 < m_arrivals.size() && m_arrivals[next] < m_arrivals[next + 1])
        {
            ++next;
        }
        if (next >= m_arrivals.size() || m_arrivals[next] < arrival)
        {
            break;
        }
        m_arrivals[place] = m_arrivals[next];
        place = next;
    }
    m_arrivals[place] = arrival;
}

void
SwitchArrivals::Take()
{
    const Time now = Simulator::Now();
    if (m_taking || m_arrivals.empty() || m_arrivals.front().at > now)
    {
        return;
    }
    m_taking = true;
    while (!m_arrivals.empty() && m_arrivals.front().at <= now)
    {
        const Arrival first = m_arrivals.front();
        m_firstTaken = true; // usually the next arrival of the same port replaces it
        m_deliver(first.port, first.at);
        if (m_firstTaken)
        {
            m_firstTaken = false;
            std::pop_heap(m_arrivals.begin(), m_arrivals.end());
            m_arrivals.pop_back();
        }
    }
    m_taking = false;
    Await();
}

void
SwitchArrivals::WakeUp()
{
    --m_pending;
    Take();
    Await();
}

void
SwitchArrivals::TakeAndAwaitNext()
{
    Take();
    if (!m_arrivals.empty())
    {
        WakeBy(m_arrivals.front().at);
    }
}

void
SwitchArrivals::Await()
{
    if (!m_arrivals.empty())
    {
        WakeBy(m_arrivals.front().at + m_slack());
    }
}

void
SwitchArrivals::WakeBy(const Time& at)
{
    if (m_pending > 0 && m_wakes[m_pending - 1].at <= at)
    {
        return; // the earlier event schedules the next one
    }
    if (m_pending == m_wakes.size())
    {
        m_wakes.push_back(Wake{Create<RecurringEvent>([this] { WakeUp(); }), at});
    }
    Wake& wake = m_wakes[m_pending++];
    wake.at = at;
    wake.event->Schedule(m_context, at - Simulator::Now());
}

} // namespace ns3
