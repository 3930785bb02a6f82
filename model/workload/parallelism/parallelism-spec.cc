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

} // namespace

uint64_t
ParallelismSpec::GetWorldSize() const
{
    return uint64_t{tp} * fsdp * pp;
}

uint64_t
ParallelismSpec::GetTokens() const
{
    return uint64_t{microBatchSize} * seqLen;
}

bool
ParallelismSpec::ReducesInEveryBackward() const
{
    return pp == 1;
}

std::vector<uint32_t>
ParallelismSpec::SplitLayers(uint32_t layers, uint32_t stages)
{
    if (layers >= stages && layers % stages == 0)
    {
        return std::vector<uint32_t>(stages, layers / stages);
    }
    const uint64_t weighted = uint64_t{layers} + 2;
    if (stages < 2 || weighted % stages != 0 || weighted / stages < 2)
    {
        return {};
    }
    std::vector<uint32_t> split(stages, static_cast<uint32_t>(weighted / stages));
    --split.front();
    --split.back();
    return split;
}

std::string
ParallelismSpec::Validate(const TransformerSpec& model) const
{
    std::string error = ValidateRanges();
    if (error.empty())
    {
        error = ValidateModel(model);
    }
    if (error.empty())
    {
        error = ValidatePlacement();
    }
    return error;
}

std::string
ParallelismSpec::ValidateRanges() const
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
    return !world.empty() ? world : CheckRange("microBatchSize x seqLen", GetTokens(), MAX_TOKENS);
}

std::string
ParallelismSpec::ValidateModel(const TransformerSpec& model) const
{
    std::ostringstream error;
    // With more ranks than key and value heads each of these is held by several ranks, as in
    // Megatron-LM; their few parameters are still counted as if they were split evenly.
    auto fits = [&model](uint32_t degree) {
        return model.heads % degree == 0 && model.ffn % degree == 0 &&
               (model.kvHeads % degree == 0 || degree % model.kvHeads == 0);
    };
    if (!fits(tp))
    {
        error << "tp=" << tp << ": must divide the " << model.heads << " heads of " << model.name
              << "; allowed: " << ListAllowed(model.heads, fits);
    }
    else if (seqLen % tp != 0)
    {
        error << "seqLen=" << seqLen << ": must be a multiple of tp=" << tp
              << " for sequence parallelism";
    }
    else if (SplitLayers(model.layers, pp).empty())
    {
        error << "pp=" << pp << ": " << model.layers << " layers of " << model.name
              << " cannot be split into so many equal stages; allowed: "
              << ListAllowed(model.layers + 2, [&model](uint32_t stages) {
                     return !SplitLayers(model.layers, stages).empty();
                 });
    }
    else if (model.tiedEmbeddings && pp > 1)
    {
        error << "pp=" << pp << ": " << model.name
              << " ties its output projection to its embedding, which needs them on one stage; "
                 "allowed: 1";
    }
    return error.str();
}

std::string
ParallelismSpec::ValidatePlacement() const
{
    std::ostringstream error;
    const uint64_t replica = uint64_t{tp} * fsdp;
    if (GetWorldSize() % gpusPerDomain != 0)
    {
        error << "tp x fsdp x pp = " << GetWorldSize()
              << ": must fill whole scale-up domains, that is be a multiple of gpusPerDomain="
              << gpusPerDomain;
    }
    else if (gpusPerDomain % tp != 0)
    {
        error << "tp=" << tp << ": a tensor-parallel group must lie inside one scale-up domain; "
              << "allowed for gpusPerDomain=" << gpusPerDomain << ": "
              << ListAllowed(gpusPerDomain,
                             [this](uint32_t degree) { return gpusPerDomain % degree == 0; });
    }
    else if (fsdp > 1 && gpusPerDomain != tp && gpusPerDomain % replica != 0)
    {
        error << "fsdp=" << fsdp << ": with gpusPerDomain=" << gpusPerDomain << " and tp=" << tp
              << " its groups lie neither inside one scale-up domain nor along one rail; allowed: "
              << "tp=" << gpusPerDomain << " with any fsdp, or fsdp="
              << ListAllowed(gpusPerDomain / tp,
                             [this](uint32_t degree) { return gpusPerDomain / tp % degree == 0; });
    }
    else if (pp > 1 && replica % gpusPerDomain != 0)
    {
        error << "pp=" << pp << ": with gpusPerDomain=" << gpusPerDomain
              << " the stages do not lie along one rail; tp x fsdp must be a multiple of "
              << gpusPerDomain;
    }
    return error.str();
}

} // namespace ns3
