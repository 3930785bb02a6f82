// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The estimated work of a simulation, and the events that the simulator then executes.
 *
 * Covers helper/experiment
 */

#include "../random-search.h"
#include "picosecond-test-case.h"
#include "training-run.h"

#include "ns3/simulation-work.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// The estimate of the events is right within a factor, for jobs of many shapes.
class EventsTestCase : public PicosecondTestCase
{
  public:
    EventsTestCase()
        : PicosecondTestCase("As many events as estimated, within a factor of 4")
    {
    }

  private:
    static constexpr double FACTOR = 4;

    void DoRun() override
    {
        const std::vector<std::vector<std::string>> jobs{
            {},
            {"--model=llama3-8b", "--gpusPerDomain=4", "--tp=4", "--fsdp=2", "--pp=2"},
            {"--tp=1", "--fsdp=8", "--pp=1", "--gpusPerDomain=4"},
            {"--tp=4", "--fsdp=2", "--pp=4", "--gpusPerDomain=4", "--microBatches=8"},
            {"--tp=4", "--fsdp=2", "--cp=2", "--pp=2", "--gpusPerDomain=4"},
            {"--tp=4", "--fsdp=2", "--pp=2", "--gpusPerDomain=2"},
            {"--tp=1", "--fsdp=4", "--pp=4", "--gpusPerDomain=1", "--microBatches=8"},
            {"--model=debugmodel-moe", "--ep=2", "--expertTp=4", "--gpusPerDomain=4"},
            {"--tp=4", "--fsdp=4", "--dpReplicate=2", "--pp=1", "--gpusPerDomain=4"},
        };
        for (const auto& job : jobs)
        {
            for (const std::string network :
                 {"--fabric=electrical", "--policy=on-demand", "--policy=provisioned"})
            {
                for (const std::string symmetry : {"none", ""})
                {
                    std::vector<std::string> flags = job;
                    flags.push_back(network);
                    flags.push_back("--symmetry=" + symmetry);
                    Check(SmallJob(flags));
                }
            }
        }
    }

    /// Run a job, and compare.
    void Check(const std::vector<std::string>& flags)
    {
        std::string text;
        for (const auto& flag : flags)
        {
            text += flag + " ";
        }
        TrainingSettings settings;
        ReadFlags(settings, flags);
        NS_TEST_ASSERT_MSG_EQ(settings.Check(), "", text);
        const SimulationWork work = SimulationWork::Estimate(settings);
        const RunSummary summary = TrainingExperiment(settings).Run(nullptr);
        NS_TEST_ASSERT_MSG_EQ(summary.failure, "", text);
        const auto estimate = static_cast<double>(work.events);
        const auto events = static_cast<double>(summary.events);
        NS_TEST_EXPECT_MSG_LT(events, FACTOR * estimate, text << work.Describe());
        NS_TEST_EXPECT_MSG_GT(events, estimate / FACTOR, text << work.Describe());
        NS_TEST_EXPECT_MSG_EQ(work.packetEvents, 0u, text << "flows do not collide");
    }
};

/// Where flows may collide, the estimate has both ends.
class CollisionsTestCase : public PicosecondTestCase
{
  public:
    CollisionsTestCase()
        : PicosecondTestCase("Events of colliding flows are between both estimates")
    {
    }

  private:
    void DoRun() override
    {
        if (GetWantedSeeds() == "few")
        {
            return; // millions of packets: the release build compares them
        }
        const auto flags = SmallJob({"--fabric=fat-tree",
                                     "--switchRadix=8",
                                     "--gpusPerDomain=2",
                                     "--tp=2",
                                     "--fsdp=8",
                                     "--pp=2",
                                     "--seqLen=4096"});
        TrainingSettings settings;
        ReadFlags(settings, flags);
        NS_TEST_ASSERT_MSG_EQ(settings.Check(), "", "");
        const SimulationWork work = SimulationWork::Estimate(settings);
        const RunSummary summary = TrainingExperiment(settings).Run(nullptr);
        NS_TEST_EXPECT_MSG_GT(summary.events, work.events, work.Describe());
        NS_TEST_EXPECT_MSG_LT(summary.events, 1.5 * work.packetEvents, work.Describe());
        std::vector<std::string> packets = flags;
        packets.emplace_back("--fidelity=packet");
        const auto events = static_cast<double>(RunJob(packets).events);
        NS_TEST_EXPECT_MSG_EQ_TOL(events / static_cast<double>(work.packetEvents),
                                  1.0,
                                  0.5,
                                  "all packets have events: " << work.Describe());
    }
};

/// An estimate for people.
class DescriptionTestCase : public TestCase
{
  public:
    DescriptionTestCase()
        : TestCase("The work is in words")
    {
    }

  private:
    void DoRun() override
    {
        SimulationWork work{256, 1500000, 2000000000, 15000000, 0};
        const std::string text =
            "256 ranks, 1.5 M messages, 2.0 G packets, about 15 M events and 45 s";
        NS_TEST_EXPECT_MSG_EQ(work.Describe(), text, "");
        work.packetEvents = 12000000000;
        NS_TEST_EXPECT_MSG_EQ(
            work.Describe(),
            text + " in bursts, up to about 12 G events and 10.0 h where flows collide",
            "");
    }
};

/// The suite.
class SimulationWorkTestSuite : public TestSuite
{
  public:
    SimulationWorkTestSuite()
        : TestSuite("photonic-rails-simulation-work", Type::SYSTEM)
    {
        AddTestCase(new EventsTestCase);
        AddTestCase(new CollisionsTestCase);
        AddTestCase(new DescriptionTestCase);
    }
};

SimulationWorkTestSuite g_simulationWorkTestSuite; //!< registers itself

} // namespace
