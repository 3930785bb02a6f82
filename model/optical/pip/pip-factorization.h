// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_FACTORIZATION_H
#define PHOTONIC_RAILS_PIP_FACTORIZATION_H

#include "ns3/circuit.h"

#include <cstdint>
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

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_FACTORIZATION_H
