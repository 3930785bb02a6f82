// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_TOPOLOGY_H
#define PHOTONIC_RAILS_JOB_TOPOLOGY_H

#include "ns3/circuit-planner.h"
#include "ns3/matching-schedule.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Circuits between two members, each for both directions.
struct CircuitLink
{
    uint32_t a{0};        //!< a member
    uint32_t b{0};        //!< another member
    uint32_t circuits{1}; //!< number of parallel circuits, at least 1
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
 *
 * @param n number of members
 * @param links joined pairs of members; the circuits of repeated pairs are added up
 * @param demands demands between different members
 * @return the routes and loads
 */
CircuitRoutes RouteOverCircuits(uint32_t n,
                                const std::vector<CircuitLink>& links,
                                const std::vector<MemberDemand>& demands);

/**
 * @brief Changes as few circuits as possible so that demands have a route over several hops: step 3
 * of JobTopology.
 *
 * All ports are on one switch. A circuit may be given up if it has a parallel circuit or if its
 * component stays connected without it. Among such circuits, the one whose two ranks exchange the
 * fewest bytes per parallel circuit goes first.
 */
class CircuitConnector
{
  public:
    using Link = CircuitPlanner::Link;

    /**
     * @param members number of ranks
     * @param ports number of ports of each rank
     * @param links existing circuits
     */
    CircuitConnector(uint32_t members, uint32_t ports, const std::vector<Link>& links);

    /**
     * @brief Join the components of senders and receivers, the heaviest demand first, as long as
     * there are free ports or circuits that can be given up.
     * @param demands demands that need a route
     */
    void Connect(const std::vector<MemberDemand>& demands);

    /// @return the circuits
    const std::vector<Link>& GetLinks() const
    {
        return m_links;
    }

  private:
    /// One port of a member.
    struct Port
    {
        uint32_t member{0};
        uint32_t port{0};
    };

    /// @return the component of each member, in the graph without one of its links if @p without is
    /// set
    std::vector<uint32_t> FindComponents(std::optional<std::size_t> without) const;
    /// Join the components of two members. Returns false if this is impossible.
    bool Join(uint32_t a, uint32_t b);
    /// @return a free port in the component of a member; the member's own ports come first
    std::optional<Port> FindFreePort(uint32_t member) const;
    /// @return a link in the component of a member that may be given up, if there is one
    std::optional<std::size_t> FindSpareLink(uint32_t member) const;
    /// @return the lightest link in the component of a member
    std::optional<std::size_t> FindLink(uint32_t member) const;
    /// @return the links of a component, in rising order of load
    std::vector<std::size_t> GetLightestLinks(uint32_t member) const;
    void AddLink(const Port& a, const Port& b);
    /// Replace a-b and c-d by a-c and b-d.
    void Cross(std::size_t x, std::size_t y);
    /// Replace c-d by c-a.
    void Bend(std::size_t link, const Port& a);

    std::vector<Link> m_links;
    std::vector<std::vector<bool>> m_isFree;                   //!< by member and port
    std::vector<uint32_t> m_components;                        //!< by member
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_bytes; //!< bytes of pairs, both directions
};

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
 *    circuits of others.
 * 2. **Heaviest pairs.** The remaining ports join the pairs with most bytes, as in
 *    ChooseHeaviest: different pairs first, then parallel circuits. A pair with c circuits
 *    of rings counts with bytes / (c + 1).
 * 3. **Connection.** While demands without a route remain, the heaviest of them gets a route. Its
 *    two components are joined over free ports, or else in place of other circuits. The lightest
 *    circuits without which their component stays connected go first. Two circuits a-b and c-d
 *    become a-c and b-d; a circuit c-d and a free port of a become c-a.
 * 4. **Routes** for all demands, as in RouteOverCircuits.
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
                       const std::vector<RingDemand>& groups,
                       const std::vector<MemberDemand>& pairs);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_TOPOLOGY_H
