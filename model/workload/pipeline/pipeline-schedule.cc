// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-schedule.h"

#include "pipeline-order.h"
#include "pipeline-transfers.h"

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
     * @param stage the stage
     * @param stages number of stages
     */
    StageWriter(uint32_t stage, uint32_t stages)
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
     * @brief Add a transfer to the batch that is being filled, if it has another side.
     * @param kind what is transferred
     * @param microBatch of which micro-batch
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
            m_actions.push_back({PipelineAction::WAIT, 0, 0, 0, m_batches++});
            m_isFilling = false;
        }
    }

    /// Wait for the batches that were left running.
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
    uint32_t m_batches{0};             //!< number of the current batch
    std::vector<uint32_t> m_unsettled; //!< fired and not waited for
    PipelineActions m_actions;         //!< the program so far
};

/**
 * @param shape a shape, not of 1F1B
 * @return the orders of its ranks with transfers
 */
PipelineTransfers
AddTransfers(const PipelineShape& shape)
{
    std::vector<PipelineActions> orders;
    for (uint32_t rank = 0; rank < shape.ranks; ++rank)
    {
        orders.push_back(PipelineOrder::Make(shape, rank));
    }
    return {shape, std::move(orders)};
}

} // namespace

std::string
ToString(PipelineKind kind)
{
    static const char* const NAMES[] = {"gpipe", "1f1b", "interleaved", "zb-h1", "dualpipev"};
    return NAMES[static_cast<std::size_t>(kind)];
}

uint32_t
PipelineShape::GetStage(uint32_t rank, uint32_t chunk) const
{
    const bool turns = kind == PipelineKind::DUAL_PIPE_V && chunk % 2 == 1;
    return chunk * ranks + (turns ? ranks - 1 - rank : rank);
}

uint32_t
PipelineShape::GetRank(uint32_t stage) const
{
    const bool turns = kind == PipelineKind::DUAL_PIPE_V && stage / ranks % 2 == 1;
    return turns ? ranks - 1 - stage % ranks : stage % ranks;
}

uint32_t
PipelineShape::GetChunk(uint32_t stage) const
{
    return stage / ranks;
}

std::string
PipelineShape::Validate() const
{
    const std::string name = ToString(kind);
    const std::string pp = "pp=" + std::to_string(ranks);
    const std::string virtualStages = "virtualStages=" + std::to_string(chunks) + ": ";
    const std::string batches = "microBatches=" + std::to_string(microBatches) + ": ";
    if (ranks == 0)
    {
        return pp + ": must be 1 or more";
    }
    if (microBatches == 0)
    {
        return batches + "must be 1 or more";
    }
    switch (kind)
    {
    case PipelineKind::INTERLEAVED:
        if (chunks < 2)
        {
            return virtualStages + name + " needs 2 or more chunks a rank";
        }
        if (microBatches % GetRounds() != 0)
        {
            const std::string rounds = std::to_string(GetRounds());
            return batches + name + " with " + pp + " runs them in " + rounds +
                   " rounds of equal size and needs a multiple of " + rounds;
        }
        return "";
    case PipelineKind::DUAL_PIPE_V:
        if (chunks != 2)
        {
            return virtualStages + name + " needs 2 chunks a rank";
        }
        if (microBatches / 2 < ranks)
        {
            return batches + name + " with " + pp + " needs " +
                   std::to_string(uint64_t{2} * ranks) + " or more";
        }
        return "";
    default:
        return chunks == 1 ? "" : virtualStages + name + " needs 1 chunk a rank";
    }
}

std::vector<PipelineKind>
PipelineSchedule::GetKinds()
{
    return {PipelineKind::GPIPE,
            PipelineKind::ONE_F_ONE_B,
            PipelineKind::INTERLEAVED,
            PipelineKind::ZERO_BUBBLE_H1,
            PipelineKind::DUAL_PIPE_V};
}

std::optional<PipelineKind>
PipelineSchedule::Find(const std::string& name)
{
    for (const auto kind : GetKinds())
    {
        if (ToString(kind) == name)
        {
            return kind;
        }
    }
    return std::nullopt;
}

PipelineActions
PipelineSchedule::Make(const PipelineShape& shape, uint32_t rank)
{
    NS_ASSERT(shape.Validate().empty() && rank < shape.ranks);
    return shape.kind == PipelineKind::ONE_F_ONE_B
               ? OneForwardOneBackward(rank, shape.ranks, shape.microBatches)
               : AddTransfers(shape).Write(rank);
}

std::vector<PipelineActions>
PipelineSchedule::MakeAll(const PipelineShape& shape)
{
    NS_ASSERT(shape.Validate().empty());
    std::vector<PipelineActions> programs;
    if (shape.kind == PipelineKind::ONE_F_ONE_B)
    {
        for (uint32_t rank = 0; rank < shape.ranks; ++rank)
        {
            programs.push_back(Make(shape, rank));
        }
        return programs;
    }
    const PipelineTransfers transfers = AddTransfers(shape);
    for (uint32_t rank = 0; rank < shape.ranks; ++rank)
    {
        programs.push_back(transfers.Write(rank));
    }
    return programs;
}

PipelineActions
PipelineSchedule::OneForwardOneBackward(uint32_t stage, uint32_t stages, uint32_t microBatches)
{
    NS_ASSERT(stage < stages && microBatches > 0);
    using Action = PipelineAction;
    StageWriter program(stage, stages);
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
