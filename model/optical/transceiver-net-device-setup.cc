// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How a TransceiverNetDevice is set up: attributes, trace sources, and what it tells of itself.
 */

#include "fibre-channel.h"
#include "transceiver-net-device.h"
#include "watched-trace-source.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TransceiverNetDevice);

TypeId
TransceiverNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TransceiverNetDevice")
            .SetParent<FibreNetDevice>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<TransceiverNetDevice>()
            .AddAttribute("DataRate",
                          "Line rate of the port in bit/s, above 0.",
                          DataRateValue(DataRate("200Gbps")),
                          MakeDataRateAccessor(&TransceiverNetDevice::SetDataRate,
                                               &TransceiverNetDevice::GetDataRate),
                          MakeDataRateChecker())
            .AddAttribute("Forwards",
                          "True on a switch: the link partner is told that it reaches others "
                          "through this port.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TransceiverNetDevice::m_forwards),
                          MakeBooleanChecker())
            .AddAttribute("TxQueue",
                          "Transmit queue, used when the port has no MAC client.",
                          PointerValue(),
                          MakePointerAccessor(&TransceiverNetDevice::m_queue),
                          MakePointerChecker<Queue<Packet>>())
            .AddAttribute("ReceiveErrorModel",
                          "Which arriving frames are corrupted; null for none.",
                          PointerValue(),
                          MakePointerAccessor(&TransceiverNetDevice::SetReceiveErrorModel,
                                              &TransceiverNetDevice::GetReceiveErrorModel),
                          MakePointerChecker<ErrorModel>())
            .AddTraceSource("MacTx",
                            "A frame that starts to be sent.",
                            MakeWatchedTraceSourceAccessor(&TransceiverNetDevice::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A frame that the transmit queue had no room for.",
                            MakeWatchedTraceSourceAccessor(&TransceiverNetDevice::m_macTxDropTrace),
                            "ns3::TransceiverNetDevice::DropTracedCallback")
            .AddTraceSource(
                "PhyTxBegin",
                "The first bit of a frame leaves.",
                MakeWatchedTraceSourceAccessor(&TransceiverNetDevice::m_phyTxBeginTrace),
                "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "The last bit of a frame has left.",
                            MakeWatchedTraceSourceAccessor(&TransceiverNetDevice::m_phyTxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxDrop",
                            "A frame sent into a dark port, with the reason.",
                            MakeWatchedTraceSourceAccessor(&TransceiverNetDevice::m_phyTxDropTrace),
                            "ns3::TransceiverNetDevice::DropTracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "The last bit of a frame has arrived.",
                            MakeWatchedTraceSourceAccessor(&TransceiverNetDevice::m_phyRxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A frame that was cut off or corrupted on its way, with the reason.",
                            MakeWatchedTraceSourceAccessor(&TransceiverNetDevice::m_phyRxDropTrace),
                            "ns3::TransceiverNetDevice::DropTracedCallback")
            .AddTraceSource("MacRx",
                            "A frame handed to the layer above.",
                            MakeWatchedTraceSourceAccessor(&TransceiverNetDevice::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource(
                "PromiscSniffer",
                "Every frame sent or received, for packet capture.",
                MakeWatchedTraceSourceAccessor(&TransceiverNetDevice::m_promiscSnifferTrace),
                "ns3::Packet::TracedCallback")
            .AddTraceSource("PfcTx",
                            "A PFC frame that starts to be sent.",
                            MakeWatchedTraceSourceAccessor(&TransceiverNetDevice::m_pfcTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PfcRx",
                            "A PFC frame that has arrived.",
                            MakeWatchedTraceSourceAccessor(&TransceiverNetDevice::m_pfcRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Failure",
                            "The transceiver has failed, or has been repaired.",
                            MakeTraceSourceAccessor(&TransceiverNetDevice::m_failure),
                            "ns3::TransceiverNetDevice::FailureTracedCallback");
    return tid;
}

TransceiverNetDevice::TransceiverNetDevice()
    : m_transmissionEnd(Create<RecurringEvent>([this] { TransmissionEnded(); })),
      m_nextArrival(Create<RecurringEvent>([this] { ArrivalDue(); })),
      m_decision(Create<RecurringEvent>([this] { Decide(); }))
{
}

TransceiverNetDevice::~TransceiverNetDevice()
{
    m_transmissionEnd->Disarm();
    m_nextArrival->Disarm();
    m_decision->Disarm();
}

void
TransceiverNetDevice::SetHandOver(Callback<void, Ptr<Packet>, Time> handOver)
{
    m_handOver = handOver;
}

void
TransceiverNetDevice::DoDispose()
{
    m_handOver = Callback<void, Ptr<Packet>, Time>();
    m_transmissionEnd->Disarm();
    m_nextArrival->Disarm();
    m_decision->Disarm();
    m_client = nullptr;
    m_queue = nullptr;
    m_receiveErrorModel = nullptr;
    m_pfc.reset();
    m_path = LightPath{};
    m_arrivals.clear();
    m_frameInService = nullptr;
    FibreNetDevice::DoDispose();
}

void
TransceiverNetDevice::SetMacClient(MacClient* client)
{
    m_client = client;
}

bool
TransceiverNetDevice::IsLit() const
{
    return m_lit;
}

bool
TransceiverNetDevice::IsLinkUp() const
{
    return m_lit;
}

const TransceiverNetDevice::LinkPartner&
TransceiverNetDevice::GetLinkPartner() const
{
    return m_partner;
}

DataRate
TransceiverNetDevice::GetDataRate() const
{
    return m_rate;
}

void
TransceiverNetDevice::SetDataRate(DataRate rate)
{
    NS_ABORT_MSG_IF(rate.GetBitRate() == 0, "the DataRate of a port must be above 0");
    Interrupt();
    m_rate = rate;
    m_headerTime = rate.CalculateBytesTxTime(CUT_THROUGH_BYTES);
    m_frameTimes = {};
    if (m_pfc)
    {
        m_pfc->SetQuantum(rate.CalculateBytesTxTime(PfcHeader::QUANTUM_BITS / 8));
    }
}

void
TransceiverNetDevice::Interrupt()
{
    if (m_client)
    {
        m_client->Interrupt(*this);
    }
}

void
TransceiverNetDevice::TraceWanted()
{
    Interrupt();
}

void
TransceiverNetDevice::SetReceiveErrorModel(Ptr<ErrorModel> model)
{
    Interrupt();
    m_receiveErrorModel = model;
}

Ptr<ErrorModel>
TransceiverNetDevice::GetReceiveErrorModel() const
{
    return m_receiveErrorModel;
}

Mac48Address
TransceiverNetDevice::GetMacAddress() const
{
    return m_address;
}

uint64_t
TransceiverNetDevice::GetFramesCorrupted() const
{
    return m_framesCorrupted;
}

void
TransceiverNetDevice::SetNode(Ptr<Node> node)
{
    FibreNetDevice::SetNode(node);
    m_context = node ? node->GetId() : Simulator::NO_CONTEXT;
}

void
TransceiverNetDevice::SetEarlyDelivery(bool early)
{
    m_early = early;
}

} // namespace ns3
