// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Jobs whose controller crashes and whose control messages are lost.
 *
 * Covers model/opus/fault
 * Covers model/opus/controller
 */

#include "differential-case.h"
#include "lambda-call.h"
#include "network-time.h"
#include "picosecond-test-case.h"
#include "training-run.h"

#include "ns3/channel.h"
#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/ocs-agent.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-helper.h"
#include "ns3/pointer.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"
#include "ns3/training-recorder.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** A small job with a control plane drawn at random. */
class CrashScenario
{
  public:
    /** @param seed of the draw */
    explicit CrashScenario(uint32_t seed)
        : m_random(seed),
          m_seed(seed)
    {
        const std::vector<double> delays{0, 100, 1000, 15000};
        m_reconfiguration = delays[m_random() % delays.size()];
        m_latency = DrawBelow(3) == 0 ? Draw(100, 1000) : Draw(1, 100);
        m_policy = DrawBelow(3) == 0 ? "on-demand" : "provisioned";
        m_controllers = DrawBelow(4) == 0 ? "rails" : "one";
        m_service = DrawBelow(2) == 0 ? 0 : DrawBelow(50);
        DrawBelow(2) == 0 ? 0 : DrawBelow(50); // so that known seeds stay the same
        m_threads = 1 + DrawBelow(2);
    }

    /** @param below bound @return a number below it */
    uint32_t DrawBelow(uint32_t below)
    {
        return m_random() % below;
    }

    /** @return a number between two */
    double Draw(double from, double to)
    {
        return std::uniform_real_distribution<double>(from, to)(m_random);
    }

    /**
     * @param loss of frames
     * @param crash flag
     * @param standby whether there is one
     * @return the results of a run
     */
    RunSummary Run(double loss, const std::string& crash, bool standby = false) const
    {
        RngSeedManager::SetRun(m_seed + 1);
        const NetworkTimeOnly networkTime; // no draw that stands still, see faults.rst
        Config::SetDefault(CONTROLLER + "MessageTime", TimeValue(MicroSeconds(m_service)));
        Config::SetDefault(CONTROLLER + "Threads", UintegerValue(m_threads));
        const RunSummary summary =
            RunJob({"test",
                    "--model=debugmodel",
                    "--seqLen=256",
                    "--computeEfficiency=0.6",
                    "--hostRunAhead=none", // what hosts have announced is lost with a controller
                    "--iterations=2",
                    "--gpusPerDomain=2",
                    "--tp=2",
                    "--fsdp=2",
                    "--pp=2",
                    "--reconfigDelay=" + ToText(m_reconfiguration),
                    "--controlLatency=" + ToText(m_latency),
                    "--policy=" + m_policy,
                    "--fidelity=" + m_fidelity,
                    "--controllers=" + m_controllers,
                    "--controlLoss=" + std::to_string(loss),
                    "--controllerCrash=" + crash,
                    std::string("--standby=") + (standby ? "true" : "false")});
        Config::Reset();
        RngSeedManager::SetRun(1);
        return summary;
    }

    /** @param microseconds a time @return it as a flag */
    static std::string ToText(double microseconds)
    {
        return std::to_string(microseconds) + "us";
    }

    /** @return microseconds that all iterations took */
    static double GetTotal(const RunSummary& summary)
    {
        double sum = 0;
        for (const auto& iteration : summary.iterations)
        {
            sum += iteration.duration.GetSeconds() * 1e6;
        }
        return sum;
    }

    double m_reconfiguration; //!< microseconds
    double m_latency;         //!< microseconds
    std::string m_policy;
    std::string m_controllers;
    std::string m_fidelity{"burst"};
    uint32_t m_service; //!< of a message, microseconds

  private:
    const std::string CONTROLLER{"ns3::OpusController::"};
    uint32_t m_threads;
    std::mt19937 m_random;
    uint32_t m_seed;
};

/** The effects of a crash and lost frames on a job. */
class ControllerCrashTestCase : public TestCase
{
  public:
    /** @param name of the case @param seeds number of jobs */
    ControllerCrashTestCase(const std::string& name, uint32_t seeds)
        : TestCase(name),
          m_seeds(seeds)
    {
    }

