// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Jobs whose controller crashes and whose control messages are lost.
 */

#include "training-run.h"

#include "ns3/config.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"
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
        m_writing = DrawBelow(2) == 0 ? 0 : DrawBelow(50);
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

    /** @param loss of frames @param crash flag @return what a run has shown */
    RunSummary Run(double loss, const std::string& crash) const
    {
        RngSeedManager::SetRun(m_seed + 1);
        Config::SetDefault(CONTROLLER + "MessageTime", TimeValue(MicroSeconds(m_service)));
        Config::SetDefault(CONTROLLER + "LogWriteTime", TimeValue(MicroSeconds(m_writing)));
        Config::SetDefault(CONTROLLER + "Threads", UintegerValue(m_threads));
        const RunSummary summary = RunJob({"test",
                                           "--model=debugmodel",
                                           "--seqLen=256",
                                           "--iterations=2",
                                           "--gpusPerDomain=2",
                                           "--tp=2",
                                           "--fsdp=2",
                                           "--pp=2",
                                           "--reconfigDelay=" + ToText(m_reconfiguration),
                                           "--controlLatency=" + ToText(m_latency),
                                           "--policy=" + m_policy,
                                           "--controllers=" + m_controllers,
                                           "--controlLoss=" + std::to_string(loss),
                                           "--controllerCrash=" + crash});
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
    uint32_t m_service; //!< of a message, microseconds
    uint32_t m_writing; //!< of an entry, microseconds

  private:
    const std::string CONTROLLER{"ns3::OpusController::"};
    uint32_t m_threads;
    std::mt19937 m_random;
    uint32_t m_seed;
};

/** What a crash and lost frames may do to a job. */
class CrashTestCase : public TestCase
{
  public:
    /** @param name what is tested @param seeds how many jobs */
    CrashTestCase(const std::string& name, uint32_t seeds)
        : TestCase(name),
          m_seeds(seeds)
    {
    }

  protected:
    /** Check what holds in any case. @param summary of a run @param seed of the job */
    void CheckComplete(const RunSummary& summary, uint32_t seed)
    {
        NS_TEST_EXPECT_MSG_EQ(summary.CheckInvariants(), "", "seed " << seed);
        uint64_t reconfigurations = 0;
        for (const auto& iteration : summary.iterations)
        {
            reconfigurations += iteration.reconfigurations;
        }
        NS_TEST_EXPECT_MSG_EQ(reconfigurations,
                              summary.control.commands,
                              "each command once; seed " << seed);
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
     * What arrives while there is no controller is sent again when it makes itself known, a
     * latency after the outage, and is there after another one; and what it says itself waits for
     * an answer for as long. What comes at the same time then waits for each other: of each of the
     * eight ranks a request and a release, and reports of two switches.
     */
    static double GetRoundTrip(const CrashScenario& scenario)
    {
        const uint32_t service = scenario.m_service + scenario.m_writing;
        return 2 * scenario.m_latency + SERIALIZATION + 18 * service;
    }

    static constexpr double SERIALIZATION = 20; //!< microseconds, at 10 Gbit/s 25 kB

    const uint32_t m_seeds;
};

/** One crash at a random moment. */
class OneCrashTestCase : public CrashTestCase
{
  public:
    /** @param seeds how many jobs */
    explicit OneCrashTestCase(uint32_t seeds)
        : CrashTestCase("A crash costs no more than the outage and a round trip", seeds)
    {
    }

  private:
    void DoRun() override
    {
        uint32_t delayed = 0;
        uint32_t same = 0;
        for (uint32_t seed = 0; seed < m_seeds; ++seed)
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
            const bool isSame = crashed.control.requests == quiet.control.requests;
            const double detour =
                isSame ? 0 : scenario.m_reconfiguration + 2 * GetRoundTrip(scenario);
            NS_TEST_EXPECT_MSG_LT(extra,
                                  outage + GetRoundTrip(scenario) + detour,
                                  "seed " << seed << ", crash at " << at << " us of " << total);
            same += isSame ? 1 : 0;
            delayed += extra > outage / 2 ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_GT(delayed, m_seeds / 3, "they are felt");
        NS_TEST_EXPECT_MSG_GT(same, 9 * m_seeds / 10, "most jobs go the same way");
    }
};

/** The controller crashes again, also while it is down or reads its log. */
class TwoCrashesTestCase : public CrashTestCase
{
  public:
    /** @param seeds how many jobs */
    explicit TwoCrashesTestCase(uint32_t seeds)
        : CrashTestCase("A second crash, also before the controller is back", seeds)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 0; seed < m_seeds; ++seed)
        {
            CrashScenario scenario(10000 + seed);
            const double total = CrashScenario::GetTotal(scenario.Run(0, "900s"));
            const double at = scenario.Draw(1000, total);
            const double first = scenario.Draw(10, 5000);
            const double second = scenario.Draw(10, 5000);
            // While it is down, while it reads a log of dozens of entries, or when it is back.
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
                                  GetOutage(scenario, crashed, away) + 2 * GetRoundTrip(scenario),
                                  "seed " << seed);
            const double controllers = scenario.m_controllers == "one" ? 1 : 2;
            const double down = crashed.control.down.GetSeconds() * 1e6 / controllers;
            NS_TEST_EXPECT_MSG_GT(down, away - 0.01, "seed " << seed);
            NS_TEST_EXPECT_MSG_LT(down, away + 1000, "a log is read in less; seed " << seed);
        }
    }
};

/** Frames are lost, and the controller crashes in half of the jobs. */
class LossTestCase : public CrashTestCase
{
  public:
    /** @param seeds how many jobs */
    explicit LossTestCase(uint32_t seeds)
        : CrashTestCase("Frames are lost, and controllers crash", seeds)
    {
    }

  private:
    void DoRun() override
    {
        uint64_t repeated = 0;
        for (uint32_t seed = 0; seed < m_seeds; ++seed)
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
            // Whoever waits waits for a frame that is sent again after a time-out, in vain or not.
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
        NS_TEST_EXPECT_MSG_GT(repeated, 10 * m_seeds, "frames are sent again");
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
    }
};

OpusCrashTestSuite g_opusCrashTestSuite; //!< static registration

} // namespace
