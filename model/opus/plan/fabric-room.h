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
 * Which circuits have to go so that others find light paths in a CircuitFabric: pure functions.
 */

/// What else has to go.
struct FabricRoom
{
    bool exists{false}; //!< there is a way to make the circuits
    CircuitSet give;    //!< circuits to drop for it, beside those whose ports are needed
};

/**
 * @brief Find room for circuits, at the cost of as few others as possible.
 *
 * If they do not fit beside all others, all that may go is taken to be gone, and then kept one
 * after the other as long as the circuits still fit: no circuit of the answer could be kept. Whole
 * classes go in order: circuits of `held` only if it is not enough to drop all of `idle`.
 *
 * @param fabric what is up; it is not changed
 * @param drop circuits that go in any case
 * @param make circuits to make
 * @param idle circuits that nobody needs
 * @param held circuits that can be had back from those who use them
 * @return what has to go; nothing exists if the circuits do not even fit beside all that is in none
 * of the sets
 */
FabricRoom FindFabricRoom(const CircuitFabric& fabric,
                          const CircuitSet& drop,
                          const CircuitSet& make,
                          const CircuitSet& idle,
                          const CircuitSet& held);

/**
 * @brief Would circuits be possible if there were no others?
 * @param fabric of the switch; it is not changed
 * @param circuits all that are to be up at once, made by one command
 * @return an empty string, or why not, as CircuitFabric::Change has it
 */
std::string CheckOnIdleFabric(const CircuitFabric& fabric, const CircuitSet& circuits);

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_ROOM_H
