// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * A pair of controllers of which either may crash and return.
 *
 * Covers model/opus/fault
 * Covers model/opus/controller
 */

#include "../random-search.h"
#include "differential-draw.h"
#include "training-run.h"

#include "ns3/test.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** A small job whose control plane has a standby. */
class ControllerPairTestCase : public TestCase
{
  public:
    /** @param name of the case */
    explicit ControllerPairTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /** @param flags crashes, and differing settings @return the results of a run */
    static RunSummary RunPair(const std::vector<std::string>& flags)
    {
        std::vector<std::string> all{"test",
                                     "--model=debugmodel",
                                     "--seqLen=256",
                                     "--iterations=8",
                                     "--gpusPerDomain=2",
                                     "--tp=2",
                                     "--fsdp=2",
                                     "--pp=2",
                                     "--policy=on-demand",
                                     "--standby=true"};
        all.insert(all.end(), flags.begin(), flags.end());
        return RunJob(all);
    }

    /** @return seconds that all iterations took */
    static double GetJobSeconds(const RunSummary& summary)
    {
        double sum = 0;
        for (const auto& iteration : summary.iterations)
        {
            sum += iteration.duration.GetSeconds();
        }
        return sum;
    }
};

/** The standby dies. */
class StandbyDiesTestCase : public ControllerPairTestCase
{
  public:
    StandbyDiesTestCase()
        : ControllerPairTestCase("The death of a standby costs nothing")
    {
    }

  private:
    void DoRun() override
    {
        const double quiet = GetJobSeconds(RunPair({}));
        for (const std::string at : {"1ms", "150ms", "333ms"})
        {
            const RunSummary dead = RunPair({"--standbyCrash=" + at + ",900s"});
            NS_TEST_EXPECT_MSG_EQ(dead.CheckInvariants(), "", at);
            NS_TEST_EXPECT_MSG_EQ(dead.control.takeovers, 0u, at);
            NS_TEST_EXPECT_MSG_EQ(dead.control.down.GetSeconds(), 0, "it was never away; " << at);
            NS_TEST_EXPECT_MSG_EQ(GetJobSeconds(dead), quiet, at);
        }
    }
};

/** The first controller comes back, and takes over again. */
class FirstReturnsTestCase : public ControllerPairTestCase
{
  public:
    FirstReturnsTestCase()
        : ControllerPairTestCase("The first controller returns as a standby, and takes over again")
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary twice =
            RunPair({"--controllerCrash=50ms,20ms", "--standbyCrash=200ms,900s"});
        NS_TEST_EXPECT_MSG_EQ(twice.CheckInvariants(), "", "both crash");
        NS_TEST_EXPECT_MSG_EQ(twice.control.crashes, 2u, "each was active when it crashed");
        NS_TEST_EXPECT_MSG_EQ(twice.control.takeovers, 2u, "each took over from the other");
        // Silence of three intervals, each time; then two round trips, and a switch to its rest.
        NS_TEST_EXPECT_MSG_LT(twice.control.down.GetSeconds(), 0.1, "two outages");
        NS_TEST_EXPECT_MSG_GT(twice.control.down.GetSeconds(), 0.040, "two outages");

        const RunSummary thrice = RunPair(
            {"--controllerCrash=50ms,20ms,350ms,20ms", "--standbyCrash=200ms,20ms,450ms,20ms"});
        NS_TEST_EXPECT_MSG_EQ(thrice.CheckInvariants(), "", "in turn");
        NS_TEST_EXPECT_MSG_EQ(thrice.control.crashes, 4u, "in turn");
        NS_TEST_EXPECT_MSG_EQ(thrice.control.takeovers, 4u, "in turn");
    }
};

/** Crashes of both at random moments. */
class RandomPairTestCase : public ControllerPairTestCase
{
  public:
    RandomPairTestCase()
        : ControllerPairTestCase("Both nodes of a pair crash at random moments and return")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t seeds = CountSeeds("pairs", 200);
        ControlShare sum;
        for (uint64_t seed = 0; seed < seeds; ++seed)
        {
            Draw draw(seed);
            const auto drawCrashes = [&draw] {
                std::string text;
                uint64_t at = 0;
                for (uint64_t count = draw.Between(1, 3); count > 0; --count)
                {
                    at += draw.Between(1000, 200000);
                    text += (text.empty() ? "" : ",") + std::to_string(at) + "us," +
                            std::to_string(draw.Scaled(10, draw.Chance(20) ? 1000000 : 150000)) +
                            "us";
                }
                return text;
            };
            const std::string crashes = drawCrashes();
            const std::string standbyCrashes = drawCrashes();
            const std::string loss = draw.Chance(30) ? "0.02" : "0";
            const RunSummary run = RunPair({"--controllerCrash=" + crashes,
                                            "--standbyCrash=" + standbyCrashes,
                                            "--controlLoss=" + loss});
            NS_TEST_EXPECT_MSG_EQ(run.CheckInvariants(),
                                  "",
                                  "seed " << seed << ": " << crashes << " and " << standbyCrashes);
            sum.Add(run.control);
        }
        std::cout << sum.crashes << " crashes, " << sum.takeovers << " takeovers" << std::endl;
        NS_TEST_EXPECT_MSG_GT(sum.takeovers, seeds, "controllers take over");
    }
};

/** The test suite. */
class OpusPairTestSuite : public TestSuite
{
  public:
    OpusPairTestSuite()
        : TestSuite("photonic-rails-opus-pair", Type::UNIT)
    {
        AddTestCase(new StandbyDiesTestCase);
        AddTestCase(new FirstReturnsTestCase);
        AddTestCase(new RandomPairTestCase);
    }
};

OpusPairTestSuite g_opusPairTestSuite; //!< static registration

} // namespace
