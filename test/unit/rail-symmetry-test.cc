// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/job-demand.h"
#include "ns3/rail-symmetry.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

/// @return a job of the debug model with domains of so many GPUs
WorkloadSpec
MakeSmallJob(ParallelismSpec degrees, uint32_t gpusPerDomain)
{
    degrees.microBatches = 4;
    degrees.gpusPerDomain = gpusPerDomain;
    return MakeJob("debugmodel", degrees);
}

/// @return an empty string, or the reason why the rails of a job differ
std::string
CheckRails(const WorkloadSpec& job)
{
    return RailSymmetry(job, JobRanks(job), job.parallelism.gpusPerDomain).Check();
}

TEST(RailSymmetry, TheRailOfTheTracedJobHasItsGroups)
{
    const JobRanks whole(MakeTracedJob());
    const RailSymmetry symmetry(MakeTracedJob(), whole, 4);
    ASSERT_EQ(symmetry.Check(), "");
    EXPECT_EQ(JobGroups(whole).CountRailSets(), 4U);
    const JobRanks ranks = symmetry.MakeRanks();
    const RankLayout& mesh = ranks.GetLayout();
    ASSERT_EQ(mesh.GetWorldSize(), 4U);
    EXPECT_EQ(mesh.GetRails(), 1U);
    EXPECT_EQ(mesh.GetGroup(0, GroupRole::TP).ranks, (std::vector<uint32_t>{0}));
    EXPECT_EQ(mesh.GetGroup(0, GroupRole::FSDP).ranks, (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(mesh.GetGroup(3, GroupRole::PP).ranks, (std::vector<uint32_t>{1, 3}));
}

TEST(RailSymmetry, ProgramsAreThoseOfTheWholeJob)
{
    const WorkloadSpec job = MakeTracedJob();
    const JobRanks ranks(job);
    const RailSymmetry symmetry(job, ranks, 4);
    const auto whole = Build(job);
    const auto rail = symmetry.MakeRanks().GetPrograms();
    ASSERT_EQ(rail.size(), whole.size());
    for (std::size_t i = 0; i < rail.size(); ++i)
    {
        const auto& expected = whole[i]->GetOperations();
        const auto& actual = rail[i]->GetOperations();
        ASSERT_EQ(actual.size(), expected.size());
        for (std::size_t k = 0; k < actual.size(); ++k)
        {
            EXPECT_EQ(actual[k].label, expected[k].label);
            EXPECT_EQ(actual[k].bytes, expected[k].bytes);
            EXPECT_EQ(actual[k].duration, expected[k].duration);
        }
    }
}

TEST(RailSymmetry, StagesInsideADomainTellRailsApart)
{
    ParallelismSpec degrees{2, 4, 2};
    degrees.order = *MeshOrder::Parse("dp-fsdp-pp-cp-tp");
    EXPECT_EQ(CheckRails(MakeSmallJob(degrees, 4)), "rank 2 runs another program than rank 0");
}

TEST(RailSymmetry, GroupsAcrossDomainsAndRailsTellRailsApart)
{
    // A domain has two tensor-parallel groups, and the shards of the model are on both.
    EXPECT_EQ(CheckRails(MakeSmallJob({2, 4, 2}, 4)),
              "the fsdp group of rank 0 is neither inside a domain nor the same on every rail");
}

TEST(RailSymmetry, ReplicasInADomainJoinRailsToSets)
{
    // Replicas reduce their loss with the shards in other domains.
    ParallelismSpec degrees{2, 4, 2};
    degrees.replicate = 3;
    degrees.order = *MeshOrder::Parse("pp-fsdp-dp-cp-tp");
    const WorkloadSpec job = MakeSmallJob(degrees, 6);
    const JobRanks whole(job);
    EXPECT_EQ(JobGroups(whole).CountRailSets(), 2U);
    EXPECT_NE(CheckRails(job), "");
    EXPECT_EQ(RailSymmetry(job, whole, 3).Check(),
              "the 3 GPUs that no group joins are not whole dimensions of the mesh");
    const RailSymmetry symmetry(job, whole, 2);
    ASSERT_EQ(symmetry.Check(), "");
    const JobRanks ranks = symmetry.MakeRanks();
    const RankLayout& mesh = ranks.GetLayout();
    ASSERT_EQ(mesh.GetWorldSize(), 24U);
    EXPECT_EQ(mesh.GetRails(), 3U);
    EXPECT_EQ(mesh.GetGroup(1, GroupRole::TP).ranks, (std::vector<uint32_t>{1}));
    EXPECT_EQ(mesh.GetGroup(1, GroupRole::FSDP).ranks, (std::vector<uint32_t>{1, 4, 7, 10}));
}

TEST(RailSymmetry, ADomainIsWholeDimensions)
{
    EXPECT_EQ(CheckRails(MakeSmallJob({4, 3, 2}, 8)),
              "the 8 GPUs of a domain are not whole dimensions of the mesh");
}

} // namespace
} // namespace ns3
