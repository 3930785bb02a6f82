// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Snapshots that replace the log of a controller.
 *
 * Covers model/opus/controller
 * Covers model/opus/scheduler
 */

#include "../random-search.h"
#include "lambda-call.h"
#include "opus-random-job.h"
#include "opus-random-run.h"
#include "picosecond-test-case.h"

#include "ns3/collective-helper.h"
#include "ns3/config.h"
#include "ns3/controller-machine.h"
#include "ns3/opus-controller.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// Trace sources that nothing is connected to.
struct UnusedTraces
{
    TracedCallback<const OpusMessage&> message;
    TracedCallback<uint32_t, uint64_t, Time, bool> granted;
    TracedCallback<uint32_t> rebuild;
    TracedCallback<uint32_t, const std::string&> failed;
    TracedCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&> command;
    TracedCallback<const ns3::OpusFault&, const std::string&> fault;
    LeaseService::Traces leases{message, message, granted, rebuild, failed, command, command};
    FaultService::Traces faults{message, fault};
};

using Streams = std::map<Address, std::vector<uint8_t>>;

/// @return the bytes to each peer that the peer has not confirmed
Streams
GetStreams(const ControllerSnapshot& snapshot)
{
    Streams streams;
    for (const auto& [peer, channel] : snapshot.GetChannels())
    {
        ReliableSender sender = channel.sender;
        auto& bytes = streams[peer];
        while (sender.HasUnsent())
        {
            const auto segment = sender.Send(1000, Time(0));
            bytes.insert(bytes.end(), segment.bytes.begin(), segment.bytes.end());
        }
    }
    return streams;
}

/// @return the state of a controller in words: groups, circuits, ports and times
std::string
DescribeState(const ControllerMachine& machine)
{
    const LeaseService& leases = machine.GetLeases();
    const auto stats = leases.GetStats();
    std::ostringstream text;
    text << stats.requests << ' ' << stats.releases << ' ' << stats.recalls << ' ' << stats.grants
         << ' ' << stats.cacheHits << ' ' << stats.reconfigurations << ' ' << stats.circuitsMade
         << ' ' << stats.circuitsDropped << ' ' << stats.refusals << ' ' << stats.foreign << ' '
         << stats.plans << ' ' << stats.planHits << ' ' << stats.delayed << ' ' << stats.malformed
         << ' ' << stats.faults;
    for (uint32_t job = 0; job < 2; ++job)
    {
        for (const GroupKey& key : leases.GetScheduler().GetGroups(job))
        {
            const auto status = leases.GetScheduler().GetWaitStatus(key);
            text << "\n"
                 << job << ' ' << key.id << ' '
                 << static_cast<int>(leases.GetScheduler().GetState(key));
            for (const auto& ranks : {status.absent, status.requesting, status.holding})
            {
                text << " /";
                for (const uint32_t rank : ranks)
                {
                    text << ' ' << rank;
                }
            }
            for (const GroupKey& other : status.blocking)
            {
                text << " behind " << other.job << ' ' << other.id;
            }
        }
    }
    for (const uint32_t ocs : leases.GetJobs().GetPlaces().GetRails())
    {
        text << "\nswitch " << ocs << " at " << leases.GetJobs().GetPlaces().GetSwitch(ocs);
        for (const Circuit& circuit : leases.GetScheduler().GetCircuits(ocs))
        {
            text << ' ' << circuit.a << '-' << circuit.b;
        }
    }
    for (const OcsPortId& port : leases.GetJobs().GetPorts())
    {
        text << ' ' << leases.GetTimes().GetUpTime(port, Seconds(1000)).GetPicoSeconds();
    }
    return text.str();
}

/**
 * A controller restarts at every entry of a log: the snapshot before the entry, and the rest of the
 * log, give the state and the messages of the whole log.
 */
