// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-queue-pair.h"

#include "rdma-nic.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/simulator.h"
#include "ns3/transceiver-net-device.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaQueuePair);

TypeId
RdmaQueuePair::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaQueuePair")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<RdmaQueuePair>()
            .AddAttribute("Mtu",
                          "Payload bytes of a full packet, 256 to 8192; InfiniBand knows powers of "
                          "two up to 4096. Set it before anything is posted.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RdmaQueuePair::SetMtu, &RdmaQueuePair::GetMtu),
                          MakeUintegerChecker<uint32_t>(256, 8192))
            .AddAttribute(
                "Window",
                "Unacknowledged bytes in flight at most; at least one packet is allowed.",
                UintegerValue(1 << 20),
                MakeUintegerAccessor(&RdmaQueuePair::SetWindow, &RdmaQueuePair::GetWindow),
                MakeUintegerChecker<uint32_t>(1, 1 << 30))
            .AddAttribute("AckInterval",
                          "The sender asks for an acknowledgement on every n-th packet, 1 to 1024.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&RdmaQueuePair::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("InitialTimeout",
                          "Retransmission timeout before a round trip has been measured.",
                          TimeValue(MilliSeconds(4)),
                          MakeTimeAccessor(&RdmaQueuePair::m_initialTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("MinTimeout",
                          "Lower bound of the retransmission timeout.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&RdmaQueuePair::m_minTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("MaxTimeout",
                          "Upper bound of the retransmission timeout after back-off.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&RdmaQueuePair::m_maxTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RetryLimit",
                          "Time-outs in a row without progress after which the queue pair fails.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RdmaQueuePair::m_retryLimit),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("FirstPsn",
                          "PSN of the first packet, 0 to 16777215; drivers draw it at random.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaQueuePair::m_firstPsn),
                          MakeUintegerChecker<uint32_t>(0, RoceHeader::PSN_MASK))
            .AddAttribute("InvariantCrc",
                          "Compute the ICRC of every packet (as packet capture wants it) instead "
                          "of sending zeros; also on if the global value ChecksumEnabled is.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaQueuePair::m_invariantCrc),
                          MakeBooleanChecker())
            .AddTraceSource("GoBack",
                            "The sender goes back to the oldest unacknowledged packet.",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_goBackTrace),
                            "ns3::RdmaQueuePair::GoBackTracedCallback");
    return tid;
}

RdmaQueuePair::RdmaQueuePair() = default;
RdmaQueuePair::~RdmaQueuePair() = default;

void
RdmaQueuePair::NotifyConstructionCompleted()
{
    Object::NotifyConstructionCompleted();
    BooleanValue checksums;
    if (GlobalValue::GetValueByNameFailSafe("ChecksumEnabled", checksums))
    {
        m_invariantCrc |= checksums.Get();
    }
}

void
RdmaQueuePair::DoDispose()
{
    m_timer.Cancel();
    m_nic = nullptr;
    m_port = nullptr;
    m_sent = SentCallback();
    m_received = ReceivedCallback();
    m_drained = Callback<void>();
    m_messages.clear();
    Object::DoDispose();
}

void
RdmaQueuePair::SetMtu(uint32_t bytes)
{
    NS_ABORT_MSG_IF(m_endPsn != m_local.firstPsn && bytes != m_mtu,
                    "the Mtu of a queue pair cannot change once messages have been posted");
    m_mtu = bytes;
    m_windowPackets = std::max<uint32_t>(1, m_windowBytes / m_mtu);
}

uint32_t
RdmaQueuePair::GetMtu() const
{
    return m_mtu;
}

void
RdmaQueuePair::SetWindow(uint32_t bytes)
{
    m_windowBytes = bytes;
    m_windowPackets = std::max<uint32_t>(1, m_windowBytes / m_mtu);
}

uint32_t
RdmaQueuePair::GetWindow() const
{
    return m_windowBytes;
}

void
RdmaQueuePair::Bind(RdmaNic* nic, Ptr<TransceiverNetDevice> port, const RdmaEndpoint& local)
{
    m_nic = nic;
    m_port = port;
    m_local = local;
    m_local.firstPsn = m_firstPsn;
    m_nextPsn = m_unackedPsn = m_highestPsn = m_ackRequested = m_endPsn = m_firstPsn;
}

