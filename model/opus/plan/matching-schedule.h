// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MATCHING_SCHEDULE_H
#define PHOTONIC_RAILS_MATCHING_SCHEDULE_H

#include "circuit-planner.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @file
 * Sequences of matchings for groups in which each rank communicates with all others, such as an
 * AllToAll: pure functions. A rank is identified by its index in the group, from 0.
 *
 * **All pairs.** The circle method of round-robin tournaments: one rank stays, the others rotate. N
 * even: N - 1 matchings, in each of which every rank has a partner. N odd: N matchings with one
 * idle rank each. Fewer matchings are impossible. A rotor switch passes through such a sequence
 * whatever the demand (RotorNet: Mellette et al., SIGCOMM 2017).
 *
 * **Ports.** With P ports per rank, P matchings are connected at the same time: R matchings take
 * ceil(R / P) steps. The k-th matching of a step joins port k of one rank with port k of the other,
 * as the connectors DIRECT of collectives do. Only the last step can have fewer than P matchings.
 * The ports of such a step are assigned to its matchings in turn: a pair has at least floor(P /
 * matchings) parallel circuits.
 */

/// Two members of a group, by their indices.
struct MemberPair
{
    uint32_t a{0}; //!< a member; the sender if direction matters, otherwise the lower
    uint32_t b{0}; //!< another member
};

/// @return true if both pairs are equal
inline bool
operator==(const MemberPair& x, const MemberPair& y)
{
    return x.a == y.a && x.b == y.b;
}

/// @return true if the first pair sorts first, by a and then b
inline bool
operator<(const MemberPair& x, const MemberPair& y)
{
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
}

/// Pairs without a common member; if pairs have a direction, without a common sender or receiver.
using Matching = std::vector<MemberPair>;

/// Matchings in order.
using MatchingSchedule = std::vector<Matching>;

/// The circuits of each step, or an error.
struct StepPlans
{
    std::vector<CircuitPlan> steps; //!< circuits that exist at the same time, by step
    std::string error;              //!< empty if the plan exists; otherwise names ranks and ports
};

/**
 * @param n number of members
 * @return matchings in which each pair occurs exactly once: n - 1 if n is even, n if n is odd, none
 * for a single member
 */
MatchingSchedule MakeRoundRobin(uint32_t n);

/**
 * @param matchings number of matchings
 * @param ports ports of a rank, at least 1
 * @return the number of steps
 */
uint32_t CountSteps(uint32_t matchings, uint32_t ports);

/**
 * @param matchings number of matchings, at least 1
 * @param ports ports of a rank, at least 1
 * @param step a step
 * @param port a port
 * @return the matching that uses the port in this step
 */
uint32_t GetMatchingOfPort(uint32_t matchings, uint32_t ports, uint32_t step, uint32_t port);

/**
 * @param schedule matchings
 * @param ports ports of a rank, at least 1
 * @param pair members, the lower first
 * @return the ports that join the pair over all steps, in order; empty if no matching has the pair
 */
std::vector<uint32_t> FindMeetingPorts(const MatchingSchedule& schedule,
                                       uint32_t ports,
                                       const MemberPair& pair);

/**
 * @param members the ranks, all with the same number of ports; the k-th ports of all ranks are on
 * one switch
 * @param schedule matchings of indices into members, with circuits for both directions
 * @return the circuits of each step
 */
StepPlans PlanSteps(const std::vector<CircuitPlanner::Member>& members,
                    const MatchingSchedule& schedule);

/// Bytes between two members.
struct PairDemand
{
    MemberPair pair;   //!< in either order
    uint64_t bytes{0}; //!< sum of both directions
};

/// Bytes that one member sends to another.
struct MemberDemand
{
    uint32_t from{0};  //!< the sender
    uint32_t to{0};    //!< the receiver
    uint64_t bytes{0}; //!< in this direction
};

/// A group whose collectives run on a ring or along a line.
struct RingDemand
{
    std::vector<uint32_t> members; //!< in order
    uint64_t bytes{0};  //!< per iteration to the next member, and as many to the previous one
    bool isLine{false}; //!< true if the last and the first member exchange no bytes
};

/// Usable ports, by member and port.
using FreePorts = std::vector<std::vector<bool>>;

/**
 * Circuits for the pairs with most bytes, if not all pairs can have a circuit: pure functions.
 *
 * With P ports per rank, P matchings are connected at the same time, the k-th over ports k. The
 * goal is P matchings of different pairs with the largest sum of bytes.
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
 *
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

#endif // PHOTONIC_RAILS_MATCHING_SCHEDULE_H
