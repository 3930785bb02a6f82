// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_PLACES_H
#define PHOTONIC_RAILS_SWITCH_PLACES_H

#include "ns3/address.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ns3
{

/**
 * @brief Which switch carries which rail: what a controller knows of spares.
 *
 * A rail is known by the number of the switch that the cabling plan gives it, whatever switch
 * carries it at the moment; so plans and circuits stay as they are when a spare takes over. A rail
 * that has been moved does not go back: its first switch stays out of use when it is mended.
 */
class SwitchPlaces
{
  public:
    /**
     * @brief A rail with a switch of its own.
     * @param number of both
     * @param agent address and UDP port of the switch's agent
     */
    void AddSwitch(uint32_t number, const Address& agent);
    /**
     * @brief A switch to which every rail can be moved.
     * @param number differs from those of all others
     * @param agent address and UDP port of its agent
     */
    void AddSpare(uint32_t number, const Address& agent);

    /**
     * @param rail a rail
     * @return the agent of the switch that carries it, or nullptr if there is no such rail
     */
    const Address* GetAgent(uint32_t rail) const;
    /**
     * @param rail a rail
     * @return the switch that carries it
     */
    uint32_t GetSwitch(uint32_t rail) const;
    /// @return the agents of all switches, spares included
    std::set<Address> GetAgents() const;
    /// @return the rails, in order
    std::vector<uint32_t> GetRails() const;

    /**
     * @param number a switch
     * @return the rail that it carries, if any
     */
    std::optional<uint32_t> GetRail(uint32_t number) const;
    /**
     * @param agent an address
     * @return the switch whose agent is heard from there, if any
     */
    std::optional<uint32_t> Find(const Address& agent) const;

    /**
     * @param number a switch
     * @param works whether it can carry a rail
     */
    void SetWorking(uint32_t number, bool works);
    /**
     * @brief Move a rail to the first spare that works and carries none.
     * @param rail a rail
     * @return the spare, or nothing if there is none
     */
    std::optional<uint32_t> Move(uint32_t rail);

  private:
    struct Switch
    {
        Address agent;
        bool isSpare{false};
        bool works{true};
    };

    std::map<uint32_t, Switch> m_switches;
    std::map<uint32_t, uint32_t> m_switchOf; //!< by rail
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_PLACES_H