void
RdmaQueuePair::Connect(const RdmaEndpoint& remote)
{
    m_remote = remote;
    m_expectedPsn = remote.firstPsn;
    m_header.sourceMac = m_local.mac;
    m_header.sourceIp = m_local.ip;
    m_header.destinationMac = remote.mac;
    m_header.destinationIp = remote.ip;
    m_header.destinationQp = remote.queuePair;
    // Spread flows over the ephemeral range, as drivers derive the port from both QP numbers.
    m_header.sourcePort =
        static_cast<uint16_t>(0xc000 | ((m_local.queuePair * 31 + remote.queuePair) & 0x3fff));
    LinkChanged();
}

const RdmaEndpoint&
RdmaQueuePair::GetEndpoint() const
{
    return m_local;
}

void
RdmaQueuePair::SetSentCallback(SentCallback sent)
{
    m_sent = sent;
}

void
RdmaQueuePair::SetReceivedCallback(ReceivedCallback received)
{
    m_received = received;
}

bool
RdmaQueuePair::IsPathOpen() const
{
    return m_pathOpen;
}

bool
RdmaQueuePair::HasFailed() const
{
    return m_failed;
}

const RdmaQueuePair::Statistics&
RdmaQueuePair::GetStatistics() const
{
    return m_statistics;
}

// --- sending ------------------------------------------------------------------------------------

void
RdmaQueuePair::Post(uint64_t bytes, uint32_t immediate)
{
    NS_ABORT_MSG_IF(m_remote.queuePair == 0, "a queue pair must be connected before it can send");
    const uint64_t packets = std::max<uint64_t>(1, (bytes + m_mtu - 1) / m_mtu);
    m_statistics.bytesPosted += bytes;
    m_messages.push_back(Message{bytes, m_endPsn, packets, immediate});
    m_endPsn += packets;
    if (m_failed)
    {
        // A failed queue pair flushes what is posted to it, but never from within Post.
        Simulator::ScheduleNow(&RdmaQueuePair::Fail, Ptr<RdmaQueuePair>(this));
        return;
    }
    UpdateSendLimit();
    m_nic->Ready(*this);
}

void
RdmaQueuePair::UpdateSendLimit()
{
    m_sendLimit = m_failed ? 0 : std::min(m_endPsn, m_pausePsn);
}

bool
RdmaQueuePair::NeedsAck(uint64_t psn) const
{
    return (psn + 1) % m_ackInterval == 0 || psn + 1 == m_sendLimit ||
           psn + 1 == m_unackedPsn + m_windowPackets;
}

void
RdmaQueuePair::FillHeader(const Message& message, uint64_t psn)
{
    const uint64_t index = psn - message.firstPsn;
    const bool first = index == 0;
    const bool last = index + 1 == message.packets;
    if (first)
    {
        m_header.opcode = last ? RoceHeader::WRITE_ONLY_WITH_IMMEDIATE : RoceHeader::WRITE_FIRST;
        m_header.dmaLength = static_cast<uint32_t>(message.bytes);
    }
    else
    {
        m_header.opcode = last ? RoceHeader::WRITE_LAST_WITH_IMMEDIATE : RoceHeader::WRITE_MIDDLE;
    }
    m_header.immediate = message.immediate;
    m_header.payloadBytes = last ? static_cast<uint32_t>(message.bytes - index * m_mtu) : m_mtu;
    m_header.psn = static_cast<uint32_t>(psn) & RoceHeader::PSN_MASK;
    m_header.ackRequest = NeedsAck(psn);
}

Ptr<Packet>
RdmaQueuePair::BuildFrame()
{
    const uint32_t payload =
        m_header.payloadBytes + RoceHeader::GetPaddingBytes(m_header.payloadBytes);
    Ptr<Packet> frame;
    if (m_invariantCrc)
    {
        const uint32_t crc = m_header.GetInvariantCrc();
        const std::array<uint8_t, RoceHeader::ICRC_BYTES> bytes = {static_cast<uint8_t>(crc),
                                                                   static_cast<uint8_t>(crc >> 8),
                                                                   static_cast<uint8_t>(crc >> 16),
                                                                   static_cast<uint8_t>(crc >> 24)};
        frame = Create<Packet>(payload);
        frame->AddAtEnd(Create<Packet>(bytes.data(), bytes.size()));
    }
    else
    {
        frame = Create<Packet>(payload + RoceHeader::ICRC_BYTES);
    }
    frame->AddHeader(m_header);
    return frame;
}

