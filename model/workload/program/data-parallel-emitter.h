// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DATA_PARALLEL_EMITTER_H
#define PHOTONIC_RAILS_DATA_PARALLEL_EMITTER_H

#include "rank-model.h"
#include "rank-program-emitter.h"
#include "workload-spec.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Writes the operations of data parallelism: AllGathers of parameters and reductions of
 * gradients.
 *
 * The caller reports every pass, and the start and end of every module, in program order.
 */
class DataParallelEmitter
{
  public:
    /**
     * @brief Create the writer for the job's DataParallelism. All arguments must outlive the
     * writer.
     * @param spec the job
     * @param model part of the model on the rank
     * @param program program to which operations are added
     * @return the writer
     */
    static std::unique_ptr<DataParallelEmitter> Create(const WorkloadSpec& spec,
                                                       const RankModel& model,
                                                       RankProgramEmitter& program);

    virtual ~DataParallelEmitter() = default;

    /// @param pass the pass that begins
    virtual void BeginPass(const ModelPass& pass) = 0;

    /**
     * @brief Let computation wait for parameters.
     * @param pass the pass
     * @param module module whose computation is next
     * @param isExperts true if the computation uses routed experts of the module
     */
    virtual void Need(const ModelPass& pass, std::size_t module, bool isExperts) = 0;

    /**
     * @param pass the pass
     * @param module module whose computation has ended
     */
    virtual void EndModule(const ModelPass& pass, std::size_t module) = 0;

    /// @param pass the pass that has ended
    virtual void EndPass(const ModelPass& pass) = 0;

    /// Reduce the remaining gradients, and let computation wait for all reductions.
    virtual void Finish() = 0;

    /// Write the operations that follow the optimizer.
    virtual void EndStep() = 0;

    /// @return fp32 parameters that the rank's optimizer owns
    virtual uint64_t GetOwned() const = 0;

  protected:
    /**
     * @param spec the job
     * @param model part of the model on the rank
     * @param program program to which operations are added
     */
    DataParallelEmitter(const WorkloadSpec& spec,
                        const RankModel& model,
                        RankProgramEmitter& program);

    /// @return bytes of one gradient value in a reduction
    uint64_t GetGradientBytes() const;

    const WorkloadSpec& m_spec;    //!< the job
    const RankModel& m_model;      //!< part of the model on the rank
    RankProgramEmitter& m_program; //!< receives the operations
};

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
    BucketEmitter(const WorkloadSpec& spec, const RankModel& model, RankProgramEmitter& program);

    void BeginPass(const ModelPass& pass) override;
    void Need(const ModelPass& pass, std::size_t module, bool isExperts) override;
    void EndModule(const ModelPass& pass, std::size_t module) override;
    void EndPass(const ModelPass& pass) override;
    void Finish() override;
    void EndStep() override;
    uint64_t GetOwned() const override;

  private:
    /// A bucket and the number of its incomplete units.
    struct Bucket
    {
        GradientBucket content;
        std::size_t missing{0}; //!< units whose backward has not ended
    };

    /// @return parameters of one rank's share
    uint64_t GetShare(const GradientBucket& bucket) const;

    /**
     * @brief Mark a unit as complete and reduce the buckets that become complete.
     * @param chunk chunk of the rank
     * @param unit unit of the chunk whose gradients are final
     */
    void Complete(uint32_t chunk, std::size_t unit);

    /**
     * @brief Reduce a bucket.
     * @param chunk chunk of the rank
     * @param bucket bucket of the chunk
     */
    void Reduce(uint32_t chunk, const GradientBucket& bucket);

    /// @param chunk chunk of the rank, all of whose buckets are reduced
    void ReduceChunk(uint32_t chunk);

    /// Let computation wait for all reductions issued so far.
    void Wait();

    bool m_isSharded;                           //!< true for the distributed optimizer
    bool m_isAccumulated;                       //!< true to reduce only in the last backward
    std::vector<std::vector<Bucket>> m_buckets; //!< by chunk
    std::optional<uint32_t> m_lastReduce;       //!< index of the last reduction
};

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

#endif // PHOTONIC_RAILS_DATA_PARALLEL_EMITTER_H
