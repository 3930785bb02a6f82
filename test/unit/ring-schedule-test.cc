// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Moves contributions about as the schedules say, byte by byte and for all ranks, and checks where
 * they end. The order in which messages travel is as hostile as the schedules allow.
 */

#include "ns3/ring-schedule.h"

#include <gtest/gtest.h>
#include <map>
#include <ostream>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

using Action = ScheduledReceive::Action;

/// How often each rank's input is contained in a byte.
using Contributions = std::vector<uint8_t>;

/// The buffers of all ranks, and the messages between them.
class DataMovement
{
  public:
    DataMovement(std::vector<CollectiveSchedule> schedules, uint64_t tensorBytes)
        : m_schedules(std::move(schedules)),
          m_buffers(m_schedules.size(),
                    std::vector<Contributions>(tensorBytes, Contributions(m_schedules.size(), 0)))
    {
        for (const auto& schedule : m_schedules)
        {
            m_posted.emplace_back(schedule.GetSends().size(), false);
            m_arrived.emplace_back(schedule.GetReceives().size(), false);
        }
    }

    Contributions& At(uint32_t rank, uint64_t byte)
    {
        return m_buffers[rank][byte];
    }

    /**
     * Carry out all sends that may start, until none is left.
     *
     * @param backwards look at ranks and sends from the last to the first
     */
    void Run(bool backwards)
    {
        bool progress = true;
        while (progress)
        {
            progress = false;
            for (uint32_t i = 0; i < m_schedules.size(); ++i)
            {
                const uint32_t rank = backwards ? m_schedules.size() - 1 - i : i;
                const uint32_t sends = m_schedules[rank].GetSends().size();
                for (uint32_t j = 0; j < sends; ++j)
                {
                    progress = TrySend(rank, backwards ? sends - 1 - j : j) || progress;
                }
            }
        }
    }

    /// @return true if all sends went out and all receives came in
    bool IsComplete() const
    {
        for (const auto* flags : {&m_posted, &m_arrived})
        {
            for (const auto& ofRank : *flags)
            {
                for (const bool flag : ofRank)
                {
                    if (!flag)
                    {
                        return false;
                    }
                }
            }
        }
        return true;
    }

  private:
    bool TrySend(uint32_t rank, uint32_t index)
    {
        const auto& schedule = m_schedules[rank];
        const auto& send = schedule.GetSends()[index];
        if (m_posted[rank][index])
        {
            return false;
        }
        for (const uint16_t id : schedule.GetAfter(send))
        {
            if (!m_arrived[rank].at(id))
            {
                return false;
            }
        }
        m_posted[rank][index] = true;
        Deliver(rank, send);
        return true;
    }

    void Deliver(uint32_t rank, const ScheduledSend& send)
    {
        const auto& receive = m_schedules.at(send.peer).GetReceives().at(send.transferId);
        EXPECT_EQ(receive.peer, rank);
        EXPECT_EQ(receive.data.bytes, send.data.bytes);
        EXPECT_EQ(receive.lane, send.lane == LANE_NEXT ? LANE_PREVIOUS : LANE_NEXT);
        EXPECT_FALSE(m_arrived[send.peer][send.transferId]) << "received twice";
        m_arrived[send.peer][send.transferId] = true;
        for (uint64_t byte = 0; byte < send.data.bytes; ++byte)
        {
            const Contributions& from = m_buffers[rank].at(send.data.offset + byte);
            Contributions& to = m_buffers[send.peer].at(receive.data.offset + byte);
            for (uint32_t i = 0; i < to.size(); ++i)
            {
                to[i] = from[i] + (receive.action == Action::REDUCE ? to[i] : 0);
            }
        }
    }

    std::vector<CollectiveSchedule> m_schedules;
    std::vector<std::vector<Contributions>> m_buffers;
    std::vector<std::vector<bool>> m_posted;
    std::vector<std::vector<bool>> m_arrived;
};

/// One case of the sweep.
struct Shape
{
    uint32_t size;       //!< number of ranks
    uint64_t bytes;      //!< input of a rank
    uint32_t directions; //!< ways round the ring
    bool backwards;      //!< order in which messages travel
};

/// @return the case in words
std::ostream&
operator<<(std::ostream& os, const Shape& shape)
{
    return os << shape.bytes << " bytes, " << shape.directions << " directions"
              << (shape.backwards ? ", backwards" : "");
}

