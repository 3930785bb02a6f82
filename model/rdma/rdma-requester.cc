// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-requester.h"

#include "ns3/assert.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

RdmaRequester::RdmaRequester(Client& client, Statistics& statistics)
    : m_client(client),
      m_statistics(statistics),
      m_timer(*this)
{
}

RdmaRequester::~RdmaRequester() = default;

void
RdmaRequester::SetMtu(uint32_t bytes)
{
    m_queue.SetMtu(bytes);
    UpdateLimits();
}

void
RdmaRequester::SetWindow(uint32_t bytes)
{
    m_windowBytes = bytes;
    UpdateLimits();
}

void
RdmaRequester::SetAckInterval(uint32_t packets)
{
    m_ackInterval = packets;
    UpdateLimits();
}

void
RdmaRequester::SetSelectiveRepeat(bool selective)
{
    m_queue.SetSeparateWrites(selective);
    m_scoreboard = selective ? std::make_unique<RdmaScoreboard>() : nullptr;
    if (m_scoreboard)
    {
        m_scoreboard->SetReorderTolerance(m_reorderTolerance);
        m_scoreboard->Reset(m_unackedPsn);
    }
}

void
RdmaRequester::SetReorderTolerance(uint32_t packets)
{
    m_reorderTolerance = packets;
    if (m_scoreboard)
    {
        m_scoreboard->SetReorderTolerance(packets);
    }
}

void
RdmaRequester::SetCongestionControl(Ptr<RdmaCongestionControl> control)
{
    m_pacer = control ? std::make_unique<RdmaPacer>(control) : nullptr;
    UpdateLimits();
}

Ptr<RdmaCongestionControl>
RdmaRequester::GetCongestionControl() const
{
    return m_pacer ? m_pacer->GetControl() : nullptr;
}

void
RdmaRequester::UpdateLimits()
{
    m_windowPackets = std::max<uint32_t>(1, m_windowBytes / GetMtu());
    m_ackEvery = m_ackInterval;
    if (m_pacer)
    {
        m_windowPackets = m_pacer->LimitWindow(m_windowPackets);
        m_ackEvery = m_pacer->LimitAckInterval(m_ackInterval);
    }
}

void
RdmaRequester::Start(uint64_t psn)
{
    m_queue.Start(psn);
    m_nextPsn = m_unackedPsn = m_highestPsn = m_ackRequested = m_recoveryEnd = psn;
    if (m_scoreboard)
    {
        m_scoreboard->Reset(psn);
    }
}

void
RdmaRequester::Clear()
{
    m_timer.Suspend();
    m_drained = Callback<void>();
    m_queue.Clear();
    m_pacer = nullptr;
}

// --- sending ------------------------------------------------------------------------------------

void
RdmaRequester::Post(uint64_t bytes, uint32_t immediate, bool signaled)
{
    m_statistics.bytesPosted += bytes;
    m_queue.Post(bytes, immediate, Simulator::Now(), signaled);
    if (!m_failed)
    {
        UpdateSendLimit();
        m_client.DataReady();
    }
}

void
RdmaRequester::UpdateSendLimit()
{
    m_sendLimit = m_failed ? 0 : std::min(m_queue.GetEndPsn(), m_pausePsn);
}

bool
RdmaRequester::NeedsAck(uint64_t psn) const
{
    return (psn + 1) % m_ackEvery == 0 || psn + 1 == m_sendLimit ||
           psn + 1 >= m_unackedPsn + m_windowPackets;
}

void
RdmaRequester::AckRequested(uint64_t psn)
{
    const bool first = !AwaitsAck();
    m_ackRequested = std::max(m_ackRequested, psn + 1);
    if (first)
    {
        m_timer.Restart();
    }
}

void
RdmaRequester::FillData(RoceHeader& header)
{
    NS_ASSERT(HasDataToSend());
    if (HasRepeat())
    {
        FillRepeat(header);
    }
    else
    {
        const uint64_t psn = m_nextPsn++;
        m_queue.FillHeader(header, psn);
        header.ackRequest = NeedsAck(psn);
        if (psn < m_highestPsn)
        {
            ++m_statistics.retransmissions;
        }
        else
        {
            m_highestPsn = m_nextPsn;
            if (header.ackRequest && !IsRecovering())
            {
                m_timer.Sent(psn);
            }
        }
        if (header.ackRequest)
        {
            AckRequested(psn);
        }
    }
    ++m_statistics.dataPacketsSent;
    if (m_pacer)
    {
        if (header.ackRequest)
        {
            m_pacer->Measure(Unwrap(header.psn));
        }
        m_pacer->Sent(header.GetWireBytes());
        UpdateLimits();
    }
}

