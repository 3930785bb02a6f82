// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/ring-algorithm.h"
#include "ns3/schedule-replay.h"

#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace ns3
{
namespace
{

TEST(RingScheduleTest, BytesSentAreThoseOfTheAlgorithm)
{
    const uint64_t tensor = 16 * 1024 * 1024;
    for (const uint32_t size : {2U, 4U, 8U, 16U})
    {
        const uint64_t chunk = tensor / size;
        for (const uint32_t directions : {1U, 2U})
        {
            const auto gather =
                MakeRingSchedule(CollectiveKind::ALL_GATHER, size, 1, chunk, directions);
            const auto scatter =
                MakeRingSchedule(CollectiveKind::REDUCE_SCATTER, size, 1, tensor, directions);
            const auto reduce =
                MakeRingSchedule(CollectiveKind::ALL_REDUCE, size, 1, tensor, directions);
            EXPECT_EQ(gather.GetBytesSent(), (size - 1) * chunk);
            EXPECT_EQ(scatter.GetBytesSent(), (size - 1) * chunk);
            EXPECT_EQ(reduce.GetBytesSent(), 2 * (size - 1) * chunk);
            EXPECT_EQ(reduce.GetBytesReceived(), 2 * (size - 1) * chunk);
            EXPECT_EQ(reduce.GetSends().size(), 2 * (size - 1) * directions);
        }
    }
}

TEST(RingScheduleTest, BothConnectorsStartAtOnceWithHalfOfTheData)
{
    const auto schedule = MakeRingSchedule(CollectiveKind::REDUCE_SCATTER, 4, 0, 4 * 1001);
    std::map<uint16_t, uint64_t> first;
    std::map<uint16_t, uint32_t> peer;
    for (const auto& send : schedule.GetSends())
    {
        if (schedule.GetAfter(send).empty())
        {
            first[send.connector] += send.data.bytes;
            peer[send.connector] = send.peer;
        }
    }
    EXPECT_EQ(first[CONNECTOR_NEXT], 501);
    EXPECT_EQ(first[CONNECTOR_PREVIOUS], 500);
    EXPECT_EQ(peer[CONNECTOR_NEXT], 1);
    EXPECT_EQ(peer[CONNECTOR_PREVIOUS], 3);
}

TEST(RingScheduleTest, TheLargestGroupFillsTheTransferIds)
{
    const uint32_t size = CollectiveSchedule::MAX_RECEIVES / 4 + 1;
    const auto schedule = MakeRingSchedule(CollectiveKind::ALL_REDUCE, size, 7, 1 << 20);
    EXPECT_EQ(schedule.GetReceives().size(), CollectiveSchedule::MAX_RECEIVES);
    EXPECT_DEATH(MakeRingSchedule(CollectiveKind::ALL_REDUCE, size + 1, 7, 1 << 20),
                 "group is too large");
}

TEST(NeighbourScheduleTest, AMessageIsCarriedOnce)
{
    for (const uint32_t size : {2U, 3U, 5U, 16U})
    {
        for (const uint32_t directions : {1U, 2U})
        {
            for (const uint64_t bytes : {0, 1, 2, 4097})
            {
                for (const uint32_t peer : {1U, size - 1})
                {
                    std::vector<CollectiveSchedule> schedules(size);
                    const auto send = CollectiveKind::SEND;
                    const auto recv = CollectiveKind::RECV;
                    schedules[0] = MakeNeighbourSchedule(send, size, 0, peer, bytes, directions);
                    schedules[peer] = MakeNeighbourSchedule(recv, size, peer, 0, bytes, directions);
                    EXPECT_EQ(schedules[0].GetSends().size(),
                              size == 2 && directions == 2 ? 2U : 1U);
                    EXPECT_EQ(schedules[0].GetBytesSent(), bytes);
                    std::vector<ScheduleReplay::Buffer> buffers(size,
                                                                ScheduleReplay::Buffer(bytes));
                    for (uint64_t byte = 0; byte < bytes; ++byte)
                    {
                        buffers[0][byte] = {1, static_cast<uint32_t>(byte)};
                    }
                    ScheduleReplay replay(schedules, buffers);
                    EXPECT_EQ(replay.Run({ReplayOrder::LAST, true}), "");
                    EXPECT_EQ(replay.GetBuffer(peer), buffers[0]);
                }
            }
        }
    }
}

TEST(NeighbourScheduleTest, ThereIsNoConnectorToOthers)
{
    EXPECT_DEATH(MakeNeighbourSchedule(CollectiveKind::SEND, 4, 0, 2, 10), "no connector");
    EXPECT_DEATH(MakeNeighbourSchedule(CollectiveKind::SEND, 4, 1, 1, 10), "no connector");
}

TEST(SplitEvenlyTest, PartsAddUpAndDifferByAByteAtMost)
{
    for (const uint64_t bytes : {0ULL, 1ULL, 6ULL, 7ULL, 8ULL, 4015130624ULL})
    {
        uint64_t next = 100;
        for (uint64_t part = 0; part < 7; ++part)
        {
            const auto range = SplitEvenly({100, bytes}, 7, part);
            EXPECT_EQ(range.offset, next);
            EXPECT_GE(range.bytes, bytes / 7);
            EXPECT_LE(range.bytes, bytes / 7 + 1);
            next += range.bytes;
        }
        EXPECT_EQ(next, 100 + bytes);
    }
}

} // namespace
} // namespace ns3
