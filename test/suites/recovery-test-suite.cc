// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Small jobs of which GPUs are lost: they go on with spares from the last iteration that all ranks
 * have ended, and as fast as before, or say clearly why they cannot.
 *
 * Covers model/opus/recovery
 * Covers helper/recovery
 */

#include "differential-case.h"
#include "training-run.h"

#include "ns3/random-variable-stream.h"
#include "ns3/test.h"
#include "ns3/training-recorder.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

constexpr uint32_t RECOVERY_ITERATIONS = 6;
const Time RECOVERY_DETECTION = MicroSeconds(300);
const Time ABORT = MicroSeconds(200);
const Time PROCESS = MicroSeconds(500);
const Time COMMUNICATOR = MicroSeconds(100);
/// Messages take some 10 us each, and the state of a tiny model some us.
const Time RECOVERY_SLACK = MicroSeconds(300);

/// @return flags of the job: the shape of the default job, about 3 ms an iteration
std::vector<std::string>
RecoveryFlags(const std::vector<std::string>& extra)
{
    std::vector<std::string> flags = SmallJob({"--iterations=6",
                                               "--reconfigDelay=10us",
                                               "--detectionTime=300us",
                                               "--selectionTime=100us",
                                               "--abortTime=200us",
                                               "--processTime=500us",
                                               "--communicatorTime=100us"});
    flags.insert(flags.end(), extra.begin(), extra.end());
    return flags;
}

/// @return the iterations, one by one, and the losses: equal for equal runs
std::string
RecoveryToText(const RunSummary& summary)
{
    std::string text = std::to_string(summary.packetsLostAtOcs) + " lost,";
    for (const auto& iteration : summary.iterations)
    {
        text += " " + std::to_string(iteration.duration.GetPicoSeconds());
    }
    for (const auto& recovery : summary.recoveries)
    {
        text += " " + std::to_string(recovery.resumed.GetPicoSeconds());
    }
    return text + " " + summary.failure;
}

/// @return the time from the begin to the end of the last iteration
Time
GetRecoveryDuration(const RunSummary& summary)
{
    Time sum;
    for (const auto& iteration : summary.iterations)
    {
        sum += iteration.duration;
    }
    return sum;
}

/// One GPU is lost at a random moment.
class OneLossTestCase : public TestCase
{
  public:
    OneLossTestCase()
        : TestCase("one GPU is lost at random moments, and a spare of its domain takes the rank")
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary before = RunJob(RecoveryFlags({}));
        const Time whole = GetRecoveryDuration(before);
        Time longest;
        for (const auto& iteration : before.iterations)
        {
            longest = std::max(longest, iteration.duration);
        }
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(1);
        const uint64_t seeds = CountSeeds("recovery", 12);
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const uint32_t gpu = random->GetInteger(0, 15);
            const auto last = static_cast<uint32_t>(whole.GetNanoSeconds() * 9 / 10);
            const std::string fault = "--fault=gpu:" + std::to_string(gpu) + "@" +
                                      std::to_string(random->GetInteger(0, last)) + "ns";
            const RunSummary summary = RunJob(RecoveryFlags({"--spareGpus=1", fault}));
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault);
            NS_TEST_ASSERT_MSG_EQ(summary.iterations.size(), RECOVERY_ITERATIONS, fault);
            NS_TEST_ASSERT_MSG_EQ(summary.recoveries.size(), 1u, fault);
            NS_TEST_ASSERT_MSG_EQ(summary.packetsLostAtOcs, 0u, fault);
            const RunRecovery& recovery = summary.recoveries[0];
            CheckSteps(recovery, gpu, fault);
            // Iterations that all ranks have ended are not done again.
            NS_TEST_ASSERT_MSG_LT_OR_EQ(recovery.lostWork, longest + MicroSeconds(20), fault);
            // No more time is lost than that and the repeated work.
            NS_TEST_ASSERT_MSG_LT_OR_EQ(GetRecoveryDuration(summary),
                                        whole + recovery.lostWork +
                                            (recovery.resumed - recovery.lost) + MilliSeconds(2),
                                        fault);
            NS_TEST_ASSERT_MSG_GT(GetRecoveryDuration(summary),
                                  whole + recovery.resumed - recovery.lost,
                                  fault);
        }
    }

    void CheckSteps(const RunRecovery& recovery, uint32_t gpu, const std::string& fault)
    {
        NS_TEST_ASSERT_MSG_EQ(recovery.gpus.size(), 1u, fault);
        NS_TEST_ASSERT_MSG_EQ(recovery.gpus[0], gpu, fault);
        NS_TEST_ASSERT_MSG_EQ(recovery.attempts, 1u, fault);
        NS_TEST_ASSERT_MSG_EQ(recovery.sparesLeft, 3u, fault);
        NS_TEST_ASSERT_MSG_GT(recovery.detected, recovery.lost + RECOVERY_DETECTION, fault);
        NS_TEST_ASSERT_MSG_LT(recovery.detected,
                              recovery.lost + RECOVERY_DETECTION + RECOVERY_SLACK,
                              fault);
        NS_TEST_ASSERT_MSG_GT(recovery.stopped, recovery.detected + ABORT, fault);
        NS_TEST_ASSERT_MSG_LT(recovery.stopped, recovery.detected + ABORT + RECOVERY_SLACK, fault);
        NS_TEST_ASSERT_MSG_GT(recovery.replaced, recovery.stopped, fault);
        NS_TEST_ASSERT_MSG_GT(recovery.ready, recovery.replaced + PROCESS + COMMUNICATOR, fault);
        NS_TEST_ASSERT_MSG_LT(recovery.ready,
                              recovery.replaced + PROCESS + int64_t{5} * COMMUNICATOR +
                                  RECOVERY_SLACK,
                              fault);
        NS_TEST_ASSERT_MSG_GT(recovery.resumed, recovery.ready, fault);
    }
};

