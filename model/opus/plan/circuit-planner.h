// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_PLANNER_H
#define PHOTONIC_RAILS_CIRCUIT_PLANNER_H

#include "ns3/circuit-fabric.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/// A port of an optical circuit switch.
struct OcsPortId
{
    uint32_t ocs{0};  //!< number of the switch in the operator's numbering
    uint32_t port{0}; //!< port of the switch
};

inline bool
operator==(const OcsPortId& x, const OcsPortId& y)
{
    return x.ocs == y.ocs && x.port == y.port;
}

inline bool
operator<(const OcsPortId& x, const OcsPortId& y)
{
    return std::tie(x.ocs, x.port) < std::tie(y.ocs, y.port);
}

/// The circuits that a group needs, by switch. In a circuit the lower port comes first.
using CircuitPlan = std::map<uint32_t, CircuitSet>;

/**
 * @brief Plans the circuits between the ranks of a group: pure functions of the cabling.
 *
 * **Ports.** A rank lists the NIC ports that the group may use, in the NIC's order. The list may be
 * a part of the ports, if the others serve another dimension (see SplitPorts). With P ports listed,
 * the first max(1, P/2) lead to the next rank of a ring or line and the last max(1, P/2) to the
 * previous rank. RdmaHelper::GetRingPorts and the connectors NEXT and PREVIOUS of collectives use
 * the same division. If P is odd, the middle port stays dark, except in a group of two.
 *
 * **Rate.** Neighbours of a ring have P/2 parallel circuits, each for both directions. A pair of
 * ranks has circuits on all P ports, as a ring and as a line. With a single port only pairs can be
 * joined.
 *
 * **Broken ports.** A ring or line leaves broken ports dark and joins the others by the rules of
 * PathMigration: with fewer parallel circuits, as long as any two neighbours have at least one.
 *
 * The small number of ports of a rank limits a rail of circuits to rings (C1 of the Photonic Rails
 * paper, arXiv 2507.08119, section 3). Dimensions with circuits at the same time divide the ports
 * (C3 of the paper).
 */
class CircuitPlanner
{
  public:
    /// One rank of a group and the cabling of its NIC ports.
    struct Member
    {
        uint32_t rank{0};             //!< global rank, for error messages
        std::vector<OcsPortId> ports; //!< one per NIC port, in the NIC's order
        std::set<uint32_t> broken{};  //!< indices in the list of ports that no circuit may use
    };

    /// Two NIC ports to join. Members and ports are indices into their lists, from 0.
    struct Link
    {
        uint32_t a{0};       //!< a member
        uint32_t portOfA{0}; //!< index of a port of a
        uint32_t b{0};       //!< another member
        uint32_t portOfB{0}; //!< index of a port of b
    };

    /// A plan, or an error.
    struct Result
    {
        CircuitPlan plan;  //!< empty for a group of one
        std::string error; //!< empty if the plan exists; otherwise names ranks and ports

        /// Of a CrossRailPlanner: global ranks that are no members but have circuits.
        std::vector<uint32_t> proxies{};
    };

    /// The division of the ports of a NIC between dimensions, or an error.
    struct Split
    {
        std::vector<std::vector<uint32_t>> ports; //!< by dimension: NIC ports in ascending order
        std::string error;                        //!< empty if the ports are divided
    };

    /**
     * @brief Plan the ring of a group.
     * @param members the ranks in ring order, all on one switch
     * @return the circuits between neighbours, a matching on every switch; an error if broken ports
     * leave two neighbours without a circuit
     */
    static Result PlanRing(const std::vector<Member>& members);

    /**
     * @brief Plan the link between two neighbours of a ring or line of more than two ranks.
     *
     * The links of a pipeline share no port, so that all of them can be up together. The ports of
     * the first stage towards a previous rank and those of the last stage towards a next rank stay
     * free, unless the last stage sends to the first.
     *
     * @param members a rank and the next one, on one switch
     * @return the circuits between the ports of the first rank towards the next one and the ports
     * of the second rank towards the previous one
     */
    static Result PlanLink(const std::vector<Member>& members);

    /**
     * @brief Plan circuits for given pairs of NIC ports; the last step of all planners.
     * @param members the ranks
     * @param links ports to join
     * @return the circuits; an error with the ranks and ports of an impossible link: between
     * different switches, from a rank to itself, or to a port that is missing or already in use
     */
    static Result PlanLinks(const std::vector<Member>& members, const std::vector<Link>& links);

    /**
     * @brief Add the links between two neighbours to the links of a plan.
     * @param members the ranks
     * @param from index of the rank that uses its ports towards the next rank
     * @param to index of the rank that uses its ports towards the previous rank
     * @param isPair true for a group of two ranks, which has links on all ports
     * @param links receives the links
     * @return an empty string, or an error if broken ports leave no link
     */
    static std::string AppendLinks(const std::vector<Member>& members,
                                   uint32_t from,
                                   uint32_t to,
                                   bool isPair,
                                   std::vector<Link>& links);

    /**
     * @brief Divide the ports of a NIC between dimensions that have circuits at the same time.
     *
     * A dimension with a share of S ports gets S/2 of the ports towards the next rank, and the S/2
     * ports at the same positions among the ports towards the previous rank. A ring over these
     * ports therefore joins ports that a connector of the whole NIC joins as well.
     *
     * @param ports number of ports of the NIC
     * @param shares number of ports for each dimension: even, with a sum of at most the ports
     * @return the ports of each dimension
     */
    static Split SplitPorts(uint32_t ports, const std::vector<uint32_t>& shares);

    /**
     * @param member a rank
     * @param ports indices of the ports to keep
     * @return the rank with these ports only
     */
    static Member SelectPorts(const Member& member, const std::vector<uint32_t>& ports);

    /**
     * @param members the ranks of a group
     * @return an empty string if the list is not empty, no rank or port occurs twice, and all ranks
     * have equally many ports; otherwise an error
     */
    static std::string CheckMembers(const std::vector<Member>& members);

    /**
     * @param members the ranks of a group
     * @return an empty string if all ports of all ranks are on one switch, otherwise an error with
     * the rank
     */
    static std::string CheckRail(const std::vector<Member>& members);

    /**
     * @param circuits circuits on one switch
     * @return an empty string if no port is used twice, otherwise an error with the port
     */
    static std::string CheckMatching(const CircuitSet& circuits);
};

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
    using Result = CircuitPlanner::Result;

    /// A group, and the GPUs around its ranks.
    struct Group
    {
        std::vector<Member> members;   //!< in the order of the group, each on one switch
        std::vector<uint32_t> domains; //!< domain of each member
        bool isLink{false};            //!< two neighbours of a longer ring, see PlanLink

        /// Returns the GPU that shares the domain of a member (an index into members) and is on a
        /// switch, or nothing.
        std::function<std::optional<Member>(uint32_t, uint32_t)> findProxy;
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

#endif // PHOTONIC_RAILS_CIRCUIT_PLANNER_H
