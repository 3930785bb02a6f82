// SPDX-License-Identifier: GPL-2.0-only

#include "electrical-switch.h"

#include "switch-preset.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/fast-path.h"
#include "ns3/node.h"
#include "ns3/photonic-rails-compat.h"
#include "ns3/random-variable-stream.h"
#include "ns3/roce-header.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/watched-trace-source.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ElectricalSwitch);

namespace
{

constexpr uint64_t MAX_BUFFER_BYTES = uint64_t{1} << 40; //!< so that no sum of them overflows

} // namespace

TypeId
ElectricalSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ElectricalSwitch")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<ElectricalSwitch>()
            .AddAttribute("HopLatency",
                          "Time from the last bit of a frame at its input (in cut-through: from "
                          "the end of its first 64 bytes) to the first bit at an idle output.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&ElectricalSwitch::SetHopLatency,
                                           &ElectricalSwitch::GetHopLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "Forwarding",
                "Whether frames may leave before they have arrived in full. To be set "
                "before ports are added.",
                EnumValue(STORE_AND_FORWARD),
                MakeEnumAccessorCompat<Forwarding>(&ElectricalSwitch::m_forwarding),
                MakeEnumChecker(STORE_AND_FORWARD, "StoreAndForward", CUT_THROUGH, "CutThrough"))
            .AddAttribute("EcmpSeed",
                          "Seed of the hash that chooses among equal-cost ports; 0 takes one of "
                          "the switch's own, from the number of its node.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ElectricalSwitch::SetEcmpSeed,
                                               &ElectricalSwitch::GetEcmpSeed),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "BufferSize",
                "Packet memory in bytes; 0 takes that of the preset of the port rate. This and "
                "all that concerns memory, pauses and marks is fixed when the first "
                "frame arrives.",
                UintegerValue(0),
                MakeUintegerAccessor(&ElectricalSwitch::m_bufferBytes),
                MakeUintegerChecker<uint64_t>(0, MAX_BUFFER_BYTES))
            .AddAttribute("ReservedBytes",
                          "Bytes of the memory that each input has of its own for each priority.",
                          UintegerValue(4608),
                          MakeUintegerAccessor(&ElectricalSwitch::m_reservedBytes),
                          MakeUintegerChecker<uint64_t>(0, MAX_BUFFER_BYTES))
            .AddAttribute("Alpha",
                          "An input may hold so many times the free shared memory of each "
                          "lossless priority, above 0; then it pauses its link partner.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&ElectricalSwitch::m_alpha),
                          MakeDoubleChecker<double>(1e-6, 1e6))
            .AddAttribute("LossyAlpha",
                          "An output queue of a lossy priority may hold so many times the free "
                          "shared memory, above 0.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&ElectricalSwitch::m_lossyAlpha),
                          MakeDoubleChecker<double>(1e-6, 1e6))
            .AddAttribute("ResumeOffset",
                          "A pause ends so many bytes below the threshold at which it begins.",
                          UintegerValue(18480),
                          MakeUintegerAccessor(&ElectricalSwitch::m_resumeOffset),
                          MakeUintegerChecker<uint64_t>(0, MAX_BUFFER_BYTES))
            .AddAttribute("Pfc",
                          "Lossless priorities pause the link partner; without, all are lossy.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ElectricalSwitch::m_pfc),
                          MakeBooleanChecker())
            .AddAttribute("LosslessPriorities",
                          "Priorities that lose nothing: bit 0 for priority 0, and so on. RDMA "
                          "data has priority 3.",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&ElectricalSwitch::m_losslessPriorities),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("MaxFrameBytes",
                          "Largest frame in bytes, without FCS, for which headroom is made.",
                          UintegerValue(9216),
                          MakeUintegerAccessor(&ElectricalSwitch::m_maxFrameBytes),
                          MakeUintegerChecker<uint32_t>(60, SwitchQueues::QUANTUM_BYTES))
            .AddAttribute("PfcReactionTime",
                          "How long a link partner may take to obey a pause. IEEE 802.3 allows "
                          "394 quanta of 512 bits at 100 Gbit/s, the default, and 905 (1158 ns) "
                          "at 400 Gbit/s.",
                          TimeValue(NanoSeconds(2018)),
                          MakeTimeAccessor(&ElectricalSwitch::m_pfcReaction),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("Ecn",
                          "Mark packets of flows that know ECN when their queue is long.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ElectricalSwitch::m_ecn),
                          MakeBooleanChecker())
            .AddAttribute("Kmin",
                          "Bytes in a queue up to which nothing is marked; 0 takes those of the "
                          "preset of the port rate.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ElectricalSwitch::m_kmin),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Kmax",
                          "Bytes in a queue above which everything is marked; 0 takes those of "
                          "the preset of the port rate.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ElectricalSwitch::m_kmax),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Pmax",
                          "Share of the packets that is marked at Kmax, 0 to 1.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&ElectricalSwitch::m_pmax),
                          MakeDoubleChecker<double>(0, 1))
            .AddTraceSource("Enqueue",
                            "A frame is put into an output queue; the depth counts it.",
                            MakeWatchedTraceSourceAccessor(&ElectricalSwitch::m_enqueueTrace),
                            "ns3::ElectricalSwitch::FrameTracedCallback")
            .AddTraceSource("Dequeue",
                            "A frame leaves an output queue; the depth is what is left.",
                            MakeWatchedTraceSourceAccessor(&ElectricalSwitch::m_dequeueTrace),
                            "ns3::ElectricalSwitch::FrameTracedCallback")
            .AddTraceSource("Mark",
                            "A frame is marked; the depth is what it found.",
                            MakeWatchedTraceSourceAccessor(&ElectricalSwitch::m_markTrace),
                            "ns3::ElectricalSwitch::FrameTracedCallback")
            .AddTraceSource("Drop",
                            "A frame is dropped, with the reason; the depth is what it found.",
                            MakeWatchedTraceSourceAccessor(&ElectricalSwitch::m_dropTrace),
                            "ns3::ElectricalSwitch::DropTracedCallback")
            .AddTraceSource("Pause",
                            "The link partner of an input is paused.",
                            MakeWatchedTraceSourceAccessor(&ElectricalSwitch::m_pauseTrace),
                            "ns3::ElectricalSwitch::PauseTracedCallback")
            .AddTraceSource("Resume",
                            "The link partner of an input is resumed.",
                            MakeWatchedTraceSourceAccessor(&ElectricalSwitch::m_resumeTrace),
                            "ns3::ElectricalSwitch::PauseTracedCallback");
    return tid;
}

