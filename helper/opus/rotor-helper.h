// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ROTOR_HELPER_H
#define PHOTONIC_RAILS_ROTOR_HELPER_H

#include "ns3/application-container.h"
#include "ns3/data-rate.h"
#include "ns3/matching-schedule.h"
#include "ns3/nstime.h"
#include "ns3/rail-cluster.h"

namespace ns3
{

/**
 * @brief Makes rotors of the switches of photonic rails: on every rail each GPU meets each other
 * one in turn (MakeRoundRobin), as many at once as a NIC has ports. On switches that block, in as
 * many steps as their fabric needs (MakeFabricMatchings); on meshes with one port a GPU by a plan
 * (PlanPipMatchings), whose light paths the meshes then have.
 */
class RotorHelper
{
  public:
    /// Slots are so many times as long as it takes to switch: dark for a tenth of the time, as in
    /// RotorNet (Mellette et al., SIGCOMM 2017).
    static constexpr int64_t SLOT_PER_SWITCHING = 9;

    /**
     * @param rate of a NIC port
     * @return the least time for which circuits have to carry light so that packets are sent and
     * acknowledged in it: otherwise the same ones would be sent again for ever. 64 packets of
     * 4 KiB, and 2 us for the way there and back
     */
    static Time GetLeastSlotTime(DataRate rate);

    /// @param time for which circuits carry light, at least GetLeastSlotTime; zero, the default:
    /// SLOT_PER_SWITCHING times what it takes to switch, or GetLeastSlotTime if that is longer
    void SetSlotTime(Time time);

    /// @param rate of a NIC port
    void SetPortRate(DataRate rate);

    /**
     * @param cluster a photonic cluster of at least two domains; its lanes are to be made later
     * @return a RotorScheduler on every rail
     */
    ApplicationContainer Install(RailCluster& cluster) const;

  private:
    /// @return matchings in which everybody meets everybody, as the switches allow
    static MatchingSchedule MakeMatchings(const RailCluster& cluster);
    /**
     * @brief Give meshes that have a port for each GPU a plan of few matchings.
     * @return those of the plan; none if the switches are something else
     */
    static MatchingSchedule PlanMeshes(const RailCluster& cluster);

    Time m_slotTime;
    DataRate m_portRate{"100Gbps"};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ROTOR_HELPER_H
