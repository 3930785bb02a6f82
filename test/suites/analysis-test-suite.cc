// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What is measured beside the simulation: latency of packets, how busy links are, and the
 * experiments of the programs that compare fabrics.
 */

#include "rdma-hosts.h"

#include "ns3/collective-time.h"
#include "ns3/collectives-experiment.h"
#include "ns3/command-line.h"
#include "ns3/link-utilisation.h"
#include "ns3/packet-latency-recorder.h"
#include "ns3/permutation-traffic.h"

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

/// Let settings read flags.
template <typename Settings>
void
Parse(Settings& settings, std::vector<std::string> flags)
{
    CommandLine cmd;
    settings.AddFlags(cmd);
    flags.insert(flags.begin(), "test");
    cmd.Parse(flags);
}

/** Messages that do not meet. */
class PermutationTestCase : public PicosecondTestCase
{
  public:
    PermutationTestCase()
        : PicosecondTestCase("A permutation through one switch, and on circuits, takes the time of "
                             "one message")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t bytes = 300000;
        PermutationTraffic traffic;
        Parse(traffic, {"--domains=6", "--bytes=300000", "--seed=5"});
        // On a circuit with one of the two ports.
        NS_TEST_ASSERT_MSG_EQ(traffic.Check("photonic"), "", "photonic");
        FabricProbe circuits;
        FabricRun run = traffic.Run(circuits);
        const auto whole = PacketTimes(bytes);
        NS_TEST_EXPECT_MSG_EQ(run.messageTimes.count, 6, "messages");
        NS_TEST_EXPECT_MSG_EQ(run.messageTimes.min, run.messageTimes.max, "all alike");
        NS_TEST_EXPECT_MSG_EQ(run.completion, Sum(whole, whole.size()) + PathDelay(), "circuits");
        NS_TEST_EXPECT_MSG_EQ(circuits.GetMeasurement().dataPackets, 6 * whole.size(), "packets");
        NS_TEST_EXPECT_MSG_EQ(circuits.GetMeasurement().packetLatency.max,
                              WireTime(FIXED_BYTES + 16 + 4096) + PathDelay(),
                              "the first packet of a message is the longest");
        NS_TEST_EXPECT_MSG_EQ(circuits.GetMeasurement().writeTimes.count, 6, "a Write each");
        NS_TEST_EXPECT_MSG_EQ(circuits.GetMeasurement().writeTimes.max,
                              run.completion + WireTime(FIXED_BYTES + 4) + PathDelay(),
                              "until the acknowledgement is there");
        // Through a switch over both ports, half of the bytes each.
        NS_TEST_ASSERT_MSG_EQ(traffic.Check("electrical"), "", "electrical");
        FabricProbe switches;
        run = traffic.Run(switches);
        Time in;
        Time out;
        for (const auto& packet : PacketTimes(bytes / 2))
        {
            in += packet;
            out = std::max(out, in + NanoSeconds(600)) + packet;
        }
        NS_TEST_EXPECT_MSG_EQ(run.messageTimes.min, run.messageTimes.max, "all alike");
        NS_TEST_EXPECT_MSG_EQ(run.completion, out + NanoSeconds(100), "a switch");
        const auto& seen = switches.GetMeasurement();
        NS_TEST_ASSERT_MSG_EQ(seen.tiers.size(), 2, "tiers");
        NS_TEST_EXPECT_MSG_EQ(seen.tiers[0].name, "NIC up", "tier");
        NS_TEST_EXPECT_MSG_EQ(seen.tiers[1].name, "tier 1 down", "tier");
        NS_TEST_EXPECT_MSG_EQ(seen.tiers[1].ports, 12, "ports");
        NS_TEST_EXPECT_MSG_EQ(seen.bytesDelivered, 6 * bytes, "bytes");
        // Who shares a rail only: not everybody.
        Parse(traffic, {"--gpusPerDomain=2"});
        NS_TEST_EXPECT_MSG_NE(traffic.Check("rail-only"), "", "rails are not joined");
        NS_TEST_EXPECT_MSG_EQ(traffic.Check("fat-tree"), "", "all are joined");
    }
};

/** The experiment behind the table. */
class CollectivesTestCase : public PicosecondTestCase
{
  public:
    CollectivesTestCase()
        : PicosecondTestCase("A row of the table has the closed form's time on circuits")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto kind : {CollectiveKind::ALL_GATHER, CollectiveKind::ALL_REDUCE})
        {
            CollectivesSettings settings;
            Parse(settings,
                  {"--collective=" + ToString(kind), "--domains=6", "--warmup=0", "--minBytes=1M"});
            NS_TEST_ASSERT_MSG_EQ(settings.Check(), "", "settings");
            const CollectivesExperiment experiment(settings);
            for (const uint64_t bytes : {6000, 1 << 20})
            {
                const auto row = experiment.Run(bytes);
                NS_TEST_ASSERT_MSG_EQ(row.has_value(), true, "a standstill");
                CircuitTiming timing;
                timing.latency = PathDelay();
                const Time wanted = GetRingTime(kind, 6, row->size.callBytes, 2, timing);
                NS_TEST_EXPECT_MSG_EQ(row->time, wanted, ToString(kind) << " of " << bytes);
                NS_TEST_EXPECT_MSG_EQ(row->callTimes.count, 6, "calls");
                NS_TEST_EXPECT_MSG_EQ(row->callTimes.max, row->time, "the last rank");
            }
        }
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
        AddTestCase(new PermutationTestCase);
        AddTestCase(new CollectivesTestCase);
    }
};

AnalysisTestSuite g_analysisTestSuite; //!< the instance

} // namespace
