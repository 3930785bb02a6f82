// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-schedule.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Writes the program of a stage; transfers at the ends of the pipeline are left out.
class StageWriter
{
  public:
    /**
     * @param isFirst the stage has no previous one
     * @param isLast the stage has no next one
     */
    StageWriter(bool isFirst, bool isLast)
        : m_isFirst(isFirst),
          m_isLast(isLast)
    {
    }

    /**
     * @param kind FORWARD or BACKWARD
     * @param microBatch the micro-batch
     */
    void Compute(PipelineAction::Kind kind, uint32_t microBatch)
    {
        m_actions.push_back({kind, microBatch, 0});
    }

    /**
     * @brief Add a transfer to the batch that is being filled, if it has another side.
     * @param kind what is transferred
     * @param microBatch of which micro-batch
     */
    void Transfer(PipelineAction::Kind kind, uint32_t microBatch)
    {
        const bool toPrevious =
            kind == PipelineAction::RECV_ACTIVATION || kind == PipelineAction::SEND_GRADIENT;
        if (toPrevious ? !m_isFirst : !m_isLast)
        {
            m_actions.push_back({kind, microBatch, m_batches});
            m_isFilling = true;
        }
    }

    /// Close the batch and leave it running; Settle waits for it.
    void Fire()
    {
        if (m_isFilling)
        {
            m_unsettled.push_back(m_batches++);
            m_isFilling = false;
        }
    }

    /// Close the batch and wait for it.
    void FireAndWait()
    {
        if (m_isFilling)
        {
            m_actions.push_back({PipelineAction::WAIT, 0, m_batches++});
            m_isFilling = false;
        }
    }

    /// Wait for the batches that were left running.
    void Settle()
    {
        for (uint32_t batch : m_unsettled)
        {
            m_actions.push_back({PipelineAction::WAIT, 0, batch});
        }
        m_unsettled.clear();
    }

    /// @return the program
    std::vector<PipelineAction> Take()
    {
        return std::move(m_actions);
    }

  private:
    bool m_isFirst;                        //!< no stage before this one
    bool m_isLast;                         //!< no stage after this one
    bool m_isFilling{false};               //!< the current batch has a transfer
    uint32_t m_batches{0};                 //!< number of the current batch
    std::vector<uint32_t> m_unsettled;     //!< fired and not waited for
    std::vector<PipelineAction> m_actions; //!< the program so far
};

} // namespace

std::vector<PipelineAction>
PipelineSchedule::OneForwardOneBackward(uint32_t stage, uint32_t stages, uint32_t microBatches)
{
    NS_ASSERT(stage < stages && microBatches > 0);
    using Action = PipelineAction;
    StageWriter program(stage == 0, stage + 1 == stages);
    const uint32_t warmUp = std::min(microBatches, stages - stage);
    uint32_t forward = 0;
    uint32_t backward = 0;

    for (; forward < warmUp; ++forward)
    {
        program.Transfer(Action::RECV_ACTIVATION, forward);
        program.FireAndWait();
        program.Compute(Action::FORWARD, forward);
        program.Settle();
        program.Transfer(Action::SEND_ACTIVATION, forward);
        if (forward + 1 < warmUp)
        {
            program.Fire(); // the last one shares a batch with the first gradient
        }
    }
    while (true)
    {
        program.Transfer(Action::RECV_GRADIENT, backward);
        program.FireAndWait();
        program.Compute(Action::BACKWARD, backward);
        program.Transfer(Action::SEND_GRADIENT, backward++);
        if (forward == microBatches)
        {
            break;
        }
        program.Transfer(Action::RECV_ACTIVATION, forward);
        program.FireAndWait();
        program.Compute(Action::FORWARD, forward);
        program.Transfer(Action::SEND_ACTIVATION, forward++);
    }
    program.Fire();
    for (; backward < microBatches; ++backward)
    {
        program.Transfer(Action::RECV_GRADIENT, backward);
        program.FireAndWait();
        program.Compute(Action::BACKWARD, backward);
        program.Settle();
        program.Transfer(Action::SEND_GRADIENT, backward);
        program.Fire();
    }
    program.Settle();
    return program.Take();
}

} // namespace ns3
