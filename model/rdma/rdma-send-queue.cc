// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-send-queue.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

void
RdmaScoreboard::Reset(uint64_t psn)
{
    m_arrived.clear();
    m_unacked = m_next = m_lostEnd = m_probeEnd = psn;
}

uint64_t
RdmaScoreboard::PopRepeat()
{
    NS_ASSERT(HasRepeat());
    const uint64_t psn = m_next++;
    SkipArrived();
    return psn;
}

void
RdmaScoreboard::SkipArrived()
{
    const auto after = m_arrived.upper_bound(m_next);
    if (after != m_arrived.begin())
    {
        m_next = std::max(m_next, std::prev(after)->second);
    }
}

void
RdmaScoreboard::Advance(uint64_t psn)
{
    if (psn <= m_unacked)
    {
        return;
    }
    m_unacked = psn;
    while (!m_arrived.empty() && m_arrived.begin()->first <= psn)
    {
        const uint64_t end = m_arrived.begin()->second;
        m_arrived.erase(m_arrived.begin());
        if (end > psn) // the report of this range has overtaken an earlier acknowledgement
        {
            m_arrived.emplace(psn, end);
            break;
        }
    }
    m_next = std::max(m_next, psn);
    SkipArrived();
    if (m_probeEnd > psn)
    {
        AllLost(m_probeEnd);
    }
}

void
RdmaScoreboard::Arrived(uint64_t psn)
{
    auto after = m_arrived.upper_bound(psn);
    uint64_t first = psn;
    uint64_t end = psn + 1;
    if (after != m_arrived.begin())
    {
        const auto before = std::prev(after);
        if (before->second > psn)
        {
            return; // known already
        }
        if (before->second == psn)
        {
            first = before->first;
            m_arrived.erase(before);
        }
    }
    if (after != m_arrived.end() && after->first == end)
    {
        end = after->second;
        m_arrived.erase(after);
    }
    m_arrived.emplace(first, end);
    if (psn >= m_tolerance)
    {
        m_lostEnd = std::max(m_lostEnd, psn - m_tolerance);
    }
    SkipArrived();
}

void
RdmaScoreboard::AllLost(uint64_t end)
{
    m_probeEnd = 0;
    m_next = m_unacked;
    m_lostEnd = std::max(m_lostEnd, end);
    SkipArrived();
}

void
RdmaScoreboard::Probe(uint64_t end)
{
    m_probeEnd = end;
    m_next = m_unacked;
    m_lostEnd = m_unacked + 1;
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
