// SPDX-License-Identifier: GPL-2.0-only

#include "parallelism-spec.h"

#include <functional>
#include <sstream>

namespace ns3
{

namespace
{

// Far above any machine that exists, far below what would overflow a product of two.
constexpr uint32_t MAX_DEGREE = 1U << 17;
constexpr uint64_t MAX_WORLD = 1U << 20;
constexpr uint32_t MAX_MICRO_BATCHES = 4096;
constexpr uint32_t MAX_SEQ_LEN = 1U << 24;
constexpr uint64_t MAX_TOKENS = 1ULL << 32;

/**
 * @param last the largest candidate
 * @param allowed the test
 * @return the candidates from 1 to last that pass the test: "1, 2, 4"
 */
std::string
ListAllowed(uint32_t last, const std::function<bool(uint32_t)>& allowed)
{
    std::ostringstream list;
    const char* separator = "";
    for (uint32_t value = 1; value <= last; ++value)
    {
        if (allowed(value))
        {
            list << separator << value;
            separator = ", ";
        }
    }
    return list.str();
}

/**
 * @param name an input
 * @param value its value
 * @param last its largest allowed value
 * @return empty if 1 <= value <= last
 */
std::string
CheckRange(const char* name, uint64_t value, uint64_t last)
{
    if (value >= 1 && value <= last)
    {
        return "";
    }
    std::ostringstream error;
    error << name << "=" << value << ": must be 1 to " << last;
    return error.str();
}

/// @return an empty string, or why a model cannot be split this way
std::string
ValidateModel(const TransformerSpec& model,
              const FrameworkRules& rules,
              const ParallelismSpec& spec)
{
    std::ostringstream error;
    const uint32_t heads = model.attention.heads;
    // With more ranks than key and value heads each of these is held by several ranks, as in
    // Megatron-LM; their few parameters are still counted as if they were split evenly.
    auto fits = [&model, heads](uint32_t degree) { return heads % degree == 0; };
    auto splits = [&model, &rules](uint32_t stages) {
        return !ParallelismSpec::SplitLayers(model.layers, stages, rules.split).empty();
    };
    if (!fits(spec.tp))
    {
        error << "tp=" << spec.tp << ": must divide the " << heads << " heads of " << model.name
              << "; allowed: " << ListAllowed(heads, fits);
    }
    else if (spec.seqLen % spec.tp != 0)
    {
        error << "seqLen=" << spec.seqLen << ": must be a multiple of tp=" << spec.tp
              << " for sequence parallelism";
    }
    else if (!splits(spec.GetPipeline().GetStages()))
    {
        error << "pp=" << spec.pp << ": " << model.layers << " layers of " << model.name
              << " cannot be split into so many stages; allowed: "
              << ListAllowed(model.layers + 2, splits);
    }
    return error.str();
}

} // namespace

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
    if (weighted / stages < 2)
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

std::string
ParallelismSpec::Validate(const TransformerSpec& model, const FrameworkRules& rules) const
{
    const std::string errors[] = {
        CheckRange("tp", tp, MAX_DEGREE),
        CheckRange("fsdp", fsdp, MAX_DEGREE),
        CheckRange("pp", pp, MAX_DEGREE),
        CheckRange("microBatchSize", microBatchSize, MAX_DEGREE),
        CheckRange("microBatches", microBatches, MAX_MICRO_BATCHES),
        CheckRange("seqLen", seqLen, MAX_SEQ_LEN),
        CheckRange("gpusPerDomain", gpusPerDomain, MAX_DEGREE),
    };
    for (const auto& error : errors)
    {
        if (!error.empty())
        {
            return error;
        }
    }
    const std::string world = CheckRange("tp x fsdp x pp", GetWorldSize(), MAX_WORLD);
    if (!world.empty())
    {
        return world;
    }
    if (auto error = CheckRange("microBatchSize x seqLen", GetTokens(), MAX_TOKENS); !error.empty())
    {
        return error;
    }
    return ValidateModel(model, rules, *this);
}

} // namespace ns3
