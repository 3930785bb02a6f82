// SPDX-License-Identifier: GPL-2.0-only

// Queue pairs around a switch, computed frame by frame: against those of a line, and where they
// share a port.

#include "ns3/fast-path-region-state.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

using Region = FastPathRegionState;
using Line = FastPathPairState;

constexpr int64_t DELAY = 100;
constexpr int64_t SWITCH_LATENCY = 500;
constexpr uint32_t REGION_OUTSIDE = 24;
constexpr uint64_t MTU = 1000;
constexpr Line::Size FULL{1000, MTU + REGION_OUTSIDE};
constexpr Line::Size ACK{70, 84};
const RdmaTimeoutBounds TIMEOUT{1000000, 10000, 1000000, 10000000};

/// Messages of full packets but for the last one.
Line::Message
MakeRegionMessage(uint64_t firstPsn, uint64_t bytes)
{
    Line::Message message;
    message.firstPsn = firstPsn;
    message.packets = (bytes + MTU - 1) / MTU;
    message.payloadBytes = bytes;
    const auto rest = static_cast<uint32_t>(bytes - (message.packets - 1) * MTU);
    message.last = {int64_t{rest}, rest + REGION_OUTSIDE};
    message.first = message.packets > 1 ? FULL : message.last;
    message.middle = message.packets > 2 ? FULL : message.first;
    return message;
}

/// Adds the links of some ports around one switch; output i, numbered `ports` + i, leads to port i.
void
AddSwitch(Region& region, uint32_t ports, uint64_t limit)
{
    region.SetLimit(limit);
    for (uint32_t i = 0; i < ports; ++i)
    {
        region.AddPort(Region::Link{DELAY, DELAY, false, i, 0, REGION_OUTSIDE});
    }
    for (uint32_t i = 0; i < ports; ++i)
    {
        region.AddOutput(Region::Link{DELAY, DELAY, false, i, SWITCH_LATENCY, REGION_OUTSIDE});
    }
}

/// A region of some ports around a switch, and queue pairs at them.
class FastPathRegionStateTest : public testing::Test
{
  protected:
    void AddPorts(uint32_t ports, uint64_t limit = 1000 * MTU)
    {
        m_ports = ports;
        AddSwitch(m_region, ports, limit);
    }

    /// Queue pairs of two ports that talk, through the switch unless routes are given.
    void Connect(uint32_t from, uint32_t to, uint32_t window, uint32_t ackEvery)
    {
        Connect(from, to, window, ackEvery, {m_ports + to}, {m_ports + from});
    }

    void Connect(uint32_t from,
                 uint32_t to,
                 uint32_t window,
                 uint32_t ackEvery,
                 std::vector<uint32_t> route,
                 std::vector<uint32_t> back)
    {
        const Region::State before = std::move(m_state);
        const auto next = static_cast<uint32_t>(before.qps.size());
        m_region.Add({from, next + 1, std::move(route), ACK, MTU, window, ackEvery, 0, TIMEOUT});
        m_region.Add({to, next, std::move(back), ACK, MTU, window, ackEvery, 0, TIMEOUT});
        m_state = m_region.MakeState();
        m_region.Prepare(m_state);
    }

    void Post(uint32_t qp, uint64_t bytes)
    {
        const uint64_t psn = m_state.qps[qp].limit;
        m_region.Post(m_state, qp, MakeRegionMessage(psn, bytes));
        m_region.Ready(m_state, qp);
    }

    /// Let time pass; what is finished is reported at once.
    Region::Reason Run()
    {
        const auto reason = m_region.Run(m_state, Region::NEVER, true);
        for (uint32_t qp = 0; qp < m_state.qps.size(); ++qp)
        {
            m_region.Ready(m_state, qp);
        }
        return reason;
    }

    uint32_t m_ports{0};
    Region m_region;
    Region::State m_state;
};