Ptr<Packet>
RdmaQueuePair::BuildData()
{
    NS_ASSERT(HasDataToSend());
    const uint64_t psn = m_nextPsn++;
    const Message& message = m_messages[m_sendingMessage];
    FillHeader(message, psn);
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
        if (m_header.ackRequest && m_timedPsn == NO_LIMIT)
        {
            m_timedPsn = psn;
            m_timedAt = Simulator::Now();
        }
    }
    if (m_header.ackRequest)
    {
        const bool first = !AwaitsAck();
        m_ackRequested = m_nextPsn;
        if (first)
        {
            RestartTimer();
        }
    }
    return BuildFrame();
}

// --- acknowledgements at the sender -------------------------------------------------------------

void
RdmaQueuePair::ReceiveAck(const RoceHeader& header)
{
    // The PSN refers to the outstanding packets: take the candidate nearest to them.
    const uint32_t ahead =
        (header.psn - static_cast<uint32_t>(m_unackedPsn)) & RoceHeader::PSN_MASK;
    const uint64_t psn = m_unackedPsn + ahead;
    if (header.syndrome == RoceHeader::NAK_SEQUENCE_ERROR)
    {
        if (psn < m_highestPsn)
        {
            Acknowledged(psn);
            GoBack(false);
        }
        return;
    }
    if (psn < m_highestPsn)
    {
        Acknowledged(psn + 1);
    }
}

void
RdmaQueuePair::Acknowledged(uint64_t psn)
{
    if (psn <= m_unackedPsn)
    {
        return;
    }
    if (m_timedPsn < psn)
    {
        Measured(Simulator::Now() - m_timedAt);
        m_timedPsn = NO_LIMIT;
    }
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
        RestartTimer();
    }

    // Completions may post more, so each message is taken off before it is reported.
    while (!m_messages.empty() && m_messages.front().firstPsn + m_messages.front().packets <= psn)
    {
        const uint32_t immediate = m_messages.front().immediate;
        m_messages.pop_front();
        --m_sendingMessage;
        if (!m_sent.IsNull())
        {
            m_sent(immediate, true);
        }
    }
    CheckDrained();
    if (m_nic)
    {
        m_nic->Ready(*this);
    }
}

void
RdmaQueuePair::GoBack(bool timeout)
{
    if (m_nextPsn == m_unackedPsn)
    {
        return;
    }
    m_goBackTrace(m_nextPsn, m_unackedPsn, timeout);
    m_nextPsn = m_unackedPsn;
    m_sendingMessage = 0;
    m_ackRequested = m_unackedPsn;
    m_timedPsn = NO_LIMIT; // Karn: a repeated packet has no clean round trip
    m_nic->Ready(*this);
}

// --- retransmission timer -----------------------------------------------------------------------

bool
RdmaQueuePair::AwaitsAck() const
{
    return m_ackRequested > m_unackedPsn;
}

void
RdmaQueuePair::Measured(Time roundTrip)
{
    if (m_smoothedRtt.IsZero())
    {
        m_smoothedRtt = roundTrip;
        m_rttVariation = roundTrip / 2;
    }
    else
    {
        const Time error = roundTrip - m_smoothedRtt;
        m_rttVariation += (Abs(error) - m_rttVariation) / 4;
        m_smoothedRtt += error / 8;
    }
    m_backoff = 0;
}

Time
RdmaQueuePair::GetTimeout() const
{
    Time timeout = m_smoothedRtt.IsZero() ? m_initialTimeout : m_smoothedRtt + 4 * m_rttVariation;
    timeout = std::max(timeout, m_minTimeout);
    const uint32_t shift = std::min<uint32_t>(m_backoff, 20);
    return std::min(timeout * (int64_t{1} << shift), m_maxTimeout);
}

