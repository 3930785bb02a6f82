// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIPELINE_SCHEDULE_H
#define PHOTONIC_RAILS_PIPELINE_SCHEDULE_H

#include "ns3/abort.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/variant.h"

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// One step in the program of a pipeline rank.
struct PipelineAction
{
    /// The kind of step.
    enum Kind : uint8_t
    {
        FORWARD,         //!< run a chunk's layers on a micro-batch
        BACKWARD,        //!< run a chunk's layers backward: gradients of inputs and of weights
        BACKWARD_INPUT,  //!< gradients of inputs only, for which the previous stage waits
        BACKWARD_WEIGHT, //!< gradients of weights only
        SEND_ACTIVATION, //!< start sending the forward result to the next stage
        RECV_ACTIVATION, //!< start receiving the forward input from the previous stage
        SEND_GRADIENT,   //!< start sending the backward result to the previous stage
        RECV_GRADIENT,   //!< start receiving the backward input from the next stage
        WAIT,            //!< block computation until a batch of transfers has ended
    };

    Kind kind{FORWARD};
    uint32_t microBatch{0}; //!< micro-batch; unused by WAIT
    uint32_t chunk{0};      //!< model chunk of the rank; unused by WAIT
    uint32_t peer{0};       //!< the other pipeline rank; transfers only
    uint32_t batch{0};      //!< batch of transfers; transfers and WAIT only

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

/// Computing times of one micro-batch on one stage, that is on one chunk and not on a whole rank.
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
    uint32_t microBatches{1}; //!< micro-batches of a step
    /// a forward and the backward behind it send together, when both have ended: the steady state
    /// of Megatron-LM's interleaved schedule if it waits for messages (schedules.py,
    /// send_forward_backward_recv_forward_backward)
    bool sendsInPairs{false};

    /// @return stages of the model: ranks x chunks
    uint32_t GetStages() const
    {
        return ranks * chunks;
    }

    /// @return micro-batches divided by ranks, rounded down, at least 1
    uint32_t GetRounds() const
    {
        return microBatches < ranks ? 1 : microBatches / ranks;
    }

    /// @param stage a stage @return the rank that computes the stage
    uint32_t GetRank(uint32_t stage) const;

    /// @param stage a stage @return the chunk of its rank that is this stage
    uint32_t GetChunk(uint32_t stage) const
    {
        return stage / ranks;
    }

    /// @param rank a pipeline rank @param chunk one of its chunks @return the stage of the chunk
    uint32_t GetStage(uint32_t rank, uint32_t chunk) const;

    /// @return true if the last rank sends activations to the first rank
    bool IsRing() const
    {
        return chunks > 1 && GetRank(ranks) == 0;
    }

    /**
     * @brief Check that the schedule supports this shape.
     * @return an empty string, or one line that begins with the name of the wrong setting
     * (schedule, pp, virtualStages, microBatches) and names the allowed values
     */
    std::string Validate() const;

    /**
     * @brief Check the orders that the schedule makes for this shape, which must be valid: they are
     * complete, and no computation comes before one that it needs.
     * @return an empty string, or one line that begins with the schedule and names the rank
     */
    std::string CheckOrders() const;

    /**
     * @param passes computing times, the same for all stages
     * @return the bubble given by the authors of the schedule, over the time of computation: (p -
     * 1) / m for gpipe and 1f1b with m micro-batches, (p - 1) / (v m) for interleaved with v chunks
     */
    double GetBubbleRatio(const PipelinePasses& passes) const;
};

