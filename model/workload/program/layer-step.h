// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LAYER_STEP_H
#define PHOTONIC_RAILS_LAYER_STEP_H

#include "rank-collective.h"

#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3
{

/// One step of a rank through a unit of the model: a computation or a collective.
struct LayerStep
{
    bool isCollective{false};
    bool isBeside{false};      //!< a collective that overlaps with the next computation; only steps
                               //!< after that computation wait for the collective
    bool needsExperts{false};  //!< a computation with the parameters of routed experts
    RankCollective collective; //!< only if isCollective
    Time duration;             //!< duration of a computation
    double flops{0};           //!< FLOPs of a computation
    std::string label;         //!< suffix after the names of pass and unit: " attention"
};

/// Steps in the order of issue; each step waits for the previous one.
using LayerSteps = std::vector<LayerStep>;

} // namespace ns3

#endif // PHOTONIC_RAILS_LAYER_STEP_H
