// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ROTOR_HELPER_H
#define PHOTONIC_RAILS_ROTOR_HELPER_H

#include "ns3/application-container.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rail-cluster.h"

namespace ns3
{

/**
 * @brief Turns the switches of photonic rails into rotors: on every rail each GPU is connected to
 * each other GPU in turn (MakeRoundRobin), to as many at once as a NIC has ports. Blocking switches
 * take as many steps as their fabric needs (MakeFabricMatchings). Meshes with one port per GPU use
 * the matchings of a plan (PlanPipMatchings), whose light paths the meshes then have.
 */
class RotorHelper
{
  public:
    /// Length of a slot over the switching time: dark for a tenth of the time, as in RotorNet
    /// (Mellette et al., SIGCOMM 2017).
    static constexpr int64_t SLOT_PER_SWITCHING = 9;

    /**
     * @param rate rate of a NIC port
     * @param fiberDelay propagation delay of a fiber
     * @return the shortest slot in which packets can be sent and acknowledged; in a shorter slot
     * the same packets would be retransmitted forever. 64 packets of 4 KiB, plus a round trip: two
     * fibers in each direction, at least 2 us
     */
    static Time GetLeastSlotTime(DataRate rate, Time fiberDelay);

    /// @param time time for which circuits carry light, at least GetLeastSlotTime; zero, the
    /// default: SLOT_PER_SWITCHING times the switching time, or GetLeastSlotTime if that is longer
    void SetSlotTime(Time time);

    /// @param rate rate of a NIC port
    void SetPortRate(DataRate rate)
    {
        m_portRate = rate;
    }

    /**
     * @param cluster a photonic cluster of at least two domains, without lanes so far
     * @return a RotorScheduler on every rail
     */
    ApplicationContainer Install(RailCluster& cluster) const;

  private:
    Time m_slotTime;
    DataRate m_portRate{"100Gbps"};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ROTOR_HELPER_H
