// SPDX-License-Identifier: GPL-2.0-only

#include "light-meter.h"

#include "ns3/simulator.h"

namespace ns3
{

void
LightMeter::Observe(Ptr<OpticalCircuitSwitch> ocs, uint32_t ports)
{
    m_ports += ports;
    ocs->TraceConnectWithoutContext("CircuitUp", MakeCallback(&LightMeter::CircuitUp, this));
    ocs->TraceConnectWithoutContext("CircuitDown", MakeCallback(&LightMeter::CircuitDown, this));
}

void
LightMeter::CircuitUp(Ptr<const OpticalCircuitSwitch>, Circuit)
{
    Count(2);
}

void
LightMeter::CircuitDown(Ptr<const OpticalCircuitSwitch>, Circuit)
{
    Count(-2);
}

void
LightMeter::Count(int64_t ports)
{
    const Time now = Simulator::Now();
    if (m_changes.empty() || m_changes.back().at < now)
    {
        m_changes.push_back({now, 0});
    }
    m_changes.back().ports += ports;
}

LightMeter::Sum
LightMeter::GetSum(Time until) const
{
    Sum sum;
    int64_t lit = 0;
    Time since;
    for (const Change& change : m_changes)
    {
        if (change.at >= until)
        {
            break;
        }
        sum.light += (change.at - since).GetSeconds() * static_cast<double>(lit);
        since = change.at;
        lit += change.ports;
    }
    sum.light += (until - since).GetSeconds() * static_cast<double>(lit);
    sum.all = until.GetSeconds() * static_cast<double>(m_ports);
    return sum;
}

} // namespace ns3
