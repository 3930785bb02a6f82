// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-retransmission-timer.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRetransmissionTimer");

RdmaRetransmissionTimer::RdmaRetransmissionTimer(Client& client, RdmaTimerState& state)
    : m_client(client),
      m_state(state)
{
}

RdmaRetransmissionTimer::~RdmaRetransmissionTimer()
{
    m_event.Cancel();
}

RdmaTimeoutBounds
RdmaRetransmissionTimer::GetBounds() const
{
    return {m_initialTimeout.GetTimeStep(),
            m_expectedRoundTrip.GetTimeStep(),
            m_minTimeout.GetTimeStep(),
            m_maxTimeout.GetTimeStep()};
}

Time
RdmaRetransmissionTimer::GetTimeout() const
{
    return TimeStep(m_state.GetTimeout(GetBounds(), m_backoff));
}

// --- round trips --------------------------------------------------------------------------------

void
RdmaRetransmissionTimer::Sent(uint64_t psn)
{
    m_state.Sent(psn, Simulator::Now().GetTimeStep());
}

void
RdmaRetransmissionTimer::Acknowledged(uint64_t psn)
{
    if (m_state.Acknowledged(psn))
    {
        m_state.Measured(Simulator::Now().GetTimeStep() - m_state.timedAt);
        m_backoff = 0;
    }
    else if (m_backoff > 0 && IsRepeatPlausible())
    {
        m_backoff = 0;
    }
}

bool
RdmaRetransmissionTimer::IsRepeatPlausible() const
{
    const int64_t took = Simulator::Now().GetTimeStep() - m_state.startedAt;
    if (m_state.smoothed == 0)
    {
        // The expected round trip includes a full run of packets, so the acknowledgement of a run
        // that directly follows another one takes less.
        const int64_t expected = m_expectedRoundTrip.GetTimeStep();
        return m_state.running && took >= expected && took <= 4 * expected;
    }
    return m_state.running && 2 * took >= m_state.shortest && took <= 4 * m_state.smoothed;
}

void
RdmaRetransmissionTimer::ForgetMeasurement()
{
    m_state.timedPsn = RdmaTimerState::NONE;
}

// --- timer --------------------------------------------------------------------------------------

void
RdmaRetransmissionTimer::Restart()
{
    if (m_suspended)
    {
        return;
    }
    m_state.Restart(Simulator::Now().GetTimeStep(), GetBounds(), m_backoff);
    Await();
}

void
RdmaRetransmissionTimer::Await()
{
    // One event stays pending and checks the deadline when due, so an ACK that moves the deadline
    // to a later time costs no event. An earlier deadline, after the time-out has shrunk, does.
    if (m_event.IsExpired() || TimeStep(m_state.deadline) < m_eventAt)
    {
        Schedule();
    }
}

void
RdmaRetransmissionTimer::Continue()
{
    if (m_state.running)
    {
        Await();
    }
}

void
RdmaRetransmissionTimer::Stop()
{
    m_state.running = false;
}

void
RdmaRetransmissionTimer::Suspend()
{
    NS_LOG_FUNCTION(this);
    m_suspended = true;
    m_state.running = false;
    m_event.Cancel();
}

void
RdmaRetransmissionTimer::Unsuspend()
{
    NS_LOG_FUNCTION(this);
    m_suspended = false;
    m_backoff = 0;
}

void
RdmaRetransmissionTimer::Schedule()
{
    m_event.Cancel();
    m_eventAt = TimeStep(m_state.deadline);
    m_event =
        Simulator::Schedule(m_eventAt - Simulator::Now(), &RdmaRetransmissionTimer::Due, this);
}

void
RdmaRetransmissionTimer::Due()
{
    if (m_state.running && m_state.deadline <= Simulator::Now().GetTimeStep())
    {
        m_client.TakeArrivals(); // may stop or restart this timer
    }
    if (!m_state.running)
    {
        return;
    }
    if (Simulator::Now().GetTimeStep() < m_state.deadline)
    {
        if (m_event.IsExpired())
        {
            Schedule();
        }
        return;
    }
    m_state.running = false;
    ++m_backoff;
    NS_LOG_LOGIC("time-out after " << Simulator::Now() - TimeStep(m_state.startedAt) << ", number "
                                   << m_backoff << " in a row");
    m_client.TimedOut();
}

} // namespace ns3