  protected:
    /**
     * Check the invariants of all runs.
     * @param summary of a run
     * @param seed of the job
     * @param mayBeReplaced whether a living controller may have been replaced
     */
    void CheckComplete(const RunSummary& summary, uint32_t seed, bool mayBeReplaced = false)
    {
        NS_TEST_EXPECT_MSG_EQ(summary.CheckInvariants(), "", "seed " << seed);
        uint64_t reconfigurations = 0;
        for (const auto& iteration : summary.iterations)
        {
            reconfigurations += iteration.reconfigurations;
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(reconfigurations,
                                    summary.control.commands,
                                    "each command once at most; seed " << seed);
        // A command that is on its way, or lost, when its controller crashes is never executed.
        const bool mayBeLost = mayBeReplaced || summary.control.crashes > 0;
        NS_TEST_EXPECT_MSG_EQ((reconfigurations == summary.control.commands || mayBeLost),
                              true,
                              "each command; seed " << seed);
    }

    /**
     * @param scenario the job
     * @param summary of its run
     * @param restarts sum of the times until the log was read, in microseconds
     * @return for how long it had no controller, at most
     */
    static double GetOutage(const CrashScenario& scenario,
                            const RunSummary& summary,
                            double restarts)
    {
        const double down = summary.control.down.GetSeconds() * 1e6;
        return scenario.m_controllers == "one" ? down : down - restarts; // two at the same time
    }

    /**
     * A command or a grant may be lost with the controller, and takes its way again after the
     * outage. What comes at the same time then waits for each other: of each of the eight ranks
     * a request and a release, and reports of two switches.
     */
    static double GetRoundTrip(const CrashScenario& scenario)
    {
        const uint32_t service = scenario.m_service;
        return 2 * scenario.m_latency + SERIALIZATION + 18 * service;
    }

    /**
     * For how long a controller learns, at most: its question and the answers, and a switch that
     * was switching comes to rest.
     */
    static double GetLearning(const CrashScenario& scenario)
    {
        return GetRoundTrip(scenario) + scenario.m_reconfiguration;
    }

    static constexpr double SERIALIZATION = 20; //!< microseconds, at 10 Gbit/s 25 kB

    /** @return number of jobs to run */
    uint64_t CountJobs() const
    {
        return CountSeeds("crashes: " + GetName(), m_seeds);
    }

  private:
    const uint32_t m_seeds;
};

/** One crash at a random moment. */
class OneCrashTestCase : public ControllerCrashTestCase
{
  public:
    /** @param seeds number of jobs */
    explicit OneCrashTestCase(uint32_t seeds)
        : ControllerCrashTestCase("A crash costs no more than the outage and a round trip", seeds)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t seeds = CountJobs();
        uint32_t delayed = 0;
        uint32_t same = 0;
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            CrashScenario scenario(seed);
            const RunSummary quiet = scenario.Run(0, "900s"); // long after the end
            const double total = CrashScenario::GetTotal(quiet);
            const double at = scenario.Draw(1, total);
            const double restart = scenario.Draw(1, 20000);
            const RunSummary crashed =
                scenario.Run(0, CrashScenario::ToText(at) + "," + CrashScenario::ToText(restart));
            CheckComplete(crashed, seed);
            const double extra = CrashScenario::GetTotal(crashed) - total;
            const double outage = GetOutage(scenario, crashed, restart);
            // Another order of requests may cost ranks another phase, with its light.
            const double migration = scenario.m_reconfiguration + 2 * GetRoundTrip(scenario);
            NS_TEST_EXPECT_MSG_LT(extra,
                                  outage + GetRoundTrip(scenario) + migration,
                                  "seed " << seed << ", crash at " << at << " us of " << total);
            same += extra < outage + GetRoundTrip(scenario) ? 1 : 0;
            delayed += extra > outage / 2 ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_GT(delayed, seeds / 3, "they are felt");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(same, 9 * seeds / 10, "most jobs go the same way");
    }
};

