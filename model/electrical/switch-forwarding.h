// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_FORWARDING_H
#define PHOTONIC_RAILS_SWITCH_FORWARDING_H

#include "ns3/object.h"
#include "ns3/variant.h"

#include <array>
#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
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

    /// Remove all ranges.
    void Clear();

    /**
     * @param destination an IPv4 address
     * @return the route of the address, or a route without ports; valid until the next Add
     * or Clear
     */
    Route Find(uint32_t destination) const;

    /// @return number of ranges after merging
    std::size_t GetNRanges() const
    {
        return m_routes.size();
    }

    /**
     * @brief Choose one of several equal-cost ports, always the same for a flow.
     * @param flow the flow of the packet
     * @param seed seed of the switch; with equal seeds, successive tiers choose alike and leave
     * some ports without traffic (polarisation)
     * @param count number of ports, above 0
     * @return 0 to count - 1
     */
    static uint32_t Choose(const FlowTuple& flow, uint64_t seed, std::size_t count);

  private:
    boost::container::flat_map<uint32_t, Route> m_routes; //!< by lowest address
    std::set<Ports> m_portSets;                           //!< one copy of each set of ports
};

/// The output ports of a switch, as a LoadBalancing sees them.
class PortLoads
{
  public:
    virtual ~PortLoads() = default;

    /**
     * @param port number of an output port
     * @return bytes in the queues of the port; the maximum of the type if the port is dark
     */
    virtual uint64_t GetLoad(uint32_t port) const = 0;
};

/**
 * @brief The rule by which a switch chooses among the equal-cost ports of a frame.
 *
 * A rule is a class that derives from LoadBalancing and is registered with ns-3 (see Variant). The
 * attribute LoadBalancing of ElectricalSwitch and the flag --loadBalancing take its name. A rule
 * has no state: the choice depends on the arguments only, so that a run can be repeated.
 */
class LoadBalancing : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// A frame and its ports.
    struct Frame
    {
        const SwitchRoutes::Ports& ports; //!< equal-cost ports, ascending, at least two
        FlowTuple flow;                   //!< flow of the frame
        uint64_t seed;                    //!< seed of the switch, not 0
        uint64_t turn;          //!< frames of this priority that these ports had before; 0 for a
                                //!< rule that keeps the order
        const PortLoads& loads; //!< all output ports
    };

    /// @return the name in flags and files
    virtual std::string GetName() const = 0;

    /**
     * @return true if all frames of a flow take the same port, and so arrive in order; without an
     * override false
     */
    virtual bool KeepsOrder() const
    {
        return false;
    }

    /// @param frame a frame @return its port, an index into frame.ports
    virtual uint32_t Choose(const Frame& frame) const = 0;
};

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
     * @param loads the output ports
     * @return the output port of all these frames; NO_PORT without a route, and for a port among
     * several that frames take one by one
     */
    uint32_t FindOutput(const RoceHeader& header, const PortLoads& loads) const;

  private:
    /// @return the seed in force
    uint64_t GetSeedInForce() const
    {
        return m_seed ? m_seed : m_defaultSeed;
    }

    /// @return the port that the rule chooses; ends the program if it is none of the frame's
    uint32_t ChoosePort(const LoadBalancing::Frame& frame) const;

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
