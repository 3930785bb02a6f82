// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What is measured beside the simulation: latency of packets, and how busy links are.
 */

#include "rdma-hosts.h"

#include "ns3/link-utilisation.h"
#include "ns3/packet-latency-recorder.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/// Let a recorder hear all NIC ports.
void
ObserveAll(PacketLatencyRecorder& recorder, const RailCluster& cluster)
{
    const NetDeviceContainer ports = cluster.GetNicPorts();
    for (uint32_t i = 0; i < ports.GetN(); ++i)
    {
        recorder.Observe(DynamicCast<TransceiverNetDevice>(ports.Get(i)));
    }
}

/** One message over an idle path. */
class IdlePathTestCase : public PicosecondTestCase
{
  public:
    IdlePathTestCase()
        : PicosecondTestCase("Each packet of a message has the latency of its bytes and its path")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool photonic : {true, false})
        {
            RdmaHosts hosts(2);
            hosts.helper.SetSwitchAttribute("HopLatency", TimeValue(NanoSeconds(500)));
            hosts.Build({{0, 1}}, photonic);
            PacketLatencyRecorder recorder;
            ObserveAll(recorder, hosts.cluster);
            const uint64_t bytes = 9 * 4096 + 100;
            hosts.Connect(0, 1, {0}).first->Post(bytes, 1);
            Simulator::Run();
            // First bit out to last bit in: once on a circuit, twice through a switch, where the
            // short last packet waits until the one before it has left.
            const auto packets = PacketTimes(bytes);
            LatencyHistogram expected;
            Time in;
            Time out;
            for (const auto& packet : packets)
            {
                const Time begun = in;
                in += packet;
                out = std::max(out, in + NanoSeconds(600)) + packet;
                expected.Add(photonic ? packet + PathDelay() : out + NanoSeconds(100) - begun);
            }
            const auto seen = recorder.GetLatencies().GetSummary();
            const auto wanted = expected.GetSummary();
            NS_TEST_EXPECT_MSG_EQ(seen.count, packets.size(), "acknowledgements do not count");
            NS_TEST_EXPECT_MSG_EQ(seen.min, wanted.min, "minimum");
            NS_TEST_EXPECT_MSG_EQ(seen.median, wanted.median, "median");
            NS_TEST_EXPECT_MSG_EQ(seen.p99, wanted.p99, "99 %");
            NS_TEST_EXPECT_MSG_EQ(seen.max, wanted.max, "maximum");
        }
    }
};

/** Frames that are lost. */
class LostPacketsTestCase : public PicosecondTestCase
{
  public:
    LostPacketsTestCase()
        : PicosecondTestCase("Lost packets have no latency, repeated ones their own")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.Build({{0, 1}});
        PacketLatencyRecorder recorder;
        ObserveAll(recorder, hosts.cluster);
        hosts.Lose(1, 0, [](uint32_t number, const RoceHeader&) { return number == 3; });
        hosts.Connect(0, 1, {0}).first->Post(8 * 4096, 1);
        Simulator::Run();
        const auto sent = hosts.GetStatistics(0);
        NS_TEST_ASSERT_MSG_GT(sent.retransmissions, 0, "nothing was lost");
        const auto seen = recorder.GetLatencies().GetSummary();
        NS_TEST_EXPECT_MSG_EQ(seen.count, sent.dataPacketsSent - 1, "arrivals");
        NS_TEST_EXPECT_MSG_EQ(seen.max,
                              WireTime(FIXED_BYTES + 16 + 4096) + PathDelay(),
                              "a repeated packet is as fast as a new one");
    }
};

/** What ports have sent. */
class UtilisationTestCase : public PicosecondTestCase
{
  public:
    UtilisationTestCase()
        : PicosecondTestCase("A link is busy for its bytes on the wire, and only after the start")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.Build({{0, 1}});
        LinkUtilisation links;
        for (uint32_t host = 0; host < 2; ++host)
        {
            links.Add(host == 0 ? "sender" : "receiver", hosts.cluster.GetNic(host)->GetPort(0));
        }
        links.Add("both", hosts.cluster.GetNic(0)->GetPort(0));
        links.Add("both", hosts.cluster.GetNic(1)->GetPort(0));
        auto connection = hosts.Connect(0, 1, {0}).first;
        connection->Post(50 * 4096, 1);
        Simulator::Run();
        links.Start();
        const auto idle = links.Measure();
        NS_TEST_EXPECT_MSG_EQ(idle[0].mean, 0, "no time has passed");
        NS_TEST_EXPECT_MSG_EQ(idle[0].bytes, 0, "what was sent before does not count");

        const Time start = Simulator::Now();
        connection->Post(4 * 4096, 2);
        Simulator::Run();
        const auto packets = PacketTimes(4 * 4096);
        const Time data = Sum(packets, packets.size());
        const double whole = (Simulator::Now() - start).ToDouble(Time::PS);
        const auto tiers = links.Measure();
        NS_TEST_ASSERT_MSG_EQ(tiers.size(), 3, "tiers");
        const double sender = data.ToDouble(Time::PS) / whole;
        NS_TEST_EXPECT_MSG_EQ_TOL(tiers[0].mean, sender, 1e-9, "data");
        NS_TEST_EXPECT_MSG_EQ_TOL(tiers[1].max, AckTime().ToDouble(Time::PS) / whole, 1e-9, "ACK");
        NS_TEST_EXPECT_MSG_EQ(WireTime(tiers[0].bytes), data, "bytes on the wire");
        NS_TEST_EXPECT_MSG_EQ(tiers[2].name, "both", "tiers are in the order of their naming");
        NS_TEST_EXPECT_MSG_EQ(tiers[2].ports, 2, "ports");
        NS_TEST_EXPECT_MSG_EQ_TOL(tiers[2].mean, (tiers[0].mean + tiers[1].mean) / 2, 1e-9, "mean");
        NS_TEST_EXPECT_MSG_EQ(tiers[2].max, tiers[0].max, "the busiest port");
    }
};

/** The suite. */
class AnalysisTestSuite : public TestSuite
{
  public:
    AnalysisTestSuite()
        : TestSuite("photonic-rails-analysis", Type::UNIT)
    {
        AddTestCase(new IdlePathTestCase);
        AddTestCase(new LostPacketsTestCase);
        AddTestCase(new UtilisationTestCase);
    }
};

AnalysisTestSuite g_analysisTestSuite; //!< the instance

} // namespace
