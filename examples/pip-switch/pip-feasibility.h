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

/// What is known of whether circuits fit into a mesh together.
struct PipFeasibility
{
    PipSolver::Answer answer{PipSolver::UNKNOWN}; //!< whether all do
    PipStates states;                             //!< in which all are up, if they FIT
    uint32_t atLeast{0};                          //!< so many of them fit together
    uint32_t atMost{0};                           //!< no more of them do

    /// @return one line that says it
    std::string ToText() const;
};

/**
 * @brief Can circuits be up together? The router is asked first; if it does not find all light
 * paths, the solver is. How many of the circuits fit at least is what the router has found, how
 * many at most is what a maximum flow from their first to their second ports says.
 * @param mesh a mesh
 * @param places for each port its free end
 * @param circuits a matching of the ports
 * @param effort how hard to try
 * @return what is known; states have been checked by following the light
 */
PipFeasibility CheckPipFeasibility(const PipMesh& mesh,
                                   const std::vector<uint32_t>& places,
                                   const CircuitSet& circuits,
                                   const PipProofEffort& effort);

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_FEASIBILITY_H
