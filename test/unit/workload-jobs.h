// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_WORKLOAD_JOBS_H
#define PHOTONIC_RAILS_WORKLOAD_JOBS_H

#include "ns3/framework.h"
#include "ns3/job-ranks.h"
#include "ns3/rank-program-builder.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{

/// @return rules of the traced workload
inline FrameworkRules
TracedRules()
{
    FrameworkRules rules = Variant<Framework>("torchtitan-0.1.0")->MakeRules();
    rules.reshard = ReshardPolicy::ALWAYS;
    rules.recomputation = Recomputation::FULL;
    return rules;
}

/**
 * @param model name of a preset
 * @param degrees parallelism with at least tp, fsdp and pp set
 * @param rules of the framework
 * @return the job
 */
inline WorkloadSpec
MakeJob(const char* model, ParallelismSpec degrees, const FrameworkRules& rules = TracedRules())
{
    if (degrees.gpusPerDomain == 1)
    {
        degrees.gpusPerDomain = degrees.tp;
    }
    WorkloadSpec job;
    job.model = *TransformerSpec::Find(model);
    job.parallelism = degrees;
    job.rules = rules;
    job.gpu = *GpuSpec::Find("a100");
    job.efficiency = {0.3, 0.3, 0.3, 1.0};
    EXPECT_EQ(job.Validate(), "");
    return job;
}

/// The traced workload: Llama3-8B on 4 x 4 A100.
inline WorkloadSpec
MakeTracedJob()
{
    ParallelismSpec degrees{4, 2, 2};
    degrees.microBatchSize = 4;
    degrees.microBatches = 2;
    return MakeJob("llama3-8b", degrees);
}

/**
 * @param job a job
 * @return the programs of its stages
 */
inline std::vector<std::shared_ptr<const RankProgram>>
Build(const WorkloadSpec& job)
{
    return JobRanks(job).GetPrograms();
}

/// What a rank has called, per kind.
struct Volume
{
    uint64_t count{0};
    uint64_t bytes{0};
};

/**
 * @param program a program
 * @param isCounted which operations
 * @return the volumes of its collectives
 */
template <typename F>
std::map<CollectiveKind, Volume>
Measure(const RankProgram& program, F isCounted)
{
    std::map<CollectiveKind, Volume> volumes;
    for (const auto& operation : program.GetOperations())
    {
        if (operation.place != RankOperation::GPU && isCounted(operation))
        {
            ++volumes[operation.kind].count;
            volumes[operation.kind].bytes += operation.bytes;
        }
    }
    return volumes;
}

/// Counts every collective.
inline bool
IsAny(const RankOperation&)
{
    return true;
}

/// Counts tensor parallelism.
inline bool
IsTp(const RankOperation& operation)
{
    return operation.dimension == Dimension::TP;
}

} // namespace ns3

#endif // PHOTONIC_RAILS_WORKLOAD_JOBS_H
