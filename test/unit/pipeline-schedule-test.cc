// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/pipeline-schedule.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <tuple>

using namespace ns3;

namespace
{

using Actions = std::vector<PipelineAction>;

/// @return the program of a stage of 1F1B
Actions
OneForwardOneBackward(uint32_t stage, uint32_t stages, uint32_t microBatches)
{
    const PipelineShape shape{"1f1b", stages, 1, microBatches};
    return shape.schedule->MakeProgram(shape, stage);
}

/**
 * @param actions a stage's program
 * @return "F0 sa0.0 ..." : kind, micro-batch and, after a dot, batch
 */
std::string
WriteActions(const Actions& actions)
{
    static const char* const NAMES[] = {"F", "B", "I", "W", "sa", "ra", "sg", "rg", "wait"};
    std::string text;
    for (const auto& action : actions)
    {
        text += text.empty() ? "" : " ";
        text += NAMES[action.kind];
        text += action.kind == PipelineAction::WAIT ? "" : std::to_string(action.microBatch);
        text += action.IsTransfer() || action.kind == PipelineAction::WAIT
                    ? "." + std::to_string(action.batch)
                    : "";
    }
    return text;
}

/// Plays the stages of a pipeline against each other, without time.
class Pipeline
{
  public:
    /**
     * @param stages number of stages
     * @param microBatches of a step
     * @param isRendezvous a send ends only with its receive; otherwise as soon as it has begun
     */
    Pipeline(uint32_t stages, uint32_t microBatches, bool isRendezvous)
        : m_isRendezvous(isRendezvous),
          m_stages(stages)
    {
        for (uint32_t stage = 0; stage < stages; ++stage)
        {
            m_stages[stage].program = OneForwardOneBackward(stage, stages, microBatches);
        }
    }

    /// @return true if every stage came to the end of its program and all its transfers ended
    bool Run()
    {
        bool hasMoved = true;
        while (hasMoved)
        {
            hasMoved = false;
            for (uint32_t stage = 0; stage < m_stages.size(); ++stage)
            {
                hasMoved |= Advance(stage);
                hasMoved |= Transfer(stage);
            }
        }
        for (const auto& stage : m_stages)
        {
            if (stage.at < stage.program.size() || !stage.queue.empty())
            {
                return false;
            }
        }
        return true;
    }

  private:
    struct Stage
    {
        Actions program;
        std::size_t at{0};                             // next action
        std::deque<std::vector<PipelineAction>> queue; // batches that have not ended
        std::set<uint32_t> ended;                      // batches
    };

    /// What is transferred: kind of data, micro-batch, sending stage.
    using Message = std::tuple<bool, uint32_t, uint32_t>;

    static Message GetMessage(const PipelineAction& action, uint32_t stage)
    {
        switch (action.kind)
        {
        case PipelineAction::SEND_ACTIVATION:
            return {true, action.microBatch, stage};
        case PipelineAction::RECV_ACTIVATION:
            return {true, action.microBatch, stage - 1};
        case PipelineAction::SEND_GRADIENT:
            return {false, action.microBatch, stage};
        default:
            return {false, action.microBatch, stage + 1};
        }
    }

    static bool IsSend(const PipelineAction& action)
    {
        return action.kind == PipelineAction::SEND_ACTIVATION ||
               action.kind == PipelineAction::SEND_GRADIENT;
    }

    // Computation and waits in program order; transfers are queued.
    bool Advance(uint32_t index)
    {
        Stage& stage = m_stages[index];
        bool hasMoved = false;
        for (; stage.at < stage.program.size(); ++stage.at)
        {
            const auto& action = stage.program[stage.at];
            if (action.kind == PipelineAction::WAIT && stage.ended.count(action.batch) == 0)
            {
                break;
            }
            if (action.IsTransfer())
            {
                const bool isNew = stage.at == 0 || !stage.program[stage.at - 1].IsTransfer() ||
                                   stage.program[stage.at - 1].batch != action.batch;
                if (isNew)
                {
                    stage.queue.emplace_back();
                }
                stage.queue.back().push_back(action);
            }
            hasMoved = true;
        }
        return hasMoved;
    }

