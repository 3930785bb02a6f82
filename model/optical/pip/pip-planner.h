// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_PLANNER_H
#define PHOTONIC_RAILS_PIP_PLANNER_H

#include "pip-plan.h"

#include "ns3/circuit-fabric.h"

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace ns3
{

/**
 * @file
 * Ways to divide all pairs of ports into matchings: 1-factorizations, and how to get from one to
 * another.
 */

/**
 * @brief The circle method of round-robin tournaments: one port stays, the others go round.
 * @param ports how many; with an odd number one port is idle in each matching
 * @param stays the port that stays; without meaning for odd numbers
 * @return ports - 1 perfect matchings for an even number of ports, otherwise `ports` matchings
 */
std::vector<CircuitSet> MakeCircleFactorization(uint32_t ports, uint32_t stays);

/**
 * @param ports a power of two
 * @return ports - 1 perfect matchings: in the i-th, numbers of partners differ in the bits of i + 1
 */
std::vector<CircuitSet> MakeBitFactorization(uint32_t ports);

/**
 * @brief Divide the circuits of two or three matchings into as many matchings in another way.
 * @param matchings disjoint ones of the same ports, two or three of them
 * @param ports how many ports there are
 * @param random where chance comes from
 * @return true if they have changed; false if chance found no other way
 */
bool ExchangeCircuits(const std::vector<CircuitSet*>& matchings,
                      uint32_t ports,
                      std::mt19937& random);

/// How hard a plan is looked for.
struct PipEffort
{
    uint32_t negotiation{60}; //!< rounds after which the router gives up a matching
    uint32_t exchanges{300};  //!< attempts to exchange circuits between matchings
    uint32_t seed{1};         //!< of the choice of exchanges
};

/// Finds states in which all circuits of a matching are up. Returns none if it knows of none.
using PipStatesFinder = std::function<PipStates(const CircuitSet& circuits)>;

/**
 * @brief Find few matchings that cover all pairs of the ports of a mesh, each once.
 *
 * No plan for n ports has fewer than n - 1 matchings if n is even, and n if it is odd: a port has
 * so many partners, and with odd n someone is always idle. To get there, all pairs are divided into
 * so many matchings first (a 1-factorization) and each of these is routed. There is a choice of how
 * to divide them:
 *
 * - the circle method of round-robin tournaments, in the order of the ports around the perimeter,
 * so that circuits of a matching are parallel chords that hardly cross; each port in turn is the
 * one that stays,
 * - for powers of two, ports whose numbers differ in the same bits.
 *
 * If some matchings do not fit, circuits are exchanged: a matching that does not fit and one or two
 * others are divided into as many matchings in another way, which is taken if no fewer fit. What
 * does not fit in the end is covered by further matchings, each as large as can be found.
 *
 * The result depends on nothing but the arguments.
 *
 * @param mesh a mesh
 * @param places for each port its free end, clockwise
 * @param effort how hard to try
 * @param find is asked about matchings for which the router finds no light paths
 * @return a plan that has passed its check, or an error that names a pair of ports without a path
 */
PipPlan PlanPipMatchings(const PipMesh& mesh,
                         const std::vector<uint32_t>& places,
                         const PipEffort& effort,
                         const PipStatesFinder& find = {});

/**
 * @param ports number of ports, at least 2
 * @return the number of matchings without which no switch covers all pairs
 */
uint32_t CountLeastMatchings(uint32_t ports);

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_PLANNER_H
