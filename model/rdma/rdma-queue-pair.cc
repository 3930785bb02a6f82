// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-queue-pair.h"

#include "rdma-nic.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/boolean.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/global-value.h"
#include "ns3/optical-fibre-link.h"
#include "ns3/simulator.h"

#include <array>
#include <tuple>

namespace ns3
{

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
RdmaQueuePair::Bind(RdmaNic* nic, Ptr<EthernetPortNetDevice> port, const RdmaEndpoint& local)
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
    const bool selective = m_lossRecovery == SELECTIVE_REPEAT;
    m_requester.SetSelectiveRepeat(selective);
    m_responder.SetSelectiveRepeat(selective);
    m_responder.Start(remote.firstPsn);
    CreateCongestionControl();
    FillAddresses();
    m_header.destinationQp = remote.queuePair;
    // Spread flows over the ephemeral range, as drivers derive the port from both QP numbers.
    m_header.sourcePort =
        static_cast<uint16_t>(0xc000 | ((m_local.queuePair * 31 + remote.queuePair) & 0x3fff));
    LinkChanged();
}

void
RdmaQueuePair::FillAddresses()
{
    m_header.sourceMac = m_local.mac;
    m_header.sourceIp = m_local.ip;
    m_header.destinationMac = m_remote.mac;
    m_header.destinationIp = m_remote.ip;
}

void
RdmaQueuePair::SetPeerPorts(std::shared_ptr<const RdmaPorts> ports)
{
    m_peerPorts = std::move(ports);
}

void
RdmaQueuePair::Move(Ptr<EthernetPortNetDevice> port,
                    const RdmaPorts::value_type& local,
                    const RdmaPorts::value_type& remote)
{
    if (m_pathOpen)
    {
        m_pathOpen = false;
        m_requester.PathClosed();
    }
    m_responder.ForgetAck();
    m_cnpDue = false;
    m_port = port;
    std::tie(m_local.mac, m_local.ip) = local;
    std::tie(m_remote.mac, m_remote.ip) = remote;
    FillAddresses();
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

std::string
RdmaQueuePair::DescribeTrouble() const
{
    if (m_requester.HasFailed())
    {
        return "its queue pair has failed";
    }
    if (!m_nic || m_pathOpen || m_requester.GetQueue().IsEmpty())
    {
        return "";
    }
    uint32_t index = 0;
    while (index + 1 < m_nic->GetNPorts() && m_nic->GetPort(index) != m_port)
    {
        ++index;
    }
    return "NIC port " + std::to_string(index) +
           (m_port->HasFailed() ? " has failed"
            : m_port->IsLit()   ? " leads to another NIC"
                                : " is dark");
}

const RdmaQueuePair::Statistics&
RdmaQueuePair::GetStatistics() const
{
    if (m_nic)
    {
        m_nic->Settle(*this);
    }
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
        EstimateRoundTrip();
        m_requester.PathOpened();
    }
    else
    {
        m_requester.PathClosed();
        m_responder.ForgetAck();
        m_cnpDue = false;
    }
}

void
RdmaQueuePair::EstimateRoundTrip()
{
    if (!m_pathOpen)
    {
        return;
    }
    const Ptr<Channel> fibre = m_port->GetChannel();
    const Time ownDelay = fibre ? StaticCast<OpticalFibreLink>(fibre)->GetDelay() : Time(0);
    const Time delay = m_baseRoundTrip.IsZero() ? 4 * ownDelay : m_baseRoundTrip;
    const uint32_t headers = RoceHeader::MAX_BYTES + RoceHeader::ICRC_BYTES;
    const Time packet = m_port->GetFrameTime(GetMtu() + headers);
    m_requester.GetTimer().SetExpectedRoundTrip(delay + GetAckInterval() * packet);
}

// --- congestion ---------------------------------------------------------------------------------

void
RdmaQueuePair::CreateCongestionControl()
{
    Ptr<RdmaCongestionControl> control;
    if (!m_congestionControl.empty())
    {
        control = m_nic->CreateCongestionControl(m_congestionControl);
        control->Start(m_port->GetDataRate(), GetMtu());
    }
    m_requester.SetCongestionControl(control);
}

Ptr<RdmaCongestionControl>
RdmaQueuePair::GetCongestionControl() const
{
    return m_requester.GetCongestionControl();
}

