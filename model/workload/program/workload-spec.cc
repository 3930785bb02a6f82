// SPDX-License-Identifier: GPL-2.0-only

#include "workload-spec.h"

namespace ns3
{

namespace
{

// If experts are not equally popular, each rank of a group has its own program with sizes for all
// ranks of the group.
constexpr uint32_t MAX_UNEVEN_EP = 4096;

} // namespace

std::string
WorkloadSpec::Validate() const
{
    if (auto error = model.Validate(); !error.empty())
    {
        return error;
    }
    if (auto error = efficiency.Validate(); !error.empty())
    {
        return error;
    }
    if (model.moe.experts > 0)
    {
        if (auto error = popularity.Validate(model.moe.experts); !error.empty())
        {
            return error;
        }
    }
    if (auto error = parallelism.Validate(model, rules); !error.empty())
    {
        return error;
    }
    if (rules.products == ProductFormat::FP8 && !gpu.hasFp8)
    {
        return "precision=fp8: must be bf16, tf32 or fp32 on " + gpu.name;
    }
    if (popularity.kind != ExpertPopularity::UNIFORM && parallelism.ep > MAX_UNEVEN_EP)
    {
        return "ep=" + std::to_string(parallelism.ep) + ": must be 1 to " +
               std::to_string(MAX_UNEVEN_EP) + " unless popularity is uniform";
    }
    // Megatron-LM (moe_layer.py) rejects this combination in training.
    if (model.GetMoeLayers() > 0 && rules.tensorParallelism == TensorParallelStyle::MEGATRON &&
        !rules.sequenceParallel && parallelism.tp > 1)
    {
        return "sequenceParallel=false: must be true with experts and tp=" +
               std::to_string(parallelism.tp) + " (Megatron-LM)";
    }
    return "";
}

PipelineShape
WorkloadSpec::GetPipeline() const
{
    PipelineShape shape = parallelism.GetPipeline();
    shape.sendsInPairs = rules.waitsForMessages && shape.schedule == "interleaved";
    return shape;
}

} // namespace ns3
