// SPDX-License-Identifier: GPL-2.0-only

#include "pip-mesh.h"

#include "ns3/assert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace ns3
{

namespace
{

/// Corners of a hexagon from its centre, clockwise from the top as y grows downwards.
constexpr std::array<std::array<int32_t, 2>, 6> CORNERS{
    {{0, -2}, {1, -1}, {1, 1}, {0, 2}, {-1, 1}, {-1, -1}}};

} // namespace

PipMesh::PipMesh(uint32_t rows, uint32_t columns)
    : m_rows(rows),
      m_columns(columns)
{
    NS_ASSERT(rows >= 1 && rows <= MAX_SIDE && columns >= 1 && columns <= MAX_SIDE);
    for (uint32_t row = 0; row < rows; ++row)
    {
        for (uint32_t column = 0; column < columns; ++column)
        {
            const auto x = static_cast<int32_t>(2 * column + row % 2);
            const auto y = static_cast<int32_t>(3 * row);
            std::array<uint32_t, CORNERS.size()> around{};
            for (std::size_t i = 0; i < CORNERS.size(); ++i)
            {
                around[i] = AddCorner(x + CORNERS[i][0], y + CORNERS[i][1]);
            }
            for (std::size_t i = 0; i < around.size(); ++i)
            {
                AddCell(around[i], around[(i + 1) % around.size()]);
            }
        }
    }
    m_mates.assign(GetEnds(), NONE);
    for (uint32_t corner = 0; corner < m_corners.size(); ++corner)
    {
        Join(corner);
    }
    FindFreeEnds();
}

uint32_t
PipMesh::AddCorner(int32_t x, int32_t y)
{
    const auto found =
        std::find_if(m_corners.begin(), m_corners.end(), [x, y](const Corner& corner) {
            return corner.x == x && corner.y == y;
        });
    if (found != m_corners.end())
    {
        return static_cast<uint32_t>(found - m_corners.begin());
    }
    m_corners.push_back(Corner{x, y, {}});
    return static_cast<uint32_t>(m_corners.size() - 1);
}

void
PipMesh::AddCell(uint32_t from, uint32_t to)
{
    for (uint32_t cell : m_corners[from].cells)
    {
        if (GetFar(cell, from) == to)
        {
            m_isInner[cell] = true;
            return;
        }
    }
    const auto cell = static_cast<uint32_t>(m_cells.size());
    m_cells.emplace_back(from, to);
    m_isInner.push_back(false);
    m_corners[from].cells.push_back(cell);
    m_corners[to].cells.push_back(cell);
}

uint32_t
PipMesh::GetFar(uint32_t cell, uint32_t corner) const
{
    return m_cells[cell].first == corner ? m_cells[cell].second : m_cells[cell].first;
}

uint32_t
PipMesh::GetEnd(uint32_t cell, uint32_t corner, bool left) const
{
    // The left side as seen from the second corner is the right side as seen from the first.
    const bool isFirst = m_cells[cell].first == corner;
    return 4 * cell + (isFirst ? 0 : 2) + (left == isFirst ? 0 : 1);
}

int32_t
PipMesh::Turn(uint32_t corner, uint32_t a, uint32_t b) const
{
    const Corner& here = m_corners[corner];
    const Corner& endA = m_corners[GetFar(a, corner)];
    const Corner& endB = m_corners[GetFar(b, corner)];
    // y grows downwards, so that a turn to the left has a negative product.
    return (endA.y - here.y) * (endB.x - here.x) - (endA.x - here.x) * (endB.y - here.y);
}

void
PipMesh::Join(uint32_t corner)
{
    // Any two cells at a corner are 120 degrees apart: one is to the left of the other, with no
    // cell between them.
    const auto& cells = m_corners[corner].cells;
    for (uint32_t a : cells)
    {
        for (uint32_t b : cells)
        {
            if (a != b && Turn(corner, a, b) > 0)
            {
                const uint32_t one = GetEnd(a, corner, true);
                const uint32_t other = GetEnd(b, corner, false);
                m_mates[one] = other;
                m_mates[other] = one;
            }
        }
    }
}

void
PipMesh::FindFreeEnds()
{
    // The first corner is the top of the first hexagon, and its first cell leads clockwise. At each
    // corner the perimeter continues with the leftmost cell.
    const uint32_t start = 0;
    uint32_t corner = start;
    uint32_t cell = m_corners[start].cells.front();
    do
    {
        const uint32_t next = GetFar(cell, corner);
        const auto& cells = m_corners[next].cells;
        uint32_t onward = NONE;
        for (uint32_t candidate : cells)
        {
            if (candidate != cell && (onward == NONE || Turn(next, onward, candidate) > 0))
            {
                onward = candidate;
            }
        }
        if (cells.size() == 2)
        {
            // Clockwise along the perimeter, the outside is on the left.
            m_freeEnds.push_back(GetEnd(cell, next, false));
            m_freeEnds.push_back(GetEnd(onward, next, true));
        }
        corner = next;
        cell = onward;
    } while (corner != start);
    std::rotate(m_freeEnds.begin(), m_freeEnds.end() - 2, m_freeEnds.end());
}

PipMesh::Place
PipMesh::GetPlace(uint32_t cell) const
{
    const Corner& first = m_corners[m_cells[cell].first];
    const Corner& second = m_corners[m_cells[cell].second];
    const double width = std::sqrt(3.0) / 2;
    return Place{width * first.x, 0.5 * first.y, width * second.x, 0.5 * second.y};
}

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