ElectricalSwitch::ElectricalSwitch()
    : m_arrivals(
          [this](uint32_t port, const Time& at) { m_ports[port].device->DeliverAwaited(at); }),
      m_resume(Create<RecurringEvent>([this] { Resume(); })),
      m_random(CreateObject<UniformRandomVariable>())
{
}

ElectricalSwitch::~ElectricalSwitch() = default;

void
ElectricalSwitch::DoDispose()
{
    for (auto& port : m_ports)
    {
        if (port.fastPath)
        {
            port.fastPath->Abandon();
        }
        port.ready->Disarm();
        port.device->SetMacClient(nullptr);
    }
    m_arrivals.Stop();
    m_resume->Disarm();
    m_ports.clear();
    m_random = nullptr;
    Object::DoDispose();
}

int64_t
ElectricalSwitch::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

// --- ports and routes ---------------------------------------------------------------------------

uint32_t
ElectricalSwitch::AddPort(Ptr<EthernetPortNetDevice> device)
{
    const auto number = static_cast<uint32_t>(m_ports.size());
    if (number == 0)
    {
        m_firstIfIndex = device->GetIfIndex();
        m_arrivals.SetContext(device->GetNode()->GetId());
    }
    NS_ABORT_MSG_IF(device->GetIfIndex() != m_firstIfIndex + number,
                    "the ports of a switch are consecutive devices of its node");
    NS_ABORT_MSG_IF(m_buffer, "a switch gets its ports before its first frame");
    device->SetMacClient(this);
    device->SetEarlyDelivery(m_forwarding == CUT_THROUGH);
    Port port;
    port.device = device;
    port.ready = Create<RecurringEvent>([device = PeekPointer(device)] { device->Decide(); });
    m_ports.push_back(std::move(port));
    return number;
}

