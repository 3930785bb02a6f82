// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIPELINE_SCHEDULE_H
#define PHOTONIC_RAILS_PIPELINE_SCHEDULE_H

#include <cstdint>
#include <optional>
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

    /// @return true if this starts a transfer between stages
    bool IsTransfer() const
    {
        return kind >= SEND_ACTIVATION && kind != WAIT;
    }
};

using PipelineActions = std::vector<PipelineAction>;

/// Schedules by name.
enum class PipelineKind : uint8_t
{
    GPIPE,          //!< all forwards, then all backwards (arXiv 1811.06965)
    ONE_F_ONE_B,    //!< 1F1B (PipeDream-Flush, arXiv 2006.09503)
    INTERLEAVED,    //!< 1F1B with several chunks a rank (arXiv 2104.04473)
    ZERO_BUBBLE_H1, //!< ZB-H1 (arXiv 2401.10241)
    DUAL_PIPE_V,    //!< both directions at a time (DualPipe, arXiv 2412.19437, cut in half)
};

/**
 * @param kind a schedule
 * @return its name in flags and files: gpipe, 1f1b, interleaved, zb-h1, dualpipev
 */
std::string ToString(PipelineKind kind);

/// What a schedule is made for.
struct PipelineShape
{
    PipelineKind kind{PipelineKind::ONE_F_ONE_B};
    uint32_t ranks{1};        //!< pipeline ranks
    uint32_t chunks{1};       //!< model chunks of a rank (virtual stages)
    uint32_t microBatches{1}; //!< of a step

    /// @return stages of the model: ranks x chunks
    uint32_t GetStages() const
    {
        return ranks * chunks;
    }

    /// @return rounds in which INTERLEAVED runs micro-batches: whole multiples of ranks, or 1
    uint32_t GetRounds() const
    {
        return microBatches < ranks ? 1 : microBatches / ranks;
    }

    /**
     * @param rank a pipeline rank
     * @param chunk one of its chunks
     * @return the stage that it is; looped (chunk x ranks + rank), or in a V for DUAL_PIPE_V
     */
    uint32_t GetStage(uint32_t rank, uint32_t chunk) const;

    /**
     * @param stage a stage
     * @return the rank that has it
     */
    uint32_t GetRank(uint32_t stage) const;

    /**
     * @param stage a stage
     * @return which chunk of its rank it is
     */
    uint32_t GetChunk(uint32_t stage) const;

    /**
     * @brief Check that there is such a schedule.
     *
     * GPIPE, ONE_F_ONE_B and ZERO_BUBBLE_H1 have one chunk a rank and run any number of
     * micro-batches. INTERLEAVED has 2 or more chunks and asks for rounds of equal size, as
     * PyTorch's ScheduleInterleaved1F1B does: fewer micro-batches than ranks, or a multiple of
     * floor(microBatches / ranks). (Megatron-LM asks for a multiple of ranks unless it is given
     * larger rounds.) DUAL_PIPE_V has 2 chunks and asks for 2 x ranks micro-batches or more, as
     * DeepSeek's and PyTorch's do.
     * @return an empty string, or one line that begins with the name of the setting that is wrong
     * (schedule, pp, virtualStages, microBatches) and says what is allowed
     */
    std::string Validate() const;
};

/**
 * @brief Programs of pipeline ranks, as pure functions.
 *
 * Transfers with the same batch number are started together and run at the same time; batches
 * follow each other. A batch starts when the computation before it in the program has ended.
 * Between chunks of one rank nothing is transferred. The transfers from one rank to another are in
 * the same order in the programs of both, so they need no names on the way.
 *
 * 1F1B issues transfers as PyTorch's Schedule1F1B does, the others as PipelineTransfers says.
 */
class PipelineSchedule
{
  public:
    /// @return the schedules there are
    static std::vector<PipelineKind> GetKinds();

    /**
     * @param name of a schedule
     * @return the schedule, or nothing if there is none of that name
     */
    static std::optional<PipelineKind> Find(const std::string& name);

    /**
     * @param shape a shape that passed validation
     * @param rank a pipeline rank
     * @return its program
     */
    static PipelineActions Make(const PipelineShape& shape, uint32_t rank);

    /**
     * @param shape a shape that passed validation
     * @return the programs of all ranks; cheaper than one at a time
     */
    static std::vector<PipelineActions> MakeAll(const PipelineShape& shape);

    /**
     * @brief One forward, one backward (1F1B), with transfers as PyTorch's Schedule1F1B issues
     * them.
     *
     * A stage warms up with min(microBatches, stages - stage) forwards, then alternates, then runs
     * the backwards that are left. The send of the last warm-up forward is batched with the
     * receive of the first gradient, and so on through the steady state: a send and a receive that
     * two neighbours owe each other always share a batch, so that neither waits for the other.
     * During warm-up and cool-down a send is waited for only before the next one.
     * @param stage this stage
     * @param stages number of stages, 1 or more
     * @param microBatches micro-batches of a step, 1 or more; fewer than stages is allowed
     * @return the program of the stage
     */
    static PipelineActions OneForwardOneBackward(uint32_t stage,
                                                 uint32_t stages,
                                                 uint32_t microBatches);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_SCHEDULE_H
