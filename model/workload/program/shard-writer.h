// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SHARD_WRITER_H
#define PHOTONIC_RAILS_SHARD_WRITER_H

#include "data-parallel-writer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief FSDP as PyTorch's FSDP2 does it, unit by unit; HSDP if there are replicas of the shards.
 *
 * Units are gathered ahead of computation. With `prefetch` 1 that is FSDP2's implicit prefetching:
 * in a forward the AllGather of a unit follows the one before it, and waits until the unit two
 * before it has begun to compute, since the buffer of that one's AllGather is freed then; in a
 * backward it waits until the unit before it has begun. Each more gathers one unit earlier. The
 * first AllGathers of a pass wait for the computation issued before the pass and for the received
 * activation or gradient. The routed experts of a layer are gathered after it.
 *
 * What a forward gives up is ReshardPolicy; DEFAULT keeps all in a pipeline. Without a pipeline
 * every backward gives up its parameters and reduces its gradients, unit by unit (gradient
 * accumulation over micro-batches). In a pipeline backwards keep parameters, and gradients are
 * reduced after the chunk's last backward; if that is the rank's last, after its transfers.
 *
 * One ReduceScatter over the shards per unit, then over replicas an AllReduce of the shard. A
 * backward with separate passes for weights gathers in the pass for inputs and reduces in the pass
 * for weights.
 */
class ShardWriter : public DataParallelWriter
{
  public:
    /**
     * @param spec the job
     * @param model of the rank
     * @param program takes the operations
     */
    ShardWriter(const WorkloadSpec& spec, const RankModel& model, RankProgramWriter& program);

    void BeginPass(const ModelPass& pass) override;
    void Need(const ModelPass& pass, std::size_t module, bool isExperts) override;
    void EndModule(const ModelPass& pass, std::size_t module) override;
    void EndPass(const ModelPass& pass) override;
    void Finish() override;
    void EndStep() override;
    uint64_t GetOwned() const override;

  private:
    /// What a pass finds of a unit.
    struct UnitState
    {
        bool isGathered{false};         //!< its parameters are in memory or on their way
        std::optional<uint32_t> gather; //!< the AllGather to wait for before first use
    };

    /// @return how many units of a pass are gathered before its first one computes
    std::size_t GetAhead(const ModelPass& pass) const;

    /**
     * @param pass the pass
     * @param position of a module in it, perhaps past its end
     */
    void Gather(const ModelPass& pass, std::size_t position);

    /**
     * @param chunk of the rank
     * @param unit of the chunk to gather unless it is
     * @param label for people
     */
    void GatherUnit(uint32_t chunk, std::size_t unit, const std::string& label);

    /**
     * @param chunk of the rank
     * @param unit of the chunk to reduce and give up
     */
    void Reduce(uint32_t chunk, std::size_t unit);

    /// @param chunk of the rank, all of whose units are reduced
    void ReduceChunk(uint32_t chunk);

    /// @return true if a unit is given up after a forward
    bool IsReshared(const ShardingUnit& unit) const;

    std::vector<std::vector<UnitState>> m_units; //!< by chunk and unit
    std::vector<bool> m_isReduced;               //!< by chunk: at the end of this step
    std::optional<uint32_t> m_lastReduce;        //!< the last ReduceScatter
    std::optional<uint32_t> m_lastSum;           //!< the last AllReduce over replicas
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SHARD_WRITER_H