void
ElectricalSwitch::AddRoute(Ipv4Address destination, uint32_t port)
{
    AddRoute(destination, destination, {port});
}

void
ElectricalSwitch::AddRoute(Ipv4Address first, Ipv4Address last, const std::vector<uint32_t>& ports)
{
    for (const uint32_t port : ports)
    {
        NS_ABORT_MSG_IF(port >= m_ports.size(), "the switch has no port " << port);
    }
    InterruptAll();
    m_routes.Add(first.Get(), last.Get(), ports);
    for (auto& port : m_ports)
    {
        port.lastRoute = {};
    }
}

// --- memory and thresholds ----------------------------------------------------------------------

void
ElectricalSwitch::ApplyPreset(const SwitchPreset& preset)
{
    NS_ABORT_MSG_IF(m_buffer, "a preset is applied before the first frame");
    m_bufferBytes = preset.bufferBytes;
    m_kmin = preset.kmin;
    m_kmax = preset.kmax;
    m_pmax = preset.pmax;
    m_alpha = preset.alpha;
    m_lossyAlpha = preset.lossyAlpha;
    m_hopLatency = preset.hopLatency;
}

std::vector<uint64_t>
ElectricalSwitch::GetHeadroom() const
{
    std::vector<uint64_t> headroom;
    for (const auto& port : m_ports)
    {
        headroom.push_back(
            SwitchBuffer::GetHeadroom(port.device->GetDataRate().GetBitRate(),
                                      port.device->GetPathDelay().GetSeconds(),
                                      m_maxFrameBytes + EthernetPortNetDevice::FRAME_OVERHEAD_BYTES,
                                      m_pfcReaction.GetSeconds()));
    }
    return headroom;
}

SwitchBuffer::Settings
ElectricalSwitch::GetDivision(const std::vector<uint64_t>& headroom) const
{
    SwitchBuffer::Settings settings;
    settings.bytes = m_bufferBytes;
    settings.reservedBytes = m_reservedBytes;
    settings.alpha = m_alpha;
    settings.lossyAlpha = m_lossyAlpha;
    settings.resumeOffset = m_resumeOffset;
    settings.losslessPriorities = m_pfc ? m_losslessPriorities : 0;
    if (m_bufferBytes == 0)
    {
        DataRate fastest;
        for (const auto& port : m_ports)
        {
            fastest = std::max(fastest, port.device->GetDataRate());
        }
        const SwitchPreset preset = SwitchPreset::Find(fastest);
        const uint64_t chips = (m_ports.size() + preset.ports - 1) / preset.ports;
        settings.bytes =
            std::max(chips * preset.bufferBytes, 2 * SwitchBuffer::GetSetAside(settings, headroom));
    }
    return settings;
}

std::pair<uint64_t, uint64_t>
ElectricalSwitch::GetMarkRange(const Port& port) const
{
    const SwitchPreset preset = SwitchPreset::Find(port.device->GetDataRate());
    return {m_kmin ? m_kmin : preset.kmin, m_kmax ? m_kmax : preset.kmax};
}

std::string
ElectricalSwitch::Check() const
{
    const std::vector<uint64_t> headroom = GetHeadroom();
    const auto division = GetDivision(headroom);
    if (auto error = SwitchBuffer::Check(division, headroom); !m_ports.empty() && !error.empty())
    {
        return m_bufferBytes ? "BufferSize: " + error : error;
    }
    for (const auto& port : m_ports)
    {
        const auto [kmin, kmax] = GetMarkRange(port);
        if (auto error = EcnMarker::Check(kmin, kmax, m_pmax); m_ecn && !error.empty())
        {
            return error + (m_kmin && m_kmax ? "" : " (what is not set is that of the preset)");
        }
    }
    return "";
}

