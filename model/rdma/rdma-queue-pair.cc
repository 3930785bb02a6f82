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
                          MakeUintegerAccessor(&RdmaQueuePair::SetAckInterval,
                                               &RdmaQueuePair::GetAckInterval),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("InitialTimeout",
                          "Retransmission timeout before a round trip has been measured.",
                          TimeValue(MilliSeconds(4)),
                          MakeTimeAccessor(&RdmaQueuePair::SetInitialTimeout,
                                           &RdmaQueuePair::GetInitialTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute(
                "MinTimeout",
                "Lower bound of the retransmission timeout.",
                TimeValue(MicroSeconds(500)),
                MakeTimeAccessor(&RdmaQueuePair::SetMinTimeout, &RdmaQueuePair::GetMinTimeout),
                MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute(
                "MaxTimeout",
                "Upper bound of the retransmission timeout after back-off.",
                TimeValue(Seconds(1)),
                MakeTimeAccessor(&RdmaQueuePair::SetMaxTimeout, &RdmaQueuePair::GetMaxTimeout),
                MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute(
                "RetryLimit",
                "Time-outs in a row without progress after which the queue pair fails.",
                UintegerValue(7),
                MakeUintegerAccessor(&RdmaQueuePair::SetRetryLimit, &RdmaQueuePair::GetRetryLimit),
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

RdmaQueuePair::RdmaQueuePair()
    : m_requester(*this, m_statistics),
      m_responder(*this, m_statistics)
{
}

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
    m_requester.Clear();
    m_nic = nullptr;
    m_port = nullptr;
    m_sent = SentCallback();
    m_received = ReceivedCallback();
    Object::DoDispose();
}

// --- connection ---------------------------------------------------------------------------------

void
RdmaQueuePair::Bind(RdmaNic* nic, Ptr<TransceiverNetDevice> port, const RdmaEndpoint& local)
{
    m_nic = nic;
    m_port = port;
    m_local = local;
    m_local.firstPsn = m_firstPsn;
    m_requester.Start(m_firstPsn);
}

void
RdmaQueuePair::Connect(const RdmaEndpoint& remote)
{
    m_remote = remote;
    m_responder.Start(remote.firstPsn);
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
    return m_requester.HasFailed();
}

const RdmaQueuePair::Statistics&
RdmaQueuePair::GetStatistics() const
{
    return m_statistics;
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
    if (open)
    {
        m_requester.PathOpened();
    }
    else
    {
        m_requester.PathClosed();
    }
}

// --- sending ------------------------------------------------------------------------------------

void
RdmaQueuePair::Post(uint64_t bytes, uint32_t immediate)
{
    NS_ABORT_MSG_IF(m_remote.queuePair == 0, "a queue pair must be connected before it can send");
    if (m_requester.HasFailed())
    {
        // A failed queue pair flushes what is posted to it, but never from within Post.
        Simulator::ScheduleNow(&RdmaQueuePair::Flush, Ptr<RdmaQueuePair>(this));
    }
    m_requester.Post(bytes, immediate);
}

void
RdmaQueuePair::Flush()
{
    m_requester.Flush();
}

void
RdmaQueuePair::Pause(Callback<void> drained)
{
    m_requester.Pause(drained);
}

void
RdmaQueuePair::Resume()
{
    m_requester.Resume();
}

void
RdmaQueuePair::DataReady()
{
    if (m_nic)
    {
        m_nic->Ready(*this);
    }
}

void
RdmaQueuePair::Completed(uint32_t immediate, bool delivered)
{
    if (!m_sent.IsNull())
    {
        m_sent(immediate, delivered);
    }
}

void
RdmaQueuePair::WentBack(uint64_t from, uint64_t to, bool timeout)
{
    m_goBackTrace(from, to, timeout);
}

Ptr<Packet>
RdmaQueuePair::BuildFrame() const
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
    m_header.tos = RoceHeader::DATA_TOS;
    m_requester.FillData(m_header);
    return BuildFrame();
}

Ptr<Packet>
RdmaQueuePair::BuildAck()
{
    m_header.tos = RoceHeader::CONTROL_TOS;
    m_responder.FillAck(m_header);
    return BuildFrame();
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
        m_responder.Receive(header);
    }
}

void
RdmaQueuePair::ReceiveAck(const RoceHeader& header)
{
    const uint64_t psn = m_requester.Unwrap(header.psn);
    if (header.syndrome == RoceHeader::NAK_SEQUENCE_ERROR)
    {
        m_requester.Missing(psn);
    }
    else
    {
        m_requester.Acknowledged(psn + 1);
    }
}

void
RdmaQueuePair::ForgetAck()
{
    m_responder.ForgetAck();
}

void
RdmaQueuePair::AckDue()
{
    m_nic->ReadyAck(*this);
}

void
RdmaQueuePair::Arrived(uint32_t immediate, uint64_t bytes)
{
    if (!m_received.IsNull())
    {
        m_received(immediate, bytes);
    }
}

} // namespace ns3
