// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SHARDING_PLAN_H
#define PHOTONIC_RAILS_SHARDING_PLAN_H

#include "parallelism-spec.h"

#include "ns3/transformer-spec.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Parameters that FSDP gathers and reduces together.
struct FsdpUnit
{
    /// What the unit holds.
    enum Kind : uint8_t
    {
        EMBEDDING, //!< the token embedding
        LAYER,     //!< one transformer layer
        OUTPUT,    //!< the final norm and the output projection
    };

    Kind kind{LAYER};
    uint32_t layer{0};           //!< number of the layer in the model; LAYER only
    uint32_t tensors{0};         //!< parameter tensors
    uint64_t parameters{0};      //!< of one TP rank
    uint64_t shardParameters{0}; //!< of one rank: 1/fsdp of parameters, rounded up
    uint64_t gatherBytes{0};     //!< input of the AllGather: the shard in bf16
    uint64_t reduceBytes{0};     //!< input of the ReduceScatter: the unit's gradients in fp32
};

/**
 * @brief Which parameters a pipeline stage holds, in which FSDP units, and what they weigh on the
 * network.
 *
 * The first stage starts with the embedding, the last ends with (norm, output); each layer is a
 * unit. Projections and embedding are split over TP. Norms are not: with sequence parallelism every
 * TP rank normalises its own tokens with all the weights.
 */
class ShardingPlan
{
  public:
    /**
     * @param model the architecture
     * @param parallelism degrees that passed validation for this model
     * @param stage a pipeline stage
     */
    ShardingPlan(const TransformerSpec& model, const ParallelismSpec& parallelism, uint32_t stage);

    /// @return the units in forward order
    const std::vector<FsdpUnit>& GetUnits() const;

    /// @return parameters that one rank of the stage owns
    uint64_t GetShardParameters() const;

    /// @return parameter tensors of the stage
    uint32_t GetTensors() const;

    /// @return AllGather input bytes of one pass through the stage
    uint64_t GetGatherBytes() const;

    /// @return ReduceScatter input bytes of one reduction of all gradients
    uint64_t GetReduceBytes() const;

    /**
     * @brief Size of what passes between stages, and of a TP AllGather's input: the rank's
     * 1/tp of the tokens (sequence parallelism), in bf16.
     * @param model the architecture
     * @param parallelism degrees that passed validation for this model
     * @return bytes of one rank and micro-batch
     */
    static uint64_t GetActivationBytes(const TransformerSpec& model,
                                       const ParallelismSpec& parallelism);

  private:
    /**
     * @param unit a unit with kind, layer and tensors
     * @param split parameters that TP splits
     * @param replicated parameters that every TP rank holds
     * @param parallelism the degrees
     */
    void Add(FsdpUnit unit,
             uint64_t split,
             uint64_t replicated,
             const ParallelismSpec& parallelism);

    std::vector<FsdpUnit> m_units; //!< in forward order
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SHARDING_PLAN_H
