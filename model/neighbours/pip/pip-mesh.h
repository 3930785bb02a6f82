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
    /// The mate of a free end.
    static constexpr uint32_t NONE = 0xffffffff;
    /// Maximum number of rows, and of columns, of a mesh.
    static constexpr uint32_t MAX_SIDE = 32;

    /// The state of a cell.
    enum State : uint8_t
    {
        BAR,   //!< light stays on its side
        CROSS, //!< light changes sides
    };

    /// The corners of a cell, in units of the side of a hexagon; y grows downwards.
    struct Place
    {
        double x1; //!< of the first corner
        double y1; //!< of the first corner
        double x2; //!< of the second corner
        double y2; //!< of the second corner
    };

    /**
     * @param rows rows of hexagons, 1 to MAX_SIDE
     * @param columns columns of hexagons, 1 to MAX_SIDE
     */
    PipMesh(uint32_t rows, uint32_t columns);

    /// @return rows of hexagons
    uint32_t GetRows() const
    {
        return m_rows;
    }

    /// @return columns of hexagons
    uint32_t GetColumns() const
    {
        return m_columns;
    }

    /// @return number of cells: 3 R C + 2 R + 2 C - 1
    uint32_t GetCells() const
    {
        return static_cast<uint32_t>(m_cells.size());
    }

    /// @return number of waveguide ends: four per cell
    uint32_t GetEnds() const
    {
        return 4 * GetCells();
    }

    /// @return number of joints, each of two ends
    uint32_t GetJoints() const
    {
        return (GetEnds() - static_cast<uint32_t>(m_freeEnds.size())) / 2;
    }

    /**
     * @param end a waveguide end
     * @return the end of another cell at the same joint; NONE for a free end
     */
    uint32_t GetMate(uint32_t end) const
    {
        return m_mates[end];
    }

    /// @return free ends, clockwise around the perimeter from the upper left: 4 (R + C + 1)
    const std::vector<uint32_t>& GetFreeEnds() const
    {
        return m_freeEnds;
    }

    /**
     * @param cell a cell
     * @return true if the cell is a side of two hexagons, that is, not on the perimeter
     */
    bool IsInner(uint32_t cell) const
    {
        return m_isInner[cell];
    }

    /**
     * @param cell a cell
     * @return the positions of the corners
     */
    Place GetPlace(uint32_t cell) const;

    /**
     * @param rows rows of hexagons
     * @param columns columns of hexagons
     * @return number of free ends of such a mesh
     */
    static uint32_t CountFreeEnds(uint32_t rows, uint32_t columns)
    {
        return 4 * (rows + columns + 1);
    }

    /**
     * @param end a waveguide end
     * @param state state of the cell
     * @return the end of the same cell where light that enters at `end` leaves
     */
    static uint32_t Pass(uint32_t end, State state)
    {
        return end ^ (state == BAR ? 2U : 3U);
    }

  private:
    /// A corner of hexagons, and the cells that meet there.
    struct Corner
    {
        int32_t x; //!< in halves of the width of a hexagon
        int32_t y; //!< in halves of the side of a hexagon
        std::vector<uint32_t> cells;
    };

    /// Add the corner at a position unless it exists. @return the number of the corner
    uint32_t AddCorner(int32_t x, int32_t y);
    /// Add a cell between two corners unless it exists.
    void AddCell(uint32_t from, uint32_t to);
    /// Join the waveguides of the cells at a corner.
    void Join(uint32_t corner);
    /// Record the free ends around the perimeter.
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
    std::vector<std::pair<uint32_t, uint32_t>> m_cells; //!< first and second corner of each cell
    std::vector<bool> m_isInner;
    std::vector<uint32_t> m_mates;
    std::vector<uint32_t> m_freeEnds;
};

/// The state of each cell of a mesh.
using PipStates = std::vector<PipMesh::State>;

/**
 * @file
 * Propagation of light through a mesh with given states of the cells. Independent of the search for
 * light paths, and therefore used to check every plan.
 */

/// The path of light through a mesh.
struct PipPassage
{
    uint32_t exit;              //!< the free end where the light leaves
    std::vector<uint32_t> ends; //!< for each cell on the path, the end where the light enters and
                                //!< the end where it leaves, in order

    /// @return the number of cells on the path, counting repeated cells repeatedly
    uint32_t GetCells() const
    {
        return static_cast<uint32_t>(ends.size() / 2);
    }
};

/**
 * @brief Follow light until it leaves the mesh. Joints and cells are reversible, so light from
 * outside always leaves.
 * @param mesh a mesh
 * @param states states of all cells
 * @param entry the free end where the light enters
 * @return the path of the light
 */
PipPassage FollowPipLight(const PipMesh& mesh, const PipStates& states, uint32_t entry);

/**
 * @brief Check that light from each port of each circuit leaves at the other port.
 * @param mesh a mesh
 * @param ports the free end of each port
 * @param states states of all cells
 * @param circuits the expected circuits
 * @return an empty string, or the first circuit that violates the matching or whose light leaves
 * elsewhere
 */
std::string CheckPipCircuits(const PipMesh& mesh,
                             const std::vector<uint32_t>& ports,
                             const PipStates& states,
                             const CircuitSet& circuits);

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_MESH_H
