// SPDX-License-Identifier: GPL-2.0-only

#include "data-parallel-emitter.h"

#include "layer-emitter.h"
#include "partial-sums.h"

#include <algorithm>

namespace ns3
{

std::unique_ptr<DataParallelEmitter>
DataParallelEmitter::Create(const WorkloadSpec& spec,
                            const RankModel& model,
                            RankProgramEmitter& program)
{
    if (spec.rules.dataParallelism == DataParallelism::FSDP)
    {
        return std::make_unique<ShardEmitter>(spec, model, program);
    }
    return std::make_unique<BucketEmitter>(spec, model, program);
}

DataParallelEmitter::DataParallelEmitter(const WorkloadSpec& spec,
                                         const RankModel& model,
                                         RankProgramEmitter& program)
    : m_spec(spec),
      m_model(model),
      m_program(program)
{
}

uint64_t
DataParallelEmitter::GetGradientBytes() const
{
    return GetBytes(m_spec.rules.gradients);
}

BucketEmitter::BucketEmitter(const WorkloadSpec& spec,
                             const RankModel& model,
                             RankProgramEmitter& program)
    : DataParallelEmitter(spec, model, program),
      m_isSharded(spec.rules.dataParallelism == DataParallelism::DISTRIBUTED_OPTIMIZER),
      m_isAccumulated(spec.rules.accumulatesGradients || m_isSharded)
{
    for (const auto& chunk : model.GetChunks())
    {
        m_buckets.emplace_back();
        for (auto& bucket : chunk.plan.GetBuckets())
        {
            const std::size_t missing = bucket.units.size();
            m_buckets.back().push_back({std::move(bucket), missing});
        }
    }
}

void
BucketEmitter::BeginPass(const ModelPass&)
{
    // Whole parameters are always in memory.
}

void
BucketEmitter::Need(const ModelPass&, std::size_t, bool)
{
}

void
BucketEmitter::EndModule(const ModelPass& pass, std::size_t index)
{
    if (m_isAccumulated ? !pass.isLast : !HasWeightPart(pass.kind))
    {
        return;
    }
    const ModelModule& module = m_model.GetChunks()[pass.chunk].modules[index];
    if (module.hasExperts)
    {
        Complete(pass.chunk, module.unit + 1);
    }
    Complete(pass.chunk, module.unit);
}

void
BucketEmitter::Complete(uint32_t chunk, std::size_t unit)
{
    for (auto& bucket : m_buckets[chunk])
    {
        const auto& units = bucket.content.units;
        if (std::find(units.begin(), units.end(), unit) == units.end() || --bucket.missing > 0)
        {
            continue;
        }
        bucket.missing = units.size();
        if (m_spec.rules.overlapsReduction)
        {
            Reduce(chunk, bucket.content);
        }
    }
}

void
BucketEmitter::Reduce(uint32_t chunk, const GradientBucket& bucket)
{
    if (!m_program.HasPeers(bucket.copies))
    {
        return;
    }
    const auto& last = m_model.GetChunks()[chunk].plan.GetUnits()[bucket.units.back()];
    const uint64_t parameters =
        m_isSharded ? GetShare(bucket) * m_program.GetSize(bucket.copies) : bucket.parameters;
    m_lastReduce = m_program.Parallel(
        {Dimension::DP,
         bucket.copies,
         m_isSharded ? CollectiveKind::REDUCE_SCATTER : CollectiveKind::ALL_REDUCE,
         parameters * GetGradientBytes(),
         nullptr},
        "gradients down to " + RankModel::GetName(last),
        m_program.GetFront());
}

void
BucketEmitter::EndPass(const ModelPass& pass)
{
    if (m_isAccumulated || !HasWeightPart(pass.kind))
    {
        return;
    }
    if (!m_spec.rules.overlapsReduction)
    {
        ReduceChunk(pass.chunk);
    }
    Wait();
}

void
BucketEmitter::Finish()
{
    for (uint32_t chunk = 0; chunk < m_buckets.size(); ++chunk)
    {
        if (m_isAccumulated && !m_spec.rules.overlapsReduction)
        {
            ReduceChunk(chunk);
        }
    }
    Wait();
}

void
BucketEmitter::ReduceChunk(uint32_t chunk)
{
    for (const auto& bucket : m_buckets[chunk])
    {
        Reduce(chunk, bucket.content);
    }
}

void
BucketEmitter::Wait()
{
    if (m_lastReduce)
    {
        m_program.Wait(
            *m_lastReduce); // the stream is in order, so all other reductions have ended too
    }
}

void
BucketEmitter::EndStep()
{
    if (!m_isSharded)
    {
        return;
    }
    for (uint32_t chunk = 0; chunk < m_buckets.size(); ++chunk)
    {
        for (const auto& bucket : m_buckets[chunk])
        {
            const auto& first =
                m_model.GetChunks()[chunk].plan.GetUnits()[bucket.content.units.back()];
            m_program.Serial({Dimension::DP,
                              bucket.content.copies,
                              CollectiveKind::ALL_GATHER,
                              GetShare(bucket.content) * BF16_BYTES,
                              nullptr},
                             "parameters down to " + RankModel::GetName(first));
        }
    }
}

uint64_t
BucketEmitter::GetShare(const GradientBucket& bucket) const
{
    const uint64_t ranks = m_isSharded ? m_program.GetSize(bucket.copies) : 1;
    return (bucket.parameters + ranks - 1) / ranks;
}

uint64_t
BucketEmitter::GetOwned() const
{
    uint64_t sum = 0;
    for (const auto& chunk : m_buckets)
    {
        for (const auto& bucket : chunk)
        {
            sum += GetShare(bucket.content);
        }
    }
    return sum;
}

namespace
{

// The number of AllGathers of a pass, in addition to prefetched ones, that may be issued before the
// first unit of the pass computes; each later AllGather waits for the end of a unit. See
// ShardEmitter.
constexpr std::size_t FORWARD_GATHERS_AHEAD = 2;
constexpr std::size_t BACKWARD_GATHERS_AHEAD = 1;

} // namespace

ShardEmitter::ShardEmitter(const WorkloadSpec& spec,
                           const RankModel& model,
                           RankProgramEmitter& program)
    : DataParallelEmitter(spec, model, program),
      m_isReduced(model.GetChunks().size(), false)
{
    for (const auto& chunk : model.GetChunks())
    {
        m_units.emplace_back(chunk.plan.GetUnits().size());
    }
}

std::size_t
ShardEmitter::GetAhead(const ModelPass& pass) const
{
    return m_spec.rules.prefetch +
           (pass.kind == ComputePass::FORWARD ? FORWARD_GATHERS_AHEAD : BACKWARD_GATHERS_AHEAD);
}

void
ShardEmitter::BeginPass(const ModelPass& pass)
{
    for (std::size_t position = 0; position < GetAhead(pass); ++position)
    {
        Gather(pass, position);
    }
}

void
ShardEmitter::Gather(const ModelPass& pass, std::size_t position)
{
    const ModelChunk& chunk = m_model.GetChunks()[pass.chunk];
    if (pass.kind == ComputePass::BACKWARD_WEIGHT || position >= chunk.modules.size())
    {
        return;
    }
    const bool isForward = pass.kind == ComputePass::FORWARD;
    const ModelModule& module =
        chunk.modules[isForward ? position : chunk.modules.size() - 1 - position];
    const std::string label = pass.label + " " + module.name;
    GatherUnit(pass.chunk, module.unit, label);
    if (module.hasExperts)
    {
        GatherUnit(pass.chunk, module.unit + 1, label + " experts");
    }
}

void
ShardEmitter::GatherUnit(uint32_t chunk, std::size_t index, const std::string& label)
{
    UnitState& state = m_units[chunk][index];
    const ShardingUnit& unit = m_model.GetChunks()[chunk].plan.GetUnits()[index];
    if (state.isGathered || !m_program.HasPeers(unit.shards))
    {
        return;
    }
    state.isGathered = true;
    state.gather = m_program.Parallel({Dimension::FSDP,
                                       unit.shards,
                                       CollectiveKind::ALL_GATHER,
                                       unit.shardParameters * BF16_BYTES,
                                       nullptr},
                                      label + " parameters",
                                      m_program.GetFront());
}

void
ShardEmitter::Need(const ModelPass& pass, std::size_t module, bool isExperts)
{
    const ModelModule& own = m_model.GetChunks()[pass.chunk].modules[module];
    if (isExperts && !own.hasExperts)
    {
        return; // the experts are part of the layer's unit
    }
    UnitState& state = m_units[pass.chunk][own.unit + (isExperts ? 1 : 0)];
    if (state.gather)
    {
        m_program.Wait(*state.gather);
        state.gather.reset();
    }
}

void
ShardEmitter::EndModule(const ModelPass& pass, std::size_t index)
{
    const ModelChunk& chunk = m_model.GetChunks()[pass.chunk];
    const ModelModule& module = chunk.modules[index];
    const bool isForward = pass.kind == ComputePass::FORWARD;
    if (isForward)
    {
        for (std::size_t unit = module.unit; unit <= module.unit + module.hasExperts; ++unit)
        {
            if (IsReshared(chunk.plan.GetUnits()[unit]))
            {
                m_units[pass.chunk][unit].isGathered = false;
            }
        }
    }
    else if (m_spec.parallelism.pp == 1 && HasWeightPart(pass.kind))
    {
        if (module.hasExperts)
        {
            Reduce(pass.chunk, module.unit + 1);
        }
        Reduce(pass.chunk, module.unit);
    }
    Gather(pass, (isForward ? index : chunk.modules.size() - 1 - index) + GetAhead(pass));
}

void
ShardEmitter::EndPass(const ModelPass& pass)
{
    if (m_spec.parallelism.pp > 1 && pass.isLast && !pass.isLastOfAll)
    {
        ReduceChunk(pass.chunk);
    }
}

void
ShardEmitter::ReduceChunk(uint32_t chunk)
{
    m_isReduced[chunk] = true;
    for (std::size_t unit = 0; unit < m_units[chunk].size(); ++unit)
    {
        Reduce(chunk, unit);
    }
}

void
ShardEmitter::Reduce(uint32_t chunk, std::size_t index)
{
    const ShardingUnit& unit = m_model.GetChunks()[chunk].plan.GetUnits()[index];
    const std::string label = RankModel::GetName(unit) + " gradients";
    const uint64_t bytes = unit.shardParameters * GetGradientBytes();
    m_units[chunk][index] = UnitState();
    if (m_spec.parallelism.HasDataParallelism())
    {
        for (const auto& gradient : GetPartialGradients(m_spec, unit))
        {
            m_program.Serial(gradient.collective, RankModel::GetName(unit) + gradient.label);
        }
    }
    std::vector<uint32_t> before = m_program.GetFront();
    if (m_program.HasPeers(unit.shards))
    {
        // There is one input buffer: the gradients of a unit are copied into the buffer when the
        // previous ReduceScatter has ended, and computation waits for the copy.
        if (m_lastReduce)
        {
            m_program.Wait(*m_lastReduce);
        }
        m_lastReduce = m_program.Parallel({Dimension::FSDP,
                                           unit.shards,
                                           CollectiveKind::REDUCE_SCATTER,
                                           bytes * m_program.GetSize(unit.shards),
                                           nullptr},
                                          label,
                                          m_program.GetFront());
        before = {*m_lastReduce};
    }
    if (m_program.HasPeers(GroupRole::REPLICATE))
    {
        m_lastSum = m_program.Parallel(
            {Dimension::DP, GroupRole::REPLICATE, CollectiveKind::ALL_REDUCE, bytes, nullptr},
            label + " of replicas",
            before);
    }
}

bool
ShardEmitter::IsReshared(const ShardingUnit& unit) const
{
    if (unit.kind == ShardingUnit::EMBEDDING && m_spec.model.tiedEmbeddings &&
        m_spec.parallelism.pp == 1)
    {
        return false; // the output projection also uses the embedding
    }
    switch (m_spec.rules.reshard)
    {
    case ReshardPolicy::ALWAYS:
        return true;
    case ReshardPolicy::NEVER:
        return false;
    case ReshardPolicy::DEFAULT:
        break;
    }
    return m_spec.parallelism.pp == 1 && unit.kind != ShardingUnit::OUTPUT;
}

void
ShardEmitter::Finish()
{
    for (uint32_t chunk = 0; chunk < m_isReduced.size(); ++chunk)
    {
        if (m_spec.parallelism.pp > 1 && !m_isReduced[chunk])
        {
            ReduceChunk(chunk);
        }
    }
    for (const auto& last : {m_lastReduce, m_lastSum})
    {
        if (last)
        {
            m_program.Wait(*last);
        }
    }
}

void
ShardEmitter::EndStep()
{
    // The next forward gathers the parameters.
}

uint64_t
ShardEmitter::GetOwned() const
{
    uint64_t sum = 0;
    for (const auto& chunk : m_model.GetChunks())
    {
        sum += chunk.plan.GetShardParameters();
    }
    return sum;
}

} // namespace ns3
