// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/workload-settings.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

TEST(StageSplitLimits, RulesHaveNames)
{
    StageSplitLimits::Value split;
    EXPECT_EQ(StageSplitLimits().Read("even", split), "");
    EXPECT_EQ(split.rule, StageSplit::EVEN);
    EXPECT_TRUE(split.layers.empty());
    EXPECT_EQ(StageSplitLimits().Read("weighted", split), "");
    EXPECT_EQ(split.rule, StageSplit::WEIGHTED);
}

TEST(StageSplitLimits, ListsHaveTheLayersOfEachStage)
{
    for (const char* text : {"8,0,12", "8+0+12", "8+0,12"})
    {
        StageSplitLimits::Value split;
        EXPECT_EQ(StageSplitLimits().Read(text, split), "");
        EXPECT_FALSE(split.rule);
        EXPECT_EQ(split.layers, (std::vector<uint32_t>{8, 0, 12}));
    }
}

TEST(StageSplitLimits, OtherTextsAreAnsweredWithAllowedOnesAndChangeNothing)
{
    StageSplitLimits::Value split;
    ASSERT_EQ(StageSplitLimits().Read("3,1", split), "");
    for (const char* text : {"", "odd", "8,", ",8", "8,-1", "8;8", "8, 8", "4294967296", "even,8"})
    {
        EXPECT_EQ(StageSplitLimits().Read(text, split),
                  "one of even, weighted, or the layers of each stage, such as 8,8,8,7")
            << text;
    }
    EXPECT_EQ(split.layers, (std::vector<uint32_t>{3, 1}));
}