/// On a spare, iterations take as long as before.
class RecoveryAfterwardsTestCase : public TestCase
{
  public:
    RecoveryAfterwardsTestCase()
        : TestCase("iterations after a recovery take as long as before")
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary before = RunJob(RecoveryFlags({"--iterations=10"}));
        for (const char* gpu : {"0", "7", "10"})
        {
            const std::string fault = std::string("--fault=gpu:") + gpu + "@4ms";
            const RunSummary summary =
                RunJob(RecoveryFlags({"--iterations=10", "--spareGpus=1", fault}));
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault);
            for (std::size_t i = 6; i < 10; ++i)
            {
                // To the microsecond: ranks go on when they are told, one host after the other.
                NS_TEST_ASSERT_MSG_EQ_TOL(summary.iterations[i].duration,
                                          before.iterations[i].duration,
                                          MicroSeconds(1),
                                          fault << ", iteration " << i);
            }
        }
    }
};

/// An iteration that is begun twice counts once.
class RepeatedIterationTestCase : public TestCase
{
  public:
    RepeatedIterationTestCase()
        : TestCase("what ranks call in an iteration that they repeat is counted once")
    {
    }

  private:
    /// @return volumes and phases of the last iteration, in words
    static std::string Describe(const RunSummary& summary)
    {
        std::ostringstream text;
        WriteVolumes(text, "rank 0", summary.collectives);
        for (const auto& stage : summary.phases)
        {
            for (const auto& phase : stage)
            {
                text << phase.ToText() << "\n";
            }
        }
        return text.str();
    }

    void DoRun() override
    {
        const RunSummary before = RunJob(RecoveryFlags({"--iterations=3"}));
        const RunSummary summary =
            RunJob(RecoveryFlags({"--iterations=3", "--spareGpus=1", "--fault=gpu:5@7400us"}));
        NS_TEST_ASSERT_MSG_EQ(summary.recoveries.size(), 1u, "it recovers");
        NS_TEST_ASSERT_MSG_EQ(summary.recoveries[0].iteration, 2u, "in the last iteration");
        NS_TEST_ASSERT_MSG_EQ(summary.iterations.size(), 3u, "it ends");
        NS_TEST_EXPECT_MSG_EQ(summary.phases.empty(), false, "phases");
        NS_TEST_EXPECT_MSG_EQ(Describe(summary), Describe(before), "the last iteration");
        NS_TEST_EXPECT_MSG_EQ(summary.windows[0].size(), before.windows[0].size(), "windows");
    }
};

/// Packet by packet, and once more: the same to the picosecond.
class RecoveryDeterminismTestCase : public TestCase
{
  public:
    RecoveryDeterminismTestCase()
        : TestCase("bursts and packets recover at the same times")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* fault : {"--fault=gpu:3@4321us", "--fault=gpu:12@100us,gpu:2@9ms"})
        {
            const RunSummary bursts = RunJob(RecoveryFlags({"--spareGpus=1", fault}));
            const RunSummary packets =
                RunJob(RecoveryFlags({"--spareGpus=1", fault, "--fidelity=packet"}));
            NS_TEST_ASSERT_MSG_EQ(RecoveryToText(bursts), RecoveryToText(packets), fault);
            NS_TEST_ASSERT_MSG_EQ(RecoveryToText(bursts),
                                  RecoveryToText(RunJob(RecoveryFlags({"--spareGpus=1", fault}))),
                                  fault);
        }
    }
};

/// Several GPUs are lost, spares among them, and while the job recovers.
class SeveralLossesTestCase : public TestCase
{
  public:
    SeveralLossesTestCase()
        : TestCase("several GPUs are lost, one after the other and at once")
    {
    }

