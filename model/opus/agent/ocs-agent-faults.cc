// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What an agent does when something of its switch is broken, and so that others notice it.
 */

#include "ocs-agent.h"

#include "ns3/management-port.h"
#include "ns3/node.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/protection-switch.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

// --- the switch as a whole ----------------------------------------------------------------------

void
OcsAgent::SendHeartbeats(const Address& monitor, Time interval, Time end)
{
    m_monitor = monitor;
    m_interval = interval;
    m_heartbeatsEnd = end;
}

void
OcsAgent::Heartbeat(uint32_t life)
{
    if (m_isDown || !m_network || life != m_starts || Simulator::Now() > m_heartbeatsEnd)
    {
        return;
    }
    OpusMessage message(OpusMessageType::HEARTBEAT);
    message.command = m_starts;
    m_network->Send(m_port, m_monitor, message);
    Simulator::Schedule(m_interval, &OcsAgent::Heartbeat, Ptr<OcsAgent>(this), life);
}

void
OcsAgent::Fail()
{
    m_isDown = true;
    ++m_life;
    m_server.Clear();
    m_arrivals.clear();
    m_waiting.clear();
    m_made.clear();
    m_broken.clear();
    m_takesOver = false;
    if (auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>())
    {
        ocs->Fail();
    }
}

void
OcsAgent::Repair()
{
    if (!m_isDown)
    {
        return;
    }
    m_isDown = false;
    ++m_starts;
    if (auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>())
    {
        ocs->Repair();
    }
    if (m_interval.IsStrictlyPositive())
    {
        Heartbeat(m_starts);
    }
}

void
OcsAgent::TakeOver(const OpusArrival& arrival)
{
    ++m_life; // whatever is under way was for circuits that are gone
    m_waiting.clear();
    m_made.clear();
    if (auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>())
    {
        ocs->Clear();
    }
    auto protection = GetNode()->GetObject<ProtectionSwitch>();
    if (!protection)
    {
        return; // the fibres have always ended here
    }
    m_takesOver = true;
    const Callback<void> done =
        MakeCallback(&OcsAgent::TakenOver, Ptr<OcsAgent>(this)).Bind(m_life);
    if (!protection->Protect(arrival.message.ocs, done))
    {
        m_takesOver = false;
        ++m_malformed;
    }
}

void
OcsAgent::TakenOver(uint32_t life)
{
    if (life != m_life || !m_network)
    {
        return;
    }
    m_takesOver = false;
    std::deque<std::pair<OpusArrival, Time>> waiting;
    waiting.swap(m_waiting);
    for (const auto& [arrival, begin] : waiting)
    {
        Begin(arrival, begin);
    }
}

// --- ports --------------------------------------------------------------------------------------

bool
OcsAgent::IsDark(const CircuitSet& circuits) const
{
    auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>();
    return std::any_of(circuits.begin(), circuits.end(), [&ocs](const Circuit& circuit) {
        return ocs->GetPortState(circuit.a) != OpticalCircuitSwitch::UP;
    });
}

void
OcsAgent::LookForLight(Address to, uint64_t command, Time begin, uint32_t life)
{
    if (life != m_life || !m_network)
    {
        return;
    }
    const CircuitSet made = m_made[command];
    if (!IsDark(made))
    {
        Report(to, command, begin);
        return;
    }
    // First what is dark, so that it is planned again before the rest of the command is used.
    m_made.erase(command);
    for (const Circuit& circuit : made)
    {
        ReportPort(circuit.a, life);
        ReportPort(circuit.b, life);
    }
    Report(to, command, begin);
}

void
OcsAgent::PortStuck(Ptr<const OpticalCircuitSwitch> ocs, uint32_t port, bool stuck)
{
    if (stuck)
    {
        const CircuitSet circuits = ocs->GetCircuits();
        const auto isHere = [port](const Circuit& one) { return one.a == port || one.b == port; };
        if (std::any_of(circuits.begin(), circuits.end(), isHere) &&
            ocs->GetPortState(port) == OpticalCircuitSwitch::DARK)
        {
            Simulator::Schedule(m_lightTimeout,
                                &OcsAgent::ReportPort,
                                Ptr<OcsAgent>(this),
                                port,
                                m_life);
        }
    }
    else if (m_broken.erase(port) > 0 && m_network && !m_isDown)
    {
        TellPort(port, true);
    }
}

void
OcsAgent::ReportPort(uint32_t port, uint32_t life)
{
    auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>();
    if (life != m_life || !m_network || !ocs->IsPortStuck(port) || !m_broken.insert(port).second)
    {
        return;
    }
    TellPort(port, false);
}

void
OcsAgent::TellPort(uint32_t port, bool mended)
{
    OpusMessage message(OpusMessageType::FAULT);
    message.fault = FaultKind::OCS_PORT;
    message.port = port;
    message.mended = mended;
    m_network->Send(m_port, m_controller, message);
}

} // namespace ns3
