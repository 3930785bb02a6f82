// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_SOLVER_H
#define PHOTONIC_RAILS_PIP_SOLVER_H

#include "ns3/circuit-fabric.h"
#include "ns3/pip-mesh.h"
#include "ns3/pip-plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Answers by proof whether circuits fit into a mesh: questions become formulas for a SAT
 * solver, CaDiCaL (Biere et al., SAT Competition 2020), if it was there when the module was
 * configured.
 *
 * A variable for each cell says whether it is in cross state; variables for each joint say whose
 * light is there. A cell makes the ends that its state connects equal. Since light that enters at a
 * free end comes out at another one, light that is labelled at one port and found at the other has
 * come that way; labels on rings of light inside the mesh do no harm. So every setting of the cells
 * is considered, also those in which light passes a cell twice.
 */
class PipSolver
{
  public:
    /// The answer of a solver.
    enum Answer
    {
        FITS,       //!< here are the states
        IMPOSSIBLE, //!< whatever the states are
        UNKNOWN,    //!< there is no solver, or it gave up
    };

    /// @return true if there is a solver
    static bool IsAvailable();
    /// @return its name and version, or "none"
    static std::string GetName();

    /**
     * @brief Are there states in which all circuits are up?
     * @param mesh a mesh
     * @param places for each port its free end
     * @param circuits a matching
     * @param conflicts after how many the solver gives up; the same on every machine
     * @param states gets the states, if it FITS
     * @return the answer
     */
    static Answer FindStates(const PipMesh& mesh,
                             const std::vector<uint32_t>& places,
                             const CircuitSet& circuits,
                             uint32_t conflicts,
                             PipStates& states);

    /**
     * @brief Are there so many matchings that cover all pairs of ports?
     * @param mesh a mesh
     * @param places for each port its free end
     * @param count number of matchings, at least that of ports less one
     * @param conflicts after how many the solver gives up; the same on every machine
     * @param matchings gets them, if it FITS; each pair is in one of them
     * @return the answer
     */
    static Answer FindMatchings(const PipMesh& mesh,
                                const std::vector<uint32_t>& places,
                                uint32_t count,
                                uint32_t conflicts,
                                std::vector<PipMatching>& matchings);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_SOLVER_H
