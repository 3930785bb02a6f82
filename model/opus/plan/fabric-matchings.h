// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_MATCHINGS_H
#define PHOTONIC_RAILS_FABRIC_MATCHINGS_H

#include "circuit-planner.h"
#include "matching-schedule.h"

#include "ns3/circuit-fabric.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * Everybody with everybody on a switch that blocks: a pure function.
 *
 * A matching of MakeRoundRobin that the fabric has light paths for is taken as it is. What does not
 * fit is left for later, in matchings of their own: the pairs that are left are gone through in
 * order, and each that still fits is taken. So there are as many matchings as on a switch that does
 * not block if the fabric allows it, and more otherwise; the fewest that are possible may be fewer.
 */

/**
 * @param members the ranks, all with the same number of ports, all on the switch
 * @param fabric of the switch; it is not changed
 * @return an empty string, or the circuit of a pair that cannot meet even alone
 */
std::string CheckFabricPairs(const std::vector<CircuitPlanner::Member>& members,
                             const CircuitFabric& fabric);

/// Matchings for a fabric, or why there are none.
struct FabricMatchings
{
    MatchingSchedule schedule; //!< as many matchings as ports in each step; some may be empty
    std::string error;         //!< empty if each pair meets
};

/**
 * @brief Matchings in which each pair occurs exactly once, and whose steps (PlanSteps) fit a fabric
 * that is idle before.
 * @param members the ranks, all with the same number of ports, all on the switch
 * @param fabric of the switch; it is not changed
 * @return the matchings; an error is that of CheckFabricPairs
 */
FabricMatchings MakeFabricMatchings(const std::vector<CircuitPlanner::Member>& members,
                                    const CircuitFabric& fabric);

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_MATCHINGS_H
