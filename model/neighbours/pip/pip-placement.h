// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_PLACEMENT_H
#define PHOTONIC_RAILS_PIP_PLACEMENT_H

#include "pip-mesh.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief A maximum flow of light from free ends to given ends, in which at most one unit enters a
 * cell at each end. The flow is augmented one free end at a time, and a free end with a path keeps
 * one.
 *
 * The flow does not pair ends and allows light in both directions at a joint. It is therefore an
 * upper bound for light paths without a common end.
 */
class PipFlow
{
  public:
    /**
     * @param mesh a mesh
     * @param arrives by end: true if light that enters a cell at the end, or leaves at it if the
     * end is free, has reached its destination
     */
    PipFlow(const PipMesh& mesh, const std::vector<bool>& arrives);

    /**
     * @param end a free end
     * @return true if the flow can be augmented by light from this end, which it then includes
     */
    bool Add(uint32_t end);

  private:
    /// Add an arc of one unit, and its residual arc.
    void AddArc(uint32_t from, uint32_t to);

    uint32_t m_sink;
    std::vector<std::vector<uint32_t>> m_arcs; //!< by node
    std::vector<uint32_t> m_heads;             //!< by arc; an arc and its residual arc are adjacent
    std::vector<bool> m_free;                  //!< by arc
    std::vector<uint32_t> m_before;            //!< by node, the arc by which it was reached
};

/**
 * @file
 * Placement of the ports of a switch on the perimeter of a mesh.
 *
 * Near protruding hexagons two or three free ends may lead into the same joint for all states of
 * the cells. If all these ends were ports, few of their circuits would be possible together. The
 * placement avoids such ends.
 */

/**
 * @brief Spread ports evenly such that light of all ports can leave the perimeter at the same time.
 * Ports are placed one by one: each at the free end nearest to its position in an even spread that
 * has a path to the inner cells in addition to the previous ports (a maximum flow), and whose light
 * is not forced into the joint of another port. If a mesh has fewer such ends than ports, the
 * nearest free ends follow.
 * @param mesh a mesh
 * @param ports number of ports, at most the number of free ends
 * @param turn number of free ends by which the even spread is rotated clockwise
 * @return free ends, clockwise
 */
std::vector<uint32_t> SpreadPipPorts(const PipMesh& mesh, uint32_t ports, uint32_t turn);

/**
 * @brief Choose the rotation of the spread: route matchings of parallel chords in all directions
 * for each rotation, and take the first rotation at which the most matchings succeed.
 * @param mesh a mesh
 * @param ports number of ports, at most the number of free ends
 * @return the free end of each port, clockwise
 */
std::vector<uint32_t> PlacePipPorts(const PipMesh& mesh, uint32_t ports);

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_PLACEMENT_H
