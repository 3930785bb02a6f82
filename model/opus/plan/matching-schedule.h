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

} // namespace ns3

#endif // PHOTONIC_RAILS_MATCHING_SCHEDULE_H