/**
 * @brief A pipeline schedule: the order of computations on each rank, and the placement of stages
 * on ranks.
 *
 * A schedule is a class that derives from PipelineSchedule and is registered with ns-3 (see
 * Variant). The flag --schedule takes the name of any registered schedule. A schedule counts steps
 * and does not depend on durations. PipelineTransfers adds the transfers, unless the class
 * overrides MakeProgram and MakePrograms as 1F1B does.
 *
 * Transfers with the same batch number start together and run at the same time; batches run one
 * after the other. A batch starts when the computation before it in the program has ended. Chunks
 * of the same rank exchange no transfers. The transfers from one rank to another have the same
 * order in the programs of both ranks, so transfers carry no identifiers.
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
     * @return an empty string, or one line that begins with the name of the wrong setting
     * (virtualStages, microBatches), its value and a colon, and names the allowed values
     */
    virtual std::string Validate(const PipelineShape& shape) const = 0;

    /**
     * @param shape a shape that passed validation
     * @param rank a pipeline rank
     * @return the computations of the rank, without transfers (see PipelineOrderEmitter). Each
     * micro-batch goes forward and backward once on each chunk; the backward may be two passes. A
     * computation must come after the computations of other stages on which it depends.
     * PipelineShape::CheckOrders checks both.
     */
    virtual PipelineActions MakeOrder(const PipelineShape& shape, uint32_t rank) const = 0;

    /**
     * @brief The bubble given by the authors of the schedule: the idle time of each rank in a step
     * if transfers take no time and all stages are alike.
     *
     * A replay of the programs (test/unit/pipeline-timeline.h) yields the same bubble:
     * - for gpipe and 1f1b always;
     * - for interleaved with p micro-batches or more (fewer do not fill a round), for backwards
     *   that take half or four times as long as forwards;
     * - for zb-h1 with p micro-batches or more, if W is no longer than F and I.
     *
     * For dualpipev the two bubbles would be equal, with F = I >= W, if overlapped pairs ran as
     * one. The programs of this module send the forward of a pair before its backward begins, and
     * the bubble is (p - 1)(F + I - W), with W <= I <= F <= I + W.
     * @param shape a shape that passed validation
     * @param passes computing times of a micro-batch on a stage
     * @return idle time of a rank in a step; a result below 0 counts as 0
     */
    virtual Time GetBubble(const PipelineShape& shape, const PipelinePasses& passes) const = 0;

    /**
     * @brief The rank that computes a stage. Ranks have one stage of each chunk: the first stages,
     * as many as there are ranks, are chunk 0, the next stages are chunk 1, and so on. Neighbouring
     * stages must be on the same rank or on neighbouring ranks; the first rank is also the
     * neighbour of the last one.
     * @param shape a shape
     * @param stage a stage
     * @return the rank; without an override, stages go round the ranks (stage modulo ranks)
     */
    virtual uint32_t GetRank(const PipelineShape& shape, uint32_t stage) const;

    /**
     * @brief The key of a transfer's batch. Transfers of the same instant and with equal keys share
     * a batch. Smaller keys start first.
     * @param shape a shape that passed validation
     * @param from stage that sends
     * @param to stage that receives
     * @return the key; without an override the earlier stage, so that both directions between two
     * stages share a batch
     */
    virtual uint32_t GetBatchKey(const PipelineShape& shape, uint32_t from, uint32_t to) const;

    /**
     * @brief The length of a whole backward on the clock that orders transfers, in units of a
     * forward. The value is no duration.
     * @return the units; without an override 2, which causes the least needless waiting when
     * backwards take one to three times as long as forwards
     */
    virtual uint32_t GetBackwardUnits() const
    {
        return 2;
    }

    /**
     * @param shape a shape that passed validation
     * @param rank a pipeline rank
     * @return the program of the rank: computations, transfers and waits
     */
    virtual PipelineActions MakeProgram(const PipelineShape& shape, uint32_t rank) const;

    /**
     * @param shape a shape that passed validation
     * @return the programs of all ranks; faster than one call of MakeProgram per rank
     */
    virtual std::vector<PipelineActions> MakePrograms(const PipelineShape& shape) const;

  protected:
    /**
     * @param shape a shape
     * @param chunks required number of chunks per rank
     * @return an empty string, or an error message
     */
    std::string NeedsChunks(const PipelineShape& shape, uint32_t chunks) const;
};

/**
 * @brief Writes the computations of a pipeline rank and counts the micro-batches of each chunk.
 */
class PipelineOrderEmitter
{
  public:
    /// @param chunks model chunks of the rank
    explicit PipelineOrderEmitter(uint32_t chunks)
        : m_forward(chunks),
          m_backward(chunks)
    {
    }

    /// @param chunk chunk that runs its next micro-batch forward
    void Forward(uint32_t chunk)
    {
        Append(PipelineAction::FORWARD, chunk, Next(m_forward, chunk));
    }

    /// @param chunk chunk that runs its next micro-batch backward
    void Backward(uint32_t chunk)
    {
        Append(PipelineAction::BACKWARD, chunk, Next(m_backward, chunk));
    }

    /// @param chunk chunk that runs its next micro-batch backward; the weight pass is deferred
    void BackwardInput(uint32_t chunk)
    {
        const uint32_t microBatch = Next(m_backward, chunk);
        Append(PipelineAction::BACKWARD_INPUT, chunk, microBatch);
        m_deferred.push_back({PipelineAction::BACKWARD_WEIGHT, microBatch, chunk, 0, 0});
    }

    /// Run the oldest deferred weight pass. Ends the program if there is none.
    void BackwardWeight()
    {
        NS_ABORT_MSG_IF(m_deferred.empty(), "no weight pass is deferred; see BackwardInput");
        m_actions.push_back(m_deferred.front());
        m_deferred.pop_front();
    }

    /// Run all deferred weight passes.
    void Settle()
    {
        while (!m_deferred.empty())
        {
            BackwardWeight();
        }
    }

    /// @return the computations
    PipelineActions Take()
    {
        return std::move(m_actions);
    }

  private:
    /// @return the next micro-batch of a chunk, which is counted
    static uint32_t Next(std::vector<uint32_t>& counts, uint32_t chunk)
    {
        NS_ABORT_MSG_IF(chunk >= counts.size(),
                        "chunk " << chunk << " of a pipeline rank with " << counts.size());
        return counts[chunk]++;
    }

    void Append(PipelineAction::Kind kind, uint32_t chunk, uint32_t microBatch)
    {
        m_actions.push_back({kind, microBatch, chunk, 0, 0});
    }

    std::vector<uint32_t> m_forward;       //!< next micro-batch by chunk
    std::vector<uint32_t> m_backward;      //!< next micro-batch by chunk
    std::deque<PipelineAction> m_deferred; //!< weight passes, oldest first
    PipelineActions m_actions;             //!< the computations so far
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_SCHEDULE_H
