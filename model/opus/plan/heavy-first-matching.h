// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HEAVY_FIRST_MATCHING_H
#define PHOTONIC_RAILS_HEAVY_FIRST_MATCHING_H

#include "matching-schedule.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @file
 * Circuits for the pairs that have most to say, when not all can have one: pure functions.
 *
 * With P ports a rank, P matchings are up at once, the k-th over ports k (see
 * matching-schedule.h). Wanted are P matchings of different pairs with the largest sum of bytes.
 *
 * **Choice.** The heaviest pair first, over the lowest port that both have free. Then each matching
 * is improved: a pair without a circuit replaces the one or two that are in its way if it and what
 * finds a place beside it are heavier together, until nothing improves.
 *
 * **Bound.** With P = 1 the sum is at least half of the best: what was taken in place of a pair is
 * as heavy and is in the way of two pairs at most. With more ports it is at least a third, since
 * what was taken may also be the same pair over another port. As a rule it is close to the best.
 *
 * **Why not exactly.** A matching of maximum weight in a general graph takes a blossom algorithm.
 * That of Boost.Graph (maximum_weighted_matching.hpp) does not end, or crashes, on some graphs
 * (issues 199, 223 and 399 of boostorg/graph, from 2020 on), so a controller cannot rely on it.
 * Tests compare with the search through all matchings of the same header.
 *
 * **Left over.** If some ports stay dark although both ranks of a pair with a circuit have port k
 * free, it is joined too: first the pair with the most bytes per circuit, counting the new one.
 */

/// How much two members have to say to each other.
struct PairDemand
{
    MemberPair pair;   //!< in either order
    uint64_t bytes{0}; //!< both directions together
};

/// Which ports may be used: by member and port.
using FreePorts = std::vector<std::vector<bool>>;

/**
 * @param demands bytes of pairs; of a pair that occurs more than once the sum counts
 * @param free the ports of each member, as many for each
 * @param fill true to use ports that are left over for parallel circuits
 * @return one matching for each port
 */
MatchingSchedule ChooseHeaviest(const std::vector<PairDemand>& demands,
                                const FreePorts& free,
                                bool fill);

/**
 * @brief Serve a whole demand, the heaviest pairs first.
 *
 * Matchings are chosen for what is left, as above and with all ports, until nothing is. Each pair
 * occurs in exactly one step. With P = 1 and D partners of a rank at most there are at most 2 D - 1
 * steps, for of the 2 (D - 1) pairs that can be in the way of one, one is served in each step
 * before; ColourPairs needs fewer, but serves light pairs as early as heavy ones.
 *
 * @param n members
 * @param demands bytes of pairs
 * @param ports ports of a member
 * @return P matchings for each step
 */
std::vector<MatchingSchedule> ServeHeaviestFirst(uint32_t n,
                                                 const std::vector<PairDemand>& demands,
                                                 uint32_t ports);

/**
 * @param demands bytes of pairs
 * @return each pair once, the lower member first, with the sum of its bytes, the heaviest first;
 * without pairs of 0 bytes
 */
std::vector<PairDemand> SumDemands(const std::vector<PairDemand>& demands);

} // namespace ns3

#endif // PHOTONIC_RAILS_HEAVY_FIRST_MATCHING_H
