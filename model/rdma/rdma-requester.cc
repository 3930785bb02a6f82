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
    m_windowPackets = std::max<uint32_t>(1, m_windowBytes / m_mtu);
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
    m_windowPackets = std::max<uint32_t>(1, m_windowBytes / m_mtu);
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
}

void
RdmaRequester::Clear()
{
    m_timer.Suspend();
    m_drained = Callback<void>();
    m_messages.clear();
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
    return (psn + 1) % m_ackInterval == 0 || psn + 1 == m_sendLimit ||
           psn + 1 == m_unackedPsn + m_windowPackets;
}

bool
RdmaRequester::AwaitsAck() const
{
    return m_ackRequested > m_unackedPsn;
}

void
RdmaRequester::FillHeader(RoceHeader& header, const Message& message, uint64_t psn) const
{
    const uint64_t index = psn - message.firstPsn;
    const bool first = index == 0;
    const bool last = index + 1 == message.packets;
    if (first)
    {
        header.opcode = last ? RoceHeader::WRITE_ONLY_WITH_IMMEDIATE : RoceHeader::WRITE_FIRST;
        header.dmaLength = static_cast<uint32_t>(message.bytes);
    }
    else
    {
        header.opcode = last ? RoceHeader::WRITE_LAST_WITH_IMMEDIATE : RoceHeader::WRITE_MIDDLE;
    }
    header.immediate = message.immediate;
    header.payloadBytes = last ? static_cast<uint32_t>(message.bytes - index * m_mtu) : m_mtu;
    header.psn = static_cast<uint32_t>(psn) & RoceHeader::PSN_MASK;
    header.ackRequest = NeedsAck(psn);
}

void
RdmaRequester::FillData(RoceHeader& header)
{
    NS_ASSERT(HasDataToSend());
    const uint64_t psn = m_nextPsn++;
    const Message& message = m_messages[m_sendingMessage];
    FillHeader(header, message, psn);
    if (m_nextPsn == message.firstPsn + message.packets)
    {
        ++m_sendingMessage;
    }
    ++m_statistics.dataPacketsSent;
    if (psn < m_highestPsn)
    {
        ++m_statistics.retransmissions;
    }
    else
    {
        m_highestPsn = m_nextPsn;
        if (header.ackRequest)
        {
            m_timer.Sent(psn);
        }
    }
    if (header.ackRequest)
    {
        const bool first = !AwaitsAck();
        m_ackRequested = m_nextPsn;
        if (first)
        {
            m_timer.Restart();
        }
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
RdmaRequester::Missing(uint64_t psn)
{
    if (psn < m_highestPsn)
    {
        Advance(psn);
        GoBack(false);
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
    m_unackedPsn = psn;
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
    GoBack(true);
}

void
RdmaRequester::Flush()
{
    UpdateSendLimit();
    m_nextPsn = m_unackedPsn = m_highestPsn = m_ackRequested = m_endPsn;
    m_sendingMessage = 0;
    m_timer.Stop();
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
    GoBack(false);
    m_client.DataReady();
}

} // namespace ns3
