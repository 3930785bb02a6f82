// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ROTOR_HELPER_H
#define PHOTONIC_RAILS_ROTOR_HELPER_H

#include "rail-cluster.h"

#include "ns3/application-container.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * @brief Makes rotors of the switches of photonic rails: on every rail each GPU meets each other
 * one in turn (MakeRoundRobin), as many at once as a NIC has ports.
 */
class RotorHelper
{
  public:
    /// Slots are so many times as long as it takes to switch: dark for a tenth of the time, as in
    /// RotorNet (Mellette et al., SIGCOMM 2017).
    static constexpr int64_t SLOT_PER_SWITCHING = 9;

    /// @param time for which circuits carry light; zero: SLOT_PER_SWITCHING times what it takes to
    /// switch, or 1 us if that takes no time
    void SetSlotTime(Time time);

    /**
     * @param cluster a photonic cluster of at least two domains; its lanes are to be made later
     * @return a RotorScheduler on every rail
     */
    ApplicationContainer Install(RailCluster& cluster) const;

  private:
    Time m_slotTime;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ROTOR_HELPER_H
