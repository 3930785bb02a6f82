// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LIGHT_METER_H
#define PHOTONIC_RAILS_LIGHT_METER_H

#include "ns3/nstime.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

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
    /// Time with light, and time that there was, of all ports in sum: more than a Time can hold.
    struct Sum
    {
        double light{0}; //!< seconds for which ports had light
        double all{0};   //!< ports times seconds

        /// @param other of other ports
        void Add(const Sum& other)
        {
            light += other.light;
            all += other.all;
        }

        /// @return the share of the time for which ports had light, 0 to 1
        double GetShare() const
        {
            return all > 0 ? light / all : 0;
        }
    };

    /**
     * @param ocs a switch, before the simulation
     * @param ports how many of its ports are cabled
     */
    void Observe(Ptr<OpticalCircuitSwitch> ocs, uint32_t ports);

    /**
     * @param until a moment of the simulation, now or in the past
     * @return the sums until then
     */
    Sum GetSum(Time until) const;

  private:
    /// A change of the number of ports with light.
    struct Change
    {
        Time at;
        int64_t ports;
    };

    void CircuitUp(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit);
    void CircuitDown(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit);
    /// `ports` more have light from now on.
    void Count(int64_t ports);

    uint64_t m_ports{0};           //!< that are cabled
    std::vector<Change> m_changes; //!< in the order of time, one for each instant
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LIGHT_METER_H
