// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ROTOR_SCHEDULER_H
#define PHOTONIC_RAILS_ROTOR_SCHEDULER_H

#include "ns3/application.h"
#include "ns3/circuit.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <vector>

namespace ns3
{

class OpticalCircuitSwitch;

/**
 * @brief Takes an optical circuit switch through the same steps for ever, whatever the traffic: the
 * control of a rotor switch (RotorNet: Mellette et al., SIGCOMM 2017).
 *
 * An application on the switch's node. The circuits of a step carry light for SlotTime; then the
 * switch is dark on their ports for the time that it takes to switch. Nobody is told: a NIC sends
 * while its port leads to the peer. What is on its way when a step ends is lost at the switch and
 * sent again when the step comes back; RotorNet avoids that by clocks that end hosts share.
 *
 * Messages wait for the step that leads to their destination. Sending them on through others, as
 * RotorNet does with what is left of a slot, is not modelled.
 */
class RotorScheduler : public Application
{
  public:
    static TypeId GetTypeId();

    RotorScheduler();
    ~RotorScheduler() override;

    /// @param steps the circuits of each step, before the start; one alone stays
    void SetSteps(std::vector<CircuitSet> steps);

    /// @brief Pass through all steps once more, then leave the circuits as they are.
    void Finish();

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /// Let the circuits of the next step take the place of those that are up.
    void Turn();
    /// The circuits of a step carry light.
    void Lit();

    Time m_slotTime;
    std::vector<CircuitSet> m_steps;
    std::size_t m_step{0};           //!< the one that is up or being made
    bool m_isUp{false};              //!< any has been made
    bool m_isFinishing{false};       //!< Finish has been called
    std::size_t m_stepsLeft{0};      //!< then
    Ptr<OpticalCircuitSwitch> m_ocs; //!< of the node
    EventId m_turn;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ROTOR_SCHEDULER_H
