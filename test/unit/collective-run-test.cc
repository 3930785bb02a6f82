// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/collective-engine.h"
#include "ns3/collective-run.h"

#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

/// A node of a tree: two children below it, a parent above, and the result comes back.
class TreeRun : public testing::Test
{
  protected:
    TreeRun()
    {
        const auto add = ScheduledReceive::Action::REDUCE;
        CollectiveSchedule schedule;
        const auto left = schedule.AddReceive({{0, 100}, 1, 0, add});
        const auto right = schedule.AddReceive({{0, 100}, 2, 1, add});
        const auto result = schedule.AddReceive({{0, 100}, 5, 2, {}});
        AddSend(schedule, 5, {left, right});
        AddSend(schedule, 1, {result});
        AddSend(schedule, 2, {result});
        m_run = std::make_unique<CollectiveRun>(std::move(schedule),
                                                [this](const ScheduledSend& send, bool last) {
                                                    m_posted.push_back(send.peer);
                                                    m_last.push_back(last);
                                                });
    }

    static void AddSend(CollectiveSchedule& schedule, uint32_t peer, std::vector<uint16_t> after)
    {
        ScheduledSend send;
        send.data.bytes = 100;
        send.peer = peer;
        schedule.AddSend(send, after);
    }

    std::vector<uint32_t> m_posted;
    std::vector<bool> m_last; // of what has been posted, on its connector
    std::unique_ptr<CollectiveRun> m_run;
};

TEST_F(TreeRun, SendsWaitForAllTheyDependOn)
{
    m_run->Start();
    EXPECT_TRUE(m_posted.empty());
    m_run->StripeArrived(1, 100);
    m_run->StripeArrived(0, 60);
    EXPECT_TRUE(m_posted.empty()) << "60 of 100 bytes are not all";
    m_run->StripeArrived(0, 40);
    EXPECT_EQ(m_posted, (std::vector<uint32_t>{5}));
    m_run->SendAcknowledged();
    m_run->StripeArrived(2, 100);
    EXPECT_EQ(m_posted, (std::vector<uint32_t>{5, 1, 2}));
    m_run->SendAcknowledged();
    EXPECT_FALSE(m_run->HasEnded());
    m_run->SendAcknowledged();
    EXPECT_TRUE(m_run->HasEnded());
    EXPECT_EQ(m_last, (std::vector<bool>{true, true, true})) << "each on a connector of its own";
}

TEST_F(TreeRun, NothingHappensAfterFailure)
{
    m_run->Start();
    m_run->StripeArrived(0, 100);
    m_run->Fail();
    m_run->StripeArrived(1, 100);
    m_run->SendAcknowledged();
    EXPECT_TRUE(m_posted.empty());
    EXPECT_TRUE(m_run->HasFailed());
    EXPECT_FALSE(m_run->HasEnded());
}

TEST_F(TreeRun, WrongArrivalsAbort)
{
    m_run->Start();
    EXPECT_DEATH(m_run->StripeArrived(3, 1), "does not expect");
    EXPECT_DEATH(m_run->StripeArrived(0, 101), "same call");
    m_run->StripeArrived(0, 100);
    EXPECT_DEATH(m_run->StripeArrived(0, 0), "same call");
}

TEST(CollectiveRunTest, AMessageWithoutDataCountsWhenItComes)
{
    CollectiveSchedule schedule;
    const auto id = schedule.AddReceive({});
    schedule.AddSend({}, {id});
    uint32_t posted = 0;
    CollectiveRun run(schedule, [&posted](const ScheduledSend&, bool) { ++posted; });
    run.Start();
    EXPECT_EQ(posted, 0);
    run.StripeArrived(id, 0);
    EXPECT_EQ(posted, 1);
    run.SendAcknowledged();
    EXPECT_TRUE(run.HasEnded());
}

TEST(CollectiveRunTest, TheLastSendOnAConnectorStandsForThoseBeforeIt)
{
    CollectiveSchedule schedule;
    const auto late = schedule.AddReceive({});
    std::vector<std::pair<uint16_t, bool>> posted; // transfer, last on its connector
    const auto add = [&schedule](uint16_t transfer, uint32_t peer, uint16_t connector, bool waits) {
        ScheduledSend send;
        send.peer = peer;
        send.connector = connector;
        send.transferId = transfer;
        schedule.AddSend(send, waits ? std::vector<uint16_t>{0} : std::vector<uint16_t>{});
    };
    add(0, 1, 0, false);
    add(1, 1, 0, true); // is listed before the next, and posted after it
    add(2, 1, 0, false);
    add(3, 1, 7, false);
    add(4, 2, 0, false);
    CollectiveRun run(schedule, [&posted](const ScheduledSend& send, bool last) {
        posted.emplace_back(send.transferId, last);
    });
    run.Start();
    run.StripeArrived(late, 0);
    EXPECT_EQ(posted,
              (std::vector<std::pair<uint16_t, bool>>{{0, false},
                                                      {2, false},
                                                      {3, true},
                                                      {4, true},
                                                      {1, true}}));
    run.SendAcknowledged();
    run.SendAcknowledged();
    EXPECT_FALSE(run.HasEnded());
    run.SendAcknowledged();
    EXPECT_TRUE(run.HasEnded()) << "three connectors";
}

TEST(CollectiveRunTest, AnEmptyScheduleHasEnded)
{
    CollectiveRun run(CollectiveSchedule(), nullptr);
    run.Start();
    EXPECT_TRUE(run.HasEnded());
}

TEST(CollectiveImmediateTest, WhatIsEncodedIsDecoded)
{
    for (const bool pointToPoint : {false, true})
    {
        for (const uint16_t sequence : {0, 1, 32766, 32767})
        {
            for (const uint16_t transfer : {0, 1, 65535})
            {
                const CollectiveImmediate out{pointToPoint, sequence, transfer};
                const auto in = CollectiveImmediate::Decode(out.Encode());
                EXPECT_EQ(in.pointToPoint, pointToPoint);
                EXPECT_EQ(in.sequence, sequence);
                EXPECT_EQ(in.transferId, transfer);
            }
        }
    }
}

TEST(CollectiveImmediateTest, SequenceNumbersWrap)
{
    const auto ahead = [](uint64_t message, uint64_t current) {
        return CollectiveImmediate{false, CollectiveImmediate::Wrap(message), 0}.GetCallsAhead(
            current);
    };
    EXPECT_EQ(ahead(5, 5), 0);
    EXPECT_EQ(ahead(7, 5), 2);
    EXPECT_EQ(ahead(32768, 32767), 1);
    EXPECT_EQ(ahead(100000, 99998), 2);
    EXPECT_GE(ahead(4, 5), CollectiveImmediate::SEQUENCES / 2) << "a call that has ended";
    EXPECT_GE(ahead(32767, 32768), CollectiveImmediate::SEQUENCES / 2);
}

} // namespace
} // namespace ns3