/// @return how the buffers look after a collective
DataMovement
Perform(CollectiveKind kind, const Shape& shape)
{
    std::vector<CollectiveSchedule> schedules;
    for (uint32_t rank = 0; rank < shape.size; ++rank)
    {
        schedules.push_back(
            MakeRingSchedule(kind, shape.size, rank, shape.bytes, shape.directions));
    }
    const bool gather = kind == CollectiveKind::ALL_GATHER;
    DataMovement movement(std::move(schedules), GetRingTensorBytes(kind, shape.size, shape.bytes));
    for (uint32_t rank = 0; rank < shape.size; ++rank)
    {
        for (uint64_t byte = 0; byte < shape.bytes; ++byte)
        {
            movement.At(rank, byte + (gather ? rank * shape.bytes : 0))[rank] = 1;
        }
    }
    movement.Run(shape.backwards);
    EXPECT_TRUE(movement.IsComplete());
    return movement;
}

/// The parameter is the number of ranks.
class RingDataTest : public testing::TestWithParam<uint32_t>
{
  protected:
    /// @return nothing, less than a byte each, primes, multiples and their neighbours; all ways
    std::vector<Shape> GetShapes() const
    {
        std::vector<Shape> shapes;
        for (const uint64_t bytes : {0, 1, 2, 3, 7, 15, 16, 17, 31, 97, 240})
        {
            for (const uint32_t directions : {1, 2})
            {
                for (const bool backwards : {false, true})
                {
                    shapes.push_back({GetParam(), bytes, directions, backwards});
                }
            }
        }
        return shapes;
    }
};

TEST_P(RingDataTest, AllGatherGivesEveryRankEachShardOnce)
{
    for (const auto& shape : GetShapes())
    {
        auto movement = Perform(CollectiveKind::ALL_GATHER, shape);
        for (uint32_t rank = 0; rank < shape.size; ++rank)
        {
            for (uint64_t byte = 0; byte < shape.size * shape.bytes; ++byte)
            {
                Contributions expected(shape.size, 0);
                expected[byte / shape.bytes] = 1;
                ASSERT_EQ(movement.At(rank, byte), expected)
                    << shape << ": rank " << rank << " byte " << byte;
            }
        }
    }
}

TEST_P(RingDataTest, ReduceScatterGivesEveryRankItsChunkFromAll)
{
    for (const auto& shape : GetShapes())
    {
        auto movement = Perform(CollectiveKind::REDUCE_SCATTER, shape);
        uint64_t total = 0;
        for (uint32_t rank = 0; rank < shape.size; ++rank)
        {
            const auto chunk = SplitEvenly({0, shape.bytes}, shape.size, rank);
            total += chunk.bytes;
            for (uint64_t byte = chunk.offset; byte < chunk.offset + chunk.bytes; ++byte)
            {
                ASSERT_EQ(movement.At(rank, byte), Contributions(shape.size, 1))
                    << shape << ": rank " << rank << " byte " << byte;
            }
        }
        EXPECT_EQ(total, shape.bytes);
    }
}

TEST_P(RingDataTest, AllReduceGivesEveryRankAllChunksFromAll)
{
    for (const auto& shape : GetShapes())
    {
        auto movement = Perform(CollectiveKind::ALL_REDUCE, shape);
        for (uint32_t rank = 0; rank < shape.size; ++rank)
        {
            for (uint64_t byte = 0; byte < shape.bytes; ++byte)
            {
                ASSERT_EQ(movement.At(rank, byte), Contributions(shape.size, 1))
                    << shape << ": rank " << rank << " byte " << byte;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RingDataTest, testing::Range(1U, 17U));

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

TEST(RingScheduleTest, BothLanesStartAtOnceWithHalfOfTheData)
{
    const auto schedule = MakeRingSchedule(CollectiveKind::REDUCE_SCATTER, 4, 0, 4 * 1001);
    std::map<uint16_t, uint64_t> first;
    std::map<uint16_t, uint32_t> peer;
    for (const auto& send : schedule.GetSends())
    {
        if (schedule.GetAfter(send).empty())
        {
            first[send.lane] += send.data.bytes;
            peer[send.lane] = send.peer;
        }
    }
    EXPECT_EQ(first[LANE_NEXT], 501);
    EXPECT_EQ(first[LANE_PREVIOUS], 500);
    EXPECT_EQ(peer[LANE_NEXT], 1);
    EXPECT_EQ(peer[LANE_PREVIOUS], 3);
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
                    DataMovement movement(schedules, bytes);
                    for (uint64_t byte = 0; byte < bytes; ++byte)
                    {
                        movement.At(0, byte)[0] = 1;
                    }
                    movement.Run(false);
                    EXPECT_TRUE(movement.IsComplete());
                    for (uint64_t byte = 0; byte < bytes; ++byte)
                    {
                        ASSERT_EQ(movement.At(peer, byte)[0], 1);
                    }
                }
            }
        }
    }
}

TEST(NeighbourScheduleTest, ThereIsNoLaneToOthers)
{
    EXPECT_DEATH(MakeNeighbourSchedule(CollectiveKind::SEND, 4, 0, 2, 10), "no lane");
    EXPECT_DEATH(MakeNeighbourSchedule(CollectiveKind::SEND, 4, 1, 1, 10), "no lane");
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
