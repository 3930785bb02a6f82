// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PORT_DETOUR_H
#define PHOTONIC_RAILS_PORT_DETOUR_H

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Which ports of two NICs are joined when some are broken, and where queue pairs go then.
 *
 * Pure functions of the broken ports, so that the planner of circuits and both ends of a queue pair
 * find the same without asking each other.
 *
 * With P ports the first max(1, P/2) lead to the next rank of a ring and the last max(1, P/2) to
 * the rank before it (see CircuitPlanner and RdmaHelper::GetRingPorts). They stay on their sides:
 * port k of those towards the next rank is joined with port k of those back as long as both are
 * whole, and what is left over on both sides is joined in order. So a lane has as many circuits as
 * there are whole ports on that of its sides which has fewer. A pair has a lane each way, and if
 * both have come to nothing, one from any whole port to any.
 *
 * A queue pair whose ports are not joined any more takes one of the circuits of its lane; if there
 * is none, one of the others of the pair.
 */
class PortDetour
{
  public:
    /// A port of the one NIC and the port of the other that it is joined with.
    using Link = std::pair<uint32_t, uint32_t>;
    using Links = std::vector<Link>;
    /// Ports of a NIC, counted from 0.
    using Ports = std::set<uint32_t>;

    /**
     * @brief From a rank to the next one of a ring or line.
     * @param ports of each NIC, at least 1
     * @param broken of the rank
     * @param brokenOfNext of the next one
     * @return what is joined: first a port of the rank, then one of the next
     */
    static Links GetLane(uint32_t ports, const Ports& broken, const Ports& brokenOfNext);

    /**
     * @brief All circuits of a pair of ranks.
     * @param ports of each NIC, at least 1
     * @param broken of the one
     * @param brokenOfPeer of the other
     * @return what is joined: first a port of the one, then one of the other
     */
    static Links GetPair(uint32_t ports, const Ports& broken, const Ports& brokenOfPeer);

    /**
     * @brief Which ports does a queue pair use?
     * @param link the ports that it was made for
     * @param ports of each NIC, at least 1
     * @param broken of this end
     * @param brokenOfPeer of the other
     * @return the ports, seen from the other end the same; nothing if all ports of an end are
     * broken, or if the queue pair was not made for a lane of a ring
     */
    static std::optional<Link> Find(const Link& link,
                                    uint32_t ports,
                                    const Ports& broken,
                                    const Ports& brokenOfPeer);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PORT_DETOUR_H
