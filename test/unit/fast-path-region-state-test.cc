// SPDX-License-Identifier: GPL-2.0-only

// Queue pairs around switches and on circuits: alone, where they share a port, and computed in runs
// against packet by packet.

#include "ns3/fast-path-region-state.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

using Region = FastPathRegionState;

constexpr int64_t DELAY = 100;
constexpr int64_t SWITCH_LATENCY = 500;
constexpr uint32_t REGION_OUTSIDE = 24;
constexpr uint64_t MTU = 1000;
constexpr Region::Size FULL{1000, MTU + REGION_OUTSIDE};
constexpr Region::Size ACK{70, 84};
const RdmaTimeoutBounds TIMEOUT{1000000, 10000, 1000000, 10000000};

/// Messages of full packets but for the last one.
Region::Message
MakeRegionMessage(uint64_t firstPsn, uint64_t bytes)
{
    Region::Message message;
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
                 Region::Route route,
                 Region::Route back,
                 uint64_t mtu = MTU)
    {
        const Region::State before = std::move(m_state);
        const auto next = static_cast<uint32_t>(before.qps.size());
        m_region.Add({from, next + 1, std::move(route), ACK, mtu, window, ackEvery, TIMEOUT});
        m_region.Add({to, next, std::move(back), ACK, mtu, window, ackEvery, TIMEOUT});
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
    m_region.Absorb(m_state, 2, m_state.now);
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

TEST_F(FastPathRegionStateTest, ARunIsOneFrameAndKeepsItsDistanceInASwitch)
{
    AddPorts(2);
    Connect(0, 1, 1000, 1000);
    Post(0, 50 * MTU);
    m_region.Run(m_state, 10 * FULL.time, true);
    const auto& frames = m_state.outputs[1].queues[0].frames;
    const Region::Frame& run = m_state.links[3].last;
    EXPECT_TRUE(frames.empty());
    EXPECT_EQ(run.psn, 0u);
    EXPECT_EQ(run.count, 49u); // the last packet of a message is apart
    EXPECT_EQ(m_state.links[3].GetStart(), FULL.time + DELAY + SWITCH_LATENCY);
    EXPECT_EQ(m_state.qps[0].next, 49u);
    // What has not begun to leave its port is taken back, also at the switch and behind it.
    m_region.Cut(m_state);
    EXPECT_EQ(m_state.qps[0].next, 10u);
    EXPECT_EQ(m_state.links[0].free, 10 * FULL.time);
    // The switch sends from 1600 on, so 9 packets of the run have begun there before 10000.
    EXPECT_EQ(m_state.links[3].last.count, 9u);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames.front().count, 1u);
    EXPECT_EQ(frames.front().psn, 9u);
    while (m_region.Run(m_state, Region::NEVER, true) != Region::QUIET)
    {
    }
    EXPECT_EQ(m_state.outputs[1].maxDepth, MTU);
    EXPECT_EQ(m_state.outputs[1].entered, 50u);
}

TEST_F(FastPathRegionStateTest, AnAcknowledgementPassesTheRestOfARunInASwitch)
{
    AddPorts(2);
    Connect(0, 1, 1000, 1000);
    Post(0, 50 * MTU);
    Post(1, MTU);
    // The packet of port 1 arrives at 2700; its acknowledgement leaves port 0 at 3000, between two
    // packets, and is ready at 3670, when the switch sends the packet that began at 3600.
    const int64_t ready = 3 * FULL.time + ACK.time + DELAY + SWITCH_LATENCY;
    EXPECT_EQ(m_region.Run(m_state, Region::NEVER, true), Region::VISIBLE);
    m_region.Run(m_state, ready + FULL.time, true);
    const int64_t sent = 2 * FULL.time + DELAY + SWITCH_LATENCY + 2 * FULL.time;
    EXPECT_EQ(m_state.qps[0].acks, 1u);
    while (m_state.qps[1].finishing == 0)
    {
        EXPECT_NE(Run(), Region::QUIET);
    }
    EXPECT_EQ(m_state.now, sent + ACK.time + DELAY);
}

