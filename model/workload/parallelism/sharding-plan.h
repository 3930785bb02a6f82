// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SHARDING_PLAN_H
#define PHOTONIC_RAILS_SHARDING_PLAN_H

#include "device-mesh.h"
#include "framework-rules.h"
#include "parallelism-spec.h"

#include "ns3/transformer-spec.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Parameters that a rank has of one piece of the model, and that its framework gathers and
 * reduces together if it shards by units (FSDP).
 */
struct ShardingUnit
{
    /// What the unit holds.
    enum Kind : uint8_t
    {
        EMBEDDING, //!< the embedding
        LAYER,     //!< one transformer layer, without its routed experts if they have a unit
        EXPERTS,   //!< the routed experts of a layer; only if they are spread otherwise
        OUTPUT,    //!< the final norm and the output projection
    };

    Kind kind{LAYER};
    uint32_t layer{0};                 //!< number of the layer in the model; LAYER and EXPERTS
    ParameterTensors tensors;          //!< whole, as the model has them
    std::vector<uint64_t> sizes;       //!< of each tensor the parameters that one rank has of it
    uint64_t parameters{0};            //!< sum of sizes: of one rank before data parallelism
    GroupRole shards{GroupRole::FSDP}; //!< who shards it: FSDP or EXPERT_FSDP; with
                                       //!< DISTRIBUTED_OPTIMIZER all who hold it
    GroupRole copies{GroupRole::DATA}; //!< DATA or EXPERT_DATA: all who hold it
    uint64_t shardParameters{0};       //!< of one rank after data parallelism, padding included:
                                       //!< its share of a gathering, and what its optimizer has
};

/// Parameters whose gradients are reduced together (DDP, distributed optimizer).
struct GradientBucket
{
    std::vector<std::size_t> units;    //!< those with gradients in it, in the order of these; it is
                                       //!< complete with the backward of the last
    uint64_t parameters{0};            //!< of one rank, padding included
    GroupRole copies{GroupRole::DATA}; //!< whom they are reduced over
};

/**
 * @brief Which parameters a model chunk of a pipeline rank holds, in which units.
 *
 * The first stage starts with the embedding, the last ends with (norm, output); each layer is a
 * unit. TP splits tensors as ParameterTensor::split says, experts are dealt out to EP ranks and
 * split over expertTp. Where experts are spread otherwise than the rest of a layer (ep above 1, or
 * expertTp other than tp) they are a unit of their own.
 *
 * **FSDP.** Each tensor is cut into rows, of which every rank has as many, the last ones filled up
 * (FSDP2, torch/distributed/fsdp/_fully_shard/_fsdp_param.py, padded_sharded_param_size); stacked
 * experts are cut into experts, or into rows of each where there are more ranks than experts
 * (TorchTitan, apply_fsdp). What is gathered and reduced is the padded size.
 *
 * **Vocabulary.** Megatron-LM pads it, so that TP ranks have equal shares
 * (FrameworkRules::vocabularyMultiple). Tied embeddings in a pipeline are held twice, by the first
 * and the last stage; without one the OUTPUT unit is the norm.
 */
class ShardingPlan
{
  public:
    /**
     * @param model the architecture
     * @param parallelism degrees that passed validation for this model
     * @param rules of the framework
     * @param stage a pipeline stage (not rank, if ranks have several chunks)
     */
    ShardingPlan(const TransformerSpec& model,
                 const ParallelismSpec& parallelism,
                 const FrameworkRules& rules,
                 uint32_t stage);

    /// @return the units in forward order; experts follow their layer
    const std::vector<ShardingUnit>& GetUnits() const;

    /**
     * @brief Fill buckets in the order in which a backward finishes gradients: last tensor first.
     *
     * A bucket is closed when it has FrameworkRules::bucketParameters, or as many for each data
     * rank as bucketParametersPerRank says. Experts have buckets of their own. Without
     * overlapsReduction, and on every stage but the first, whose gradients come last, there is one
     * bucket (Megatron Core, distributed_data_parallel.py). The distributed optimizer starts
     * tensors at multiples of 64 and ends buckets at multiples of 128 and of the number of ranks,
     * and gives a bucket of their own to embeddings that two stages have
     * (param_and_grad_buffer.py).
     *
     * Tensors are TorchTitan's. Megatron Core has one for query, key and value and one for the two
     * first products of a gated network, so ends of buckets may lie a tensor further there.
     * @return the buckets, first one first; with FSDP none
     */
    std::vector<GradientBucket> GetBuckets() const;

    /// @return parameters that one rank holds before data parallelism
    uint64_t GetParameters() const;

    /// @return parameters that one rank owns after data parallelism, padding included
    uint64_t GetShardParameters() const;

  private:
    /**
     * @param kind of the unit
     * @param layer number of the layer
     * @param tensors of the unit
     */
    void Add(ShardingUnit::Kind kind, uint32_t layer, ParameterTensors tensors);

    /// @return how many ranks have the same parameters
    uint64_t GetCopies(GroupRole copies) const;

    /**
     * @param tensor a tensor
     * @return true if the distributed optimizer keeps it apart
     */
    bool IsShared(const ParameterTensor& tensor) const;

    TransformerSpec m_model;           //!< the architecture
    ParallelismSpec m_parallelism;     //!< degrees
    FrameworkRules m_rules;            //!< of the framework
    uint32_t m_stage;                  //!< the stage
    std::vector<ShardingUnit> m_units; //!< in forward order
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SHARDING_PLAN_H
