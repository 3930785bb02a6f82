// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_FORWARDING_H
#define PHOTONIC_RAILS_SWITCH_FORWARDING_H

#include "switch-routes.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class Packet;
class RoceHeader;

/**
 * @brief Classifies the frames of a switch and chooses their output ports.
 *
 * The table of routes maps ranges of destinations to equal-cost ports. A seeded hash of IPv4
 * addresses, protocol and UDP ports chooses one of the ports for each flow (ECMP). The three upper
 * bits of the DSCP are the priority. Frames other than IPv4 have no route.
 */
class SwitchForwarding
{
  public:
    static constexpr uint32_t NO_PORT = 0xffffffff;

    /// The result of classification.
    struct Class
    {
        uint32_t output{NO_PORT}; //!< output port, or NO_PORT without a route
        uint8_t priority{0};      //!< 0 to 7
        bool ecnCapable{false};   //!< ECN-capable and not marked yet
    };

    /// Add an input port.
    void AddInput()
    {
        m_lastRoutes.emplace_back();
    }

    /**
     * @brief Add a route, see SwitchRoutes::Add.
     * @param first lowest IPv4 address
     * @param last highest IPv4 address
     * @param ports equal-cost ports
     */
    void Add(uint32_t first, uint32_t last, const std::vector<uint32_t>& ports);

    /// @param seed seed of the hash; 0 means the default seed
    void SetSeed(uint64_t seed)
    {
        m_seed = seed;
    }

    /// @return the seed from SetSeed
    uint64_t GetSeed() const
    {
        return m_seed;
    }

    /// @param seed the default seed, not 0
    void SetDefaultSeed(uint64_t seed)
    {
        m_defaultSeed = seed;
    }

    /**
     * @param input number of the port that has received the frame
     * @param frame the frame
     * @return priority and output port of the frame
     */
    Class Classify(uint32_t input, const Packet& frame);

    /// @return the output port of frames with a header, or NO_PORT
    uint32_t FindOutput(const RoceHeader& header) const;

  private:
    /// @return one of several equal-cost ports
    uint32_t Choose(const SwitchRoutes::Ports& ports, const FlowTuple& flow) const;

    SwitchRoutes m_routes;
    std::vector<SwitchRoutes::Route> m_lastRoutes; //!< by input: the route of the last frame
    uint64_t m_seed{0};
    uint64_t m_defaultSeed{1};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_FORWARDING_H