TEST_F(FastPathRegionStateTest, ARunThatEndsWhereAPacketArrivesIsNoLonger)
{
    constexpr Region::Size quarter{MTU / 4, MTU / 4 + REGION_OUTSIDE};
    AddPorts(3);
    Connect(0, 2, 1000, 1000, {5}, {3}, MTU / 4);
    Connect(1, 2, 1000, 1000);
    constexpr int64_t packets = 50;
    Post(2, packets * MTU);
    // The packets of port 1 are at the switch at 1600, 2600 and so on. Of packets that take a
    // quarter of the time, from 3600 on, four pass between two of those. The last run of them ends
    // a packet before that of 5600.
    constexpr int64_t small = 9;
    m_region.Run(m_state, 3600 - quarter.time - DELAY - SWITCH_LATENCY, true);
    Region::Message message;
    message.packets = small;
    message.payloadBytes = small * MTU / 4;
    message.first = message.middle = message.last = quarter;
    m_region.Post(m_state, 0, message);
    m_region.Ready(m_state, 0);
    while (m_state.qps[3].arriving == 0)
    {
        ASSERT_NE(Run(), Region::QUIET);
    }
    // The port of the switch never idles.
    EXPECT_EQ(m_state.now,
              FULL.time + DELAY + SWITCH_LATENCY + packets * FULL.time + small * quarter.time +
                  DELAY);
    EXPECT_EQ(m_state.outputs[2].entered, uint64_t{packets + small});
}

TEST_F(FastPathRegionStateTest, AFrameThatAPausedPortHasKeptLeavesWhenTheRegionBegins)
{
    AddPorts(3);
    Connect(0, 2, 8, 4);
    Connect(1, 2, 8, 4);
    constexpr int64_t BEGINS = 10000;
    m_state.now = BEGINS;
    Region::Frame kept;
    kept.at = BEGINS - 1000;
    kept.time = FULL.time;
    kept.bytes = FULL.bytes;
    kept.entered = 1;
    kept.asks = true;
    kept.ends = true;
    m_region.Post(m_state, 0, MakeRegionMessage(0, MTU));
    m_state.qps[0].next = 1;
    m_region.Insert(m_state, kept);
    Region::Queue& queue = m_region.GetOutput(m_state, 5).queues[0];
    queue.entered = 1;
    queue.depth = MTU;
    Post(2, MTU);
    m_region.Prepare(m_state);
    m_region.Decide(m_state, 1); // its packet is on the way to the same output
    EXPECT_EQ(Run(), Region::VISIBLE);
    EXPECT_EQ(m_state.qps[1].arriving, 1u);
    EXPECT_EQ(m_state.now, BEGINS + FULL.time + DELAY);
}

/// Regions in runs against the same regions where every run is cut again and again.
class FastPathRegionCutTest : public testing::TestWithParam<uint32_t>
{
  protected:
    /// Two ports on a circuit (0), two or three around a switch (1, 2), or four at two switches.
    void AddLinks(uint32_t kind)
    {
        if (kind == 0)
        {
            m_region.AddPort({DELAY, DELAY, false, 0, 0, REGION_OUTSIDE});
            m_region.AddPort({DELAY, DELAY, false, 0, 0, REGION_OUTSIDE});
            Connect(0, 1, {}, {});
            return;
        }
        const uint32_t ports = kind + 1;
        AddSwitch(m_region, ports, 100000 * MTU);
        if (kind < 3)
        {
            for (uint32_t port = 1; port < ports; ++port)
            {
                Connect(0, port, {ports + port}, {ports});
            }
            return;
        }
        m_region.AddOutput({DELAY, DELAY, true, 9, SWITCH_LATENCY, REGION_OUTSIDE});
        m_region.AddOutput({DELAY, DELAY, true, 9, SWITCH_LATENCY, REGION_OUTSIDE});
        Connect(0, 2, {8, 6}, {9, 4});
        Connect(1, 3, {8, 7}, {9, 5});
    }