void
RdmaQueuePair::RestartTimer()
{
    if (!m_pathOpen)
    {
        return;
    }
    m_deadline = Simulator::Now() + GetTimeout();
    // One event is kept running and looks at the deadline when it is due: moving the deadline
    // further away with every ACK costs nothing. It moves closer when the time-out shrinks.
    if (m_timer.IsExpired() || m_deadline < m_timerAt)
    {
        ScheduleTimer();
    }
}

void
RdmaQueuePair::ScheduleTimer()
{
    m_timer.Cancel();
    m_timerAt = m_deadline;
    m_timer = Simulator::Schedule(m_deadline - Simulator::Now(), &RdmaQueuePair::TimerDue, this);
}

void
RdmaQueuePair::TimerDue()
{
    if (!AwaitsAck() || !m_pathOpen)
    {
        return;
    }
    if (Simulator::Now() < m_deadline)
    {
        ScheduleTimer();
        return;
    }
    ++m_statistics.timeouts;
    ++m_backoff;
    if (++m_retries > m_retryLimit)
    {
        m_failed = true;
        Fail();
        return;
    }
    GoBack(true);
}

void
RdmaQueuePair::Fail()
{
    UpdateSendLimit();
    m_nextPsn = m_unackedPsn = m_highestPsn = m_ackRequested = m_endPsn;
    m_sendingMessage = 0;
    while (!m_messages.empty())
    {
        const Message message = m_messages.front();
        m_messages.pop_front();
        m_statistics.bytesFailed += message.bytes;
        if (!m_sent.IsNull())
        {
            m_sent(message.immediate, false);
        }
    }
    CheckDrained();
}

// --- pausing ------------------------------------------------------------------------------------

void
RdmaQueuePair::Pause(Callback<void> drained)
{
    m_drained = drained;
    const bool ackUnderWay = m_unackedPsn == m_nextPsn || m_ackRequested == m_nextPsn;
    // Otherwise one more packet goes out, to ask for the acknowledgement of those before it.
    m_pausePsn = std::max(m_highestPsn, m_nextPsn + (ackUnderWay ? 0 : 1));
    UpdateSendLimit();
    m_nic->Ready(*this);
    CheckDrained();
}

void
RdmaQueuePair::Resume()
{
    m_pausePsn = NO_LIMIT;
    m_drained = Callback<void>();
    UpdateSendLimit();
    m_nic->Ready(*this);
}

void
RdmaQueuePair::CheckDrained()
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
RdmaQueuePair::LinkChanged()
{
    if (m_remote.queuePair == 0)
    {
        return; // not connected yet
    }
    const bool open = m_port->IsLit() && (m_port->GetLinkPartner().forwards ||
                                          m_port->GetLinkPartner().address == m_remote.mac);
    if (open == m_pathOpen)
    {
        return;
    }
    m_pathOpen = open;
    m_timer.Cancel();
    if (open)
    {
        m_backoff = 0;
        m_retries = 0;
        // What was under way when the light went may be lost: the receiver sorts out repeats.
        GoBack(false);
        m_nic->Ready(*this);
    }
}

// --- receiving ----------------------------------------------------------------------------------

void
RdmaQueuePair::Receive(const RoceHeader& header)
{
    if (header.opcode == RoceHeader::ACKNOWLEDGE)
    {
        ReceiveAck(header);
    }
    else
    {
        ReceiveData(header);
    }
}

void
RdmaQueuePair::ReceiveData(const RoceHeader& header)
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
        if (!m_received.IsNull())
        {
            m_received(header.immediate, bytes);
        }
    }
}

void
RdmaQueuePair::RequestAck(bool nak)
{
    m_nakDue |= nak;
    if (!m_ackDue)
    {
        m_ackDue = true;
        m_nic->ReadyAck(*this);
    }
}

void
RdmaQueuePair::ForgetAck()
{
    m_ackDue = false;
    m_nakDue = false;
    m_nakSent = false;
}

Ptr<Packet>
RdmaQueuePair::BuildAck()
{
    RoceHeader& header = m_header;
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
    return BuildFrame();
}

} // namespace ns3
