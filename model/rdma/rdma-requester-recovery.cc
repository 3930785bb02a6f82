// SPDX-License-Identifier: GPL-2.0-only

// What RdmaRequester does when packets are lost or may be.

#include "rdma-requester.h"

namespace ns3
{

void
RdmaRequester::TellControl(RdmaCongestionControl::Loss loss)
{
    if (m_pacer)
    {
        m_pacer->Lost(loss);
        UpdateLimits();
    }
}

void
RdmaRequester::ForgetMeasurements()
{
    m_timer.ForgetMeasurement();
    if (m_pacer)
    {
        m_pacer->ForgetMeasurements();
    }
}

void
RdmaRequester::Missing(uint64_t psn)
{
    if (psn >= m_highestPsn)
    {
        return;
    }
    Advance(psn);
    if (!m_scoreboard)
    {
        if (m_nextPsn > m_unackedPsn)
        {
            TellControl(RdmaCongestionControl::GAP);
        }
        GoBack(false);
    }
}

void
RdmaRequester::ArrivedBeyondGap(uint64_t psn)
{
    if (!m_scoreboard || psn <= m_unackedPsn || psn >= m_highestPsn)
    {
        return;
    }
    m_scoreboard->Arrived(psn);
    if (HasRepeat())
    {
        EnterRecovery(RdmaCongestionControl::GAP);
        m_client.DataReady();
    }
}

void
RdmaRequester::EnterRecovery(RdmaCongestionControl::Loss loss)
{
    m_timer.ForgetMeasurement();
    if (IsRecovering() && loss == RdmaCongestionControl::GAP)
    {
        return; // the same event as far as congestion is concerned
    }
    m_recoveryEnd = m_nextPsn;
    TellControl(loss);
}

void
RdmaRequester::GoBack(bool timeout)
{
    if (m_nextPsn == m_unackedPsn)
    {
        return;
    }
    m_client.WentBack(m_nextPsn, m_unackedPsn, timeout);
    m_nextPsn = m_unackedPsn;
    m_ackRequested = m_unackedPsn;
    m_timer.Stop();
    ForgetMeasurements();
    m_client.DataReady();
}

void
RdmaRequester::FillRepeat(RoceHeader& header)
{
    const uint64_t psn = m_scoreboard->PopRepeat();
    m_queue.FillHeader(header, psn);
    header.ackRequest = true;
    ++m_statistics.retransmissions;
    AckRequested(psn);
}

void
RdmaRequester::TakeArrivals()
{
    m_client.TakeArrivals();
}

void
RdmaRequester::TimedOut()
{
    ++m_statistics.timeouts;
    if (++m_retries > m_retryLimit)
    {
        m_failed = true;
        Flush();
        return;
    }
    if (m_scoreboard)
    {
        m_client.WentBack(m_nextPsn, m_unackedPsn, true);
        m_scoreboard->Probe(m_nextPsn);
        m_ackRequested = m_unackedPsn;
        EnterRecovery(RdmaCongestionControl::TIME_OUT);
        m_client.DataReady();
        return;
    }
    TellControl(RdmaCongestionControl::TIME_OUT);
    GoBack(true);
}

void
RdmaRequester::PathClosed()
{
    m_timer.Suspend();
}

void
RdmaRequester::PathOpened()
{
    m_timer.Unsuspend();
    m_retries = 0;
    // What was under way when the light went may be lost: the receiver sorts out repeats.
    if (!m_scoreboard)
    {
        GoBack(false);
    }
    else if (m_nextPsn != m_unackedPsn)
    {
        m_client.WentBack(m_nextPsn, m_unackedPsn, false);
        m_scoreboard->AllLost(m_nextPsn);
        m_ackRequested = m_unackedPsn;
        m_recoveryEnd = m_nextPsn;
        ForgetMeasurements();
    }
    m_client.DataReady();
}

} // namespace ns3
