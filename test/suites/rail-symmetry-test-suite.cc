// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * One rail that stands for all: its summary is that of the whole job, and rails that are controlled
 * by themselves do everything at the same instant.
 */

#include "../random-search.h"
#include "differential-draw.h"
#include "picosecond-test-case.h"
#include "training-run.h"

#include "ns3/opus-controller.h"
#include "ns3/opus-helper.h"
#include "ns3/test.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** @param summary of a run @return all that runs of one rail and of all rails shall agree on */
std::string
ToComparable(RunSummary summary)
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
        text << iteration.duration.GetPicoSeconds() << " ps\n";
    }
    for (const RailWindows& rail : summary.windowsOfRails)
    {
        for (const auto& windows : rail)
        {
            for (const PhaseWindow& window : windows)
            {
                text << window.iteration << " " << window.duration.GetPicoSeconds() << " ps, "
                     << window.bytesAfter << " bytes\n";
            }
        }
    }
    for (const RunTraffic& traffic : {summary.rails, summary.scaleUp, summary.hosts})
    {
        text << traffic.bursts << " bursts of " << traffic.burstPackets << "\n";
    }
    return text.str();
}

/// The results of a run.
struct SymmetricRun
{
    RunSummary summary;
    StepSplit split;
};

/**
 * @param flags of a job
 * @param symmetry rails, none, or empty for the default
 * @param run gets the results of the run
 * @return an empty string, or the error in the flags
 */
std::string
RunWithSymmetry(const std::vector<std::string>& flags,
                const std::string& symmetry,
                SymmetricRun& run)
{
    TrainingSettings settings;
    ReadFlags(settings, flags);
    settings.Find("symmetry")->SetText(symmetry);
    std::string error = settings.Check();
    if (error.empty())
    {
        TrainingExperiment experiment(settings);
        experiment.KeepRails(settings.fabric.gpusPerDomain.Get(), PhaseRule::GROUP);
        run.summary = experiment.Run(nullptr, nullptr, &run.split);
    }
    return error;
}

/// @param line flags of a job of a small model @return the arguments of a program
std::vector<std::string>
ListFlags(const std::string& line)
{
    std::vector<std::string> flags{"test", "--model=debugmodel", "--seqLen=256"};
    std::istringstream text(line);
    for (std::string flag; text >> flag;)
    {
        flags.push_back(flag);
    }
    return flags;
}

/** A job is simulated as a whole, and one of its rails. */
class SymmetryTestCase : public PicosecondTestCase
{
  public:
    /** @param flags of the job @param isDefault whether one rail is simulated without a flag */
    explicit SymmetryTestCase(const std::string& flags, bool isDefault = true)
        : PicosecondTestCase("One rail shows what all do: " + flags),
          m_flags(flags),
          m_isDefault(isDefault)
    {
    }

  private:
    void DoRun() override
    {
        SymmetricRun whole;
        SymmetricRun one;
        const auto flags = ListFlags(m_flags);
        NS_TEST_ASSERT_MSG_EQ(RunWithSymmetry(flags, "none", whole), "", "all rails");
        NS_TEST_ASSERT_MSG_EQ(RunWithSymmetry(flags, m_isDefault ? "" : "rails", one), "", "one");
        NS_TEST_EXPECT_MSG_EQ(whole.summary.CheckInvariants(), "", "an invariant does not hold");
        NS_TEST_EXPECT_MSG_GT(whole.summary.rails.packetsSent, 0u, "nothing was sent");
        CheckSame(one, whole);
    }

    std::string m_flags;
    bool m_isDefault;

  protected:
    /** @param one rail was simulated for it @param whole of the same job */
    void CheckSame(const SymmetricRun& one, const SymmetricRun& whole)
    {
        NS_TEST_EXPECT_MSG_EQ(whole.summary.railsPerRun, 1u, "all rails are simulated");
        NS_TEST_EXPECT_MSG_GT(one.summary.railsPerRun, 1u, "one rail is simulated");
        NS_TEST_EXPECT_MSG_EQ(ToComparable(one.summary),
                              ToComparable(whole.summary),
                              "the summaries differ");
        // The fast path follows traffic of several rails together where a switch connects them.
        if (whole.summary.scaleUp.packetsSent == 0)
        {
            NS_TEST_EXPECT_MSG_EQ(one.summary.events * one.summary.railsPerRun,
                                  whole.summary.events,
                                  "events of each rail");
        }
        NS_TEST_EXPECT_MSG_EQ(one.split.ranks * one.summary.railsPerRun,
                              whole.split.ranks,
                              "ranks whose steps are split");
        for (std::size_t part = 0; part < StepSplit::PARTS; ++part)
        {
            NS_TEST_EXPECT_MSG_EQ(one.split.sums[part] * int64_t{one.summary.railsPerRun},
                                  whole.split.sums[part],
                                  "part " << part << " of the step");
        }
    }
};

