// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-requester.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

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
    NS_ABORT_MSG_IF(m_endPsn != m_firstPsn && bytes != m_mtu,
                    "the Mtu of a queue pair cannot change once messages have been posted");
    m_mtu = bytes;
    UpdateLimits();
}

uint32_t
RdmaRequester::GetMtu() const
{
    return m_mtu;
}

void
RdmaRequester::SetWindow(uint32_t bytes)
{
    m_windowBytes = bytes;
    UpdateLimits();
}

uint32_t
RdmaRequester::GetWindow() const
{
    return m_windowBytes;
}

void
RdmaRequester::SetAckInterval(uint32_t packets)
{
    m_ackInterval = packets;
    UpdateLimits();
}

uint32_t
RdmaRequester::GetAckInterval() const
{
    return m_ackInterval;
}

void
RdmaRequester::SetRetryLimit(uint32_t timeouts)
{
    m_retryLimit = timeouts;
}

uint32_t
RdmaRequester::GetRetryLimit() const
{
    return m_retryLimit;
}

void
RdmaRequester::SetSelectiveRepeat(bool selective)
{
    NS_ABORT_MSG_IF(m_endPsn != m_firstPsn && selective != (m_scoreboard != nullptr),
                    "the LossRecovery of a queue pair cannot change once messages are posted");
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

uint32_t
RdmaRequester::GetReorderTolerance() const
{
    return m_reorderTolerance;
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
    m_windowPackets = std::max<uint32_t>(1, m_windowBytes / m_mtu);
    m_ackEvery = m_ackInterval;
    if (m_pacer)
    {
        m_windowPackets = m_pacer->LimitWindow(m_windowPackets);
        m_ackEvery = m_pacer->LimitAckInterval(m_ackInterval);
    }
}

RdmaRetransmissionTimer&
RdmaRequester::GetTimer()
{
    return m_timer;
}

const RdmaRetransmissionTimer&
RdmaRequester::GetTimer() const
{
    return m_timer;
}

void
RdmaRequester::Start(uint64_t psn)
{
    m_firstPsn = psn;
    m_nextPsn = m_unackedPsn = m_highestPsn = m_ackRequested = m_endPsn = psn;
    m_recoveryEnd = psn;
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
    m_messages.clear();
    m_pacer = nullptr;
}

// --- sending ------------------------------------------------------------------------------------

void
RdmaRequester::Post(uint64_t bytes, uint32_t immediate)
{
    const uint64_t packets = std::max<uint64_t>(1, (bytes + m_mtu - 1) / m_mtu);
    m_statistics.bytesPosted += bytes;
    m_messages.push_back(Message{bytes, m_endPsn, packets, immediate});
    m_endPsn += packets;
    if (!m_failed)
    {
        UpdateSendLimit();
        m_client.DataReady();
    }
}

void
RdmaRequester::UpdateSendLimit()
{
    m_sendLimit = m_failed ? 0 : std::min(m_endPsn, m_pausePsn);
}

bool
RdmaRequester::NeedsAck(uint64_t psn) const
{
    return (psn + 1) % m_ackEvery == 0 || psn + 1 == m_sendLimit ||
           psn + 1 >= m_unackedPsn + m_windowPackets;
}

void
RdmaRequester::FillHeader(RoceHeader& header, const Message& message, uint64_t psn) const
{
    const uint64_t index = psn - message.firstPsn;
    const bool first = index == 0;
    const bool last = index + 1 == message.packets;
    header.immediate = message.immediate;
    header.payloadBytes = last ? static_cast<uint32_t>(message.bytes - index * m_mtu) : m_mtu;
    header.psn = static_cast<uint32_t>(psn) & RoceHeader::PSN_MASK;
    header.virtualAddress = index * m_mtu;
    if (m_scoreboard) // every packet is a write of its own, to its own address
    {
        header.opcode = last ? RoceHeader::WRITE_ONLY_WITH_IMMEDIATE : RoceHeader::WRITE_ONLY;
        header.dmaLength = header.payloadBytes;
    }
    else if (first)
    {
        header.opcode = last ? RoceHeader::WRITE_ONLY_WITH_IMMEDIATE : RoceHeader::WRITE_FIRST;
        header.dmaLength = static_cast<uint32_t>(message.bytes);
    }
    else
    {
        header.opcode = last ? RoceHeader::WRITE_LAST_WITH_IMMEDIATE : RoceHeader::WRITE_MIDDLE;
    }
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
        const Message& message = m_messages[m_sendingMessage];
        FillHeader(header, message, psn);
        header.ackRequest = NeedsAck(psn);
        if (m_nextPsn == message.firstPsn + message.packets)
        {
            ++m_sendingMessage;
        }
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
                if (m_pacer)
                {
                    m_pacer->Measure(psn);
                }
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
        m_pacer->Sent(header.GetWireBytes());
        UpdateLimits();
    }
}

