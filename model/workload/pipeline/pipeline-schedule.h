// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIPELINE_SCHEDULE_H
#define PHOTONIC_RAILS_PIPELINE_SCHEDULE_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/variant.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// One step in the program of a pipeline rank.
struct PipelineAction
{
    /// What is done.
    enum Kind : uint8_t
    {
        FORWARD,         //!< run a chunk's layers on a micro-batch
        BACKWARD,        //!< and backwards: gradients of inputs and of weights
        BACKWARD_INPUT,  //!< only what the previous stage waits for
        BACKWARD_WEIGHT, //!< the rest
        SEND_ACTIVATION, //!< start sending the forward result to the next stage
        RECV_ACTIVATION, //!< start receiving the forward input from the previous stage
        SEND_GRADIENT,   //!< start sending the backward result to the previous stage
        RECV_GRADIENT,   //!< start receiving the backward input from the next stage
        WAIT,            //!< computation goes on only when a batch of transfers has ended
    };

    Kind kind{FORWARD};
    uint32_t microBatch{0}; //!< which micro-batch; unused by WAIT
    uint32_t chunk{0};      //!< which of the rank's model chunks; unused by WAIT
    uint32_t peer{0};       //!< the other pipeline rank; transfers only
    uint32_t batch{0};      //!< which batch of transfers; transfers and WAIT only

    /// @return true if this is neither a transfer nor a wait
    bool IsComputation() const
    {
        return kind < SEND_ACTIVATION;
    }

    /// @return true if this starts a transfer between stages
    bool IsTransfer() const
    {
        return kind >= SEND_ACTIVATION && kind != WAIT;
    }
};

using PipelineActions = std::vector<PipelineAction>;

class PipelineSchedule;

/// Computing times of one micro-batch on one stage, so on one chunk and not on a whole rank.
struct PipelinePasses
{
    Time forward;        //!< F
    Time backwardInput;  //!< I
    Time backwardWeight; //!< W

    /// @return F + I + W
    Time GetSum() const
    {
        return forward + backwardInput + backwardWeight;
    }
};

/// A pipeline and its schedule.
struct PipelineShape
{
    Variant<PipelineSchedule> schedule{"1f1b"};
    uint32_t ranks{1};        //!< pipeline ranks
    uint32_t chunks{1};       //!< model chunks of a rank (virtual stages)
    uint32_t microBatches{1}; //!< of a step

    /// @return stages of the model: ranks x chunks
    uint32_t GetStages() const
    {
        return ranks * chunks;
    }

    /// @return whole multiples of ranks in the micro-batches, at least 1
    uint32_t GetRounds() const
    {
        return microBatches < ranks ? 1 : microBatches / ranks;
    }

    /// @param stage a stage @return the rank that computes the stage
    uint32_t GetRank(uint32_t stage) const;

    /// @param stage a stage @return which chunk of its rank the stage is
    uint32_t GetChunk(uint32_t stage) const
    {
        return stage / ranks;
    }

    /// @param rank a pipeline rank @param chunk one of its chunks @return the stage that the chunk
    /// is
    uint32_t GetStage(uint32_t rank, uint32_t chunk) const;

    /// @return whether the last rank sends activations to the first one
    bool IsRing() const
    {
        return chunks > 1 && GetRank(ranks) == 0;
    }

    /**
     * @brief Check that the schedule exists for this shape.
     * @return an empty string, or one line that begins with the name of the setting that is wrong
     * (schedule, pp, virtualStages, microBatches) and says what is allowed
     */
    std::string Validate() const;

    /**
     * @param passes computing times, the same for all stages
     * @return the bubble as the authors of the schedule give it, over the time of computation:
     * (p - 1) / m for gpipe and 1f1b with m micro-batches, (p - 1) / (v m) for interleaved with v
     * chunks
     */
    double GetBubbleRatio(const PipelinePasses& passes) const;
};

