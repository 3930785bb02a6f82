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
        EXPERTS,   //!< the routed experts of a layer; only with expert parallelism
        OUTPUT,    //!< the final norm and the output projection
    };

    Kind kind{LAYER};
    uint32_t layer{0};                 //!< number of the layer in the model; LAYER and EXPERTS
    ParameterTensors tensors;          //!< whole, as the model has them
    uint64_t parameters{0};            //!< of one rank before data parallelism: after TP and EP
    GroupRole shards{GroupRole::FSDP}; //!< FSDP or EXPERT_FSDP: who shards it, or could
    GroupRole copies{GroupRole::DATA}; //!< DATA or EXPERT_DATA: all who hold it
    uint64_t shardParameters{0};       //!< of one rank if sharded: rounded up to equal shares
};

/// Parameters of several units whose gradients are reduced together (DDP, distributed optimizer).
struct GradientBucket
{
    std::vector<std::size_t> units;    //!< those that end in it, in the order of their gradients
    uint64_t parameters{0};            //!< of one rank
    GroupRole copies{GroupRole::DATA}; //!< whom they are reduced over
};

/**
 * @brief Which parameters a model chunk of a pipeline rank holds, in which units.
 *
 * The first stage starts with the embedding, the last ends with (norm, output); each layer is a
 * unit. TP splits tensors as ParameterTensor::split says, experts are dealt out to EP ranks and
 * split over expertTp. A split that does not come out even is rounded up, as padding does.
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
     * @brief Fill buckets in the order in which a backward finishes gradients: last unit first.
     *
     * A bucket is closed when it has at least `bucketParameters` parameters (Megatron-LM,
     * param_and_grad_buffer.py; PyTorch's DDP Reducer). Experts have buckets of their own.
     * @param bucketParameters size at which a bucket is closed, not 0
     * @return the buckets, first one first
     */
    std::vector<GradientBucket> GetBuckets(uint64_t bucketParameters) const;

    /// @return parameters that one rank holds before data parallelism
    uint64_t GetParameters() const;

    /// @return parameters that one rank owns if units are sharded
    uint64_t GetShardParameters() const;

  private:
    std::vector<ShardingUnit> m_units; //!< in forward order
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SHARDING_PLAN_H
