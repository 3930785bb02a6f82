// SPDX-License-Identifier: GPL-2.0-only

#include "light-log.h"

#include "ns3/simulator.h"

namespace ns3
{

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

LightLog::Sum
LightLog::GetSum(Time until) const
{
    Sum sum;
    int64_t lit = 0;
    Time since;
    for (const Change& change : changes)
    {
        if (change.at >= until)
        {
            break;
        }
        sum.light += ToPicoseconds(change.at - since) * static_cast<double>(lit);
        since = change.at;
        lit += change.ports;
    }
    sum.light += ToPicoseconds(until - since) * static_cast<double>(lit);
    sum.all = ToPicoseconds(until) * static_cast<double>(ports);
    return sum;
}

void
LightMeter::Observe(Ptr<OpticalCircuitSwitch> ocs)
{
    ocs->TraceConnectWithoutContext("CircuitUp", MakeCallback(&LightMeter::CircuitUp, this));
    ocs->TraceConnectWithoutContext("CircuitDown", MakeCallback(&LightMeter::CircuitDown, this));
}

void
LightMeter::CountPorts(uint64_t ports)
{
    m_log.ports += ports;
}

void
LightMeter::CircuitUp(Ptr<const OpticalCircuitSwitch>, Circuit)
{
    m_log.Count(Simulator::Now(), 2);
}

void
LightMeter::CircuitDown(Ptr<const OpticalCircuitSwitch>, Circuit)
{
    m_log.Count(Simulator::Now(), -2);
}

} // namespace ns3
