// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_ROUTES_H
#define PHOTONIC_RAILS_SWITCH_ROUTES_H

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <set>
#include <vector>

namespace ns3
{

/// What tells one flow from another.
struct FlowTuple
{
    uint32_t source{0};          //!< IPv4 address
    uint32_t destination{0};     //!< IPv4 address
    uint16_t sourcePort{0};      //!< UDP
    uint16_t destinationPort{0}; //!< UDP
    uint8_t protocol{0};         //!< in the IPv4 header
};

/**
 * @brief The routing table of a switch: ranges of destinations, each with the equal-cost ports that
 * lead there.
 *
 * Ranges lie sorted in one block of memory; neighbours with the same ports become one.
 */
class SwitchRoutes
{
  public:
    using Ports = std::vector<uint32_t>;

    /// A range of destinations.
    struct Route
    {
        uint32_t first{0};           //!< lowest address
        uint32_t last{0};            //!< highest address
        const Ports* ports{nullptr}; //!< ascending, at least one; null: there is no such route

        /// @return true if the route leads to an address
        bool Covers(uint32_t address) const
        {
            return address - first <= last - first && ports;
        }
    };

    SwitchRoutes() = default;
    SwitchRoutes(const SwitchRoutes&) = delete;
    SwitchRoutes& operator=(const SwitchRoutes&) = delete;

    /**
     * @brief Add a range. Aborts if it overlaps one that is there, is empty, or names no port or
     * one twice.
     * @param first lowest address
     * @param last highest address
     * @param ports the ports, in any order
     */
    void Add(uint32_t first, uint32_t last, Ports ports);

    /**
     * @param destination an IPv4 address
     * @return the route that covers it, or one without ports; good until the next Add
     */
    Route Find(uint32_t destination) const;

    /// @return ranges that are left after merging
    std::size_t GetNRanges() const;

    /**
     * @brief Choose among equal-cost ports: one flow, one path.
     * @param flow the packet's flow
     * @param seed of the switch; successive tiers with the same seed choose alike, so that a part
     * of their ports stays without traffic (polarisation)
     * @param count ports to choose from, above 0
     * @return 0 to count - 1
     */
    static uint32_t Choose(const FlowTuple& flow, uint64_t seed, uint32_t count);

  private:
    boost::container::flat_map<uint32_t, Route> m_routes; //!< by lowest address
    std::set<Ports> m_portSets;                           //!< one copy of each
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_ROUTES_H
