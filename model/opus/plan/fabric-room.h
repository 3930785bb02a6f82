// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_ROOM_H
#define PHOTONIC_RAILS_FABRIC_ROOM_H

#include "circuit-planner.h"

#include "ns3/circuit-fabric.h"

#include <string>

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

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_ROOM_H
