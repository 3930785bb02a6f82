// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/fabric-comparison.h"
#include "ns3/fabric-report.h"

#include <gtest/gtest.h>
#include <set>

using namespace ns3;

TEST(FabricReport, RunsSurviveTheWayBetweenProcesses)
{
    FabricRun run;
    run.fabric = "fat-tree";
    run.completion = NanoSeconds(123456789);
    run.messageTimes = {3, NanoSeconds(1), NanoSeconds(2), NanoSeconds(3), NanoSeconds(4), Time(5)};
    run.measurement.packetLatency.p999 = MicroSeconds(7);
    run.measurement.tiers = {{"NIC up", 4, 1000, 0.25, 0.5}, {"tier 1 up", 2, 3, 0.125, 1}};
    run.measurement.switches = {8, 4};
    run.measurement.dataPackets = uint64_t{1} << 60;
    run.measurement.marks = 2;
    run.measurement.events = 9;
    run.cpuSeconds = 1.5;
    run.peakRssBytes = 77;
    const auto copy = FabricRun::FromText(run.ToText());
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->ToText(), run.ToText());
    EXPECT_EQ(copy->completion, run.completion);
    EXPECT_EQ(copy->messageTimes.p99, run.messageTimes.p99);
    EXPECT_EQ(copy->measurement.tiers[1].max, 1);
    EXPECT_EQ(copy->measurement.switches, (std::vector<uint32_t>{8, 4}));
    EXPECT_EQ(copy->measurement.dataPackets, run.measurement.dataPackets);

    run.reason = "no way";
    EXPECT_EQ(FabricRun::FromText(run.ToText())->reason, "no way");
    EXPECT_FALSE(FabricRun::FromText(""));
    EXPECT_FALSE(FabricRun::FromText("{}"));
    EXPECT_FALSE(FabricRun::FromText("[1]"));
}

TEST(FabricReport, WhatIsWrongWithRuns)
{
    FabricReport report;
    report.runs.resize(2);
    EXPECT_EQ(report.CheckInvariants(), "");
    report.runs[1].fabric = "leaf-spine";
    report.runs[1].reason = "it does not join GPUs of different rails";
    EXPECT_EQ(report.CheckInvariants(), "");
    report.runs[1].failed = true;
    EXPECT_EQ(report.CheckInvariants(), "leaf-spine: it does not join GPUs of different rails");
    report.runs[1].failed = false;
    report.runs[1].measurement.bytesPosted = 5;
    EXPECT_EQ(report.CheckInvariants(), "leaf-spine: 5 bytes were posted but 0 delivered");
}

TEST(FabricReport, TableAsWideAsItsLabels)
{
    FabricReport report;
    report.runs.resize(2);
    report.runs[0].fabric = "rail-only";
    report.runs[1].fabric = "leaf-spine";
    for (auto& run : report.runs)
    {
        run.completion = NanoSeconds(1234567);
        run.measurement.dataPackets = 1;
        run.measurement.tiers = {{"scale-up switch down", 4, 1000, 0.000123, 0.25}};
    }
    report.runs[0].measurement.switches = {2};
    report.runs[1].measurement.switches = {2, 1};
    report.runs[0].remark = "one switch";
    report.completion = "AllReduce";
    std::ostringstream os;
    report.WriteTable(os);
    std::vector<std::string> lines;
    std::istringstream text(os.str());
    for (std::string line; std::getline(text, line);)
    {
        lines.push_back(line);
    }
    const auto find = [&lines](const std::string& begin) {
        for (const auto& line : lines)
        {
            if (line.compare(0, begin.size(), begin) == 0)
            {
                return line;
            }
        }
        return std::string();
    };
    const std::string busy = "scale-up switch down busy, mean / max, %";
    EXPECT_EQ(find(busy), busy + "  0.012 / 25.0  0.012 / 25.0");
    const std::string switches = find("electrical switches, from tier 1 on");
    EXPECT_EQ(switches.substr(busy.size()), "             2         2 + 1");
    EXPECT_EQ(find("longest queue, bytes, with warm-up").size(), switches.size());
    EXPECT_EQ(find("AllReduce, ms").substr(busy.size()), "        1.2346        1.2346");
    EXPECT_EQ(report.GetSameFabrics(), "rail-only: one switch");
    report.runs[1].remark = report.runs[0].remark;
    EXPECT_EQ(report.GetSameFabrics(), "rail-only, leaf-spine: one switch");
    report.runs[1].remark = "another";
    EXPECT_EQ(report.GetSameFabrics(), "leaf-spine: another; rail-only: one switch");
    report.runs[1].reason = "not carried";
    EXPECT_EQ(report.GetSameFabrics(), "rail-only: one switch");
}

TEST(PermutationTraffic, OneCycleThroughAll)
{
    for (uint32_t size = 2; size < 40; ++size)
    {
        for (uint32_t seed = 0; seed < 10; ++seed)
        {
            const auto images = PermutationTraffic::MakeCycle(size, seed);
            std::set<uint32_t> seen;
            uint32_t at = 0;
            do
            {
                seen.insert(at);
                at = images.at(at);
            } while (at != 0 && seen.size() <= size);
            EXPECT_EQ(seen.size(), size);
        }
    }
    EXPECT_NE(PermutationTraffic::MakeCycle(20, 1), PermutationTraffic::MakeCycle(20, 2));
}
