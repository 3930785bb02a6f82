// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_CONNECTOR_H
#define PHOTONIC_RAILS_CIRCUIT_CONNECTOR_H

#include "ns3/circuit-planner.h"
#include "ns3/circuit-routes.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

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

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_CONNECTOR_H
