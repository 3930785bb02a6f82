// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_NAMES_H
#define PHOTONIC_RAILS_FABRIC_NAMES_H

#include "fabric-topology.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The names by which users select switches of a fabric, and links between switches. Pure.
 *
 * A switch is selected by its name, or by its number in the topology. A link is selected by its two
 * switches in any order, such as "leaf 0/spine 1", and further parallel links by a number from 1
 * on, such as "leaf 0/spine 1/1". Names are tried before numbers.
 */
class FabricNames
{
  public:
    /// @param topology a fabric
    explicit FabricNames(std::shared_ptr<const FabricTopology> topology);

    /// @return number of switches
    uint32_t CountSwitches() const;
    /// @return number of links between switches
    uint32_t CountLinks() const;
    /**
     * @param index from 0 to below CountLinks
     * @return index of the link in the topology
     */
    uint32_t GetLink(uint32_t index) const;

    /// @param text name or number @return the number of the switch, or nothing
    std::optional<uint32_t> FindSwitch(const std::string& text) const;
    /// @param text two switches @return index of the link in the topology, or nothing
    std::optional<uint32_t> FindLink(const std::string& text) const;

    /// @param number of a switch @return its name
    const std::string& GetSwitchName(uint32_t number) const;
    /// @param link index in the topology of a link between switches @return its name
    std::string GetLinkName(uint32_t link) const;

  private:
    /// A link between switches.
    struct Link
    {
        uint32_t link;  //!< index in the topology
        uint32_t lower; //!< number of the switch of the lower tier
        uint32_t upper; //!< number of the other switch
        uint32_t rank;  //!< number of links between these switches before this one
    };

    /// @return "first/second", or "first/second/rank"
    static std::string Join(const std::string& first, const std::string& second, uint32_t rank);
    /**
     * @param text two switches
     * @param link a link
     * @param hasNumbers true if the text contains numbers of switches, false if names
     * @return true if the text names the link
     */
    bool IsName(const std::string& text, const Link& link, bool hasNumbers) const;

    std::shared_ptr<const FabricTopology> m_topology;
    std::vector<Link> m_links;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_NAMES_H
