// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-shapes.h"

#include "ns3/pipeline-schedule.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// GPipe, with one of several mistakes. It is not registered, so that no other test lists it.
class FaultySchedule : public PipelineSchedule
{
  public:
    std::string GetName() const override
    {
        return "faulty";
    }

    std::string Validate(const PipelineShape& /* shape */) const override
    {
        return "";
    }

    PipelineActions MakeOrder(const PipelineShape& shape, uint32_t rank) const override
    {
        PipelineActions order = Variant<PipelineSchedule>("gpipe")->MakeOrder(shape, rank);
        if (rank == 1)
        {
            change(order);
        }
        return order;
    }

    Time GetBubble(const PipelineShape&, const PipelinePasses&) const override
    {
        return Time();
    }

    std::function<void(PipelineActions&)> change; //!< the mistake of rank 1
};

/// @return the error in the orders of two ranks with two micro-batches
std::string
CheckChanged(const std::function<void(PipelineActions&)>& change)
{
    auto schedule = CreateObject<FaultySchedule>();
    schedule->change = change;
    const Variant<PipelineSchedule> variant{Ptr<const PipelineSchedule>(schedule)};
    return PipelineShape{variant, 2, 1, 2}.CheckOrders();
}

} // namespace

TEST(PipelineShape, OrdersAreCompleteAndPossible)
{
    const std::string rank = "schedule=faulty: rank 1 ";
    EXPECT_EQ(CheckChanged([](auto& /* order */) {}), "");
    EXPECT_EQ(CheckChanged([](auto& order) { order.pop_back(); }),
              rank + "computes the backward of inputs of micro-batch 1 on chunk 0 0 times, and has "
                     "to once");
    EXPECT_EQ(CheckChanged([](auto& order) { order.push_back(order.front()); }),
              rank + "computes the forward of micro-batch 0 on chunk 0 2 times, and has to once");
    EXPECT_EQ(CheckChanged([](auto& order) {
                  order.back().kind = PipelineAction::BACKWARD_INPUT; // as without Settle
              }),
              rank + "computes the backward of weights of micro-batch 1 on chunk 0 0 times, and "
                     "has to once");
    EXPECT_EQ(CheckChanged([](auto& order) { order.front().chunk = 1; }),
              rank + "computes the forward of micro-batch 0 on chunk 1, but there are 2 "
                     "micro-batches and 1 chunks");
    EXPECT_EQ(CheckChanged([](auto& order) { order.front().kind = PipelineAction::WAIT; }),
              rank + "has a transfer in its order, where only computations stand");
    EXPECT_EQ(CheckChanged([](auto& order) { std::reverse(order.begin(), order.end()); }),
              rank + "computes the backward of micro-batch 1 on chunk 0 before what it needs");
}

TEST(PipelineShape, SchedulesHaveNames)
{
    const std::vector<std::string> names{"1f1b", "dualpipev", "gpipe", "interleaved", "zb-h1"};
    EXPECT_EQ(Variant<PipelineSchedule>::GetNames(), names);
    for (const auto& name : names)
    {
        EXPECT_EQ(Variant<PipelineSchedule>(name)->GetName(), name);
    }
    EXPECT_FALSE(Variant<PipelineSchedule>::Find("1F1B").has_value());
}

TEST(PipelineShape, WrongOnesAreRefusedInOneLine)
{
    const auto validate =
        [](const Variant<PipelineSchedule>& kind, uint32_t pp, uint32_t chunks, uint32_t batches) {
            return PipelineShape{kind, pp, chunks, batches}.Validate();
        };
    EXPECT_EQ(validate("1f1b", 0, 1, 4), "pp=0: must be 1 or more");
    EXPECT_EQ(validate("gpipe", 4, 1, 0), "microBatches=0: must be 1 or more");
    EXPECT_EQ(validate("gpipe", 4, 2, 8), "virtualStages=2: gpipe needs 1 chunk a rank");
    EXPECT_EQ(validate("1f1b", 4, 0, 8), "virtualStages=0: 1f1b needs 1 chunk a rank");
    EXPECT_EQ(validate("zb-h1", 4, 3, 8), "virtualStages=3: zb-h1 needs 1 chunk a rank");
    EXPECT_EQ(validate("interleaved", 4, 1, 8),
              "virtualStages=1: interleaved needs 2 or more chunks a rank");
    EXPECT_EQ(
        validate("interleaved", 4, 2, 9),
        "microBatches=9: interleaved with pp=4 runs them in 2 rounds of equal size and needs a "
        "multiple of 2");
    EXPECT_EQ(validate("dualpipev", 4, 1, 8), "virtualStages=1: dualpipev needs 2 chunks a rank");
    EXPECT_EQ(validate("dualpipev", 4, 2, 7),
              "microBatches=7: dualpipev with pp=4 needs 8 or more");
}

TEST(PipelineShape, FewMicroBatchesAreLegalWhereTheOrderIsDefined)
{
    EXPECT_EQ((PipelineShape{"gpipe", 8, 1, 1}.Validate()), "");
    EXPECT_EQ((PipelineShape{"1f1b", 8, 1, 1}.Validate()), "");
    EXPECT_EQ((PipelineShape{"zb-h1", 8, 1, 1}.Validate()), "");
    EXPECT_EQ((PipelineShape{"interleaved", 4, 2, 3}.Validate()), "");
    EXPECT_EQ((PipelineShape{"interleaved", 4, 2, 10}.Validate()), "");
    EXPECT_EQ((PipelineShape{"dualpipev", 4, 2, 8}.Validate()), "");
}

TEST(PipelineShape, SmallOnesAreAsManyAsTheRulesAllow)
{
    std::map<std::string, std::size_t> counts;
    for (const auto& name : Variant<PipelineSchedule>::GetNames())
    {
        counts[name] = GetSmallShapes(name).size();
    }
    EXPECT_EQ(counts["gpipe"], 8 * 16);
    EXPECT_EQ(counts["1f1b"], 8 * 16);
    EXPECT_EQ(counts["zb-h1"], 8 * 16);
    EXPECT_EQ(counts["interleaved"], 318);
    EXPECT_EQ(counts["dualpipev"], 15 + 13 + 11 + 9 + 7 + 5 + 3 + 1);
}

TEST(PipelineShape, StagesAreLoopedOrInAV)
{
    const PipelineShape looped{"interleaved", 4, 3, 4};
    EXPECT_EQ(looped.GetStage(1, 2), 9);
    const PipelineShape turned{"dualpipev", 4, 2, 8};
    EXPECT_EQ(turned.GetStage(1, 0), 1);
    EXPECT_EQ(turned.GetStage(1, 1), 6);
    EXPECT_EQ(turned.GetStage(3, 1), 4);
    for (const auto& shape : {looped, turned})
    {
        std::set<uint32_t> stages;
        for (uint32_t rank = 0; rank < shape.ranks; ++rank)
        {
            for (uint32_t chunk = 0; chunk < shape.chunks; ++chunk)
            {
                const uint32_t stage = shape.GetStage(rank, chunk);
                EXPECT_LT(stage, shape.GetStages());
                EXPECT_TRUE(stages.insert(stage).second);
                EXPECT_EQ(shape.GetRank(stage), rank);
                EXPECT_EQ(shape.GetChunk(stage), chunk);
            }
        }
    }
}
