// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_SIZING_H
#define PHOTONIC_RAILS_PIP_SIZING_H

#include "pip-proof.h"

#include "ns3/pip-plan.h"

#include <cstdint>
#include <optional>

namespace ns3
{

/// A plan, and how long it took to place the ports and to find it.
struct PipTimedPlan
{
    PipPlan plan;
    double seconds{0}; //!< of the wall clock
};

/// The smallest mesh that was found for some ports, and the one that is too small.
struct PipSizing
{
    PipTimedPlan fitting;                 //!< with as few matchings as a switch can have
    std::optional<PipTimedPlan> tooSmall; //!< one row and column less, if that can have the ports
};

/**
 * @brief Place ports on a mesh and plan its matchings.
 * @param rows of hexagons
 * @param columns of hexagons
 * @param ports of the switch, no more than free ends
 * @param effort limits of the search
 * @return the plan
 */
PipTimedPlan PlanPipSwitch(uint32_t rows,
                           uint32_t columns,
                           uint32_t ports,
                           const PipProofEffort& effort);

/**
 * @brief Look for the smallest square mesh on which n ports need no more than n - 1 matchings (n,
 * if n is odd). The search begins near the result, with twice as many free ends as ports, and
 * assumes that a mesh can do whatever smaller ones can.
 * @param ports of the switch, from 2
 * @param effort limits of the search
 * @return the meshes on both sides of the limit; where the largest mesh is too small, that one
 */
PipSizing FindSmallestPipMesh(uint32_t ports, const PipProofEffort& effort);

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_SIZING_H
