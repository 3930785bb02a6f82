// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-shapes.h"

#include "ns3/pipeline-schedule.h"

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param actions of a rank
 * @return "F0 f1 ..." : computations and micro-batches, of the second chunk in small letters
 */
std::string
WriteOrder(const PipelineActions& actions)
{
    std::string text;
    for (const auto& action : actions)
    {
        if (action.kind <= PipelineAction::BACKWARD_WEIGHT)
        {
            text += text.empty() ? "" : " ";
            text += (action.chunk == 0 ? "FBIW" : "fbiw")[action.kind];
            text += std::to_string(action.microBatch);
        }
    }
    return text;
}

/// Reads a program from its begin to its end and notes what is wrong with it.
class ProgramReader
{
  public:
    ProgramReader(const PipelineShape& shape, uint32_t rank)
        : m_shape(shape),
          m_rank(rank)
    {
    }

    /**
     * @param program of the rank
     * @return what is wrong first, or an empty string
     */
    std::string Read(const PipelineActions& program)
    {
        for (const auto& action : program)
        {
            if (action.IsTransfer())
            {
                Start(action);
            }
            else if (action.kind == PipelineAction::WAIT)
            {
                Wait(action.batch);
            }
            else
            {
                Compute(action);
            }
        }
        const std::size_t passes = std::size_t{m_shape.chunks} * m_shape.microBatches;
        Check(m_forward.size() == passes, "forwards are missing");
        Check(m_input.size() == passes, "backwards are missing");
        Check(m_weight.size() == passes, "weight gradients are missing");
        Check(m_waited.size() == m_batches, "a batch is not waited for");
        Check(m_sent.size() == m_owed, "a result is not sent");
        return m_error;
    }

  private:
    using Pass = std::pair<uint32_t, uint32_t>; // chunk, micro-batch

    void Check(bool isRight, const std::string& error)
    {
        if (!isRight && m_error.empty())
        {
            m_error = error;
        }
    }

    void Compute(const PipelineAction& action)
    {
        const Pass pass{action.chunk, action.microBatch};
        const uint32_t stage = m_shape.GetStage(m_rank, action.chunk);
        const uint32_t last = m_shape.GetStages() - 1;
        m_isFilling = false;
        Check(action.chunk < m_shape.chunks && action.microBatch < m_shape.microBatches,
              "no such pass");
        if (action.kind == PipelineAction::FORWARD)
        {
            CheckInput(PipelineAction::RECV_ACTIVATION,
                       pass,
                       stage,
                       stage > 0,
                       stage - 1,
                       m_forward);
            Check(m_forward.insert(pass).second, "a forward runs twice");
            m_owed += stage < last && m_shape.GetRank(stage + 1) != m_rank;
        }
        if (action.kind == PipelineAction::BACKWARD ||
            action.kind == PipelineAction::BACKWARD_INPUT)
        {
            Check(m_forward.count(pass) > 0, "a backward comes before its forward");
            CheckInput(PipelineAction::RECV_GRADIENT,
                       pass,
                       stage,
                       stage < last,
                       stage + 1,
                       m_input);
            Check(m_input.insert(pass).second, "a backward runs twice");
            m_owed += stage > 0 && m_shape.GetRank(stage - 1) != m_rank;
        }
        if (action.kind == PipelineAction::BACKWARD ||
            action.kind == PipelineAction::BACKWARD_WEIGHT)
        {
            Check(m_input.count(pass) > 0, "a weight gradient comes before the input gradient");
            Check(m_weight.insert(pass).second, "a weight gradient runs twice");
        }
    }

    // What a pass needs of another stage is there: received and waited for, or made here.
    void CheckInput(PipelineAction::Kind kind,
                    const Pass& pass,
                    uint32_t stage,
                    bool isNeeded,
                    uint32_t from,
                    const std::set<Pass>& made)
    {
        if (!isNeeded)
        {
            return;
        }
        if (m_shape.GetRank(from) == m_rank)
        {
            Check(made.count({m_shape.GetChunk(from), pass.second}) > 0,
                  "stage " + std::to_string(stage) + " comes before the stage that it needs");
            return;
        }
        const auto batch = m_received.find({kind, pass});
        Check(batch != m_received.end(), "something needed is not received");
        Check(batch != m_received.end() && m_waited.count(batch->second) > 0,
              "something needed is not waited for");
    }

