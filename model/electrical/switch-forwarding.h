// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_FORWARDING_H
#define PHOTONIC_RAILS_SWITCH_FORWARDING_H

#include "switch-routes.h"

#include "ns3/variant.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

class Packet;
class RoceHeader;

/**
 * @brief Classifies the frames of a switch and chooses their output ports.
 *
 * The table of routes maps ranges of destinations to equal-cost ports, among which a LoadBalancing
 * chooses: by default a seeded hash of IPv4 addresses, protocol and UDP ports, one port for each
 * flow (ECMP); packets other than TCP and UDP, and fragments, have ports 0 there. The three upper
 * bits of the DSCP are the priority. ARP messages have priority 0 and are forwarded by the address
 * that is asked for, and replies by the address that asked, so that no frame is ever flooded.
 * Frames other than IPv4 and ARP have no route.
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

    /// Remove all routes.
    void Clear();

    /// @param balancing the rule that chooses among equal-cost ports
    void SetLoadBalancing(const Variant<LoadBalancing>& balancing)
    {
        m_balancing = balancing;
    }

    /// @return true if some destinations have several ports, so that frames may overtake each other
    bool MayReorder() const
    {
        return m_hasChoice && !m_balancing->KeepsOrder();
    }

    /// @param seed seed of the choice among ports; 0 means the default seed
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
     * @brief Classify a frame and choose its output port. Call once for each frame.
     * @param input number of the port that has received the frame
     * @param frame the frame
     * @param loads the output ports
     * @return priority and output port of the frame
     */
    Class Classify(uint32_t input, const Packet& frame, const PortLoads& loads);

    /**
     * @param header header of the frames of a flow
     * @return the output port of all these frames; NO_PORT without a route, and for a port among
     * several that frames take one by one
     */
    uint32_t FindOutput(const RoceHeader& header) const;

  private:
    /// @return the seed in force
    uint64_t GetSeedInForce() const
    {
        return m_seed ? m_seed : m_defaultSeed;
    }

    /// The number of frames that a set of ports has had, by priority.
    using Turns = std::array<uint64_t, 8>;

    SwitchRoutes m_routes;
    Variant<LoadBalancing> m_balancing{"ecmp"};
    bool m_hasChoice{false};                             //!< some route has several ports
    std::vector<bool> m_isShared;                        //!< by port: one of several of a route
    std::map<const SwitchRoutes::Ports*, Turns> m_turns; //!< unless frames keep their order
    std::vector<SwitchRoutes::Route> m_lastRoutes;       //!< by input: the route of the last frame
    uint64_t m_seed{0};
    uint64_t m_defaultSeed{1};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_FORWARDING_H