class RestartAtEveryEntryTestCase : public PicosecondTestCase
{
  public:
    RestartAtEveryEntryTestCase()
        : PicosecondTestCase("A snapshot at any entry and the rest give what the whole log gives")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t seeds = CountSeeds("snapshots", 200, SearchLimit::ALL_BUILDS);
        for (uint64_t seed = 0; seed < seeds; ++seed)
        {
            auto scenario = OpusScenario::Make(seed);
            // The fault at the end makes the controller keep a log; it strikes after the job.
            test::OpusFault crash;
            crash.place = 999;
            crash.after = Seconds(20);
            scenario.trouble.faults.push_back(crash);
            for (auto& fault : scenario.trouble.faults)
            {
                const bool isForGood = fault.kind == test::OpusFault::DEATH; // without a standby
                fault.kind = isForGood ? test::OpusFault::CRASH : fault.kind;
            }
            scenario.trouble.standby = false;
            scenario.trouble.snapshotEntries = 0;
            const auto outcome = RunOpus(scenario, nullptr, [this, seed](const OpusHelper& opus) {
                for (const auto& controller : opus.GetAllControllers())
                {
                    CheckLog(*controller, seed);
                }
            });
            NS_TEST_EXPECT_MSG_EQ(outcome.error, "", "seed " << seed);
        }
        std::cout << m_entries << " entries of " << m_logs << " logs, " << m_restarts << " restarts"
                  << std::endl;
        NS_TEST_EXPECT_MSG_GT(m_restarts, 20 * seeds, "logs have entries");
    }

    void CheckLog(const OpusController& controller, uint64_t seed)
    {
        std::vector<ControllerLog::Entry> entries;
        for (auto entry : controller.GetLog()->GetEntries())
        {
            entry.acknowledged = 0; // keep all messages, to compare them
            entries.push_back(entry);
        }
        ++m_logs;
        m_entries += entries.size();
        UnusedTraces traces;
        ControllerSnapshot whole(traces.leases, traces.faults);
        whole.Begin(controller.GetSnapshot().GetMachine());
        for (const auto& entry : entries)
        {
            whole.Apply(entry, false);
        }
        const std::string state = DescribeState(whole.GetMachine());
        const Streams sent = GetStreams(whole);
        ControllerSnapshot prefix(traces.leases, traces.faults);
        prefix.Begin(controller.GetSnapshot().GetMachine());
        // Each restart applies the rest of the log: of long logs, as many entries as take a second.
        const std::size_t step = 1 + entries.size() / (test::SLOW_BUILD ? 40 : 400);
        for (std::size_t first = 0; first < entries.size(); ++first)
        {
            if (first % step == 0)
            {
                ++m_restarts;
                CheckRestart(prefix, entries, first, state, sent, seed);
            }
            prefix.Apply(entries[first], false);
        }
    }

    void CheckRestart(const ControllerSnapshot& snapshot,
                      const std::vector<ControllerLog::Entry>& entries,
                      std::size_t first,
                      const std::string& state,
                      const Streams& sent,
                      uint64_t seed)
    {
        UnusedTraces traces;
        ControllerSnapshot rest(traces.leases, traces.faults);
        rest.Begin(snapshot.GetMachine());
        for (std::size_t i = first; i < entries.size(); ++i)
        {
            rest.Apply(entries[i], false);
        }
        NS_TEST_EXPECT_MSG_EQ(DescribeState(rest.GetMachine()),
                              state,
                              "seed " << seed << ", entry " << first);
        const auto& scheduler = rest.GetMachine().GetLeases().GetScheduler();
        NS_TEST_EXPECT_MSG_EQ(scheduler.CheckInvariants(),
                              "",
                              "seed " << seed << ", entry " << first);
        Streams both = GetStreams(snapshot);
        for (const auto& [peer, bytes] : GetStreams(rest))
        {
            both[peer].insert(both[peer].end(), bytes.begin(), bytes.end());
        }
        for (const auto& [peer, bytes] : sent)
        {
            NS_TEST_EXPECT_MSG_EQ((both[peer] == bytes),
                                  true,
                                  "messages; seed " << seed << ", entry " << first);
        }
    }

    uint64_t m_logs{0};
    uint64_t m_entries{0};
    uint64_t m_restarts{0};
};

/** Runs with crashes are the same with snapshots and without. */
class SnapshotsChangeNothingTestCase : public PicosecondTestCase
{
  public:
    SnapshotsChangeNothingTestCase()
        : PicosecondTestCase("Snapshots change no time of a job whose controller crashes")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t seeds = CountSeeds("snapshot runs", 400, SearchLimit::ALL_BUILDS);
        Config::SetDefault("ns3::OpusController::LogReadTime", TimeValue(Time(0)));
        Config::SetDefault("ns3::OpusController::SnapshotReadTime", TimeValue(Time(0)));
        uint64_t snapshots = 0;
        uint64_t replayed = 0;
        uint64_t whole = 0;
        for (uint64_t seed = 0; seed < seeds; ++seed)
        {
            auto scenario = OpusScenario::Make(seed);
            for (const uint32_t place : {300, 700})
            {
                test::OpusFault crash;
                crash.place = place + seed % 300;
                crash.component = seed;
                crash.duration = MicroSeconds(1 + seed % 1000);
                scenario.trouble.faults.push_back(crash);
            }
            scenario.trouble.snapshotEntries = 0;
            const auto log = RunOpus(scenario);
            NS_TEST_EXPECT_MSG_EQ(log.error, "", "seed " << seed);
            scenario.trouble.snapshotEntries = 1 + seed % 20;
            const auto snapshot = RunOpus(scenario);
            NS_TEST_EXPECT_MSG_EQ(snapshot.error, "", "seed " << seed);
            NS_TEST_EXPECT_MSG_EQ((snapshot.moments == log.moments), true, "seed " << seed);
            NS_TEST_EXPECT_MSG_EQ(snapshot.counts.end, log.counts.end, "seed " << seed);
            snapshots += snapshot.counts.snapshots;
            replayed += snapshot.replayedEntries;
            whole += log.replayedEntries;
        }
        std::cout << snapshots << " snapshots; restarts processed " << replayed
                  << " entries in place of " << whole << std::endl;
        NS_TEST_EXPECT_MSG_GT(snapshots, seeds, "logs are replaced");
        NS_TEST_EXPECT_MSG_LT(replayed, whole / 2, "restarts are shorter");
        Config::Reset();
    }
};

