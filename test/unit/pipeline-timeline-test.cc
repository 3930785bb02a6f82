// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-shapes.h"
#include "pipeline-timeline.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

constexpr PipelineTimeline::Network NETWORKS[] = {PipelineTimeline::RENDEZVOUS,
                                                  PipelineTimeline::EAGER};

/// Times of a forward, an input gradient and a weight gradient on every stage.
struct Passes
{
    int64_t forward;
    int64_t input;
    int64_t weight;

    PipelineDurations Get(const PipelineShape& shape, int64_t transfer) const
    {
        return PipelineDurations::Uniform(shape.GetStages(),
                                          Time(forward),
                                          Time(input),
                                          Time(weight),
                                          Time(transfer));
    }

    int64_t GetWork(const PipelineShape& shape) const
    {
        return (forward + input + weight) * shape.microBatches * shape.chunks;
    }

    int64_t GetTextbook(const PipelineShape& shape) const
    {
        return shape.schedule->GetBubble(shape, {Time(forward), Time(input), Time(weight)})
            .GetTimeStep();
    }
};

/// @return idle time of a rank when transfers take no time
int64_t
GetBubble(const PipelineShape& shape,
          const std::vector<PipelineActions>& programs,
          const Passes& passes,
          PipelineTimeline::Network network)
{
    const auto timeline = PipelineTimeline::Play(shape, programs, passes.Get(shape, 0), network);
    EXPECT_EQ(timeline.GetDeadlock(), "") << Describe(shape);
    return timeline.makespan.GetTimeStep() - passes.GetWork(shape);
}

/// @return true if every pass begins after all that it needs, and none overlaps another
bool
IsCausal(const PipelineShape& shape,
         const PipelineTimeline& timeline,
         const PipelineDurations& durations)
{
    std::map<std::pair<uint32_t, uint32_t>, Time> forward; // by stage and micro-batch
    std::map<std::pair<uint32_t, uint32_t>, Time> backward;
    for (uint32_t rank = 0; rank < shape.ranks; ++rank)
    {
        for (const auto& [action, begin, end] : timeline.ranks[rank].computations)
        {
            const uint32_t stage = shape.GetStage(rank, action.chunk);
            if (action.kind == PipelineAction::FORWARD)
            {
                forward[{stage, action.microBatch}] = end;
            }
            else if (action.kind != PipelineAction::BACKWARD_WEIGHT)
            {
                backward[{stage, action.microBatch}] = end;
            }
        }
    }
    auto after = [&](const auto& ends, uint32_t from, uint32_t rank, uint32_t microBatch) {
        const Time way = shape.GetRank(from) == rank ? Time(0) : durations.transfer;
        return ends.at({from, microBatch}) + way;
    };
    for (uint32_t rank = 0; rank < shape.ranks; ++rank)
    {
        Time free;
        for (const auto& [action, begin, end] : timeline.ranks[rank].computations)
        {
            const uint32_t stage = shape.GetStage(rank, action.chunk);
            Time ready = free;
            if (action.kind == PipelineAction::FORWARD && stage > 0)
            {
                ready = std::max(ready, after(forward, stage - 1, rank, action.microBatch));
            }
            if ((action.kind == PipelineAction::BACKWARD ||
                 action.kind == PipelineAction::BACKWARD_INPUT) &&
                stage + 1 < shape.GetStages())
            {
                ready = std::max(ready, after(backward, stage + 1, rank, action.microBatch));
            }
            if (begin < ready || end != begin + durations.Get(action.kind, stage))
            {
                return false;
            }
            free = end;
        }
    }
    return true;
}

/**
 * @brief DualPipeV as its authors draw it: a forward and the backward of the other chunk after it
 * run as one, and both results are there at its end.
 *
 * Only the first such pair of the last rank runs one after the other, as in their code.
 */
class PairedDualPipe
{
  public:
    PairedDualPipe(const PipelineShape& shape, const Passes& passes)
        : m_shape(shape),
          m_durations(passes.Get(shape, 0))
    {
        for (uint32_t rank = 0; rank < shape.ranks; ++rank)
        {
            m_ranks.emplace_back();
            const auto order = shape.schedule->MakeOrder(shape, rank);
            bool isFirst = rank + 1 == shape.ranks;
            for (std::size_t i = 0; i < order.size(); ++i)
            {
                const bool isPair = i + 1 < order.size() &&
                                    order[i].kind == PipelineAction::FORWARD &&
                                    order[i + 1].kind == PipelineAction::BACKWARD &&
                                    order[i].chunk != order[i + 1].chunk;
                m_ranks.back().steps.push_back({order[i]});
                if (isPair && !isFirst)
                {
                    m_ranks.back().steps.back().push_back(order[++i]);
                }
                isFirst = isFirst && !isPair;
            }
        }
    }

