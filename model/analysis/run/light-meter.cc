// SPDX-License-Identifier: GPL-2.0-only

#include "light-meter.h"

#include "ns3/simulator.h"

namespace ns3
{

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
