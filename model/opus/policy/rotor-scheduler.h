// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ROTOR_SCHEDULER_H
#define PHOTONIC_RAILS_ROTOR_SCHEDULER_H

#include "ns3/application.h"
#include "ns3/circuit-fabric.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <vector>

namespace ns3
{

class OpticalCircuitSwitch;

/**
 * @brief Control of a rotor switch: cycles an optical circuit switch through the same steps,
 * independent of traffic (RotorNet: Mellette et al., SIGCOMM 2017).
 *
 * An application on the switch's node. The circuits of a step carry light for SlotTime; then their
 * ports are dark for the switching time. The scheduler notifies no other node: a NIC sends while
 * its port leads to the peer. Packets in flight at the end of a step are lost at the switch and
 * retransmitted when the step comes again; RotorNet avoids this loss by synchronized clocks of the
 * end hosts.
 *
 * A message waits for the step that connects its destination. Forwarding through other nodes in the
 * rest of a slot, as in RotorNet, is not modelled.
 */
class RotorScheduler : public Application
{
  public:
    static TypeId GetTypeId();

    RotorScheduler();
    ~RotorScheduler() override;

    /// @param steps the circuits of each step; call before the start. A single step stays
    /// connected.
    void SetSteps(std::vector<CircuitSet> steps);

    /// @brief Pass through all steps once more, then keep the last circuits.
    void Finish();

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;

    void StopApplication() override
    {
        m_turn.Cancel();
    }

    /// Replace the current circuits by those of the next step.
    void Turn();
    /// The circuits of the current step carry light; schedule the next step.
    void Lit();

    Time m_slotTime;
    std::vector<CircuitSet> m_steps;
    std::size_t m_step{0};           //!< current step, possibly still being switched
    bool m_isUp{false};              //!< true after the first step has been requested
    bool m_isFinishing{false};       //!< Finish has been called
    std::size_t m_stepsLeft{0};      //!< steps left after Finish
    Ptr<OpticalCircuitSwitch> m_ocs; //!< of the node
    EventId m_turn;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ROTOR_SCHEDULER_H
