// SPDX-License-Identifier: GPL-2.0-only

// Queue pairs around a switch, computed frame by frame: against those of a line, and where they
// share a port.

#include "ns3/fast-path-star-state.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

using Star = FastPathStarState;
using Line = FastPathPairState;

constexpr int64_t DELAY = 100;
constexpr int64_t SWITCH_LATENCY = 500;
constexpr uint32_t STAR_OUTSIDE = 24;
constexpr uint64_t MTU = 1000;
constexpr Line::Size FULL{1000, MTU + STAR_OUTSIDE};
constexpr Line::Size ACK{70, 84};
const RdmaTimeoutBounds TIMEOUT{1000000, 10000, 1000000, 10000000};

/// Messages of full packets but for the last one.
Line::Message
MakeStarMessage(uint64_t firstPsn, uint64_t bytes)
{
    Line::Message message;
    message.firstPsn = firstPsn;
    message.packets = (bytes + MTU - 1) / MTU;
    message.payloadBytes = bytes;
    const auto rest = static_cast<uint32_t>(bytes - (message.packets - 1) * MTU);
    message.last = {int64_t{rest}, rest + STAR_OUTSIDE};
    message.first = message.packets > 1 ? FULL : message.last;
    message.middle = message.packets > 2 ? FULL : message.first;
    return message;
}

/// A star of some ports, and queue pairs at them.
class RdmaBurstStarTest : public testing::Test
{
  protected:
    void AddPorts(uint32_t ports)
    {
        for (uint32_t i = 0; i < ports; ++i)
        {
            m_star.Add(Star::Port{DELAY, DELAY, false, SWITCH_LATENCY, STAR_OUTSIDE, 1000 * MTU});
        }
        m_state.ports.resize(ports);
    }

    /// Queue pairs of two ports that talk.
    void Connect(uint32_t from, uint32_t to, uint32_t window, uint32_t ackEvery)
    {
        const auto next = static_cast<uint32_t>(m_state.qps.size());
        m_star.Add(Star::QueuePairEntry{from, next + 1, ACK, MTU, window, ackEvery, 0, TIMEOUT});
        m_star.Add(Star::QueuePairEntry{to, next, ACK, MTU, window, ackEvery, 0, TIMEOUT});
        m_state.qps.resize(next + 2);
        m_star.Prepare(m_state);
    }

    void Post(uint32_t qp, uint64_t bytes)
    {
        const uint64_t psn = m_state.qps[qp].limit;
        m_star.Post(m_state, qp, MakeStarMessage(psn, bytes));
        m_star.Ready(m_state, qp);
    }

    /// Let time pass; what is finished is reported at once.
    Star::Reason Run()
    {
        const auto reason = m_star.Run(m_state, Star::NEVER, true);
        for (uint32_t qp = 0; qp < m_state.qps.size(); ++qp)
        {
            m_star.Ready(m_state, qp);
        }
        return reason;
    }

    Star m_star;
    Star::State m_state;
};

TEST_F(RdmaBurstStarTest, APacketTakesTwoTransmissionsAndTheSwitch)
{
    AddPorts(2);
    Connect(0, 1, 8, 4);
    Post(0, MTU);
    EXPECT_EQ(Run(), Star::VISIBLE);
    const int64_t oneWay = 2 * FULL.time + 2 * DELAY + SWITCH_LATENCY;
    EXPECT_EQ(m_state.now, oneWay);
    EXPECT_EQ(m_state.qps[1].arriving, 1u);
    EXPECT_EQ(Run(), Star::VISIBLE);
    EXPECT_EQ(m_state.now, oneWay + 2 * ACK.time + 2 * DELAY + SWITCH_LATENCY);
    EXPECT_EQ(m_state.qps[0].finishing, 1u);
    EXPECT_EQ(Run(), Star::QUIET);
    EXPECT_TRUE(m_star.IsQuiet(m_state));
}

TEST_F(RdmaBurstStarTest, QueuePairsOfAPortTakeTurns)
{
    AddPorts(3);
    Connect(0, 1, 1000, 32);
    Connect(0, 2, 1000, 32);
    constexpr int64_t packets = 500;
    Post(0, packets * MTU);
    Post(2, packets * MTU);
    while (m_state.qps[1].arriving == 0)
    {
        EXPECT_NE(Run(), Star::QUIET);
    }
    // The last but one packet of both is that of the first.
    EXPECT_EQ(m_state.now, 2 * packets * FULL.time + 2 * DELAY + SWITCH_LATENCY);
    EXPECT_EQ(m_state.qps[3].expected, uint64_t{packets - 1});
    while (m_state.qps[3].arriving == 0)
    {
        EXPECT_NE(Run(), Star::QUIET);
    }
    EXPECT_EQ(m_state.now, (2 * packets + 1) * FULL.time + 2 * DELAY + SWITCH_LATENCY);
}

