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
 * Sequences of matchings for groups in which a rank talks to more ranks than it has ports, such as
 * an AllToAll: pure functions. A rank is named by its place in the group, from 0.
 *
 * **Everybody with everybody.** The circle method of round-robin tournaments: one rank stays, the
 * others go round. N even: N - 1 matchings, in each of which every rank has a partner. N odd: N
 * matchings with one idle rank each. Fewer are impossible. A rotor switch passes through such a
 * sequence whatever the demand (RotorNet: Mellette et al., SIGCOMM 2017).
 *
 * **Some pairs.** Let D be the largest number of partners of a rank; nothing can do with fewer than
 * D matchings. The pairs are edges, the matchings colours of an edge colouring:
 *
 * - if the ranks fall into two sides and pairs join one with the other, D (Koenig's theorem),
 * - if all pairs are asked for, as above, which is the least possible,
 * - otherwise at most D + 1 (Vizing's theorem, by the algorithm of Misra and Gries, Information
 *   Processing Letters 1992, in Boost.Graph), and D if a few attempts to do with so many succeed.
 *   Whether D is enough is NP-complete in general (Holyer, SIAM Journal on Computing 1981).
 *
 * **Direction.** If light passes one way only, a rank may send to one and receive from another rank
 * at once. Senders and receivers are two sides, so D is enough, now the largest number of ranks to
 * which one sends or from which one receives.
 *
 * **Ports.** With P ports a rank, P matchings are up at once: R matchings take ceil(R / P) steps.
 * The k-th matching of a step joins port k of one rank with port k of the other, as lanes DIRECT of
 * collectives do. If a step has fewer than P matchings, which only the last can, they take turns in
 * being given a port: a pair has at least floor(P / matchings) parallel circuits.
 */

/// Two members of a group, by their places in it.
struct MemberPair
{
    uint32_t a{0}; //!< a member; the sender if direction matters, otherwise the lower
    uint32_t b{0}; //!< another member
};

/// @return true if they are the same pair
inline bool
operator==(const MemberPair& x, const MemberPair& y)
{
    return x.a == y.a && x.b == y.b;
}

/// @return true if the first one comes first, by a and then b
inline bool
operator<(const MemberPair& x, const MemberPair& y)
{
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
}

/// Pairs that have no member in common; of directed pairs, no sender and no receiver.
using Matching = std::vector<MemberPair>;

/// Matchings one after the other.
using MatchingSchedule = std::vector<Matching>;

/// The circuits of each step, or why there are none.
struct StepPlans
{
    std::vector<CircuitPlan> steps; //!< what is up at once
    std::string error;              //!< empty if there is a plan; otherwise names ranks and ports
};

/**
 * @param n members
 * @return matchings in which each pair occurs exactly once: n - 1 if n is even, n if it is odd,
 * none if there is only one member
 */
MatchingSchedule MakeRoundRobin(uint32_t n);

/**
 * @param n members
 * @param pairs those that must meet; in which order a pair is named and how often has no meaning
 * @return matchings in which each of the pairs occurs exactly once
 */
MatchingSchedule ColourPairs(uint32_t n, const std::vector<MemberPair>& pairs);

/**
 * @param n members
 * @param pairs senders and receivers; how often a pair is named has no meaning
 * @return matchings in which each of the pairs occurs exactly once
 */
MatchingSchedule ColourDirectedPairs(uint32_t n, const std::vector<MemberPair>& pairs);

/**
 * @param matchings how many there are
 * @param ports ports of a rank, at least 1
 * @return in how many steps they are up
 */
uint32_t CountSteps(uint32_t matchings, uint32_t ports);

/**
 * @param matchings how many there are, at least 1
 * @param ports ports of a rank, at least 1
 * @param step a step
 * @param port a port
 * @return the matching of which the port is part
 */
uint32_t GetMatchingOfPort(uint32_t matchings, uint32_t ports, uint32_t step, uint32_t port);

/**
 * @param schedule matchings
 * @param ports ports of a rank, at least 1
 * @param pair members, the lower first
 * @return the ports over which they meet in the course of all steps, in order; none if no matching
 * has them
 */
std::vector<uint32_t> FindMeetingPorts(const MatchingSchedule& schedule,
                                       uint32_t ports,
                                       const MemberPair& pair);

/**
 * @param members the ranks, all with the same number of ports; the k-th ports of all are on one
 * switch
 * @param schedule matchings of their places, both ways
 * @return the circuits of each step
 */
StepPlans PlanSteps(const std::vector<CircuitPlanner::Member>& members,
                    const MatchingSchedule& schedule);

} // namespace ns3

#endif // PHOTONIC_RAILS_MATCHING_SCHEDULE_H
