// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How packets of a FastPathPairState pass a switch.
 */

#include "ns3/fast-path-pair-state.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t LINE_OUTSIDE = 24; //!< bytes around a frame

/// A line with a switch in the middle, on which only one end has data.
class RdmaBurstPassageTest : public testing::Test
{
  protected:
    RdmaBurstPassageTest()
    {
        for (uint32_t end = 0; end < FastPathPairState::ENDS; ++end)
        {
            auto& one = m_line.At(end);
            one.delay = 10;
            one.ackTime = 2;
            one.ackBytes = 86;
            one.window = 1000;
            one.ackEvery = 1000;
            one.timeout = {1000000, 0, 1000000, 1000000};
            one.hop = true;
            one.toHop = 10;
            one.hopLatency = 5;
            one.outsideBytes = LINE_OUTSIDE;
        }
    }

    /// Post a message of equal packets that take so long and so many bytes.
    void Post(uint64_t packets, int64_t time, uint32_t bytes = 100)
    {
        FastPathPairState::Message message;
        message.firstPsn = m_state.ends[0].limit;
        message.packets = packets;
        message.first = message.middle = message.last = {time, bytes};
        m_line.Post(m_state, 0, message);
    }

    /// @return when all that is on its way from an end arrives, packet by packet
    std::vector<int64_t> GetArrivals() const
    {
        std::vector<int64_t> arrivals;
        for (const auto& flight : m_state.ends[0].flights)
        {
            for (uint32_t i = 0; i < flight.GetFrames(); ++i)
            {
                arrivals.push_back(m_line.GetPassage(0, flight, i).arrives);
            }
        }
        return arrivals;
    }

    FastPathPairState m_line;
    FastPathPairState::State m_state;
};

TEST_F(RdmaBurstPassageTest, EqualPacketsKeepTheirDistance)
{
    Post(4, 100);
    m_line.Run(m_state, 401, true);
    // Stored, then forwarded: 100 + 10 + 5 + 100 + 10.
    EXPECT_EQ(GetArrivals(), (std::vector<int64_t>{225, 325, 425, 525}));
    m_line.Run(m_state, FastPathPairState::NEVER, true);
    EXPECT_EQ(m_state.now, 525);
    // The second comes in at 210, when the first has left at 115.
    EXPECT_EQ(m_line.GetDepth(m_state, 0), 100 - LINE_OUTSIDE);
}

TEST_F(RdmaBurstPassageTest, CutThroughSavesATransmission)
{
    m_line.At(0).cutThrough = true;
    m_line.At(0).toHop = 10 + 72;
    Post(2, 100);
    m_line.Run(m_state, 101, true);
    EXPECT_EQ(GetArrivals(), (std::vector<int64_t>{72 + 10 + 5 + 100 + 10, 297}));
}

TEST_F(RdmaBurstPassageTest, ShortPacketsWaitAndAcknowledgementsOvertakeThem)
{
    Post(1, 100);
    Post(1, 40, 90);
    Post(1, 40, 90);
    m_line.Run(m_state, 180, true);
    // The long one leaves the switch from 115 to 215, the others are ready at 155 and 195.
    EXPECT_EQ(GetArrivals(), (std::vector<int64_t>{225, 265, 305}));
    m_state.ends[0].ackDue = true;
    m_line.Decide(m_state, 0);
    // Ready at 180 + 2 + 10 + 5 = 197: before those that begin to leave at 215 and 255.
    EXPECT_EQ(GetArrivals(), (std::vector<int64_t>{225, 227, 267, 307}));
    EXPECT_EQ(m_state.ends[0].flights[1].count, 0u);
    EXPECT_EQ(m_state.ends[0].hopFree, 297);
    m_state.now = 308;
    // They come in at 150 and 190 and find each other.
    EXPECT_EQ(m_line.GetDepth(m_state, 0), 2 * (90 - LINE_OUTSIDE));
}

TEST_F(RdmaBurstPassageTest, ACutGivesBackTheTimeOfTheSwitch)
{
    Post(50, 100);
    m_line.Run(m_state, 301, true);
    const int64_t free = m_state.ends[0].hopFree;
    const uint64_t next = m_state.ends[0].next;
    m_line.Cut(m_state, 0);
    const auto back = static_cast<int64_t>(next - m_state.ends[0].next);
    EXPECT_GT(back, 0);
    EXPECT_EQ(m_state.ends[0].hopFree, free - 100 * back);
}

} // namespace
