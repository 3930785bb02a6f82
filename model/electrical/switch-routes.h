// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_ROUTES_H
#define PHOTONIC_RAILS_SWITCH_ROUTES_H

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <set>
#include <vector>

namespace ns3
{

/// The five-tuple that identifies a flow.
struct FlowTuple
{
    uint32_t source{0};          //!< IPv4 address
    uint32_t destination{0};     //!< IPv4 address
    uint16_t sourcePort{0};      //!< UDP
    uint16_t destinationPort{0}; //!< UDP
    uint8_t protocol{0};         //!< IPv4 protocol number
};

/**
 * @brief The routing table of a switch: ranges of destinations with their equal-cost ports.
 *
 * Ranges are sorted in one block of memory. Adjacent ranges with the same ports are merged.
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
        const Ports* ports{nullptr}; //!< ascending, at least one; null without a route

        /// @return true if the range contains an address
        bool Covers(uint32_t address) const
        {
            return address - first <= last - first && ports;
        }
    };

    SwitchRoutes() = default;
    SwitchRoutes(const SwitchRoutes&) = delete;
    SwitchRoutes& operator=(const SwitchRoutes&) = delete;

    /**
     * @brief Add a range. Aborts if the range is empty or overlaps another, and if ports is empty
     * or has duplicates.
     * @param first lowest address
     * @param last highest address
     * @param ports the ports, in any order
     */
    void Add(uint32_t first, uint32_t last, Ports ports);

    /**
     * @param destination an IPv4 address
     * @return the route of the address, or a route without ports; valid until the next Add
     */
    Route Find(uint32_t destination) const;

    /// @return number of ranges after merging
    std::size_t GetNRanges() const;

    /**
     * @brief Choose one of several equal-cost ports, always the same for a flow.
     * @param flow the flow of the packet
     * @param seed seed of the switch; with equal seeds, successive tiers choose alike and leave
     * some ports without traffic (polarisation)
     * @param count number of ports, above 0
     * @return 0 to count - 1
     */
    static uint32_t Choose(const FlowTuple& flow, uint64_t seed, uint32_t count);

  private:
    boost::container::flat_map<uint32_t, Route> m_routes; //!< by lowest address
    std::set<Ports> m_portSets;                           //!< one copy of each set of ports
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_ROUTES_H
