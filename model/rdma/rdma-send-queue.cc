// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-send-queue.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

void
RdmaScoreboard::Reset(uint64_t psn)
{
    const uint32_t tolerance = m_tolerance;
    *this = RdmaScoreboard();
    m_tolerance = tolerance;
    m_unacked = psn;
}

void
RdmaScoreboard::Transmit(uint64_t psn)
{
    State(psn) = ++m_number;
    m_inFlight.push_back({psn, m_number});
}

void
RdmaScoreboard::Sent(uint64_t end)
{
    while (m_unacked + m_states.size() < end)
    {
        m_states.push_back(LOST);
        Transmit(m_unacked + m_states.size() - 1);
    }
}

uint64_t
RdmaScoreboard::PopRepeat()
{
    NS_ASSERT(HasRepeat());
    const uint64_t psn = *m_lost.begin();
    m_lost.erase(m_lost.begin());
    Transmit(psn);
    return psn;
}

void
RdmaScoreboard::Lose(uint64_t psn)
{
    if (State(psn) != ARRIVED)
    {
        State(psn) = LOST;
        m_lost.insert(psn);
    }
}

bool
RdmaScoreboard::IsFrontObsolete()
{
    const Transmission& oldest = m_inFlight.front();
    return oldest.psn < m_unacked || State(oldest.psn) != oldest.number;
}

void
RdmaScoreboard::Advance(uint64_t psn)
{
    if (psn <= m_unacked)
    {
        return;
    }
    for (; m_unacked < psn; ++m_unacked)
    {
        if (!m_states.empty()) // a fast path may have sent the packet
        {
            m_states.pop_front();
        }
    }
    m_lost.erase(m_lost.begin(), m_lost.lower_bound(psn));
    while (!m_inFlight.empty() && IsFrontObsolete())
    {
        m_inFlight.pop_front();
    }
    if (m_probeEnd > psn)
    {
        AllLost(m_probeEnd);
    }
}

void
RdmaScoreboard::Arrived(uint64_t psn)
{
    if (psn < m_unacked || psn - m_unacked >= m_states.size() || State(psn) == ARRIVED)
    {
        return;
    }
    const uint64_t number = State(psn); // LOST, which is below all numbers, if it was only late
    State(psn) = ARRIVED;
    m_lost.erase(psn);
    while (!m_inFlight.empty() && m_inFlight.front().number + m_tolerance < number)
    {
        if (!IsFrontObsolete())
        {
            Lose(m_inFlight.front().psn);
        }
        m_inFlight.pop_front();
    }
}

void
RdmaScoreboard::AllLost(uint64_t end)
{
    m_probeEnd = 0;
    for (uint64_t psn = m_unacked; psn < end; ++psn)
    {
        Lose(psn);
    }
}

void
RdmaScoreboard::Probe(uint64_t end)
{
    m_probeEnd = end;
    m_lost.clear();
    Lose(m_unacked);
}

void
RdmaSendQueue::SetMtu(uint32_t bytes)
{
    NS_ABORT_MSG_IF(m_endPsn != m_firstPsn && bytes != m_mtu,
                    "the Mtu of a queue pair cannot change once messages have been posted");
    m_mtu = bytes;
}

void
RdmaSendQueue::SetSeparateWrites(bool separate)
{
    NS_ABORT_MSG_IF(m_endPsn != m_firstPsn && separate != m_separate,
                    "the LossRecovery of a queue pair cannot change once messages are posted");
    m_separate = separate;
}

void
RdmaSendQueue::Clear()
{
    m_messages.clear();
    m_found = 0;
}

void
RdmaSendQueue::Post(uint64_t bytes, uint32_t immediate, Time now, bool signaled)
{
    NS_ABORT_MSG_IF(bytes > MAX_MESSAGE_BYTES,
                    "a message of " << bytes << " bytes is longer than " << MAX_MESSAGE_BYTES);
    const uint64_t packets = std::max<uint64_t>(1, (bytes + m_mtu - 1) / m_mtu);
    m_messages.push_back(Message{bytes, m_endPsn, packets, immediate, now, signaled});
    m_endPsn += packets;
}

bool
RdmaSendQueue::Signal()
{
    if (m_messages.empty())
    {
        return false;
    }
    m_messages.back().signaled = true;
    return true;
}

RdmaSendQueue::Message
RdmaSendQueue::Pop()
{
    const Message message = m_messages.front();
    m_messages.pop_front();
    m_found -= m_found > 0 ? 1 : 0;
    return message;
}

const RdmaSendQueue::Message&
RdmaSendQueue::Find(uint64_t psn)
{
    if (m_found < m_messages.size()) // usually the same message again
    {
        const Message& message = m_messages[m_found];
        if (psn - message.firstPsn < message.packets) // wraps around if psn is below
        {
            return message;
        }
    }
    std::size_t first = 0; // the message `first` begins at psn or before
    for (std::size_t count = m_messages.size(); count > 1;)
    {
        const std::size_t half = count / 2;
        first += m_messages[first + half].firstPsn <= psn ? half : 0;
        count -= half;
    }
    m_found = first;
    return m_messages[first];
}

RoceHeader::Opcode
RdmaSendQueue::GetOpcode(bool first, bool last) const
{
    if (first || m_separate)
    {
        if (last)
        {
            return RoceHeader::WRITE_ONLY_WITH_IMMEDIATE;
        }
        return m_separate ? RoceHeader::WRITE_ONLY : RoceHeader::WRITE_FIRST;
    }
    return last ? RoceHeader::WRITE_LAST_WITH_IMMEDIATE : RoceHeader::WRITE_MIDDLE;
}

uint32_t
RdmaSendQueue::GetPayload(const Message& message, uint64_t index) const
{
    const bool last = index + 1 == message.packets;
    return last ? static_cast<uint32_t>(message.bytes - index * m_mtu) : m_mtu;
}

uint32_t
RdmaSendQueue::GetFrameBytes(const Message& message, uint64_t index) const
{
    const uint32_t payload = GetPayload(message, index);
    return RoceHeader::BASE_BYTES +
           RoceHeader::GetExtensionBytes(GetOpcode(index == 0, index + 1 == message.packets)) +
           payload + RoceHeader::GetPaddingBytes(payload) + RoceHeader::ICRC_BYTES;
}

void
RdmaSendQueue::FillHeader(RoceHeader& header, uint64_t psn)
{
    NS_ASSERT(!m_messages.empty() && psn >= m_messages.front().firstPsn && psn < m_endPsn);
    const Message& message = Find(psn);
    const uint64_t index = psn - message.firstPsn;
    header.immediate = message.immediate;
    header.opcode = GetOpcode(index == 0, index + 1 == message.packets);
    header.payloadBytes = GetPayload(message, index);
    header.psn = static_cast<uint32_t>(psn) & RoceHeader::PSN_MASK;
    header.virtualAddress = index * m_mtu;
    if (m_separate)
    {
        header.dmaLength = header.payloadBytes;
    }
    else if (index == 0)
    {
        header.dmaLength = static_cast<uint32_t>(message.bytes);
    }
}

} // namespace ns3
