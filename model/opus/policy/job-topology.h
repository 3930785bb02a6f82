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
 * @brief One topology for a whole job, set up before the job and never changed: pure functions.
 *
 * The approach follows TopoOpt (Wang et al., NSDI 2023), which chooses topology and routes for a
 * job and forwards over several hops between servers without a direct circuit. The algorithm is a
 * different one: it neither searches for parallelization strategies nor permutes rings. For the
 * ranks of one rail:
 *
 * 1. **Rings.** The groups with most bytes between neighbours come first. A group gets the ring or
 *    line of CircuitPlanner over the k-th port of the first half and the k-th port of the second
 *    half of each NIC, for the lowest k at which both ports of all its ranks are free. Its circuits
 *    are therefore those of the connectors NEXT and PREVIOUS. A group without such a k uses the
 * circuits of others.
 * 2. **Heaviest pairs.** The remaining ports join the pairs with most bytes, as in
 *    heavy-first-matching.h: different pairs first, then parallel circuits. A pair with c circuits
 *    of rings counts with bytes / (c + 1).
 * 3. **Connection.** While demands without a route remain, the heaviest of them gets a route. Its
 *    two components are joined over free ports, or else in place of other circuits. The lightest
 *    circuits without which their component stays connected go first. Two circuits a-b and c-d
 *    become a-c and b-d; a circuit c-d and a free port of a become c-a.
 * 4. **Routes** for all demands, as in circuit-routes.h.
 *
 * If every rank has two ports or more, every demand has a route: a component without free ports
 * then has at least as many circuits as ranks, so one of its circuits can be given up.
 *
 * Demands between ranks of different rails are not part of the topology: they use the scale-up
 * interconnect.
 */
class JobTopology
{
  public:
    /// A group whose collectives run on a ring or along a line.
    struct Group
    {
        std::vector<uint32_t> members; //!< indices of members of the rail, in order
        /// bytes per iteration to the next rank, and the same number to the previous rank
        uint64_t bytes{0};
        bool isLine{false}; //!< true if the last and the first rank exchange no bytes
    };

    /// A topology, or an error.
    struct Result
    {
        CircuitPlan plan;                        //!< the circuits
        std::vector<CircuitPlanner::Link> links; //!< the circuits by members and ports
        std::vector<bool> isDirect; //!< by group: true if all neighbours have a direct circuit
        std::vector<MemberDemand> demands; //!< demands of groups and pairs, one for each direction
        CircuitRoutes routes;              //!< routes of the demands, in their order
        std::string error;                 //!< empty if the topology exists
    };

    /**
     * @param members the ranks of a rail, on one switch
     * @param groups rings and lines of the job
     * @param pairs other demands per iteration, by direction
     * @return the circuits and routes
     */
    static Result Plan(const std::vector<CircuitPlanner::Member>& members,
                       const std::vector<Group>& groups,
                       const std::vector<MemberDemand>& pairs);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_TOPOLOGY_H
