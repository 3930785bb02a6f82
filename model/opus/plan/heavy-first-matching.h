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
 * Circuits for the pairs with most bytes, if not all pairs can have a circuit: pure functions.
 *
 * With P ports per rank, P matchings are connected at the same time, the k-th over ports k (see
 * matching-schedule.h). The goal is P matchings of different pairs with the largest sum of bytes.
 *
 * **Choice.** The heaviest pair comes first and takes the lowest port that both members have free.
 * Then each matching is improved until nothing improves: a pair without a circuit replaces the one
 * or two pairs that block it, if the pair, together with pairs that become possible, has more bytes
 * than the replaced pairs.
 *
 * **Bound.** With P = 1 the sum is at least half of the optimum: each chosen pair is at least as
 * heavy as the pairs that it blocks, and blocks at most two pairs of the optimum. With more ports
 * the sum is at least a third, since the chosen pair may also be the same pair over another port.
 * In general the sum is close to the optimum.
 *
 * **No exact algorithm.** A matching of maximum weight in a general graph takes a blossom
 * algorithm. The one in Boost.Graph (maximum_weighted_matching.hpp) does not terminate, or crashes,
 * on some graphs (issues 199, 223 and 399 of boostorg/graph, from 2020 on), so a controller cannot
 * use it. Tests compare with the brute-force search of the same header.
 *
 * **Remaining ports.** If both ranks of a pair with a circuit have port k free afterwards, port k
 * is joined too. The pair with the most bytes per circuit, counting the new circuit, comes first.
 */

/// Bytes between two members.
struct PairDemand
{
    MemberPair pair;   //!< in either order
    uint64_t bytes{0}; //!< sum of both directions
};

/// Usable ports, by member and port.
using FreePorts = std::vector<std::vector<bool>>;

/**
 * @param demands bytes of pairs; repeated pairs are added up
 * @param free usable ports of each member, equally many for each
 * @param fill true to use remaining ports for parallel circuits
 * @return one matching for each port
 */
MatchingSchedule ChooseHeaviest(const std::vector<PairDemand>& demands,
                                const FreePorts& free,
                                bool fill);

/**
 * @param demands bytes of pairs
 * @return each pair once, the lower member first, with the sum of its bytes, in falling order of
 * bytes; without pairs of 0 bytes
 */
std::vector<PairDemand> SumDemands(const std::vector<PairDemand>& demands);

} // namespace ns3

#endif // PHOTONIC_RAILS_HEAVY_FIRST_MATCHING_H