    /// @return when the last pass ends
    int64_t Play()
    {
        bool hasMoved = true;
        while (hasMoved)
        {
            hasMoved = false;
            for (uint32_t rank = 0; rank < m_shape.ranks; ++rank)
            {
                hasMoved |= Step(rank);
            }
        }
        Time last;
        for (const auto& rank : m_ranks)
        {
            EXPECT_EQ(rank.at, rank.steps.size());
            last = std::max(last, rank.clock);
        }
        return last.GetTimeStep();
    }

  private:
    struct Rank
    {
        std::vector<PipelineActions> steps;
        std::size_t at{0};
        Time clock;
    };

    using Ends = std::map<std::pair<uint32_t, uint32_t>, Time>;

    bool Step(uint32_t index)
    {
        Rank& rank = m_ranks[index];
        if (rank.at == rank.steps.size())
        {
            return false;
        }
        const auto& step = rank.steps[rank.at];
        Time end = rank.clock;
        Time duration;
        for (const auto& action : step)
        {
            const uint32_t stage = m_shape.GetStage(index, action.chunk);
            duration += m_durations.Get(action.kind, stage);
            const bool isForward = action.kind == PipelineAction::FORWARD;
            const uint32_t first = isForward ? 0 : m_shape.GetStages() - 1;
            if (action.kind == PipelineAction::BACKWARD_WEIGHT || stage == first)
            {
                continue;
            }
            const Ends& ends = isForward ? m_forward : m_backward;
            const auto input = ends.find({isForward ? stage - 1 : stage + 1, action.microBatch});
            if (input == ends.end())
            {
                return false;
            }
            end = std::max(end, input->second);
        }
        rank.clock = end + duration;
        for (const auto& action : step)
        {
            if (action.kind != PipelineAction::BACKWARD_WEIGHT)
            {
                Ends& ends = action.kind == PipelineAction::FORWARD ? m_forward : m_backward;
                ends[{m_shape.GetStage(index, action.chunk), action.microBatch}] = rank.clock;
            }
        }
        ++rank.at;
        return true;
    }

    PipelineShape m_shape;
    PipelineDurations m_durations;
    std::vector<Rank> m_ranks;
    Ends m_forward;
    Ends m_backward;
};

} // namespace

TEST(PipelineTimeline, TwoStagesByHand)
{
    // Rank 0: F0 [0,1] F1 [1,2], both sent; B0 and B1 when their gradients are there.
    const PipelineShape shape{"gpipe", 2, 1, 2};
    const auto timeline =
        PipelineTimeline::Play(shape, Passes{10, 10, 10}.Get(shape, 3), PipelineTimeline::EAGER);
    EXPECT_EQ(timeline.GetDeadlock(), "");
    std::vector<int64_t> begins;
    for (const auto& rank : timeline.ranks)
    {
        for (const auto& computation : rank.computations)
        {
            begins.push_back(computation.begin.GetTimeStep());
        }
        EXPECT_EQ(rank.busy, Time(60));
        EXPECT_EQ(rank.peakActivations, 2);
    }
    EXPECT_EQ(begins, (std::vector<int64_t>{0, 10, 56, 76, 13, 23, 33, 53}));
    EXPECT_EQ(timeline.makespan, Time(96));
    EXPECT_DOUBLE_EQ(timeline.GetBubbleFraction(), 1 - 60.0 / 96);
    EXPECT_DOUBLE_EQ(timeline.GetBubbleRatio(), 36.0 / 60);
}

TEST(PipelineTimeline, AConnectorCarriesOneTransferAtATime)
{
    // Forwards of 1 and transfers of 4: the second activation leaves when the first has arrived.
    const PipelineShape shape{"gpipe", 2, 1, 2};
    const auto timeline =
        PipelineTimeline::Play(shape, Passes{1, 1, 1}.Get(shape, 4), PipelineTimeline::EAGER);
    EXPECT_EQ(timeline.ranks[1].computations[0].begin, Time(5));
    EXPECT_EQ(timeline.ranks[1].computations[1].begin, Time(9));
}

