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
    bool isBeside{false};      //!< a collective that runs beside the next computation; only what
                               //!< comes after that computation waits for it
    bool needsExperts{false};  //!< a computation with the parameters of routed experts
    RankCollective collective; //!< if it is one
    Time duration;             //!< of a computation
    double flops{0};           //!< of a computation
    std::string label;         //!< what follows the names of pass and unit: " attention"
};

/// Steps in the order in which they are issued; each waits for the one before it.
using LayerSteps = std::vector<LayerStep>;

} // namespace ns3

#endif // PHOTONIC_RAILS_LAYER_STEP_H
