// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What an OpticalCircuitSwitch does with light and commands. How it is set up and what can be asked
 * of it is in optical-circuit-switch-setup.cc, how it breaks in optical-circuit-switch-faults.cc.
 */

#include "optical-circuit-switch.h"

#include "fibre-channel.h"
#include "ocs-net-device.h"

#include "ns3/simulator.h"

#include <set>
#include <utility>

namespace ns3
{

// --- light --------------------------------------------------------------------------------------

void
OpticalCircuitSwitch::FollowLight(uint32_t port, LightPath& path)
{
    const Port& in = m_ports[port];
    OcsNetDevice* out =
        in.state == UP ? PeekPointer(m_ports[in.exit].device) : static_cast<OcsNetDevice*>(nullptr);
    FibreNetDevice* beyond = out && out->GetFibre() ? out->GetFibre()->GetFarEnd(out)
                                                    : static_cast<FibreNetDevice*>(nullptr);
    if (!beyond)
    {
        path.darkAt = this;
        path.darkPort = port;
        return;
    }
    path.epoch = in.epoch;
    path.delay += m_insertionDelay + in.pathDelay + out->GetFibre()->GetDelay();
    beyond->FollowLight(path);
}

void
OpticalCircuitSwitch::CountLoss(uint32_t port, uint64_t bits, LossReason reason)
{
    m_bitsLost += bits;
    ++m_framesLost;
    m_bitsLostTrace(this, port, bits, reason);
}

void
OpticalCircuitSwitch::LightEntry(uint32_t port)
{
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

bool
OpticalCircuitSwitch::Exists(const Circuit& circuit) const
{
    return m_ports[circuit.a].exit == circuit.b;
}

std::string
OpticalCircuitSwitch::CheckPort(uint32_t port) const
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
    return "";
}

std::string
OpticalCircuitSwitch::Check(const CircuitSet& drop, const CircuitSet& make) const
{
    if (m_failed)
    {
        return "the switch has failed";
    }
    std::set<uint32_t> freedEntries;
    std::set<uint32_t> freedExits;
    for (const auto& circuit : drop)
    {
        for (uint32_t port : {circuit.a, circuit.b})
        {
            if (auto error = CheckPort(port); !error.empty())
            {
                return error;
            }
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
        if (!entries.insert(entry).second)
        {
            return "port " + std::to_string(entry) + " is in two circuits to be made";
        }
        if (!exits.insert(exit).second)
        {
            return "port " + std::to_string(exit) + " is in two circuits to be made";
        }
        return "";
    };
    for (const auto& circuit : make)
    {
        for (uint32_t port : {circuit.a, circuit.b})
        {
            if (auto error = CheckPort(port); !error.empty())
            {
                return error;
            }
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
OpticalCircuitSwitch::ChangeFabric(const CircuitSet& drop, const CircuitSet& make)
{
    if (m_transceivers == SIMPLEX)
    {
        return "a fabric joins ports both ways, which needs Transceivers=Bidirectional";
    }
    return m_fabric->Change(drop, make);
}

std::string
OpticalCircuitSwitch::Reconfigure(const CircuitSet& drop,
                                  const CircuitSet& make,
                                  Callback<void> done)
{
    if (auto error = Check(drop, make); !error.empty())
    {
        return error;
    }
    auto command = std::make_shared<Command>(
        Command{Normalize(drop), Normalize(make), {}, done, m_generation});
    if (m_mode == WHOLE_SWITCH)
    {
        for (const auto& port : m_ports)
        {
            if (port.state == SWITCHING)
            {
                return "the switch is switching as a whole";
            }
        }
    }
    if (m_fabric)
    {
        if (auto error = ChangeFabric(command->drop, command->make); !error.empty())
        {
            return error;
        }
    }
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
    if (m_ports.empty() || command->generation != m_generation)
    {
        return; // disposed of, or cleared, while the command was under way
    }
    for (const auto* circuits : {&command->relight, &command->make})
    {
        for (const auto& circuit : *circuits)
        {
            if (Exists(circuit)) // its fibres have not been led elsewhere
            {
                Light(circuit);
            }
        }
    }
    m_reconfigurationEndTrace(this, command->drop, command->make);
    if (!command->done.IsNull())
    {
        command->done();
    }
}

} // namespace ns3
