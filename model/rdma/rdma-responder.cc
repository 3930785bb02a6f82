// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-responder.h"

#include <vector>

namespace ns3
{

RdmaResponder::RdmaResponder(Client& client, Statistics& statistics)
    : m_client(client),
      m_statistics(statistics)
{
}

RdmaResponder::~RdmaResponder() = default;

bool
RdmaResponder::Foresee(uint32_t wirePsn)
{
    // The PSN nearest to the one expected.
    constexpr uint64_t half = (uint64_t{RoceHeader::PSN_MASK} + 1) / 2;
    const uint64_t psn =
        m_state.expected - half + ((wirePsn - m_state.expected + half) & RoceHeader::PSN_MASK);
    if (psn != m_lastForeseen + 1)
    {
        m_firstForeseen = psn;
    }
    m_lastForeseen = psn;
    // With selective repeat, a packet may release others that arrive before it.
    return m_firstForeseen <= m_state.expected && !m_selective;
}

void
RdmaResponder::Receive(const RoceHeader& header)
{
    const Held packet{header.payloadBytes,
                      header.immediate,
                      header.opcode == RoceHeader::WRITE_LAST_WITH_IMMEDIATE ||
                          header.opcode == RoceHeader::WRITE_ONLY_WITH_IMMEDIATE};
    const uint32_t ahead =
        (header.psn - static_cast<uint32_t>(m_state.expected)) & RoceHeader::PSN_MASK;
    if (ahead != 0)
    {
        const bool duplicate = ahead > RoceHeader::PSN_MASK / 2;
        if (duplicate)
        {
            ++m_statistics.duplicatesReceived;
            if (header.ackRequest)
            {
                RequestAck(false); // the previous acknowledgement may have been lost
            }
            return;
        }
        if (m_selective)
        {
            ReceiveBeyondGap(m_state.expected + ahead, packet);
            return;
        }
        ++m_statistics.outOfOrderReceived;
        if (!m_nakSent)
        {
            m_nakSent = true;
            RequestAck(true);
        }
        return;
    }
    m_nakSent = false;
    m_nakDue = false;
    m_statistics.bytesDelivered += header.payloadBytes;
    if (m_held.empty())
    {
        // Make the acknowledgement due before the message is reported.
        ++m_state.expected;
        m_state.messages += packet.last ? 1 : 0;
        if (header.ackRequest)
        {
            RequestAck(false);
        }
        Accept(packet);
        return;
    }
    std::vector<Held> arrived{packet};
    ++m_state.expected;
    while (!m_held.empty() && m_held.begin()->first == m_state.expected)
    {
        arrived.push_back(m_held.begin()->second);
        m_held.erase(m_held.begin());
        ++m_state.expected;
    }
    for (const auto& one : arrived)
    {
        m_state.messages += one.last ? 1 : 0;
    }
    RequestAck(false); // requested by one of these packets, or by the retransmission
    for (const auto& one : arrived)
    {
        Accept(one);
    }
}

void
RdmaResponder::ReceiveBeyondGap(uint64_t psn, const Held& packet)
{
    if (m_held.emplace(psn, packet).second)
    {
        ++m_statistics.outOfOrderReceived;
        m_statistics.bytesDelivered += packet.bytes;
    }
    else
    {
        ++m_statistics.duplicatesReceived;
    }
    m_naksDue.push_back(psn);
    RequestAck(false);
}

void
RdmaResponder::Accept(const Held& packet)
{
    m_receivedBytes += packet.bytes;
    if (packet.last)
    {
        const uint64_t bytes = m_receivedBytes;
        m_receivedBytes = 0;
        m_client.Arrived(packet.immediate, bytes);
    }
}

void
RdmaResponder::RequestAck(bool nak)
{
    m_nakDue |= nak;
    if (!m_ackDue)
    {
        m_ackDue = true;
        m_client.AckDue();
    }
}

void
RdmaResponder::ForgetAck()
{
    m_ackDue = false;
    m_nakDue = false;
    m_nakSent = false;
    m_naksDue.clear();
    m_lastForeseen = NO_PACKET; // packets in flight may be lost
}

void
RdmaResponder::FillSent(RoceHeader& header, uint64_t psn, uint32_t messages)
{
    header.opcode = RoceHeader::ACKNOWLEDGE;
    header.payloadBytes = 0;
    header.ackRequest = false;
    header.syndrome = RoceHeader::ACK;
    header.psn = static_cast<uint32_t>(psn - 1) & RoceHeader::PSN_MASK;
    header.msn = messages & RoceHeader::PSN_MASK;
}

void
RdmaResponder::SetState(const RdmaReceiverState& state, uint64_t bytes)
{
    m_state = state;
    m_receivedBytes = bytes;
}

void
RdmaResponder::SetAckDue()
{
    RequestAck(false);
}

void
RdmaResponder::FillAck(RoceHeader& header)
{
    while (!m_naksDue.empty() && m_naksDue.front() < m_state.expected)
    {
        m_naksDue.pop_front(); // the gap before it has been closed
    }
    const bool selective = !m_naksDue.empty();
    const bool nak = m_nakDue || selective;
    // A NAK names the missing packet, an ACK the last one that arrived in order.
    FillSent(header, m_state.expected + (nak ? 1 : 0), m_state.messages);
    header.syndrome = nak ? RoceHeader::NAK_SEQUENCE_ERROR : RoceHeader::ACK;
    ++(nak ? m_statistics.naksSent : m_statistics.acksSent);
    m_nakDue = false;
    if (selective)
    {
        // With selective repeat, the MSN field of a NAK carries the PSN of the packet that arrived.
        header.msn = static_cast<uint32_t>(m_naksDue.front()) & RoceHeader::PSN_MASK;
        m_naksDue.pop_front();
    }
    m_ackDue = !m_naksDue.empty();
}

} // namespace ns3
