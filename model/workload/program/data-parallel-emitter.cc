// SPDX-License-Identifier: GPL-2.0-only

#include "data-parallel-emitter.h"

#include "rank-program-emitter.h"
#include "tensor-emitter.h"

#include <algorithm>
#include <optional>
#include <string>
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
                                  GetShare(bucket.content) * BF16_BYTES},
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
             parameters * GetGradientBytes()},
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

// The number of AllGathers of a pass, in addition to prefetched ones, that may be issued before the
// first unit of the pass computes; each later AllGather waits for the end of a unit. See
// ShardEmitter.
constexpr std::size_t FORWARD_GATHERS_AHEAD = 2;
constexpr std::size_t BACKWARD_GATHERS_AHEAD = 1;

/**
 * @brief FSDP as in PyTorch's FSDP2, unit by unit; HSDP if there are replicas of the shards.
 *
 * Units are gathered ahead of computation. `prefetch` 1 is FSDP2's implicit prefetching. In a
 * forward the AllGather of a unit follows the AllGather of the previous unit, and waits until the
 * unit two positions earlier has begun to compute, because the buffer of that unit's AllGather is
 * free from then on. In a backward the AllGather waits until the previous unit has begun to
 * compute. Each increment of `prefetch` gathers one unit earlier. The first AllGathers of a pass
 * wait for the computation issued before the pass and for the received activation or gradient. The
 * routed experts of a layer are gathered after the layer.
 *
 * ReshardPolicy determines which units release their parameters after a forward; in a pipeline
 * DEFAULT keeps all parameters. Without a pipeline, every backward releases its parameters and
 * reduces its gradients, unit by unit (gradient accumulation over micro-batches). In a pipeline,
 * backwards keep parameters, and gradients are reduced after the chunk's last backward; if that
 * backward is the last of the rank, after the rank's transfers.
 *
 * Each unit takes one ReduceScatter over the shards, then with replicas an AllReduce of the shard.
 * If the backward is split, the input pass gathers and the weight pass reduces.
 */
class ShardEmitter : public DataParallelEmitter
{
  public:
    /**
     * @param spec the job
     * @param model part of the model on the rank
     * @param program program to which operations are added
     */
    ShardEmitter(const WorkloadSpec& spec, const RankModel& model, RankProgramEmitter& program)
        : DataParallelEmitter(spec, model, program),
          m_isReduced(model.GetChunks().size(), false)
    {
        for (const auto& chunk : model.GetChunks())
        {
            m_units.emplace_back(chunk.plan.GetUnits().size());
        }
    }

    void BeginPass(const ModelPass& pass) override
    {
        for (std::size_t position = 0; position < GetAhead(pass); ++position)
        {
            Gather(pass, position);
        }
    }

    void Need(const ModelPass& pass, std::size_t module, bool isExperts) override
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

    void EndModule(const ModelPass& pass, std::size_t index) override
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

    void EndPass(const ModelPass& pass) override
    {
        if (m_spec.parallelism.pp > 1 && pass.isLast && !pass.isLastOfAll)
        {
            ReduceChunk(pass.chunk);
        }
    }

    void Finish() override
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

    void EndStep() override
    {
        // The next forward gathers the parameters.
    }

    uint64_t GetOwned() const override
    {
        uint64_t sum = 0;
        for (const auto& chunk : m_model.GetChunks())
        {
            sum += chunk.plan.GetShardParameters();
        }
        return sum;
    }

  private:
    /// State of a unit's parameters.
    struct UnitState
    {
        /// parameters are in memory or an AllGather of them has been issued
        bool isGathered{false};
        std::optional<uint32_t> gather; //!< AllGather for which the first use must wait
    };

    /// @return the number of units of a pass that are gathered before its first unit computes
    std::size_t GetAhead(const ModelPass& pass) const
    {
        return m_spec.rules.prefetch +
               (pass.kind == ComputePass::FORWARD ? FORWARD_GATHERS_AHEAD : BACKWARD_GATHERS_AHEAD);
    }

    /**
     * @param pass the pass
     * @param position position of a module in the pass, possibly beyond its end
     */
    void Gather(const ModelPass& pass, std::size_t position)
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

    /**
     * @brief Gather a unit unless it is already gathered.
     * @param chunk chunk of the rank
     * @param index index of a unit of the chunk
     * @param label label for output
     */
    void GatherUnit(uint32_t chunk, std::size_t index, const std::string& label)
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
                                           unit.shardParameters * BF16_BYTES},
                                          label + " parameters",
                                          m_program.GetFront());
    }

    /**
     * @brief Reduce the gradients of a unit and release its parameters.
     * @param chunk chunk of the rank
     * @param index index of a unit of the chunk
     */
    void Reduce(uint32_t chunk, std::size_t index)
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
            // There is one input buffer: the gradients of a unit are copied into the buffer when
            // the previous ReduceScatter has ended, and computation waits for the copy.
            if (m_lastReduce)
            {
                m_program.Wait(*m_lastReduce);
            }
            m_lastReduce = m_program.Parallel({Dimension::FSDP,
                                               unit.shards,
                                               CollectiveKind::REDUCE_SCATTER,
                                               bytes * m_program.GetSize(unit.shards)},
                                              label,
                                              m_program.GetFront());
            before = {*m_lastReduce};
        }
        if (m_program.HasPeers(GroupRole::REPLICATE))
        {
            m_lastSum = m_program.Parallel(
                {Dimension::DP, GroupRole::REPLICATE, CollectiveKind::ALL_REDUCE, bytes},
                label + " of replicas",
                before);
        }
    }

    /// @param chunk chunk of the rank, all of whose units are reduced
    void ReduceChunk(uint32_t chunk)
    {
        m_isReduced[chunk] = true;
        for (std::size_t unit = 0; unit < m_units[chunk].size(); ++unit)
        {
            Reduce(chunk, unit);
        }
    }

    /// @return true if a unit releases its parameters after a forward
    bool IsReshared(const ShardingUnit& unit) const
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

    std::vector<std::vector<UnitState>> m_units; //!< by chunk and unit
    std::vector<bool> m_isReduced;               //!< by chunk, in this step
    std::optional<uint32_t> m_lastReduce;        //!< the last ReduceScatter
    std::optional<uint32_t> m_lastSum;           //!< the last AllReduce over replicas
};

} // namespace

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

} // namespace ns3
