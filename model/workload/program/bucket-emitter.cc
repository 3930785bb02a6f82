// SPDX-License-Identifier: GPL-2.0-only

#include "data-parallel-emitter.h"
#include "layer-emitter.h"
#include "partial-sums.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @brief Data parallelism with whole parameters, whose gradients are reduced in buckets: DDP, or
 * Megatron-LM's distributed optimizer (ZeRO-1, arXiv 1910.02054).
 *
 * With FrameworkRules::overlapsReduction a bucket is reduced during a backward of its chunk, as
 * soon as the backward of all its units has ended (PyTorch's DDP; Megatron-LM with
 * --overlap-grad-reduce). Without the rule, buckets are reduced after the backward. With
 * FrameworkRules::accumulatesGradients, or a distributed optimizer, only the last backward reduces,
 * after the gradients of all micro-batches have been added up. Otherwise every backward reduces and
 * waits for its reductions at its end.
 *
 * DDP reduces a bucket with an AllReduce. The distributed optimizer uses a ReduceScatter, which
 * leaves each rank the gradients of its share; it then updates the share and gathers the parameters
 * in bf16, bucket by bucket, before any other operation (Megatron-LM without
 * --overlap-param-gather). Buckets are padded to equal shares.
 */
class BucketEmitter : public DataParallelEmitter
{
  public:
    /**
     * @param spec the job
     * @param model part of the model on the rank
     * @param program program to which operations are added
     */
    BucketEmitter(const WorkloadSpec& spec, const RankModel& model, RankProgramEmitter& program)
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

    void BeginPass(const ModelPass&) override
    {
        // Whole parameters are always in memory.
    }

    void Need(const ModelPass&, std::size_t, bool) override
    {
    }

    void EndModule(const ModelPass& pass, std::size_t index) override
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

    void EndPass(const ModelPass& pass) override
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

    void Finish() override
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

    void EndStep() override
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

    uint64_t GetOwned() const override
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

  private:
    /// A bucket and the number of its incomplete units.
    struct Bucket
    {
        GradientBucket content;
        std::size_t missing{0}; //!< units whose backward has not ended
    };

    /// @return parameters of one rank's share
    uint64_t GetShare(const GradientBucket& bucket) const
    {
        const uint64_t ranks = m_isSharded ? m_program.GetSize(bucket.copies) : 1;
        return (bucket.parameters + ranks - 1) / ranks;
    }

    /**
     * @brief Mark a unit as complete and reduce the buckets that become complete.
     * @param chunk chunk of the rank
     * @param unit unit of the chunk whose gradients are final
     */
    void Complete(uint32_t chunk, std::size_t unit)
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

    /**
     * @brief Reduce a bucket.
     * @param chunk chunk of the rank
     * @param bucket bucket of the chunk
     */
    void Reduce(uint32_t chunk, const GradientBucket& bucket)
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

    /// @param chunk chunk of the rank, all of whose buckets are reduced
    void ReduceChunk(uint32_t chunk)
    {
        for (const auto& bucket : m_buckets[chunk])
        {
            Reduce(chunk, bucket.content);
        }
    }

    /// Let computation wait for all reductions issued so far.
    void Wait()
    {
        if (m_lastReduce)
        {
            m_program.Wait(
                *m_lastReduce); // the stream is in order, so all other reductions have ended too
        }
    }

    bool m_isSharded;                           //!< true for the distributed optimizer
    bool m_isAccumulated;                       //!< true to reduce only in the last backward
    std::vector<std::vector<Bucket>> m_buckets; //!< by chunk
    std::optional<uint32_t> m_lastReduce;       //!< index of the last reduction
};

} // namespace

std::unique_ptr<DataParallelEmitter>
MakeBucketEmitter(const WorkloadSpec& spec, const RankModel& model, RankProgramEmitter& program)
{
    return std::make_unique<BucketEmitter>(spec, model, program);
}

} // namespace ns3
