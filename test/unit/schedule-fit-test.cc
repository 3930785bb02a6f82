// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The check of schedules before a run names the mistake.
 */

#include "ns3/schedule-check.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

using Copy = ScheduledReceive::Action;

constexpr uint64_t BUFFER_BYTES = 100; //!< of a buffer

/// Three ranks, each of which sends 10 bytes to the next one, and 20 to the previous one after it
/// has received the 10.
struct Triangle
{
    std::vector<std::vector<ScheduledSend>> sends;
    std::vector<std::vector<std::vector<uint16_t>>> after;
    std::vector<std::vector<ScheduledReceive>> receives;

    Triangle()
        : sends(3),
          after(3),
          receives(3)
    {
        for (uint32_t rank = 0; rank < 3; ++rank)
        {
            const uint32_t next = (rank + 1) % 3;
            const uint32_t previous = (rank + 2) % 3;
            receives[rank].push_back({{0, 10}, previous, CONNECTOR_DIRECT, Copy::COPY});
            receives[rank].push_back({{10, 20}, next, CONNECTOR_DIRECT, Copy::COPY});
            Add(rank, {0, 10}, next, 0, {});
            Add(rank, {10, 20}, previous, 1, {0});
        }
    }

    void Add(uint32_t rank,
             const ByteRange& data,
             uint32_t peer,
             uint16_t id,
             const std::vector<uint16_t>& waits)
    {
        ScheduledSend send;
        send.data = data;
        send.peer = peer;
        send.connector = CONNECTOR_DIRECT;
        send.transferId = id;
        sends[rank].push_back(send);
        after[rank].push_back(waits);
    }

    /// @return the answer of the check
    std::string Check() const
    {
        std::vector<CollectiveSchedule> schedules(sends.size());
        for (uint32_t rank = 0; rank < sends.size(); ++rank)
        {
            for (const auto& receive : receives[rank])
            {
                schedules[rank].AddReceive(receive);
            }
            for (std::size_t i = 0; i < sends[rank].size(); ++i)
            {
                schedules[rank].AddSend(sends[rank][i], after[rank][i]);
            }
        }
        return CheckSchedulesFit(schedules, std::vector<uint64_t>(sends.size(), BUFFER_BYTES));
    }
};

/// @return the answer if something has been changed
std::string
CheckChanged(const std::function<void(Triangle&)>& change)
{
    Triangle triangle;
    change(triangle);
    return triangle.Check();
}

TEST(ScheduleFitTest, SchedulesThatFitAreRight)
{
    EXPECT_EQ(Triangle().Check(), "");
}

TEST(ScheduleFitTest, AForgottenReceiveIsNoForgottenSend)
{
    EXPECT_EQ(CheckChanged([](Triangle& all) { all.receives[1].pop_back(); }),
              "rank 2 sends 1 messages to rank 1, which receives 0 from it: a receive is missing");
    EXPECT_EQ(CheckChanged([](Triangle& all) {
                  all.sends[2].pop_back();
                  all.after[2].pop_back();
              }),
              "rank 2 sends 0 messages to rank 1, which receives 1 from it: a send is missing");
}

TEST(ScheduleFitTest, PeersAndRangesExist)
{
    EXPECT_EQ(CheckChanged([](Triangle& all) { all.sends[1][0].peer = 3; }),
              "rank 1 sends to rank 3, but the group has ranks 0 to 2");
    EXPECT_EQ(CheckChanged([](Triangle& all) { all.receives[1][0].peer = 1; }),
              "rank 1 receives from rank 1, which is itself");
    EXPECT_EQ(CheckChanged([](Triangle& all) { all.sends[0][1].data.offset = 90; }),
              "rank 0 sends bytes 90 to 110 of a buffer of 100 bytes");
    EXPECT_EQ(CheckChanged([](Triangle& all) {
                  all.receives[2][0].data = {~uint64_t{0}, 10};
              }),
              "rank 2 receives bytes 18446744073709551615 to 9 of a buffer of 100 bytes");
}

TEST(ScheduleFitTest, TransferIdsExistAndAreUsedOnce)
{
    EXPECT_EQ(CheckChanged([](Triangle& all) { all.sends[0][0].transferId = 7; }),
              "rank 0 sends transfer id 7 to rank 1, which has 2 receives, from 0 on");
    EXPECT_EQ(CheckChanged([](Triangle& all) { all.sends[0][0].transferId = 1; }),
              "rank 0 sends transfer id 1 to rank 1, which receives that message from rank 2");
    EXPECT_EQ(CheckChanged([](Triangle& all) {
                  all.receives[1].push_back(all.receives[1][0]);
                  all.Add(0, {0, 10}, 1, 0, {});
              }),
              "rank 0 sends transfer id 0 to rank 1 twice");
    EXPECT_EQ(CheckChanged([](Triangle& all) { all.after[0][1] = {5}; }),
              "rank 0 sends to rank 2 after its receive 5, but it has 2 receives, from 0 on");
}

TEST(ScheduleFitTest, BothEndsAgreeOnSizeAndConnector)
{
    EXPECT_EQ(CheckChanged([](Triangle& all) { all.sends[0][0].data.bytes = 9; }),
              "rank 0 sends transfer id 0 to rank 1, 9 bytes, but 10 are to be received");
    EXPECT_EQ(CheckChanged([](Triangle& all) { all.sends[0][0].connector = CONNECTOR_NEXT; }),
              "rank 0 sends transfer id 0 to rank 1, on NEXT, but it is to be received on DIRECT, "
              "not on the other end PREVIOUS");
    EXPECT_EQ(CheckChanged([](Triangle& all) {
                  all.sends[0][0].connector = CONNECTOR_NEXT;
                  all.receives[1][0].connector = CONNECTOR_PREVIOUS;
              }),
              "");
}

TEST(ScheduleFitTest, RanksDoNotWaitForEachOtherInACircle)
{
    EXPECT_EQ(CheckChanged([](Triangle& all) {
                  all.after[0][0] = {0};
                  all.after[1][0] = {0};
                  all.after[2][0] = {0};
              }),
              "ranks wait for each other in a circle: rank 0 sends to rank 1 only after a message "
              "from rank 2; rank 2 sends to rank 0 only after a message from rank 1; rank 1 sends "
              "to rank 2 only after a message from rank 0");
    // A send that leads to the circle is no part of it.
    EXPECT_EQ(CheckChanged([](Triangle& all) {
                  all.after[0][0] = {1};
                  all.after[1][1] = {0};
              }),
              "ranks wait for each other in a circle: rank 0 sends to rank 1 only after a message "
              "from rank 1; rank 1 sends to rank 0 only after a message from rank 0");
}

} // namespace
} // namespace ns3
