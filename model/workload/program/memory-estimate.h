// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MEMORY_ESTIMATE_H
#define PHOTONIC_RAILS_MEMORY_ESTIMATE_H

#include "workload-spec.h"

#include <cstdint>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @brief The GPU memory that a rank needs for a training step, in bytes.
 *
 * A pure function of the job.
 *
 * **States.** Adam with two fp32 moments. FSDP stores the shards of fp32 parameters and gradients
 * (TorchTitan: 16 bytes per owned parameter). DDP stores the same 16 bytes for every parameter of
 * the rank, or 18 with Megatron-LM, which adds bf16 parameters. The distributed optimizer stores
 * bf16 parameters and fp32 gradients of the whole rank, and fp32 parameters and moments of its
 * shard (Megatron Core, docs/source/api-guide/dist_optimizer.md: 6 + 12 / d bytes).
 *
 * **Gathered units.** FSDP gathers bf16 parameters: of all units if they stay gathered until the
 * backward (FrameworkRules::reshard), otherwise of the largest unit and of those prefetched. The
 * gradients of one unit are whole until they have been reduced.
 *
 * **Activations** are the inputs of operators that a backward needs, in bf16, as in arXiv
 * 2205.05198, section 4, with fused attention (arXiv 2205.14135), which keeps one fp32 number per
 * query and head in place of the scores, and without dropout. With sequence parallelism Megatron-LM
 * keeps the TP rank's part of the inputs of gathered products; DTensor keeps the gathered inputs.
 * Selective recomputation keeps the results that LayerOperators::GetSelective does not repeat. Full
 * recomputation keeps the input of each layer, and everything of the one layer that is recomputed.
 * A pipeline rank keeps the activations of all micro-batches whose backward has not ended, counted
 * in the order of its schedule.
 *
 * **Logits** of the last stage take 10 bytes each: in bf16, in fp32, and their gradients in fp32.
 *
 * The estimate leaves out the CUDA context, buffers of communication libraries, workspaces of
 * kernels, fragmentation, keys and values gathered by context parallelism, and unequal loads of
 * experts.
 */
struct MemoryEstimate
{
    uint64_t states{0};      //!< parameters, gradients and moments that stay
    uint64_t gathered{0};    //!< whole parameters and gradients of FSDP units
    uint64_t activations{0}; //!< of all micro-batches in flight
    uint64_t logits{0};      //!< of one micro-batch; zero but on the last stage

    /// @return the sum
    uint64_t GetTotal() const;

    /// @return the sum and its parts in GB of 1e9 bytes, for people
    std::string Describe() const;

    /**
     * @param spec a job that passed validation
     * @return the first pipeline rank that needs most memory, and the memory of one of its ranks
     */
    static std::pair<uint32_t, MemoryEstimate> FindMost(const WorkloadSpec& spec);

    /**
     * @param spec a job that passed validation
     * @return an empty string, or one line that names the pipeline rank that needs most memory, if
     * this is more than the GPU has
     */
    static std::string Check(const WorkloadSpec& spec);

    /**
     * @param spec a job that passed validation
     * @param pipelineRank a pipeline rank
     * @return the memory of one of its ranks
     */
    static MemoryEstimate Make(const WorkloadSpec& spec, uint32_t pipelineRank);

    /**
     * @brief The activations of one micro-batch that a layer keeps from its forward pass until its
     * backward pass.
     * @param spec a job that passed validation
     * @param layer a layer of the model, from 0
     * @param recomputation the activations that a backward computes again
     * @return bytes on one rank
     */
    static uint64_t GetLayerActivations(const WorkloadSpec& spec,
                                        uint32_t layer,
                                        Recomputation recomputation);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MEMORY_ESTIMATE_H
