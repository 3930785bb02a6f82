// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CROSS_RAIL_PLANNER_H
#define PHOTONIC_RAILS_CROSS_RAIL_PLANNER_H

#include "circuit-planner.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief Plans the circuits of a group whose ranks are in several scale-up domains and on several
 * rails: pure functions of the cabling.
 *
 * Light stays on one rail. Data changes the rail inside a domain, over the scale-up network, as
 * NCCL does with PXN: a message to a rank on another rail first goes to the GPU of the sender's
 * domain that is on the rail of the receiver. The circuits of a group therefore join GPUs of
 * neighbouring domains on equal rails.
 *
 * **Aligned groups** have equally many ranks in every domain, on the same rails in the same order
 * (GroupShape::IsAligned). Their plan is a ring for each rail, which joins the ranks on that rail.
 * Collectives in channels, one per NIC, use all of these rings; the messages of a ring through all
 * ranks use a part of them.
 *
 * **Other groups** have the circuits of one ring through all ranks. Between the last rank of a
 * domain and the first rank of the next domain, on different rails, there are two sets of circuits:
 * on the rail of the receiver for each of the two directions. One end of each is a *proxy*: a GPU
 * that needs not belong to the group and forwards for a rank in its domain.
 *
 * The ranks of a domain must follow each other in the group. A port towards the next rank is then
 * used once at most in each domain and rail, and so is a port towards the previous rank.
 */
class CrossRailPlanner
{
  public:
    using Member = CircuitPlanner::Member;

    /// A group, and the GPUs around its ranks.
    struct Group
    {
        std::vector<Member> members;   //!< in the order of the group, each on one switch
        std::vector<uint32_t> domains; //!< domain of each member

        /// Returns the GPU that shares the domain of a member (an index into members) and is on a
        /// switch, or nothing.
        std::function<std::optional<Member>(uint32_t, uint32_t)> findProxy;
    };

    /// A plan, or an error, and the proxies.
    struct Result
    {
        CircuitPlan plan;              //!< a matching on every switch
        std::string error;             //!< empty if the plan exists
        std::vector<uint32_t> proxies; //!< global ranks that are no members but have circuits
    };

    /**
     * @param group a group with ranks in two domains or more
     * @return the circuits of the group; an error if ranks of a domain do not follow each other, or
     * if the NICs have too few ports
     */
    static Result Plan(const Group& group);

  private:
    static Result PlanRails(const Group& group);
    static Result PlanHops(const Group& group);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CROSS_RAIL_PLANNER_H
