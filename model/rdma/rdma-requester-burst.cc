// SPDX-License-Identifier: GPL-2.0-only

// What RdmaRequester hands over to a burst, and takes back.

#include "rdma-requester.h"

namespace ns3
{

bool
RdmaRequester::IsOrderly() const
{
    const bool clean = !m_pacer && !HasRepeat() && !IsRecovering() && !m_timer.IsBackedOff();
    return m_nextPsn == m_highestPsn && clean && m_retries == 0 && !m_failed &&
           m_pausePsn == NO_LIMIT;
}

bool
RdmaRequester::IsUndisturbed() const
{
    const bool clean = !m_pacer && !HasRepeat() && !IsRecovering() && !m_timer.IsBackedOff();
    return m_nextPsn == m_unackedPsn && m_nextPsn == m_highestPsn && clean && !m_failed &&
           m_pausePsn == NO_LIMIT && !AwaitsAck();
}

RdmaRequester::Progress
RdmaRequester::GetProgress() const
{
    return {m_nextPsn, m_unackedPsn, m_ackRequested, m_timer.GetState()};
}

void
RdmaRequester::FinishMessage()
{
    m_client.Completed(m_queue.Pop(), true);
}

void
RdmaRequester::SetProgress(const Progress& progress)
{
    m_nextPsn = m_highestPsn = progress.next;
    m_unackedPsn = progress.unacked;
    m_ackRequested = progress.ackRequested;
    m_retries = 0;
    if (m_scoreboard)
    {
        m_scoreboard->Advance(m_unackedPsn);
    }
    m_timer.SetState(progress.timer);
}

void
RdmaRequester::FillSent(RoceHeader& header, uint64_t psn, bool asks)
{
    m_queue.FillHeader(header, psn);
    header.ackRequest = asks;
}

} // namespace ns3
