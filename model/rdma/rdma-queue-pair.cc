// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-queue-pair.h"

#include "rdma-nic.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/global-value.h"
#include "ns3/log.h"
#include "ns3/optical-fiber-link.h"
#include "ns3/photonic-rails-compat.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/variant.h"

#include <array>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePair");

RdmaQueuePair::RdmaQueuePair()
    : m_requester(*this, m_statistics),
      m_responder(*this, m_statistics)
{
}

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
    NS_LOG_FUNCTION(this);
    Interrupt(); // what a fast path has not reached happens no more
    m_local = RdmaEndpoint();
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
RdmaQueuePair::Move(Ptr<EthernetPortNetDevice> port,
                    const RdmaPorts::value_type& local,
                    const RdmaPorts::value_type& remote)
{
    NS_LOG_FUNCTION(this << port);
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
    NS_LOG_FUNCTION(this);
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
    NS_LOG_INFO("queue pair " << m_local.queuePair
                              << (open ? " has a path to " : " has no path to ") << m_remote.mac);
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
    const Ptr<Channel> fiber = m_port->GetChannel();
    const Time ownDelay = fiber ? StaticCast<OpticalFiberLink>(fiber)->GetDelay() : Time(0);
    const uint32_t headers = RoceHeader::MAX_BYTES + RoceHeader::ICRC_BYTES;
    const Time packet = m_port->GetFrameTime(GetMtu() + headers);
    m_requester.GetTimer().SetExpectedRoundTrip(
        Max(m_baseRoundTrip, 4 * ownDelay + GetAckInterval() * packet));
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
    NS_LOG_FUNCTION(this << bytes << immediate);
    NS_ABORT_MSG_IF(m_remote.queuePair == 0, "a queue pair must be connected before it can send");
    if (m_requester.HasFailed() && !m_flushDue)
    {
        // A failed queue pair reports posted messages as failed, but never from within Post.
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
    Interrupt(); // a fast path may have passed the end of the message
    return m_requester.Signal();
}

void
RdmaQueuePair::Flush()
{
    NS_LOG_FUNCTION(this);
    m_flushDue = false;
    m_requester.Flush();
}

void
RdmaQueuePair::Pause(Callback<void> drained)
{
    NS_LOG_FUNCTION(this);
    Interrupt();
    m_requester.Pause(drained);
}

void
RdmaQueuePair::Abort()
{
    NS_LOG_FUNCTION(this);
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
    NS_LOG_FUNCTION(this << delivered);
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
    m_header.tos = GetDataTos();
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

bool
RdmaQueuePair::Foresee(const RoceHeader& header)
{
    const bool data =
        header.opcode == RoceHeader::WRITE_MIDDLE || header.opcode == RoceHeader::WRITE_FIRST;
    const bool last = header.opcode == RoceHeader::WRITE_LAST_WITH_IMMEDIATE ||
                      header.opcode == RoceHeader::WRITE_ONLY_WITH_IMMEDIATE ||
                      header.opcode == RoceHeader::WRITE_ONLY;
    const bool inOrder = (data || last) && m_responder.Foresee(header.psn);
    return data && inOrder && !header.ackRequest &&
           (header.tos & RoceHeader::ECN_MASK) != RoceHeader::CE;
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
    NS_LOG_FUNCTION(this << immediate << bytes);
    if (!m_received.IsNull())
    {
        m_received(immediate, bytes);
    }
}

NS_OBJECT_ENSURE_REGISTERED(RdmaQueuePair);

TypeId
RdmaQueuePair::GetTypeId()
{
    using Timer = RdmaRetransmissionTimer;
    static TypeId tid =
        TypeId("ns3::RdmaQueuePair")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<RdmaQueuePair>()
            .AddAttribute("Mtu",
                          "Payload bytes of a full packet, 256 to 8192; InfiniBand has powers of "
                          "two up to 4096. Must be set before the first message is posted.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RdmaQueuePair::SetMtu, &RdmaQueuePair::GetMtu),
                          MakeUintegerChecker<uint32_t>(256, 8192))
            .AddAttribute("Window",
                          "Maximum of unacknowledged bytes; one packet is always allowed.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(
                              &RdmaQueuePair::SetOfRequester<&RdmaRequester::SetWindow, uint32_t>,
                              &RdmaQueuePair::GetOfRequester<&RdmaRequester::GetWindow>),
                          MakeUintegerChecker<uint32_t>(1, 1 << 30))
            .AddAttribute(
                "AckInterval",
                "Packets from one acknowledgement request of the sender to the next, 1 to "
                "1024.",
                UintegerValue(32),
                MakeUintegerAccessor(&RdmaQueuePair::SetAckInterval,
                                     &RdmaQueuePair::GetAckInterval),
                MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("InitialTimeout",
                          "Minimum of the retransmission timeout before the first measurement of a "
                          "round trip; see MinTimeout.",
                          TimeValue(NanoSeconds(67108864)),
                          MakeTimeAccessor(&RdmaQueuePair::SetOfTimer<&Timer::SetInitialTimeout>,
                                           &RdmaQueuePair::GetOfTimer<&Timer::GetInitialTimeout>),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("BaseRoundTrip",
                          "Round-trip delay without queues, if it is above that of two fibers like "
                          "that of the port in both directions and AckInterval packets.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaQueuePair::m_baseRoundTrip),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MinTimeout",
                          "Lower bound of the retransmission timeout. The default is the local ACK "
                          "timeout of InfiniBand with exponent 14, 4.096 us x 2^14, as RoCE "
                          "drivers set it: longer than pauses hold packets back.",
                          TimeValue(NanoSeconds(67108864)),
                          MakeTimeAccessor(&RdmaQueuePair::SetOfTimer<&Timer::SetMinTimeout>,
                                           &RdmaQueuePair::GetOfTimer<&Timer::GetMinTimeout>),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("MaxTimeout",
                          "Back-off does not lengthen the retransmission timeout beyond this, the "
                          "local ACK timeout of InfiniBand as for MinTimeout.",
                          TimeValue(NanoSeconds(67108864)),
                          MakeTimeAccessor(&RdmaQueuePair::SetOfTimer<&Timer::SetMaxTimeout>,
                                           &RdmaQueuePair::GetOfTimer<&Timer::GetMaxTimeout>),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute(
                "RetryLimit",
                "Consecutive timeouts without progress after which the queue pair fails.",
                UintegerValue(7),
                MakeUintegerAccessor(
                    &RdmaQueuePair::SetOfRequester<&RdmaRequester::SetRetryLimit, uint32_t>,
                    &RdmaQueuePair::GetOfRequester<&RdmaRequester::GetRetryLimit>),
                MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute(
                "LossRecovery",
                "Retransmission of lost packets: GoBackN or SelectiveRepeat, the same at both "
                "ends. "
                "Cannot change after the queue pair is connected.",
                EnumValue(GO_BACK_N),
                MakeEnumAccessorCompat<LossRecovery>(&RdmaQueuePair::SetLossRecovery,
                                                     &RdmaQueuePair::GetLossRecovery),
                MakeEnumChecker(GO_BACK_N, "GoBackN", SELECTIVE_REPEAT, "SelectiveRepeat"))
            .AddAttribute(
                "ReorderTolerance",
                "SelectiveRepeat: packets, in addition to the first, that may overtake a missing "
                "packet before it is considered lost; above 0 for paths that reorder packets.",
                UintegerValue(0),
                MakeUintegerAccessor(
                    &RdmaQueuePair::SetOfRequester<&RdmaRequester::SetReorderTolerance, uint32_t>,
                    &RdmaQueuePair::GetOfRequester<&RdmaRequester::GetReorderTolerance>),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "CongestionControl",
                "TypeId of the congestion control, such as ns3::RdmaDcqcn or ns3::RdmaSwift, "
                "the same at both ends; empty or none for Window only.",
                StringValue(""),
                MakeStringAccessor(&RdmaQueuePair::SetCongestionControl,
                                   &RdmaQueuePair::GetCongestionControlType),
                Create<NameChecker>(&RdmaCongestionControl::IsKnown,
                                    "a class with a constructor that is derived from "
                                    "ns3::RdmaCongestionControl, or none"))
            .AddAttribute(
                "CnpInterval",
                "Minimum time between two congestion notification packets; NICs have 4 us "
                "(MIN_TIME_BETWEEN_CNPS).",
                TimeValue(MicroSeconds(4)),
                MakeTimeAccessor(&RdmaQueuePair::m_cnpInterval),
                MakeTimeChecker(Time(0)))
            .AddAttribute("Tos",
                          "Type of service of data packets; DSCP 26, priority 3, and ECT(0). "
                          "Without congestion control the ECN bits are 0: nobody reacts to marks.",
                          UintegerValue(RoceHeader::DATA_TOS),
                          MakeUintegerAccessor(&RdmaQueuePair::SetTos, &RdmaQueuePair::GetTos),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute(
                "ControlTos",
                "Type of service of acknowledgements and CNPs; DSCP 48, priority 6.",
                UintegerValue(RoceHeader::CONTROL_TOS),
                MakeUintegerAccessor(&RdmaQueuePair::SetControlTos, &RdmaQueuePair::GetControlTos),
                MakeUintegerChecker<uint8_t>())
            .AddAttribute("FirstPsn",
                          "PSN of the first packet, 0 to 16777215; drivers choose it at random.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaQueuePair::m_firstPsn),
                          MakeUintegerChecker<uint32_t>(0, RoceHeader::PSN_MASK))
            .AddAttribute("InvariantCrc",
                          "Whether the ICRC of every packet is computed, for packet captures, "
                          "instead of zero; also enabled by the global value ChecksumEnabled.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaQueuePair::m_invariantCrc),
                          MakeBooleanChecker())
            .AddAttribute("Control",
                          "The congestion control, or null; see CongestionControl.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&RdmaQueuePair::GetCongestionControl),
                          MakePointerChecker<RdmaCongestionControl>())
            .AddTraceSource("GoBack",
                            "The sender returns to the oldest unacknowledged packet.",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_goBackTrace),
                            "ns3::RdmaQueuePair::GoBackTracedCallback")
            .AddTraceSource("CnpSent",
                            "A CNP is sent; the number of CNPs up to now.",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_cnpSentTrace),
                            "ns3::RdmaQueuePair::CnpTracedCallback")
            .AddTraceSource("CnpReceived",
                            "A CNP has arrived; the number of CNPs up to now.",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_cnpReceivedTrace),
                            "ns3::RdmaQueuePair::CnpTracedCallback");
    return tid;
}

void
RdmaQueuePair::SetMtu(uint32_t bytes)
{
    Interrupt();
    const bool changes = bytes != GetMtu();
    m_requester.SetMtu(bytes);
    const auto control = m_requester.GetCongestionControl();
    if (control && changes)
    {
        control->Start(m_port->GetDataRate(), bytes);
        m_requester.SetCongestionControl(control);
    }
    EstimateRoundTrip();
}

void
RdmaQueuePair::SetLossRecovery(LossRecovery recovery)
{
    NS_ABORT_MSG_IF(m_remote.queuePair != 0 && recovery != m_lossRecovery,
                    "the LossRecovery of a queue pair cannot change once it is connected");
    m_lossRecovery = recovery;
}

void
RdmaQueuePair::SetCongestionControl(std::string type)
{
    NS_ABORT_MSG_UNLESS(RdmaCongestionControl::IsKnown(type),
                        "CongestionControl " << type
                                             << " is not known: ns3::RdmaDcqcn, ns3::RdmaSwift, or "
                                                "empty for none");
    Interrupt();
    m_congestionControl = type == "none" ? "" : type;
    if (m_remote.queuePair != 0)
    {
        CreateCongestionControl();
    }
}

void
RdmaQueuePair::Interrupt()
{
    if (m_nic)
    {
        m_nic->Interrupt(*m_port);
    }
}

bool
RdmaQueuePair::IsUndisturbed() const
{
    return m_pathOpen && !m_cnpDue && m_requester.IsUndisturbed() && m_responder.IsUndisturbed();
}

bool
RdmaQueuePair::IsOrderly() const
{
    return m_pathOpen && !m_cnpDue && m_requester.IsOrderly() && m_responder.IsOrderly();
}

bool
RdmaQueuePair::IsBusy() const
{
    const RdmaSenderState& state = m_requester.GetState();
    return state.next != state.unacked || m_requester.HasDataToSend() || m_responder.IsAckDue();
}

void
RdmaQueuePair::BeginBurst()
{
    m_requester.GetTimer().Stop();
    m_responder.ForgetAck();
}

FastPathHop::Flow
RdmaQueuePair::GetFlow() const
{
    const uint32_t bytes = m_requester.GetMtu() + RoceHeader::MAX_BYTES + RoceHeader::ICRC_BYTES;
    return {m_header,
            GetPriority(),
            GetControlPriority(),
            EthernetPortNetDevice::GetWireBytes(bytes)};
}

FastPathSize
RdmaQueuePair::GetAckSize() const
{
    constexpr uint32_t bytes =
        RoceHeader::BASE_BYTES + RoceHeader::AETH_BYTES + RoceHeader::ICRC_BYTES;
    return {m_port->GetFrameTime(bytes).GetTimeStep(), EthernetPortNetDevice::GetWireBytes(bytes)};
}

FastPathMessage
RdmaQueuePair::GetBurstMessage(const RdmaSendQueue::Message& message) const
{
    const auto size = [this, &message](uint64_t index) -> FastPathSize {
        const uint32_t bytes = m_requester.GetQueue().GetFrameBytes(message, index);
        return {m_port->GetFrameTime(bytes).GetTimeStep(),
                EthernetPortNetDevice::GetWireBytes(bytes)};
    };
    FastPathMessage burst;
    burst.firstPsn = message.firstPsn;
    burst.packets = message.packets;
    burst.payloadBytes = message.bytes;
    burst.immediate = message.immediate;
    burst.awaited = message.signaled || m_nic->IsCompletionTraced();
    burst.last = size(message.packets - 1);
    burst.first = message.packets > 1 ? size(0) : burst.last;
    burst.middle = message.packets > 2 ? size(1) : burst.first;
    return burst;
}

void
RdmaQueuePair::BurstArrived(uint32_t immediate, uint64_t bytes)
{
    Arrived(immediate, bytes);
}

void
RdmaQueuePair::CountBurst(uint64_t packets, uint64_t acks, uint64_t bytesReceived)
{
    m_statistics.dataPacketsSent += packets;
    m_statistics.acksSent += acks;
    m_statistics.bytesDelivered += bytesReceived;
}

Ptr<Packet>
RdmaQueuePair::BuildDataAt(uint64_t psn, bool asks)
{
    m_header.tos = GetDataTos();
    m_requester.FillSent(m_header, psn, asks);
    return BuildFrame();
}

Ptr<Packet>
RdmaQueuePair::BuildAckAt(uint64_t psn, uint32_t messages)
{
    m_header.tos = m_controlTos;
    RdmaResponder::FillSent(m_header, psn, messages);
    return BuildFrame();
}

} // namespace ns3
