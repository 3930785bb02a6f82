// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What is measured beside the simulation: latency of packets, how busy links are, and the
 * experiments of the programs that compare fabrics.
 */

#include "../ring-time.h"
#include "network-time.h"
#include "rdma-hosts.h"

#include "ns3/collectives-experiment.h"
#include "ns3/command-line.h"
#include "ns3/fabric-comparison.h"
#include "ns3/fabric-report.h"
#include "ns3/latency-histogram.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/// Connect a recorder to all NIC ports.
void
ObserveAll(PacketLatencyRecorder& recorder, const RailCluster& cluster)
{
    const NetDeviceContainer ports = cluster.GetNicPorts();
    for (uint32_t i = 0; i < ports.GetN(); ++i)
    {
        recorder.Observe(DynamicCast<EthernetPortNetDevice>(ports.Get(i)));
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

/** The utilisation of ports. */
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
void
Parse(OptionGroup& settings, std::vector<std::string> flags)
{
    CommandLine cmd;
    settings.AddFlags(cmd);
    flags.insert(flags.begin(), "test");
    cmd.Parse(flags);
}

/** Messages that do not meet. */
class MeasuredPermutationTestCase : public PicosecondTestCase
{
  public:
    MeasuredPermutationTestCase()
        : PicosecondTestCase("A permutation through one switch, and on circuits, takes the time of "
                             "one message")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t bytes = 300000;
        OptionGroup options;
        PermutationTraffic traffic(&options);
        Parse(options, {"--domains=6", "--bytes=300000", "--seed=5"});
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
        Parse(options, {"--gpusPerDomain=2"});
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
        const NetworkTimeOnly networkTime;
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

/** The textbook's time beside the measured one. */
class TextbookTestCase : public PicosecondTestCase
{
  public:
    TextbookTestCase()
        : PicosecondTestCase("Parts of the textbook's time: ring, hierarchical, one domain")
    {
    }

  private:
    /// The cost of a shape in seconds.
    struct Case
    {
        std::vector<std::string> flags;
        double alphaSeconds;
        double betaSeconds;
    };

    void DoRun() override
    {
        const NetworkTimeOnly networkTime;
        // A message without data has 102 bytes with RETH and immediate: 4.08 ns at 200 Gbit/s, and
        // 0.227 ns at the 3600 Gbit/s of an H100. It is stored and forwarded by each switch.
        const double circuit = 204.08e-9;                               // 2 x 100 ns of fiber
        const double rail = 200e-9 + 500e-9 + 2 * 4.08e-9;              // a switch of 500 ns
        const double spine = 400e-9 + 3 * 500e-9 + 4 * 4.08e-9;         // leaf, spine, leaf
        const double scaleUp = 20e-9 + 100e-9 + 2 * 8 * 102 / 2966.4e9; // a switch of 100 ns
        const double bytes = 1 << 20;
        const double network = 8.0 * 4178 / 4096 / 400e9; // s per byte, over two ports
        const double domain = 8.0 * 4178 / 4096 / 2966.4e9;
        const std::string shape = "--gpusPerDomain=2";
        const std::string tree = "--algorithm=hierarchical";
        const std::vector<Case> cases = {
            {{"--domains=6"}, 10 * circuit, bytes * 10 / 6 * network},
            {{"--domains=6", "--fabric=electrical"}, 10 * rail, bytes * 10 / 6 * network},
            // Four rounds along rails, and two inside domains: over the fabric, or not.
            {{"--domains=3", shape, tree, "--fabric=leaf-spine"},
             6 * rail,
             bytes * (4.0 / 6 + 1) * network},
            {{"--domains=3", shape, tree, "--fabric=leaf-spine", "--scaleUp=h100"},
             4 * rail + 2 * scaleUp,
             bytes * (4.0 / 6 * network + domain)},
            {{"--domains=1", "--gpusPerDomain=4", "--fabric=leaf-spine"},
             6 * spine,
             bytes * 6 / 4 * network},
            {{"--domains=1", "--gpusPerDomain=4", "--scaleUp=h100"},
             6 * scaleUp,
             bytes * 6 / 4 * domain},
        };
        for (auto one : cases)
        {
            one.flags.insert(one.flags.end(), {"--warmup=0", "--minBytes=1M", "--maxBytes=1M"});
            CollectivesSettings settings;
            Parse(settings, one.flags);
            NS_TEST_ASSERT_MSG_EQ(settings.Check(), "", "settings");
            const auto row = CollectivesExperiment(settings).Run(1 << 20);
            NS_TEST_ASSERT_MSG_EQ(row.has_value(), true, "a standstill");
            const std::string name = settings.fabric.GetName() + " " + one.flags[0];
            // Times are rounded to picoseconds.
            NS_TEST_EXPECT_MSG_EQ_TOL(row->alphaSeconds.value() / one.alphaSeconds, 1, 1e-4, name);
            NS_TEST_EXPECT_MSG_EQ_TOL(row->betaSeconds.value() / one.betaSeconds, 1, 1e-9, name);
        }
    }
};

/** Queues that a probe sees. */
class QueueTestCase : public PicosecondTestCase
{
  public:
    QueueTestCase()
        : PicosecondTestCase("An incast makes a queue at the switch, and a probe sees how long")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(4);
        hosts.Build({}, false);
        FabricProbe probe(false);
        probe.Observe(hosts.cluster);
        probe.Start();
        // A packet each, at the same time: the one that is being sent counts as well.
        for (uint32_t host = 0; host < 3; ++host)
        {
            hosts.Connect(host, 3, {0}).first->Post(4096, host);
        }
        Simulator::Run();
        probe.Stop();
        const auto& seen = probe.GetMeasurement();
        NS_TEST_EXPECT_MSG_EQ(seen.maxQueueBytes, 3 * (4096 + FIXED_BYTES - 24 + 20), "all three");
        NS_TEST_EXPECT_MSG_EQ(seen.dataPackets, 3, "packets");
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
        AddTestCase(new MeasuredPermutationTestCase);
        AddTestCase(new CollectivesTestCase);
        AddTestCase(new TextbookTestCase);
        AddTestCase(new QueueTestCase);
    }
};

AnalysisTestSuite g_analysisTestSuite; //!< the instance

} // namespace
