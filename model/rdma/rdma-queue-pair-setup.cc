// SPDX-License-Identifier: GPL-2.0-only

// The attributes and trace sources of RdmaQueuePair, and what has to happen when they change.

#include "rdma-queue-pair.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/photonic-rails-compat.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

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
                          "Least retransmission timeout before a round trip has been measured.",
                          TimeValue(MilliSeconds(4)),
                          MakeTimeAccessor(&RdmaQueuePair::SetInitialTimeout,
                                           &RdmaQueuePair::GetInitialTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("BaseRoundTrip",
                          "Delay to the peer and back without queues, where it is known; 0 for "
                          "that of two fibres like the port's.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaQueuePair::m_baseRoundTrip),
                          MakeTimeChecker(Time(0)))
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
            .AddAttribute(
                "LossRecovery",
                "How lost packets are repeated, the same at both ends: GoBackN or "
                "SelectiveRepeat. It cannot change once the queue pair is connected.",
                EnumValue(GO_BACK_N),
                MakeEnumAccessorCompat<LossRecovery>(&RdmaQueuePair::SetLossRecovery,
                                                     &RdmaQueuePair::GetLossRecovery),
                MakeEnumChecker(GO_BACK_N, "GoBackN", SELECTIVE_REPEAT, "SelectiveRepeat"))
            .AddAttribute(
                "ReorderTolerance",
                "SelectiveRepeat: packets that may arrive ahead of one, beside the first, "
                "before it is taken for lost; above 0 where paths reorder.",
                UintegerValue(0),
                MakeUintegerAccessor(&RdmaQueuePair::SetReorderTolerance,
                                     &RdmaQueuePair::GetReorderTolerance),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("CongestionControl",
                          "TypeId of the congestion control, ns3::RdmaDcqcn or ns3::RdmaSwift, the "
                          "same at both ends; empty or none: limited by Window only.",
                          StringValue(""),
                          MakeStringAccessor(&RdmaQueuePair::SetCongestionControl,
                                             &RdmaQueuePair::GetCongestionControlType),
                          MakeStringChecker())
            .AddAttribute("CnpInterval",
                          "At most one congestion notification packet is sent in this time.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaQueuePair::m_cnpInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Tos",
                          "Type of service of data packets; DSCP 26, priority 3, and ECT(0).",
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
            .AddAttribute("Control",
                          "The congestion control, if there is one; see CongestionControl.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&RdmaQueuePair::GetCongestionControl),
                          MakePointerChecker<RdmaCongestionControl>())
            .AddTraceSource("GoBack",
                            "The sender goes back to the oldest unacknowledged packet.",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_goBackTrace),
                            "ns3::RdmaQueuePair::GoBackTracedCallback")
            .AddTraceSource("CnpSent",
                            "A CNP is sent: how many so far.",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_cnpSentTrace),
                            "ns3::RdmaQueuePair::CnpTracedCallback")
            .AddTraceSource("CnpReceived",
                            "A CNP has arrived: how many so far.",
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

std::string
RdmaQueuePair::GetCongestionControlType() const
{
    return m_congestionControl;
}

} // namespace ns3
