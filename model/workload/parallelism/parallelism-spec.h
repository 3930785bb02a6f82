// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PARALLELISM_SPEC_H
#define PHOTONIC_RAILS_PARALLELISM_SPEC_H

#include "framework-rules.h"
#include "mesh-order.h"

#include "ns3/pipeline-schedule.h"
#include "ns3/transformer-spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The distribution of a training job over GPUs.
 *
 * Expert parallelism divides ranks a second time: the ranks of one pipeline rank and replica
 * (fsdp x cp x tp of them, in mesh order) are also arranged as (expert shards) x ep x expertTp,
 * with expertTp innermost. Expert parallelism can therefore use the ranks of FSDP, CP and, with
 * expertTp below tp, of TP.
 *
 * Megatron-LM has one kind of data-parallel ranks, which are fsdp or replicate here. For a dense
 * model the choice makes no difference: gradients are reduced and the distributed optimizer is
 * sharded over fsdp x cp x replicate. Ranks used by expert parallelism must be fsdp.
 */
struct ParallelismSpec
{
    uint32_t tp{1};        //!< degree of tensor parallelism
    uint32_t fsdp{1};      //!< ranks with different data over which parameters are sharded; without
                           //!< FSDP, data ranks that expert parallelism can use
    uint32_t pp{1};        //!< pipeline ranks
    uint32_t cp{1};        //!< degree of context parallelism
    uint32_t replicate{1}; //!< replicas of the parameters (HSDP, DDP, Megatron's DP)
    uint32_t ep{1};        //!< degree of expert parallelism
    uint32_t expertTp{1};  //!< degree of tensor parallelism inside an expert
    uint32_t virtualStages{1}; //!< model chunks of a pipeline rank
    Variant<PipelineSchedule> schedule{"1f1b"};
    uint32_t microBatchSize{1}; //!< sequences in a micro-batch
    uint32_t microBatches{1};   //!< micro-batches of one rank in a step
    uint32_t seqLen{8192};      //!< tokens in a sequence
    uint32_t gpusPerDomain{1};  //!< GPUs of a scale-up domain, which is also the number of rails
    MeshOrder order;

    /// @return pp x replicate x fsdp x cp x tp
    uint64_t GetWorldSize() const;

    /// @return ranks of one pipeline rank and replica: fsdp x cp x tp
    uint64_t GetPlaneSize() const;

    /// @return ranks over which the experts of a rank are sharded: plane / ep / expertTp
    uint64_t GetExpertShards() const;

    /// @return tokens of a micro-batch
    uint64_t GetTokens() const;

    /// @return tokens of a micro-batch on one rank between operators, without TP: 1/cp
    uint64_t GetContextTokens() const;

    /// @return the pipeline of a replica
    PipelineShape GetPipeline() const;

    /**
     * @brief Layers of each stage.
     *
     * EVEN: equal shares. WEIGHTED: the embedding and the output projection count as a layer each,
     * and the first stages have one more layer if the layers do not divide evenly (TorchTitan,
     * generate_llm_fqn_per_model_part; Llama 3 405B: 126 layers on 16 stages, arXiv 2407.21783,
     * section 3.3.2). With WEIGHTED the first stage may have only the embedding, and the last stage
     * only the output projection.
     * @param layers layers of the model
     * @param stages number of stages, at least 1
     * @param rule the rule of distribution
     * @return layers of each stage, or an empty list if a stage would be empty
     */
    static std::vector<uint32_t> SplitLayers(uint32_t layers, uint32_t stages, StageSplit rule);

    /**
     * @brief Check that a model can be trained with this distribution.
     *
     * A pipeline may have fewer micro-batches than stages if its schedule allows this. A
     * restriction of a single framework applies only with the TensorParallelStyle of this
     * framework. The check does not depend on the location of groups; the code that builds a fabric
     * checks which groups the fabric can connect.
     * @param model the model
     * @param rules rules of the framework
     * @return an empty string, or one line that begins with the name of the wrong input (dp is
     * replicate, as in a MeshOrder) and names the allowed values
     */
    std::string Validate(const TransformerSpec& model, const FrameworkRules& rules) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PARALLELISM_SPEC_H
