// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Queue pairs on a path that loses nothing: exact times, acknowledgements, window, sequence
 * numbers.
 */

#include "lambda-call.h"
#include "rdma-hosts.h"

#include "ns3/config.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/** The time of one message, in closed form. */
class MessageTimeTestCase : public PicosecondTestCase
{
  public:
    MessageTimeTestCase()
        : PicosecondTestCase("One message on a circuit takes the time of its packets and the path")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t mtu : {256, 1024, 4096, 8192})
        {
            for (const uint64_t bytes : {uint64_t{0},
                                         uint64_t{1},
                                         uint64_t{mtu},
                                         uint64_t{mtu} + 1,
                                         10 * uint64_t{mtu} + 3,
                                         200 * uint64_t{mtu}})
            {
                RunOne(bytes, mtu);
            }
        }
    }

    void RunOne(uint64_t bytes, uint32_t mtu)
    {
        RdmaHosts hosts(2);
        hosts.helper.SetQueuePairAttribute("Mtu", UintegerValue(mtu));
        hosts.helper.SetQueuePairAttribute("Window", UintegerValue(1 << 24));
        hosts.Build({{0, 1}});
        auto ends = hosts.Connect(0, 1, {0});
        ends.first->Post(bytes, 77);
        Simulator::Run();

        const auto packets = PacketTimes(bytes, mtu);
        const Time arrival = hosts.start + Sum(packets, packets.size()) + PathDelay();
        const EndLog& sender = hosts.logs[0];
        const EndLog& receiver = hosts.logs[1];
        NS_TEST_ASSERT_MSG_EQ(receiver.received.size(), 1, bytes << " bytes arrive once");
        NS_TEST_EXPECT_MSG_EQ(receiver.received[0].value, bytes, "in full");
        NS_TEST_EXPECT_MSG_EQ(receiver.received[0].immediate, 77, "with the immediate value");
        NS_TEST_EXPECT_MSG_EQ(receiver.received[0].at, arrival, bytes << " bytes, MTU " << mtu);
        NS_TEST_ASSERT_MSG_EQ(sender.sent.size(), 1, "one report");
        NS_TEST_EXPECT_MSG_EQ(sender.sent[0].value, 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(sender.sent[0].at, arrival + AckTime() + PathDelay(), "acknowledged");
        const auto statistics = hosts.GetStatistics(0);
        NS_TEST_EXPECT_MSG_EQ(statistics.dataPacketsSent, packets.size(), "packets");
        NS_TEST_EXPECT_MSG_EQ(statistics.timeouts, 0, "time-outs");
        const uint64_t acks = (packets.size() + 31) / 32;
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).acksSent, acks, "coalesced ACKs");
    }
};

/** How many acknowledgements there are. */
class AckCountTestCase : public PicosecondTestCase
{
  public:
    AckCountTestCase()
        : PicosecondTestCase("Every n-th packet and the last one are acknowledged")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t interval : {1, 2, 7, 64, 1024})
        {
            RdmaHosts hosts(2);
            hosts.helper.SetQueuePairAttribute("AckInterval", UintegerValue(interval));
            hosts.helper.SetQueuePairAttribute("Window", UintegerValue(1 << 30));
            hosts.Build({{0, 1}});
            hosts.Connect(0, 1, {0}).first->Post(1000 * 4096, 1);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).acksSent,
                                  (1000 + interval - 1) / interval,
                                  "interval " << interval);
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent.size(), 1, "delivered");
        }
    }
};

/** A window that is smaller than the path. */
class QueuePairWindowTestCase : public PicosecondTestCase
{
  public:
    QueuePairWindowTestCase()
        : PicosecondTestCase("The window limits what is in flight")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.helper.SetFiberAttribute("Delay", TimeValue(MicroSeconds(10)));
        hosts.Build({{0, 1}});
        auto ends = hosts.Connect(0, 1, {0});
        // After the queue pairs exist: four packets.
        hosts.cluster.GetNic(0)->SetQueuePairAttribute("Window", UintegerValue(4 * 4096 + 4095));
        ends.first->Post(12 * 4096, 1);
        const auto packets = PacketTimes(12 * 4096);
        ScheduleCall(MicroSeconds(40), [this, &hosts] {
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).dataPacketsSent, 4, "in one round trip");
        });
        Simulator::Run();
        // Three rounds of four packets, of which the last is acknowledged.
        const Time path = MicroSeconds(20);
        const Time rounds = (AckTime() + path + path) * 2;
        NS_TEST_ASSERT_MSG_EQ(hosts.logs[1].received.size(), 1, "received");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received[0].at,
                              hosts.start + Sum(packets, 12) + rounds + path,
                              "three rounds");
    }
};

