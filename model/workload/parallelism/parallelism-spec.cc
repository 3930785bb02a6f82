// SPDX-License-Identifier: GPL-2.0-only

#include "parallelism-spec.h"

namespace ns3
{

uint64_t
ParallelismSpec::GetWorldSize() const
{
    return GetPlaneSize() * replicate * pp;
}

uint64_t
ParallelismSpec::GetPlaneSize() const
{
    return uint64_t{tp} * cp * fsdp;
}

uint64_t
ParallelismSpec::GetExpertShards() const
{
    return GetPlaneSize() / ep / expertTp;
}

uint64_t
ParallelismSpec::GetTokens() const
{
    return uint64_t{microBatchSize} * seqLen;
}

uint64_t
ParallelismSpec::GetContextTokens() const
{
    return GetTokens() / cp;
}

PipelineShape
ParallelismSpec::GetPipeline() const
{
    return {schedule, pp, virtualStages, microBatches};
}

std::vector<uint32_t>
ParallelismSpec::SplitLayers(uint32_t layers, uint32_t stages, StageSplit rule)
{
    if (rule == StageSplit::EVEN || stages == 1)
    {
        return layers >= stages && layers % stages == 0
                   ? std::vector<uint32_t>(stages, layers / stages)
                   : std::vector<uint32_t>{};
    }
    const uint32_t weighted = layers + 2;
    if (stages > weighted)
    {
        return {};
    }
    std::vector<uint32_t> split(stages, weighted / stages);
    for (uint32_t stage = 0; stage < weighted % stages; ++stage)
    {
        ++split[stage];
    }
    --split.front();
    --split.back();
    return split;
}

} // namespace ns3
