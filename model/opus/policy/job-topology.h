// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_TOPOLOGY_H
#define PHOTONIC_RAILS_JOB_TOPOLOGY_H

#include "ns3/circuit-planner.h"
#include "ns3/circuit-routes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief One topology for a whole job, set up before it and never changed: pure functions.
 *
 * In the manner of TopoOpt (Wang et al., NSDI 2023), which chooses topology and routes for a job
 * and forwards over several hops where two servers have no circuit. This is not its algorithm: it
 * does not search for parallelization, nor permute rings. For the ranks of one rail:
 *
 * 1. **Rings.** The groups with most bytes between neighbours first. A group gets the ring or line
 *    of CircuitPlanner over the k-th port of the first and the k-th of the second half of each NIC,
 *    for the lowest k at which all its ranks have both free. So its circuits are those of lanes
 *    NEXT and PREVIOUS. A group without such a k goes over what the others have.
 * 2. **Heaviest pairs.** Ports that are left join the pairs with most bytes, as in
 *    heavy-first-matching.h: different pairs first, then parallel circuits. A pair that has c
 *    circuits of rings counts with bytes / (c + 1).
 * 3. **Connection.** While a demand has no route, the heaviest such is given one. Its two
 *    components are joined over ports that are free, or else in place of circuits, the lightest of
 *    those without which their component stays connected. Two circuits a-b and c-d become a-c and
 *    b-d; a circuit c-d and a free port of a become c-a.
 * 4. **Routes** for all demands, as in circuit-routes.h.
 *
 * If every rank has two ports or more, every demand has a route: a component without free ports
 * then has as many circuits as ranks, so there is one it can do without.
 *
 * Demands between ranks of different rails are none of this: they pass the scale-up interconnect.
 */
class JobTopology
{
  public:
    /// A group whose collectives go round a ring or along a line.
    struct Group
    {
        std::vector<uint32_t> members; //!< places among the members of the rail, in order
        uint64_t bytes{0};             //!< an iteration: to the next and to the one before, each
        bool isLine{false};            //!< true if the last and the first have nothing to say
    };

    /// A topology, or why there is none.
    struct Result
    {
        CircuitPlan plan;                        //!< the circuits
        std::vector<CircuitPlanner::Link> links; //!< the same, by members and ports
        std::vector<bool> isDirect; //!< by group: all neighbours have a circuit to each other
        std::vector<MemberDemand> demands; //!< of groups and pairs, one for each direction
        CircuitRoutes routes;              //!< of the demands, in their order
        std::string error;                 //!< empty if there is a topology
    };

    /**
     * @param members the ranks of a rail, on one switch
     * @param groups rings and lines of the job
     * @param pairs other demands, an iteration, by direction
     * @return the circuits and routes
     */
    static Result Plan(const std::vector<CircuitPlanner::Member>& members,
                       const std::vector<Group>& groups,
                       const std::vector<MemberDemand>& pairs);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_TOPOLOGY_H
