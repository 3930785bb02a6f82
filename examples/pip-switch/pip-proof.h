// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_PROOF_H
#define PHOTONIC_RAILS_PIP_PROOF_H

#include "ns3/pip-plan.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// How hard a plan is looked for, with questions to a solver.
struct PipProofEffort : public PipEffort
{
    bool solver{true}; //!< ask the solver, if there is one
    /// Most ports for which the solver is asked for whole plans.
    uint32_t solverPorts{8};
    /// Conflicts after which the solver gives up a question; a second or so for a hundred thousand.
    uint32_t conflicts{200000};
};

/**
 * @brief Find few matchings that cover all pairs of the ports of a mesh, as PlanPipMatchings does,
 * and ask a solver where the search ends: about matchings for which the router finds no light
 * paths, and, with few ports, whether fewer matchings would do. The solver gives a better plan or
 * proves that there is none, which raises the lower bound.
 *
 * The result depends on nothing but the arguments and on whether there is a solver.
 *
 * @param mesh a mesh
 * @param places for each port its free end, clockwise
 * @param effort limits of the search
 * @return a plan that has passed its check, or an error that names a pair of ports without a path
 */
PipPlan ProvePipMatchings(const PipMesh& mesh,
                          const std::vector<uint32_t>& places,
                          const PipProofEffort& effort);

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_PROOF_H
