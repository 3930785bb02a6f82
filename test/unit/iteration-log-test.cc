// SPDX-License-Identifier: GPL-2.0-only

// What is reported by iteration, and what processes tell each other of it.

#include "ns3/run-summary.h"
#include "ns3/training-application.h"
#include "ns3/training-recorder.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return a log of two iterations that end at 10 and 25 ns, of a job that starts at 0
IterationLog
MakeLog()
{
    IterationLog log;
    log.start = Time();
    log.ends = {NanoSeconds(10), NanoSeconds(25)};
    return log;
}

} // namespace

TEST(IterationLog, AnEndBelongsToItsIteration)
{
    IterationLog log = MakeLog();
    log.reconfigurations = {NanoSeconds(26), NanoSeconds(10), NanoSeconds(0), NanoSeconds(11)};
    const auto iterations = log.GetIterations();
    ASSERT_EQ(iterations.size(), 2u);
    EXPECT_EQ(iterations[0].index, 0u);
    EXPECT_EQ(iterations[0].duration, NanoSeconds(10));
    EXPECT_EQ(iterations[0].reconfigurations, 2u);
    EXPECT_EQ(iterations[1].index, 1u);
    EXPECT_EQ(iterations[1].duration, NanoSeconds(15));
    EXPECT_EQ(iterations[1].reconfigurations, 1u); // that at 26 belongs to none
}

TEST(IterationLog, TheFirstIterationBeginsWithTheJob)
{
    IterationLog log = MakeLog();
    log.start = NanoSeconds(4);
    EXPECT_EQ(log.GetIterations()[0].duration, NanoSeconds(6));
    EXPECT_EQ(log.GetIterations()[1].duration, NanoSeconds(15));
    IterationLog other = MakeLog();
    other.start = NanoSeconds(3);
    log.Add(other);
    other.start = IterationLog().start; // of a process without ranks
    log.Add(other);
    EXPECT_EQ(log.GetIterations()[0].duration, NanoSeconds(7));
}

TEST(TrainingApplication, ARankCannotStartBeforeTheSimulation)
{
    const auto start = [] {
        const auto rank = CreateObject<TrainingApplication>();
        rank->SetStartTime(Seconds(-1));
        rank->Initialize();
    };
    EXPECT_DEATH(start(), "StartTime of a rank is -1s, .* at least 0 s");
}

TEST(IterationLog, TheRankThatWaitedLongestCounts)
{
    IterationLog log = MakeLog();
    log.exposures = {{NanoSeconds(3), 1, NanoSeconds(2)},
                     {NanoSeconds(5), 0, NanoSeconds(3)},
                     {NanoSeconds(9), 1, NanoSeconds(2)},
                     {NanoSeconds(20), 0, NanoSeconds(1)},
                     {NanoSeconds(30), 0, NanoSeconds(100)}};
    const auto iterations = log.GetIterations();
    EXPECT_EQ(iterations[0].exposedReconfiguration, NanoSeconds(4));
    EXPECT_EQ(iterations[1].exposedReconfiguration, NanoSeconds(1));
}

TEST(IterationLog, PartsMakeTheWholeInAnyOrder)
{
    IterationLog a = MakeLog();
    a.reconfigurations = {NanoSeconds(11)};
    a.exposures = {{NanoSeconds(11), 0, NanoSeconds(5)}};
    IterationLog b;
    b.ends = {NanoSeconds(12), NanoSeconds(24), NanoSeconds(40)}; // a has not ended the third
    b.exposures = {{NanoSeconds(13), 1, NanoSeconds(4)}};
    IterationLog ab = a;
    ab.Add(b);
    IterationLog ba = b;
    ba.Add(a);
    for (const auto& log : {ab, ba})
    {
        const auto iterations = log.GetIterations();
        ASSERT_EQ(iterations.size(), 2u);
        EXPECT_EQ(iterations[0].duration, NanoSeconds(12));
        EXPECT_EQ(iterations[0].reconfigurations, 1u); // on a alone it would be of the second
        EXPECT_EQ(iterations[0].exposedReconfiguration, NanoSeconds(5));
        EXPECT_EQ(iterations[1].duration, NanoSeconds(13));
        EXPECT_EQ(iterations[1].exposedReconfiguration, NanoSeconds(4));
    }
}

TEST(IterationLog, SettledIterationsHaveTheSameResults)
{
    IterationLog all;
    all.start = NanoSeconds(5);
    IterationLog settled = all;
    LightLog light;
    light.ports = 3;
    LightLog settledLight = light;
    for (int64_t i = 0; i < 50; ++i)
    {
        for (auto* log : {&all, &settled})
        {
            log->reconfigurations.push_back(NanoSeconds(10 * i + i % 7));
            log->reconfigurations.push_back(NanoSeconds(10 * i + 10));
            for (uint32_t wait = 0; wait < 3; ++wait)
            {
                log->exposures.push_back(
                    {NanoSeconds(10 * i + 4 + 3 * wait), wait % 2, NanoSeconds(1 + i % 5)});
            }
            log->ends.push_back(NanoSeconds(10 * i + 10));
        }
        for (auto* log : {&light, &settledLight})
        {
            log->Count(NanoSeconds(10 * i + 3), i % 2 ? -2 : 2);
        }
        if (i % 8 == 5)
        {
            settled.Settle();
            settledLight.Settle(settled.start, settled.ends[settled.ends.size() - 2]);
            EXPECT_EQ(settled.GetSettled(), static_cast<std::size_t>(i));
            EXPECT_LE(settled.exposures.size(), 4u);
            EXPECT_LE(settledLight.changes.size(), 2u);
        }
    }
    const auto expected = all.GetIterations();
    const auto seen = settled.GetIterations();
    ASSERT_EQ(seen.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_EQ(seen[i].index, i);
        EXPECT_EQ(seen[i].duration, expected[i].duration);
        EXPECT_EQ(seen[i].reconfigurations, expected[i].reconfigurations) << i;
        EXPECT_EQ(seen[i].exposedReconfiguration, expected[i].exposedReconfiguration) << i;
    }
    for (const Time& until : {NanoSeconds(500), NanoSeconds(493), NanoSeconds(600)})
    {
        const LightLog::Sum sum = settledLight.GetSum(all.start, until);
        EXPECT_EQ(sum.light, light.GetSum(all.start, until).light);
        EXPECT_EQ(sum.light + 2 * 2000, light.GetSum(Time(), until).light); // from 3 to 5 ns
        EXPECT_EQ(sum.all, light.GetSum(all.start, until).all);
    }
}

