// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_WORKLOAD_SPEC_H
#define PHOTONIC_RAILS_WORKLOAD_SPEC_H

#include "ns3/compute-model.h"
#include "ns3/expert-routing.h"
#include "ns3/framework-rules.h"
#include "ns3/gpu-spec.h"
#include "ns3/parallelism-spec.h"
#include "ns3/transformer-spec.h"

#include <string>

namespace ns3
{

/// What is trained, how it is spread, by which framework, and on what.
struct WorkloadSpec
{
    TransformerSpec model;        //!< the architecture
    ParallelismSpec parallelism;  //!< degrees
    FrameworkRules rules;         //!< of the framework
    GpuSpec gpu;                  //!< every GPU of the job
    ComputeEfficiency efficiency; //!< shares of the GPU's peaks
    ExpertPopularity popularity;  //!< which experts tokens choose

    /**
     * @brief Check that the parts fit each other.
     * @return an empty string, or one line that begins with the name of the bad input and says what
     * is allowed
     */
    std::string Validate() const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_WORKLOAD_SPEC_H
