// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How an OpticalCircuitSwitch breaks, and what is then left of its circuits.
 */

#include "optical-circuit-switch.h"

#include "ns3/abort.h"

namespace ns3
{

void
OpticalCircuitSwitch::Clear()
{
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
    if (!m_failed)
    {
        m_failed = true;
        Clear();
        m_failureTrace(this, true);
    }
}

void
OpticalCircuitSwitch::Repair()
{
    if (m_failed)
    {
        m_failed = false;
        m_failureTrace(this, false);
    }
}

bool
OpticalCircuitSwitch::HasFailed() const
{
    return m_failed;
}

void
OpticalCircuitSwitch::SetPortStuck(uint32_t port, bool stuck)
{
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
            Light(circuit); // unless the other port is stuck too
        }
    }
    m_portStuckTrace(this, port, stuck);
}

bool
OpticalCircuitSwitch::IsPortStuck(uint32_t port) const
{
    return port < m_ports.size() && m_ports[port].stuck;
}

void
OpticalCircuitSwitch::Unplug(uint32_t port)
{
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

} // namespace ns3
