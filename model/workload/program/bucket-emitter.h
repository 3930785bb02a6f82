// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_BUCKET_EMITTER_H
#define PHOTONIC_RAILS_BUCKET_EMITTER_H

#include "data-parallel-emitter.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
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

} // namespace ns3

#endif // PHOTONIC_RAILS_BUCKET_EMITTER_H
