// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/algorithm-choice.h"
#include "ns3/collective-communicator.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

TEST(CollectiveAlgorithmsTest, WhatIsNotChosenIsARing)
{
    const CollectiveAlgorithms none;
    for (const CollectiveKind kind : CollectiveAlgorithms::GetKinds())
    {
        EXPECT_FALSE(none.IsChosen(kind)) << ToString(kind);
        EXPECT_EQ(none.Get(kind),
                  kind == CollectiveKind::ALL_TO_ALL ? CollectiveAlgorithm::GetAll(kind).front()
                                                     : "ring")
            << ToString(kind);
    }
    EXPECT_TRUE(none.GetLanes({8, 1}, 3).empty()) << "lanes are for what has been chosen";
    EXPECT_DEATH(none.Get(CollectiveKind::SEND), "needs no algorithm");
}

TEST(CollectiveAlgorithmsTest, RingsNeedTheTwoNeighbours)
{
    const auto rings = CollectiveAlgorithms::Rings();
    EXPECT_EQ(rings.Check({8, 1}), "");
    EXPECT_EQ(rings.GetLanes({8, 1}, 0),
              (std::vector<CollectiveLaneId>{{1, LANE_NEXT}, {7, LANE_PREVIOUS}}));
    EXPECT_EQ(rings.GetLanes({2, 1}, 1),
              (std::vector<CollectiveLaneId>{{0, LANE_NEXT}, {0, LANE_PREVIOUS}}));
    EXPECT_TRUE(rings.GetLanes({1, 1}, 0).empty());
}

TEST(CollectiveAlgorithmsTest, TwoLevelsNeedTheDomainAndTheRingOfTheRail)
{
    using Lanes = std::vector<CollectiveLaneId>;
    for (const auto kind :
         {CollectiveKind::ALL_REDUCE, CollectiveKind::ALL_GATHER, CollectiveKind::REDUCE_SCATTER})
    {
        CollectiveAlgorithms levels;
        levels.Choose(kind, "hierarchical");
        EXPECT_EQ(levels.GetLanes({8, 2}, 3),
                  (Lanes{{1, LANE_PREVIOUS}, {2, LANE_DIRECT}, {5, LANE_NEXT}}));
        EXPECT_EQ(levels.GetLanes({4, 2}, 2),
                  (Lanes{{0, LANE_NEXT}, {0, LANE_PREVIOUS}, {3, LANE_DIRECT}}));
        EXPECT_EQ(levels.GetLanes({3, 3}, 0), (Lanes{{1, LANE_DIRECT}, {2, LANE_DIRECT}}));
    }
}

TEST(CollectiveAlgorithmsTest, WhatCannotBeIsRefused)
{
    CollectiveAlgorithms algorithms;
    algorithms.Choose(CollectiveKind::ALL_REDUCE, "ring").Choose(CollectiveKind::ALL_REDUCE, "pxn");
    EXPECT_EQ(algorithms.Get(CollectiveKind::ALL_REDUCE), "pxn");
    EXPECT_NE(algorithms.Check({4, 1}), "");
}

TEST(CollectiveCommunicatorTest, CallsThatNameStrangersAreRefused)
{
    CollectiveCommunicator communicator;
    communicator.group = {5, {20, 21, 22}};
    communicator.index = 1;
    communicator.shape = {3, 1};
    const auto check = [&communicator](CollectiveKind kind, uint32_t peer, uint32_t sizes = 0) {
        CollectiveCall call{kind, 5, 100, peer, nullptr};
        if (sizes > 0)
        {
            call.sizes =
                Create<AllToAllSizes>(sizes, std::vector<uint64_t>(uint64_t{sizes} * sizes));
        }
        return communicator.Check(call);
    };
    EXPECT_EQ(check(CollectiveKind::ALL_REDUCE, 99), "") << "it has neither peer nor root";
    EXPECT_EQ(check(CollectiveKind::SEND, 20), "");
    EXPECT_EQ(check(CollectiveKind::SEND, 21),
              "Send of rank 21 on group 5 names rank 21, which is no other member of it");
    EXPECT_EQ(check(CollectiveKind::BROADCAST, 21), "") << "the root may be this rank";
    EXPECT_EQ(check(CollectiveKind::REDUCE, 19),
              "Reduce of rank 21 on group 5 names rank 19, which is no member of it");
    EXPECT_EQ(check(CollectiveKind::ALL_TO_ALL, 0, 3), "");
    EXPECT_EQ(check(CollectiveKind::ALL_TO_ALL, 0, 4),
              "AllToAll of rank 21 on group 5 has sizes for an AllToAll of 4 ranks");
    EXPECT_NE(check(CollectiveKind::ALL_GATHER, 0, 3), "");
    EXPECT_DEATH(communicator.GetLane({2, LANE_DIRECT}), "rank 21 has no lane");
}

} // namespace
} // namespace ns3
