// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/job-demand.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <utility>

namespace ns3
{
namespace
{

using Links = std::set<std::pair<uint32_t, uint32_t>>;

/// @return the links of a job of the debug model with domains of @p gpusPerDomain GPUs, each as the
/// first rank and the second
Links
FindLinks(ParallelismSpec degrees,
          uint32_t gpusPerDomain,
          uint64_t mostBytes = std::numeric_limits<uint64_t>::max())
{
    degrees.microBatches = 2 * degrees.pp;
    degrees.gpusPerDomain = gpusPerDomain;
    FrameworkRules rules = TracedRules();
    rules.split = StageSplit::EVEN;
    const JobRanks ranks(MakeJob("debugmodel", degrees, rules));
    Links links;
    for (const auto& [id, link] : JobGroups(ranks).FindLinks(mostBytes))
    {
        EXPECT_EQ(link.id, id);
        EXPECT_TRUE(link.isLink);
        EXPECT_EQ(link.GetSize(), 2u);
        auto before = ranks.GetLayout().GetGroups()[id].ranks;
        auto after = link.ranks;
        std::sort(before.begin(), before.end());
        std::sort(after.begin(), after.end());
        EXPECT_EQ(after, before) << "the same ranks";
        links.emplace(link.ranks[0], link.ranks[1]);
    }
    return links;
}

TEST(PipelineLinks, LeadFromEachStageToTheNextOnEachRail)
{
    EXPECT_EQ(FindLinks({2, 1, 3}, 2), (Links{{0, 2}, {1, 3}, {2, 4}, {3, 5}}));
    EXPECT_EQ(FindLinks({1, 2, 3}, 1), (Links{{0, 2}, {1, 3}, {2, 4}, {3, 5}}));
}

TEST(PipelineLinks, CloseTheRingOfAnInterleavedPipeline)
{
    ParallelismSpec degrees{1, 1, 3};
    degrees.schedule = "interleaved";
    degrees.virtualStages = 2;
    EXPECT_EQ(FindLinks(degrees, 1), (Links{{0, 1}, {1, 2}, {2, 0}}));
}

TEST(PipelineLinks, AreNotThoseOfTwoStages)
{
    EXPECT_TRUE(FindLinks({1, 1, 2}, 1).empty());
    EXPECT_TRUE(FindLinks({1, 2, 2}, 1).empty());
}

TEST(PipelineLinks, LeaveTheDomain)
{
    // Every other pair shares a domain: the pairs that are left have all ports.
    EXPECT_TRUE(FindLinks({2, 1, 6}, 4).empty());
    EXPECT_EQ(FindLinks({2, 1, 6}, 2).size(), 10u);
}

TEST(PipelineLinks, AreNotForMessagesThatTakeTooLong)
{
    ParallelismSpec degrees{1, 1, 3};
    degrees.microBatches = 6;
    degrees.gpusPerDomain = 1;
    const JobRanks ranks(MakeJob("debugmodel", degrees));
    uint64_t largest = 0;
    for (const auto& operation : ranks.GetProgram(0)->GetOperations())
    {
        largest = std::max(largest, operation.kind == CollectiveKind::SEND ? operation.bytes : 0);
    }
    ASSERT_GT(largest, 0u);
    EXPECT_EQ(FindLinks({1, 1, 3}, 1, largest).size(), 2u);
    EXPECT_TRUE(FindLinks({1, 1, 3}, 1, largest - 1).empty());
}

} // namespace
} // namespace ns3
