// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_MODEL_H
#define PHOTONIC_RAILS_RANK_MODEL_H

#include "workload-spec.h"

#include "ns3/layer-operators.h"
#include "ns3/sharding-plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A unit of the model that runs as a whole: embedding, layer or output.
struct ModelModule
{
    std::size_t unit{0};    //!< index of the unit in the plan of the chunk
    bool hasExperts{false}; //!< true if the next unit has the routed experts of this module
    std::string name;       //!< name for output: "layer 3"
};

/// One of the model chunks of a pipeline rank.
struct ModelChunk
{
    uint32_t stage;                   //!< pipeline stage of the chunk
    ShardingPlan plan;                //!< its parameters
    std::vector<ModelModule> modules; //!< in forward order
};

/// A pass of one micro-batch through a chunk.
struct ModelPass
{
    ComputePass kind{ComputePass::FORWARD};
    uint32_t chunk{0};       //!< index of the chunk
    bool isLast{false};      //!< true if no later pass adds to the chunk's gradients
    bool isLastOfAll{false}; //!< true if no later pass adds to the gradients of any chunk
    std::string label;       //!< label for output: "backward 0"
};

/// The part of the model that a pipeline rank holds.
class RankModel
{
  public:
    /**
     * @param spec a job that passed validation
     * @param pipelineRank a pipeline rank
     */
    RankModel(const WorkloadSpec& spec, uint32_t pipelineRank);

    /// @return the chunks of the rank; never empty
    const std::vector<ModelChunk>& GetChunks() const
    {
        return m_chunks;
    }

    /// @return the units of all chunks, in order; they live as long as this object
    std::vector<const ShardingUnit*> GetUnits() const;

    /**
     * @param unit a unit
     * @return the name of the unit, for output
     */
    static std::string GetName(const ShardingUnit& unit);

  private:
    std::vector<ModelChunk> m_chunks; //!< by chunk index
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_MODEL_H
