// SPDX-License-Identifier: GPL-2.0-only

// Jobs whose groups lie across scale-up domains and rails, and experts: what runs is what the
// description says, byte for byte.

#include "ns3/abort.h"
#include "ns3/command-line.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/training-experiment.h"
#include "ns3/training-job-helper.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MIXED_ITERATIONS = 1;

/// The description of a job and the results of its run.
struct MixedOutcome
{
    JobDescription description;
    RunSummary run;
};

/// @return both, of a job with these flags
MixedOutcome
RunMixedJob(const std::vector<std::string>& flags)
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    std::vector<std::string> arguments{"test",
                                       "--seqLen=128",
                                       "--iterations=" + std::to_string(MIXED_ITERATIONS)};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    TrainingSettings settings;
    CommandLine cmd;
    settings.AddFlags(cmd);
    cmd.Parse(arguments);
    const std::string error = settings.Check();
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    return {settings.MakeDescription(), TrainingExperiment(settings).Run(nullptr)};
}

/**
 * @param volumes of any rank of a job whose groups all have all its ranks
 * @param ranks their number
 * @return bytes that all ranks send in a step: directly in AllToAlls, else round the rings of
 * channels, which leave a domain on the rail on which they enter the next one
 */
uint64_t
CountSent(const CollectiveVolumes& volumes, uint64_t ranks)
{
    uint64_t direct = 0;
    uint64_t onRings = 0;
    for (const auto& [key, volume] : volumes)
    {
        uint64_t& sent = key.first == CollectiveKind::ALL_TO_ALL ? direct : onRings;
        const bool isGather = key.first == CollectiveKind::ALL_GATHER;
        const bool isReduced = key.first == CollectiveKind::ALL_REDUCE;
        sent += volume.inputBytes * (ranks - 1) * (isGather ? ranks : 1) * (isReduced ? 2 : 1);
    }
    return direct + onRings;
}

/// A job runs as it is described.
class DescribedTestCase : public TestCase
{
  public:
    DescribedTestCase(const std::string& name, std::vector<std::string> flags)
        : TestCase("runs as described: " + name),
          m_flags(std::move(flags))
    {
    }

  private:
    void DoRun() override
    {
        const MixedOutcome outcome = RunMixedJob(m_flags);
        NS_TEST_ASSERT_MSG_EQ(outcome.run.CheckInvariants(), "", "an invariant does not hold");
        NS_TEST_ASSERT_MSG_EQ(MakeJson(outcome.run.collectives).ToText(),
                              MakeJson(outcome.description.classes[0].volumes).ToText(),
                              "collectives of rank 0");
        NS_TEST_ASSERT_MSG_EQ(outcome.run.rails.retransmissions, 0u, "nothing is repeated");
        NS_TEST_ASSERT_MSG_GT(outcome.run.rails.bytesPosted, 0u, "nothing left a domain");
    }

    std::vector<std::string> m_flags;
};

/// One group of eight ranks in two domains: the bytes on all networks are those of the algorithms.
class WireBytesTestCase : public TestCase
{
  public:
    WireBytesTestCase(const std::string& name, std::vector<std::string> flags)
        : TestCase("bytes on the wire: " + name),
          m_flags(std::move(flags))
    {
    }

  private:
    void DoRun() override
    {
        const MixedOutcome outcome = RunMixedJob(m_flags);
        NS_TEST_ASSERT_MSG_EQ(outcome.run.CheckInvariants(), "", "an invariant does not hold");
        NS_TEST_ASSERT_MSG_EQ(outcome.description.worldSize, 8u, "ranks");
        for (const auto& role : outcome.description.roles)
        {
            NS_TEST_ASSERT_MSG_EQ(role.ranks, 8u, "a group has other ranks");
        }
        NS_TEST_ASSERT_MSG_EQ(outcome.run.rails.bytesPosted + outcome.run.scaleUp.bytesPosted,
                              MIXED_ITERATIONS * CountSent(outcome.run.collectives, 8),
                              "bytes posted");
    }

    std::vector<std::string> m_flags;
};

/// The helper names the groups that a fabric cannot join.
class MixedRefusalTestCase : public TestCase
{
  public:
    MixedRefusalTestCase()
        : TestCase("groups that a fabric cannot join")
    {
    }