TEST(PipelineTimeline, DeadlocksAreReported)
{
    // Both ranks send first and receive then, which needs a network that takes data at once.
    const PipelineShape shape{"1f1b", 2, 1, 2};
    const std::vector<PipelineActions> programs{{{PipelineAction::SEND_ACTIVATION, 0, 0, 1, 0},
                                                 {PipelineAction::WAIT, 0, 0, 0, 0},
                                                 {PipelineAction::RECV_GRADIENT, 1, 0, 1, 1},
                                                 {PipelineAction::WAIT, 0, 0, 0, 1}},
                                                {{PipelineAction::SEND_GRADIENT, 1, 0, 0, 0},
                                                 {PipelineAction::WAIT, 0, 0, 0, 0},
                                                 {PipelineAction::RECV_ACTIVATION, 0, 0, 0, 1},
                                                 {PipelineAction::WAIT, 0, 0, 0, 1}}};
    const auto durations = Passes{1, 1, 1}.Get(shape, 1);
    EXPECT_EQ(
        PipelineTimeline::Play(shape, programs, durations, PipelineTimeline::EAGER).GetDeadlock(),
        "");
    EXPECT_EQ(PipelineTimeline::Play(shape, programs, durations, PipelineTimeline::RENDEZVOUS)
                  .GetDeadlock(),
              "rank 0 waits for batch 0: send activation 0 to rank 1; "
              "rank 1 waits for batch 0: send gradient 1 to rank 0");
}

TEST(PipelineTimeline, DataInTheWrongOrderAreReported)
{
    const PipelineShape shape{"1f1b", 2, 1, 2};
    const std::vector<PipelineActions> programs{
        {{PipelineAction::SEND_ACTIVATION, 0, 0, 1, 0}},
        {{PipelineAction::RECV_ACTIVATION, 1, 0, 0, 0}, {PipelineAction::WAIT, 0, 0, 0, 7}}};
    for (const auto network : NETWORKS)
    {
        EXPECT_EQ(PipelineTimeline::Play(shape, programs, Passes{1, 1, 1}.Get(shape, 1), network)
                      .GetDeadlock(),
                  "rank 1 waits for batch 0: receive activation 1 from rank 0");
    }
    const std::vector<PipelineActions> noBatch{{{PipelineAction::WAIT, 0, 0, 0, 7}}, {}};
    EXPECT_EQ(PipelineTimeline::Play(shape,
                                     noBatch,
                                     Passes{1, 1, 1}.Get(shape, 1),
                                     PipelineTimeline::EAGER)
                  .GetDeadlock(),
              "rank 0 waits for batch 7, which has not begun");
}

TEST(PipelineTimeline, UnequalDurationsNeverDeadlock)
{
    std::mt19937 random(1);
    auto draw = [&random](uint32_t most) { return Time(random() % (most + 1)); };
    for (const auto& shape : SampleSmallShapes())
    {
        const auto programs = shape.schedule->MakePrograms(shape);
        for (const auto network : NETWORKS)
        {
            PipelineDurations durations;
            for (uint32_t stage = 0; stage < shape.GetStages(); ++stage)
            {
                durations.forward.push_back(draw(100));
                durations.backwardInput.push_back(draw(100));
                durations.backwardWeight.push_back(draw(100));
            }
            durations.transfer = draw(200);
            const auto timeline = PipelineTimeline::Play(shape, programs, durations, network);
            ASSERT_EQ(timeline.GetDeadlock(), "") << Describe(shape);
            ASSERT_TRUE(IsCausal(shape, timeline, durations)) << Describe(shape);
        }
    }
}

TEST(PipelineTimeline, BubblesOfGpipeAnd1f1bAreThoseOfTheTextbook)
{
    for (const auto kind : {"gpipe", "1f1b"})
    {
        for (const auto& shape : SampleSmallShapes(kind))
        {
            const auto programs = shape.schedule->MakePrograms(shape);
            for (const auto network : NETWORKS)
            {
                for (const Passes passes : {Passes{1, 1, 1}, Passes{3, 1, 1}, Passes{2, 5, 4}})
                {
                    ASSERT_EQ(GetBubble(shape, programs, passes, network),
                              passes.GetTextbook(shape))
                        << Describe(shape);
                }
            }
        }
    }
}

