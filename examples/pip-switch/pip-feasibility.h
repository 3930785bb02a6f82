// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_FEASIBILITY_H
#define PHOTONIC_RAILS_PIP_FEASIBILITY_H

#include "pip-proof.h"
#include "pip-solver.h"

#include "ns3/circuit-fabric.h"
#include "ns3/pip-mesh.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The answer to the question whether circuits fit into a mesh together.
struct PipFeasibility
{
    PipSolver::Answer answer{PipSolver::UNKNOWN}; //!< whether all do
    PipStates states;                             //!< in which all are up, if they FIT
    uint32_t atLeast{0};                          //!< so many of them fit together
    uint32_t atMost{0};                           //!< no more of them do

    /// @return the answer in one line
    std::string ToText() const;
};

/**
 * @brief Find out whether circuits can be up together, with the router first and, if it does not
 * find all light paths, with the solver. The paths that the router has found are a lower bound of
 * the circuits that fit; a maximum flow from their first to their second ports is an upper bound.
 * @param mesh a mesh
 * @param places for each port its free end
 * @param circuits a matching of the ports
 * @param effort limits of the search
 * @return the answer; states have been checked by following the light
 */
PipFeasibility CheckPipFeasibility(const PipMesh& mesh,
                                   const std::vector<uint32_t>& places,
                                   const CircuitSet& circuits,
                                   const PipProofEffort& effort);

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_FEASIBILITY_H