    void Start(const PipelineAction& action)
    {
        const bool isNew = m_batches == 0 || action.batch != m_batches - 1;
        Check(isNew ? action.batch == m_batches : m_isFilling, "a batch is not started as one");
        m_batches += isNew;
        m_isFilling = true;
        const Pass pass{action.chunk, action.microBatch};
        const uint32_t stage = m_shape.GetStage(m_rank, action.chunk);
        const bool isUp = action.kind == PipelineAction::SEND_ACTIVATION ||
                          action.kind == PipelineAction::RECV_GRADIENT;
        const uint32_t other = isUp ? stage + 1 : stage - 1;
        Check(other < m_shape.GetStages() && m_shape.GetRank(other) == action.peer &&
                  action.peer != m_rank,
              "a transfer has the wrong peer");
        if (action.kind == PipelineAction::SEND_ACTIVATION ||
            action.kind == PipelineAction::SEND_GRADIENT)
        {
            const auto& made = action.kind == PipelineAction::SEND_ACTIVATION ? m_forward : m_input;
            Check(made.count(pass) > 0, "something is sent before it is made");
            Check(m_sent.insert({action.kind, pass}).second, "something is sent twice");
        }
        else
        {
            Check(m_received.emplace(std::make_pair(action.kind, pass), action.batch).second,
                  "something is received twice");
        }
    }

    void Wait(uint32_t batch)
    {
        m_isFilling = false;
        Check(batch < m_batches, "a wait names a batch that has not been started");
        Check(m_waited.insert(batch).second, "a batch is waited for twice");
    }

    PipelineShape m_shape;
    uint32_t m_rank;
    std::string m_error;
    std::set<Pass> m_forward;
    std::set<Pass> m_input;
    std::set<Pass> m_weight;
    std::set<std::pair<PipelineAction::Kind, Pass>> m_sent;
    std::map<std::pair<PipelineAction::Kind, Pass>, uint32_t> m_received;
    std::set<uint32_t> m_waited;
    uint32_t m_batches{0};
    std::size_t m_owed{0};
    bool m_isFilling{false};
};

/// Kind of data, micro-batch and sending stage of what is sent or received, by sender and receiver.
using Connectors =
    std::map<std::pair<uint32_t, uint32_t>, std::vector<std::tuple<bool, uint32_t, uint32_t>>>;

} // namespace

TEST(PipelinePrograms, EveryPassRunsOnceWithAllThatItNeeds)
{
    for (const auto& shape : SampleSmallShapes())
    {
        const auto programs = shape.schedule->MakePrograms(shape);
        ASSERT_EQ(programs.size(), shape.ranks);
        for (uint32_t rank = 0; rank < shape.ranks; ++rank)
        {
            ASSERT_EQ(ProgramReader(shape, rank).Read(programs[rank]), "")
                << Describe(shape) << " rank " << rank;
        }
    }
}

TEST(PipelinePrograms, RanksReceiveInTheOrderOfSends)
{
    for (const auto& shape : SampleSmallShapes())
    {
        const auto programs = shape.schedule->MakePrograms(shape);
        Connectors sends;
        Connectors receives;
        for (uint32_t rank = 0; rank < shape.ranks; ++rank)
        {
            for (const auto& action : programs[rank])
            {
                const uint32_t stage = shape.GetStage(rank, action.chunk);
                switch (action.kind)
                {
                case PipelineAction::SEND_ACTIVATION:
                    sends[{rank, action.peer}].emplace_back(true, action.microBatch, stage);
                    break;
                case PipelineAction::SEND_GRADIENT:
                    sends[{rank, action.peer}].emplace_back(false, action.microBatch, stage);
                    break;
                case PipelineAction::RECV_ACTIVATION:
                    receives[{action.peer, rank}].emplace_back(true, action.microBatch, stage - 1);
                    break;
                case PipelineAction::RECV_GRADIENT:
                    receives[{action.peer, rank}].emplace_back(false, action.microBatch, stage + 1);
                    break;
                default:
                    break;
                }
            }
        }
        ASSERT_EQ(sends, receives) << Describe(shape);
    }
}

