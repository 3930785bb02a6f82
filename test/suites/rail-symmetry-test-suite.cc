// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * One rail that stands for all: its summary is that of the whole job, and rails that are controlled
 * by themselves do everything at the same instant.
 */

#include "picosecond-test-case.h"
#include "training-run.h"

#include "ns3/opus-controller.h"
#include "ns3/opus-helper.h"
#include "ns3/test.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** A job is simulated as a whole, and one of its rails. */
class SymmetryTestCase : public PicosecondTestCase
{
  public:
    /** @param flags of the job */
    explicit SymmetryTestCase(const std::string& flags)
        : PicosecondTestCase("One rail shows what all do: " + flags),
          m_flags(flags)
    {
    }

  private:
    /** @param extra a flag @return what a run has shown */
    RunSummary RunJob(const std::string& extra) const
    {
        std::vector<std::string> flags{"test", "--model=debugmodel", "--seqLen=256", extra};
        std::istringstream text(m_flags);
        for (std::string flag; text >> flag;)
        {
            flags.push_back(flag);
        }
        return test::RunJob(flags);
    }

    /** @param summary of a run @return all that both runs shall agree on */
    static std::string ToText(RunSummary summary)
    {
        summary.railsPerRun = 1;
        summary.events = 0;
        summary.wallSeconds = 1;
        summary.peakRssBytes = 0;
        summary.processes.clear();
        std::ostringstream text;
        summary.WriteJson(text);
        for (const auto& iteration : summary.iterations)
        {
            text << iteration.duration.GetPicoSeconds() << " ";
        }
        return text.str();
    }

    void DoRun() override
    {
        const RunSummary whole = RunJob("--symmetry=none");
        const RunSummary one = RunJob("--symmetry=rails");
        NS_TEST_EXPECT_MSG_EQ(whole.CheckInvariants(), "", "an invariant does not hold");
        NS_TEST_EXPECT_MSG_GT(whole.rails.packetsSent, 0u, "nothing was sent");
        NS_TEST_EXPECT_MSG_EQ(ToText(one), ToText(whole), "the summaries differ");
        NS_TEST_EXPECT_MSG_EQ(one.events * one.railsPerRun, whole.events, "events of each rail");
    }

    std::string m_flags;
};

/** When ranks end iterations, with one controller and with one for each rail. */
class ControllersTestCase : public PicosecondTestCase
{
  public:
    ControllersTestCase()
        : PicosecondTestCase("Rails with controllers of their own do the same at the same instant")
    {
    }

  private:
    using Ends = std::map<std::pair<uint32_t, uint32_t>, Time>; //!< by iteration and rank

    /** A rank has ended an iteration. */
    static void Ended(Ends* ends, uint32_t rank, uint32_t iteration)
    {
        (*ends)[{iteration, rank}] = Simulator::Now();
    }

    /** @param perRail a controller for each rail @return largest difference inside a domain */
    Time GetSpread(bool perRail)
    {
        RailClusterHelper cluster;
        cluster.SetDomains(4, RAILS);
        const RailCluster rails = cluster.InstallPhotonic();
        OpusHelper opus;
        opus.SetControllerPerRail(perRail);
        opus.Install(rails);
        NS_TEST_EXPECT_MSG_EQ((opus.GetController(0) == opus.GetController(1)),
                              !perRail,
                              "controllers");
        TrainingJobHelper job("debugmodel");
        ParallelismSpec parallelism{RAILS, 2, 2};
        parallelism.seqLen = 256;
        parallelism.microBatches = 2;
        job.SetParallelism(parallelism);
        job.SetIterations(2);
        const ApplicationContainer ranks = job.Install(rails);
        Ends ends;
        for (uint32_t i = 0; i < ranks.GetN(); ++i)
        {
            ranks.Get(i)->TraceConnectWithoutContext(
                "IterationEnd",
                MakeBoundCallback(&ControllersTestCase::Ended, &ends));
        }
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(ends.size(), 2u * ranks.GetN(), "all end");
        Time spread;
        for (const auto& [key, end] : ends)
        {
            const Time first = ends.at({key.first, key.second - key.second % RAILS});
            spread = std::max(spread, Abs(end - first));
        }
        return spread;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(GetSpread(true), Time(0), "each rail by itself");
        const Time together = GetSpread(false);
        NS_TEST_EXPECT_MSG_GT(together, Time(0), "commands leave one after the other");
        NS_TEST_EXPECT_MSG_LT(together, MicroSeconds(10), "but not for long");
    }

    static constexpr uint32_t RAILS = 4;
};

/**
 * @ingroup tests
 * Rails that are alike.
 */
class RailSymmetryTestSuite : public TestSuite
{
  public:
    RailSymmetryTestSuite()
        : TestSuite("photonic-rails-rail-symmetry", Type::SYSTEM)
    {
        const std::string photonic = "--controllers=rails --gpusPerDomain=4 --tp=4 ";
        AddTestCase(new SymmetryTestCase(photonic + "--fsdp=2 --pp=2 --iterations=3"));
        AddTestCase(new SymmetryTestCase(photonic + "--fsdp=2 --pp=2 --policy=on-demand "
                                                    "--iterations=2 --ocs=plzt --portRate=50Gbps"));
        AddTestCase(new SymmetryTestCase(photonic +
                                         "--fsdp=2 --dpReplicate=2 --pp=2 --microBatches=4 "
                                         "--nicPorts=4 --iterations=2"));
        AddTestCase(new SymmetryTestCase(photonic + "--fsdp=2 --cp=2 --pp=3 --microBatches=3 "
                                                    "--iterations=2 --reconfigDelay=10us"));
        AddTestCase(new SymmetryTestCase("--fabric=electrical --gpusPerDomain=4 --tp=4 --fsdp=4 "
                                         "--pp=2 --iterations=2"));
        AddTestCase(new SymmetryTestCase("--fabric=electrical --gpusPerDomain=4 --tp=4 --fsdp=4 "
                                         "--pp=1 --ep=4 --model=debugmodel-moe --iterations=2"));
        AddTestCase(new ControllersTestCase);
    }
};

RailSymmetryTestSuite g_railSymmetryTestSuite; //!< the instance

} // namespace
