// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-responder.h"

namespace ns3
{

RdmaResponder::RdmaResponder(Client& client, Statistics& statistics)
    : m_client(client),
      m_statistics(statistics)
{
}

RdmaResponder::~RdmaResponder() = default;

void
RdmaResponder::Start(uint64_t psn)
{
    m_expectedPsn = psn;
}

void
RdmaResponder::Receive(const RoceHeader& header)
{
    const uint32_t ahead =
        (header.psn - static_cast<uint32_t>(m_expectedPsn)) & RoceHeader::PSN_MASK;
    if (ahead != 0)
    {
        const bool duplicate = ahead > RoceHeader::PSN_MASK / 2;
        if (duplicate)
        {
            ++m_statistics.duplicatesReceived;
            if (header.ackRequest)
            {
                RequestAck(false); // the acknowledgement may have been lost
            }
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
    ++m_expectedPsn;
    m_statistics.bytesDelivered += header.payloadBytes;
    m_receivedBytes += header.payloadBytes;
    const bool last = header.opcode == RoceHeader::WRITE_LAST_WITH_IMMEDIATE ||
                      header.opcode == RoceHeader::WRITE_ONLY_WITH_IMMEDIATE;
    if (last)
    {
        ++m_msn;
    }
    if (header.ackRequest)
    {
        RequestAck(false);
    }
    if (last)
    {
        const uint64_t bytes = m_receivedBytes;
        m_receivedBytes = 0;
        m_client.Arrived(header.immediate, bytes);
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
}

void
RdmaResponder::FillAck(RoceHeader& header)
{
    header.opcode = RoceHeader::ACKNOWLEDGE;
    header.payloadBytes = 0;
    header.ackRequest = false;
    header.msn = m_msn & RoceHeader::PSN_MASK;
    header.syndrome = m_nakDue ? RoceHeader::NAK_SEQUENCE_ERROR : RoceHeader::ACK;
    // A NAK names the missing packet, an ACK the last one that arrived in order.
    const uint64_t psn = m_nakDue ? m_expectedPsn : m_expectedPsn - 1;
    header.psn = static_cast<uint32_t>(psn) & RoceHeader::PSN_MASK;
    ++(m_nakDue ? m_statistics.naksSent : m_statistics.acksSent);
    m_ackDue = false;
    m_nakDue = false;
}

} // namespace ns3
