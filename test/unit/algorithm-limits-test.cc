// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/workload-settings.h"

#include <gtest/gtest.h>
#include <string>

namespace ns3
{
namespace
{

/// @return the answer to a list, without the algorithm that a test of AlgorithmCheck registers in
/// the same process
std::string
ReadAlgorithms(const std::string& text)
{
    const std::string other = ", faulty";
    CollectiveAlgorithms chosen;
    std::string answer = AlgorithmLimits().Read(text, chosen);
    const auto place = answer.find(other);
    return place == std::string::npos ? answer : answer.erase(place, other.size());
}

TEST(AlgorithmLimitsTest, KindsWithoutAChoiceStayWithoutOne)
{
    CollectiveAlgorithms chosen;
    EXPECT_TRUE(chosen.IsEmpty());
    EXPECT_EQ(AlgorithmLimits().Read("AllReduce=tree", chosen), "");
    EXPECT_FALSE(chosen.IsEmpty());
    EXPECT_TRUE(chosen.IsChosen(CollectiveKind::ALL_REDUCE));
    EXPECT_EQ(chosen.Get(CollectiveKind::ALL_REDUCE), "tree");
    EXPECT_FALSE(chosen.IsChosen(CollectiveKind::ALL_GATHER));
}

TEST(AlgorithmLimitsTest, SeveralKindsHaveAlgorithms)
{
    for (const auto* text :
         {"AllReduce=tree,AllToAll=pairwise", "AllToAll=pairwise+AllReduce=tree"})
    {
        CollectiveAlgorithms chosen;
        EXPECT_EQ(AlgorithmLimits().Read(text, chosen), "");
        EXPECT_EQ(chosen.Get(CollectiveKind::ALL_REDUCE), "tree");
        EXPECT_EQ(chosen.Get(CollectiveKind::ALL_TO_ALL), "pairwise");
    }
}

TEST(AlgorithmLimitsTest, WrongListsAreAnsweredWithAllowedOnes)
{
    const std::string form = "KIND=NAME,KIND=NAME, with kinds from AllGather, ReduceScatter, "
                             "AllReduce, AllToAll, Broadcast, Reduce, each once";
    for (const auto* text : {"",
                             "tree",
                             "=tree",
                             "allreduce=tree",
                             "Send=ring",
                             "AllReduce=tree,",
                             "AllReduce=tree,AllReduce=ring",
                             "AllReduce=tree+AllReduce=tree"})
    {
        EXPECT_EQ(ReadAlgorithms(text), form) << text;
    }
    EXPECT_EQ(ReadAlgorithms("AllGather=tree"),
              "AllGather=NAME with one of ring, channels, direct, halving-doubling, hierarchical, "
              "tuned");
    // Calls of a job name no rank that is late.
    EXPECT_EQ(ReadAlgorithms("AllReduce=stragglar"),
              "AllReduce=NAME with one of ring, channels, direct, halving-doubling, hierarchical, "
              "tree, tuned");
    EXPECT_EQ(ReadAlgorithms("AllReduce="),
              "AllReduce=NAME with one of ring, channels, direct, halving-doubling, hierarchical, "
              "tree, tuned");
}

TEST(AlgorithmLimitsTest, AWrongListChangesNothing)
{
    CollectiveAlgorithms chosen;
    chosen.Choose(CollectiveKind::ALL_GATHER, "direct");
    EXPECT_NE(AlgorithmLimits().Read("AllReduce=tree,AllGather=tree", chosen), "");
    EXPECT_EQ(chosen.Get(CollectiveKind::ALL_GATHER), "direct");
    EXPECT_FALSE(chosen.IsChosen(CollectiveKind::ALL_REDUCE));
}

} // namespace
} // namespace ns3
