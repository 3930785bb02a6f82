// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OCS_PORT_LOG_H
#define PHOTONIC_RAILS_OCS_PORT_LOG_H

#include "ns3/nstime.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @brief Records when each port of an optical circuit switch is up, switching or dark.
 */
class OcsPortLog
{
  public:
    /// An interval in which a port has one state.
    struct Span
    {
        OpticalCircuitSwitch::PortState state{OpticalCircuitSwitch::DARK};
        uint32_t peer{0}; //!< port at the other end of the circuit, if the port is up
        Time start;
        Time end;
    };

    OcsPortLog() = default;
    // Traces of the switch refer to this object.
    OcsPortLog(const OcsPortLog&) = delete;
    OcsPortLog& operator=(const OcsPortLog&) = delete;

    /// @param ocs a switch, before its first command; the log must outlive the simulation
    void Observe(Ptr<OpticalCircuitSwitch> ocs);

    /**
     * @param port port of the switch
     * @param from begin of an interval
     * @param to end of the interval
     * @return the states of the port in the interval, in order and without gaps
     */
    std::vector<Span> GetSpans(uint32_t port, Time from, Time to) const;

  private:
    /// The begin of a state.
    struct Change
    {
        Time at;
        OpticalCircuitSwitch::PortState state;
        uint32_t peer;
    };

    void CircuitUp(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit);
    void CircuitDown(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit);
    void Started(Ptr<const OpticalCircuitSwitch> ocs, const CircuitSet&, const CircuitSet& made);
    void Ended(Ptr<const OpticalCircuitSwitch> ocs, const CircuitSet&, const CircuitSet& made);
    void Failed(Ptr<const OpticalCircuitSwitch> ocs, bool failed);
    /// Record that a port is in a state from now on.
    void Enter(uint32_t port, OpticalCircuitSwitch::PortState state, uint32_t peer = 0);
    /// Record the state that the switch reports for a port, unless the port is up.
    void Update(Ptr<const OpticalCircuitSwitch> ocs, uint32_t port);

    std::map<uint32_t, std::vector<Change>> m_changes; //!< by port, in the order of time
};

/**
 * @brief Times at which ports of circuit switches got or lost light.
 *
 * The sum follows later: a process of a distributed run does not know the end of the run.
 */
struct LightLog
{
    /// A change of the number of ports with light.
    struct Change
    {
        Time at;
        int64_t ports{0}; //!< ports that get light, less the ports that lose light
    };

    /// Time with light and elapsed time, summed over ports, for which a Time is too small. Sums of
    /// picoseconds are exact up to 2^53 in any order.
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

    /// Number of observed ports that can have light at the same time; a port of a spare switch
    /// replaces a port and does not count.
    uint64_t ports{0};
    std::vector<Change> changes; //!< in the order of time, one for each instant

    /**
     * @param at time of the change, not before the last change
     * @param more ports that get light, less the ports that lose light
     */
    void Count(Time at, int64_t more);

    /**
     * @param from begin of an interval, the same as that of Settle
     * @param until end of the interval, not before the end of Settle
     * @return the sums over the interval
     */
    Sum GetSum(Time from, Time until) const;

    /**
     * @brief Replace changes by their sum, except the last change. Only for a process that
     * simulates all ranks and switches of a job.
     * @param from begin of the interval over which GetSum will sum
     * @param before changes before this time are replaced
     */
    void Settle(Time from, Time before);

  private:
    /// The ports with light from a time on, and the sum until that time.
    struct Level
    {
        Time since;
        int64_t lit{0};
        double light{0};

        /// Advance to a change. @param change the change @param from light before is not counted
        void Add(const Change& change, Time from);
    };

    Level m_settled; //!< at the last change that Settle has replaced
};

/**
 * @brief Observes optical circuit switches and records when their cabled ports have light.
 *
 * The statistics of a controller show its own view of the circuits; LightMeter observes the
 * switches themselves, with any policy.
 */
class LightMeter
{
  public:
    /// @param ocs a switch, before the simulation
    void Observe(Ptr<OpticalCircuitSwitch> ocs);

    LightLog log; //!< the changes so far, of all switches

  private:
    /// The ports of a circuit get light, or lose it if `ports` is negative.
    void Count(int64_t ports, Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_PORT_LOG_H
