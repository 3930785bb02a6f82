// SPDX-License-Identifier: GPL-2.0-only

#include "optical-circuit-switch.h"

#include "ocs-technology.h"

#include "ns3/abort.h"
#include "ns3/enum.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/optical-fiber-link.h"
#include "ns3/photonic-rails-compat.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpticalCircuitSwitch");
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
                          "Time for which a command keeps its ports dark.",
                          TimeValue(MilliSeconds(25)),
                          MakeTimeAccessor(&OpticalCircuitSwitch::m_reconfigurationDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TransceiverLockTime",
                          "Time from the arrival of light to a usable link at the transceivers.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpticalCircuitSwitch::m_transceiverLockTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("InsertionDelay",
                          "Propagation delay from port to port.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpticalCircuitSwitch::m_insertionDelay),
                          MakeTimeChecker(Time(0), MilliSeconds(1)))
            .AddAttribute("Mode",
                          "The ports that a command darkens: its own, or all.",
                          EnumValue(OpticalCircuitSwitch::PER_PORT),
                          MakeEnumAccessorCompat<Mode>(&OpticalCircuitSwitch::m_mode),
                          MakeEnumChecker(OpticalCircuitSwitch::PER_PORT,
                                          "PerPort",
                                          OpticalCircuitSwitch::WHOLE_SWITCH,
                                          "WholeSwitch"))
            .AddAttribute(
                "Transceivers",
                "Whether a circuit carries light in both directions or from entry to exit.",
                EnumValue(OpticalCircuitSwitch::BIDIRECTIONAL),
                MakeEnumAccessorCompat<Transceivers>(&OpticalCircuitSwitch::SetTransceivers,
                                                     &OpticalCircuitSwitch::GetTransceivers),
                MakeEnumChecker(OpticalCircuitSwitch::BIDIRECTIONAL,
                                "Bidirectional",
                                OpticalCircuitSwitch::SIMPLEX,
                                "Simplex"))
            .AddAttribute("Fabric",
                          "The fabric between the ports, used by this switch only; null if every "
                          "matching is possible.",
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
                "A command has been accepted, and its ports go dark.",
                MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_reconfigurationStartTrace),
                "ns3::OpticalCircuitSwitch::ReconfigurationTracedCallback")
            .AddTraceSource(
                "ReconfigurationEnd",
                "All circuits of a command carry light.",
                MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_reconfigurationEndTrace),
                "ns3::OpticalCircuitSwitch::ReconfigurationTracedCallback")
            .AddTraceSource("BitsLost",
                            "Bits of a frame are lost, with the reason.",
                            MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_bitsLostTrace),
                            "ns3::OpticalCircuitSwitch::BitsLostTracedCallback")
            .AddTraceSource("PortStuck",
                            "A port sticks and stays dark, or has been repaired.",
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
    NS_LOG_FUNCTION(this);
    m_ports.clear();
    m_radix = 0; // commands are refused from now on
    m_portsUsed = 0;
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
OpticalCircuitSwitch::SetTransceivers(Transceivers transceivers)
{
    NS_ABORT_MSG_UNLESS(transceivers == m_transceivers || GetCircuits().empty(),
                        "a switch with circuits keeps its transceivers");
    m_transceivers = transceivers;
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
OpticalCircuitSwitch::AddPort(Ptr<OcsNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
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

// --- light --------------------------------------------------------------------------------------

void
OpticalCircuitSwitch::FollowLight(uint32_t port, LightPath& path)
{
    const Port& in = m_ports[port];
    OcsNetDevice* out =
        in.state == UP ? PeekPointer(m_ports[in.exit].device) : static_cast<OcsNetDevice*>(nullptr);
    FiberNetDevice* beyond = out && out->GetFiber() ? out->GetFiber()->GetFarEnd(out)
                                                    : static_cast<FiberNetDevice*>(nullptr);
    if (!beyond)
    {
        path.darkAt = this;
        path.darkPort = port;
        return;
    }
    path.epoch = in.epoch;
    path.delay += m_insertionDelay + in.pathDelay + out->GetFiber()->GetDelay();
    beyond->FollowLight(path);
}

void
OpticalCircuitSwitch::CountLoss(uint32_t port, uint64_t bits, LossReason reason)
{
    NS_LOG_FUNCTION(this << port << bits);
    m_bitsLost += bits;
    ++m_framesLost;
    m_bitsLostTrace(this, port, bits, reason);
}

void
OpticalCircuitSwitch::LightEntry(uint32_t port)
{
    NS_LOG_FUNCTION(this << port);
    Port& entry = m_ports[port];
    entry.state = UP;
    entry.epoch = Create<LightEpoch>(this, port);
    if (entry.device)
    {
        entry.device->SetLight(true);
    }
}

void
OpticalCircuitSwitch::DarkenEntry(uint32_t port, PortState state)
{
    NS_LOG_FUNCTION(this << port);
    Port& entry = m_ports[port];
    const bool wasUp = entry.state == UP;
    entry.state = state;
    if (wasUp)
    {
        entry.epoch->Extinguish(Simulator::Now());
        entry.epoch = nullptr;
        if (entry.device)
        {
            entry.device->SetLight(false);
        }
    }
}

void
OpticalCircuitSwitch::Light(const Circuit& circuit)
{
    if (m_ports[circuit.a].stuck || m_ports[circuit.b].stuck)
    {
        NS_LOG_INFO(Describe(circuit) << " stays dark: a port is stuck");
        Darken(circuit, DARK);
        return;
    }
    LightEntry(circuit.a);
    if (m_transceivers == BIDIRECTIONAL)
    {
        LightEntry(circuit.b);
    }
    m_circuitUpTrace(this, circuit);
}

void
OpticalCircuitSwitch::Darken(const Circuit& circuit, PortState state)
{
    const bool wasUp = m_ports[circuit.a].state == UP;
    DarkenEntry(circuit.a, state);
    if (m_transceivers == BIDIRECTIONAL)
    {
        DarkenEntry(circuit.b, state);
    }
    if (wasUp)
    {
        m_circuitDownTrace(this, circuit);
    }
}

void
OpticalCircuitSwitch::Join(const Circuit& circuit)
{
    m_ports[circuit.a].exit = circuit.b;
    m_ports[circuit.b].entry = circuit.a;
    if (m_transceivers == BIDIRECTIONAL)
    {
        m_ports[circuit.b].exit = circuit.a;
        m_ports[circuit.a].entry = circuit.b;
    }
    if (m_fabric)
    {
        const Time delay = m_fabric->GetDelay(circuit);
        m_ports[circuit.a].pathDelay = delay;
        m_ports[circuit.b].pathDelay = delay;
        m_lightPathTrace(this, circuit, delay, m_fabric->GetLoss(circuit));
    }
}

void
OpticalCircuitSwitch::Part(const Circuit& circuit)
{
    m_ports[circuit.a].exit = NONE;
    m_ports[circuit.b].entry = NONE;
    if (m_transceivers == BIDIRECTIONAL)
    {
        m_ports[circuit.b].exit = NONE;
        m_ports[circuit.a].entry = NONE;
    }
}

// --- commands -----------------------------------------------------------------------------------

std::string
OpticalCircuitSwitch::CheckPorts(const Circuit& circuit) const
{
    for (const uint32_t port : {circuit.a, circuit.b})
    {
        if (port >= m_radix)
        {
            return "port " + std::to_string(port) + " is out of range: the radix is " +
                   std::to_string(m_radix);
        }
        if (m_ports[port].state == SWITCHING)
        {
            return "port " + std::to_string(port) + " is switching";
        }
    }
    return "";
}

std::string
OpticalCircuitSwitch::Check(const CircuitSet& drop, const CircuitSet& make) const
{
    if (m_ports.empty())
    {
        return "the switch has no ports, or has been disposed of";
    }
    if (m_failed)
    {
        return "the switch has failed";
    }
    std::set<uint32_t> freedEntries;
    std::set<uint32_t> freedExits;
    for (const auto& circuit : drop)
    {
        if (auto error = CheckPorts(circuit); !error.empty())
        {
            return error;
        }
        if (!Exists(circuit))
        {
            return Describe(circuit) + " does not exist";
        }
        if (freedEntries.count(circuit.a))
        {
            return Describe(circuit) + " is to be dropped twice";
        }
        freedEntries.insert(circuit.a);
        freedExits.insert(circuit.b);
        if (m_transceivers == BIDIRECTIONAL)
        {
            freedEntries.insert(circuit.b);
            freedExits.insert(circuit.a);
        }
    }
    std::set<uint32_t> entries;
    std::set<uint32_t> exits;
    const auto take = [&](uint32_t entry, uint32_t exit) -> std::string {
        if (m_ports[entry].exit != NONE && !freedEntries.count(entry))
        {
            return "port " + std::to_string(entry) + " is in use";
        }
        if (m_ports[exit].entry != NONE && !freedExits.count(exit))
        {
            return "port " + std::to_string(exit) + " is in use";
        }
        const bool isNewEntry = entries.insert(entry).second;
        if (isNewEntry && exits.insert(exit).second)
        {
            return "";
        }
        return "port " + std::to_string(isNewEntry ? exit : entry) +
               " is in two circuits to be made";
    };
    for (const auto& circuit : make)
    {
        if (auto error = CheckPorts(circuit); !error.empty())
        {
            return error;
        }
        if (circuit.a == circuit.b)
        {
            return Describe(circuit) + " joins a port to itself";
        }
        std::string error = take(circuit.a, circuit.b);
        if (error.empty() && m_transceivers == BIDIRECTIONAL)
        {
            error = take(circuit.b, circuit.a);
        }
        if (!error.empty())
        {
            return error;
        }
    }
    return "";
}

CircuitSet
OpticalCircuitSwitch::Normalize(CircuitSet circuits) const
{
    for (auto& circuit : circuits)
    {
        if (m_transceivers == BIDIRECTIONAL && circuit.b < circuit.a)
        {
            std::swap(circuit.a, circuit.b);
        }
    }
    return circuits;
}

std::string
OpticalCircuitSwitch::Reconfigure(const CircuitSet& drop,
                                  const CircuitSet& make,
                                  Callback<void> done)
{
    NS_LOG_FUNCTION(this << drop.size() << make.size());
    if (auto error = Check(drop, make); !error.empty())
    {
        return error;
    }
    auto command = std::make_shared<Command>(
        Command{Normalize(drop), Normalize(make), {}, done, m_generation});
    if (m_mode == WHOLE_SWITCH)
    {
        if (std::any_of(m_ports.begin(), m_ports.end(), [](const Port& port) {
                return port.state == SWITCHING;
            }))
        {
            return "the switch is switching as a whole";
        }
    }
    if (m_fabric)
    {
        if (m_transceivers == SIMPLEX)
        {
            return "a fabric joins ports both ways, which needs Transceivers=Bidirectional";
        }
        if (auto error = m_fabric->Change(command->drop, command->make); !error.empty())
        {
            return error;
        }
    }
    NS_LOG_INFO("the switch drops " << drop.size() << " circuits and makes " << make.size());
    m_reconfigurationStartTrace(this, command->drop, command->make);
    for (const auto& circuit : command->drop)
    {
        Darken(circuit, DARK);
        Part(circuit);
    }
    if (m_mode == WHOLE_SWITCH)
    {
        command->relight = GetCircuits();
        for (const auto& circuit : command->relight)
        {
            Darken(circuit, SWITCHING);
        }
    }
    for (const auto& circuit : command->make)
    {
        Join(circuit);
        Darken(circuit, SWITCHING);
    }
    const bool waits = !command->make.empty() || !command->relight.empty();
    Simulator::Schedule(waits ? GetSwitchingTime() : Time(0),
                        &OpticalCircuitSwitch::Finish,
                        Ptr<OpticalCircuitSwitch>(this),
                        command);
    return "";
}

void
OpticalCircuitSwitch::Finish(const std::shared_ptr<Command>& command)
{
    NS_LOG_FUNCTION(this);
    if (m_ports.empty() || command->generation != m_generation)
    {
        return; // disposed of or cleared during the command
    }
    for (const auto* circuits : {&command->relight, &command->make})
    {
        for (const auto& circuit : *circuits)
        {
            if (Exists(circuit)) // not dropped by Unplug
            {
                Light(circuit);
            }
        }
    }
    NS_LOG_INFO("the switch has made " << command->make.size() << " circuits");
    m_reconfigurationEndTrace(this, command->drop, command->make);
    if (!command->done.IsNull())
    {
        command->done();
    }
}

void
OpticalCircuitSwitch::Clear()
{
    NS_LOG_FUNCTION(this);
    ++m_generation;
    for (const auto& circuit : GetCircuits())
    {
        Darken(circuit, DARK);
        Part(circuit);
    }
    if (m_fabric)
    {
        m_fabric->Clear();
    }
}

void
OpticalCircuitSwitch::Fail()
{
    NS_LOG_FUNCTION(this);
    if (!m_failed)
    {
        m_failed = true;
        NS_LOG_INFO("the switch fails with " << GetCircuits().size() << " circuits");
        Clear();
        m_failureTrace(this, true);
    }
}

void
OpticalCircuitSwitch::Repair()
{
    NS_LOG_FUNCTION(this);
    if (m_failed)
    {
        m_failed = false;
        m_failureTrace(this, false);
    }
}

void
OpticalCircuitSwitch::SetPortStuck(uint32_t port, bool stuck)
{
    NS_LOG_FUNCTION(this << port << stuck);
    NS_ABORT_MSG_IF(port >= m_radix, "the OCS has no port " << port);
    if (m_ports[port].stuck == stuck)
    {
        return;
    }
    m_ports[port].stuck = stuck;
    for (const auto& circuit : GetCircuits())
    {
        if (circuit.a != port && circuit.b != port)
        {
            continue;
        }
        if (stuck && m_ports[circuit.a].state == UP)
        {
            Darken(circuit, DARK);
        }
        else if (!stuck && m_ports[circuit.a].state == DARK)
        {
            Light(circuit); // has no effect if the other port is stuck, too
        }
    }
    m_portStuckTrace(this, port, stuck);
}

void
OpticalCircuitSwitch::Unplug(uint32_t port)
{
    NS_LOG_FUNCTION(this << port);
    for (const auto& circuit : GetCircuits())
    {
        if (circuit.a == port || circuit.b == port)
        {
            Darken(circuit, DARK);
            Part(circuit);
            if (m_fabric)
            {
                m_fabric->Change({circuit}, {});
            }
        }
    }
}

NS_OBJECT_ENSURE_REGISTERED(OcsNetDevice);

TypeId
OcsNetDevice::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OcsNetDevice")
                            .SetParent<FiberNetDevice>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OcsNetDevice>();
    return tid;
}

void
OcsNetDevice::SetSwitch(OpticalCircuitSwitch* ocs, uint32_t port)
{
    m_switch = ocs;
    m_port = port;
}

void
OcsNetDevice::SetLight(bool lit)
{
    m_lit = lit;
    NotifyLinkChange();
    NotifyTransceiver();
}

void
OcsNetDevice::Unplug()
{
    if (m_switch)
    {
        m_switch->Unplug(m_port);
    }
}

void
OcsNetDevice::FollowLight(LightPath& path)
{
    if (m_switch) // a port that is not added to a switch yet is dark
    {
        m_switch->FollowLight(m_port, path);
    }
}

void
OcsNetDevice::FarEndChanged()
{
    NS_ABORT_MSG_IF(dynamic_cast<OcsNetDevice*>(GetFiber()->GetFarEnd(this)),
                    "a fiber joins a port of an OCS to a transceiver, not to another OCS");
    if (m_lit)
    {
        NotifyTransceiver();
    }
}

void
OcsNetDevice::NotifyTransceiver()
{
    auto* far =
        GetFiber() ? dynamic_cast<EthernetPortNetDevice*>(GetFiber()->GetFarEnd(this)) : nullptr;
    if (far)
    {
        // The event holds a reference, so that the device outlives it.
        Simulator::ScheduleWithContext(
            far->GetNode() ? far->GetNode()->GetId() : Simulator::NO_CONTEXT,
            GetFiber()->GetDelay(),
            m_lit ? &EthernetPortNetDevice::LightChanged : &EthernetPortNetDevice::LightEnded,
            Ptr<EthernetPortNetDevice>(far));
    }
}

void
OcsNetDevice::DoDispose()
{
    m_switch = nullptr;
    FiberNetDevice::DoDispose();
}

} // namespace ns3
