// SPDX-License-Identifier: GPL-2.0-only

#include "ethernet-port-net-device.h"

#include "optical-fiber-link.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/ethernet-header.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/watched-trace-source.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("EthernetPortNetDevice");
NS_OBJECT_ENSURE_REGISTERED(EthernetPortNetDevice);

TypeId
EthernetPortNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::EthernetPortNetDevice")
            .SetParent<FiberNetDevice>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<EthernetPortNetDevice>()
            .AddAttribute("DataRate",
                          "Line rate of the port in bit/s, above 0.",
                          DataRateValue(DataRate("200Gbps")),
                          MakeDataRateAccessor(&EthernetPortNetDevice::SetDataRate,
                                               &EthernetPortNetDevice::GetDataRate),
                          MakeDataRateChecker())
            .AddAttribute("Forwards",
                          "True on a switch: informs the link partner that this port forwards "
                          "frames to other ports.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&EthernetPortNetDevice::m_forwards),
                          MakeBooleanChecker())
            .AddAttribute(
                "TxQueue",
                "Transmit queue of the packets of NetDevice::Send, such as those of an IP "
                "stack; null until the first packet, which makes a DropTailQueue.",
                TypeId::ATTR_GET | TypeId::ATTR_SET, // a port has its own
                PointerValue(),
                MakePointerAccessor(&EthernetPortNetDevice::m_queue),
                MakePointerChecker<Queue<Packet>>())
            .AddAttribute("ReceiveErrorModel",
                          "Decides which arriving frames are corrupted; null for none.",
                          PointerValue(),
                          MakePointerAccessor(&EthernetPortNetDevice::SetReceiveErrorModel,
                                              &EthernetPortNetDevice::GetReceiveErrorModel),
                          MakePointerChecker<ErrorModel>())
            .AddTraceSource("MacTx",
                            "The transmission of a frame starts.",
                            MakeWatchedTraceSourceAccessor(&EthernetPortNetDevice::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet of NetDevice::Send is dropped, with the reason: the transmit "
                            "queue is full, or the port does not send the packet.",
                            MakeTraceSourceAccessor(&EthernetPortNetDevice::m_macTxDropTrace),
                            "ns3::EthernetPortNetDevice::DropTracedCallback")
            .AddTraceSource(
                "PhyTxBegin",
                "The first bit of a frame leaves.",
                MakeWatchedTraceSourceAccessor(&EthernetPortNetDevice::m_phyTxBeginTrace),
                "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "The last bit of a frame has left.",
                            MakeWatchedTraceSourceAccessor(&EthernetPortNetDevice::m_phyTxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource(
                "PhyTxDrop",
                "A frame is sent into a dark port and lost, with the reason.",
                MakeWatchedTraceSourceAccessor(&EthernetPortNetDevice::m_phyTxDropTrace),
                "ns3::EthernetPortNetDevice::DropTracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "The last bit of a frame has arrived.",
                            MakeWatchedTraceSourceAccessor(&EthernetPortNetDevice::m_phyRxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource(
                "PhyRxDrop",
                "A frame was cut off or corrupted in flight, with the reason.",
                MakeWatchedTraceSourceAccessor(&EthernetPortNetDevice::m_phyRxDropTrace),
                "ns3::EthernetPortNetDevice::DropTracedCallback")
            .AddTraceSource("MacRx",
                            "A frame is passed to the layer above.",
                            MakeWatchedTraceSourceAccessor(&EthernetPortNetDevice::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRxDrop",
                            "A received frame is dropped because nothing in the node takes it, "
                            "with the reason.",
                            MakeTraceSourceAccessor(&EthernetPortNetDevice::m_macRxDropTrace),
                            "ns3::EthernetPortNetDevice::DropTracedCallback")
            .AddTraceSource(
                "PromiscSniffer",
                "A frame is sent or received, for packet captures.",
                MakeWatchedTraceSourceAccessor(&EthernetPortNetDevice::m_promiscSnifferTrace),
                "ns3::Packet::TracedCallback")
            .AddTraceSource("PfcTx",
                            "The transmission of a PFC frame starts.",
                            MakeWatchedTraceSourceAccessor(&EthernetPortNetDevice::m_pfcTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PfcRx",
                            "A PFC frame has arrived.",
                            MakeWatchedTraceSourceAccessor(&EthernetPortNetDevice::m_pfcRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Failure",
                            "The transceiver has failed, or has been repaired.",
                            MakeTraceSourceAccessor(&EthernetPortNetDevice::m_failure),
                            "ns3::EthernetPortNetDevice::FailureTracedCallback");
    return tid;
}

EthernetPortNetDevice::EthernetPortNetDevice()
    : m_transmissionEnd(Create<RecurringEvent>([this] { TransmissionEnded(); })),
      m_nextArrival(Create<RecurringEvent>([this] { ArrivalDue(); })),
      m_decision(Create<RecurringEvent>([this] { Decide(); }))
{
}

EthernetPortNetDevice::~EthernetPortNetDevice()
{
    m_transmissionEnd->Disarm();
    m_nextArrival->Disarm();
    m_decision->Disarm();
}

void
EthernetPortNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
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
    FiberNetDevice::DoDispose();
}

void
EthernetPortNetDevice::SetDataRate(DataRate rate)
{
    NS_ABORT_MSG_IF(rate.GetBitRate() == 0, "the DataRate of a port must be above 0");
    Interrupt();
    m_urgent |= m_client != nullptr; // the client may have relied on the rate
    m_rate = rate;
    m_headerTime = rate.CalculateBytesTxTime(CUT_THROUGH_BYTES);
    m_frameTimes = {};
    if (m_pfc)
    {
        m_pfc->SetRate(rate);
    }
}

void
EthernetPortNetDevice::NotifyTraceConnected()
{
    Interrupt();
    m_observed = true;
    AwaitEnd(Simulator::Now());
    DeliverOnTime();
}

void
EthernetPortNetDevice::DeliverOnTime()
{
    if (!m_arrivals.empty())
    {
        TakeArrivals();
    }
    for (std::size_t i = 0; i < m_arrivals.size(); ++i)
    {
        if (m_arrivals[i].waits)
        {
            m_arrivals[i].waits = false;
            AwaitExactly(m_arrivals[i].at);
        }
    }
}

void
EthernetPortNetDevice::SetReceiveErrorModel(Ptr<ErrorModel> model)
{
    if (model)
    {
        NotifyTraceConnected(); // the order of random decisions is that of events
    }
    Interrupt();
    m_receiveErrorModel = model;
}

void
EthernetPortNetDevice::SetNode(Ptr<Node> node)
{
    FiberNetDevice::SetNode(node);
    m_context = node ? node->GetId() : Simulator::NO_CONTEXT;
}

Time
EthernetPortNetDevice::GetFrameTime(uint32_t bytes)
{
    for (const auto& known : m_frameTimes)
    {
        if (known.bytes == bytes)
        {
            return known.time;
        }
    }
    auto& entry = m_frameTimes[m_nextFrameTime++ % m_frameTimes.size()];
    entry = FrameTime{bytes, m_rate.CalculateBytesTxTime(GetWireBytes(bytes))};
    return entry.time;
}

// --- sending ------------------------------------------------------------------------------------

bool
EthernetPortNetDevice::AwaitEnd(const Time& now)
{
    if (m_unattended)
    {
        m_unattended = false;
        const Time rest = m_busyUntil - now;
        if (!rest.IsStrictlyPositive())
        {
            m_frameInService = nullptr;
            m_sending = false;
        }
        else if (!m_transmissionEnd->IsPending()) // otherwise due earlier, see TransmissionEnded
        {
            m_transmissionEnd->Schedule(m_context, rest);
        }
    }
    return m_sending;
}

void
EthernetPortNetDevice::Kick()
{
    const Time now = Simulator::Now();
    if (AwaitEnd(now) || !m_lit)
    {
        return;
    }
    if (!m_client)
    {
        TransmitNext(now);
    }
    else if (!m_decision->IsPending())
    {
        m_decision->Schedule(m_context, Time(0));
    }
}

void
EthernetPortNetDevice::Decide()
{
    const Time now = Simulator::Now();
    if (AwaitEnd(now) || !m_lit)
    {
        return;
    }
    m_sending = true; // a Kick during TakeArrivals finds the port busy
    TakeArrivals();
    m_sending = m_frameInService != nullptr; // see SetTransmission
    if (m_lit && !m_sending)
    {
        TransmitNext(now);
    }
}

Ptr<Packet>
EthernetPortNetDevice::TakeFrame()
{
    Ptr<Packet> frame;
    if (m_pfc)
    {
        m_pfc->CatchUp();
        frame = m_pfc->TakeFrame();
    }
    if (!frame)
    {
        frame = m_client ? m_client->NextFrame(*this) : (m_queue ? m_queue->Dequeue() : nullptr);
        if (frame)
        {
            TraceFrame(m_macTxTrace, frame);
            return frame;
        }
        // In NextFrame, the client may have paused or resumed a priority of this port.
        frame = m_pfc ? m_pfc->TakeFrame() : nullptr;
    }
    if (frame)
    {
        m_pfcTxTrace(frame);
    }
    return frame;
}

void
EthernetPortNetDevice::TransmitNext(const Time& now)
{
    m_sending = true; // a Kick during TakeFrame finds the port busy
    const Ptr<Packet> frame = TakeFrame();
    if (!frame)
    {
        m_sending = false;
        return;
    }
    TraceFrame(m_promiscSnifferTrace, frame);
    TraceFrame(m_phyTxBeginTrace, frame);

    const Time duration = GetFrameTime(frame->GetSize());
    m_bytesSent += GetWireBytes(frame->GetSize());
    m_busyUntil = now + duration;
    const LightPath& path = GetPath();
    if (path.receiver)
    {
        path.receiver->Arrive(frame, m_busyUntil + path.delay, duration, m_headerTime, path.epoch);
    }
    else
    {
        ++m_framesLost;
        m_phyTxDropTrace(frame, NO_LIGHT);
        if (path.darkAt)
        {
            path.darkAt->CountLoss(path.darkPort,
                                   frame->GetSize() * 8,
                                   LightLossCounter::NO_CIRCUIT);
        }
    }
    m_frameInService = frame;
    m_unattended = m_client && m_phyTxEndTrace.IsEmpty() && m_client->AwaitFree(*this, m_busyUntil);
    if (!m_unattended)
    {
        m_transmissionEnd->Schedule(m_context, duration);
    }
}

void
EthernetPortNetDevice::TransmissionEnded()
{
    if (!m_frameInService || m_unattended)
    {
        return; // see SetTransmission
    }
    const Time now = Simulator::Now();
    if (m_busyUntil > now) // the event was that of a frame before SetTransmission
    {
        m_transmissionEnd->Schedule(m_context, m_busyUntil - now);
        return;
    }
    TraceFrame(m_phyTxEndTrace, m_frameInService);
    m_frameInService = nullptr;
    if (m_client)
    {
        m_client->TakeArrivals(*this); // while this port still counts as busy
    }
    m_sending = false;
    if (m_lit)
    {
        TransmitNext(now);
    }
}

const LightPath&
EthernetPortNetDevice::GetPath()
{
    const bool stale = !m_pathKnown || (m_path.epoch && !m_path.epoch->IsLit());
    if (stale)
    {
        m_path = LightPath{};
        if (OpticalFiberLink* fiber = m_failed ? nullptr : GetFiber())
        {
            if (FiberNetDevice* far = fiber->GetFarEnd(this))
            {
                m_path.delay = fiber->GetDelay();
                far->FollowLight(m_path);
            }
        }
        m_pathKnown = m_path.receiver != nullptr;
    }
    return m_path;
}

// --- light --------------------------------------------------------------------------------------

void
EthernetPortNetDevice::FollowLight(LightPath& path)
{
    path.receiver = m_failed ? nullptr : this;
}

void
EthernetPortNetDevice::SetFailed(bool failed)
{
    NS_LOG_FUNCTION(this << failed);
    if (failed == m_failed)
    {
        return;
    }
    TakeArrivals();
    Interrupt();
    DeliverOnTime();
    LightPath path = GetPath();
    m_failed = failed;
    m_pathKnown = false;
    m_failure(this, failed);
    LightChanged();
    path = failed ? path : GetPath();
    if (path.receiver)
    {
        // The event holds a reference, so that the device outlives it.
        Simulator::ScheduleWithContext(path.receiver->m_context,
                                       path.delay,
                                       &EthernetPortNetDevice::LightChanged,
                                       Ptr<EthernetPortNetDevice>(path.receiver));
    }
}

void
EthernetPortNetDevice::LightChanged()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::PS && Time::GetResolution() != Time::FS,
                    "call Time::SetResolution(Time::PS) first: in nanoseconds the times of "
                    "frames would be rounded and drift");
    m_pathKnown = false;
    SetReceiver(GetPath().receiver);
}

void
EthernetPortNetDevice::LightEnded()
{
    SetReceiver(nullptr);
}

void
EthernetPortNetDevice::SetReceiver(const EthernetPortNetDevice* receiver)
{
    const bool lit = receiver != nullptr;
    if (lit == m_lit && (!lit || receiver->m_address == m_partner.address))
    {
        m_partner.forwards = lit ? receiver->m_forwards : m_partner.forwards;
        return;
    }
    if (m_client)
    {
        m_client->TakeArrivals(*this); // frames on the previous path
        m_client->Interrupt(*this);
    }
    m_lit = lit;
    if (m_lit)
    {
        m_partner = LinkPartner{receiver->m_address, receiver->m_forwards};
    }
    NS_LOG_INFO(m_address << (m_lit ? " has light to " : " is dark, after ") << m_partner.address);
    // Before the link-change callbacks, which may cause the client to send: the client must know
    // the new link partner.
    if (m_client)
    {
        m_client->LinkChanged(*this);
    }
    if (m_pfc)
    {
        m_pfc->LinkChanged();
    }
    NotifyLinkChange();
    Kick();
}

// --- receiving ----------------------------------------------------------------------------------

void
EthernetPortNetDevice::Arrive(const Ptr<Packet>& frame,
                              const Time& end,
                              const Time& duration,
                              const Time& header,
                              const Ptr<LightEpoch>& epoch)
{
    if (m_handsOver)
    {
        m_handOver(frame, end - duration);
        return;
    }
    const bool early = m_early && !epoch;
    const Time rest = early ? duration - header : duration;
    const Time at = early ? end - rest : end;
    // Clients rely on the rate of the port, and know nothing of PFC.
    const bool waits = m_client && !m_urgent && !epoch && header >= m_headerTime &&
                       !(m_observed && IsWatched()) && frame->GetSize() != PfcHeader::FRAME_BYTES &&
                       m_client->MayWait(*this, *frame);
    if (m_arrivals.empty() || m_arrivals.back().at <= at)
    {
        m_arrivals.push_back(Arrival{frame, at, rest, epoch, waits});
        if (m_awaited == Time::Max() && (!waits || m_arrivals.size() == 1))
        {
            AwaitArrival();
        }
        if (!waits && m_awaited != Time::Max())
        {
            AwaitExactly(at);
        }
        return;
    }
    // A frame from a nearer sender may overtake a frame that a circuit going dark has cut off.
    std::size_t place = m_arrivals.size();
    while (place > 0 && at < m_arrivals[place - 1].at)
    {
        --place;
    }
    m_arrivals.insert(place, Arrival{frame, at, rest, epoch, false});
    if (place == 0 && m_awaited != Time::Max())
    {
        AwaitArrival();
    }
    else
    {
        AwaitExactly(at);
    }
}

bool
EthernetPortNetDevice::IsWatched() const
{
    return m_receiveErrorModel || !m_phyRxEndTrace.IsEmpty() || !m_phyRxDropTrace.IsEmpty() ||
           !m_macRxTrace.IsEmpty() || !m_promiscSnifferTrace.IsEmpty();
}

void
EthernetPortNetDevice::AwaitExactly(const Time& at)
{
    Simulator::ScheduleWithContext(m_context,
                                   at - Simulator::Now(),
                                   &EthernetPortNetDevice::TakeArrivals,
                                   Ptr<EthernetPortNetDevice>(this));
}

void
EthernetPortNetDevice::AwaitArrival()
{
    if (m_nextArrival->IsPending())
    {
        return;
    }
    const Time& at = m_arrivals.front().at;
    if (m_client && m_client->AwaitArrival(*this, at))
    {
        m_awaited = at;
        return;
    }
    for (std::size_t i = 0; i < m_arrivals.size(); ++i)
    {
        if (!m_arrivals[i].waits)
        {
            m_nextArrival->Schedule(m_context, m_arrivals[i].at - Simulator::Now());
            return;
        }
    }
}

void
EthernetPortNetDevice::ArrivalDue()
{
    TakeArrivals();
    if (!m_arrivals.empty())
    {
        AwaitArrival();
    }
}

void
EthernetPortNetDevice::TakeArrivals()
{
    if (m_client)
    {
        m_client->TakeArrivals(*this);
    }
    else
    {
        DeliverDue();
    }
}

void
EthernetPortNetDevice::DeliverAwaited(const Time& at)
{
    if (at != m_awaited)
    {
        return;
    }
    m_awaited = Time::Max();
    DeliverUntil(at); // frames that arrived later wait for those of other ports
    if (!m_arrivals.empty())
    {
        AwaitArrival();
    }
}

void
EthernetPortNetDevice::DeliverOverdue()
{
    if (!m_arrivals.empty())
    {
        DeliverUntil(Simulator::Now() - TimeStep(1));
    }
}

void
EthernetPortNetDevice::DeliverUntil(const Time& at)
{
    while (!m_arrivals.empty() && m_arrivals.front().at <= at)
    {
        const Arrival arrival = std::move(m_arrivals.front());
        m_arrivals.pop_front();
        if (!m_arrivals.empty())
        {
            __builtin_prefetch(PeekPointer(m_arrivals.front().frame)); // see SwitchQueues::Pop
        }
        Deliver(arrival);
    }
}

bool
EthernetPortNetDevice::IsCutOff(const Arrival& arrival)
{
    if (!arrival.epoch || arrival.epoch->IsLit())
    {
        return false;
    }
    // The last fiber of the path is the fiber of this port, so the last bit of the frame passed the
    // switch one fiber delay ago.
    const Time passed = arrival.at - GetFiber()->GetDelay();
    const Time darkFor = passed - arrival.epoch->GetDarkSince();
    if (!darkFor.IsStrictlyPositive())
    {
        return false;
    }
    const uint64_t bits = uint64_t{arrival.frame->GetSize()} * 8;
    const double part = std::min(1.0, darkFor.GetDouble() / arrival.duration.GetDouble());
    arrival.epoch->CountLoss(static_cast<uint64_t>(bits * part + 0.5));
    return true;
}

void
EthernetPortNetDevice::Deliver(const Arrival& arrival)
{
    Interrupt(); // a fast path did not expect this frame
    if (m_failed || IsCutOff(arrival))
    {
        m_urgent = true; // the client may have relied on this frame
        ++m_framesLost;
        m_phyRxDropTrace(arrival.frame, LIGHT_LOST);
        return;
    }
    if (m_observed && m_receiveErrorModel && m_receiveErrorModel->IsCorrupt(arrival.frame))
    {
        ++m_framesCorrupted;
        m_urgent = true;
        m_phyRxDropTrace(arrival.frame, CORRUPTED);
        return;
    }
    TraceFrame(m_phyRxEndTrace, arrival.frame);
    TraceFrame(m_promiscSnifferTrace, arrival.frame);
    if (arrival.frame->GetSize() == PfcHeader::FRAME_BYTES && TakeAsPfc(arrival.frame))
    {
        return;
    }
    TraceFrame(m_macRxTrace, arrival.frame);
    m_arrivalTime = arrival.at;
    m_restOfArrival = m_early && !arrival.epoch ? arrival.duration : Time(0);
    if (m_client)
    {
        m_client->Receive(*this, arrival.frame);
    }
    else
    {
        PassUp(arrival.frame);
    }
}

// --- the client ---------------------------------------------------------------------------------

void
MacClient::TakeArrivals(EthernetPortNetDevice& port)
{
    port.DeliverDue();
}

bool
MacClient::AwaitArrival(EthernetPortNetDevice&, const Time&)
{
    return false;
}

bool
MacClient::MayWait(EthernetPortNetDevice&, const Packet&)
{
    return false;
}

bool
MacClient::AwaitFree(EthernetPortNetDevice&, const Time&)
{
    return false;
}

void
MacClient::Interrupt(EthernetPortNetDevice&)
{
}

bool
MacClient::IsSendingAhead(const EthernetPortNetDevice&) const
{
    return false;
}

void
MacClient::Settle(const EthernetPortNetDevice&)
{
}

bool
EthernetPortNetDevice::IsPlain() const
{
    const bool isTraced = !m_macTxTrace.IsEmpty() || !m_phyTxBeginTrace.IsEmpty() ||
                          !m_phyTxEndTrace.IsEmpty() || !m_phyTxDropTrace.IsEmpty();
    const bool isOnNode = GetNode() != nullptr; // not disposed of
    return !isTraced && !IsWatched() && (!m_pfc || m_pfc->IsIdle()) && isOnNode;
}

bool
EthernetPortNetDevice::GetArrivals(const Ptr<LightEpoch>& epoch,
                                   std::vector<UnderWay>& frames) const
{
    for (std::size_t i = 0; i < m_arrivals.size(); ++i)
    {
        if (m_arrivals[i].epoch != epoch || m_arrivals[i].at < Simulator::Now())
        {
            return false;
        }
        frames.push_back({m_arrivals[i].frame, m_arrivals[i].at});
    }
    return true;
}

void
EthernetPortNetDevice::TakeOverArrivals()
{
    // Pending events will have no effect.
    m_arrivals.clear();
    m_awaited = Time::Max();
}

void
EthernetPortNetDevice::SetTransmission(const Transmission& sending)
{
    if (!m_frameInService && !sending.frame)
    {
        return;
    }
    // An event that is pending for a frame before will have no effect, or is due at the same time.
    m_frameInService = sending.frame;
    m_sending = sending.frame != nullptr;
    m_unattended = false;
    if (m_sending)
    {
        m_busyUntil = sending.until;
        if (!m_transmissionEnd->IsPending())
        {
            m_transmissionEnd->Schedule(m_context, m_busyUntil - Simulator::Now());
        }
    }
}

void
EthernetPortNetDevice::Launch(Ptr<Packet> frame, const LightPath& path, const Time& at)
{
    const Time duration = GetFrameTime(frame->GetSize());
    path.receiver->Arrive(frame, at, duration, m_headerTime, path.epoch);
}

uint64_t
EthernetPortNetDevice::GetBytesSent() const
{
    if (m_client)
    {
        m_client->Settle(*this);
    }
    return m_bytesSent;
}

// --- flow control -------------------------------------------------------------------------------

PriorityFlowControl&
EthernetPortNetDevice::GetPfc()
{
    if (!m_pfc)
    {
        m_pfc = std::make_unique<PriorityFlowControl>(*this);
    }
    return *m_pfc;
}

bool
EthernetPortNetDevice::TakeAsPfc(Ptr<Packet> frame)
{
    PfcHeader header;
    if (frame->PeekHeader(header) == 0)
    {
        return false;
    }
    m_pfcRxTrace(frame);
    GetPfc().Receive(header);
    return true;
}

void
EthernetPortNetDevice::SetPausedPriorities(uint8_t priorities)
{
    NS_LOG_FUNCTION(this << +priorities);
    const bool released = (m_pausedPriorities & ~priorities) != 0;
    m_pausedPriorities = priorities;
    if (released)
    {
        Kick();
    }
}

// --- packets of other protocols -----------------------------------------------------------------

bool
EthernetPortNetDevice::Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol)
{
    return SendFrom(packet, m_address, destination, protocol);
}

bool
EthernetPortNetDevice::SendFrom(Ptr<Packet> packet,
                                const Address& source,
                                const Address& destination,
                                uint16_t protocol)
{
    NS_LOG_FUNCTION(this << packet << source << destination << protocol);
    if ((m_client && !m_client->CarriesPackets()) || packet->GetSize() > GetMtu())
    {
        m_macTxDropTrace(packet, REFUSED);
        return false;
    }
    if (!m_queue)
    {
        m_queue = CreateObject<DropTailQueue<Packet>>();
    }
    Interrupt(); // a fast path did not expect this packet
    EthernetHeader header(false);
    header.SetSource(Mac48Address::ConvertFrom(source));
    header.SetDestination(Mac48Address::ConvertFrom(destination));
    header.SetLengthType(protocol);
    packet->AddHeader(header);
    if (!m_queue->Enqueue(packet))
    {
        m_macTxDropTrace(packet, QUEUE_FULL);
        return false;
    }
    Kick();
    return true;
}

void
EthernetPortNetDevice::PassUp(const Ptr<Packet>& frame)
{
    EthernetHeader header(false);
    if (frame->GetSize() < header.GetSerializedSize())
    {
        m_macRxDropTrace(frame, UNCLAIMED);
        return;
    }
    Ptr<Packet> packet = frame->Copy(); // the sender and traces may still hold the frame
    packet->RemoveHeader(header);
    const Mac48Address destination = header.GetDestination();
    const PacketType type = destination == m_address    ? PACKET_HOST
                            : destination.IsBroadcast() ? PACKET_BROADCAST
                            : destination.IsGroup()     ? PACKET_MULTICAST
                                                        : PACKET_OTHERHOST;
    const uint16_t protocol = header.GetLengthType();
    const Mac48Address source = header.GetSource();
    const bool isSeen = !m_promiscReceive.IsNull() &&
                        m_promiscReceive(this, packet, protocol, source, destination, type);
    const bool isForUs = type != PACKET_OTHERHOST;
    const bool isTaken =
        isForUs && !m_receive.IsNull() && m_receive(this, packet, protocol, source);
    if (!isSeen && !isTaken)
    {
        m_macRxDropTrace(frame, isForUs ? UNCLAIMED : OTHER_HOST);
    }
}

Ptr<ErrorModel>
EthernetPortNetDevice::GetReceiveErrorModel() const
{
    return m_receiveErrorModel;
}

} // namespace ns3
