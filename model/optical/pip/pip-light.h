// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_LIGHT_H
#define PHOTONIC_RAILS_PIP_LIGHT_H

#include "pip-mesh.h"

#include "ns3/circuit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

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

#endif // PHOTONIC_RAILS_PIP_LIGHT_H
