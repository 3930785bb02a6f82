// SPDX-License-Identifier: GPL-2.0-only

#include "pip-flow.h"

#include <algorithm>

namespace ns3
{

PipFlow::PipFlow(const PipMesh& mesh, const std::vector<bool>& arrives)
    : m_sink(2 * mesh.GetEnds()),
      m_arcs(m_sink + 1),
      m_before(m_sink + 1)
{
    for (uint32_t end = 0; end < mesh.GetEnds(); ++end)
    {
        // One light comes here, and is there or goes on to one of two cells.
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

} // namespace ns3
