// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SHARDING_PLAN_H
#define PHOTONIC_RAILS_SHARDING_PLAN_H

#include "device-mesh.h"
#include "framework.h"
#include "parallelism-spec.h"

#include "ns3/transformer-spec.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Parameters of one piece of the model on one rank. A framework that shards by units (FSDP)
 * gathers and reduces the parameters of a unit together.
 */
struct ShardingUnit
{
    /// The piece of the model.
    enum Kind : uint8_t
    {
        EMBEDDING, //!< the embedding
        LAYER,   //!< one transformer layer, without its routed experts if they have a unit of their
                 //!< own
        EXPERTS, //!< the routed experts of a layer; only if distributed differently from the layer
        OUTPUT,  //!< the final norm and the output projection
    };

    Kind kind{LAYER};
    uint32_t layer{0};           //!< number of the layer in the model; LAYER and EXPERTS
    ParameterTensors tensors;    //!< unsplit, as in the model
    std::vector<uint64_t> sizes; //!< for each tensor, the number of parameters on one rank
    uint64_t parameters{0};      //!< sum of sizes: parameters on one rank before data parallelism
    GroupRole shards{GroupRole::FSDP}; //!< group that shards the unit: FSDP or EXPERT_FSDP; with
                                       //!< DISTRIBUTED_OPTIMIZER the group that holds copies
    GroupRole copies{GroupRole::DATA}; //!< DATA or EXPERT_DATA: group that holds copies of the unit
    uint64_t shardParameters{0};       //!< parameters of one rank after data parallelism, padding
                                 //!< included: its share of an AllGather and of the optimizer state
};

/// Parameters whose gradients are reduced together (DDP, distributed optimizer).
struct GradientBucket
{
    std::vector<std::size_t> units; //!< units with gradients in the bucket, in order; the backward
                                    //!< of the last unit completes the bucket
    uint64_t parameters{0};         //!< parameters of one rank, padding included
    GroupRole copies{GroupRole::DATA}; //!< group over which the gradients are reduced
};

/**
 * @brief The parameters of a model chunk on a pipeline rank, and their division into units.
 *
 * The first stage starts with the embedding, the last stage ends with (norm, output); each layer is
 * a unit. TP splits tensors according to ParameterTensor::split. Experts are distributed over EP
 * ranks and split over expertTp. Experts form a unit of their own if they are distributed
 * differently from the rest of the layer (ep above 1, or expertTp other than tp).
 *
 * **FSDP.** Each tensor is cut into rows, padded so that every rank has equally many (FSDP2,
 * torch/distributed/fsdp/_fully_shard/_fsdp_param.py, padded_sharded_param_size). Stacked experts
 * are cut into experts, or into rows of each expert if there are more ranks than experts
 * (TorchTitan, apply_fsdp). FSDP gathers and reduces the padded size.
 *
 * **Vocabulary.** Megatron-LM pads the vocabulary so that TP ranks have equal shares
 * (FrameworkRules::vocabularyMultiple). In a pipeline, the first and the last stage each hold a
 * copy of tied embeddings; without a pipeline the OUTPUT unit is only the norm.
 */
class ShardingPlan
{
  public:
    /**
     * @param model the architecture
     * @param parallelism degrees that passed validation for this model
     * @param rules rules of the framework
     * @param stage a pipeline stage (not a rank, if ranks have several chunks)
     */
    ShardingPlan(const TransformerSpec& model,
                 const ParallelismSpec& parallelism,
                 const FrameworkRules& rules,
                 uint32_t stage);

    /// @return the units in forward order; experts follow their layer
    const std::vector<ShardingUnit>& GetUnits() const
    {
        return m_units;
    }

    /**
     * @brief Fill buckets in the order in which a backward finishes gradients: last tensor first.
     *
     * A bucket closes when it has FrameworkRules::bucketParameters parameters, and at least
     * bucketParametersPerRank for each data rank. Experts have buckets of their own. There is one
     * bucket without overlapsReduction, and on every stage except the first, whose gradients finish
     * last (Megatron Core, distributed_data_parallel.py). The distributed optimizer aligns tensors
     * to multiples of 64, and the ends of buckets to multiples of 128 and of the number of ranks.
     * Embeddings on two stages have a bucket of their own (param_and_grad_buffer.py).
     *
     * Tensors are those of TorchTitan. Megatron Core merges query, key and value into one tensor,
     * and the first two products of a gated network into another. Ends of buckets may therefore lie
     * one tensor later in Megatron Core.
     * @return the buckets, in order; none with FSDP
     */
    std::vector<GradientBucket> GetBuckets() const;

    /// @return parameters that one rank holds before data parallelism
    uint64_t GetParameters() const;

    /// @return parameters that one rank owns after data parallelism, padding included
    uint64_t GetShardParameters() const;

  private:
    /**
     * @param kind kind of the unit
     * @param layer number of the layer
     * @param tensors tensors of the unit
     */
    void Add(ShardingUnit::Kind kind, uint32_t layer, ParameterTensors tensors);

    /// @return the number of ranks with the same parameters
    uint64_t GetCopies(GroupRole copies) const;

    /**
     * @param tensor a tensor
     * @return true if the distributed optimizer puts the tensor into a bucket of its own
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
