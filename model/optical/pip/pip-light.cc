// SPDX-License-Identifier: GPL-2.0-only

#include "pip-light.h"

#include "ns3/assert.h"

#include <set>

namespace ns3
{

PipPassage
FollowPipLight(const PipMesh& mesh, const PipStates& states, uint32_t entry)
{
    NS_ASSERT(states.size() == mesh.GetCells() && mesh.GetMate(entry) == PipMesh::NONE);
    PipPassage passage{entry, {}};
    for (uint32_t end = entry; end != PipMesh::NONE; end = mesh.GetMate(passage.exit))
    {
        const uint32_t cell = end / 4;
        const bool atFirstCorner = end % 4 < 2;
        const bool onLeft = end % 2 == 0;
        const bool leavesLeft = states[cell] == PipMesh::BAR ? onLeft : !onLeft;
        passage.exit = 4 * cell + (atFirstCorner ? 2 : 0) + (leavesLeft ? 0 : 1);
        passage.ends.insert(passage.ends.end(), {end, passage.exit});
    }
    return passage;
}

std::string
CheckPipCircuits(const PipMesh& mesh,
                 const std::vector<uint32_t>& ports,
                 const PipStates& states,
                 const CircuitSet& circuits)
{
    std::set<uint32_t> seen;
    for (const auto& circuit : circuits)
    {
        const std::string name = Describe(circuit);
        for (uint32_t port : {circuit.a, circuit.b})
        {
            if (port >= ports.size())
            {
                return name + ": there is no port " + std::to_string(port);
            }
            if (!seen.insert(port).second)
            {
                return name + ": port " + std::to_string(port) + " is in two circuits";
            }
        }
        const auto there = FollowPipLight(mesh, states, ports[circuit.a]);
        const auto back = FollowPipLight(mesh, states, ports[circuit.b]);
        if (there.exit != ports[circuit.b] || back.exit != ports[circuit.a])
        {
            return name + ": light does not come out at the other port";
        }
    }
    return "";
}

} // namespace ns3