    void Connect(uint32_t from, uint32_t to, Region::Route route, Region::Route back)
    {
        const auto window = static_cast<uint32_t>(1 + m_random() % 64);
        const auto ackEvery = static_cast<uint32_t>(1 + m_random() % 40);
        m_region.Add({from, m_qps + 1, std::move(route), ACK, MTU, window, ackEvery, TIMEOUT});
        m_region.Add({to, m_qps, std::move(back), ACK, MTU, window, ackEvery, TIMEOUT});
        m_qps += 2;
    }

    /// Run to the next observable event.
    /// @param often time between two cuts; 0 for none
    Region::Reason Run(Region::State& state, int64_t often) const
    {
        auto reason = Region::REACHED;
        while (reason == Region::REACHED)
        {
            const int64_t until = often == 0 ? int64_t{Region::NEVER} : state.now + often;
            reason = m_region.Run(state, until, true);
            if (often > 0 && reason == Region::QUIET && !m_region.IsQuiet(state))
            {
                reason = Region::REACHED;
            }
            if (often > 0 && reason == Region::REACHED)
            {
                m_region.Cut(state);
            }
        }
        for (uint32_t qp = 0; qp < m_qps; ++qp)
        {
            m_region.Ready(state, qp);
        }
        return reason;
    }

    std::mt19937_64 m_random{GetParam()};
    Region m_region;
    uint32_t m_qps{0};
};

TEST_P(FastPathRegionCutTest, CutsChangeNothing)
{
    AddLinks(GetParam() % 4);
    Region::State whole = m_region.MakeState();
    m_region.Prepare(whole);
    for (uint32_t i = 0; i < 3 * m_qps; ++i)
    {
        const auto qp = static_cast<uint32_t>(m_random() % m_qps);
        const uint64_t bytes = 1 + m_random() % (m_random() % 2 ? 2000 : 400000);
        m_region.Post(whole, qp, MakeRegionMessage(whole.qps[qp].limit, bytes));
        m_region.Ready(whole, qp);
    }
    Region::State cut = whole;
    const auto often = static_cast<int64_t>(1 + m_random() % (m_random() % 2 ? 1500 : 30000));
    auto reason = Region::VISIBLE;
    while (reason == Region::VISIBLE)
    {
        reason = Run(whole, 0);
        ASSERT_EQ(reason, Run(cut, often));
        ASSERT_NE(reason, Region::FULL);
        for (uint32_t number = 0; number < m_qps; ++number)
        {
            const Region::QueuePairState& qp = whole.qps[number];
            const Region::QueuePairState& other = cut.qps[number];
            ASSERT_EQ(qp.arriving, other.arriving);
            ASSERT_EQ(qp.finishing, other.finishing);
            ASSERT_EQ(qp.unacked, other.unacked);
            ASSERT_EQ(qp.timer.smoothed, other.timer.smoothed);
        }
        ASSERT_TRUE(reason != Region::VISIBLE || whole.now == cut.now);
    }
    m_region.Enter(whole, whole.now);
    m_region.Enter(cut, cut.now);
    for (std::size_t link = 0; link < whole.links.size(); ++link)
    {
        EXPECT_EQ(whole.links[link].wireBytes, cut.links[link].wireBytes) << link;
        EXPECT_EQ(whole.links[link].free, cut.links[link].free) << link;
    }
    for (std::size_t output = 0; output < whole.outputs.size(); ++output)
    {
        EXPECT_EQ(whole.outputs[output].entered, cut.outputs[output].entered) << output;
        EXPECT_EQ(whole.outputs[output].maxDepth, cut.outputs[output].maxDepth) << output;
        EXPECT_EQ(whole.outputs[output].queues[0].depth, cut.outputs[output].queues[0].depth);
    }
    for (uint32_t number = 0; number < m_qps; ++number)
    {
        EXPECT_EQ(whole.qps[number].packets, cut.qps[number].packets) << number;
        EXPECT_EQ(whole.qps[number].bursts, cut.qps[number].bursts) << number;
        EXPECT_EQ(whole.qps[number].acks, cut.qps[number].acks) << number;
        EXPECT_EQ(whole.qps[number].received, cut.qps[number].received) << number;
    }
}

INSTANTIATE_TEST_SUITE_P(FastPathRegion, FastPathRegionCutTest, testing::Range(0U, 400U));

} // namespace
