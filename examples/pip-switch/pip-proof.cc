// SPDX-License-Identifier: GPL-2.0-only

#include "pip-proof.h"

#include "pip-solver.h"

#include <utility>

namespace ns3
{

PipPlan
ProvePipMatchings(const PipMesh& mesh,
                  const std::vector<uint32_t>& places,
                  const PipProofEffort& effort)
{
    if (!effort.solver)
    {
        return PlanPipMatchings(mesh, places, effort);
    }
    auto plan = PlanPipMatchings(mesh, places, effort, [&](const CircuitSet& circuits) {
        PipStates states;
        const auto answer =
            PipSolver::FindStates(mesh, places, circuits, effort.conflicts / 10, states);
        return answer == PipSolver::FITS ? states : PipStates();
    });
    // From the lower bound upwards.
    while (plan.error.empty() && places.size() <= effort.solverPorts &&
           plan.lowerBound < plan.matchings.size())
    {
        std::vector<PipMatching> matchings;
        const auto answer =
            PipSolver::FindMatchings(mesh, places, plan.lowerBound, effort.conflicts, matchings);
        if (answer == PipSolver::FITS)
        {
            plan.matchings = std::move(matchings);
            plan.Sort();
        }
        if (answer != PipSolver::IMPOSSIBLE)
        {
            break;
        }
        ++plan.lowerBound;
    }
    return plan;
}

} // namespace ns3
