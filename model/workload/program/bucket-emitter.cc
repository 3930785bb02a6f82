// SPDX-License-Identifier: GPL-2.0-only

#include "bucket-emitter.h"

#include "layer-emitter.h"

#include <algorithm>

namespace ns3
{

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

} // namespace ns3