    // The batch at the head of the queue ends when all its transfers can.
    bool Transfer(uint32_t index)
    {
        Stage& stage = m_stages[index];
        if (stage.queue.empty())
        {
            return false;
        }
        bool isDone = true;
        bool hasMoved = false;
        for (const auto& action : stage.queue.front())
        {
            const Message message = GetMessage(action, index);
            auto& begun = IsSend(action) ? m_sent : m_received;
            const auto& other = IsSend(action) ? m_received : m_sent;
            hasMoved |= begun.insert(message).second;
            const bool needsOther = !IsSend(action) || m_isRendezvous;
            isDone &= !needsOther || other.count(message) > 0;
        }
        if (isDone)
        {
            stage.ended.insert(stage.queue.front().front().batch);
            stage.queue.pop_front();
        }
        return isDone || hasMoved;
    }

    bool m_isRendezvous;
    std::vector<Stage> m_stages;
    std::set<Message> m_sent;
    std::set<Message> m_received;
};

} // namespace

TEST(PipelineSchedule, OneStageAlternates)
{
    EXPECT_EQ(WriteActions(OneForwardOneBackward(0, 1, 3)), "F0 B0 F1 B1 F2 B2");
}

TEST(PipelineSchedule, TwoStagesTwoMicroBatches)
{
    EXPECT_EQ(WriteActions(OneForwardOneBackward(0, 2, 2)),
              "F0 sa0.0 F1 wait.0 sa1.1 rg0.1 wait.1 B0 rg1.2 wait.2 B1");
    EXPECT_EQ(WriteActions(OneForwardOneBackward(1, 2, 2)),
              "ra0.0 wait.0 F0 B0 sg0.1 ra1.1 wait.1 F1 B1 sg1.2 wait.2");
}

TEST(PipelineSchedule, SteadyStateBatchesASendWithAReceive)
{
    EXPECT_EQ(WriteActions(OneForwardOneBackward(1, 3, 4)),
              "ra0.0 wait.0 F0 sa0.1 ra1.2 wait.2 F1 wait.1 sa1.3 rg0.3 wait.3 B0 sg0.4 ra2.4 "
              "wait.4 F2 sa2.5 rg1.5 wait.5 B1 sg1.6 ra3.6 wait.6 F3 sa3.7 rg2.7 wait.7 B2 sg2.8 "
              "rg3.9 wait.9 B3 wait.8 sg3.10 wait.10");
}

TEST(PipelineSchedule, EveryMicroBatchGoesForwardThenBackward)
{
    for (uint32_t stages = 1; stages <= 8; ++stages)
    {
        for (uint32_t microBatches = 1; microBatches <= 16; ++microBatches)
        {
            for (uint32_t stage = 0; stage < stages; ++stage)
            {
                std::map<int, uint32_t> next;
                uint32_t inFlight = 0;
                uint32_t mostInFlight = 0;
                for (const auto& action : OneForwardOneBackward(stage, stages, microBatches))
                {
                    if (action.kind == PipelineAction::WAIT)
                    {
                        continue;
                    }
                    EXPECT_EQ(action.microBatch, next[action.kind]++);
                    inFlight += action.kind == PipelineAction::FORWARD;
                    inFlight -= action.kind == PipelineAction::BACKWARD;
                    mostInFlight = std::max(mostInFlight, inFlight);
                }
                EXPECT_EQ(next[PipelineAction::FORWARD], microBatches);
                EXPECT_EQ(next[PipelineAction::BACKWARD], microBatches);
                EXPECT_EQ(next[PipelineAction::RECV_ACTIVATION], stage > 0 ? microBatches : 0);
                EXPECT_EQ(next[PipelineAction::SEND_GRADIENT], stage > 0 ? microBatches : 0);
                const uint32_t toNext = stage + 1 < stages ? microBatches : 0;
                EXPECT_EQ(next[PipelineAction::SEND_ACTIVATION], toNext);
                EXPECT_EQ(next[PipelineAction::RECV_GRADIENT], toNext);
                // The point of 1F1B: activations in memory do not grow with micro-batches.
                EXPECT_EQ(mostInFlight, std::min(microBatches, stages - stage));
            }
        }
    }
}

TEST(PipelineSchedule, NeverDeadlocks)
{
    for (uint32_t stages = 1; stages <= 8; ++stages)
    {
        for (uint32_t microBatches = 1; microBatches <= 16; ++microBatches)
        {
            EXPECT_TRUE(Pipeline(stages, microBatches, false).Run())
                << stages << " stages, " << microBatches << " micro-batches, eager sends";
            EXPECT_TRUE(Pipeline(stages, microBatches, true).Run())
                << stages << " stages, " << microBatches << " micro-batches, rendezvous";
        }
    }
}
