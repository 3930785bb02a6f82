// SPDX-License-Identifier: GPL-2.0-only

#include "data-parallel-emitter.h"
#include "layer-emitter.h"
#include "partial-sums.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

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
                                           unit.shardParameters * BF16_BYTES,
                                           nullptr},
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
MakeShardEmitter(const WorkloadSpec& spec, const RankModel& model, RankProgramEmitter& program)
{
    return std::make_unique<ShardEmitter>(spec, model, program);
}

} // namespace ns3