/** Random jobs with the default flags: where one rail was simulated, all do the same. */
class RandomSymmetryTestCase : public SymmetryTestCase
{
  public:
    RandomSymmetryTestCase()
        : SymmetryTestCase("random jobs")
    {
    }

  private:
    /** @param seed of a job @return its flags */
    static std::string DrawJob(uint64_t seed)
    {
        Draw draw(seed);
        const auto number = [](uint64_t value) { return std::to_string(value); };
        const auto tp = draw.Pick<uint32_t>({2, 4, 8});
        const auto inside = draw.Chance(25) ? draw.Pick<uint32_t>({2, 3}) : 1U;
        const auto pp = draw.Pick<uint32_t>({1, 2, 2, 4});
        const auto fsdp = static_cast<uint32_t>(draw.Between(pp == 1 ? 2 : 1, 4));
        const bool isPhotonic = draw.Chance(70);
        const bool hasExperts = draw.Chance(30);
        std::string flags = "--iterations=" + number(draw.Between(1, 3)) + " --tp=" + number(tp) +
                            " --pp=" + number(pp) + " --fsdp=" + number(fsdp) +
                            " --microBatches=" + number(pp * draw.Between(1, 2)) +
                            " --nicPorts=" + number(draw.Pick<uint32_t>({2, 2, 4})) +
                            " --portRate=" + number(draw.Pick<uint32_t>({50, 100, 400})) + "Gbps";
        // Replicas or parts of a sequence inside the domain, or beside it.
        const std::string second = draw.Pick<std::string>({"dpReplicate", "cp"});
        if (fsdp > 1 && (inside > 1 || draw.Chance(40)))
        {
            flags += " --" + second + "=" + number(std::max(inside, 2U));
        }
        flags += " --gpusPerDomain=" + number(tp * inside);
        if (inside > 1)
        {
            flags +=
                second == "cp" ? " --meshOrder=pp-dp-fsdp-cp-tp" : " --meshOrder=pp-fsdp-cp-dp-tp";
        }
        if (hasExperts)
        {
            flags += " --model=debugmodel-moe --ep=" + number(draw.Pick<uint32_t>({1, fsdp}));
        }
        if (pp > 1)
        {
            flags += " --schedule=" + draw.Pick<std::string>({"1f1b", "gpipe", "zb-h1"});
        }
        if (isPhotonic)
        {
            flags += " --policy=" +
                     draw.Pick<std::string>(
                         {"provisioned", "provisioned", "on-demand", "per-call", "oracle"});
            flags += " --reconfigDelay=" + draw.Pick<std::string>({"0s", "10ns", "10us", "25ms"});
            flags += draw.Chance(30) ? " --controlLatency=3us --hostLatency=700ns" : "";
        }
        else
        {
            flags += " --fabric=electrical";
            flags += draw.Chance(30) ? " --lossRecovery=selective-repeat" : "";
        }
        flags += draw.Chance(25) ? " --fidelity=packet" : "";
        return flags;
    }

    void DoRun() override
    {
        const uint64_t seeds = CountSeeds("symmetry of rails", 400, SearchLimit::ALL_BUILDS);
        uint64_t jobs = 0;
        uint64_t compared = 0;
        for (uint64_t seed = 1; seed <= seeds; ++seed)
        {
            const auto line = DrawJob(seed);
            SymmetricRun one;
            if (!RunWithSymmetry(ListFlags(line), "", one).empty())
            {
                continue; // no job
            }
            ++jobs;
            if (one.summary.railsPerRun == 1)
            {
                continue;
            }
            ++compared;
            SymmetricRun whole;
            NS_TEST_ASSERT_MSG_EQ(RunWithSymmetry(ListFlags(line), "none", whole), "", line);
            CheckSame(one, whole);
            if (IsStatusFailure())
            {
                std::cout << "seed " << seed << ": " << line << std::endl;
                return;
            }
        }
        std::cout << jobs << " jobs, one rail of " << compared << std::endl;
        NS_TEST_EXPECT_MSG_GT_OR_EQ(2 * compared, seeds, "few jobs are symmetric");
    }
};

