// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_WORKLOAD_SPEC_H
#define PHOTONIC_RAILS_WORKLOAD_SPEC_H

#include "ns3/collective-algorithm.h"
#include "ns3/compute-model.h"
#include "ns3/expert-routing.h"
#include "ns3/framework.h"
#include "ns3/kernel-efficiency.h"
#include "ns3/parallelism-spec.h"
#include "ns3/transformer-spec.h"

#include <string>

namespace ns3
{

/// A training job: model, parallelism, framework rules, hardware and collective algorithms.
struct WorkloadSpec
{
    TransformerSpec model;        //!< the architecture
    ParallelismSpec parallelism;  //!< degrees
    FrameworkRules rules;         //!< of the framework
    GpuSpec gpu;                  //!< the GPU model of all ranks
    ComputeEfficiency efficiency; //!< shares of the GPU's peaks
    KernelEfficiency published;   //!< what published steps imply for GPU, framework and format
    ExpertPopularity popularity;  //!< popularity of the experts
    /// Algorithms of the kinds of collectives for which one was chosen. The others are rings, and
    /// direct exchange for an AllToAll whose ranks can all reach each other.
    CollectiveAlgorithms algorithms;

    /**
     * @brief Check the parts and their combination.
     * @return an empty string, or one line that begins with the name of the wrong input and names
     * the allowed values
     */
    std::string Validate() const;

    /// @return the pipeline, in which messages leave as the framework's host has them
    PipelineShape GetPipeline() const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_WORKLOAD_SPEC_H
