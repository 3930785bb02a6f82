// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How an OpticalCircuitSwitch is set up: attributes, technology, fabric and ports; and what can be
 * asked of it.
 */

#include "ocs-net-device.h"
#include "ocs-technology.h"
#include "optical-circuit-switch.h"
#include "photonic-rails-compat.h"

#include "ns3/abort.h"
#include "ns3/enum.h"
#include "ns3/pointer.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpticalCircuitSwitch);

TypeId
OpticalCircuitSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpticalCircuitSwitch")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<OpticalCircuitSwitch>()
            .AddAttribute("Radix",
                          "Number of ports, 1 to 65536.",
                          UintegerValue(576),
                          MakeUintegerAccessor(&OpticalCircuitSwitch::SetRadix,
                                               &OpticalCircuitSwitch::GetRadix),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("ReconfigurationDelay",
                          "How long a command keeps the ports it names dark.",
                          TimeValue(MilliSeconds(25)),
                          MakeTimeAccessor(&OpticalCircuitSwitch::m_reconfigurationDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TransceiverLockTime",
                          "Time from light to a usable link at the transceivers.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpticalCircuitSwitch::m_transceiverLockTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("InsertionDelay",
                          "Time that light takes from port to port.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpticalCircuitSwitch::m_insertionDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Mode",
                          "Which ports a command darkens: those it names, or all.",
                          EnumValue(OpticalCircuitSwitch::PER_PORT),
                          MakeEnumAccessorCompat<Mode>(&OpticalCircuitSwitch::m_mode),
                          MakeEnumChecker(OpticalCircuitSwitch::PER_PORT,
                                          "PerPort",
                                          OpticalCircuitSwitch::WHOLE_SWITCH,
                                          "WholeSwitch"))
            .AddAttribute(
                "Transceivers",
                "Whether a circuit carries light both ways or from entry to exit.",
                EnumValue(OpticalCircuitSwitch::BIDIRECTIONAL),
                MakeEnumAccessorCompat<Transceivers>(&OpticalCircuitSwitch::m_transceivers),
                MakeEnumChecker(OpticalCircuitSwitch::BIDIRECTIONAL,
                                "Bidirectional",
                                OpticalCircuitSwitch::SIMPLEX,
                                "Simplex"))
            .AddAttribute("Fabric",
                          "What lies between the ports, of this switch alone; null: any matching "
                          "can be up.",
                          PointerValue(),
                          MakePointerAccessor(&OpticalCircuitSwitch::SetFabric,
                                              &OpticalCircuitSwitch::GetFabric),
                          MakePointerChecker<CircuitFabric>())
            .AddTraceSource("CircuitUp",
                            "A circuit carries light.",
                            MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_circuitUpTrace),
                            "ns3::OpticalCircuitSwitch::CircuitTracedCallback")
            .AddTraceSource("CircuitDown",
                            "A circuit has gone dark.",
                            MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_circuitDownTrace),
                            "ns3::OpticalCircuitSwitch::CircuitTracedCallback")
            .AddTraceSource("LightPath",
                            "The fabric has found a light path for a circuit that is being made.",
                            MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_lightPathTrace),
                            "ns3::OpticalCircuitSwitch::LightPathTracedCallback")
            .AddTraceSource(
                "ReconfigurationStart",
                "A command has been accepted: its ports go dark at this moment.",
                MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_reconfigurationStartTrace),
                "ns3::OpticalCircuitSwitch::ReconfigurationTracedCallback")
            .AddTraceSource(
                "ReconfigurationEnd",
                "All circuits of a command carry light.",
                MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_reconfigurationEndTrace),
                "ns3::OpticalCircuitSwitch::ReconfigurationTracedCallback")
            .AddTraceSource("BitsLost",
                            "Light that did not get through, with the reason.",
                            MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_bitsLostTrace),
                            "ns3::OpticalCircuitSwitch::BitsLostTracedCallback")
            .AddTraceSource("PortStuck",
                            "A port stays dark from now on, or is mended.",
                            MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_portStuckTrace),
                            "ns3::OpticalCircuitSwitch::PortStuckTracedCallback")
            .AddTraceSource("Failure",
                            "The switch has failed, or has been repaired.",
                            MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_failureTrace),
                            "ns3::OpticalCircuitSwitch::FailureTracedCallback");
    return tid;
}

