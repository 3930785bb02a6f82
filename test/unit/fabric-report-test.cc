// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/fabric-report.h"
#include "ns3/permutation-traffic.h"

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
    run.measurement.dataPackets = uint64_t{1} << 60;
    run.measurement.marks = 2;
    run.measurement.events = 9;
    run.cpuSeconds = 1.5;
    run.peakRssBytes = 77;
    const auto copy = FabricRun::FromJson(run.ToJson());
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->ToJson(), run.ToJson());
    EXPECT_EQ(copy->completion, run.completion);
    EXPECT_EQ(copy->messageTimes.p99, run.messageTimes.p99);
    EXPECT_EQ(copy->measurement.tiers[1].max, 1);
    EXPECT_EQ(copy->measurement.dataPackets, run.measurement.dataPackets);

    run.reason = "no way";
    EXPECT_EQ(FabricRun::FromJson(run.ToJson())->reason, "no way");
    EXPECT_FALSE(FabricRun::FromJson(""));
    EXPECT_FALSE(FabricRun::FromJson("{}"));
    EXPECT_FALSE(FabricRun::FromJson("[1]"));
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
