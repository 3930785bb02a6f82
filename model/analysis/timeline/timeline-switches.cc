// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-switches.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Computations of a job are shorter.
constexpr int64_t LONGEST_SILENCE_SECONDS = 1000;

/// @return the name of the other end of a cable
std::string
GetCableName(const TimelineSwitches::Cable& cable)
{
    return (cable.isSpare ? "spare GPU " : "rank ") + std::to_string(cable.gpu);
}

/// @return circuits as people write them: 0-3 4-7
std::string
CircuitsToText(const CircuitSet& circuits)
{
    std::string text;
    for (const auto& circuit : circuits)
    {
        text +=
            (text.empty() ? "" : " ") + std::to_string(circuit.a) + "-" + std::to_string(circuit.b);
    }
    return text;
}

} // namespace

void
TimelineCounters::Observe(uint32_t process,
                          const std::string& name,
                          Ptr<EthernetPortNetDevice> port)
{
    m_ports.push_back({process, name, port, 0});
}

void
TimelineCounters::Start(std::function<bool()> isRunning, std::function<uint64_t()> countOthers)
{
    const TimelineScope& scope = m_sheet.GetScope();
    if (scope.bin.IsZero() || m_ports.empty())
    {
        return;
    }
    m_isRunning = std::move(isRunning);
    m_countOthers = std::move(countOthers);
    Simulator::Schedule(scope.from, &TimelineCounters::Look, this);
}

void
TimelineCounters::Look()
{
    ++m_events;
    const Time now = Simulator::Now();
    const TimelineScope& scope = m_sheet.GetScope();
    const uint64_t others = Simulator::GetEventCount() - m_events - m_countOthers();
    if (others != m_others)
    {
        m_others = others;
        m_heardOf = now;
    }
    if (m_isMeasuring)
    {
        Measure();
    }
    else
    {
        for (auto& port : m_ports)
        {
            port.bytes = port.device->GetBytesSent();
        }
    }
    const bool goesOn = m_isRunning() && !Simulator::IsFinished() && now < scope.to &&
                        now - m_heardOf < Seconds(LONGEST_SILENCE_SECONDS);
    if (!goesOn)
    {
        Stop();
        return;
    }
    m_isMeasuring = true;
    m_begin = now;
    Simulator::Schedule(scope.bin, &TimelineCounters::Look, this);
}

void
TimelineCounters::Measure()
{
    const double seconds = (Simulator::Now() - m_begin).ToDouble(Time::S);
    for (auto& port : m_ports)
    {
        const uint64_t bytes = port.device->GetBytesSent();
        const double room =
            seconds * static_cast<double>(port.device->GetDataRate().GetBitRate()) / 8;
        const double sent = static_cast<double>(bytes - port.bytes) + port.excess;
        port.bytes = bytes;
        port.excess = std::max(0.0, sent - room);
        Write(port, m_begin, std::min(1.0, sent / room));
    }
}

void
TimelineCounters::Write(Port& port, const Time& at, double value)
{
    const bool isNew = value != port.written;
    port.written = value;
    if (isNew && m_sheet.AdmitValue(at))
    {
        m_sheet.Counter(port.process, port.name, "utilisation", at, value);
    }
}

void
TimelineCounters::Stop()
{
    m_isMeasuring = false;
    for (auto& port : m_ports)
    {
        Write(port, Simulator::Now(), 0);
    }
}

void
TimelineCounters::Finish()
{
    if (m_isMeasuring && Simulator::Now() > m_begin)
    {
        Measure();
        Stop();
    }
    m_ports.clear();
}

void
TimelineSwitches::Observe(Ptr<OpticalCircuitSwitch> ocs,
                          const std::string& name,
                          const Ports& ports)
{
    m_order.push_back(ocs);
    Switch& place = m_switches[ocs];
    place.process = m_sheet.AddProcess(name);
    place.cables = ports.cables;
    for (const uint32_t port : ports.written)
    {
        std::string label = "port " + std::to_string(port);
        if (const auto cable = place.cables.find(port); cable != place.cables.end())
        {
            label += ": " + GetCableName(cable->second) + " port " +
                     std::to_string(cable->second.nicPort);
        }
        place.ports[port].thread = m_sheet.AddThread(place.process, label);
    }
    ocs->TraceConnectWithoutContext("CircuitUp", MakeCallback(&TimelineSwitches::CircuitUp, this));
    ocs->TraceConnectWithoutContext("CircuitDown",
                                    MakeCallback(&TimelineSwitches::CircuitDown, this));
    ocs->TraceConnectWithoutContext("ReconfigurationStart",
                                    MakeCallback(&TimelineSwitches::Started, this));
    ocs->TraceConnectWithoutContext("ReconfigurationEnd",
                                    MakeCallback(&TimelineSwitches::Ended, this));
    ocs->TraceConnectWithoutContext("Failure", MakeCallback(&TimelineSwitches::Failed, this));
}

// --- trace sinks --------------------------------------------------------------------------------

