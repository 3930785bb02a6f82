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
 * Forwarding over existing circuits, from GPU to GPU, for ranks without a direct circuit: pure
 * functions. A rank is identified by its index in the group, from 0.
 *
 * "A possible solution is to perform multi-hopping through connected GPUs in the same rail"
 * (Photonic Rails, arXiv 2507.08119, section 5). A byte that takes h hops is sent h times: the
 * bandwidth tax is h - 1.
 *
 * **Routes.** Each demand takes one path with the fewest hops. Demands with only one such path are
 * routed first. The other demands follow in order of falling size. Each of them takes the path with
 * the smallest maximum load (including the demand), and among equal paths the one with the smallest
 * sum of loads. The load of a link in one direction is bytes per parallel circuit.
 *
 * **On a ring** of N ranks with B bytes from each rank to each other rank, the number of hops is
 * floor(N^2 / 4) / (N - 1) on average and at most floor(N / 2). If N is odd, every link carries B
 * (N^2 - 1) / 8 in each direction. If N is even, opposite ranks have two paths and the mean load is
 * B N^2 / 8. A demand is not divided, so the busiest link carries up to two blocks more in the
 * tested sizes (N up to 64).
 */

/// Circuits between two members, each for both directions.
struct CircuitLink
{
    uint32_t a{0};        //!< a member
    uint32_t b{0};        //!< another member
    uint32_t circuits{1}; //!< number of parallel circuits, at least 1
};

/// Bytes that one member sends to another.
struct MemberDemand
{
    uint32_t from{0};  //!< the sender
    uint32_t to{0};    //!< the receiver
    uint64_t bytes{0}; //!< in this direction
};

/// The route of a demand.
struct MemberRoute
{
    MemberDemand demand;           //!< the demand
    std::vector<uint32_t> members; //!< from sender to receiver; empty if no route exists

    /// @return number of links of the route; 0 without a route
    uint32_t GetHops() const
    {
        return members.empty() ? 0 : static_cast<uint32_t>(members.size()) - 1;
    }
};

/// Load of a link in one direction.
struct LinkLoad
{
    uint32_t from{0};     //!< a member
    uint32_t to{0};       //!< its neighbour
    uint32_t circuits{1}; //!< number of parallel circuits
    uint64_t bytes{0};    //!< own and forwarded bytes
};

/// The routes of all demands together.
struct CircuitRoutes
{
    std::vector<MemberRoute> routes; //!< in the order of the demands
    std::vector<LinkLoad> loads;     //!< by sender and receiver, both directions of every link
    uint32_t maxHops{0};             //!< hops of the longest route
    uint64_t forwardedBytes{0};      //!< bytes sent by ranks other than the sender
    uint32_t unreachable{0};         //!< demands without a route

    /// @return the load of the busiest link in bytes per circuit, rounded up
    uint64_t GetLargestLoad() const;

    /// @return mean number of hops of the demands that have a route
    double GetMeanHops() const;
};

/**
 * @param n number of members
 * @param links joined pairs of members; the circuits of repeated pairs are added up
 * @param demands demands between different members
 * @return the routes and loads
 */
CircuitRoutes RouteOverCircuits(uint32_t n,
                                const std::vector<CircuitLink>& links,
                                const std::vector<MemberDemand>& demands);

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_ROUTES_H