  private:
    static std::string Check(RailFabric fabric, bool hasScaleUp)
    {
        RailClusterHelper helper;
        helper.SetDomains(2, 4);
        helper.SetNic(2, DataRate("100Gbps"));
        if (hasScaleUp)
        {
            helper.SetScaleUp("a100");
        }
        const RailCluster cluster = helper.Install(fabric);
        ParallelismSpec parallelism;
        parallelism.fsdp = 8;
        parallelism.seqLen = 128;
        TrainingJobHelper job("debugmodel");
        job.SetParallelism(parallelism);
        const std::string error = job.Check(cluster);
        Simulator::Destroy();
        return error;
    }

    void DoRun() override
    {
        const std::string group = " cannot join the fsdp group of ranks 0, 1, 2, 3, ... (8 across "
                                  "domains and rails): ";
        NS_TEST_ASSERT_MSG_EQ(Check("fat-tree", false), "", "joins all NICs");
        NS_TEST_ASSERT_MSG_EQ(Check("leaf-spine", false), "", "joins all NICs");
        NS_TEST_ASSERT_MSG_EQ(Check("electrical", true), "", "by PXN");
        NS_TEST_ASSERT_MSG_EQ(Check("rail-only", true), "", "by PXN");
        const std::string rail = Check("electrical", false);
        NS_TEST_ASSERT_MSG_EQ(rail.find("--fabric=electrical" + group), 0u, rail);
        NS_TEST_ASSERT_MSG_EQ(Check("photonic", true), "", "by PXN");
        const std::string circuits = Check("photonic", false);
        NS_TEST_ASSERT_MSG_EQ(circuits.find("--fabric=photonic" + group), 0u, circuits);
    }
};

/**
 * @ingroup tests
 * Groups across domains and rails, and experts.
 */
class MixedGroupsTestSuite : public TestSuite
{
  public:
    MixedGroupsTestSuite()
        : TestSuite("photonic-rails-mixed-groups", Type::SYSTEM)
    {
        const auto dense = [](std::vector<std::string> flags) {
            flags.insert(flags.end(), {"--model=debugmodel", "--tp=1", "--fsdp=8", "--pp=1"});
            return flags;
        };
        const auto moe = [](std::vector<std::string> flags) {
            flags.insert(flags.begin(), "--model=debugmodel-moe");
            return flags;
        };
        const std::vector<std::string> flat{"--tp=1", "--fsdp=8", "--pp=1", "--ep=8"};
        AddTestCase(new WireBytesTestCase("FSDP on a leaf-spine", dense({"--fabric=leaf-spine"})));
        AddTestCase(new WireBytesTestCase("FSDP on a fat-tree and scale-up networks",
                                          dense({"--fabric=fat-tree", "--scaleUp=network"})));
        AddTestCase(new WireBytesTestCase("experts, directly, on a fat-tree and scale-up networks",
                                          moe({"--fabric=fat-tree",
                                               "--scaleUp=network",
                                               "--algorithms=AllToAll=direct",
                                               flat[0],
                                               flat[1],
                                               flat[2],
                                               flat[3]})));
        AddTestCase(new DescribedTestCase("FSDP by PXN",
                                          dense({"--fabric=electrical", "--scaleUp=network"})));
        AddTestCase(new DescribedTestCase("FSDP across rails of circuits",
                                          dense({"--fabric=photonic", "--scaleUp=network"})));
        AddTestCase(new DescribedTestCase(
            "experts across rails of circuits",
            moe({"--fabric=photonic", "--reconfigDelay=1us", flat[0], flat[1], flat[2], flat[3]})));
        AddTestCase(new WireBytesTestCase("FSDP across rails of circuits",
                                          dense({"--fabric=photonic", "--scaleUp=network"})));
        AddTestCase(new DescribedTestCase(
            "dense on photonic rails",
            {"--model=debugmodel", "--tp=4", "--fsdp=2", "--pp=2", "--fabric=photonic"}));
        AddTestCase(new DescribedTestCase(
            "unequal experts on photonic rails",
            moe({"--tp=4", "--fsdp=4", "--pp=1", "--ep=4", "--expertTp=4", "--popularity=zipf"})));
        AddTestCase(new DescribedTestCase("unequal experts across domains",
                                          moe({"--fabric=leaf-spine",
                                               "--scaleUp=network",
                                               "--popularity=zipf",
                                               flat[0],
                                               flat[1],
                                               flat[2],
                                               flat[3]})));
        AddTestCase(new MixedRefusalTestCase());
    }
};

MixedGroupsTestSuite g_mixedGroupsTestSuite; //!< the instance

} // namespace
