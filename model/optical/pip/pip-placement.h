// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_PLACEMENT_H
#define PHOTONIC_RAILS_PIP_PLACEMENT_H

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

/**
 * @file
 * Where the ports of a switch are on the perimeter of a mesh.
 *
 * Near protruding hexagons two or three free ends may lead into the same joint, whatever the cells
 * do. If all of them were ports, few circuits of theirs could ever be up together. An even spread
 * has to avoid that.
 */

/**
 * @brief Free ends as evenly spread as can be if the light of all of them is to leave the perimeter
 * at once. They are taken one by one: each the nearest to its place in an even spread that has a
 * way to the inner cells beside those taken before (a maximum flow), and whose light is not forced
 * into a joint into which that of another is. Where a mesh has fewer of these than ports, the
 * nearest free ends follow.
 * @param mesh a mesh
 * @param ports how many, at most the number of free ends
 * @param turn by how many free ends the even spread is turned clockwise
 * @return free ends, clockwise
 */
std::vector<uint32_t> SpreadPipPorts(const PipMesh& mesh, uint32_t ports, uint32_t turn);

/**
 * @brief The turn of the spread at which most light gets through: for each turn, matchings of
 * parallel chords in all directions are routed, as far as that takes to tell; the first turn at
 * which most of them fit is taken.
 * @param mesh a mesh
 * @param ports how many, at most the number of free ends
 * @return for each port its free end, clockwise
 */
std::vector<uint32_t> PlacePipPorts(const PipMesh& mesh, uint32_t ports);

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_PLACEMENT_H
