// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STAGE_COST_H
#define PHOTONIC_RAILS_STAGE_COST_H

#include "ns3/nstime.h"
#include "ns3/sharding-plan.h"
#include "ns3/workload-spec.h"

namespace ns3
{

/**
 * @brief What one micro-batch costs on one stage of a pipeline, on one rank, without communication
 * and with experts that are equally loaded.
 */
struct StageCost
{
    double modelFlops{0}; //!< three forwards of matrix products and attention
    Time forward;         //!< of all operators
    Time backwardInput;   //!< of gradients of inputs; with what full recomputation runs again
    Time backwardWeight;  //!< of gradients of weights

    /**
     * @param spec a job that passed validation
     * @param plan of the stage
     * @return its cost
     */
    static StageCost Make(const WorkloadSpec& spec, const ShardingPlan& plan);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STAGE_COST_H
