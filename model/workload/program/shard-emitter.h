// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SHARD_EMITTER_H
#define PHOTONIC_RAILS_SHARD_EMITTER_H

#include "data-parallel-emitter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

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
    ShardEmitter(const WorkloadSpec& spec, const RankModel& model, RankProgramEmitter& program);

    void BeginPass(const ModelPass& pass) override;
    void Need(const ModelPass& pass, std::size_t module, bool isExperts) override;
    void EndModule(const ModelPass& pass, std::size_t module) override;
    void EndPass(const ModelPass& pass) override;
    void Finish() override;
    void EndStep() override;
    uint64_t GetOwned() const override;

  private:
    /// State of a unit's parameters.
    struct UnitState
    {
        /// parameters are in memory or an AllGather of them has been issued
        bool isGathered{false};
        std::optional<uint32_t> gather; //!< AllGather for which the first use must wait
    };

    /// @return the number of units of a pass that are gathered before its first unit computes
    std::size_t GetAhead(const ModelPass& pass) const;

    /**
     * @param pass the pass
     * @param position position of a module in the pass, possibly beyond its end
     */
    void Gather(const ModelPass& pass, std::size_t position);

    /**
     * @brief Gather a unit unless it is already gathered.
     * @param chunk chunk of the rank
     * @param unit unit of the chunk
     * @param label label for output
     */
    void GatherUnit(uint32_t chunk, std::size_t unit, const std::string& label);

    /**
     * @brief Reduce the gradients of a unit and release its parameters.
     * @param chunk chunk of the rank
     * @param unit unit of the chunk
     */
    void Reduce(uint32_t chunk, std::size_t unit);

    /// @param chunk chunk of the rank, all of whose units are reduced
    void ReduceChunk(uint32_t chunk);

    /// @return true if a unit releases its parameters after a forward
    bool IsReshared(const ShardingUnit& unit) const;

    std::vector<std::vector<UnitState>> m_units; //!< by chunk and unit
    std::vector<bool> m_isReduced;               //!< by chunk, in this step
    std::optional<uint32_t> m_lastReduce;        //!< the last ReduceScatter
    std::optional<uint32_t> m_lastSum;           //!< the last AllReduce over replicas
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SHARD_EMITTER_H