void
ElectricalSwitch::Start()
{
    if (m_buffer)
    {
        return;
    }
    for (auto& port : m_ports)
    {
        const auto [kmin, kmax] = GetMarkRange(port);
        port.marker = m_ecn ? EcnMarker(kmin, kmax, m_pmax) : EcnMarker();
    }
    const std::vector<uint64_t> headroom = GetHeadroom();
    m_buffer = std::make_unique<SwitchBuffer>(GetDivision(headroom), headroom);
}

const SwitchBuffer&
ElectricalSwitch::GetBuffer() const
{
    NS_ABORT_MSG_UNLESS(m_buffer, "the memory of a switch is divided when it starts");
    InterruptAll();
    return *m_buffer;
}

namespace
{

using network_order::Get16;
using network_order::Get32;

constexpr uint32_t IP_OFFSET = RoceHeader::ETHERNET_BYTES;
constexpr uint32_t UDP_OFFSET = IP_OFFSET + RoceHeader::IPV4_BYTES;

/// @return the reason of a drop, as the switch names it
ElectricalSwitch::DropReason
GetReason(SwitchBuffer::Verdict verdict)
{
    switch (verdict)
    {
    case SwitchBuffer::QUEUE_LIMIT:
        return ElectricalSwitch::QUEUE_LIMIT;
    case SwitchBuffer::BUFFER_FULL:
        return ElectricalSwitch::BUFFER_FULL;
    default:
        return ElectricalSwitch::HEADROOM_FULL;
    }
}

} // namespace

uint32_t
ElectricalSwitch::GetNumber(const EthernetPortNetDevice& device) const
{
    return device.GetIfIndex() - m_firstIfIndex;
}

uint64_t
ElectricalSwitch::GetUnroutable() const
{
    return m_statistics.dropped[NO_ROUTE];
}

ElectricalSwitch::Statistics
ElectricalSwitch::GetStatistics() const
{
    for (const auto& port : m_ports)
    {
        if (port.fastPath)
        {
            port.fastPath->Settle();
        }
    }
    Statistics statistics = m_statistics;
    for (const auto& port : m_ports)
    {
        statistics.pfcFramesReceived += port.device->GetPfcFramesReceived();
    }
    return statistics;
}

uint64_t
ElectricalSwitch::GetQueueDepth(uint32_t port, uint8_t priority) const
{
    if (m_ports.at(port).fastPath)
    {
        m_ports.at(port).fastPath->Leave();
    }
    return m_ports.at(port).queues.GetDepth(priority);
}

// --- in -----------------------------------------------------------------------------------------

bool
ElectricalSwitch::AwaitArrival(EthernetPortNetDevice& device, const Time& at)
{
    m_arrivals.Add(at, GetNumber(device));
    return true;
}

void
ElectricalSwitch::TakeArrivals(EthernetPortNetDevice&)
{
    m_arrivals.Take();
}

void
ElectricalSwitch::Receive(EthernetPortNetDevice& device, Ptr<Packet> frame)
{
    if (!m_buffer)
    {
        Start();
    }
    const uint32_t input = GetNumber(device);
    const Class kind = Classify(m_ports[input], *frame);
    if (kind.output == NO_PORT)
    {
        Drop(frame, input, kind, NO_ROUTE);
        return;
    }
    Port& output = m_ports[kind.output];
    if (output.isDown)
    {
        Drop(frame, kind.output, kind, LINK_DOWN);
        return;
    }
    const uint32_t bytes = frame->GetSize();
    if (m_burstBytes > 0)
    {
        Intrude(input, output, kind, bytes);
    }
    const uint64_t found = output.queues.GetDepth(kind.priority);
    const auto admission = m_buffer->Admit(input, kind.priority, bytes, found);
    if (admission.pause)
    {
        SetPause(input, kind.priority, true);
    }
    if (admission.verdict > SwitchBuffer::IN_HEADROOM)
    {
        Drop(frame, kind.output, kind, GetReason(admission.verdict));
        return;
    }
    if (kind.ecnCapable && output.marker.MayMark(found))
    {
        frame = Mark(frame, kind);
    }
    const Time readyAt = GetReadyTime(device, output, bytes);
    output.queues.Push(kind.priority, {frame, readyAt, bytes, input});
    ++m_statistics.enqueued;
    m_statistics.maxDepth = std::max(m_statistics.maxDepth, found + bytes);
    m_enqueueTrace(frame, kind.output, kind.priority, found + bytes);
    // A port that is sending looks again by itself, and so does one that is resumed.
    if (!output.device->IsSending() && !output.device->IsPaused(kind.priority))
    {
        WakeAt(output, readyAt);
    }
}

