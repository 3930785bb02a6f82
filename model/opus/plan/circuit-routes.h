// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_ROUTES_H
#define PHOTONIC_RAILS_CIRCUIT_ROUTES_H

#include "circuit-planner.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @file
 * Forwarding over circuits that are up, from GPU to GPU, for ranks that have no circuit to each
 * other: pure functions. A rank is named by its place in the group, from 0.
 *
 * "A possible solution is to perform multi-hopping through connected GPUs in the same rail"
 * (Photonic Rails, arXiv 2507.08119, section 5). A byte that takes h hops is sent h times: the
 * bandwidth tax is h - 1.
 *
 * **Routes.** Each demand takes one path with the fewest hops. Demands that have only one are
 * placed first, then the others, the heaviest first: each takes the path on which the largest load
 * after it is least, then that with the least sum of loads. The load of a link in one direction is
 * bytes per parallel circuit.
 *
 * **On a ring** of N ranks with B bytes from each to each, the hops are floor(N^2 / 4) / (N - 1) on
 * average and floor(N / 2) at most. If N is odd, every link carries B (N^2 - 1) / 8 in each
 * direction. If N is even the ranks opposite each other have two paths and the mean is B N^2 / 8;
 * a demand is not divided, and the busiest link carries up to two blocks more in the sizes tested
 * (N up to 64).
 */

/// Circuits between two members, each for both directions.
struct CircuitLink
{
    uint32_t a{0};        //!< a member
    uint32_t b{0};        //!< another member
    uint32_t circuits{1}; //!< how many in parallel, at least 1
};

/// What one member has for another.
struct MemberDemand
{
    uint32_t from{0};  //!< the sender
    uint32_t to{0};    //!< the receiver
    uint64_t bytes{0}; //!< in this direction
};

/// How a demand goes.
struct MemberRoute
{
    MemberDemand demand;           //!< what is sent
    std::vector<uint32_t> members; //!< from sender to receiver; empty if no circuits lead there

    /// @return links on the way; 0 if there is none
    uint32_t GetHops() const
    {
        return members.empty() ? 0 : static_cast<uint32_t>(members.size()) - 1;
    }
};

/// What passes a link in one direction.
struct LinkLoad
{
    uint32_t from{0};     //!< a member
    uint32_t to{0};       //!< its neighbour
    uint32_t circuits{1}; //!< how many in parallel
    uint64_t bytes{0};    //!< own and forwarded
};

/// The routes of all demands together.
struct CircuitRoutes
{
    std::vector<MemberRoute> routes; //!< in the order of the demands
    std::vector<LinkLoad> loads;     //!< by sender and receiver, both directions of every link
    uint32_t maxHops{0};             //!< of the longest route
    uint64_t forwardedBytes{0};      //!< sent on by ranks that are not the sender
    uint32_t unreachable{0};         //!< demands without a route

    /// @return the busiest link in bytes per circuit, rounded up
    uint64_t GetLargestLoad() const;

    /// @return hops of the demands that have a route, on average
    double GetMeanHops() const;
};

/**
 * @param n members
 * @param links which of them are joined; links of the same members are added up
 * @param demands what is to be sent; not of a member to itself
 * @return how it goes
 */
CircuitRoutes RouteOverCircuits(uint32_t n,
                                const std::vector<CircuitLink>& links,
                                const std::vector<MemberDemand>& demands);

/**
 * @param plan circuits between ports of the members
 * @param members the ranks
 * @return what the plan joins
 */
std::vector<CircuitLink> GetCircuitLinks(const CircuitPlan& plan,
                                         const std::vector<CircuitPlanner::Member>& members);

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_ROUTES_H
