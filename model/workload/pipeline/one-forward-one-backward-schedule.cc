// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-schedule.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Writes the program of a stage; leaves out transfers beyond the ends of the pipeline.
class OneForwardOneBackwardWriter
{
  public:
    /**
     * @param stage the stage
     * @param stages number of stages
     */
    OneForwardOneBackwardWriter(uint32_t stage, uint32_t stages)
        : m_stage(stage),
          m_stages(stages)
    {
    }

    /**
     * @param kind FORWARD or BACKWARD
     * @param microBatch the micro-batch
     */
    void Compute(PipelineAction::Kind kind, uint32_t microBatch)
    {
        m_actions.push_back({kind, microBatch, 0, 0, 0});
    }

    /**
     * @brief Add a transfer to the current batch, unless the stage has no neighbour on that side.
     * @param kind kind of transfer
     * @param microBatch the micro-batch
     */
    void Transfer(PipelineAction::Kind kind, uint32_t microBatch)
    {
        const bool toPrevious =
            kind == PipelineAction::RECV_ACTIVATION || kind == PipelineAction::SEND_GRADIENT;
        if (toPrevious ? m_stage > 0 : m_stage + 1 < m_stages)
        {
            const uint32_t peer = toPrevious ? m_stage - 1 : m_stage + 1;
            m_actions.push_back({kind, microBatch, 0, peer, m_batches});
            m_isFilling = true;
        }
    }

    /// Close the batch without waiting; Settle waits for it.
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
            m_actions.push_back({PipelineAction::WAIT, 0, 0, 0, m_batches++});
            m_isFilling = false;
        }
    }

    /// Wait for all batches that Fire closed.
    void Settle()
    {
        for (uint32_t batch : m_unsettled)
        {
            m_actions.push_back({PipelineAction::WAIT, 0, 0, 0, batch});
        }
        m_unsettled.clear();
    }

    /// @return the program
    PipelineActions Take()
    {
        return std::move(m_actions);
    }

  private:
    uint32_t m_stage;                  //!< the stage
    uint32_t m_stages;                 //!< number of stages
    bool m_isFilling{false};           //!< the current batch has a transfer
    uint32_t m_batches{0};             //!< index of the current batch
    std::vector<uint32_t> m_unsettled; //!< batches that Fire closed and no WAIT follows yet
    PipelineActions m_actions;         //!< the program so far
};

/**
 * @brief One forward, one backward (1F1B, PipeDream-Flush, arXiv 2006.09503), with transfers as
 * PyTorch's Schedule1F1B issues them.
 *
 * A stage warms up with min(microBatches, stages - stage) forwards, then alternates, then runs the
 * remaining backwards. The send of the last warm-up forward is batched with the receive of the
 * first gradient, and so on through the steady state. A send and a receive between two neighbours
 * at the same time always share a batch, so neither blocks the other. During warm-up and cool-down
 * the program waits for a send only before the next send. Fewer micro-batches than stages are
 * allowed.
 *
 * The bubble is (p - 1)(F + I + W) (arXiv 2104.04473, section 2.2).
 */
class OneForwardOneBackwardSchedule : public PipelineSchedule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::OneForwardOneBackwardSchedule")
                                .SetParent<PipelineSchedule>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<OneForwardOneBackwardSchedule>();
        return tid;
    }

    std::string GetName() const override
    {
        return "1f1b";
    }

    std::string Validate(const PipelineShape& shape) const override
    {
        return NeedsChunks(shape, 1);
    }

    PipelineActions MakeOrder(const PipelineShape& shape, uint32_t rank) const override
    {
        PipelineActions order = MakeProgram(shape, rank);
        order.erase(std::remove_if(order.begin(),
                                   order.end(),
                                   [](const auto& action) { return !action.IsComputation(); }),
                    order.end());
        return order;
    }

    PipelineActions MakeProgram(const PipelineShape& shape, uint32_t rank) const override
    {
        using Action = PipelineAction;
        OneForwardOneBackwardWriter program(rank, shape.ranks);
        const uint32_t warmUp = std::min(shape.microBatches, shape.ranks - rank);
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
                program.Fire(); // the last send shares a batch with the first gradient
            }
        }
        while (true)
        {
            program.Transfer(Action::RECV_GRADIENT, backward);
            program.FireAndWait();
            program.Compute(Action::BACKWARD, backward);
            program.Transfer(Action::SEND_GRADIENT, backward++);
            if (forward == shape.microBatches)
            {
                break;
            }
            program.Transfer(Action::RECV_ACTIVATION, forward);
            program.FireAndWait();
            program.Compute(Action::FORWARD, forward);
            program.Transfer(Action::SEND_ACTIVATION, forward++);
        }
        program.Fire();
        for (; backward < shape.microBatches; ++backward)
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

    Time GetBubble(const PipelineShape& shape, const PipelinePasses& passes) const override
    {
        return passes.GetSum() * int64_t{shape.ranks - 1};
    }

    std::vector<PipelineActions> MakePrograms(const PipelineShape& shape) const override
    {
        std::vector<PipelineActions> programs;
        for (uint32_t rank = 0; rank < shape.ranks; ++rank)
        {
            programs.push_back(MakeProgram(shape, rank));
        }
        return programs;
    }
};

NS_OBJECT_ENSURE_REGISTERED(OneForwardOneBackwardSchedule);

} // namespace

} // namespace ns3
