// SPDX-License-Identifier: GPL-2.0-only

#include "../../examples/calibrate/calibration.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return two numbers whose search begins far from where it should end
std::vector<Calibration::Parameter>
MakeTwo()
{
    return {{"one", 0.01, 1, 0.5}, {"other", 0.01, 1, 0.9}};
}

} // namespace

TEST(Calibration, FindsWhatTheModelWasGiven)
{
    // Steps with much and with little of what the second number decides, the longer part counts.
    const auto model = [](const std::vector<double>& x) {
        return std::vector<double>{1 / x[0] + 0.1 / x[1],
                                   0.5 / x[0] + 1 / x[1],
                                   std::max(0.2 / x[0], 3 / x[1])};
    };
    Calibration calibration(MakeTwo(), model({0.3, 0.05}), model);
    ASSERT_TRUE(calibration.Fit());
    const auto& found = calibration.GetParameters();
    EXPECT_NEAR(found[0].value, 0.3, 0.003);
    EXPECT_NEAR(found[1].value, 0.05, 0.0005);
    for (const auto& one : found)
    {
        EXPECT_TRUE(one.Matters()) << one.name;
        EXPECT_TRUE(one.IsDistinct()) << one.name << " " << one.distinct;
    }
}

TEST(Calibration, SaysWhatCannotBeToldApart)
{
    // Both steps depend on the product of both numbers only.
    const auto model = [](const std::vector<double>& x) {
        return std::vector<double>{1 / (x[0] * x[1]), 2 + 1 / (x[0] * x[1])};
    };
    Calibration calibration(MakeTwo(), model({0.3, 0.5}), model);
    ASSERT_TRUE(calibration.Fit());
    const auto& found = calibration.GetParameters();
    EXPECT_NEAR(found[0].value * found[1].value, 0.15, 0.0015);
    EXPECT_TRUE(found[0].Matters());
    EXPECT_FALSE(found[0].IsDistinct());
    EXPECT_FALSE(found[1].IsDistinct());
}

TEST(Calibration, SaysWhatDoesNotMatter)
{
    const auto model = [](const std::vector<double>& x) {
        return std::vector<double>{1 / x[0], 3 / x[0]};
    };
    Calibration calibration(MakeTwo(), model({0.2, 1}), model);
    ASSERT_TRUE(calibration.Fit());
    const auto& found = calibration.GetParameters();
    EXPECT_NEAR(found[0].value, 0.2, 0.002);
    EXPECT_TRUE(found[0].IsDistinct());
    EXPECT_FALSE(found[1].Matters());
    EXPECT_EQ(found[1].value, 0.9);
}

TEST(Calibration, StaysInsideTheLimitsAndEndsIfTheModelFails)
{
    const auto model = [](const std::vector<double>& x) { return std::vector<double>{1 / x[0]}; };
    Calibration beyond({{"one", 0.1, 1, 0.5}}, {0.01}, model); // would take 100
    ASSERT_TRUE(beyond.Fit());
    EXPECT_EQ(beyond.GetParameters()[0].value, 1);
    EXPECT_NEAR(beyond.GetPredicted()[0], 1, 1e-9);
    Calibration broken({{"one", 0.1, 1, 0.5}}, {1}, [](const auto&) {
        return std::vector<double>();
    });
    EXPECT_FALSE(broken.Fit());
}

TEST(Calibration, SaysHowUncertainANumberIs)
{
    // A share of what is measured is off by 10 per cent to both sides.
    const auto model = [](const std::vector<double>& x) {
        return std::vector<double>(4, 1 / x[0]);
    };
    Calibration calibration({{"one", 0.01, 1, 0.5}}, {1.8, 2.2, 1.8, 2.2}, model);
    ASSERT_TRUE(calibration.Fit());
    const auto& found = calibration.GetParameters()[0];
    EXPECT_NEAR(found.error, 0.1 / std::sqrt(3), 0.002);
    EXPECT_NEAR(found.Less(1), found.value * (1 - found.error), 0.002);
    EXPECT_FALSE(found.IsAtLimit());
}

TEST(Calibration, SaysThatAStepAsksForMoreThanIsPossible)
{
    const auto model = [](const std::vector<double>& x) {
        return std::vector<double>{1 / x[0], 2 / x[0]};
    };
    Calibration calibration({{"one", 0.01, 1, 0.5}}, {0.5, 1.1}, model);
    ASSERT_TRUE(calibration.Fit());
    EXPECT_TRUE(calibration.GetParameters()[0].IsAtLimit());
    EXPECT_EQ(calibration.GetParameters()[0].Less(-1), 1);
}
