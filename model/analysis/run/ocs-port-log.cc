// SPDX-License-Identifier: GPL-2.0-only

#include "ocs-port-log.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

void
OcsPortLog::Observe(Ptr<OpticalCircuitSwitch> ocs)
{
    ocs->TraceConnectWithoutContext("CircuitUp", MakeCallback(&OcsPortLog::CircuitUp, this));
    ocs->TraceConnectWithoutContext("CircuitDown", MakeCallback(&OcsPortLog::CircuitDown, this));
    ocs->TraceConnectWithoutContext("ReconfigurationStart",
                                    MakeCallback(&OcsPortLog::Started, this));
    ocs->TraceConnectWithoutContext("ReconfigurationEnd", MakeCallback(&OcsPortLog::Ended, this));
    ocs->TraceConnectWithoutContext("Failure", MakeCallback(&OcsPortLog::Failed, this));
}

void
OcsPortLog::CircuitUp(Ptr<const OpticalCircuitSwitch>, Circuit circuit)
{
    Enter(circuit.a, OpticalCircuitSwitch::UP, circuit.b);
    Enter(circuit.b, OpticalCircuitSwitch::UP, circuit.a);
}

void
OcsPortLog::CircuitDown(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit)
{
    for (const uint32_t port : {circuit.a, circuit.b})
    {
        // Started may already have recorded that the port switches.
        if (const auto& changes = m_changes[port];
            !changes.empty() && changes.back().state == OpticalCircuitSwitch::UP)
        {
            Enter(port, ocs->GetPortState(port));
        }
    }
}

void
OcsPortLog::Started(Ptr<const OpticalCircuitSwitch>, const CircuitSet&, const CircuitSet& made)
{
    // The trace fires before the circuits change.
    for (const auto& circuit : made)
    {
        Enter(circuit.a, OpticalCircuitSwitch::SWITCHING);
        Enter(circuit.b, OpticalCircuitSwitch::SWITCHING);
    }
}

void
OcsPortLog::Ended(Ptr<const OpticalCircuitSwitch> ocs, const CircuitSet&, const CircuitSet& made)
{
    for (const auto& circuit : made)
    {
        Update(ocs, circuit.a); // the port may be stuck
        Update(ocs, circuit.b);
    }
}

void
OcsPortLog::Failed(Ptr<const OpticalCircuitSwitch> ocs, bool)
{
    for (const auto& entry : m_changes)
    {
        Update(ocs, entry.first);
    }
}

void
OcsPortLog::Update(Ptr<const OpticalCircuitSwitch> ocs, uint32_t port)
{
    if (const auto state = ocs->GetPortState(port); state != OpticalCircuitSwitch::UP)
    {
        Enter(port, state);
    }
}

void
OcsPortLog::Enter(uint32_t port, OpticalCircuitSwitch::PortState state, uint32_t peer)
{
    auto& changes = m_changes[port];
    const Time now = Simulator::Now();
    if (!changes.empty() && changes.back().at == now)
    {
        changes.pop_back(); // a state of no duration
    }
    const bool isNew = changes.empty()
                           ? state != OpticalCircuitSwitch::DARK
                           : changes.back().state != state || changes.back().peer != peer;
    if (isNew)
    {
        changes.push_back({now, state, peer});
    }
}

std::vector<OcsPortLog::Span>
OcsPortLog::GetSpans(uint32_t port, Time from, Time to) const
{
    std::vector<Span> spans{{OpticalCircuitSwitch::DARK, 0, from, to}};
    const auto found = m_changes.find(port);
    if (found != m_changes.end())
    {
        for (const auto& change : found->second)
        {
            if (change.at >= to)
            {
                break;
            }
            if (change.at <= from)
            {
                spans.back() = {change.state, change.peer, from, to};
                continue;
            }
            spans.back().end = change.at;
            spans.push_back({change.state, change.peer, change.at, to});
        }
    }
    return spans;
}

namespace
{

double
ToPicoseconds(const Time& time)
{
    return static_cast<double>(time.GetPicoSeconds());
}

} // namespace

void
LightLog::Count(Time at, int64_t more)
{
    if (changes.empty() || changes.back().at < at)
    {
        changes.push_back({at, 0});
    }
    changes.back().ports += more;
}

void
LightLog::Level::Add(const Change& change, Time from)
{
    const Time counted = std::max(change.at, from) - std::max(since, from);
    light += ToPicoseconds(counted) * static_cast<double>(lit);
    since = change.at;
    lit += change.ports;
}

void
LightLog::Settle(Time from, Time before)
{
    std::size_t settled = 0;
    while (settled + 1 < changes.size() && changes[settled].at < before)
    {
        m_settled.Add(changes[settled++], from);
    }
    changes.erase(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(settled));
}

LightLog::Sum
LightLog::GetSum(Time from, Time until) const
{
    Level level = m_settled;
    for (auto change = changes.begin(); change != changes.end() && change->at < until; ++change)
    {
        level.Add(*change, from);
    }
    level.Add({until, 0}, from);
    return {level.light, ToPicoseconds(until - from) * static_cast<double>(ports)};
}

void
LightMeter::Observe(Ptr<OpticalCircuitSwitch> ocs)
{
    constexpr int64_t ports = 2; // of a circuit
    auto count = MakeCallback(&LightMeter::Count, this);
    ocs->TraceConnectWithoutContext("CircuitUp", count.Bind(ports));
    ocs->TraceConnectWithoutContext("CircuitDown", count.Bind(-ports));
}

void
LightMeter::Count(int64_t ports, Ptr<const OpticalCircuitSwitch>, Circuit)
{
    log.Count(Simulator::Now(), ports);
}

} // namespace ns3
