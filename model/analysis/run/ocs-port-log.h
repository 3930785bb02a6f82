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

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_PORT_LOG_H
