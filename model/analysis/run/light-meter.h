// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LIGHT_METER_H
#define PHOTONIC_RAILS_LIGHT_METER_H

#include "light-log.h"

#include "ns3/optical-circuit-switch.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Listens to optical circuit switches: for how long have their cabled ports had light?
 *
 * What a controller believes is in its own statistics; this is what happened at the switches, with
 * any policy.
 */
class LightMeter
{
  public:
    /// @param ocs a switch, before the simulation
    void Observe(Ptr<OpticalCircuitSwitch> ocs);

    /**
     * @param ports that can have light at the same time: those of spare switches get it in place of
     * those that they stand in for
     */
    void CountPorts(uint64_t ports);

    /// @return what has happened at the switches so far
    const LightLog& GetLog() const
    {
        return m_log;
    }

  private:
    void CircuitUp(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit);
    void CircuitDown(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit);

    LightLog m_log; //!< of all switches
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LIGHT_METER_H