TEST_F(FastPathRegionStateTest, APacketTakesTwoTransmissionsAndTheSwitch)
{
    AddPorts(2);
    Connect(0, 1, 8, 4);
    Post(0, MTU);
    EXPECT_EQ(Run(), Region::VISIBLE);
    const int64_t oneWay = 2 * FULL.time + 2 * DELAY + SWITCH_LATENCY;
    EXPECT_EQ(m_state.now, oneWay);
    EXPECT_EQ(m_state.qps[1].arriving, 1u);
    EXPECT_EQ(Run(), Region::VISIBLE);
    EXPECT_EQ(m_state.now, oneWay + 2 * ACK.time + 2 * DELAY + SWITCH_LATENCY);
    EXPECT_EQ(m_state.qps[0].finishing, 1u);
    EXPECT_EQ(Run(), Region::QUIET);
    EXPECT_TRUE(m_region.IsQuiet(m_state));
}

TEST_F(FastPathRegionStateTest, QueuePairsOfAPortTakeTurns)
{
    AddPorts(3);
    Connect(0, 1, 1000, 32);
    Connect(0, 2, 1000, 32);
    constexpr int64_t packets = 500;
    Post(0, packets * MTU);
    Post(2, packets * MTU);
    while (m_state.qps[1].arriving == 0)
    {
        EXPECT_NE(Run(), Region::QUIET);
    }
    // The last but one packet of both is that of the first.
    EXPECT_EQ(m_state.now, 2 * packets * FULL.time + 2 * DELAY + SWITCH_LATENCY);
    EXPECT_EQ(m_state.qps[3].expected, uint64_t{packets - 1});
    while (m_state.qps[3].arriving == 0)
    {
        EXPECT_NE(Run(), Region::QUIET);
    }
    EXPECT_EQ(m_state.now, (2 * packets + 1) * FULL.time + 2 * DELAY + SWITCH_LATENCY);
}

TEST_F(FastPathRegionStateTest, TwoWhoSendToOneShareItsPort)
{
    AddPorts(3);
    Connect(0, 2, 1000, 1000);
    Connect(1, 2, 1000, 1000);
    Post(0, 100 * MTU);
    Post(2, 100 * MTU);
    while (m_state.qps[3].arriving == 0)
    {
        EXPECT_NE(Run(), Region::QUIET);
    }
    EXPECT_EQ(m_state.now, FULL.time + 200 * FULL.time + 2 * DELAY + SWITCH_LATENCY);
    m_region.Enter(m_state, m_state.now);
    const uint64_t depth = m_state.outputs[2].maxDepth;
    // What comes in at one instant comes in one after the other: half of it waits in the end.
    EXPECT_GE(depth, 99 * MTU);
    EXPECT_LE(depth, 102 * MTU);
}

TEST_F(FastPathRegionStateTest, TooMuchForTheSwitchIsSeenBefore)
{
    AddPorts(3, 10 * MTU);
    Connect(0, 2, 1000, 1000);
    Connect(1, 2, 1000, 1000);
    Post(0, 100 * MTU);
    Post(2, 100 * MTU);
    EXPECT_EQ(Run(), Region::FULL);
    m_region.Enter(m_state, m_state.now);
    const uint64_t depth = m_state.outputs[2].maxDepth;
    EXPECT_LE(depth, 11 * MTU);
}

TEST_F(FastPathRegionStateTest, PortsThatDependOnEachOther)
{
    AddPorts(4);
    Connect(0, 1, 8, 4);
    Connect(2, 3, 8, 4);
    Connect(1, 2, 8, 4);
    Post(0, MTU);
    EXPECT_FALSE(m_region.IsSplit(m_state));
    Post(2, MTU);
    EXPECT_TRUE(m_region.IsSplit(m_state));
    Post(4, MTU);
    EXPECT_FALSE(m_region.IsSplit(m_state));
}

TEST_F(FastPathRegionStateTest, APacketTakesATransmissionForEachSwitchInARow)
{
    // Port 0 at switch 2, port 1 at switch 3, one link in each direction between the switches.
    AddPorts(2);
    m_region.AddOutput({DELAY, DELAY, false, 9, SWITCH_LATENCY, REGION_OUTSIDE});
    m_region.AddOutput({DELAY, DELAY, false, 9, SWITCH_LATENCY, REGION_OUTSIDE});
    Connect(0, 1, 8, 4, {4, 3}, {5, 2});
    Post(0, MTU);
    EXPECT_EQ(Run(), Region::VISIBLE);
    const int64_t oneWay = 3 * FULL.time + 3 * DELAY + 2 * SWITCH_LATENCY;
    EXPECT_EQ(m_state.now, oneWay);
    EXPECT_EQ(Run(), Region::VISIBLE);
    EXPECT_EQ(m_state.now, oneWay + 3 * ACK.time + 3 * DELAY + 2 * SWITCH_LATENCY);
    EXPECT_EQ(Run(), Region::QUIET);
    EXPECT_TRUE(m_region.IsQuiet(m_state));
}