/**
 * @brief A pipeline schedule: in which order each rank computes, and how stages are placed on
 * ranks.
 *
 * A schedule is a class that derives from this one and is registered with ns-3 (see Variant); the
 * flag
 * --schedule takes the name of any. A schedule is a rule of counting, independent of how long
 * anything takes. Transfers are added by PipelineTransfers, unless the class overrides MakeProgram
 * and MakePrograms as 1F1B does.
 *
 * Transfers with the same batch number are started together and run at the same time; batches
 * follow each other. A batch starts when the computation before it in the program has ended.
 * Between chunks of one rank nothing is transferred. The transfers from one rank to another are in
 * the same order in the programs of both, so they need no names on the way.
 */
class PipelineSchedule : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return the name in flags and files
    virtual std::string GetName() const = 0;

    /**
     * @param shape a shape with at least one rank and one micro-batch
     * @return an empty string, or one line that begins with the name of the setting that is wrong
     * (virtualStages, microBatches), its value and a colon, and says what is allowed
     */
    virtual std::string Validate(const PipelineShape& shape) const = 0;

    /**
     * @param shape a shape that passed validation
     * @param rank a pipeline rank
     * @return its computations, without transfers (see PipelineOrderWriter). No computation may
     * come before what it needs from another stage
     */
    virtual PipelineActions MakeOrder(const PipelineShape& shape, uint32_t rank) const = 0;

    /**
     * @brief The bubble as the authors of the schedule give it: how long each rank is idle in a
     * step if transfers take no time and all stages are alike.
     *
     * A replay of the programs (test/unit/pipeline-timeline.h) finds the same: always for gpipe and 1f1b; for interleaved with p
     * micro-batches or more (fewer do not fill a round), whether backwards take half or four times
     * as long as forwards; for zb-h1 with p micro-batches or more, if W is no longer than F and I.
     * For dualpipev both would be equal, with F = I >= W, if pairs did run as one. In the programs
     * here a forward of a pair is sent before the backward begins, and the bubble is (p - 1)(F + I
     * - W), with W <= I <= F <= I + W.
     * @param shape a shape that passed validation
     * @param passes computing times of a micro-batch on a stage
     * @return idle time of a rank in a step; a result below 0 counts as 0
     */
    virtual Time GetBubble(const PipelineShape& shape, const PipelinePasses& passes) const = 0;

    /**
     * @brief Where a stage is computed. Ranks have one stage of each chunk: stages 0 to ranks - 1
     * are chunk 0, the next ones chunk 1, and so on. Neighbouring stages must be on the same rank
     * or on neighbouring ranks; the first rank is also the neighbour of the last one.
     * @param shape a shape
     * @param stage a stage
     * @return the rank; without an override, stages go round the ranks (stage modulo ranks)
     */
    virtual uint32_t GetRank(const PipelineShape& shape, uint32_t stage) const;

    /**
     * @brief Which transfers of one instant share a batch: those with equal keys. Smaller keys
     * start first.
     * @param shape a shape that passed validation
     * @param from stage that sends
     * @param to stage that receives
     * @return the key; without an override the earlier stage, so that what two stages send each
     * other at one instant shares a batch
     */
    virtual uint32_t GetBatchKey(const PipelineShape& shape, uint32_t from, uint32_t to) const;

    /**
     * @brief How many units a whole backward takes on the clock that orders transfers, where a
     * forward takes one. It is no duration.
     * @return the units; without an override 2, which loses least to waiting in vain when backwards
     * take once to three times as long as forwards
     */
    virtual uint32_t GetBackwardUnits() const;

    /**
     * @param shape a shape that passed validation
     * @param rank a pipeline rank
     * @return its program: computations, transfers and waits
     */
    virtual PipelineActions MakeProgram(const PipelineShape& shape, uint32_t rank) const;

    /**
     * @param shape a shape that passed validation
     * @return the programs of all ranks; cheaper than one at a time
     */
    virtual std::vector<PipelineActions> MakePrograms(const PipelineShape& shape) const;

  protected:
    /**
     * @param shape a shape
     * @param chunks how many chunks a rank must have
     * @return an empty string, or what is wrong
     */
    std::string NeedsChunks(const PipelineShape& shape, uint32_t chunks) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_SCHEDULE_H
