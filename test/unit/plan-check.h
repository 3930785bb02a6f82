// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PLAN_CHECK_H
#define PHOTONIC_RAILS_PLAN_CHECK_H

#include "ns3/circuit-planner.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Checks a plan, and finds the links that it makes, from the circuits alone.
 *
 * The class is independent of the planners and shares no code with them.
 */
class PlanCheck
{
  public:
    /// Number of parallel circuits between ranks; in a pair of global ranks the lower comes first.
    using LinkCount = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;

    /// Limits of the hardware.
    struct Limits
    {
        std::map<uint32_t, uint32_t> radix; //!< ports of each switch
        /// largest number of circuits of a rank at the same time; 0: all its ports
        uint32_t degree{0};
    };

    /**
     * @brief Check that a plan is a matching within radix, ports and degree.
     *
     * On each switch every circuit joins two different ports below the radix, no port is in two
     * circuits, and the lower port comes first. Every port belongs to exactly one rank of the
     * group, a circuit joins different ranks, and no rank has more circuits than the degree.
     *
     * @param plan the circuits
     * @param members the ranks that may be joined, with the ports that may be used
     * @param limits limits of the switches and the ranks
     * @return an empty string, or an error with ranks and ports
     */
    static std::string Check(const CircuitPlan& plan,
                             const std::vector<CircuitPlanner::Member>& members,
                             const Limits& limits);

    /**
     * @param plan a plan that Check accepts for these members
     * @param members the ranks
     * @return the number of circuits between ranks
     */
    static LinkCount CountLinks(const CircuitPlan& plan,
                                const std::vector<CircuitPlanner::Member>& members);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PLAN_CHECK_H
