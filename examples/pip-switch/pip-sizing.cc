// SPDX-License-Identifier: GPL-2.0-only

#include "pip-sizing.h"

#include "ns3/pip-placement.h"

#include <chrono>
#include <utility>

namespace ns3
{

namespace
{

/// @return true if no switch at all needs fewer matchings
bool
IsLeast(const PipPlan& plan)
{
    return plan.error.empty() &&
           plan.matchings.size() == CountLeastMatchings(static_cast<uint32_t>(plan.places.size()));
}

} // namespace

PipTimedPlan
PlanPipSwitch(uint32_t rows, uint32_t columns, uint32_t ports, const PipProofEffort& effort)
{
    const auto start = std::chrono::steady_clock::now();
    const PipMesh mesh(rows, columns);
    PipTimedPlan timed;
    timed.plan = ProvePipMatchings(mesh, PlacePipPorts(mesh, ports), effort);
    timed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return timed;
}

PipSizing
FindSmallestPipMesh(uint32_t ports, const PipProofEffort& effort)
{
    uint32_t side = 1;
    while (side < PipMesh::MAX_SIDE && PipMesh::CountFreeEnds(side, side) < 2 * ports)
    {
        ++side;
    }
    PipSizing sizing;
    sizing.fitting = PlanPipSwitch(side, side, ports, effort);
    while (!IsLeast(sizing.fitting.plan) && side < PipMesh::MAX_SIDE)
    {
        sizing.tooSmall = std::move(sizing.fitting);
        ++side;
        sizing.fitting = PlanPipSwitch(side, side, ports, effort);
    }
    while (!sizing.tooSmall && side > 1 && PipMesh::CountFreeEnds(side - 1, side - 1) >= ports)
    {
        --side;
        auto smaller = PlanPipSwitch(side, side, ports, effort);
        if (IsLeast(smaller.plan))
        {
            sizing.fitting = std::move(smaller);
        }
        else
        {
            sizing.tooSmall = std::move(smaller);
        }
    }
    return sizing;
}

} // namespace ns3
