// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_MESH_H
#define PHOTONIC_RAILS_PIP_MESH_H

#include "ns3/circuit-fabric.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief A hexagonal mesh of programmable unit cells (PUCs), as in programmable photonic processors
 * (Perez et al., "Multipurpose silicon photonics signal processor core", Nat. Commun. 8:636, 2017).
 *
 * Each side of each hexagon is a cell: a tunable Mach-Zehnder coupler with two waveguides, one
 * along each of its sides. In bar state light stays on its side of the cell, in cross state it
 * changes sides. Where cells meet, each two of them share a joint, in the corner of 120 degrees
 * between them. Where only two meet, on the perimeter, their outer waveguide ends are free: there
 * ports can be.
 *
 * Rows of hexagons that stand on a corner; every other row is shifted to the right by half a
 * hexagon:
 *
 *       / \ / \ / \                             .
 *      |   |   |   |     row 0                  .
 *       \ / \ / \ / \                           .
 *        |   |   |   |   row 1                  .
 *       / \ / \ / \ /                           .
 *      |   |   |   |     row 2                  .
 *       \ / \ / \ /                             .
 *
 * A cell has four waveguide ends: 4 x cell + 0 and + 1 are at its first corner, on its left and
 * right side as seen from there, + 2 and + 3 at its second corner, on the same left and right side.
 * Bar joins 0 with 2 and 1 with 3, cross joins 0 with 3 and 1 with 2. So two lights that pass a
 * cell agree on its state exactly if they have no end in common.
 */
class PipMesh
{
  public:
    /// No end is joined to this one: it is free.
    static constexpr uint32_t NONE = 0xffffffff;
    /// Most rows, and most columns, of a mesh.
    static constexpr uint32_t MAX_SIDE = 32;

    /// The state of a cell.
    enum State : uint8_t
    {
        BAR,   //!< light stays on its side
        CROSS, //!< light changes sides
    };

    /// Where the corners of a cell are, in sides of a hexagon; y grows downwards.
    struct Place
    {
        double x1; //!< of the first corner
        double y1; //!< of the first corner
        double x2; //!< of the second corner
        double y2; //!< of the second corner
    };

    /**
     * @param rows of hexagons, 1 to MAX_SIDE
     * @param columns of hexagons, 1 to MAX_SIDE
     */
    PipMesh(uint32_t rows, uint32_t columns);

    /// @return rows of hexagons
    uint32_t GetRows() const;
    /// @return columns of hexagons
    uint32_t GetColumns() const;
    /// @return number of cells: 3 R C + 2 R + 2 C - 1
    uint32_t GetCells() const;
    /// @return number of waveguide ends: four a cell
    uint32_t GetEnds() const;
    /// @return number of joints: each of two ends
    uint32_t GetJoints() const;

    /**
     * @param end a waveguide end
     * @return the end that it is joined to, of another cell; NONE if it is free
     */
    uint32_t GetMate(uint32_t end) const;

    /// @return free ends, clockwise around the perimeter from the upper left: 4 (R + C + 1)
    const std::vector<uint32_t>& GetFreeEnds() const;

    /**
     * @param cell a cell
     * @return true if it is a side of two hexagons, not on the perimeter
     */
    bool IsInner(uint32_t cell) const;

    /**
     * @param cell a cell
     * @return where its corners are
     */
    Place GetPlace(uint32_t cell) const;

    /**
     * @param rows of hexagons
     * @param columns of hexagons
     * @return number of free ends, without making the mesh
     */
    static uint32_t CountFreeEnds(uint32_t rows, uint32_t columns);

    /**
     * @param end a waveguide end
     * @param state of its cell
     * @return the end of the same cell where light that enters at `end` leaves
     */
    static uint32_t Pass(uint32_t end, State state)
    {
        return end ^ (state == BAR ? 2U : 3U);
    }

  private:
    /// A corner of hexagons, and what meets there.
    struct Corner
    {
        int32_t x; //!< in halves of the width of a hexagon
        int32_t y; //!< in halves of its side
        std::vector<uint32_t> cells;
    };

    /// @return the number of the corner at a place, which is added if there is none
    uint32_t AddCorner(int32_t x, int32_t y);
    /// Add a cell between two corners, unless there is one.
    void AddCell(uint32_t from, uint32_t to);
    /// Join what meets at a corner.
    void Join(uint32_t corner);
    /// Walk around the perimeter and note free ends.
    void FindFreeEnds();
    /// @return the end of a cell at a corner; `left`: on its left side as seen from that corner
    uint32_t GetEnd(uint32_t cell, uint32_t corner, bool left) const;
    /// @return the other corner of a cell
    uint32_t GetFar(uint32_t cell, uint32_t corner) const;
    /// @return twice the area between two cells that leave a corner: positive if `b` is on the left
    int32_t Turn(uint32_t corner, uint32_t a, uint32_t b) const;

    uint32_t m_rows;
    uint32_t m_columns;
    std::vector<Corner> m_corners;
    std::vector<std::pair<uint32_t, uint32_t>> m_cells; //!< the first and second corner of each
    std::vector<bool> m_isInner;
    std::vector<uint32_t> m_mates;
    std::vector<uint32_t> m_freeEnds;
};

/// The state of each cell of a mesh.
using PipStates = std::vector<PipMesh::State>;

/**
 * @file
 * Where light goes in a mesh whose cells are set. It knows nothing of how light paths were found
 * and is what every plan is checked by.
 */

/// The way of light through a mesh.
struct PipPassage
{
    uint32_t exit;              //!< the free end where it comes out
    std::vector<uint32_t> ends; //!< of each cell that it passes, the end where it enters and the
                                //!< one where it leaves, in order

    /// @return the number of cells that it passes, each as often as it does
    uint32_t GetCells() const
    {
        return static_cast<uint32_t>(ends.size() / 2);
    }
};

/**
 * @brief Follow light until it comes out. It always does: what joints and cells do can be undone,
 * so that light from outside cannot get caught.
 * @param mesh a mesh
 * @param states of its cells, one for each
 * @param entry a free end
 * @return its way
 */
PipPassage FollowPipLight(const PipMesh& mesh, const PipStates& states, uint32_t entry);

/**
 * @brief Send light from both ports of each circuit and see whether it comes out at the other one.
 * @param mesh a mesh
 * @param ports for each port its free end
 * @param states of the cells
 * @param circuits to be up
 * @return an empty string, or the first circuit that is no matching's or whose light goes elsewhere
 */
std::string CheckPipCircuits(const PipMesh& mesh,
                             const std::vector<uint32_t>& ports,
                             const PipStates& states,
                             const CircuitSet& circuits);

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_MESH_H