ElectricalSwitch::Class
ElectricalSwitch::Classify(Port& input, const Packet& frame) const
{
    std::array<uint8_t, UDP_OFFSET + 4> header{}; // up to the ports of UDP
    if (frame.CopyData(header.data(), header.size()) < UDP_OFFSET ||
        header[IP_OFFSET - 2] != 0x08 || header[IP_OFFSET - 1] != 0x00)
    {
        return {}; // not IPv4
    }
    const uint8_t* ip = header.data() + IP_OFFSET;
    const uint8_t tos = ip[1];
    const uint8_t ecn = tos & RoceHeader::ECN_MASK;
    Class kind;
    kind.priority = RoceHeader::GetPriority(tos);
    kind.ecnCapable = ecn != RoceHeader::NOT_ECT && ecn != RoceHeader::CE;
    const uint32_t destination = Get32(ip + 16);
    if (!input.lastRoute.Covers(destination))
    {
        input.lastRoute = m_routes.Find(destination);
        if (!input.lastRoute.ports)
        {
            return kind;
        }
    }
    const auto& ports = *input.lastRoute.ports;
    if (ports.size() == 1)
    {
        kind.output = ports[0];
        return kind;
    }
    const uint8_t* udp = ip + RoceHeader::IPV4_BYTES;
    kind.output =
        ChoosePort(ports, {Get32(ip + 12), destination, Get16(udp), Get16(udp + 2), ip[9]});
    return kind;
}

uint32_t
ElectricalSwitch::ChoosePort(const SwitchRoutes::Ports& ports, const FlowTuple& flow) const
{
    const uint64_t seed =
        m_ecmpSeed ? m_ecmpSeed : 1 + uint64_t{m_ports[0].device->GetNode()->GetId()};
    return ports[SwitchRoutes::Choose(flow, seed, static_cast<uint32_t>(ports.size()))];
}

Ptr<Packet>
ElectricalSwitch::Mark(Ptr<Packet> frame, const Class& kind)
{
    const Port& output = m_ports[kind.output];
    const uint64_t depth = output.queues.GetDepth(kind.priority);
    const double probability = output.marker.GetProbability(depth);
    if (probability < 1 && m_random->GetValue() >= probability)
    {
        return frame;
    }
    // The sender may still hold the frame: what is written on is a copy.
    Ptr<Packet> marked = frame->Copy();
    RoceHeader header;
    if (marked->RemoveHeader(header) == 0)
    {
        return frame;
    }
    header.tos |= RoceHeader::CE;
    marked->AddHeader(header);
    ++m_statistics.marked;
    m_markTrace(marked, kind.output, kind.priority, depth);
    return marked;
}

Time
ElectricalSwitch::GetReadyTime(EthernetPortNetDevice& input,
                               const Port& output,
                               uint32_t bytes) const
{
    Time readyAt = Simulator::Now() + m_hopLatency;
    if (m_forwarding == CUT_THROUGH)
    {
        const Time rest = input.GetRestOfArrival();
        if (rest > output.device->GetRestOfFrame(bytes))
        {
            readyAt += rest; // the output would run dry
        }
    }
    return readyAt;
}

void
ElectricalSwitch::Drop(Ptr<const Packet> frame, uint32_t port, const Class& kind, DropReason reason)
{
    ++m_statistics.dropped[reason];
    const uint64_t depth = reason == NO_ROUTE ? 0 : GetQueueDepth(port, kind.priority);
    m_dropTrace(frame, port, kind.priority, depth, reason);
}