void
RdmaRequester::FillRepeat(RoceHeader& header)
{
    const uint64_t psn = m_scoreboard->PopRepeat();
    FillHeader(header, m_messages[FindMessage(psn)], psn);
    header.ackRequest = true;
    ++m_statistics.retransmissions;
    AckRequested(psn);
}

std::size_t
RdmaRequester::FindMessage(uint64_t psn) const
{
    std::size_t first = 0; // it begins at psn or before
    for (std::size_t count = m_messages.size(); count > 1;)
    {
        const std::size_t half = count / 2;
        first += m_messages[first + half].firstPsn <= psn ? half : 0;
        count -= half;
    }
    return first;
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
RdmaRequester::Missing(uint64_t psn)
{
    if (psn >= m_highestPsn)
    {
        return;
    }
    Advance(psn);
    if (!m_scoreboard)
    {
        if (m_pacer && m_nextPsn > m_unackedPsn)
        {
            m_pacer->Lost(RdmaCongestionControl::GAP);
            UpdateLimits();
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
    if (m_pacer)
    {
        m_pacer->Lost(loss);
        UpdateLimits();
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
    if (m_nextPsn < psn) // acknowledged while going back: skip what need not be repeated
    {
        m_nextPsn = psn;
        while (m_sendingMessage < m_messages.size() &&
               psn >= m_messages[m_sendingMessage].firstPsn + m_messages[m_sendingMessage].packets)
        {
            ++m_sendingMessage;
        }
    }
    if (AwaitsAck())
    {
        m_timer.Restart();
    }
    else
    {
        m_timer.Stop();
    }

    // Completions may post more, so each message is taken off before it is reported.
    while (!m_messages.empty() && m_messages.front().firstPsn + m_messages.front().packets <= psn)
    {
        const uint32_t immediate = m_messages.front().immediate;
        m_messages.pop_front();
        --m_sendingMessage;
        m_client.Completed(immediate, true);
    }
    CheckDrained();
    m_client.DataReady();
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
    m_sendingMessage = 0;
    m_ackRequested = m_unackedPsn;
    m_timer.Stop();
    m_timer.ForgetMeasurement();
    if (m_pacer)
    {
        m_pacer->ForgetMeasurements();
    }
    m_client.DataReady();
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
    if (m_pacer)
    {
        m_pacer->Lost(RdmaCongestionControl::TIME_OUT);
        UpdateLimits();
    }
    GoBack(true);
}

void
RdmaRequester::Flush()
{
    UpdateSendLimit();
    m_nextPsn = m_unackedPsn = m_highestPsn = m_ackRequested = m_endPsn;
    m_sendingMessage = 0;
    m_timer.Stop();
    if (m_scoreboard)
    {
        m_scoreboard->Reset(m_endPsn);
    }
    while (!m_messages.empty())
    {
        const Message message = m_messages.front();
        m_messages.pop_front();
        m_statistics.bytesFailed += message.bytes;
        m_client.Completed(message.immediate, false);
    }
    CheckDrained();
}

bool
RdmaRequester::HasFailed() const
{
    return m_failed;
}

// --- pausing ------------------------------------------------------------------------------------

void
RdmaRequester::Pause(Callback<void> drained)
{
    m_drained = drained;
    const bool ackUnderWay = m_unackedPsn == m_nextPsn || m_ackRequested == m_nextPsn;
    // Otherwise one more packet goes out, to ask for the acknowledgement of those before it.
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
        m_pausePsn = m_nextPsn; // what was to ask for an acknowledgement is not needed any more
        UpdateSendLimit();
        Callback<void> report = m_drained;
        m_drained = Callback<void>();
        report();
    }
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
        m_timer.ForgetMeasurement();
        if (m_pacer)
        {
            m_pacer->ForgetMeasurements();
        }
    }
    m_client.DataReady();
}

} // namespace ns3