/** Where rails differ all of them are simulated, and the comparison above would tell. */
class DifferentRailsTestCase : public PicosecondTestCase
{
  public:
    DifferentRailsTestCase()
        : PicosecondTestCase("One controller tells rails apart")
    {
    }

  private:
    void DoRun() override
    {
        const std::string line = "--gpusPerDomain=4 --tp=4 --fsdp=2 --pp=2 --iterations=2";
        SymmetricRun one;
        SymmetricRun whole;
        NS_TEST_ASSERT_MSG_EQ(RunWithSymmetry(ListFlags(line), "", one), "", "one rail");
        NS_TEST_ASSERT_MSG_EQ(RunWithSymmetry(ListFlags(line + " --controllers=one"), "", whole),
                              "",
                              "all rails");
        NS_TEST_EXPECT_MSG_EQ(one.summary.railsPerRun, 4u, "a controller for each rail");
        NS_TEST_EXPECT_MSG_EQ(whole.summary.railsPerRun, 1u, "one controller");
        NS_TEST_EXPECT_MSG_LT(one.summary.iterations.front().duration,
                              whole.summary.iterations.front().duration,
                              "messages that wait for each other");
    }
};

/** One rail with a share of the NICs of hosts beside all rails that take turns on them. */
class SharedHostNicsTestCase : public PicosecondTestCase
{
  public:
    SharedHostNicsTestCase()
        : PicosecondTestCase("One rail with a share of the NICs of hosts is near all rails")
    {
    }

  private:
    void DoRun() override
    {
        // The norm of gradients and the loss take the host network.
        const auto flags = ListFlags("--gpusPerDomain=4 --tp=4 --fsdp=4 --pp=2 --iterations=2 "
                                     "--hostNetwork=100Gbps --hostThreshold=1KiB");
        SymmetricRun whole;
        SymmetricRun one;
        NS_TEST_ASSERT_MSG_EQ(RunWithSymmetry(flags, "", whole), "", "all rails by default");
        NS_TEST_ASSERT_MSG_EQ(RunWithSymmetry(flags, "rails", one), "", "one rail on demand");
        NS_TEST_EXPECT_MSG_EQ(whole.summary.railsPerRun, 1u, "all rails are simulated");
        NS_TEST_EXPECT_MSG_EQ(one.summary.railsPerRun, 4u, "one rail is simulated");
        NS_TEST_EXPECT_MSG_EQ(one.summary.SharesHostNics(), true, "an estimate");
        NS_TEST_EXPECT_MSG_GT(whole.summary.hosts.packetsSent, 0u, "hosts have sent");
        NS_TEST_EXPECT_MSG_EQ(one.summary.hosts.packetsSent,
                              whole.summary.hosts.packetsSent,
                              "packets of the hosts");
        NS_TEST_EXPECT_MSG_EQ(one.summary.rails.packetsSent,
                              whole.summary.rails.packetsSent,
                              "packets of the rails");
        for (std::size_t i = 0; i < 2; ++i)
        {
            const Time expected = whole.summary.iterations[i].duration;
            const Time difference = Abs(one.summary.iterations[i].duration - expected);
            NS_TEST_EXPECT_MSG_GT(difference, Time(0), "turns are not simulated");
            NS_TEST_EXPECT_MSG_LT(difference * 100, expected, "more than 1 % in iteration " << i);
        }
        std::ostringstream text;
        one.summary.WriteTable(text);
        NS_TEST_EXPECT_MSG_NE(text.str().find("1/4 of the NIC of its host: the times are an "),
                              std::string::npos,
                              text.str());
    }
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
        opus.SetControllers(perRail ? RAILS : 1);
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
        const std::string photonic = "--gpusPerDomain=4 --tp=4 ";
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
        AddTestCase(new SymmetryTestCase(photonic + "--fsdp=2 --pp=2 --hostRunAhead=ahead"));
        AddTestCase(new SymmetryTestCase(photonic + "--fsdp=2 --pp=2 --policy=on-demand "
                                                    "--hostRunAhead=blocking"));
        AddTestCase(new RandomSymmetryTestCase);
        AddTestCase(new DifferentRailsTestCase);
        AddTestCase(new SharedHostNicsTestCase);
        AddTestCase(new ControllersTestCase);
    }
};

RailSymmetryTestSuite g_railSymmetryTestSuite; //!< the instance

} // namespace