/** The controller crashes again, also while it is down or learns. */
class TwoCrashesTestCase : public ControllerCrashTestCase
{
  public:
    /** @param seeds number of jobs */
    explicit TwoCrashesTestCase(uint32_t seeds)
        : ControllerCrashTestCase("A second crash, also before the controller is back", seeds)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t seeds = CountJobs();
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            CrashScenario scenario(10000 + seed);
            const double total = CrashScenario::GetTotal(scenario.Run(0, "900s"));
            const double at = scenario.Draw(1000, total);
            const double first = scenario.Draw(10, 5000);
            const double second = scenario.Draw(10, 5000);
            // While it is down, while it learns, or when it is back.
            const double again = seed % 3 == 0   ? scenario.Draw(at + 1, at + first)
                                 : seed % 3 == 1 ? at + first + 5
                                                 : at + first + scenario.Draw(1000, 50000);
            const RunSummary crashed = scenario.Run(
                0,
                CrashScenario::ToText(at) + "," + CrashScenario::ToText(first) + "," +
                    CrashScenario::ToText(again) + "," + CrashScenario::ToText(second));
            CheckComplete(crashed, seed);
            const double extra = CrashScenario::GetTotal(crashed) - total;
            const bool isOneOutage = seed % 3 < 2;
            const double away = isOneOutage ? again - at + second : first + second;
            NS_TEST_EXPECT_MSG_LT(extra,
                                  GetOutage(scenario, crashed, away) + 4 * GetRoundTrip(scenario) +
                                      scenario.m_reconfiguration,
                                  "seed " << seed);
            const double controllers = scenario.m_controllers == "one" ? 1 : 2;
            const double down = crashed.control.down.GetSeconds() * 1e6 / controllers;
            NS_TEST_EXPECT_MSG_GT(down, away - 0.01, "seed " << seed);
            NS_TEST_EXPECT_MSG_LT(down,
                                  away + (isOneOutage ? 1 : 2) * GetLearning(scenario),
                                  "it learns in less; seed " << seed);
        }
    }
};

/** Frames are lost, and the controller crashes in half of the jobs. */
class LossTestCase : public ControllerCrashTestCase
{
  public:
    /** @param seeds number of jobs */
    explicit LossTestCase(uint32_t seeds)
        : ControllerCrashTestCase("Frames are lost, and controllers crash", seeds)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t seeds = CountJobs();
        uint64_t repeated = 0;
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            CrashScenario scenario(20000 + seed);
            const double total = CrashScenario::GetTotal(scenario.Run(0, "900s"));
            const double loss = std::pow(10, scenario.Draw(-3, std::log10(0.3)));
            const double restart = scenario.Draw(1, 20000);
            const std::string crash = seed % 2 ? "900s"
                                               : CrashScenario::ToText(scenario.Draw(1, total)) +
                                                     "," + CrashScenario::ToText(restart);
            const RunSummary lossy = scenario.Run(loss, crash);
            CheckComplete(lossy, seed);
            // Any wait is for a frame that is repeated after a time-out, perhaps in vain.
            const double longest = 20 * std::max(1000.0, 4 * scenario.m_latency);
            const auto again = static_cast<double>(lossy.control.retransmissions);
            NS_TEST_EXPECT_MSG_LT(CrashScenario::GetTotal(lossy) - total,
                                  GetOutage(scenario, lossy, restart) + GetRoundTrip(scenario) +
                                      (again + 1) * longest,
                                  "seed " << seed);
            repeated += lossy.control.retransmissions;
            if (seed % 10 == 0)
            {
                const RunSummary same = scenario.Run(loss, crash);
                NS_TEST_EXPECT_MSG_EQ(CrashScenario::GetTotal(same),
                                      CrashScenario::GetTotal(lossy),
                                      "the same again; seed " << seed);
                NS_TEST_EXPECT_MSG_EQ(same.events, lossy.events, "seed " << seed);
            }
        }
        NS_TEST_EXPECT_MSG_GT(repeated, 10 * seeds, "frames are sent again");
    }
};

