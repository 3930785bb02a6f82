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
 * Choice of circuits to drop so that other circuits find light paths in a CircuitFabric: pure
 * functions.
 */

/// Further circuits to drop.
struct FabricRoom
{
    bool exists{false}; //!< the new circuits can be made
    CircuitSet give;    //!< circuits to drop, in addition to those whose ports are needed
};

/**
 * @brief Find room for circuits by dropping as few others as possible.
 *
 * If the new circuits do not fit next to all others, the search starts with all candidates dropped,
 * and keeps candidates one after the other as long as the new circuits still fit. In the result, no
 * further circuit can be kept. The classes have an order: circuits of `held` are dropped only if
 * dropping all of `idle` is not enough.
 *
 * @param fabric the current circuits, not changed
 * @param drop circuits that are dropped in any case
 * @param make circuits to make
 * @param idle circuits without a user
 * @param held circuits that their users can release
 * @return the circuits to drop; `exists` is false if the new circuits do not fit even next to the
 * circuits that are in none of the sets
 */
FabricRoom FindFabricRoom(const CircuitFabric& fabric,
                          const CircuitSet& drop,
                          const CircuitSet& make,
                          const CircuitSet& idle,
                          const CircuitSet& held);

/**
 * @brief Check whether circuits fit into an idle fabric.
 * @param fabric fabric of the switch, not changed
 * @param circuits all circuits, made by one command
 * @return an empty string, or the error of CircuitFabric::Change
 */
std::string CheckOnIdleFabric(const CircuitFabric& fabric, const CircuitSet& circuits);

/**
 * @file
 * Schedules for an exchange between all pairs on a blocking switch: a pure function.
 *
 * A matching of MakeRoundRobin is used unchanged if the fabric has light paths for it. Pairs that
 * do not fit are scheduled later in further matchings: the remaining pairs are tried in order, and
 * each pair that fits is added. The number of matchings is therefore the same as on a non-blocking
 * switch if the fabric allows it, and larger otherwise. It is not always the minimum.
 */

/**
 * @param members the ranks, all with the same number of ports, all on the switch
 * @param fabric fabric of the switch, not changed
 * @return an empty string, or the circuit of a pair that does not fit even alone
 */
std::string CheckFabricPairs(const std::vector<CircuitPlanner::Member>& members,
                             const CircuitFabric& fabric);

/// Matchings for a fabric, or an error.
struct FabricMatchings
{
    MatchingSchedule schedule; //!< as many matchings as ports in each step; some may be empty
    std::string error;         //!< empty if every pair is in a matching
};

/**
 * @brief Make matchings in which each pair occurs exactly once, and whose steps (PlanSteps) fit
 * into an idle fabric.
 * @param members the ranks, all with the same number of ports, all on the switch
 * @param fabric fabric of the switch, not changed
 * @return the matchings, or the error of CheckFabricPairs
 */
FabricMatchings MakeFabricMatchings(const std::vector<CircuitPlanner::Member>& members,
                                    const CircuitFabric& fabric);

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_MATCHINGS_H