/** Sequence numbers have 24 bits on the wire. */
class WrapTestCase : public PicosecondTestCase
{
  public:
    WrapTestCase()
        : PicosecondTestCase("Sequence numbers wrap, with losses on both sides of the wrap")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.helper.SetQueuePairAttribute("FirstPsn", UintegerValue((1 << 24) - 50));
        hosts.Build({{0, 1}});
        auto ends = hosts.Connect(0, 1, {0});
        bool wrapped = false;
        hosts.Lose(1, 0, [&wrapped](uint32_t number, const RoceHeader& header) {
            wrapped |= header.psn < 100;
            return number == 20 || number == 400 || number == 800;
        });
        hosts.Lose(0, 0, [](uint32_t number, const RoceHeader&) { return number % 3 == 1; });
        for (uint32_t message = 0; message < 100; ++message)
        {
            ends.first->Post(10 * 4096, message);
            ends.second->Post(4096, message);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(wrapped, true, "past the wrap");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].GetBytesReceived(), 1000 * 4096, "received");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].GetBytesReceived(), 100 * 4096, "the other way");
        NS_TEST_ASSERT_MSG_EQ(hosts.logs[1].received.size(), 100, "messages");
        for (uint32_t message = 0; message < 100; ++message)
        {
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received[message].immediate, message, "in order");
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent[message].value, 1, "delivered");
        }
    }
};

/** A message over several ports. */
class StripingTestCase : public PicosecondTestCase
{
  public:
    StripingTestCase()
        : PicosecondTestCase("A message is striped over the ports that lead to the peer")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t ports : {2, 4})
        {
            for (const bool oneDark : {false, true})
            {
                RunOne(ports, oneDark);
            }
        }
    }

    void RunOne(uint32_t ports, bool oneDark)
    {
        RdmaHosts hosts(2, ports);
        CircuitSet circuits;
        std::vector<uint32_t> all;
        for (uint32_t port = 0; port < ports; ++port)
        {
            all.push_back(port);
            if (port > 0 || !oneDark)
            {
                circuits.push_back({port, ports + port});
            }
        }
        hosts.Build(circuits);
        auto ends = hosts.Connect(0, 1, all);
        NS_TEST_EXPECT_MSG_EQ(ends.first->IsPathOpen(), !oneDark, "all ports");
        const uint64_t bytes = 100 * 4096 + 5;
        ends.first->Post(bytes, 9);
        Simulator::Run();
        const uint64_t stripes = circuits.size();
        const auto packets = PacketTimes((bytes + stripes - 1) / stripes);
        const EndLog& receiver = hosts.logs[1];
        NS_TEST_ASSERT_MSG_EQ(receiver.received.size(), stripes, "stripes");
        NS_TEST_EXPECT_MSG_EQ(receiver.GetBytesReceived(), bytes, "bytes");
        NS_TEST_EXPECT_MSG_EQ(receiver.received.back().at,
                              hosts.start + Sum(packets, packets.size()) + PathDelay(),
                              ports << " ports, the largest stripe");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent.size(), 1, "one report for all stripes");
    }
};

/** Unsignaled messages. */
class UnsignaledTestCase : public PicosecondTestCase
{
  public:
    UnsignaledTestCase()
        : PicosecondTestCase("A signaled message stands for the unsignaled ones before it")
    {
    }

  private:
    /// Two long messages and a byte, which goes out of port 0; port 1 comes last, by a repeat.
    static std::vector<EndLog::Event> RunOnce(bool signaled, const std::string& fidelity)
    {
        Config::SetDefault("ns3::RdmaNic::Fidelity", StringValue(fidelity));
        RdmaHosts hosts(2, 2);
        hosts.Build({{0, 2}, {1, 3}});
        auto ends = hosts.Connect(0, 1, {0, 1});
        hosts.Lose(1, 1, [](uint32_t number, const RoceHeader&) { return number == 0; });
        ends.first->Post(100 * 4096, 1, signaled);
        ends.first->Post(100 * 4096, 2, signaled);
        ends.first->Post(1, 3);
        Simulator::Run();
        auto sent = hosts.logs[0].sent;
        for (auto& one : sent)
        {
            one.at -= hosts.start;
        }
        return sent;
    }

    void DoRun() override
    {
        for (const std::string fidelity : {"Packet", "Burst"})
        {
            const auto all = RunOnce(true, fidelity);
            const auto last = RunOnce(false, fidelity);
            NS_TEST_ASSERT_MSG_EQ(all.size(), 3, "each");
            NS_TEST_ASSERT_MSG_EQ(last.size(), 1, "the signaled one");
            NS_TEST_EXPECT_MSG_EQ(all[1].immediate, 3, "port 0 is done before port 1");
            NS_TEST_EXPECT_MSG_EQ(last[0].at, all[2].at, "when all before it is acknowledged");
        }
        Config::SetDefault("ns3::RdmaNic::Fidelity", StringValue("Burst"));
    }
};