  private:
    /// The lost component, the number of recoveries, and the number of attempts in all.
    struct Case
    {
        const char* faults;
        const char* spares;
        uint32_t recoveries;
        uint32_t attempts;
    };

    void DoRun() override
    {
        const std::vector<Case> cases{
            {"gpu:0@2ms,gpu:5@9ms", "--spareGpus=1", 2, 2},
            {"gpu:0@2ms,gpu:1@9ms,gpu:2@16ms", "--spareGpus=3", 3, 3},
            {"gpu:4@3ms,gpu:9@3ms", "--spareGpus=1", 1, 2},     // both at once
            {"gpu:4@3ms,gpu:9@3500us", "--spareGpus=1", 1, 2},  // while GPUs stop
            {"gpu:4@3ms,gpu:9@3900us", "--spareGpus=1", 1, 2},  // while they begin again
            {"gpu:4@3ms,gpu:18@3900us", "--spareGpus=2", 1, 2}, // the spare that is chosen
            {"gpu:4@3ms,gpu:18@9ms", "--spareGpus=2", 2, 2},    // the spare when it runs
            {"gpu:16@1ms,gpu:0@3ms", "--spareGpus=2", 1, 1},    // an idle spare before
            {"gpu:0@10us", "--spareGpus=1", 1, 1},              // in the first iteration
            {"gpu:0@0s,gpu:5@0s,gpu:10@0s,gpu:15@0s", "--spareGpus=1", 1, 4},
        };
        for (const Case& one : cases)
        {
            const std::string fault = std::string("--fault=") + one.faults;
            const RunSummary summary = RunJob(RecoveryFlags({one.spares, fault}));
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault);
            NS_TEST_ASSERT_MSG_EQ(summary.iterations.size(), RECOVERY_ITERATIONS, fault);
            NS_TEST_ASSERT_MSG_EQ(summary.recoveries.size(), one.recoveries, fault);
            NS_TEST_ASSERT_MSG_EQ(summary.packetsLostAtOcs, 0u, fault);
            uint32_t attempts = 0;
            for (const auto& recovery : summary.recoveries)
            {
                attempts += recovery.attempts;
            }
            NS_TEST_ASSERT_MSG_EQ(attempts, one.attempts, fault);
        }
    }
};

/// A second loss during a recovery repeats no more iterations than the first.
class AnotherLossTestCase : public TestCase
{
  public:
    AnotherLossTestCase()
        : TestCase("a job goes on with the same iteration if one more GPU is lost meanwhile")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::vector<std::string>> runs{
            {"--spareGpus=2", "gpu:16@7ms", "gpu:16@7400us", "gpu:16@7800us", "gpu:5@7ms"},
            {"--spareDomains=2", "gpu:16@7ms", "gpu:16@7400us", "gpu:16@7800us", "gpu:2@7ms"},
            {"--recovery=migration", "gpu:2@7ms", "gpu:2@7300us", "gpu:16@7800us"}};
        for (const auto& run : runs)
        {
            std::vector<std::string> flags = RecoveryFlags({run[0]});
            if (run[0] == "--recovery=migration")
            {
                flags.emplace_back("--spareDomains=8");
            }
            flags.emplace_back("--fault=gpu:0@7ms");
            const RunSummary one = RunJob(flags);
            NS_TEST_ASSERT_MSG_EQ(one.recoveries.size(), 1u, run[0]);
            NS_TEST_ASSERT_MSG_GT(one.recoveries[0].iteration, 0u, run[0]);
            for (std::size_t i = 1; i < run.size(); ++i)
            {
                flags.back() = "--fault=gpu:0@7ms," + run[i];
                const RunSummary two = RunJob(flags);
                NS_TEST_ASSERT_MSG_EQ(two.CheckInvariants(), "", flags.back());
                NS_TEST_ASSERT_MSG_EQ(two.recoveries.size(), 1u, flags.back());
                NS_TEST_ASSERT_MSG_EQ(two.recoveries[0].iteration,
                                      one.recoveries[0].iteration,
                                      run[0] << flags.back());
            }
        }
    }
};

/// Without a spare the job ends with a line that gives the reason.
class NoSpareTestCase : public TestCase
{
  public:
    NoSpareTestCase()
        : TestCase("no spare is left")
    {
    }

  private:
    void DoRun() override
    {
        const std::string fault = "--fault=gpu:0@2ms,gpu:3@9ms";
        const RunSummary summary = RunJob(RecoveryFlags({"--spareGpus=1", fault}));
        NS_TEST_ASSERT_MSG_EQ(summary.recoveries.size(), 1u, "the first is replaced");
        const std::string why = "GPU 3 has left and no spare is left in scale-up domain 0";
        NS_TEST_ASSERT_MSG_NE(summary.failure.find(why), std::string::npos, summary.failure);
        NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), summary.failure, "it is an error");
        const RunSummary moved = RunJob(RecoveryFlags(
            {"--spareDomains=4", "--recovery=migration", "--fault=gpu:0@2ms,gpu:20@9ms"}));
        const std::string idle = "GPU 20 has left and no rack of 4 idle scale-up domains";
        NS_TEST_ASSERT_MSG_NE(moved.failure.find(idle), std::string::npos, moved.failure);
    }
};

