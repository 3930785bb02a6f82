// SPDX-License-Identifier: GPL-2.0-only

#include "electrical-switch.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ethernet-header.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/ipv4-header.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/photonic-rails-compat.h"
#include "ns3/random-variable-stream.h"
#include "ns3/roce-header.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/watched-trace-source.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ElectricalSwitch");
NS_OBJECT_ENSURE_REGISTERED(ElectricalSwitch);

namespace
{

constexpr uint64_t MAX_BUFFER_BYTES = uint64_t{1} << 40; //!< sums do not overflow

/// Write Congestion Experienced into the IPv4 header of a frame.
void
WriteMark(Packet& frame)
{
    RoceHeader roce;
    if (roce.Peek(frame))
    {
        frame.RemoveHeader(roce);
        roce.tos |= RoceHeader::CE;
        frame.AddHeader(roce);
        return;
    }
    EthernetHeader ethernet(false);
    Ipv4Header ip;
    frame.RemoveHeader(ethernet);
    frame.RemoveHeader(ip);
    ip.SetEcn(Ipv4Header::ECN_CE);
    if (Node::ChecksumEnabled())
    {
        ip.EnableChecksum();
    }
    frame.AddHeader(ip);
    frame.AddHeader(ethernet);
}

/// @return a preset, with thresholds that follow from the rate of a port
SwitchPreset
MakePreset(const std::string& name,
           const std::string& chip,
           const std::string& rate,
           uint64_t bufferBytes)
{
    SwitchPreset preset;
    preset.name = name;
    preset.chip = chip;
    preset.portRate = DataRate(rate);
    preset.bufferBytes = bufferBytes;
    constexpr uint64_t step = 25'000'000'000; // bit/s per step of the thresholds
    preset.kmin = 100'000 * (preset.portRate.GetBitRate() / step);
    preset.kmax = 400'000 * (preset.portRate.GetBitRate() / step);
    return preset;
}

} // namespace

const std::vector<SwitchPreset>&
SwitchPreset::GetAll()
{
    constexpr uint64_t megabyte = 1'000'000;
    static const std::vector<SwitchPreset> all = {
        MakePreset("100G", "Broadcom Tomahawk 2, 6.4 Tbit/s", "100Gbps", 42 * megabyte),
        MakePreset("200G", "Broadcom Tomahawk 3, 12.8 Tbit/s", "200Gbps", 64 * megabyte),
        MakePreset("400G", "Broadcom Tomahawk 4, 25.6 Tbit/s", "400Gbps", 113 * megabyte),
        MakePreset("800G", "Broadcom Tomahawk 5, 51.2 Tbit/s", "800Gbps", 165 * megabyte),
    };
    return all;
}