/** Packets and bursts. */
class DetailTestCase : public ControllerCrashTestCase
{
  public:
    /** @param seeds number of jobs */
    explicit DetailTestCase(uint32_t seeds)
        : ControllerCrashTestCase("Packets and bursts see the same crashes at the same times",
                                  seeds)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t seeds = CountJobs();
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            CrashScenario scenario(50000 + seed);
            const std::string crash = CrashScenario::ToText(scenario.Draw(500, 20000)) + ",2ms";
            const double loss = seed % 2 ? 0.05 : 0;
            const bool standby = seed % 3 == 0;
            const RunSummary bursts = scenario.Run(loss, crash, standby);
            scenario.m_fidelity = "packet";
            const RunSummary packets = scenario.Run(loss, crash, standby);
            NS_TEST_ASSERT_MSG_EQ(bursts.iterations.size(), packets.iterations.size(), seed);
            for (std::size_t i = 0; i < bursts.iterations.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(bursts.iterations[i].duration,
                                      packets.iterations[i].duration,
                                      "to the picosecond; seed " << seed);
            }
        }
    }
};

/** A standby takes over. */
class StandbyTestCase : public ControllerCrashTestCase
{
  public:
    /** @param seeds number of jobs */
    explicit StandbyTestCase(uint32_t seeds)
        : ControllerCrashTestCase("A standby takes over when the controller is silent", seeds)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t seeds = CountJobs();
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            CrashScenario scenario(30000 + seed);
            const RunSummary quiet = scenario.Run(0, "900s", true);
            const double total = CrashScenario::GetTotal(quiet);
            const double at = scenario.Draw(INTERVAL, std::max(total, 2 * INTERVAL));
            const bool isSilent = seed % 2 == 0;
            const double restart = isSilent ? 800e6 : scenario.Draw(1, INTERVAL);
            const RunSummary crashed =
                scenario.Run(0,
                             CrashScenario::ToText(at) + "," + CrashScenario::ToText(restart),
                             true);
            CheckComplete(crashed, seed);
            const uint32_t controllers = scenario.m_controllers == "one" ? 1 : 2;
            NS_TEST_EXPECT_MSG_EQ(quiet.control.takeovers, 0u, "seed " << seed);
            // Heartbeats end soon after the job.
            const uint32_t expected = at < total ? controllers : crashed.control.takeovers;
            NS_TEST_EXPECT_MSG_EQ(crashed.control.takeovers, expected, "seed " << seed);
            if (at >= total)
            {
                continue;
            }
            const double outage = crashed.control.down.GetSeconds() * 1e6 / controllers;
            // From the last heartbeat, which was sent at most an interval before the crash; also if
            // the node returns meanwhile, because it listens to heartbeats first.
            const double most = 3 * INTERVAL + scenario.m_latency + SERIALIZATION;
            NS_TEST_EXPECT_MSG_GT(outage, 2 * INTERVAL, "seed " << seed);
            NS_TEST_EXPECT_MSG_LT(outage, most + GetLearning(scenario), "seed " << seed);
            const double migration = scenario.m_reconfiguration + 2 * GetRoundTrip(scenario);
            NS_TEST_EXPECT_MSG_LT(CrashScenario::GetTotal(crashed) - total,
                                  most + GetLearning(scenario) + GetRoundTrip(scenario) + migration,
                                  "seed " << seed << ", crash at " << at << " us of " << total);
        }
    }

    static constexpr double INTERVAL = 10000; //!< of heartbeats, microseconds
};

/** Frames are lost on the way to the standby, too. */
class LossyStandbyTestCase : public ControllerCrashTestCase
{
  public:
    /** @param seeds number of jobs */
    explicit LossyStandbyTestCase(uint32_t seeds)
        : ControllerCrashTestCase(
              "Frames are lost, and standbys take over, also from a living controller",
              seeds)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t seeds = CountJobs();
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            CrashScenario scenario(40000 + seed);
            const double total = CrashScenario::GetTotal(scenario.Run(0, "900s", true));
            const std::string crash =
                seed % 2 ? "900s" : CrashScenario::ToText(scenario.Draw(1, total)) + ",800s";
            CheckComplete(scenario.Run(scenario.Draw(0.01, 0.3), crash, true), seed, true);
        }
    }
};

