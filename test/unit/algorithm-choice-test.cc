// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/collective-algorithm.h"
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
    EXPECT_TRUE(none.GetConnectors({8, 1}, 3).empty()) << "connectors are for what has been chosen";
    EXPECT_DEATH(none.Get(CollectiveKind::SEND), "needs no algorithm");
}

TEST(CollectiveAlgorithmsTest, RingsNeedTheTwoNeighbours)
{
    const auto rings = CollectiveAlgorithms::Rings();
    EXPECT_EQ(rings.Check({8, 1}), "");
    EXPECT_EQ(rings.GetConnectors({8, 1}, 0),
              (std::vector<CollectiveConnectorId>{{1, CONNECTOR_NEXT}, {7, CONNECTOR_PREVIOUS}}));
    EXPECT_EQ(rings.GetConnectors({2, 1}, 1),
              (std::vector<CollectiveConnectorId>{{0, CONNECTOR_NEXT}, {0, CONNECTOR_PREVIOUS}}));
    EXPECT_TRUE(rings.GetConnectors({1, 1}, 0).empty());
}

TEST(CollectiveAlgorithmsTest, TwoLevelsNeedTheDomainAndTheRingOfTheRail)
{
    using Connectors = std::vector<CollectiveConnectorId>;
    for (const auto kind :
         {CollectiveKind::ALL_REDUCE, CollectiveKind::ALL_GATHER, CollectiveKind::REDUCE_SCATTER})
    {
        CollectiveAlgorithms levels;
        levels.Choose(kind, "hierarchical");
        EXPECT_EQ(
            levels.GetConnectors({8, 2}, 3),
            (Connectors{{1, CONNECTOR_PREVIOUS}, {2, CONNECTOR_DIRECT}, {5, CONNECTOR_NEXT}}));
        EXPECT_EQ(
            levels.GetConnectors({4, 2}, 2),
            (Connectors{{0, CONNECTOR_NEXT}, {0, CONNECTOR_PREVIOUS}, {3, CONNECTOR_DIRECT}}));
        EXPECT_EQ(levels.GetConnectors({3, 3}, 0),
                  (Connectors{{1, CONNECTOR_DIRECT}, {2, CONNECTOR_DIRECT}}));
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
    EXPECT_DEATH(communicator.GetEnd({2, CONNECTOR_DIRECT}), "rank 21 has no connector");
}

} // namespace
} // namespace ns3