/** Pieces of one message, posted with its immediate value. */
class SameImmediateTestCase : public PicosecondTestCase
{
  public:
    SameImmediateTestCase()
        : PicosecondTestCase("Posts with the same immediate value are reported one by one")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2, 2);
        hosts.Build({{0, 2}, {1, 3}});
        auto ends = hosts.Connect(0, 1, {0, 1});
        // The first byte of each goes out of port 0, where all is lost: the others wait for it.
        hosts.Lose(1, 0, [](uint32_t, const RoceHeader&) { return true; });
        ends.first->Post(2 * 4096, 5);
        ends.first->Post(1, 5);
        ends.first->Post(3 * 4096, 5);
        ends.first->Post(4096, 6);
        Simulator::Run();
        ends.first->Post(10, 5);
        Simulator::Run();
        const auto& sent = hosts.logs[0].sent;
        NS_TEST_ASSERT_MSG_EQ(sent.size(), 5, "each post");
        for (uint32_t i = 0; i < 5; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(sent[i].immediate, (i == 3 ? 6 : 5), "in order");
            NS_TEST_EXPECT_MSG_EQ(sent[i].value,
                                  (i == 4 ? 1 : 0),
                                  "only the last is not on port 0");
        }
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].GetBytesReceived(),
                              4096 + 3 * 2048 + 2048 + 10,
                              "what port 1 carried");
    }
};

/** Two queue pairs on one port. */
class FairnessTestCase : public PicosecondTestCase
{
  public:
    FairnessTestCase()
        : PicosecondTestCase("Two queue pairs share a port packet by packet")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.Build({{0, 1}});
        {
            // Nobody but the NIC remembers the connections: the queue pairs keep them.
            auto one = hosts.Connect(0, 1, {0});
            auto two = hosts.Connect(0, 1, {0});
            one.first->Post(100 * 4096, 1);
            two.first->Post(100 * 4096, 2);
        }
        Simulator::Run();
        const auto packets = PacketTimes(100 * 4096);
        const auto& received = hosts.logs[1].received;
        NS_TEST_ASSERT_MSG_EQ(received.size(), 2, "both");
        const Time end = hosts.start + Sum(packets, 100) * 2 + PathDelay();
        NS_TEST_EXPECT_MSG_EQ(received[1].at, end, "together they fill the port");
        NS_TEST_EXPECT_MSG_EQ(received[0].at, end - packets[99], "in turn, so they end together");
    }
};

/** A slow port, and a small share of one. */
class SlowPortTestCase : public PicosecondTestCase
{
  public:
    SlowPortTestCase()
        : PicosecondTestCase("Nothing times out because packets leave slowly")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts slow(2);
        slow.helper.SetNic(1, DataRate("1Gbps"));
        slow.Build({{0, 1}});
        slow.Connect(0, 1, {0}).first->Post(4 << 20, 1);
        Simulator::Run();
        ExpectNoTimeout(slow, 1);
        Simulator::Destroy();

        RdmaHosts many(2);
        many.helper.SetNic(1, DataRate("25Gbps"));
        many.Build({{0, 1}});
        for (uint32_t i = 0; i < 32; ++i)
        {
            many.Connect(0, 1, {0}).first->Post(1 << 20, i);
        }
        Simulator::Run();
        ExpectNoTimeout(many, 32);
    }

    void ExpectNoTimeout(const RdmaHosts& hosts, uint32_t messages)
    {
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.size(), messages, "received");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, 0, "time-outs");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).retransmissions, 0, "retransmissions");
    }
};

/** Suite of a path without losses. */
class RdmaTestSuite : public TestSuite
{
  public:
    RdmaTestSuite()
        : TestSuite("photonic-rails-rdma", Type::UNIT)
    {
        AddTestCase(new MessageTimeTestCase);
        AddTestCase(new AckCountTestCase);
        AddTestCase(new QueuePairWindowTestCase);
        AddTestCase(new WrapTestCase);
        AddTestCase(new StripingTestCase);
        AddTestCase(new SameImmediateTestCase);
        AddTestCase(new UnsignaledTestCase);
        AddTestCase(new FairnessTestCase);
        AddTestCase(new SlowPortTestCase);
    }
};

RdmaTestSuite g_rdmaTestSuite; //!< the instance

} // namespace