/** The network of the controller is cut for a while; it runs on and does not detect it. */
class FencingTestCase : public PicosecondTestCase
{
  public:
    FencingTestCase()
        : PicosecondTestCase("A controller that was cut off is refused when it comes back")
    {
    }

  private:
    /** @param device of the controller @param share of frames that it and its peer lose */
    static void Cut(Ptr<NetDevice> device, double share)
    {
        for (uint32_t end : {0, 1})
        {
            auto error = CreateObject<RateErrorModel>();
            error->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            error->SetRate(share);
            error->AssignStreams(1000 + end);
            device->GetChannel()->GetDevice(end)->SetAttribute("ReceiveErrorModel",
                                                               PointerValue(error));
        }
    }

    void DoRun() override
    {
        RailClusterHelper helper;
        helper.SetDomains(4, 2);
        helper.SetNic(2, DataRate("100Gbps"));
        RailCluster cluster = helper.InstallPhotonic();
        OpusHelper opus;
        opus.SetStandby();
        opus.Install(cluster);
        TrainingJobHelper job("debugmodel");
        job.SetParallelism({2, 2, 2}); // TP, FSDP and PP
        job.SetIterations(3);
        TrainingRecorder recorder(job.GetLayout(cluster));
        const auto ranks = job.Install(cluster);
        for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
        {
            recorder.Observe(DynamicCast<TrainingApplication>(ranks.Get(rank)));
        }
        const auto hasEnded = [&recorder] { return recorder.GetIterations().size() >= 3; };
        opus.StopHeartbeatsWhen(hasEnded);
        const Ptr<OpusController> first = opus.GetController();
        Ptr<NetDevice> device = first->GetNode()->GetDevice(0);
        ScheduleCall(MilliSeconds(55), [device] { Cut(device, 1); });
        ScheduleCall(MilliSeconds(155), [device] { Cut(device, 0); });
        Simulator::Stop(Seconds(1000));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(hasEnded(), true, "the job ends");
        const Ptr<OpusController> second = opus.GetControllers().front();
        NS_TEST_ASSERT_MSG_NE(first, second, "the standby has taken over");
        NS_TEST_EXPECT_MSG_EQ(first->GetCrashStats().leads, false, "and the first has learned it");
        NS_TEST_EXPECT_MSG_EQ(first->GetCrashStats().crashes, 0u, "though it never crashed");
        uint64_t carried = 0;
        uint64_t refused = 0;
        for (uint32_t rail = 0; rail < 2; ++rail)
        {
            carried += opus.GetAgent(rail)->GetCommands();
            refused += opus.GetAgent(rail)->GetForeign() + cluster.GetOcs(rail)->GetFramesLost();
        }
        const uint64_t before = first->GetStats().reconfigurations;
        const uint64_t after = second->GetStats().reconfigurations;
        // What the first commanded when it was cut off has got lost.
        NS_TEST_EXPECT_MSG_LT_OR_EQ(carried, before + after, "each command once at most");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(carried, after, "all of the second");
        NS_TEST_EXPECT_MSG_EQ(refused, 0u, "no light is lost");
        NS_TEST_EXPECT_MSG_GT(after, 0u, "the second went on");
        Simulator::Destroy();
    }
};

/** The test suite. */
class OpusCrashTestSuite : public TestSuite
{
  public:
    OpusCrashTestSuite()
        : TestSuite("photonic-rails-opus-crash", Type::UNIT)
    {
        AddTestCase(new OneCrashTestCase(200));
        AddTestCase(new TwoCrashesTestCase(40));
        AddTestCase(new LossTestCase(60));
        AddTestCase(new DetailTestCase(12));
        AddTestCase(new StandbyTestCase(40));
        AddTestCase(new LossyStandbyTestCase(40));
        AddTestCase(new FencingTestCase());
    }
};

OpusCrashTestSuite g_opusCrashTestSuite; //!< static registration

} // namespace
