// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LIGHT_LOG_H
#define PHOTONIC_RAILS_LIGHT_LOG_H

#include "ns3/nstime.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief When how many ports of circuit switches got light or lost it.
 *
 * Not a sum, because only the processes of a run together know when it ended.
 */
struct LightLog
{
    /// A change of the number of ports with light.
    struct Change
    {
        Time at;
        int64_t ports{0}; //!< that have light from then on, less those that had
    };

    /// Time with light, and time that there was, of all ports in sum: more than a Time can hold.
    /// Counted in picoseconds, so that sums are exact up to 2^53 of them in whichever order.
    struct Sum
    {
        double light{0}; //!< picoseconds for which ports had light
        double all{0};   //!< ports times picoseconds

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

    uint64_t ports{0};           //!< that could have light
    std::vector<Change> changes; //!< in the order of time, one for each instant

    /**
     * @param at when, not before the last change
     * @param more how many ports more have light from then on
     */
    void Count(Time at, int64_t more);

    /**
     * @param until a moment
     * @return the sums until then
     */
    Sum GetSum(Time until) const;
};

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

#endif // PHOTONIC_RAILS_LIGHT_LOG_H