/// Spares elsewhere, on all fabrics.
class RecoveryElsewhereTestCase : public TestCase
{
  public:
    RecoveryElsewhereTestCase()
        : TestCase("spares in other domains and migration, on photonic and electrical fabrics")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* fabric : {"photonic", "electrical", "leaf-spine", "fat-tree"})
        {
            const std::string flag = std::string("--fabric=") + fabric;
            for (const char* spares : {"--recovery=rail", "--recovery=migration"})
            {
                const RunSummary summary =
                    RunJob(RecoveryFlags({flag, spares, "--spareDomains=4", "--fault=gpu:6@4ms"}));
                NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", flag << spares);
                NS_TEST_ASSERT_MSG_EQ(summary.recoveries.size(), 1u, flag << spares);
                NS_TEST_ASSERT_MSG_EQ(summary.iterations.size(),
                                      RECOVERY_ITERATIONS,
                                      flag << spares);
            }
        }
    }
};

/// Ranks inside a domain talk to the spare over its network.
class RecoveryScaleUpTestCase : public TestCase
{
  public:
    RecoveryScaleUpTestCase()
        : TestCase("a spare has a port on the network of its domain")
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary summary =
            RunJob(RecoveryFlags({"--scaleUp=a100", "--spareGpus=1", "--fault=gpu:5@4ms"}));
        NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", "the job goes on");
        NS_TEST_ASSERT_MSG_EQ(summary.recoveries.size(), 1u, "it recovers");
        NS_TEST_ASSERT_MSG_GT(summary.scaleUp.bytesPosted, 0u, "the network is used");
        // A spare of another domain is not on that network.
        const std::string error =
            CheckJob(RecoveryFlags({"--scaleUp=a100", "--spareDomains=1", "--fault=gpu:5@4ms"}));
        NS_TEST_ASSERT_MSG_EQ(error.find("--recovery=rail: "), 0u, error);
        NS_TEST_ASSERT_MSG_EQ(CheckJob(RecoveryFlags({"--scaleUp=a100",
                                                      "--spareDomains=1",
                                                      "--recovery=migration",
                                                      "--fault=gpu:5@4ms"})),
                              "",
                              "a whole domain can move");
    }
};

/// Recovery with a controller that may be down, and ports that break meanwhile.
class RecoveryControlTestCase : public TestCase
{
  public:
    RecoveryControlTestCase()
        : TestCase("a job recovers while its controller is away or replaced, and ports break")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::vector<std::string>> runs{
            {"--standby", "--controllerCrash=1ms", "--fault=gpu:5@60ms", "--iterations=30"},
            {"--controllerCrash=1ms,1100ms", "--fault=gpu:5@3ms"},
            {"--controllerCrash=1ms,1100ms", "--spareDomains=4", "--fault=gpu:5@3ms"},
            {"--fault=gpu:2@2ms,nic-port:3/1@2400us"},
            {"--fault=gpu:2@2ms,nic-port:6/0@2600us,nic-port:10/1@3ms"},
            {"--fault=gpu:2@2ms,shim:3@2100us+5ms,nic-port:3/1@2200us"}};
        for (const auto& run : runs)
        {
            std::vector<std::string> flags = RecoveryFlags(run);
            if (run.size() < 3 || run[1] != "--spareDomains=4")
            {
                flags.emplace_back("--spareGpus=1");
            }
            const RunSummary summary = RunJob(flags);
            const std::string& what = run.front();
            NS_TEST_ASSERT_MSG_EQ(summary.failure, "", what);
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", what);
            NS_TEST_ASSERT_MSG_EQ(summary.recoveries.size(), 1u, what);
        }
    }
};

class RecoveryTestSuite : public TestSuite
{
  public:
    RecoveryTestSuite()
        : TestSuite("photonic-rails-recovery", Type::SYSTEM)
    {
        AddTestCase(new OneLossTestCase);
        AddTestCase(new RecoveryAfterwardsTestCase);
        AddTestCase(new RepeatedIterationTestCase);
        AddTestCase(new RecoveryDeterminismTestCase);
        AddTestCase(new SeveralLossesTestCase);
        AddTestCase(new AnotherLossTestCase);
        AddTestCase(new NoSpareTestCase);
        AddTestCase(new RecoveryElsewhereTestCase);
        AddTestCase(new RecoveryScaleUpTestCase);
        AddTestCase(new RecoveryControlTestCase);
    }
};

RecoveryTestSuite g_recoveryTestSuite;

} // namespace
