// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Incast: 64 hosts send to one at 400 Gbit/s, through a switch that pauses them and through one
 * that drops.
 */

#include "rdma-hosts.h"

#include "ns3/boolean.h"
#include "ns3/electrical-switch.h"

#include <numeric>

using namespace ns3;
using namespace ns3::test;

namespace
{

constexpr uint32_t SENDERS = 64;
constexpr uint64_t BYTES = 1 << 20; //!< of each sender

/** 64 messages to one host. */
class FabricIncastTestCase : public PicosecondTestCase
{
  public:
    FabricIncastTestCase(const std::string& name, bool pfc)
        : PicosecondTestCase(name),
          m_pfc(pfc)
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(SENDERS + 1);
        hosts.helper.SetSwitchAttribute("Pfc", BooleanValue(m_pfc));
        hosts.helper.SetSwitchAttribute("BufferSize", UintegerValue(24'000'000));
        hosts.Build({}, false);
        auto railSwitch = hosts.cluster.GetRail(0)->GetObject<ElectricalSwitch>();
        railSwitch->AssignStreams(1);
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            hosts.Connect(host, SENDERS, {0}).first->Post(BYTES, host);
        }
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(hosts.logs[SENDERS].received.size(), SENDERS, "every message, once");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[SENDERS].GetBytesReceived(), SENDERS * BYTES, "all bytes");
        RdmaQueuePair::Statistics sum;
        uint64_t pfcFrames = 0;
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            sum.retransmissions += hosts.GetStatistics(host).retransmissions;
            sum.bytesFailed += hosts.GetStatistics(host).bytesFailed;
            pfcFrames += hosts.cluster.GetNic(host)->GetPort(0)->GetPfcFramesReceived();
        }
        NS_TEST_EXPECT_MSG_EQ(sum.bytesFailed, 0, "nothing fails");
        const auto seen = railSwitch->GetStatistics();
        const uint64_t dropped =
            std::accumulate(seen.dropped.begin(), seen.dropped.end(), uint64_t{0});
        NS_TEST_EXPECT_MSG_EQ(railSwitch->GetBuffer().GetUsed(), 0, "the memory is empty again");
        if (m_pfc)
        {
            NS_TEST_EXPECT_MSG_EQ(dropped, 0, "nothing is lost");
            NS_TEST_EXPECT_MSG_EQ(sum.retransmissions, 0, "nothing is repeated");
            NS_TEST_EXPECT_MSG_GT(seen.pausesSent, SENDERS - 1, "each sender is paused");
            NS_TEST_EXPECT_MSG_EQ(seen.pausesSent, seen.resumesSent, "and resumed");
            NS_TEST_EXPECT_MSG_GT(pfcFrames, 2 * SENDERS - 1, "by frames");
            // The port of the receiver never idles: the first packet comes, then all of them leave.
            const auto packets = PacketTimes(BYTES);
            const Time end = packets[0] + NanoSeconds(600) +
                             Sum(packets, packets.size()) * int64_t{SENDERS} + NanoSeconds(100);
            const Time took = hosts.logs[SENDERS].received.back().at - hosts.start;
            NS_TEST_EXPECT_MSG_EQ(took, end, "at the line rate");
        }
        else
        {
            NS_TEST_EXPECT_MSG_GT(dropped, 1000, "losses");
            NS_TEST_EXPECT_MSG_EQ(seen.dropped[ElectricalSwitch::HEADROOM_FULL], 0, "no headroom");
            NS_TEST_EXPECT_MSG_GT(sum.retransmissions, dropped / 2, "repaired");
            NS_TEST_EXPECT_MSG_EQ(seen.pausesSent + pfcFrames, 0, "no pauses");
        }
    }

    bool m_pfc; //!< with flow control
};

/**
 * An incast after traffic without queues: the round trips measured before are shorter than the time
 * that packets then wait behind pauses, and no timer may take waiting packets for lost.
 */
class IncastAfterCalmTestCase : public PicosecondTestCase
{
  public:
    IncastAfterCalmTestCase()
        : PicosecondTestCase("An incast after short round trips repeats nothing")
    {
    }

  private:
    static constexpr uint32_t FLOWS = 8 * SENDERS; //!< queue pairs, eight of each host

    void DoRun() override
    {
        RdmaHosts hosts(SENDERS + 1);
        hosts.helper.SetSwitchAttribute("BufferSize", UintegerValue(60'000'000));
        hosts.Build({}, false);
        std::vector<Ptr<RdmaConnection>> senders;
        for (uint32_t flow = 0; flow < FLOWS; ++flow)
        {
            senders.push_back(hosts.Connect(flow % SENDERS, SENDERS, {0}).first);
            ScheduleCall(MicroSeconds(10 * flow), [sender = senders.back(), flow] {
                sender->Post(4096, flow); // alone: a round trip of a few microseconds
            });
        }
        ScheduleCall(MicroSeconds(10 * FLOWS), [&senders] {
            for (uint32_t flow = 0; flow < FLOWS; ++flow)
            {
                senders[flow]->Post(BYTES, flow);
            }
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[SENDERS].GetBytesReceived(),
                              FLOWS * (4096 + BYTES),
                              "all bytes");
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(host).timeouts, 0, "host " << host);
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(host).retransmissions, 0, "host " << host);
        }
        NS_TEST_EXPECT_MSG_GT(
            hosts.cluster.GetSwitches().front().device->GetStatistics().pausesSent,
            0,
            "senders are paused");
    }
};

/** Suite of incasts. */
class IncastTestSuite : public TestSuite
{
  public:
    IncastTestSuite()
        : TestSuite("photonic-rails-incast", Type::SYSTEM)
    {
        AddTestCase(new FabricIncastTestCase("64 to 1 with PFC: nothing is lost", true));
        AddTestCase(new IncastAfterCalmTestCase);
        AddTestCase(new FabricIncastTestCase("64 to 1 without: all arrives in the end", false));
    }
};

IncastTestSuite g_incastTestSuite; //!< the instance

} // namespace
