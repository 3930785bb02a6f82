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
 * @brief Listens to an optical circuit switch: which of its ports was up, switching or dark when.
 */
class OcsPortLog
{
  public:
    /// A time for which a port was in one state.
    struct Span
    {
        OpticalCircuitSwitch::PortState state{OpticalCircuitSwitch::DARK};
        uint32_t peer{0}; //!< the port to which it led, if it was up
        Time start;
        Time end;
    };

    OcsPortLog() = default;
    // A switch calls it where it is.
    OcsPortLog(const OcsPortLog&) = delete;
    OcsPortLog& operator=(const OcsPortLog&) = delete;

    /// @param ocs a switch, before anything happens there; the log must outlive the simulation
    void Observe(Ptr<OpticalCircuitSwitch> ocs);

    /**
     * @param port of the switch
     * @param from a moment
     * @param to a later one
     * @return what it did between, in order and without gaps
     */
    std::vector<Span> GetSpans(uint32_t port, Time from, Time to) const;

  private:
    /// A state begins.
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
    /// A port is in a state from now on.
    void Enter(uint32_t port, OpticalCircuitSwitch::PortState state, uint32_t peer = 0);
    /// Of a port that is not up, what the switch says holds.
    void Update(Ptr<const OpticalCircuitSwitch> ocs, uint32_t port);

    std::map<uint32_t, std::vector<Change>> m_changes; //!< by port, in the order of time
};

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
     * @param until a moment, not before that of Settle
     * @return the sums until then
     */
    Sum GetSum(Time until) const;

    /**
     * @brief Replace changes by their sums. The last change is kept. Only for a process that has
     * all ranks and switches of a job.
     * @param before the changes before this moment are replaced
     */
    void Settle(Time before);

  private:
    /// Ports with light from a moment on, and the sum until then.
    struct Level
    {
        Time since;
        int64_t lit{0};
        double light{0};

        /// A change happens.
        void Add(const Change& change);
    };

    Level m_settled; //!< what happened before the first of `changes`
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
    void CountPorts(uint64_t ports)
    {
        m_log.ports += ports;
    }

    /// Keep only sums of what happened before a moment (LightLog::Settle).
    void Settle(Time before)
    {
        m_log.Settle(before);
    }

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

#endif // PHOTONIC_RAILS_OCS_PORT_LOG_H
