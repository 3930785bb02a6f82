// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_WALK_H
#define PHOTONIC_RAILS_FABRIC_WALK_H

#include "ns3/fabric-topology.h"

#include <cstdint>
#include <vector>

/**
 * @file
 * Follows routing tables from host to host by every choice that they leave.
 */

namespace ns3
{
namespace test
{

/// All ways to one host.
class FabricWalk
{
  public:
    /// What there is from a switch to the host.
    struct Ways
    {
        uint64_t paths{0};    //!< 0 if there is no way
        uint32_t switches{0}; //!< on each of them
        bool sound{true};     //!< no loop, nothing delivered to another, all of the same length
    };

    FabricWalk(const FabricTopology& topology, const FabricRouting& routing, uint32_t host)
        : m_topology(topology),
          m_routing(routing),
          m_host(host),
          m_ways(topology.switches.size()),
          m_state(topology.switches.size(), NEW)
    {
    }

    /// @return the ways from a host
    Ways From(uint32_t host)
    {
        return Follow(m_routing.GetFirstSwitch(host));
    }

  private:
    enum State : uint8_t
    {
        NEW,
        UNDER_WAY,
        DONE,
    };

    Ways Follow(uint32_t at)
    {
        if (m_state[at] == UNDER_WAY)
        {
            return {0, 0, false};
        }
        if (m_state[at] == DONE)
        {
            return m_ways[at];
        }
        m_state[at] = UNDER_WAY;
        Ways ways;
        const auto* entry = m_routing.Find(at, m_host);
        for (uint32_t i = 0; entry && i < entry->ports.size(); ++i)
        {
            const auto& port = m_routing.GetPorts(at).at(entry->ports[i]);
            Ways rest{1, 0, port.peer == m_host};
            if (m_topology.IsSwitch(port.peer))
            {
                rest = Follow(port.peer - m_topology.GetEnd(0));
            }
            ways.sound = ways.sound && rest.sound && rest.paths > 0 &&
                         (i == 0 || ways.switches == rest.switches + 1);
            ways.paths += rest.paths;
            ways.switches = rest.switches + 1;
        }
        m_state[at] = DONE;
        m_ways[at] = ways;
        return ways;
    }

    const FabricTopology& m_topology;
    const FabricRouting& m_routing;
    uint32_t m_host;
    std::vector<Ways> m_ways;
    std::vector<State> m_state;
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_WALK_H
