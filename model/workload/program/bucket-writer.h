// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_BUCKET_WRITER_H
#define PHOTONIC_RAILS_BUCKET_WRITER_H

#include "data-parallel-writer.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief Replicas of whole parameters, whose gradients are reduced in buckets: DDP, or
 * Megatron-LM's distributed optimizer (ZeRO-1, arXiv 1910.02054).
 *
 * A bucket is reduced beside a backward of its chunk, as soon as all its units have been through it
 * (PyTorch's DDP; Megatron-LM with --overlap-grad-reduce), or else after it
 * (FrameworkRules::overlapsReduction). That backward is the last one if gradients of micro-batches
 * are added up first (FrameworkRules::accumulatesGradients; always if the optimizer is
 * distributed), else every one, which waits for its reductions at its end. It is done by an
 * AllReduce, or by a
 * ReduceScatter that leaves each rank the gradients of its share. Then the distributed optimizer
 * updates that share and gathers the parameters in bf16, bucket by bucket, before anything else
 * (Megatron-LM without --overlap-param-gather). Buckets are padded to equal shares.
 */
class BucketWriter : public DataParallelWriter
{
  public:
    /**
     * @param spec the job
     * @param model of the rank
     * @param program takes the operations
     */
    BucketWriter(const WorkloadSpec& spec, const RankModel& model, RankProgramWriter& program);

    void BeginPass(const ModelPass& pass) override;
    void Need(const ModelPass& pass, std::size_t module, bool isExperts) override;
    void EndModule(const ModelPass& pass, std::size_t module) override;
    void EndPass(const ModelPass& pass) override;
    void Finish() override;
    void EndStep() override;
    uint64_t GetOwned() const override;

  private:
    /// A bucket and what is missing of it.
    struct Bucket
    {
        GradientBucket content;
        std::size_t missing{0}; //!< units that have not been through the backward
    };

    /// @return parameters of one rank's share
    uint64_t GetShare(const GradientBucket& bucket) const;

    /**
     * @param chunk of the rank
     * @param unit of the chunk whose gradients are final
     * Reduces the buckets that are complete then.
     */
    void Complete(uint32_t chunk, std::size_t unit);

    /**
     * @param chunk of the rank
     * @param bucket of the chunk
     */
    void Reduce(uint32_t chunk, const GradientBucket& bucket);

    /// @param chunk of the rank, all of whose buckets are reduced
    void ReduceChunk(uint32_t chunk);

    /// Computation waits for what has been reduced.
    void Wait();

    bool m_isSharded;                           //!< the optimizer is distributed
    bool m_isAccumulated;                       //!< reduced only in the last backward
    std::vector<std::vector<Bucket>> m_buckets; //!< by chunk
    std::optional<uint32_t> m_lastReduce;       //!< the last reduction
};

} // namespace ns3

#endif // PHOTONIC_RAILS_BUCKET_WRITER_H
