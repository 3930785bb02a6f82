// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/sweep.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>

using namespace ns3;

TEST(SweepPlan, EveryCombinationOnceTheLastFlagFastest)
{
    SweepPlan plan;
    ASSERT_EQ(plan.Read("policy=provisioned,on-demand;reconfigDelay=1ms,15ms,;tp=4"), "");
    EXPECT_EQ(plan.GetFlags(), (std::vector<std::string>{"policy", "reconfigDelay", "tp"}));
    ASSERT_EQ(plan.GetSize(), 6u);
    EXPECT_EQ(plan.GetPoint(0),
              (SweepPlan::Point{{"policy", "provisioned"}, {"reconfigDelay", "1ms"}, {"tp", "4"}}));
    EXPECT_EQ(plan.GetPoint(1)[1].second, "15ms");
    EXPECT_EQ(plan.GetPoint(2)[1].second, "") << "a flag may be empty";
    std::set<SweepPlan::Point> points;
    for (std::size_t i = 0; i < plan.GetSize(); ++i)
    {
        points.insert(plan.GetPoint(i));
    }
    EXPECT_EQ(points.size(), 6u);
}

TEST(SweepPlan, GridsStandSideBySide)
{
    SweepPlan plan;
    ASSERT_EQ(plan.Read("fabric=electrical | policy=a,b;delay=1,2|delay=3"), "");
    EXPECT_EQ(plan.GetFlags(), (std::vector<std::string>{"fabric", "policy", "delay"}));
    ASSERT_EQ(plan.GetSize(), 6u);
    EXPECT_EQ(plan.GetPoint(0),
              (SweepPlan::Point{{"fabric", "electrical"}, {"policy", ""}, {"delay", ""}}));
    EXPECT_EQ(plan.GetPoint(2),
              (SweepPlan::Point{{"fabric", ""}, {"policy", "a"}, {"delay", "2"}}));
    EXPECT_EQ(plan.GetPoint(3),
              (SweepPlan::Point{{"fabric", ""}, {"policy", "b"}, {"delay", "1"}}));
    EXPECT_EQ(plan.GetPoint(5), (SweepPlan::Point{{"fabric", ""}, {"policy", ""}, {"delay", "3"}}));
    EXPECT_EQ(plan.Read("a=1,2|b=1|a=2"), "two grids have the same point");
    EXPECT_EQ(plan.Read("a=1|"), "\"\" is not a flag without dashes, =, and values");
    EXPECT_EQ(plan.GetSize(), 6u);
}

TEST(SweepPlan, WrongTextsAreRefusedAndChangeNothing)
{
    SweepPlan plan;
    ASSERT_EQ(plan.Read("tp=1,2"), "");
    EXPECT_EQ(plan.Read(""), "\"\" is not a flag without dashes, =, and values");
    EXPECT_EQ(plan.Read("tp"), "\"tp\" is not a flag without dashes, =, and values");
    EXPECT_EQ(plan.Read("--tp=1"), "\"--tp=1\" is not a flag without dashes, =, and values");
    EXPECT_EQ(plan.Read("tp=1;tp=2"), "tp is named twice");
    EXPECT_EQ(plan.Read("tp=1,2,1"), "tp has the same value twice");
    std::string many = "a=";
    for (int i = 0; i < 101; ++i)
    {
        many += (i == 0 ? "" : ",") + std::to_string(i);
    }
    EXPECT_EQ(plan.Read(many + ";b" + many.substr(1)), "there are more than 10000 points");
    EXPECT_EQ(plan.GetSize(), 2u);
    EXPECT_EQ(SweepPlan().GetSize(), 0u);
}

TEST(SweepPlan, AnyTextIsAnswered)
{
    std::mt19937 random(1);
    const std::string letters = "ab=,;|-1 \n\"";
    for (int round = 0; round < 20000; ++round)
    {
        std::string text;
        for (uint32_t i = random() % 40; i > 0; --i)
        {
            text += letters[random() % letters.size()];
        }
        SweepPlan plan;
        if (plan.Read(text).empty())
        {
            ASSERT_GT(plan.GetSize(), 0u) << text;
            ASSERT_EQ(plan.GetPoint(plan.GetSize() - 1).size(), plan.GetFlags().size()) << text;
        }
        else
        {
            ASSERT_EQ(plan.GetSize(), 0u) << text;
        }
    }
}