TEST_F(FastPathRegionStateTest, QueuePairsOfTwoPortsShareTheLinkBetweenSwitches)
{
    // Ports 0 and 1 at one switch, ports 2 and 3 at the next one.
    AddPorts(4);
    m_region.AddOutput({DELAY, DELAY, false, 9, SWITCH_LATENCY, REGION_OUTSIDE});
    m_region.AddOutput({DELAY, DELAY, false, 9, SWITCH_LATENCY, REGION_OUTSIDE});
    Connect(0, 2, 1000, 1000, {8, 6}, {9, 4});
    Connect(1, 3, 1000, 1000, {8, 7}, {9, 5});
    Post(0, 100 * MTU);
    EXPECT_FALSE(m_region.IsSplit(m_state));
    Post(2, 100 * MTU);
    EXPECT_FALSE(m_region.IsSplit(m_state)); // the shared link connects the ports
    while (m_state.qps[3].arriving == 0)
    {
        EXPECT_NE(Run(), Region::QUIET);
    }
    EXPECT_EQ(m_state.now, 2 * FULL.time + 200 * FULL.time + 3 * DELAY + 2 * SWITCH_LATENCY);
}

TEST_F(FastPathRegionStateTest, TwoQueuePairsShareACircuit)
{
    m_region.AddPort({DELAY, DELAY, false, 0, 0, REGION_OUTSIDE});
    m_region.AddPort({DELAY, DELAY, false, 0, 0, REGION_OUTSIDE});
    Connect(0, 1, 1000, 32, {}, {});
    Connect(0, 1, 1000, 32, {}, {});
    constexpr int64_t packets = 50000; // repetitions are computed at once
    Post(0, packets * MTU);
    Post(2, packets * MTU);
    while (m_state.qps[3].arriving == 0)
    {
        EXPECT_NE(Run(), Region::QUIET);
    }
    EXPECT_EQ(m_state.now, 2 * packets * FULL.time + DELAY);
    EXPECT_EQ(m_state.links[0].wireBytes, 2 * packets * FULL.bytes);
}

/// A region of two ports around a switch is a line.
TEST(FastPathRegionLineTest, TwoPortsAreALine)
{
    std::mt19937_64 random(7);
    for (uint32_t round = 0; round < 200; ++round)
    {
        const auto window = static_cast<uint32_t>(1 + random() % 64);
        const auto ackEvery = static_cast<uint32_t>(1 + random() % 40);
        Region region;
        AddSwitch(region, 2, 1000 * MTU);
        Line line;
        Line::State state2;
        for (uint32_t end = 0; end < 2; ++end)
        {
            region.Add({end, 1 - end, {3 - end}, ACK, MTU, window, ackEvery, 0, TIMEOUT});
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
            one.outsideBytes = REGION_OUTSIDE;
        }
        Region::State state = region.MakeState();
        region.Prepare(state);
        for (uint32_t i = 0; i < 6; ++i)
        {
            const auto end = static_cast<uint32_t>(random() % 2);
            const auto message = MakeRegionMessage(state.qps[end].limit,
                                                   1 + random() % (random() % 2 ? 2000 : 900000));
            region.Post(state, end, message);
            region.Ready(state, end);
            line.Post(state2, end, message);
        }
        auto reason = Line::VISIBLE;
        while (reason == Line::VISIBLE)
        {
            reason = line.Run(state2, Line::NEVER, true);
            const auto other = region.Run(state, Region::NEVER, true);
            ASSERT_EQ(reason == Line::VISIBLE, other == Region::VISIBLE) << round;
            for (uint32_t end = 0; end < 2; ++end)
            {
                region.Ready(state, end);
                const Line::EndState& one = state2.ends[end];
                const Region::QueuePairState& qp = state.qps[end];
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
            EXPECT_EQ(state2.ends[end].totals.wireBytes, state.links[end].wireBytes);
            EXPECT_EQ(state.links[3 - end].wireBytes, state.links[end].wireBytes);
        }
    }
}

} // namespace