void
RdmaQueuePair::Marked()
{
    ++m_statistics.marksReceived;
    const auto control = m_requester.GetCongestionControl();
    if (control && control->UsesNotifications() && !m_cnpDue && Simulator::Now() >= m_nextCnp)
    {
        m_cnpDue = true;
        m_nextCnp = Simulator::Now() + m_cnpInterval;
        AckDue();
    }
}

// --- sending ------------------------------------------------------------------------------------

void
RdmaQueuePair::Post(uint64_t bytes, uint32_t immediate, bool signaled)
{
    NS_ABORT_MSG_IF(m_remote.queuePair == 0, "a queue pair must be connected before it can send");
    if (m_requester.HasFailed() && !m_flushDue)
    {
        // A failed queue pair flushes what is posted to it, but never from within Post.
        m_flushDue = true;
        Simulator::Schedule(NanoSeconds(FLUSH_TIME),
                            &RdmaQueuePair::Flush,
                            Ptr<RdmaQueuePair>(this));
    }
    m_requester.Post(bytes, immediate, signaled);
}

bool
RdmaQueuePair::Signal()
{
    Interrupt(); // a burst may run past the end of that message
    return m_requester.Signal();
}

void
RdmaQueuePair::Flush()
{
    m_flushDue = false;
    m_requester.Flush();
}

void
RdmaQueuePair::Pause(Callback<void> drained)
{
    Interrupt();
    m_requester.Pause(drained);
}

void
RdmaQueuePair::Resume()
{
    m_requester.Resume();
}

void
RdmaQueuePair::Abort()
{
    TakeArrivals();
    Interrupt();
    m_requester.Abort();
}

void
RdmaQueuePair::TakeArrivals()
{
    if (m_nic)
    {
        m_nic->TakeArrivals(*m_port);
    }
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
RdmaQueuePair::Completed(const RdmaSendQueue::Message& message, bool delivered)
{
    if (m_nic)
    {
        m_nic->Completed(message.bytes,
                         Simulator::Now() - message.postedAt,
                         delivered,
                         GetEndpoint().queuePair);
    }
    if ((message.signaled || !delivered) && !m_sent.IsNull())
    {
        m_sent(message.immediate, delivered);
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
    m_header.tos = m_tos;
    m_requester.FillData(m_header);
    return BuildFrame();
}

bool
RdmaQueuePair::HasAckToSend()
{
    if (!m_pathOpen || m_requester.HasFailed())
    {
        m_responder.ForgetAck();
        m_cnpDue = false;
    }
    return m_cnpDue || m_responder.IsAckDue();
}

Ptr<Packet>
RdmaQueuePair::BuildAck()
{
    m_header.tos = m_controlTos;
    if (!m_cnpDue)
    {
        m_responder.FillAck(m_header);
        return BuildFrame();
    }
    m_cnpDue = false;
    m_cnpSentTrace(++m_statistics.cnpsSent);
    m_header.opcode = RoceHeader::CONGESTION_NOTIFICATION;
    m_header.payloadBytes = 0;
    m_header.ackRequest = false;
    m_header.psn = 0;
    m_header.becn = true;
    Ptr<Packet> frame = BuildFrame();
    m_header.becn = false;
    return frame;
}

// --- receiving ----------------------------------------------------------------------------------

void
RdmaQueuePair::Receive(const RoceHeader& header)
{
    if (m_requester.HasFailed())
    {
        ++m_statistics.refused;
        return;
    }
    switch (header.opcode)
    {
    case RoceHeader::ACKNOWLEDGE:
        ReceiveAck(header);
        break;
    case RoceHeader::CONGESTION_NOTIFICATION:
        m_cnpReceivedTrace(++m_statistics.cnpsReceived);
        m_requester.Notified();
        break;
    default:
        if ((header.tos & RoceHeader::ECN_MASK) == RoceHeader::CE)
        {
            Marked();
        }
        m_responder.Receive(header);
    }
}

void
RdmaQueuePair::ReceiveAck(const RoceHeader& header)
{
    const uint64_t psn = m_requester.Unwrap(header.psn);
    if (header.syndrome != RoceHeader::NAK_SEQUENCE_ERROR)
    {
        m_requester.Acknowledged(psn + 1);
        return;
    }
    m_requester.Missing(psn);
    if (m_responder.IsSelectiveRepeat())
    {
        m_requester.ArrivedBeyondGap(m_requester.Unwrap(header.msn));
    }
}

void
RdmaQueuePair::AckDue()
{
    if (m_nic)
    {
        m_nic->ReadyAck(*this);
    }
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