OpticalCircuitSwitch::OpticalCircuitSwitch() = default;
OpticalCircuitSwitch::~OpticalCircuitSwitch() = default;

void
OpticalCircuitSwitch::DoDispose()
{
    m_ports.clear();
    m_fabric = nullptr;
    Object::DoDispose();
}

bool
OpticalCircuitSwitch::SetTechnology(const std::string& name)
{
    const auto technology = Variant<OcsTechnology>::Find(name);
    if (!technology)
    {
        return false;
    }
    SetRadix((*technology)->GetRadix());
    m_reconfigurationDelay = (*technology)->GetReconfigurationDelay();
    return true;
}

void
OpticalCircuitSwitch::SetRadix(uint32_t radix)
{
    NS_ABORT_MSG_IF(radix < m_portsUsed, "the OCS has more ports in use than a radix of " << radix);
    for (std::size_t port = radix; port < m_ports.size(); ++port)
    {
        NS_ABORT_MSG_IF(m_ports[port].exit != NONE || m_ports[port].entry != NONE,
                        "the OCS has a circuit at port " << port << ", outside a radix of "
                                                         << radix);
    }
    m_radix = radix;
    m_ports.resize(radix);
}

void
OpticalCircuitSwitch::SetFabric(Ptr<CircuitFabric> fabric)
{
    NS_ABORT_MSG_UNLESS(GetCircuits().empty(), "a switch with circuits keeps its fabric");
    m_fabric = fabric;
    if (m_fabric)
    {
        m_fabric->Clear();
    }
}

Ptr<CircuitFabric>
OpticalCircuitSwitch::GetFabric() const
{
    return m_fabric;
}

Time
OpticalCircuitSwitch::GetInsertionDelay(uint32_t port) const
{
    const bool isJoined = port < m_ports.size() && m_ports[port].exit != NONE;
    return isJoined ? m_insertionDelay + m_ports[port].pathDelay : Time();
}

double
OpticalCircuitSwitch::GetInsertionLoss(uint32_t port) const
{
    const bool isJoined = port < m_ports.size() && m_ports[port].exit != NONE;
    return m_fabric && isJoined ? m_fabric->GetLoss(Circuit{port, m_ports[port].exit}) : 0;
}

uint32_t
OpticalCircuitSwitch::GetRadix() const
{
    return m_radix;
}

OpticalCircuitSwitch::Mode
OpticalCircuitSwitch::GetMode() const
{
    return m_mode;
}

Time
OpticalCircuitSwitch::GetReconfigurationDelay() const
{
    return m_reconfigurationDelay;
}

Time
OpticalCircuitSwitch::GetSwitchingTime() const
{
    return m_reconfigurationDelay + m_transceiverLockTime;
}

uint64_t
OpticalCircuitSwitch::GetBitsLost() const
{
    return m_bitsLost;
}

uint64_t
OpticalCircuitSwitch::GetFramesLost() const
{
    return m_framesLost;
}

uint32_t
OpticalCircuitSwitch::AddPort(Ptr<OcsNetDevice> device)
{
    NS_ABORT_MSG_IF(m_portsUsed == m_radix, "the OCS has no port left: its radix is " << m_radix);
    const uint32_t port = m_portsUsed++;
    m_ports[port].device = device;
    device->SetSwitch(this, port);
    if (m_ports[port].state == UP)
    {
        device->SetLight(true);
    }
    return port;
}

Ptr<OcsNetDevice>
OpticalCircuitSwitch::GetPort(uint32_t port) const
{
    return port < m_ports.size() ? m_ports[port].device : nullptr;
}

OpticalCircuitSwitch::PortState
OpticalCircuitSwitch::GetPortState(uint32_t port) const
{
    return port < m_ports.size() ? m_ports[port].state : DARK;
}

CircuitSet
OpticalCircuitSwitch::GetCircuits() const
{
    CircuitSet circuits;
    for (uint32_t port = 0; port < m_ports.size(); ++port)
    {
        const uint32_t exit = m_ports[port].exit;
        if (exit != NONE && (m_transceivers == SIMPLEX || port < exit))
        {
            circuits.push_back(Circuit{port, exit});
        }
    }
    return circuits;
}

} // namespace ns3
