// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How an ElectricalSwitch is set up: attributes, ports, routes, presets, and the division of its
 * memory. What it does with frames is in electrical-switch.cc.
 */

#include "electrical-switch.h"
#include "switch-preset.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/photonic-rails-compat.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-ahead.h"
#include "ns3/transceiver-net-device.h"
#include "ns3/uinteger.h"
#include "ns3/watched-trace-source.h"

#include <algorithm>

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
        if (port.conversation)
        {
            port.conversation->Abandon();
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
ElectricalSwitch::AddPort(Ptr<TransceiverNetDevice> device)
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
                                      m_maxFrameBytes + TransceiverNetDevice::FRAME_OVERHEAD_BYTES,
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

} // namespace ns3