void
ElectricalSwitch::SetPause(uint32_t input, uint8_t priority, bool pause)
{
    ++(pause ? m_statistics.pausesSent : m_statistics.resumesSent);
    (pause ? m_pauseTrace : m_resumeTrace)(input, priority, m_buffer->GetHeld(input, priority));
    m_ports[input].device->SendPfc(priority, pause);
}

// --- out ----------------------------------------------------------------------------------------

void
ElectricalSwitch::WakeAt(Port& port, Time at)
{
    if (!port.ready->IsPending())
    {
        port.readyAt = at;
        port.ready->Schedule(port.device->GetNode()->GetId(), at - Simulator::Now());
    }
    else if (at < port.readyAt)
    {
        // It cuts through while another waits until it has arrived in full: rare.
        Simulator::Schedule(at - Simulator::Now(), &EthernetPortNetDevice::Decide, port.device);
    }
}

Ptr<Packet>
ElectricalSwitch::NextFrame(EthernetPortNetDevice& device)
{
    const uint32_t number = GetNumber(device);
    Port& port = m_ports[number];
    const uint8_t candidates = port.queues.GetBacklog() & ~device.GetPausedPriorities();
    if (candidates == 0)
    {
        return nullptr;
    }
    const Time now = Simulator::Now();
    uint8_t ready = 0;
    Time next = Time::Max();
    for (uint8_t priority = 0; candidates >> priority != 0; ++priority)
    {
        if ((candidates >> priority) & 1)
        {
            const Time readyAt = port.queues.GetHead(priority).readyAt;
            ready |= (readyAt <= now) << priority;
            next = std::min(next, readyAt);
        }
    }
    if (ready == 0)
    {
        WakeAt(port, next);
        return nullptr;
    }
    return Dequeue(number, port.queues.Select(ready)).frame;
}

SwitchQueues::Waiting
ElectricalSwitch::Dequeue(uint32_t number, uint8_t priority)
{
    Port& port = m_ports[number];
    SwitchQueues::Waiting waiting = port.queues.Pop(priority);
    m_dequeueTrace(waiting.frame, number, priority, port.queues.GetDepth(priority));
    if (m_buffer->Release(waiting.input, priority, waiting.bytes))
    {
        m_resumes.emplace_back(waiting.input, priority);
        if (!m_resume->IsPending())
        {
            m_resume->Schedule(port.device->GetNode()->GetId(), Time(0));
        }
    }
    return waiting;
}

void
ElectricalSwitch::Resume()
{
    std::sort(m_resumes.begin(), m_resumes.end());
    for (const auto& [input, priority] : m_resumes)
    {
        SetPause(input, priority, false);
    }
    m_resumes.clear();
}

void
ElectricalSwitch::LinkChanged(EthernetPortNetDevice& device)
{
    const uint32_t number = GetNumber(device);
    Port& port = m_ports[number];
    port.isDown = !device.IsLit();
    for (uint8_t priority = 0; port.isDown && priority < SwitchQueues::PRIORITIES; ++priority)
    {
        while ((port.queues.GetBacklog() >> priority) & 1)
        {
            Class kind;
            kind.output = number;
            kind.priority = priority;
            Drop(Dequeue(number, priority).frame, number, kind, LINK_DOWN);
        }
    }
}

// --- begin --------------------------------------------------------------------------------------

bool
ElectricalSwitch::IsFree(Port& port) const
{
    if (port.fastPath && port.fastPath->IsQuiet())
    {
        port.fastPath->Leave();
    }
    return !port.fastPath && port.queues.GetBacklog() == 0 && port.device->IsUndisturbed() &&
           !port.device->IsSending();
}

uint32_t
ElectricalSwitch::FindOutput(const RoceHeader& header) const
{
    constexpr uint8_t udp = 17;
    const FlowTuple flow{header.sourceIp.Get(),
                         header.destinationIp.Get(),
                         header.sourcePort,
                         RoceHeader::UDP_PORT,
                         udp};
    const SwitchRoutes::Route route = m_routes.Find(flow.destination);
    if (!route.ports)
    {
        return NO_PORT;
    }
    return route.ports->size() == 1 ? route.ports->front() : ChoosePort(*route.ports, flow);
}