TEST(PipelineTimeline, BubbleOfInterleavedIsThatOfTheTextbookIfMicroBatchesFillARound)
{
    for (const auto& shape : SampleSmallShapes("interleaved"))
    {
        const auto programs = shape.schedule->MakePrograms(shape);
        for (const auto network : NETWORKS)
        {
            // From backwards that take half as long as forwards to four times as long.
            for (const Passes passes : {Passes{4, 1, 1}, Passes{1, 1, 1}, Passes{1, 2, 2}})
            {
                const int64_t bubble = GetBubble(shape, programs, passes, network);
                if (shape.microBatches >= shape.ranks)
                {
                    ASSERT_EQ(bubble, passes.GetTextbook(shape)) << Describe(shape);
                }
                else
                {
                    ASSERT_GT(bubble, passes.GetTextbook(shape)) << Describe(shape);
                }
            }
        }
    }
}

TEST(PipelineTimeline, SendsInPairsCostAtMostAWayOfBackwards)
{
    for (auto shape : SampleSmallShapes("interleaved"))
    {
        shape.sendsInPairs = true;
        for (const auto network : NETWORKS)
        {
            for (const Passes passes : {Passes{4, 1, 1}, Passes{1, 1, 1}, Passes{1, 2, 2}})
            {
                const int64_t more =
                    GetBubble(shape, shape.schedule->MakePrograms(shape), passes, network) -
                    passes.GetTextbook(shape);
                ASSERT_GE(more, 0) << Describe(shape);
                if (shape.microBatches % shape.ranks == 0)
                {
                    ASSERT_LE(more, (shape.ranks - 1) * (passes.input + passes.weight))
                        << Describe(shape);
                }
            }
        }
    }
}

TEST(PipelineTimeline, BubbleOfZbH1IsThatOfThePaperIfWeightPassesAreShortest)
{
    for (const auto& shape : SampleSmallShapes("zb-h1"))
    {
        if (shape.microBatches < shape.ranks)
        {
            continue;
        }
        const auto programs = shape.schedule->MakePrograms(shape);
        for (const auto network : NETWORKS)
        {
            for (const Passes passes :
                 {Passes{1, 1, 1}, Passes{2, 1, 1}, Passes{1, 2, 1}, Passes{5, 3, 2}})
            {
                ASSERT_EQ(GetBubble(shape, programs, passes, network), passes.GetTextbook(shape))
                    << Describe(shape);
            }
            if (shape.ranks > 1)
            {
                const Passes late{1, 1, 2};
                ASSERT_GE(GetBubble(shape, programs, late, network), late.GetTextbook(shape));
            }
        }
    }
}

TEST(PipelineTimeline, BubbleOfDualPipeVIsSmallerThanItsAuthors)
{
    // A pair's forward is sent before its backward has run, so less is waited for.
    for (const auto& shape : SampleSmallShapes("dualpipev"))
    {
        const auto programs = shape.schedule->MakePrograms(shape);
        for (const auto network : NETWORKS)
        {
            for (const Passes passes : {Passes{1, 1, 1}, Passes{2, 1, 1}, Passes{5, 4, 3}})
            {
                const int64_t hops = shape.ranks - 1;
                const int64_t bubble = GetBubble(shape, programs, passes, network);
                ASSERT_EQ(bubble, hops * (passes.forward + passes.input - passes.weight))
                    << Describe(shape);
                ASSERT_LE(bubble, passes.GetTextbook(shape));
            }
        }
    }
}

TEST(PipelineTimeline, BubbleOfPairsThatRunAsOneIsThatOfDeepSeek)
{
    for (const auto& shape : SampleSmallShapes("dualpipev"))
    {
        for (const Passes passes : {Passes{1, 1, 1}, Passes{2, 2, 1}, Passes{5, 5, 4}})
        {
            ASSERT_EQ(PairedDualPipe(shape, passes).Play() - passes.GetWork(shape),
                      passes.GetTextbook(shape))
                << Describe(shape);
        }
    }
}