/** The log of a long job: three groups of three GPUs that take circuits from each other. */
class LongLogTestCase : public PicosecondTestCase
{
  public:
    LongLogTestCase()
        : PicosecondTestCase("The size of a log does not depend on the length of the job")
    {
    }

  private:
    static constexpr uint32_t SNAPSHOT = 500; //!< entries of the log

    /// The most that a controller kept, and how much it processed.
    struct Kept
    {
        uint64_t processed{0}; //!< entries
        uint64_t entries{0};   //!< of the log
        uint64_t bytes{0};     //!< messages to peers that a restart would send again
    };

    static RandomJob MakeJob(uint32_t iterations)
    {
        RandomJob job;
        job.domains = 3;
        job.iterations = iterations;
        std::vector<OpusStep> steps;
        for (uint32_t id = 0; id < 3; ++id)
        {
            ProcessGroup group;
            group.id = id;
            group.ranks = {id % 2, 1 + (id + 1) / 2};
            job.groups.push_back(group);
            OpusStep step;
            step.group = id;
            step.kind = CollectiveKind::ALL_REDUCE;
            step.bytes = 64;
            step.think = {NanoSeconds(100), NanoSeconds(300)};
            steps.push_back(step);
        }
        job.steps.assign(iterations, steps);
        return job;
    }

    /// Look at a controller now and every 10 ms, until the job has ended.
    static void Watch(Ptr<OpusController> controller, const OpusJobRun& run, Kept& kept)
    {
        kept.entries = std::max<uint64_t>(kept.entries, controller->GetLog()->GetEntries().size());
        kept.processed =
            controller->GetSnapshot().GetEntries() + controller->GetLog()->GetEntries().size();
        uint64_t bytes = 0;
        for (const auto& [peer, unconfirmed] : GetStreams(controller->GetSnapshot()))
        {
            bytes += unconfirmed.size();
        }
        kept.bytes = std::max(kept.bytes, bytes);
        if (!run.CheckEnded().empty())
        {
            ScheduleCall(MilliSeconds(10),
                         [controller, &run, &kept] { Watch(controller, run, kept); });
        }
    }

    Kept Run(uint32_t iterations)
    {
        const RandomJob job = MakeJob(iterations);
        RailClusterHelper helper;
        helper.SetDomains(job.domains, 1);
        helper.SetNic(2, DataRate("100Gbps"));
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(1)));
        const RailCluster cluster = helper.InstallPhotonic();
        OpusHelper opus;
        opus.SetControlLatency(MicroSeconds(1));
        opus.SetControllerAttribute("SnapshotEntries", UintegerValue(SNAPSHOT));
        opus.AddControllerCrash(Seconds(100000), Seconds(1));
        opus.Install(cluster);
        CollectiveHelper::Install(cluster);
        OpusJobRun run(job, 0, cluster, opus, "");
        run.Start();
        Kept kept;
        const auto controller = opus.GetController();
        ScheduleCall(TimeStep(1), [controller, &run, &kept] { Watch(controller, run, kept); });
        Simulator::Stop(Seconds(1000));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(run.CheckEnded(), "", iterations << " iterations");
        Simulator::Destroy();
        return kept;
    }

    void DoRun() override
    {
        const Kept few = Run(300);
        const Kept many = Run(3000);
        std::cout << many.processed << " entries, at most " << many.entries << " in the log and "
                  << many.bytes << " B of messages" << std::endl;
        NS_TEST_EXPECT_MSG_GT(many.processed, 9 * few.processed, "the job is longer");
        NS_TEST_EXPECT_MSG_GT(few.processed, 2 * SNAPSHOT, "the log is replaced");
        NS_TEST_EXPECT_MSG_LT(many.entries, SNAPSHOT, "the log is bounded");
        NS_TEST_EXPECT_MSG_LT(many.bytes, 2 * few.bytes + 1000, "and so are the messages");
    }
};

/** The test suite. */
class OpusSnapshotTestSuite : public TestSuite
{
  public:
    OpusSnapshotTestSuite()
        : TestSuite("photonic-rails-opus-snapshot", Type::SYSTEM)
    {
        AddTestCase(new RestartAtEveryEntryTestCase);
        AddTestCase(new SnapshotsChangeNothingTestCase);
        AddTestCase(new LongLogTestCase);
    }
};

OpusSnapshotTestSuite g_opusSnapshotTestSuite; //!< the instance

} // namespace