FastPathHop::Way
ElectricalSwitch::FindWayAmid(EthernetPortNetDevice& input, const Flow& flow)
{
    constexpr uint8_t firstStrict = 6;
    const bool traced = !m_enqueueTrace.IsEmpty() || !m_dequeueTrace.IsEmpty() ||
                        !m_markTrace.IsEmpty() || !m_dropTrace.IsEmpty() ||
                        !m_pauseTrace.IsEmpty() || !m_resumeTrace.IsEmpty();
    // Before the first frame, memory and thresholds may still be set.
    if (!m_buffer || traced || flow.controlPriority < firstStrict ||
        flow.controlPriority <= flow.dataPriority)
    {
        return {};
    }
    const uint32_t number = FindOutput(flow.header);
    if (number == NO_PORT || number == GetNumber(input))
    {
        return {};
    }
    EthernetPortNetDevice& output = *m_ports[number].device;
    const LightPath& onward = output.GetPath();
    if (output.GetDataRate() != input.GetDataRate() || onward.epoch || !onward.receiver)
    {
        return {};
    }
    return {&output, onward, m_hopLatency, input.IsEarly()};
}

FastPathHop::Way
ElectricalSwitch::FindWay(EthernetPortNetDevice& input, const Flow& flow)
{
    const Way way = FindWayAmid(input, flow);
    if (!way.output)
    {
        return {};
    }
    Port& port = m_ports[GetNumber(*way.output)];
    if (!IsFree(m_ports[GetNumber(input)]) || !IsFree(port))
    {
        return {};
    }
    // What has not left is in the pipeline, or waits behind a longer frame: one at most.
    const double pipeline =
        static_cast<double>(input.GetDataRate().GetBitRate()) / 8 * m_hopLatency.GetSeconds();
    constexpr uint32_t frames = 4;
    port.longest = static_cast<uint64_t>(std::ceil(pipeline)) + frames * flow.frameBytes;
    if (port.marker.MayMark(port.longest) || !m_buffer->IsRoomyFor(m_burstBytes + 2 * port.longest))
    {
        return {};
    }
    return way;
}

bool
ElectricalSwitch::Spare(const std::vector<EthernetPortNetDevice*>& ports, uint64_t bytes)
{
    for (const EthernetPortNetDevice* device : ports)
    {
        Port& port = m_ports[GetNumber(*device)];
        if (port.marker.MayMark(bytes))
        {
            return false;
        }
        port.longest = bytes;
    }
    return m_buffer->IsRoomyFor(m_burstBytes + ports.size() * bytes);
}

void
ElectricalSwitch::Join(EthernetPortNetDevice& device, const Ptr<FastPath>& ahead)
{
    Port& port = m_ports[GetNumber(device)];
    port.fastPath = ahead;
    m_burstBytes += port.longest;
}

void
ElectricalSwitch::Part(EthernetPortNetDevice& device)
{
    Port& port = m_ports[GetNumber(device)];
    port.fastPath = nullptr;
    m_burstBytes -= port.longest;
}

bool
ElectricalSwitch::Look(EthernetPortNetDevice& output, std::vector<Held>& held) const
{
    const SwitchQueues& queues = m_ports[GetNumber(output)].queues;
    for (uint8_t priority = 0; priority < SwitchQueues::PRIORITIES; ++priority)
    {
        for (const auto& waiting : queues.GetFrames(priority))
        {
            held.push_back({waiting.frame, waiting.readyAt});
        }
    }
    return queues.IsFair();
}

void
ElectricalSwitch::Empty(EthernetPortNetDevice& output)
{
    SwitchQueues& queues = m_ports[GetNumber(output)].queues;
    for (uint8_t priority = 0; priority < SwitchQueues::PRIORITIES; ++priority)
    {
        while ((queues.GetBacklog() >> priority) & 1)
        {
            const SwitchQueues::Waiting waiting = queues.Pop(priority);
            const bool resume = m_buffer->Release(waiting.input, priority, waiting.bytes);
            NS_ABORT_MSG_IF(resume, "a port that is paused has been taken into a burst");
        }
    }
}

