// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_PLANNER_H
#define PHOTONIC_RAILS_CIRCUIT_PLANNER_H

#include "ns3/circuit.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/// A port of one of the operator's optical circuit switches.
struct OcsPortId
{
    uint32_t ocs{0};  //!< the switch, as the operator numbers them
    uint32_t port{0}; //!< its port
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

/// The circuits that a group needs, by switch. Within a circuit the lower port comes first.
using CircuitPlan = std::map<uint32_t, CircuitSet>;

/**
 * @brief Which circuits join the ranks of a group: pure functions of the cabling.
 *
 * **Ports.** A rank lists the NIC ports that the group may use, in the NIC's order; these may be
 * some of them only, if others serve another dimension (see SplitPorts). With P ports listed, the
 * first max(1, P/2) lead to the next rank of a ring or line and the last max(1, P/2) to the rank
 * before it. This is how RdmaHelper::GetRingPorts and the lanes NEXT and PREVIOUS of collectives
 * share them. If P is odd the port in the middle stays dark, but for a pair.
 *
 * **Rate.** Between neighbours of a ring there are P/2 parallel circuits, each for both directions.
 * A pair of ranks has all P ports joined, whether it is a ring or a line. With a single port only
 * pairs can be joined.
 *
 * **Broken ports.** A ring or line leaves them dark and joins what is left as PortDetour has it:
 * fewer parallel circuits, as long as there is one between any two neighbours.
 *
 * That a rank has few ports is what limits a rail of circuits to rings (C1 of the Photonic Rails
 * paper, arXiv 2507.08119, section 3), and that dimensions which are up at once divide the ports
 * is its C3.
 */
class CircuitPlanner
{
  public:
    /// One rank of a group and where its NIC ports are cabled to.
    struct Member
    {
        uint32_t rank{0};             //!< global rank, for error messages
        std::vector<OcsPortId> ports; //!< one per NIC port, in the NIC's order
        std::set<uint32_t> broken{};  //!< those that no circuit may use, as places in the list
    };

    /// Two NIC ports to be joined. Members and ports are counted from 0 as they are listed.
    struct Link
    {
        uint32_t a{0};       //!< a member
        uint32_t portOfA{0}; //!< which of its ports
        uint32_t b{0};       //!< another member
        uint32_t portOfB{0}; //!< which of its ports
    };

    /// A plan, or why there is none.
    struct Result
    {
        CircuitPlan plan;  //!< empty for a group of one
        std::string error; //!< empty if there is a plan; otherwise names ranks and ports
    };

    /// Which ports of a NIC serve which dimension, or why they cannot be divided so.
    struct Split
    {
        std::vector<std::vector<uint32_t>> ports; //!< by dimension: NIC ports in ascending order
        std::string error;                        //!< empty if the ports are divided
    };

    /**
     * @brief The ring of a group.
     * @param members the ranks in ring order, all on one switch
     * @return the circuits between neighbours, a matching on every switch; an error if ports of
     * neighbours are broken so that no circuit can join them
     */
    static Result PlanRing(const std::vector<Member>& members);

    /**
     * @brief The line of a pipeline: stage i is joined with stage i + 1, the last not with the
     * first.
     *
     * Inner stages have the ports of a ring. Of three or more stages the first leaves the ports
     * towards the rank before it dark and the last those towards the next, free for others.
     *
     * @param members the ranks in order of stages, all on one switch
     * @return the circuits between neighbours, a matching on every switch
     */
    static Result PlanLine(const std::vector<Member>& members);

    /**
     * @brief Circuits for given pairs of NIC ports: what all planners end with.
     * @param members the ranks
     * @param links ports to be joined
     * @return the circuits, or the ranks and ports of a link that is impossible: between different
     * switches, of a rank with itself, of a port that does not exist or is already taken
     */
    static Result PlanLinks(const std::vector<Member>& members, const std::vector<Link>& links);

    /**
     * @brief Divide the ports of a NIC between dimensions that are to have circuits at once.
     *
     * A dimension with a share of S ports gets S/2 of those towards the next rank and the S/2 in
     * the same places of those towards the rank before, so that a ring over its ports joins the
     * ports which a lane of the whole NIC joins.
     *
     * @param ports ports of the NIC
     * @param shares ports for each dimension: even numbers with a sum of at most the ports
     * @return the ports of each dimension
     */
    static Split SplitPorts(uint32_t ports, const std::vector<uint32_t>& shares);

    /**
     * @param member a rank
     * @param ports which of the ports it lists
     * @return the rank with these ports only
     */
    static Member SelectPorts(const Member& member, const std::vector<uint32_t>& ports);

    /**
     * @param members the ranks of a group
     * @return an empty string if there are ranks, each once and cabled with as many ports as the
     * others, all different, otherwise what is wrong
     */
    static std::string CheckMembers(const std::vector<Member>& members);

    /**
     * @param members the ranks of a group
     * @return an empty string if all ports of all ranks are on one switch, otherwise who is not
     */
    static std::string CheckRail(const std::vector<Member>& members);

    /**
     * @param circuits circuits on one switch
     * @return an empty string if no port is used twice, otherwise the port that is
     */
    static std::string CheckMatching(const CircuitSet& circuits);

  private:
    /// Checks common to rings and lines.
    static std::string CheckNeighbours(const std::vector<Member>& members, const char* shape);
    /// Links from a rank to the next, or all of a pair; returns an error if there are none.
    static std::string AppendLinks(const std::vector<Member>& members,
                                   uint32_t from,
                                   uint32_t to,
                                   std::vector<Link>& links);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_PLANNER_H