TEST(PipelineTimeline, ActivationsHeldAreThoseOfTheLiterature)
{
    for (const auto& shape : SampleSmallShapes())
    {
        const auto timeline =
            PipelineTimeline::Play(shape, Passes{1, 1, 1}.Get(shape, 0), PipelineTimeline::EAGER);
        uint32_t peak = 0;
        for (uint32_t rank = 0; rank < shape.ranks; ++rank)
        {
            const uint32_t behind = shape.ranks - 1 - rank;
            const uint32_t round = shape.microBatches / shape.GetRounds();
            const std::map<Variant<PipelineSchedule>, uint32_t> expectations{
                {"gpipe", shape.microBatches},
                {"1f1b", std::min(shape.microBatches, behind + 1)},
                {"interleaved",
                 std::min(shape.microBatches * shape.chunks,
                          (shape.chunks - 1) * round + 2 * behind + 1)},
                {"zb-h1", std::min(shape.microBatches, shape.ranks)}, // the first rank of 1F1B
                {"dualpipev", std::min(2 * shape.microBatches, shape.GetStages() + 1)}, // DeepSeek
            };
            const uint32_t expected = expectations.at(shape.schedule);
            const uint32_t held = timeline.ranks[rank].peakActivations;
            peak = std::max(peak, held);
            if (shape.schedule == "dualpipev")
            {
                ASSERT_LE(held, expected) << Describe(shape);
                continue;
            }
            ASSERT_EQ(held, expected) << Describe(shape) << " rank " << rank;
        }
        if (shape.schedule == "dualpipev")
        {
            ASSERT_GE(peak, shape.GetStages()) << Describe(shape);
        }
    }
}

TEST(PipelineTimeline, TransfersCostAWayThroughThePipelineWhereTheyOverlap)
{
    // Four ranks, and transfers of a tenth of a forward.
    auto cost = [](const Variant<PipelineSchedule>& kind,
                   uint32_t microBatches,
                   PipelineTimeline::Network network) {
        const bool hasChunks = kind == "interleaved" || kind == "dualpipev";
        const PipelineShape shape{kind, 4, hasChunks ? 2u : 1u, microBatches};
        const Passes passes{100, 100, 100};
        const auto with = PipelineTimeline::Play(shape, passes.Get(shape, 10), network);
        const auto without = PipelineTimeline::Play(shape, passes.Get(shape, 0), network);
        return (with.makespan - without.makespan).GetTimeStep();
    };
    for (const auto network : NETWORKS)
    {
        for (const uint32_t microBatches : {8, 16, 32})
        {
            // Down with the first activation and up with the last gradient; the others twice.
            EXPECT_EQ(cost("gpipe", microBatches, network), 2 * 3 * 10);
            EXPECT_EQ(cost("zb-h1", microBatches, network), 4 * 3 * 10);
            EXPECT_EQ(cost("dualpipev", microBatches, network), 4 * 3 * 10);
        }
    }
    for (const uint32_t microBatches : {8, 16, 32})
    {
        // Seven hops of a micro-batch through eight stages, down and up.
        EXPECT_EQ(cost("interleaved", microBatches, PipelineTimeline::EAGER), 2 * 7 * 10);
    }
    // In 1F1B a rank that has sent an activation can only wait for a gradient, every time.
    EXPECT_EQ(cost("1f1b", 16, PipelineTimeline::RENDEZVOUS) -
                  cost("1f1b", 8, PipelineTimeline::RENDEZVOUS),
              8 * 2 * 10);
    // Where sends need their receives, a part of the transfers of the ring is not hidden.
    EXPECT_EQ(cost("interleaved", 8, PipelineTimeline::RENDEZVOUS), 2 * 7 * 10);
    EXPECT_LT(cost("interleaved", 32, PipelineTimeline::RENDEZVOUS), 32 * 20);
}

TEST(PipelineTimeline, BubblesAreThoseOfTheSources)
{
    const Time f(10);
    const Time i(12);
    const Time w(8);
    auto ratio = [&](const Variant<PipelineSchedule>& kind, uint32_t chunks) {
        return PipelineShape{kind, 4, chunks, 8}.GetBubbleRatio({f, i, w});
    };
    EXPECT_DOUBLE_EQ(ratio("gpipe", 1), 3.0 / 8);
    EXPECT_DOUBLE_EQ(ratio("1f1b", 1), 3.0 / 8);
    EXPECT_DOUBLE_EQ(ratio("interleaved", 2), 3.0 / 16);
    EXPECT_DOUBLE_EQ(ratio("zb-h1", 1), 3.0 * 14 / (8 * 30));
    // (PP / 2 - 1)(F&B + B - 3W), PP = 8, F&B = 30, B = 20
    EXPECT_DOUBLE_EQ(ratio("dualpipev", 2), 3.0 * (30 + 20 - 24) / (16 * 30));
    const PipelineShape late{"zb-h1", 4, 1, 8};
    EXPECT_EQ(late.GetBubbleRatio({f, i, Time(40)}), 0);
}
