// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-requester.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRequester");

RdmaRequester::RdmaRequester(Client& client, Statistics& statistics)
    : m_client(client),
      m_statistics(statistics),
      m_timer(*this, m_state.timer)
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
        m_scoreboard->Reset(m_state.unacked);
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
    m_state.next = m_state.unacked = m_state.limit = m_state.ackRequested = psn;
    m_highestPsn = m_recoveryEnd = psn;
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
    m_state.limit = m_failed ? 0 : std::min(m_queue.GetEndPsn(), m_pausePsn);
}

void
RdmaRequester::AckRequested(uint64_t psn)
{
    if (m_state.Ask(psn))
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
        const uint64_t psn = m_state.next++;
        if (m_scoreboard)
        {
            m_scoreboard->Sent(m_state.next);
        }
        m_queue.FillHeader(header, psn);
        header.ackRequest = m_state.CountBeforeRequest(psn, m_windowPackets, m_ackEvery) == 0;
        if (psn < m_highestPsn)
        {
            ++m_statistics.retransmissions;
        }
        else
        {
            m_highestPsn = m_state.next;
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
    const uint32_t ahead =
        (wirePsn - static_cast<uint32_t>(m_state.unacked)) & RoceHeader::PSN_MASK;
    return m_state.unacked + ahead;
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
    if (psn <= m_state.unacked)
    {
        return;
    }
    m_timer.Acknowledged(psn);
    m_retries = 0;
    if (m_pacer)
    {
        m_pacer->Acknowledged(m_state.unacked, psn);
        UpdateLimits();
    }
    m_state.unacked = psn;
    if (m_scoreboard)
    {
        m_scoreboard->Advance(psn);
    }
    m_state.next = std::max(m_state.next, psn); // acknowledged packets are not retransmitted
    if (m_state.AwaitsAck())
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
    NS_LOG_FUNCTION(this << m_queue.GetNMessages());
    m_failed = true;
    Flush();
}

void
RdmaRequester::Flush()
{
    UpdateSendLimit();
    const uint64_t end = m_queue.GetEndPsn();
    m_state.next = m_state.unacked = m_state.ackRequested = m_highestPsn = end;
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
    NS_LOG_FUNCTION(this << m_state.unacked << m_state.next);
    m_drained = drained;
    const bool ackUnderWay =
        m_state.unacked == m_state.next || m_state.ackRequested == m_state.next;
    // Otherwise one more packet is sent, which requests the acknowledgement of all before it.
    m_pausePsn = std::max(m_highestPsn, m_state.next + (ackUnderWay ? 0 : 1));
    UpdateSendLimit();
    m_client.DataReady();
    CheckDrained();
}

void
RdmaRequester::Resume()
{
    NS_LOG_FUNCTION(this);
    m_pausePsn = NO_LIMIT;
    m_drained = Callback<void>();
    UpdateSendLimit();
    m_client.DataReady();
}

void
RdmaRequester::CheckDrained()
{
    const bool drained = m_state.unacked >= m_state.limit || m_state.unacked >= m_highestPsn;
    if (!m_drained.IsNull() && m_pausePsn != NO_LIMIT && drained)
    {
        m_pausePsn = m_state.next; // no further acknowledgement request is needed
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
        if (m_state.next > m_state.unacked)
        {
            NotifyControl(RdmaCongestionControl::GAP);
        }
        GoBack(false);
    }
}

void
RdmaRequester::ArrivedBeyondGap(uint64_t psn)
{
    if (!m_scoreboard || psn <= m_state.unacked || psn >= m_highestPsn)
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
    m_recoveryEnd = m_state.next;
    NotifyControl(loss);
}

void
RdmaRequester::GoBack(bool timeout)
{
    if (m_state.next == m_state.unacked)
    {
        return;
    }
    NS_LOG_LOGIC("the sender goes back from PSN " << m_state.next << " to " << m_state.unacked);
    m_client.WentBack(m_state.next, m_state.unacked, timeout);
    m_state.next = m_state.unacked;
    m_state.ackRequested = m_state.unacked;
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
        NS_LOG_WARN("the sender gives up at PSN " << m_state.unacked << ", after time-out "
                                                  << m_retries);
        m_failed = true;
        Flush();
        return;
    }
    if (m_scoreboard)
    {
        m_client.WentBack(m_state.next, m_state.unacked, true);
        m_scoreboard->Probe(m_state.next);
        m_state.ackRequested = m_state.unacked;
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
    NS_LOG_FUNCTION(this << m_state.unacked << m_state.next);
    m_timer.Unsuspend();
    m_retries = 0;
    // Packets in flight when the path closed may be lost. The receiver discards duplicates.
    if (!m_scoreboard)
    {
        GoBack(false);
    }
    else if (m_state.next != m_state.unacked)
    {
        m_client.WentBack(m_state.next, m_state.unacked, false);
        m_scoreboard->AllLost(m_state.next);
        m_state.ackRequested = m_state.unacked;
        m_recoveryEnd = m_state.next;
        ForgetMeasurements();
    }
    m_client.DataReady();
}

bool
RdmaRequester::IsOrderly() const
{
    const bool clean = !m_pacer && !HasRepeat() && !IsRecovering() && !m_timer.IsBackedOff();
    return m_state.next == m_highestPsn && clean && m_retries == 0 && !m_failed &&
           m_pausePsn == NO_LIMIT;
}

void
RdmaRequester::FinishMessage()
{
    m_client.Completed(m_queue.Pop(), true);
}

void
RdmaRequester::SetState(const RdmaSenderState& state)
{
    m_state = state;
    m_highestPsn = state.next;
    UpdateSendLimit();
    m_retries = 0;
    if (m_scoreboard)
    {
        m_scoreboard->Advance(m_state.unacked);
        m_scoreboard->Sent(m_state.next);
    }
    m_timer.Continue();
}

void
RdmaRequester::FillSent(RoceHeader& header, uint64_t psn, bool asks)
{
    m_queue.FillHeader(header, psn);
    header.ackRequest = asks;
}

} // namespace ns3