// --- acknowledgements ---------------------------------------------------------------------------

uint64_t
RdmaRequester::Unwrap(uint32_t wirePsn) const
{
    const uint32_t ahead = (wirePsn - static_cast<uint32_t>(m_unackedPsn)) & RoceHeader::PSN_MASK;
    return m_unackedPsn + ahead;
}

void
RdmaRequester::Acknowledged(uint64_t psn)
{
    if (psn <= m_highestPsn)
    {
        Advance(psn);
    }
}

void
RdmaRequester::Notified()
{
    if (m_pacer)
    {
        m_pacer->Notified();
        UpdateLimits();
    }
}

void
RdmaRequester::Advance(uint64_t psn)
{
    if (psn <= m_unackedPsn)
    {
        return;
    }
    m_timer.Acknowledged(psn);
    m_retries = 0;
    if (m_pacer)
    {
        m_pacer->Acknowledged(m_unackedPsn, psn);
        UpdateLimits();
    }
    m_unackedPsn = psn;
    if (m_scoreboard)
    {
        m_scoreboard->Advance(psn);
    }
    m_nextPsn = std::max(m_nextPsn, psn); // acknowledged packets are not retransmitted
    if (AwaitsAck())
    {
        m_timer.Restart();
    }
    else
    {
        m_timer.Stop();
    }

    // Callbacks may post messages, so each message is removed before it is reported.
    while (m_queue.EndsBefore(psn))
    {
        m_client.Completed(m_queue.Pop(), true);
    }
    CheckDrained();
    m_client.DataReady();
}

void
RdmaRequester::Abort()
{
    m_failed = true;
    Flush();
}

void
RdmaRequester::Flush()
{
    UpdateSendLimit();
    const uint64_t end = m_queue.GetEndPsn();
    m_nextPsn = m_unackedPsn = m_highestPsn = m_ackRequested = end;
    m_timer.Stop();
    if (m_scoreboard)
    {
        m_scoreboard->Reset(end);
    }
    while (m_queue.EndsBefore(end))
    {
        const RdmaSendQueue::Message message = m_queue.Pop();
        m_statistics.bytesFailed += message.bytes;
        m_client.Completed(message, false);
    }
    CheckDrained();
}

// --- pausing ------------------------------------------------------------------------------------

void
RdmaRequester::Pause(Callback<void> drained)
{
    m_drained = drained;
    const bool ackUnderWay = m_unackedPsn == m_nextPsn || m_ackRequested == m_nextPsn;
    // Otherwise one more packet is sent, which requests the acknowledgement of all before it.
    m_pausePsn = std::max(m_highestPsn, m_nextPsn + (ackUnderWay ? 0 : 1));
    UpdateSendLimit();
    m_client.DataReady();
    CheckDrained();
}

void
RdmaRequester::Resume()
{
    m_pausePsn = NO_LIMIT;
    m_drained = Callback<void>();
    UpdateSendLimit();
    m_client.DataReady();
}

void
RdmaRequester::CheckDrained()
{
    const bool drained = m_unackedPsn >= m_sendLimit || m_unackedPsn >= m_highestPsn;
    if (!m_drained.IsNull() && m_pausePsn != NO_LIMIT && drained)
    {
        m_pausePsn = m_nextPsn; // no further acknowledgement request is needed
        UpdateSendLimit();
        Callback<void> report = m_drained;
        m_drained = Callback<void>();
        report();
    }
}

void
RdmaRequester::NotifyControl(RdmaCongestionControl::Loss loss)
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
            NotifyControl(RdmaCongestionControl::GAP);
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
        return; // the same congestion event
    }
    m_recoveryEnd = m_nextPsn;
    NotifyControl(loss);
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
    NotifyControl(RdmaCongestionControl::TIME_OUT);
    GoBack(true);
}

void
RdmaRequester::PathOpened()
{
    m_timer.Unsuspend();
    m_retries = 0;
    // Packets in flight when the path closed may be lost. The receiver discards duplicates.
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
