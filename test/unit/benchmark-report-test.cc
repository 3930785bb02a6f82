// SPDX-License-Identifier: GPL-2.0-only

#include "../../examples/benchmark/benchmark-report.h"

#include <cmath>
#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

/// @return a row of a job
BenchmarkRow
MakeTimedRow(const std::string& fidelity, uint32_t repetition, double cpuSeconds)
{
    BenchmarkRow row;
    row.bench = "fidelity";
    row.name = "job";
    row.fidelity = fidelity;
    row.scheduler = "ns3::MapScheduler";
    row.repetition = repetition;
    row.gpus = 16;
    row.simulated = NanoSeconds(123456789012);
    row.events = 7;
    row.dataPackets = 5;
    row.wallSeconds = 2 * cpuSeconds;
    row.setupCpuSeconds = cpuSeconds / 4;
    row.cpuSeconds = cpuSeconds - row.setupCpuSeconds;
    return row;
}

} // namespace

TEST(BenchmarkRow, SurvivesTheWayBetweenProcesses)
{
    BenchmarkRow row = MakeTimedRow("burst", 3, 0.5);
    row.processes = 2;
    row.bytes = uint64_t{1} << 40;
    row.dataHops = 10;
    row.bursts = 2;
    row.burstPackets = 4;
    row.collectives = 4;
    row.peakRssBytes = 99;
    const auto copy = BenchmarkRow::FromJson(row.ToJson());
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->ToJson(), row.ToJson());
    EXPECT_EQ(copy->simulated, row.simulated);
    EXPECT_EQ(copy->bytes, row.bytes);
    EXPECT_EQ(copy->processes, 2);
    EXPECT_EQ(copy->GetTotalCpuSeconds(), 0.5);

    row.reason = "no way";
    EXPECT_EQ(BenchmarkRow::FromJson(row.ToJson())->reason, "no way");
    EXPECT_FALSE(BenchmarkRow::FromJson(""));
    EXPECT_FALSE(BenchmarkRow::FromJson("{}"));
    EXPECT_FALSE(BenchmarkRow::FromJson("[1]"));
}

TEST(BenchmarkReport, ExponentOfGrowth)
{
    std::vector<std::pair<double, double>> points;
    for (const double x : {16.0, 32.0, 512.0, 2048.0})
    {
        points.emplace_back(x, 3 * std::pow(x, 1.25));
    }
    EXPECT_NEAR(*FitGrowthExponent(points), 1.25, 1e-12);
    points.emplace_back(4096, 0); // has no logarithm
    EXPECT_NEAR(*FitGrowthExponent(points), 1.25, 1e-12);
    // The middle point of three lies off the line by as much as least squares ignore.
    EXPECT_NEAR(*FitGrowthExponent({{1, 1}, {2, 5}, {4, 4}}), 1, 1e-12);
    EXPECT_FALSE(FitGrowthExponent({}));
    EXPECT_FALSE(FitGrowthExponent({{2, 1}}));
    EXPECT_FALSE(FitGrowthExponent({{2, 1}, {2, 3}}));
}

TEST(BenchmarkReport, RatiosAreMediansOfPairs)
{
    BenchmarkReport report;
    const double packet[] = {8, 90, 6};
    const double burst[] = {4, 10, 1};
    for (uint32_t repetition = 0; repetition < 3; ++repetition)
    {
        report.rows.push_back(MakeTimedRow("packet", repetition, packet[repetition]));
        report.rows.push_back(MakeTimedRow("burst", repetition, burst[repetition]));
    }
    auto figures = report.GetFigures();
    ASSERT_EQ(figures.size(), 1);
    EXPECT_EQ(figures[0].figure, "burst_speed_up");
    EXPECT_EQ(figures[0].bench, "fidelity");
    EXPECT_EQ(figures[0].of, "job, 16 GPUs, burst");
    EXPECT_DOUBLE_EQ(figures[0].value, 6); // of 2, 9 and 6

    report.rows[4].reason = "it has failed"; // and has no pair any more
    figures = report.GetFigures();
    ASSERT_EQ(figures.size(), 1);
    EXPECT_DOUBLE_EQ(figures[0].value, 5.5);
}

TEST(BenchmarkReport, WhatIsComparedWithWhat)
{
    BenchmarkReport report;
    report.rows.push_back(MakeTimedRow("packet", 0, 8));
    report.rows.push_back(MakeTimedRow("packet", 0, 4));
    report.rows[1].processes = 2;
    report.rows.push_back(MakeTimedRow("packet", 0, 6));
    report.rows.push_back(MakeTimedRow("packet", 0, 3));
    report.rows[2].bench = report.rows[3].bench = "scheduler";
    report.rows[3].scheduler = "ns3::HeapScheduler";
    report.rows.push_back(MakeTimedRow("", 0, 8));
    report.rows.push_back(MakeTimedRow("burst", 0, 1));
    report.rows[4].bench = report.rows[5].bench = "hops";
    report.rows[4].name = "point-to-point";
    report.rows[4].dataHops = 3;
    report.rows[5].name = "circuits";
    report.rows[5].dataHops = 6;
    const auto figures = report.GetFigures();
    ASSERT_EQ(figures.size(), 3);
    EXPECT_EQ(figures[0].figure, "point_to_point_speed_up");
    EXPECT_DOUBLE_EQ(figures[0].value, 16);
    EXPECT_EQ(figures[1].figure, "scheduler_speed_up");
    EXPECT_EQ(figures[1].of, "job, 16 GPUs, packet, ns3::HeapScheduler");
    EXPECT_DOUBLE_EQ(figures[1].value, 2);
    EXPECT_EQ(figures[2].figure, "process_speed_up");
    EXPECT_EQ(figures[2].of, "job, 16 GPUs, packet, 2 processes");
    EXPECT_DOUBLE_EQ(figures[2].value, 2);
}

TEST(BenchmarkReport, GrowthOfJobs)
{
    BenchmarkReport report;
    for (const uint32_t gpus : {16, 64, 256})
    {
        report.rows.push_back(MakeTimedRow("burst", 0, gpus));
        report.rows.back().bench = "scale";
        report.rows.back().gpus = gpus;
        report.rows.back().events = uint64_t{gpus} * gpus;
    }
    const auto figures = report.GetFigures();
    ASSERT_EQ(figures.size(), 4); // memory is 0 here, and has no exponent
    EXPECT_EQ(figures[0].of, "job, burst: wall_s");
    EXPECT_NEAR(figures[0].value, 1, 1e-12);
    EXPECT_EQ(figures[3].of, "job, burst: events");
    EXPECT_NEAR(figures[3].value, 2, 1e-12);
}

TEST(BenchmarkReport, TheSameSimulationTakesTheSameTime)
{
    BenchmarkReport report;
    report.rows = {MakeTimedRow("packet", 0, 8), MakeTimedRow("burst", 0, 1)};
    EXPECT_EQ(report.CheckInvariants(), "");
    report.rows[1].simulated += NanoSeconds(1);
    const std::string wrong = report.CheckInvariants();
    EXPECT_NE(wrong.find("123456789012000 ps and 123456789013000 ps"), std::string::npos) << wrong;
    report.rows[1].gpus = 32; // which is another job
    EXPECT_EQ(report.CheckInvariants(), "");
    report.rows[1] = MakeTimedRow("burst", 0, 1);
    report.rows[1].dataPackets = 6;
    EXPECT_NE(report.CheckInvariants(), "");
    report.rows[1].reason = "it was not measured";
    EXPECT_EQ(report.CheckInvariants(), "");
}
