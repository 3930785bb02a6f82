// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIPELINE_SCHEDULE_H
#define PHOTONIC_RAILS_PIPELINE_SCHEDULE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/// One step in the program of a pipeline stage.
struct PipelineAction
{
    /// What is done.
    enum Kind : uint8_t
    {
        FORWARD,         //!< run the stage's layers on a micro-batch
        BACKWARD,        //!< and backwards
        SEND_ACTIVATION, //!< start sending the forward result to the next stage
        RECV_ACTIVATION, //!< start receiving the forward input from the previous stage
        SEND_GRADIENT,   //!< start sending the backward result to the previous stage
        RECV_GRADIENT,   //!< start receiving the backward input from the next stage
        WAIT,            //!< computation goes on only when a batch of transfers has ended
    };

    Kind kind{FORWARD};
    uint32_t microBatch{0}; //!< which micro-batch; unused by WAIT
    uint32_t batch{0};      //!< which batch of transfers; unused by FORWARD and BACKWARD

    /// @return true if this starts a transfer between stages
    bool IsTransfer() const
    {
        return kind != FORWARD && kind != BACKWARD && kind != WAIT;
    }
};

/**
 * @brief Programs of pipeline stages, as pure functions.
 *
 * Transfers with the same batch number are started together and run at the same time; batches
 * follow each other. A batch starts when the computation before it in the program has ended.
 */
class PipelineSchedule
{
  public:
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
    static std::vector<PipelineAction> OneForwardOneBackward(uint32_t stage,
                                                             uint32_t stages,
                                                             uint32_t microBatches);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_SCHEDULE_H
