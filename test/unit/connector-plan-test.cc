// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/collective-connector.h"

#include <gtest/gtest.h>
#include <map>
#include <tuple>

using namespace ns3;

TEST(ConnectorPlan, BothEndsAgreeOnNumbers)
{
    // Rings of three and of two ranks, and connectors inside a domain, over NICs of two ports.
    ConnectorPlan plan(3);
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        const uint32_t next = (rank + 1) % 3;
        plan.Add(0, {rank, {next, 1}}, {next, {rank, 2}}, ConnectorPlan::RAIL, {{0, 1}});
    }
    plan.Add(1, {0, {1, 0}}, {2, {0, 0}}, ConnectorPlan::SCALE_UP, {{0, 0}, {1, 1}});
    plan.Add(1, {2, {0, 1}}, {0, {1, 1}}, ConnectorPlan::RAIL, {{0, 1}, {1, 0}});

    // The queue pairs that each rank makes, by their numbers on the NIC, see each other.
    using Key = std::tuple<uint32_t, ConnectorPlan::Network, uint32_t>; // rank, network, number
    std::map<Key, std::tuple<Key, uint32_t, uint32_t>> pairs;
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        std::map<ConnectorPlan::Network, uint32_t> made;
        for (const auto& side : plan.GetSides(rank))
        {
            EXPECT_EQ(side.first, made[side.network]) << "rank " << rank;
            for (uint32_t i = 0; i < side.ports.size(); ++i)
            {
                const Key peer{side.peer, side.network, side.peerFirst + i};
                pairs[{rank, side.network, made[side.network]++}] = {peer,
                                                                     side.ports[i].first,
                                                                     side.ports[i].second};
            }
        }
        for (const auto network : {ConnectorPlan::RAIL, ConnectorPlan::SCALE_UP})
        {
            EXPECT_EQ(plan.GetQueuePairs(rank, network), made[network]);
        }
    }
    EXPECT_EQ(pairs.size(), 2U * (3 + 2 + 2));
    for (const auto& [key, value] : pairs)
    {
        const auto& [peer, port, peerPort] = value;
        ASSERT_EQ(pairs.count(peer), 1U);
        EXPECT_EQ(pairs.at(peer), std::make_tuple(key, peerPort, port));
    }
}
