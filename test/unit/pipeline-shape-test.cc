// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-shapes.h"

#include "ns3/pipeline-schedule.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

using namespace ns3;

TEST(PipelineShape, SchedulesHaveNames)
{
    std::string names;
    for (const auto kind : PipelineSchedule::GetKinds())
    {
        names += ToString(kind) + " ";
        EXPECT_EQ(PipelineSchedule::Find(ToString(kind)), kind);
    }
    EXPECT_EQ(names, "gpipe 1f1b interleaved zb-h1 dualpipev ");
    EXPECT_FALSE(PipelineSchedule::Find("1F1B").has_value());
}

TEST(PipelineShape, WrongOnesAreRefusedInOneLine)
{
    const auto validate = [](PipelineKind kind, uint32_t pp, uint32_t chunks, uint32_t batches) {
        return PipelineShape{kind, pp, chunks, batches}.Validate();
    };
    using Kind = PipelineKind;
    EXPECT_EQ(validate(Kind::ONE_F_ONE_B, 0, 1, 4), "pp=0: must be 1 or more");
    EXPECT_EQ(validate(Kind::GPIPE, 4, 1, 0), "microBatches=0: must be 1 or more");
    EXPECT_EQ(validate(Kind::GPIPE, 4, 2, 8), "virtualStages=2: gpipe needs 1 chunk a rank");
    EXPECT_EQ(validate(Kind::ONE_F_ONE_B, 4, 0, 8), "virtualStages=0: 1f1b needs 1 chunk a rank");
    EXPECT_EQ(validate(Kind::ZERO_BUBBLE_H1, 4, 3, 8),
              "virtualStages=3: zb-h1 needs 1 chunk a rank");
    EXPECT_EQ(validate(Kind::INTERLEAVED, 4, 1, 8),
              "virtualStages=1: interleaved needs 2 or more chunks a rank");
    EXPECT_EQ(
        validate(Kind::INTERLEAVED, 4, 2, 9),
        "microBatches=9: interleaved with pp=4 runs them in 2 rounds of equal size and needs a "
        "multiple of 2");
    EXPECT_EQ(validate(Kind::DUAL_PIPE_V, 4, 1, 8),
              "virtualStages=1: dualpipev needs 2 chunks a rank");
    EXPECT_EQ(validate(Kind::DUAL_PIPE_V, 4, 2, 7),
              "microBatches=7: dualpipev with pp=4 needs 8 or more");
}

TEST(PipelineShape, FewMicroBatchesAreLegalWhereTheOrderIsDefined)
{
    EXPECT_EQ((PipelineShape{PipelineKind::GPIPE, 8, 1, 1}.Validate()), "");
    EXPECT_EQ((PipelineShape{PipelineKind::ONE_F_ONE_B, 8, 1, 1}.Validate()), "");
    EXPECT_EQ((PipelineShape{PipelineKind::ZERO_BUBBLE_H1, 8, 1, 1}.Validate()), "");
    EXPECT_EQ((PipelineShape{PipelineKind::INTERLEAVED, 4, 2, 3}.Validate()), "");
    EXPECT_EQ((PipelineShape{PipelineKind::INTERLEAVED, 4, 2, 10}.Validate()), "");
    EXPECT_EQ((PipelineShape{PipelineKind::DUAL_PIPE_V, 4, 2, 8}.Validate()), "");
}

TEST(PipelineShape, SmallOnesAreAsManyAsTheRulesAllow)
{
    std::map<PipelineKind, std::size_t> counts;
    for (const auto& shape : GetSmallShapes())
    {
        ++counts[shape.kind];
    }
    EXPECT_EQ(counts[PipelineKind::GPIPE], 8 * 16);
    EXPECT_EQ(counts[PipelineKind::ONE_F_ONE_B], 8 * 16);
    EXPECT_EQ(counts[PipelineKind::ZERO_BUBBLE_H1], 8 * 16);
    EXPECT_EQ(counts[PipelineKind::INTERLEAVED], 318);
    EXPECT_EQ(counts[PipelineKind::DUAL_PIPE_V], 15 + 13 + 11 + 9 + 7 + 5 + 3 + 1);
}

TEST(PipelineShape, StagesAreLoopedOrInAV)
{
    const PipelineShape looped{PipelineKind::INTERLEAVED, 4, 3, 4};
    EXPECT_EQ(looped.GetStage(1, 2), 9);
    const PipelineShape turned{PipelineKind::DUAL_PIPE_V, 4, 2, 8};
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