// --- end ----------------------------------------------------------------------------------------

void
ElectricalSwitch::Interrupt(EthernetPortNetDevice& device)
{
    if (m_burstBytes == 0)
    {
        return;
    }
    if (const Ptr<FastPath> fastPath = m_ports[GetNumber(device)].fastPath)
    {
        fastPath->Leave();
    }
}

void
ElectricalSwitch::InterruptAll() const
{
    for (const auto& port : m_ports)
    {
        if (const Ptr<FastPath> fastPath = port.fastPath)
        {
            fastPath->Leave();
        }
    }
}

void
ElectricalSwitch::TraceWanted()
{
    InterruptAll();
}

void
ElectricalSwitch::Intrude(uint32_t input, const Port& output, const Class& kind, uint32_t bytes)
{
    const bool first = m_receiving == NO_PORT;
    m_receiving = first ? input : m_receiving;
    if (const Ptr<FastPath> fastPath = output.fastPath)
    {
        fastPath->Leave();
    }
    // What fast paths keep in the memory is not counted while they last.
    if (!m_buffer->IsRoomyFor(input,
                              kind.priority,
                              bytes,
                              output.queues.GetDepth(kind.priority),
                              m_burstBytes))
    {
        InterruptAll();
    }
    m_receiving = first ? NO_PORT : m_receiving;
}

void
ElectricalSwitch::Expect(EthernetPortNetDevice& sender,
                         const LightPath& path,
                         Ptr<Packet> frame,
                         const Time& at,
                         bool now)
{
    sender.Launch(frame, path, at);
    // Of what arrives at this instant, a part has been taken in already: that of the first ports.
    if (now && m_receiving != NO_PORT && GetNumber(*path.receiver) < m_receiving)
    {
        path.receiver->DeliverDue();
    }
}

void
ElectricalSwitch::Hold(EthernetPortNetDevice& input,
                       EthernetPortNetDevice& output,
                       Ptr<Packet> frame,
                       const Time& ready)
{
    Port& port = m_ports[GetNumber(output)];
    const uint8_t priority = Classify(m_ports[GetNumber(input)], *frame).priority;
    const uint32_t number = GetNumber(input);
    const uint32_t bytes = frame->GetSize();
    const auto admission = m_buffer->Admit(number, priority, bytes, port.queues.GetDepth(priority));
    NS_ABORT_MSG_IF(admission.verdict != SwitchBuffer::ADMITTED,
                    "a burst has been let through a switch without room for it");
    port.queues.Push(priority, {frame, ready, bytes, number});
    if (!output.IsSending())
    {
        WakeAt(port, std::max(ready, Simulator::Now()));
    }
}

// --- what can be seen ---------------------------------------------------------------------------

bool
ElectricalSwitch::IsSendingAhead(const EthernetPortNetDevice& device) const
{
    if (m_burstBytes == 0)
    {
        return false;
    }
    const auto& fastPath = m_ports[GetNumber(device)].fastPath;
    return fastPath && fastPath->IsPassing(device);
}

void
ElectricalSwitch::Settle(const EthernetPortNetDevice& device)
{
    if (const auto& fastPath = m_ports[GetNumber(device)].fastPath)
    {
        fastPath->Settle();
    }
}

void
ElectricalSwitch::CountBurst(uint64_t frames, uint64_t depth)
{
    m_statistics.enqueued += frames;
    m_statistics.maxDepth = std::max(m_statistics.maxDepth, depth);
}

void
ElectricalSwitch::SetHopLatency(Time latency)
{
    InterruptAll();
    m_hopLatency = latency;
}

Time
ElectricalSwitch::GetHopLatency() const
{
    return m_hopLatency;
}

void
ElectricalSwitch::SetEcmpSeed(uint64_t seed)
{
    InterruptAll();
    m_ecmpSeed = seed;
}

uint64_t
ElectricalSwitch::GetEcmpSeed() const
{
    return m_ecmpSeed;
}

} // namespace ns3
