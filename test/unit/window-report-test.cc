// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/window-report.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

constexpr uint64_t MEBI = uint64_t{1} << 20;

/// A window of so many milliseconds in an iteration, and what follows it.
PhaseWindow
Window(uint32_t iteration, double milliseconds, CollectiveKind kind, uint64_t bytes)
{
    PhaseWindow window;
    window.iteration = iteration;
    window.from = Dimension::PP;
    window.to = Dimension::FSDP;
    window.duration = MicroSeconds(static_cast<int64_t>(milliseconds * 1000));
    window.bytesAfter = bytes;
    window.kinds = {kind};
    return window;
}

constexpr auto GATHER = CollectiveKind::ALL_GATHER;
constexpr auto REDUCE = CollectiveKind::ALL_REDUCE;

} // namespace

TEST(WindowReport, NothingHasNoWindows)
{
    const WindowReport report({{}, {{}, {}}}, 0, 1, MilliSeconds(1));
    ASSERT_EQ(report.GetRails().size(), 2u);
    EXPECT_TRUE(report.GetRails()[1].sorted.empty());
    EXPECT_EQ(report.GetRails()[1].GetQuantile(0.5), Time());
    EXPECT_TRUE(report.GetFollowing().empty());
    EXPECT_TRUE(report.GetWindowsPerIteration().empty());
    std::ostringstream text;
    report.WriteTable(text);
    report.WriteCsv(text);
    EXPECT_EQ(text.str().find("nan"), std::string::npos);
}

TEST(WindowReport, QuantilesAndShareAboveAreOfIterationsThatCount)
{
    const RailWindows rail{
        {Window(0, 100, GATHER, MEBI), Window(1, 4, GATHER, MEBI), Window(1, 1, GATHER, MEBI)},
        {Window(1, -2, GATHER, MEBI), Window(2, 3, GATHER, MEBI), Window(3, 100, GATHER, MEBI)}};
    const WindowReport report({rail}, 1, 3, MilliSeconds(1));
    const auto& seen = report.GetRails().at(0);
    ASSERT_EQ(seen.sorted.size(), 4u);
    EXPECT_EQ(seen.sorted.front(), MilliSeconds(-2));
    EXPECT_EQ(seen.GetQuantile(0.25), MilliSeconds(-2));
    EXPECT_EQ(seen.GetQuantile(0.26), MilliSeconds(1));
    EXPECT_EQ(seen.GetQuantile(0.5), MilliSeconds(1));
    EXPECT_EQ(seen.GetQuantile(1), MilliSeconds(4));
    EXPECT_DOUBLE_EQ(seen.shareAbove, 0.5); // a window of the threshold is not above it
    EXPECT_EQ(report.GetWindowsPerIteration(), (std::vector<double>{1, 1}));
}

TEST(WindowReport, DistanceIsTheLargestBetweenTwoDistributions)
{
    const auto make = [](std::vector<double> milliseconds) {
        RailWindows rail(1);
        for (const double window : milliseconds)
        {
            rail[0].push_back(Window(0, window, GATHER, MEBI));
        }
        return rail;
    };
    const WindowReport report(
        {make({1, 2, 3, 4}), make({1, 2, 3, 4}), make({2.5, 2.6, 3, 4}), make({5})},
        0,
        1,
        MilliSeconds(1));
    EXPECT_DOUBLE_EQ(report.GetRails()[0].distance, 0);
    EXPECT_DOUBLE_EQ(report.GetRails()[1].distance, 0);
    EXPECT_DOUBLE_EQ(report.GetRails()[2].distance, 0.5);
    EXPECT_DOUBLE_EQ(report.GetRails()[3].distance, 1);
}

TEST(WindowReport, WhatFollowsIsClassedByNameAndVolume)
{
    const RailWindows rail{{Window(0, 7, REDUCE, 4),
                            Window(0, 1, GATHER, MEBI - 1),
                            Window(0, 2, GATHER, 100 * MEBI),
                            Window(0, 4, GATHER, 105 * MEBI),
                            Window(0, 8, GATHER, 106 * MEBI),
                            Window(0, 16, REDUCE, 100 * MEBI)}};
    // Other rails do not count.
    const WindowReport report({rail, {{Window(0, 1, GATHER, 9 * MEBI)}}}, 0, 1, MilliSeconds(1));
    const auto& following = report.GetFollowing();
    ASSERT_EQ(following.size(), 4u);
    EXPECT_EQ(following[0].name, "");
    EXPECT_EQ(following[0].bytes, 4u);
    EXPECT_EQ(following[0].mostBytes, MEBI - 1);
    EXPECT_EQ(following[0].GetMean(), MilliSeconds(4));
    EXPECT_EQ(following[0].each, (std::vector<Time>{MilliSeconds(1), MilliSeconds(7)}));
    EXPECT_EQ(following[1].name, "fsdp AllGather");
    EXPECT_EQ(following[1].bytes, 100 * MEBI);
    EXPECT_EQ(following[1].mostBytes, 105 * MEBI);
    EXPECT_EQ(following[1].GetMean(), MilliSeconds(3));
    EXPECT_EQ(following[2].name, "fsdp AllReduce");
    EXPECT_EQ(following[3].bytes, 106 * MEBI);
}

TEST(WindowReport, CsvHasEveryWindow)
{
    auto window = Window(2, 1.25, GATHER, 10);
    window.kinds = {CollectiveKind::REDUCE_SCATTER, REDUCE};
    window.duration = NanoSeconds(1234567890);
    std::ostringstream csv;
    WindowReport({{{}, {window}}}, 0, 3, MilliSeconds(1)).WriteCsv(csv);
    EXPECT_EQ(csv.str(),
              "rail,stage,iteration,from,to,calls,window_s,bytes\n"
              "0,1,2,pp,fsdp,ReduceScatter+AllReduce,1.234567890000,10\n");
}