void
TimelineSwitches::CircuitUp(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit)
{
    Switch& place = m_switches.at(ocs);
    Change(place, circuit.a, ocs->GetPortState(circuit.a), circuit.b);
    Change(place, circuit.b, ocs->GetPortState(circuit.b), circuit.a);
}

void
TimelineSwitches::CircuitDown(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit)
{
    Switch& place = m_switches.at(ocs);
    for (const uint32_t port : {circuit.a, circuit.b})
    {
        const auto found = place.ports.find(port);
        // The command that drops the circuit may already have changed the state of the port.
        if (found != place.ports.end() && found->second.state == OpticalCircuitSwitch::UP)
        {
            Change(place, port, ocs->GetPortState(port));
        }
    }
}

void
TimelineSwitches::Started(Ptr<const OpticalCircuitSwitch> ocs,
                          const CircuitSet& dropped,
                          const CircuitSet& made)
{
    // It is told before anything changes.
    Switch& place = m_switches.at(ocs);
    place.commands.push_back({Simulator::Now(), dropped, made});
    for (const auto& circuit : made)
    {
        Change(place, circuit.a, OpticalCircuitSwitch::SWITCHING);
        Change(place, circuit.b, OpticalCircuitSwitch::SWITCHING);
    }
}

void
TimelineSwitches::Ended(Ptr<const OpticalCircuitSwitch> ocs,
                        const CircuitSet& dropped,
                        const CircuitSet& made)
{
    Switch& place = m_switches.at(ocs);
    const auto command =
        std::find_if(place.commands.begin(), place.commands.end(), [&](const Command& one) {
            return one.dropped == dropped && one.made == made;
        });
    if (command != place.commands.end())
    {
        WriteCommand(place, *command, Simulator::Now(), false);
        place.commands.erase(command);
    }
    for (const auto& circuit : made)
    {
        for (const uint32_t port : {circuit.a, circuit.b})
        {
            if (ocs->GetPortState(port) != OpticalCircuitSwitch::UP)
            {
                Change(place, port, ocs->GetPortState(port)); // stuck
            }
        }
    }
}

void
TimelineSwitches::Failed(Ptr<const OpticalCircuitSwitch> ocs, bool)
{
    Switch& place = m_switches.at(ocs);
    for (const auto& command : place.commands)
    {
        WriteCommand(place, command, Simulator::Now(), true);
    }
    place.commands.clear();
    for (const auto& [port, state] : place.ports)
    {
        if (ocs->GetPortState(port) != OpticalCircuitSwitch::UP)
        {
            Change(place, port, ocs->GetPortState(port));
        }
    }
}

void
TimelineSwitches::Finish()
{
    const Time end = m_sheet.GetEnd();
    for (const auto& ocs : m_order)
    {
        const Switch& place = m_switches.at(ocs);
        for (const auto& command : place.commands)
        {
            WriteCommand(place, command, end, true);
        }
        for (const auto& [number, port] : place.ports)
        {
            WriteState(place, port, end);
        }
    }
    m_switches.clear();
    m_order.clear();
}

// --- output -------------------------------------------------------------------------------------

void
TimelineSwitches::Change(Switch& place,
                         uint32_t port,
                         OpticalCircuitSwitch::PortState state,
                         uint32_t peer)
{
    const auto found = place.ports.find(port);
    if (found == place.ports.end() || (found->second.state == state && found->second.peer == peer))
    {
        return;
    }
    WriteState(place, found->second, Simulator::Now());
    found->second.state = state;
    found->second.peer = peer;
    found->second.since = Simulator::Now();
}

void
TimelineSwitches::WriteState(const Switch& place, const Port& port, const Time& end)
{
    if (port.since == end || !m_sheet.Admit(1, port.since, end))
    {
        return;
    }
    TraceArguments arguments;
    std::string name = "dark";
    if (port.state == OpticalCircuitSwitch::SWITCHING)
    {
        name = "switching";
    }
    else if (port.state == OpticalCircuitSwitch::UP)
    {
        arguments.Add("peer_port", uint64_t{port.peer});
        name = "up to port " + std::to_string(port.peer);
        if (const auto cable = place.cables.find(port.peer); cable != place.cables.end())
        {
            name = "up to " + GetCableName(cable->second);
            arguments
                .Add(cable->second.isSpare ? "peer_spare" : "peer_rank",
                     uint64_t{cable->second.gpu})
                .Add("peer_nic_port", uint64_t{cable->second.nicPort});
        }
    }
    m_sheet.Slice(port.thread, name, "circuit", port.since, end, arguments);
}

void
TimelineSwitches::WriteCommand(const Switch& place,
                               const Command& command,
                               const Time& end,
                               bool isCut)
{
    if (!m_sheet.Admit(2, command.begin, end))
    {
        return;
    }
    TraceArguments arguments;
    arguments.Add("drop", CircuitsToText(command.dropped))
        .Add("make", CircuitsToText(command.made));
    arguments.AddFlag("unfinished", isCut);
    m_sheet.AsyncSlice(place.process,
                       "reconfiguration",
                       "reconfiguration",
                       command.begin,
                       end,
                       arguments);
}

} // namespace ns3
