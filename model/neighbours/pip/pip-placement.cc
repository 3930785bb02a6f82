// SPDX-License-Identifier: GPL-2.0-only

#include "pip-placement.h"

#include "pip-router.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3
{

PipFlow::PipFlow(const PipMesh& mesh, const std::vector<bool>& arrives)
    : m_sink(2 * mesh.GetEnds()),
      m_arcs(m_sink + 1),
      m_before(m_sink + 1)
{
    for (uint32_t end = 0; end < mesh.GetEnds(); ++end)
    {
        // One unit of light enters, and either has arrived or continues to one of two cells.
        AddArc(2 * end, 2 * end + 1);
        if (arrives[end])
        {
            AddArc(2 * end + 1, m_sink);
            continue;
        }
        for (const auto state : {PipMesh::BAR, PipMesh::CROSS})
        {
            const uint32_t exit = PipMesh::Pass(end, state);
            const uint32_t next = mesh.GetMate(exit);
            if (next != PipMesh::NONE)
            {
                AddArc(2 * end + 1, 2 * next);
            }
            else if (arrives[exit])
            {
                AddArc(2 * end + 1, 2 * exit);
            }
        }
    }
}

void
PipFlow::AddArc(uint32_t from, uint32_t to)
{
    m_arcs[from].push_back(static_cast<uint32_t>(m_heads.size()));
    m_heads.push_back(to);
    m_free.push_back(true);
    m_arcs[to].push_back(static_cast<uint32_t>(m_heads.size()));
    m_heads.push_back(from);
    m_free.push_back(false);
}

bool
PipFlow::Add(uint32_t end)
{
    std::fill(m_before.begin(), m_before.end(), PipMesh::NONE);
    std::vector<uint32_t> queue{2 * end};
    for (std::size_t i = 0; i < queue.size() && m_before[m_sink] == PipMesh::NONE; ++i)
    {
        for (uint32_t arc : m_arcs[queue[i]])
        {
            const uint32_t node = m_heads[arc];
            if (m_free[arc] && node != queue.front() && m_before[node] == PipMesh::NONE)
            {
                m_before[node] = arc;
                queue.push_back(node);
            }
        }
    }
    if (m_before[m_sink] == PipMesh::NONE)
    {
        return false;
    }
    for (uint32_t node = m_sink; node != queue.front(); node = m_heads[m_before[node] ^ 1U])
    {
        m_free[m_before[node]] = false;
        m_free[m_before[node] ^ 1U] = true;
    }
    return true;
}

namespace
{

/**
 * @return the joints, by their lower end, that light from a free end passes for all states of the
 * cells: up to the first cell of which neither exit is a free end
 */
std::vector<uint32_t>
GetForcedJoints(const PipMesh& mesh, uint32_t end)
{
    std::vector<uint32_t> joints;
    for (;;)
    {
        const uint32_t one = mesh.GetMate(PipMesh::Pass(end, PipMesh::BAR));
        const uint32_t other = mesh.GetMate(PipMesh::Pass(end, PipMesh::CROSS));
        end = one == PipMesh::NONE ? other : one;
        const uint32_t joint = end == PipMesh::NONE ? end : std::min(end, mesh.GetMate(end));
        if ((one != PipMesh::NONE && other != PipMesh::NONE) || end == PipMesh::NONE ||
            std::find(joints.begin(), joints.end(), joint) != joints.end())
        {
            return joints;
        }
        joints.push_back(joint);
    }
}

constexpr uint32_t NEGOTIATION = 20; // rounds for the test of a placement

/// @return the number of matchings of parallel chords that can be routed; may stop at `atMost`
uint32_t
CountFitting(const PipMesh& mesh, const std::vector<uint32_t>& places, uint32_t atMost)
{
    const auto ports = static_cast<uint32_t>(places.size());
    const uint32_t directions = ports / 2;
    PipRouter router(mesh);
    uint32_t fitting = 0;
    for (uint32_t direction = 0;
         direction < directions && fitting + directions - direction > atMost;
         ++direction)
    {
        std::vector<PipRouter::Request> chords;
        for (uint32_t a = 0; a < ports; ++a)
        {
            const uint32_t b = (2 * direction + 1 + ports - a) % ports;
            if (a < b)
            {
                chords.emplace_back(places[a], places[b]);
            }
        }
        fitting += router.RouteAll(chords, NEGOTIATION).empty() ? 0 : 1;
    }
    return fitting;
}

} // namespace

std::vector<uint32_t>
SpreadPipPorts(const PipMesh& mesh, uint32_t ports, uint32_t turn)
{
    const auto& ends = mesh.GetFreeEnds();
    const auto count = static_cast<uint32_t>(ends.size());
    NS_ASSERT(ports <= count);
    // Light that enters an inner cell has left the perimeter.
    std::vector<bool> isInner(mesh.GetEnds());
    for (uint32_t end = 0; end < mesh.GetEnds(); ++end)
    {
        isInner[end] = mesh.IsInner(end / 4);
    }
    PipFlow flow(mesh, isInner);
    std::vector<bool> isForced(mesh.GetEnds(), false);
    const auto escapes = [&](uint32_t end) {
        const auto joints = GetForcedJoints(mesh, end);
        const bool meetsOther = std::any_of(joints.begin(), joints.end(), [&](uint32_t joint) {
            return isForced[joint];
        });
        if (meetsOther || !flow.Add(end))
        {
            return false;
        }
        for (uint32_t joint : joints)
        {
            isForced[joint] = true;
        }
        return true;
    };
    std::vector<bool> isTaken(count, false);
    uint32_t taken = 0;
    for (const bool mustEscape : {true, false})
    {
        for (uint32_t port = 0; port < ports && taken < ports; ++port)
        {
            const uint32_t ideal = (port * count / ports + turn) % count;
            for (uint32_t distance = 0; distance <= count; ++distance)
            {
                // 0, +1, -1, +2, ...
                const uint32_t shift = (distance + 1) / 2;
                const uint32_t place =
                    (distance % 2 == 1 ? ideal + shift : ideal + count - shift) % count;
                if (!isTaken[place] && (!mustEscape || escapes(ends[place])))
                {
                    isTaken[place] = true;
                    ++taken;
                    break;
                }
            }
        }
    }
    std::vector<uint32_t> places;
    places.reserve(ports);
    for (uint32_t place = 0; place < count; ++place)
    {
        if (isTaken[place])
        {
            places.push_back(ends[place]);
        }
    }
    return places;
}

std::vector<uint32_t>
PlacePipPorts(const PipMesh& mesh, uint32_t ports)
{
    const auto turns = static_cast<uint32_t>(mesh.GetFreeEnds().size());
    auto best = SpreadPipPorts(mesh, ports, 0);
    uint32_t most = CountFitting(mesh, best, 0);
    for (uint32_t turn = 1; turn < turns && most < ports / 2; ++turn)
    {
        auto places = SpreadPipPorts(mesh, ports, turn);
        const uint32_t fitting = CountFitting(mesh, places, most);
        if (fitting > most)
        {
            most = fitting;
            best = std::move(places);
        }
    }
    return best;
}

} // namespace ns3