TEST_F(RdmaBurstStarTest, TwoWhoSendToOneShareItsPort)
{
    AddPorts(3);
    Connect(0, 2, 1000, 1000);
    Connect(1, 2, 1000, 1000);
    Post(0, 100 * MTU);
    Post(2, 100 * MTU);
    while (m_state.qps[3].arriving == 0)
    {
        EXPECT_NE(Run(), Star::QUIET);
    }
    EXPECT_EQ(m_state.now, FULL.time + 200 * FULL.time + 2 * DELAY + SWITCH_LATENCY);
    m_star.Enter(m_state, m_state.now);
    // What comes in at one instant comes in one after the other: half of it waits in the end.
    EXPECT_GE(m_state.depth, 99 * MTU);
    EXPECT_LE(m_state.depth, 102 * MTU);
}

TEST_F(RdmaBurstStarTest, TooMuchForTheSwitchIsSeenBefore)
{
    m_star.Add(Star::Port{DELAY, DELAY, false, SWITCH_LATENCY, STAR_OUTSIDE, 10 * MTU});
    m_star.Add(Star::Port{DELAY, DELAY, false, SWITCH_LATENCY, STAR_OUTSIDE, 10 * MTU});
    m_star.Add(Star::Port{DELAY, DELAY, false, SWITCH_LATENCY, STAR_OUTSIDE, 10 * MTU});
    m_state.ports.resize(3);
    Connect(0, 2, 1000, 1000);
    Connect(1, 2, 1000, 1000);
    Post(0, 100 * MTU);
    Post(2, 100 * MTU);
    EXPECT_EQ(Run(), Star::FULL);
    m_star.Enter(m_state, m_state.now);
    EXPECT_LE(m_state.depth, 11 * MTU);
}

TEST_F(RdmaBurstStarTest, PortsThatDependOnEachOther)
{
    AddPorts(4);
    Connect(0, 1, 8, 4);
    Connect(2, 3, 8, 4);
    Connect(1, 2, 8, 4);
    Post(0, MTU);
    EXPECT_FALSE(m_star.IsSplit(m_state));
    Post(2, MTU);
    EXPECT_TRUE(m_star.IsSplit(m_state));
    Post(4, MTU);
    EXPECT_FALSE(m_star.IsSplit(m_state));
}

/// A star of two ports is a line.
TEST(RdmaBurstStarLineTest, TwoPortsAreALine)
{
    std::mt19937_64 random(7);
    for (uint32_t round = 0; round < 200; ++round)
    {
        const auto window = static_cast<uint32_t>(1 + random() % 64);
        const auto ackEvery = static_cast<uint32_t>(1 + random() % 40);
        Star star;
        Star::State state;
        Line line;
        Line::State state2;
        for (uint32_t end = 0; end < 2; ++end)
        {
            star.Add(Star::Port{DELAY, DELAY, false, SWITCH_LATENCY, STAR_OUTSIDE, 1000 * MTU});
            star.Add(Star::QueuePairEntry{end, 1 - end, ACK, MTU, window, ackEvery, 0, TIMEOUT});
            Line::End& one = line.At(end);
            one.delay = DELAY;
            one.ackTime = ACK.time;
            one.ackBytes = ACK.bytes;
            one.window = window;
            one.ackEvery = ackEvery;
            one.timeout = TIMEOUT;
            one.hop = true;
            one.toHop = DELAY;
            one.hopLatency = SWITCH_LATENCY;
            one.outsideBytes = STAR_OUTSIDE;
        }
        state.ports.resize(2);
        state.qps.resize(2);
        star.Prepare(state);
        for (uint32_t i = 0; i < 6; ++i)
        {
            const auto end = static_cast<uint32_t>(random() % 2);
            const auto message = MakeStarMessage(state.qps[end].limit,
                                                 1 + random() % (random() % 2 ? 2000 : 900000));
            star.Post(state, end, message);
            star.Ready(state, end);
            line.Post(state2, end, message);
        }
        auto reason = Line::VISIBLE;
        while (reason == Line::VISIBLE)
        {
            reason = line.Run(state2, Line::NEVER, true);
            const auto other = star.Run(state, Star::NEVER, true);
            ASSERT_EQ(reason == Line::VISIBLE, other == Star::VISIBLE) << round;
            for (uint32_t end = 0; end < 2; ++end)
            {
                star.Ready(state, end);
                const Line::EndState& one = state2.ends[end];
                const Star::QueuePairState& qp = state.qps[end];
                ASSERT_EQ(state2.now, state.now) << round;
                ASSERT_EQ(one.arriving, qp.arriving) << round;
                ASSERT_EQ(one.finishing, qp.finishing) << round;
                ASSERT_EQ(one.unacked, qp.unacked) << round;
                ASSERT_EQ(one.timer.smoothed, qp.timer.smoothed) << round;
            }
        }
        for (uint32_t end = 0; end < 2; ++end)
        {
            EXPECT_EQ(state2.ends[end].totals.acks, state.qps[end].acks);
            EXPECT_EQ(state2.ends[end].totals.packets, state.qps[end].packets);
            EXPECT_EQ(state2.ends[end].totals.wireBytes, state.ports[end].wireBytes);
            EXPECT_EQ(state.ports[1 - end].passedBytes, state.ports[end].wireBytes);
        }
    }
}

} // namespace
