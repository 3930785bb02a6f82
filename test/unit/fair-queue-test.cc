// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/message-server.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace ns3
{
namespace
{

TEST(FairQueue, TenantsHaveTheirTurns)
{
    FairQueue<int> queue;
    for (int i = 0; i < 100; ++i)
    {
        queue.Push(7, i);
    }
    queue.Push(3, 1000);
    queue.Push(9, 2000);
    queue.Push(3, 1001);
    EXPECT_EQ(queue.GetSize(), 103u);
    EXPECT_EQ(queue.GetSize(3), 2u);
    std::vector<int> order;
    for (int i = 0; i < 6; ++i)
    {
        EXPECT_EQ(queue.GetNext(Time(0)), Time(0));
        order.push_back(queue.Pop(Time(0)));
    }
    EXPECT_EQ(order, (std::vector<int>{1000, 0, 2000, 1001, 1, 2}));
}

TEST(FairQueue, AnElementWaitsForOneOfEachOtherTenant)
{
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round)
    {
        FairQueue<uint64_t> queue;
        const uint64_t tenants = 1 + random() % 5;
        for (int i = 0; i < 1000; ++i)
        {
            queue.Push(1 + random() % tenants, 1);
        }
        const uint64_t before = random() % 3;
        for (uint64_t i = 0; i <= before; ++i)
        {
            queue.Push(0, 0);
        }
        uint64_t served = 0;
        for (uint64_t own = 0; own <= before; ++served)
        {
            own += queue.Pop(Time(0)) == 0 ? 1 : 0;
        }
        EXPECT_LE(served, (before + 1) * (tenants + 1));
    }
}

TEST(FairQueue, ATenantWithoutTokensWaitsAlone)
{
    using Queue = FairQueue<int>;
    Queue queue;
    queue.SetRate(1000);
    const auto burst = static_cast<int>(Queue::BURST);
    for (int i = 0; i < burst + 2; ++i)
    {
        queue.Push(1, i);
    }
    for (int i = 0; i < burst; ++i)
    {
        ASSERT_EQ(queue.GetNext(Time(0)), Time(0));
        EXPECT_EQ(queue.Pop(Time(0)), i);
    }
    const auto due = queue.GetNext(Time(0));
    ASSERT_TRUE(due);
    EXPECT_EQ(*due, MilliSeconds(1));
    queue.Push(2, -1);
    EXPECT_EQ(queue.GetNext(Time(0)), Time(0)) << "the other tenant has tokens";
    EXPECT_EQ(queue.Pop(Time(0)), -1);
    EXPECT_EQ(queue.Pop(MilliSeconds(1)), burst);
    EXPECT_EQ(queue.GetNext(MilliSeconds(1)), MilliSeconds(2));
    queue.Clear();
    EXPECT_FALSE(queue.GetNext(MilliSeconds(1)));
}

uint64_t g_messagesServed = 0; //!< by the server of the test

void
CountServed(const OpusArrival&)
{
    ++g_messagesServed;
}

TEST(MessageServer, ServesAllThatIsBeyondTheRate)
{
    MessageServer server;
    server.SetHandler(MakeCallback(&CountServed));
    server.SetLimits(1e6 / 3, 0); // a token is due at no whole picosecond
    g_messagesServed = 0;
    const auto all = static_cast<uint64_t>(FairQueue<int>::BURST) + 2000;
    for (uint64_t i = 0; i < all; ++i)
    {
        server.Put(0, Time(0), OpusArrival(), 1);
    }
    Simulator::Run();
    EXPECT_EQ(g_messagesServed, all);
    EXPECT_GE(Simulator::Now(), MilliSeconds(5));
    Simulator::Destroy();
}

} // namespace
} // namespace ns3