TEST(RunShare, SurvivesTheJourney)
{
    RunShare share;
    share.log = MakeLog();
    share.log.ends.push_back(NanoSeconds(9007199254740993)); // a double would round it
    share.log.reconfigurations = {NanoSeconds(7)};
    share.log.exposures = {{NanoSeconds(8), 4000000000, NanoSeconds(6)}};
    share.rails = {1, 2, 3, 18446744073709551615U, 12, 13};
    share.scaleUp = {5, 6, 7, 8, 9, 10};
    share.hosts = {15, 16, 17, 18, 19, 20};
    share.packetsLostAtOcs = 9;
    share.light.ports = 4;
    share.light.Count(NanoSeconds(9007199254740991), 1);
    share.bytesForwarded = 21;
    share.events = 10;
    share.peakRssBytes = 11;
    const RunShare other = RunShare::FromText(share.ToText());
    EXPECT_EQ(other.log.start, share.log.start);
    EXPECT_EQ(other.log.ends, share.log.ends);
    EXPECT_EQ(other.log.reconfigurations, share.log.reconfigurations);
    ASSERT_EQ(other.log.exposures.size(), 1u);
    EXPECT_EQ(other.log.exposures[0].at, NanoSeconds(8));
    EXPECT_EQ(other.log.exposures[0].rank, 4000000000u);
    EXPECT_EQ(other.log.exposures[0].exposed, NanoSeconds(6));
    EXPECT_EQ(other.rails.bytesDelivered, 18446744073709551615U);
    EXPECT_EQ(other.rails.retransmissions, 2u);
    EXPECT_EQ(other.rails.burstPackets, 13u);
    EXPECT_EQ(other.scaleUp.packetsSent, 5u);
    EXPECT_EQ(other.scaleUp.bytesPosted, 7u);
    EXPECT_EQ(other.hosts.packetsSent, 15u);
    EXPECT_EQ(other.hosts.burstPackets, 20u);
    EXPECT_EQ(other.packetsLostAtOcs, 9u);
    EXPECT_EQ(other.light.ports, 4u);
    ASSERT_EQ(other.light.changes.size(), 1u);
    EXPECT_EQ(other.light.changes[0].at, NanoSeconds(9007199254740991));
    EXPECT_EQ(other.light.changes[0].ports, 1);
    EXPECT_EQ(other.bytesForwarded, 21u);
    EXPECT_EQ(other.events, 10u);
    EXPECT_EQ(other.peakRssBytes, 11u);
    EXPECT_EQ(other.ToText(), share.ToText());
}

TEST(RunShare, SharesMakeASummary)
{
    RunShare first;
    first.log = MakeLog();
    first.rails = {1, 2, 3, 4, 5, 6};
    first.hosts = {2, 0, 30, 40, 0, 0};
    first.events = 100;
    first.peakRssBytes = 1000;
    RunShare second = first;
    second.log.ends[1] = NanoSeconds(26);
    second.packetsLostAtOcs = 1;
    // Light is counted until the job ends, of which the first process knows nothing.
    first.light.ports = 2;
    first.light.Count(NanoSeconds(13), 2);
    second.light.ports = 6;
    second.light.Count(NanoSeconds(16), 6);
    second.light.Count(NanoSeconds(21), -4);
    second.light.Count(NanoSeconds(21), -2);
    second.light.Count(NanoSeconds(30), 6);
    second.events = 50;
    RunSummary summary;
    summary.SetShares({first, second});
    EXPECT_EQ(summary.iterations[1].duration, NanoSeconds(16));
    EXPECT_EQ(summary.rails.packetsSent, 2u);
    EXPECT_EQ(summary.rails.bytesDelivered, 8u);
    EXPECT_EQ(summary.rails.bursts, 10u);
    EXPECT_EQ(summary.hosts.bytesPosted, 60u);
    EXPECT_EQ(summary.packetsLostAtOcs, 1u);
    EXPECT_EQ(summary.light.light, (13 * 2 + 5 * 6) * 1000);
    EXPECT_EQ(summary.light.all, 26 * 8 * 1000);
    EXPECT_EQ(summary.events, 150u);
    EXPECT_EQ(summary.peakRssBytes, 2000u);
    ASSERT_EQ(summary.processes.size(), 2u);
    EXPECT_EQ(summary.processes[1].events, 50u);
}