// Megatron-LM, schedules.py: send_forward_backward_recv_forward_backward after both passes of a step.
TEST(PipelinePrograms, PairsPostNothingBetweenForwardAndBackward)
{
    for (auto shape : GetSmallShapes("interleaved"))
    {
        shape.sendsInPairs = true;
        const uint32_t forwards = shape.chunks * shape.microBatches;
        for (uint32_t rank = 0; rank < shape.ranks; ++rank)
        {
            const auto order = shape.schedule->MakeOrder(shape, rank);
            std::size_t computations = 0;
            for (const auto& action : shape.schedule->MakeProgram(shape, rank))
            {
                computations += action.IsComputation() ? 1 : 0;
                const bool isBetween = computations > 0 && computations < order.size() &&
                                       order[computations - 1].kind == PipelineAction::FORWARD &&
                                       order[computations].kind == PipelineAction::BACKWARD;
                const bool isPair =
                    isBetween && computations != forwards &&
                    shape.GetStage(rank, order[computations - 1].chunk) + 1 < shape.GetStages();
                ASSERT_FALSE(action.IsTransfer() && isPair)
                    << Describe(shape) << " rank " << rank << " computation " << computations;
            }
        }
    }
}

TEST(PipelinePrograms, OneAtATimeIsTheSame)
{
    for (const auto& kind : Variant<PipelineSchedule>::GetNames())
    {
        const uint32_t chunks = kind == "interleaved" || kind == "dualpipev" ? 2 : 1;
        const PipelineShape shape{kind, 3, chunks, 6};
        const auto programs = shape.schedule->MakePrograms(shape);
        for (uint32_t rank = 0; rank < shape.ranks; ++rank)
        {
            const auto program = shape.schedule->MakeProgram(shape, rank);
            ASSERT_EQ(program.size(), programs[rank].size());
            for (std::size_t i = 0; i < program.size(); ++i)
            {
                EXPECT_EQ(program[i].kind, programs[rank][i].kind);
                EXPECT_EQ(program[i].microBatch, programs[rank][i].microBatch);
                EXPECT_EQ(program[i].chunk, programs[rank][i].chunk);
                EXPECT_EQ(program[i].peer, programs[rank][i].peer);
                EXPECT_EQ(program[i].batch, programs[rank][i].batch);
            }
        }
    }
}

TEST(PipelinePrograms, OrdersAreThoseOfTheLiterature)
{
    const auto makeProgram = [](const PipelineShape& shape, uint32_t rank) {
        return shape.schedule->MakeProgram(shape, rank);
    };
    EXPECT_EQ(WriteOrder(makeProgram({"gpipe", 2, 1, 3}, 1)), "F0 F1 F2 B0 B1 B2");
    // Two chunks on two ranks, four micro-batches: arXiv 2104.04473, figure 4, with fewer ranks.
    EXPECT_EQ(WriteOrder(makeProgram({"interleaved", 2, 2, 4}, 0)),
              "F0 F1 f0 f1 F2 b0 F3 b1 f2 B0 f3 B1 b2 b3 B2 B3");
    EXPECT_EQ(WriteOrder(makeProgram({"interleaved", 2, 2, 4}, 1)),
              "F0 F1 f0 b0 f1 b1 F2 B0 F3 B1 f2 b2 f3 b3 B2 B3");
    // arXiv 2401.10241, figure 3: the last rank owes as many weight passes as there are ranks
    // before it.
    EXPECT_EQ(WriteOrder(makeProgram({"zb-h1", 3, 1, 4}, 0)),
              "F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3");
    EXPECT_EQ(WriteOrder(makeProgram({"zb-h1", 3, 1, 4}, 2)),
              "F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3");
    EXPECT_EQ(WriteOrder(makeProgram({"dualpipev", 2, 2, 4}, 0)),
              "F0 F1 F2 f0 i0 w0 f1 F3 b1 f2 B0 b2 f3 B1 b3 I2 W2 I3 W3");
    EXPECT_EQ(WriteOrder(makeProgram({"dualpipev", 2, 2, 4}, 1)),
              "F0 f0 F1 f1 F2 b0 f2 B0 F3 b1 f3 B1 b2 B2 i3 I3 w3 W3");
}
