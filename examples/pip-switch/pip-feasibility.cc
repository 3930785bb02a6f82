// SPDX-License-Identifier: GPL-2.0-only

#include "pip-feasibility.h"

#include "ns3/abort.h"
#include "ns3/pip-mesh.h"
#include "ns3/pip-placement.h"
#include "ns3/pip-router.h"

#include <algorithm>

namespace ns3
{

std::string
PipFeasibility::ToText() const
{
    const std::string text = answer == PipSolver::FITS         ? "fits"
                             : answer == PipSolver::IMPOSSIBLE ? "is impossible"
                                                               : "is not known to fit";
    return text + ": at least " + std::to_string(atLeast) + " and at most " +
           std::to_string(atMost) + " of its circuits can be up together";
}

PipFeasibility
CheckPipFeasibility(const PipMesh& mesh,
                    const std::vector<uint32_t>& places,
                    const CircuitSet& circuits,
                    const PipProofEffort& effort)
{
    PipFeasibility feasibility;
    const auto all = static_cast<uint32_t>(circuits.size());
    std::vector<PipRouter::Request> requests;
    std::vector<bool> arrives(mesh.GetEnds(), false);
    for (const auto& circuit : circuits)
    {
        requests.emplace_back(places[circuit.a], places[circuit.b]);
        arrives[places[circuit.b]] = true;
    }
    const auto paths = PipRouter(mesh).Route(requests, effort.negotiation);
    feasibility.atLeast =
        all - static_cast<uint32_t>(std::count(paths.begin(), paths.end(), PipPath()));
    if (feasibility.atLeast == all)
    {
        feasibility.answer = PipSolver::FITS;
        feasibility.states.assign(mesh.GetCells(), PipMesh::BAR);
        SetPipStates(paths, feasibility.states);
    }
    else if (effort.solver)
    {
        feasibility.answer =
            PipSolver::FindStates(mesh, places, circuits, effort.conflicts, feasibility.states);
    }
    if (feasibility.answer == PipSolver::FITS)
    {
        const auto error = CheckPipCircuits(mesh, places, feasibility.states, circuits);
        NS_ABORT_MSG_IF(!error.empty(), "states that are no light paths: " << error);
        feasibility.atLeast = feasibility.atMost = all;
        return feasibility;
    }
    PipFlow flow(mesh, arrives);
    for (const auto& request : requests)
    {
        feasibility.atMost += flow.Add(request.first) ? 1 : 0;
    }
    if (feasibility.answer == PipSolver::IMPOSSIBLE)
    {
        feasibility.atMost = std::min(feasibility.atMost, all - 1);
    }
    else if (feasibility.atMost < all)
    {
        feasibility.answer = PipSolver::IMPOSSIBLE;
    }
    return feasibility;
}

} // namespace ns3
