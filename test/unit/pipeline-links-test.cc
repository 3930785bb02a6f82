// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/pipeline-links.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace ns3
{
namespace
{

using FoundLinks = std::set<std::pair<uint32_t, uint32_t>>;

/// @return terms of circuits with a switching time, s, on ports of 1 byte/ns
CircuitTerms
MakeTerms(double switchSeconds)
{
    CircuitTerms terms;
    terms.switchSeconds = switchSeconds;
    terms.byteSeconds = 1e-9;
    return terms;
}

/// @return the links of a job of the debug model with domains of @p gpusPerDomain GPUs, each as the
/// first rank and the second
FoundLinks
FindPipelineLinks(ParallelismSpec degrees,
                  uint32_t gpusPerDomain,
                  const CircuitTerms& terms = MakeTerms(1))
{
    degrees.microBatches = 2 * degrees.pp;
    degrees.gpusPerDomain = gpusPerDomain;
    FrameworkRules rules = TracedRules();
    rules.split = StageSplit::EVEN;
    rules.mixesAlways = true;
    const JobRanks ranks(MakeJob("debugmodel", degrees, rules));
    FoundLinks links;
    for (const auto& [id, link] : PipelineLinks::Find(ranks, JobGroups(ranks), terms))
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
    EXPECT_EQ(FindPipelineLinks({2, 1, 3}, 2), (FoundLinks{{0, 2}, {1, 3}, {2, 4}, {3, 5}}));
    EXPECT_EQ(FindPipelineLinks({1, 2, 3}, 1), (FoundLinks{{0, 2}, {1, 3}, {2, 4}, {3, 5}}));
}

TEST(PipelineLinks, CloseTheRingOfAnInterleavedPipeline)
{
    ParallelismSpec degrees{1, 1, 3};
    degrees.schedule = "interleaved";
    degrees.virtualStages = 2;
    EXPECT_EQ(FindPipelineLinks(degrees, 1), (FoundLinks{{0, 1}, {1, 2}, {2, 0}}));
}

TEST(PipelineLinks, AreNotThoseOfTwoStages)
{
    EXPECT_TRUE(FindPipelineLinks({1, 1, 2}, 1).empty());
    EXPECT_TRUE(FindPipelineLinks({1, 2, 2}, 1).empty());
}

TEST(PipelineLinks, LeaveTheDomain)
{
    // Every other pair shares a domain: the pairs that are left have all ports.
    EXPECT_TRUE(FindPipelineLinks({2, 1, 6}, 4).empty());
    EXPECT_EQ(FindPipelineLinks({2, 1, 6}, 2).size(), 10u);
}

TEST(PipelineLinks, PayIfSwitchingTakesLongerThanMessagesOnHalfOfThePorts)
{
    // The stage in the middle sends two messages for each micro-batch, and turns from one neighbour
    // to the other twice.
    constexpr double MESSAGE = 2.0 * 8192 * 256 * 1e-9; // tokens x hidden size in bf16
    EXPECT_EQ(FindPipelineLinks({1, 1, 3}, 1, MakeTerms(1.3 * MESSAGE)).size(), 2u);
    EXPECT_TRUE(FindPipelineLinks({1, 1, 3}, 1, MakeTerms(0.7 * MESSAGE)).empty());
    EXPECT_TRUE(FindPipelineLinks({1, 1, 3}, 1, MakeTerms(0)).empty());
}

TEST(PipelineLinks, DoNotPayIfOtherCircuitsAreNeededInBetween)
{
    // With FSDP that always reshards, gathers are between the messages of a micro-batch.
    const double switchSeconds = 1.3 * 2.0 * 8192 * 256 * 1e-9;
    EXPECT_FALSE(FindPipelineLinks({1, 1, 3}, 1, MakeTerms(switchSeconds)).empty());
    EXPECT_TRUE(FindPipelineLinks({1, 2, 3}, 1, MakeTerms(switchSeconds)).empty());
}

} // namespace
} // namespace ns3
