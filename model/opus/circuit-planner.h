// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_PLANNER_H
#define PHOTONIC_RAILS_CIRCUIT_PLANNER_H

#include "ns3/circuit.h"

#include <cstdint>
#include <map>
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
 * With P ports a NIC, the first max(1, P/2) ports of a rank lead to the next rank of the ring and
 * the last max(1, P/2) ports lead to the rank before it. A pair of ranks thus gets P parallel
 * circuits (P even); with a single port only pairs can be joined.
 */
class CircuitPlanner
{
  public:
    /// One rank of a group and where its NIC ports are cabled to.
    struct Member
    {
        uint32_t rank{0};             //!< global rank, for error messages
        std::vector<OcsPortId> ports; //!< one per NIC port, in the NIC's order
    };

    /// A plan, or why there is none.
    struct Result
    {
        CircuitPlan plan;  //!< empty for a group of one
        std::string error; //!< empty if there is a plan; otherwise names ranks and ports
    };

    /**
     * @brief The ring of a group.
     * @param members the ranks in ring order
     * @return the circuits between neighbours, a matching on every switch
     */
    static Result PlanRing(const std::vector<Member>& members);

    /**
     * @param circuits circuits on one switch
     * @return an empty string if no port is used twice, otherwise the port that is
     */
    static std::string CheckMatching(const CircuitSet& circuits);

  private:
    static std::string CheckMembers(const std::vector<Member>& members);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_PLANNER_H
