// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_FLOW_H
#define PHOTONIC_RAILS_PIP_FLOW_H

#include "pip-mesh.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The most light that gets from free ends to given places if no two lights enter a cell at
 * the same end: a maximum flow of units, augmented one free end at a time. What has a way keeps
 * one.
 *
 * It does not ask where which light goes, and lets two lights pass a joint in opposite directions:
 * so it never says less than light paths without a common end could carry.
 */
class PipFlow
{
  public:
    /**
     * @param mesh a mesh
     * @param arrives by end: light has got there when it enters a cell at this end or, if the end
     * is free, when it leaves at it
     */
    PipFlow(const PipMesh& mesh, const std::vector<bool>& arrives);

    /**
     * @param end a free end
     * @return true, and it counts from now on, if the light of this end gets there, too
     */
    bool Add(uint32_t end);

  private:
    /// An arc for one unit, and the way back that it opens when it is used.
    void AddArc(uint32_t from, uint32_t to);

    uint32_t m_sink;
    std::vector<std::vector<uint32_t>> m_arcs; //!< by node
    std::vector<uint32_t> m_heads;             //!< by arc; an arc and its way back are neighbours
    std::vector<bool> m_free;                  //!< by arc
    std::vector<uint32_t> m_before;            //!< by node, the arc by which it was reached
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_FLOW_H