SwitchPreset
SwitchPreset::Find(DataRate rate)
{
    const auto& all = GetAll();
    std::size_t i = 0;
    while (i + 1 < all.size() && all[i].portRate < rate)
    {
        ++i;
    }
    SwitchPreset preset = all[i];
    const double scale = static_cast<double>(rate.GetBitRate()) / preset.portRate.GetBitRate();
    preset.kmin = static_cast<uint64_t>(scale * preset.kmin);
    preset.kmax = static_cast<uint64_t>(scale * preset.kmax);
    return preset;
}

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
                "Whether a frame may leave before it has arrived in full. Must be set "
                "before ports are added.",
                EnumValue(STORE_AND_FORWARD),
                MakeEnumAccessorCompat<Forwarding>(&ElectricalSwitch::m_forwarding),
                MakeEnumChecker(STORE_AND_FORWARD, "StoreAndForward", CUT_THROUGH, "CutThrough"))
            .AddAttribute(
                "EcmpSeed",
                "Seed of the choice among equal-cost ports; 0 selects a different seed for "
                "each switch, derived from its node id.",
                UintegerValue(0),
                MakeUintegerAccessor(&ElectricalSwitch::SetEcmpSeed,
                                     &ElectricalSwitch::GetEcmpSeed),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("LoadBalancing",
                          "Rule that chooses among equal-cost ports: ecmp, one port for each flow; "
                          "random or round-robin, packet spraying; adaptive, the port with the "
                          "fewest queued bytes. All but ecmp need LossRecovery SelectiveRepeat of "
                          "RdmaQueuePair.",
                          StringValue("ecmp"),
                          MakeStringAccessor(&ElectricalSwitch::SetLoadBalancing,
                                             &ElectricalSwitch::GetLoadBalancing),
                          MakeStringChecker())
            .AddAttribute(
                "BufferSize",
                "Packet memory in bytes; 0 selects the preset of the port rate. All attributes of "
                "memory, pauses and marks are fixed when the first frame arrives.",
                UintegerValue(0),
                MakeUintegerAccessor(&ElectricalSwitch::m_bufferBytes),
                MakeUintegerChecker<uint64_t>(0, MAX_BUFFER_BYTES))
            .AddAttribute("ReservedBytes",
                          "Memory in bytes that is reserved for each input and priority.",
                          UintegerValue(4608),
                          MakeUintegerAccessor(&ElectricalSwitch::m_reservedBytes),
                          MakeUintegerChecker<uint64_t>(0, MAX_BUFFER_BYTES))
            .AddAttribute("Alpha",
                          "Dynamic threshold of an input in a lossless priority, as a multiple of "
                          "the free shared memory, above 0. Beyond the threshold the switch "
                          "pauses the link partner.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&ElectricalSwitch::m_alpha),
                          MakeDoubleChecker<double>(1e-6, 1e6))
            .AddAttribute("LossyAlpha",
                          "Dynamic threshold of an output queue of a lossy priority, as a multiple "
                          "of the free shared memory, above 0. Frames beyond it are dropped.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&ElectricalSwitch::m_lossyAlpha),
                          MakeDoubleChecker<double>(1e-6, 1e6))
            .AddAttribute("ResumeOffset",
                          "Bytes below the threshold of a pause at which the pause ends.",
                          UintegerValue(18480),
                          MakeUintegerAccessor(&ElectricalSwitch::m_resumeOffset),
                          MakeUintegerChecker<uint64_t>(0, MAX_BUFFER_BYTES))
            .AddAttribute("Pfc",
                          "Whether lossless priorities pause the link partner; otherwise all "
                          "priorities are lossy.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ElectricalSwitch::m_pfc),
                          MakeBooleanChecker())
            .AddAttribute("LosslessPriorities",
                          "Bit mask of the lossless priorities: bit 0 for priority 0, and so on. "
                          "RDMA data has priority 3.",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&ElectricalSwitch::m_losslessPriorities),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("MaxFrameBytes",
                          "Largest frame in bytes, without FCS, for the computation of headroom.",
                          UintegerValue(9216),
                          MakeUintegerAccessor(&ElectricalSwitch::m_maxFrameBytes),
                          MakeUintegerChecker<uint32_t>(60, SwitchQueues::QUANTUM_BYTES))
            .AddAttribute(
                "PfcReactionTime",
                "Time after which a link partner obeys a pause at the latest. IEEE 802.3 allows "
                "394 quanta of 512 bits at 100 Gbit/s, the default, and 905 (1158 ns) "
                "at 400 Gbit/s.",
                TimeValue(NanoSeconds(2018)),
                MakeTimeAccessor(&ElectricalSwitch::m_pfcReaction),
                MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute("Ecn",
                          "Whether ECN-capable packets are marked when their queue is long.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ElectricalSwitch::m_ecn),
                          MakeBooleanChecker())
            .AddAttribute("Kmin",
                          "Queue depth in bytes up to which no packet is marked; 0 selects the "
                          "preset of the port rate.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ElectricalSwitch::m_kmin),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Kmax",
                          "Queue depth in bytes above which every packet is marked; 0 selects the "
                          "preset of the port rate.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ElectricalSwitch::m_kmax),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Pmax",
                          "Probability of a mark at Kmax, 0 to 1.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&ElectricalSwitch::m_pmax),
                          MakeDoubleChecker<double>(0, 1))
            .AddTraceSource("Enqueue",
                            "A frame enters an output queue; the depth includes the frame.",
                            MakeWatchedTraceSourceAccessor(&ElectricalSwitch::m_enqueueTrace),
                            "ns3::ElectricalSwitch::FrameTracedCallback")
            .AddTraceSource("Dequeue",
                            "A frame leaves an output queue; the depth excludes the frame.",
                            MakeWatchedTraceSourceAccessor(&ElectricalSwitch::m_dequeueTrace),
                            "ns3::ElectricalSwitch::FrameTracedCallback")
            .AddTraceSource("Mark",
                            "A frame is marked; the depth is that before the frame.",
                            MakeWatchedTraceSourceAccessor(&ElectricalSwitch::m_markTrace),
                            "ns3::ElectricalSwitch::FrameTracedCallback")
            .AddTraceSource(
                "Drop",
                "A frame is dropped, with the reason; the depth is that before the frame.",
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
    : m_fastPaths(*this, m_path),
      m_arrivals(
          [this](uint32_t port, const Time& at) { m_path.ports[port].device->DeliverAwaited(at); },
          [this] { return GetSlack(); }),
      m_resume(Create<RecurringEvent>([this] { Resume(); })),
      m_random(CreateObject<UniformRandomVariable>())
{
}

ElectricalSwitch::~ElectricalSwitch() = default;

void
ElectricalSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_fastPaths.Abandon();
    for (auto& port : m_path.ports)
    {
        port.ready->Disarm();
        port.device->SetMacClient(nullptr);
    }
    m_arrivals.Stop();
    m_resume->Disarm();
    m_path.ports.clear();
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
    NS_LOG_FUNCTION(this << device);
    const auto number = static_cast<uint32_t>(m_path.ports.size());
    if (number == 0)
    {
        m_path.firstIfIndex = device->GetIfIndex();
        m_path.forwarding.SetDefaultSeed(1 + uint64_t{device->GetNode()->GetId()});
        m_arrivals.SetContext(device->GetNode()->GetId());
    }
    NS_ABORT_MSG_IF(device->GetIfIndex() != m_path.firstIfIndex + number,
                    "the ports of a switch are consecutive devices of its node");
    NS_ABORT_MSG_IF(m_path.buffer, "a switch gets its ports before its first frame");
    device->SetMacClient(this);
    device->SetEarlyDelivery(m_forwarding == CUT_THROUGH);
    SwitchPort port;
    port.device = device;
    port.ready = Create<RecurringEvent>([device = PeekPointer(device)] { device->Decide(); });
    m_path.ports.push_back(std::move(port));
    m_path.forwarding.AddInput();
    return number;
}

void
ElectricalSwitch::AddRoute(Ipv4Address first, Ipv4Address last, const std::vector<uint32_t>& ports)
{
    NS_LOG_FUNCTION(this << first << last);
    for (const uint32_t port : ports)
    {
        NS_ABORT_MSG_IF(port >= m_path.ports.size(), "the switch has no port " << port);
    }
    CatchUp();
    m_path.forwarding.Add(first.Get(), last.Get(), ports);
}

void
ElectricalSwitch::RemoveRoutes()
{
    NS_LOG_FUNCTION(this);
    CatchUp();
    m_path.forwarding.Clear();
}

// --- memory and thresholds ----------------------------------------------------------------------

void
ElectricalSwitch::ApplyPreset(const SwitchPreset& preset)
{
    NS_ABORT_MSG_IF(m_path.buffer, "a preset is applied before the first frame");
    m_bufferBytes = preset.bufferBytes;
    m_kmin = preset.kmin;
    m_kmax = preset.kmax;
    m_pmax = preset.pmax;
    m_alpha = preset.alpha;
    m_lossyAlpha = preset.lossyAlpha;
    m_path.hopLatency = preset.hopLatency;
}

std::vector<uint64_t>
ElectricalSwitch::GetHeadroom() const
{
    std::vector<uint64_t> headroom;
    for (const auto& port : m_path.ports)
    {
        headroom.push_back(
            SwitchBuffer::GetHeadroom(port.device->GetDataRate().GetBitRate(),
                                      port.device->GetPath().delay.GetSeconds(),
                                      m_maxFrameBytes + EthernetPortNetDevice::FRAME_OVERHEAD_BYTES,
                                      m_pfcReaction.GetSeconds()));
    }
    return headroom;
}

SwitchBuffer::Settings
ElectricalSwitch::GetDivision(const std::vector<uint64_t>& headroom) const
{
    SwitchBuffer::Settings settings{m_bufferBytes,
                                    m_reservedBytes,
                                    m_alpha,
                                    m_lossyAlpha,
                                    m_resumeOffset,
                                    m_pfc ? m_losslessPriorities : uint8_t{0}};
    if (m_bufferBytes == 0)
    {
        DataRate fastest;
        for (const auto& port : m_path.ports)
        {
            fastest = std::max(fastest, port.device->GetDataRate());
        }
        const SwitchPreset preset = SwitchPreset::Find(fastest);
        const uint64_t chips = (m_path.ports.size() + preset.ports - 1) / preset.ports;
        settings.bytes =
            std::max(chips * preset.bufferBytes, 2 * SwitchBuffer::GetSetAside(settings, headroom));
    }
    return settings;
}

std::pair<uint64_t, uint64_t>
ElectricalSwitch::GetMarkRange(const SwitchPort& port) const
{
    const SwitchPreset preset = SwitchPreset::Find(port.device->GetDataRate());
    return {m_kmin ? m_kmin : preset.kmin, m_kmax ? m_kmax : preset.kmax};
}

std::string
ElectricalSwitch::Check() const
{
    if (!Variant<LoadBalancing>::Find(m_loadBalancing))
    {
        return "LoadBalancing is " + m_loadBalancing +
               "; allowed: " + boost::algorithm::join(Variant<LoadBalancing>::GetNames(), ", ");
    }
    const std::vector<uint64_t> headroom = GetHeadroom();
    const auto division = GetDivision(headroom);
    if (auto error = SwitchBuffer::Check(division, headroom);
        !m_path.ports.empty() && !error.empty())
    {
        return m_bufferBytes ? "BufferSize: " + error : error;
    }
    for (const auto& port : m_path.ports)
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
    NS_LOG_FUNCTION(this);
    if (m_path.buffer)
    {
        return;
    }
    for (auto& port : m_path.ports)
    {
        const auto [kmin, kmax] = GetMarkRange(port);
        port.marker = m_ecn ? EcnMarker(kmin, kmax, m_pmax) : EcnMarker();
    }
    const std::vector<uint64_t> headroom = GetHeadroom();
    const SwitchBuffer::Settings division = GetDivision(headroom);
    m_path.buffer = std::make_unique<SwitchBuffer>(division, headroom);

    const double half = static_cast<double>(m_path.buffer->GetSharedSize()) / 2;
    m_shareOfHalf = static_cast<uint64_t>(division.alpha * half);
    m_isLossless = division.losslessPriorities != 0;
}

void
ElectricalSwitch::FindSlackLimits()
{
    uint64_t sum = 0;
    m_fullInputs = 0;
    for (uint32_t input = 0; input < m_path.ports.size(); ++input)
    {
        SwitchPort& port = m_path.ports[input];
        // Bytes that arrive within HopLatency, with a frame at each end.
        const double bits = static_cast<double>(port.device->GetDataRate().GetBitRate()) *
                            m_path.hopLatency.GetSeconds();
        const uint64_t soon = static_cast<uint64_t>(bits / 8) + 2 * SwitchQueues::QUANTUM_BYTES;
        sum += soon;
        port.slackBelow = m_shareOfHalf > soon ? m_shareOfHalf - soon : 0;
        port.held = 0;
        for (uint8_t priority = 0; priority < SwitchQueues::PRIORITIES; ++priority)
        {
            port.held += m_path.buffer->GetHeld(input, priority);
        }
        m_fullInputs += port.held >= port.slackBelow ? 1 : 0;
    }
    const uint64_t half = m_path.buffer->GetSharedSize() / 2;
    m_slackShared = half > sum ? half - sum : 0;
    m_slackKnown = true;
}

void
ElectricalSwitch::Hold(uint32_t input, int64_t bytes)
{
    SwitchPort& port = m_path.ports[input];
    const bool before = port.held >= port.slackBelow;
    port.held += bytes;
    const bool after = port.held >= port.slackBelow;
    m_fullInputs += (after ? 1 : 0) - (before ? 1 : 0);
}

Time
ElectricalSwitch::GetSlack()
{
    if (m_traced || !m_path.buffer || m_fastPaths.IsActive())
    {
        m_slackKnown = false;
        return Time(0);
    }
    if (!m_slackKnown)
    {
        FindSlackLimits();
    }
    const bool hasRoom = m_fullInputs == 0 && m_path.buffer->GetSharedUsed() < m_slackShared;
    return hasRoom || !m_isLossless ? m_path.hopLatency : Time(0);
}

void
ElectricalSwitch::CatchUp()
{
    m_arrivals.TakeAndAwaitNext();
    m_fastPaths.InterruptAll();
}

const SwitchBuffer&
ElectricalSwitch::GetBuffer() const
{
    m_arrivals.Take();
    NS_ABORT_MSG_UNLESS(m_path.buffer, "the memory of a switch is divided when it starts");
    m_fastPaths.InterruptAll();
    return *m_path.buffer;
}

ElectricalSwitch::Statistics
ElectricalSwitch::GetStatistics() const
{
    m_arrivals.Take();
    m_fastPaths.Settle();
    Statistics statistics = m_statistics;
    statistics.enqueued += m_fastPaths.GetFrames();
    statistics.maxDepth = std::max(statistics.maxDepth, m_fastPaths.GetMaxDepth());
    for (const auto& port : m_path.ports)
    {
        statistics.pfcFramesReceived += port.device->GetPfcFramesReceived();
    }
    return statistics;
}

uint64_t
ElectricalSwitch::GetQueueDepth(uint32_t port, uint8_t priority) const
{
    if (m_path.ports.at(port).fastPath)
    {
        m_path.ports.at(port).fastPath->Leave();
    }
    m_arrivals.Take();
    return m_path.ports.at(port).queues.GetDepth(priority);
}

// --- in -----------------------------------------------------------------------------------------

bool
ElectricalSwitch::AwaitFree(EthernetPortNetDevice& device, const Time& at)
{
    if (m_fastPaths.IsActive())
    {
        return false; // a fast path that ends counts on the port to ask for frames
    }
    SwitchPort& port = m_path.GetPort(device);
    const uint8_t candidates = port.queues.GetBacklog() & ~device.GetPausedPriorities();
    if (candidates != 0)
    {
        port.WakeAt(std::max(at, port.GetNextReady(candidates)));
    }
    return true;
}

void
ElectricalSwitch::Receive(EthernetPortNetDevice& device, Ptr<Packet> frame)
{
    if (!m_path.buffer)
    {
        Start();
    }
    const uint32_t input = m_path.GetNumber(device);
    const Class kind = m_path.forwarding.Classify(input, *frame, m_path);
    if (kind.output == SwitchForwarding::NO_PORT)
    {
        Drop(frame, input, kind, NO_ROUTE);
        return;
    }
    SwitchPort& output = m_path.ports[kind.output];
    if (output.isDown)
    {
        Drop(frame, kind.output, kind, LINK_DOWN);
        return;
    }
    const uint32_t bytes = frame->GetSize();
    if (m_fastPaths.IsActive())
    {
        m_fastPaths.InterruptFor(input, kind, bytes);
    }
    const uint64_t found = output.queues.GetDepth(kind.priority);
    const auto admission = m_path.buffer->Admit(input, kind.priority, bytes, found);
    if (admission.pause)
    {
        SetPause(input, kind.priority, true);
    }
    if (admission.verdict > SwitchBuffer::IN_HEADROOM)
    {
        const DropReason reason = admission.verdict == SwitchBuffer::QUEUE_LIMIT   ? QUEUE_LIMIT
                                  : admission.verdict == SwitchBuffer::BUFFER_FULL ? BUFFER_FULL
                                                                                   : HEADROOM_FULL;
        Drop(frame, kind.output, kind, reason);
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
    if (m_traced)
    {
        m_enqueueTrace(frame, kind.output, kind.priority, found + bytes);
    }
    Hold(input, bytes);
    if (found > 0)
    {
        return; // the port awaits the frames before this one
    }
    // A port that is paused asks for a frame when that ends.
    const Time free = output.device->GetFreeTime();
    if (free != Time::Max() && !output.device->IsPaused(kind.priority) &&
        !IsSendingAhead(*output.device))
    {
        output.WakeAt(std::max(readyAt, free));
    }
}

Ptr<Packet>
ElectricalSwitch::Mark(Ptr<Packet> frame, const Class& kind)
{
    const SwitchPort& output = m_path.ports[kind.output];
    const uint64_t depth = output.queues.GetDepth(kind.priority);
    const double probability = output.marker.GetProbability(depth);
    if (probability < 1 && m_random->GetValue() >= probability)
    {
        return frame;
    }
    // The sender may still hold the frame, so the mark is written to a copy.
    Ptr<Packet> marked = frame->Copy();
    WriteMark(*marked);
    ++m_statistics.marked;
    m_markTrace(marked, kind.output, kind.priority, depth);
    return marked;
}

Time
ElectricalSwitch::GetReadyTime(EthernetPortNetDevice& input,
                               const SwitchPort& output,
                               uint32_t bytes) const
{
    Time readyAt = input.GetArrivalTime() + m_path.hopLatency;
    if (m_forwarding == CUT_THROUGH)
    {
        const Time rest = input.GetRestOfArrival();
        if (rest > output.device->GetRestOfFrame(bytes))
        {
            readyAt += rest; // otherwise the output would have to wait for the input
        }
    }
    return readyAt;
}

void
ElectricalSwitch::Drop(Ptr<const Packet> frame, uint32_t port, const Class& kind, DropReason reason)
{
    NS_LOG_FUNCTION(this << frame << port);
    ++m_statistics.dropped[reason];
    const uint64_t depth = reason == NO_ROUTE ? 0 : GetQueueDepth(port, kind.priority);
    m_dropTrace(frame, port, kind.priority, depth, reason);
}

void
ElectricalSwitch::SetPause(uint32_t input, uint8_t priority, bool pause)
{
    NS_LOG_FUNCTION(this << input << +priority << pause);
    NS_LOG_LOGIC("port " << input << (pause ? " pauses" : " resumes") << " priority " << +priority
                         << " with " << m_path.buffer->GetHeld(input, priority) << " bytes held");
    ++(pause ? m_statistics.pausesSent : m_statistics.resumesSent);
    (pause ? m_pauseTrace
           : m_resumeTrace)(input, priority, m_path.buffer->GetHeld(input, priority));
    m_path.ports[input].device->SendPfc(priority, pause);
}

// --- out ----------------------------------------------------------------------------------------

Ptr<Packet>
ElectricalSwitch::NextFrame(EthernetPortNetDevice& device)
{
    const uint32_t number = m_path.GetNumber(device);
    SwitchPort& port = m_path.ports[number];
    const uint8_t candidates = port.queues.GetBacklog() & ~device.GetPausedPriorities();
    if (candidates == 0)
    {
        return nullptr;
    }
    const Time now = Simulator::Now();
    uint8_t ready = 0;
    for (uint8_t priority = 0; candidates >> priority != 0; ++priority)
    {
        if ((candidates >> priority) & 1)
        {
            ready |= (port.queues.GetHead(priority).readyAt <= now) << priority;
        }
    }
    if (ready == 0)
    {
        port.WakeAt(port.GetNextReady(candidates));
        return nullptr;
    }
    return Dequeue(number, port.queues.Select(ready)).frame;
}

SwitchQueues::Waiting
ElectricalSwitch::Dequeue(uint32_t number, uint8_t priority)
{
    SwitchPort& port = m_path.ports[number];
    SwitchQueues::Waiting waiting = port.queues.Pop(priority);
    Hold(waiting.input, -int64_t{waiting.bytes});
    if (m_traced)
    {
        m_dequeueTrace(waiting.frame, number, priority, port.queues.GetDepth(priority));
    }
    if (m_path.buffer->Release(waiting.input, priority, waiting.bytes))
    {
        m_resumes.emplace_back(waiting.input, priority);
        if (!m_resume->IsPending())
        {
            m_resume->Schedule(port.device->GetContext(), Time(0));
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
    NS_LOG_FUNCTION(this << &device);
    const uint32_t number = m_path.GetNumber(device);
    SwitchPort& port = m_path.ports[number];
    port.isDown = !device.IsLit();
    NS_LOG_INFO("port " << number << (port.isDown ? " is dark: drops its queues" : " has light"));
    for (uint8_t priority = 0; port.isDown && priority < SwitchQueues::PRIORITIES; ++priority)
    {
        while ((port.queues.GetBacklog() >> priority) & 1)
        {
            const Class kind{number, priority};
            Drop(Dequeue(number, priority).frame, number, kind, LINK_DOWN);
        }
    }
}

// --- fast paths ---------------------------------------------------------------------------------

bool
ElectricalSwitch::IsTraced() const
{
    return !m_enqueueTrace.IsEmpty() || !m_dequeueTrace.IsEmpty() || !m_markTrace.IsEmpty() ||
           !m_dropTrace.IsEmpty() || !m_pauseTrace.IsEmpty() || !m_resumeTrace.IsEmpty();
}

FastPathHop&
ElectricalSwitch::GetFastPathHop()
{
    m_arrivals.TakeAndAwaitNext(); // fast paths look at the queues, and have events for arrivals
    m_slackKnown = false;
    return m_fastPaths;
}

void
ElectricalSwitch::NotifyTraceConnected()
{
    m_traced = true;
    CatchUp();
}

void
ElectricalSwitch::Settle(const EthernetPortNetDevice& device)
{
    if (const auto& fastPath = m_path.GetPort(device).fastPath)
    {
        fastPath->Settle();
    }
}

void
ElectricalSwitch::SetHopLatency(Time latency)
{
    CatchUp();
    m_slackKnown = false;
    m_path.hopLatency = latency;
}

void
ElectricalSwitch::SetEcmpSeed(uint64_t seed)
{
    CatchUp();
    m_path.forwarding.SetSeed(seed);
}

void
ElectricalSwitch::SetLoadBalancing(std::string name)
{
    CatchUp();
    m_loadBalancing = name;
    if (const auto balancing = Variant<LoadBalancing>::Find(name))
    {
        m_path.forwarding.SetLoadBalancing(*balancing);
    }
}

} // namespace ns3
