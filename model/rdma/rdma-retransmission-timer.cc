// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-retransmission-timer.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

RdmaRetransmissionTimer::RdmaRetransmissionTimer(Client& client)
    : m_client(client)
{
}

RdmaRetransmissionTimer::~RdmaRetransmissionTimer()
{
    m_event.Cancel();
}

void
RdmaRetransmissionTimer::SetInitialTimeout(Time timeout)
{
    m_initialTimeout = timeout;
}

Time
RdmaRetransmissionTimer::GetInitialTimeout() const
{
    return m_initialTimeout;
}

void
RdmaRetransmissionTimer::SetExpectedRoundTrip(Time time)
{
    m_expectedRoundTrip = time;
}

void
RdmaRetransmissionTimer::SetMinTimeout(Time timeout)
{
    m_minTimeout = timeout;
}

Time
RdmaRetransmissionTimer::GetMinTimeout() const
{
    return m_minTimeout;
}

void
RdmaRetransmissionTimer::SetMaxTimeout(Time timeout)
{
    m_maxTimeout = timeout;
}

Time
RdmaRetransmissionTimer::GetMaxTimeout() const
{
    return m_maxTimeout;
}

Time
RdmaRetransmissionTimer::GetTimeout() const
{
    Time timeout = m_smoothedRtt.IsZero() ? std::max(m_initialTimeout, 4 * m_expectedRoundTrip)
                                          : m_smoothedRtt + 4 * m_rttVariation;
    timeout = std::max(timeout, m_minTimeout);
    const uint32_t shift = std::min<uint32_t>(m_backoff, 20);
    return std::min(timeout * (int64_t{1} << shift), m_maxTimeout);
}

// --- round trips --------------------------------------------------------------------------------

void
RdmaRetransmissionTimer::Sent(uint64_t psn)
{
    if (m_timedPsn == NONE)
    {
        m_timedPsn = psn;
        m_timedAt = Simulator::Now();
    }
}

void
RdmaRetransmissionTimer::Acknowledged(uint64_t psn)
{
    if (m_timedPsn < psn)
    {
        Measured(Simulator::Now() - m_timedAt);
        m_timedPsn = NONE;
    }
    else if (m_backoff > 0 && IsRepeatPlausible())
    {
        m_backoff = 0;
    }
}

bool
RdmaRetransmissionTimer::IsRepeatPlausible() const
{
    const Time took = Simulator::Now() - m_startedAt;
    if (m_smoothedRtt.IsZero())
    {
        // The estimate takes a full run of packets along, so what follows an acknowledgement of
        // another such run comes sooner.
        return m_running && took >= m_expectedRoundTrip && took <= 4 * m_expectedRoundTrip;
    }
    return m_running && 2 * took >= m_shortestRtt && took <= 4 * m_smoothedRtt;
}

void
RdmaRetransmissionTimer::ForgetMeasurement()
{
    m_timedPsn = NONE;
}

void
RdmaRetransmissionTimer::Measured(Time roundTrip)
{
    if (m_smoothedRtt.IsZero())
    {
        m_smoothedRtt = roundTrip;
        m_rttVariation = roundTrip / 2;
        m_shortestRtt = roundTrip;
    }
    else
    {
        const Time error = roundTrip - m_smoothedRtt;
        m_rttVariation += (Abs(error) - m_rttVariation) / 4;
        m_smoothedRtt += error / 8;
        m_shortestRtt = std::min(m_shortestRtt, roundTrip);
    }
    m_backoff = 0;
}

// --- timer --------------------------------------------------------------------------------------

void
RdmaRetransmissionTimer::Restart()
{
    if (m_suspended)
    {
        return;
    }
    m_running = true;
    m_startedAt = Simulator::Now();
    m_deadline = m_startedAt + GetTimeout();
    // One event is kept running and looks at the deadline when it is due: moving the deadline
    // further away with every ACK costs nothing. It moves closer when the time-out shrinks.
    if (m_event.IsExpired() || m_deadline < m_eventAt)
    {
        Schedule();
    }
}

void
RdmaRetransmissionTimer::Stop()
{
    m_running = false;
}

void
RdmaRetransmissionTimer::Suspend()
{
    m_suspended = true;
    m_running = false;
    m_event.Cancel();
}

void
RdmaRetransmissionTimer::Unsuspend()
{
    m_suspended = false;
    m_backoff = 0;
}

void
RdmaRetransmissionTimer::Schedule()
{
    m_event.Cancel();
    m_eventAt = m_deadline;
    m_event =
        Simulator::Schedule(m_deadline - Simulator::Now(), &RdmaRetransmissionTimer::Due, this);
}

void
RdmaRetransmissionTimer::Due()
{
    if (m_running && m_deadline <= Simulator::Now())
    {
        m_client.TakeArrivals(); // may stop or restart it
    }
    if (!m_running)
    {
        return;
    }
    if (Simulator::Now() < m_deadline)
    {
        if (m_event.IsExpired())
        {
            Schedule();
        }
        return;
    }
    m_running = false;
    ++m_backoff;
    m_client.TimedOut();
}

} // namespace ns3
