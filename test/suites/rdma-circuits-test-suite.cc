// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Queue pairs while circuits come and go: dark ports, other partners, pauses.
 */

#include "lambda-call.h"
#include "rdma-hosts.h"

#include <memory>
#include <random>

using namespace ns3;
using namespace ns3::test;

namespace
{

constexpr uint64_t MESSAGE = 1000 * 4096; //!< bytes; takes some 84 us

/** The circuit goes in the middle of a message. */
class TornTestCase : public PicosecondTestCase
{
  public:
    TornTestCase()
        : PicosecondTestCase("A message survives a circuit that is torn and made again")
    {
    }

  private:
    void DoRun() override
    {
        for (const Time& delay : {Time(0), NanoSeconds(10), MicroSeconds(10), MilliSeconds(25)})
        {
            RdmaHosts hosts(2);
            hosts.helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(delay));
            hosts.Build({});
            Simulator::Stop(MilliSeconds(1));
            hosts.Switch({}, {{0, 1}});
            Simulator::Run();
            auto ends = hosts.Connect(0, 1, {0});
            Simulator::Stop(MilliSeconds(30));
            Simulator::Run();
            ends.first->Post(MESSAGE, 1);
            ends.second->Post(MESSAGE, 2);
            ScheduleCall(MicroSeconds(20), [&hosts] { hosts.Switch({{0, 1}}, {{0, 1}}); });
            Simulator::Run();
            for (uint32_t host = 0; host < 2; ++host)
            {
                NS_TEST_ASSERT_MSG_EQ(hosts.logs[host].received.size(), 1, "arrived once");
                NS_TEST_EXPECT_MSG_EQ(hosts.logs[host].received[0].value, MESSAGE, "in full");
                NS_TEST_ASSERT_MSG_EQ(hosts.logs[host].sent.size(), 1, "reported once");
                NS_TEST_EXPECT_MSG_EQ(hosts.logs[host].sent[0].value, 1, "as delivered");
                NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(host).bytesDelivered, MESSAGE, "bytes");
                NS_TEST_EXPECT_MSG_GT(hosts.GetStatistics(host).retransmissions, 0, "repeats");
                NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetNic(host)->GetStatistics().misdelivered,
                                      0,
                                      "misdelivered");
            }
            NS_TEST_EXPECT_MSG_GT(hosts.cluster.GetOcs(0)->GetBitsLost(), 0, "some light was lost");
        }
    }
};

/** The circuit leads elsewhere for a while. */
class CircuitElsewhereTestCase : public PicosecondTestCase
{
  public:
    CircuitElsewhereTestCase()
        : PicosecondTestCase("A queue pair is silent while its port leads to somebody else")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(3);
        hosts.Build({{0, 1}});
        auto ends = hosts.Connect(0, 1, {0});
        ends.first->Post(MESSAGE, 1);
        ScheduleCall(MicroSeconds(20), [&hosts] { hosts.Switch({{0, 1}}, {{0, 2}}); });
        uint64_t sent = 0;
        ScheduleCall(MicroSeconds(21), [&] { sent = hosts.GetStatistics(0).dataPacketsSent; });
        ScheduleCall(MilliSeconds(100), [&] {
            NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetNic(0)->GetPort(0)->IsLit(), true, "lit");
            NS_TEST_EXPECT_MSG_EQ(ends.first->IsPathOpen(), false, "but not by its peer");
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).dataPacketsSent, sent, "silent");
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, 0, "its timer stands still");
            hosts.Switch({{0, 2}}, {{1, 0}});
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(hosts.logs[1].received.size(), 1, "arrived in the end");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received[0].value, MESSAGE, "in full");
        NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetNic(2)->GetStatistics().misdelivered, 0, "at 2");
    }
};

/** A port's partner changes from one moment to the next. */
class PartnerTestCase : public PicosecondTestCase
{
  public:
    PartnerTestCase()
        : PicosecondTestCase("When a port changes its partner nothing goes to the wrong one")
    {
    }

  private:
    void DoRun() override
    {
        // The switch takes less time than the fiber, and the port sees the dark in between for as
        // long.
        RdmaHosts hosts(3);
        hosts.helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(NanoSeconds(10)));
        hosts.Build({{0, 1}});
        // In this order: the new partner's queue pair is told of the light first.
        auto to2 = hosts.Connect(0, 2, {0});
        auto to1 = hosts.Connect(0, 1, {0});
        uint32_t posted = 0;
        uint32_t darkened = 0;
        Time dark;
        const auto post = [&] { // a listener that sends at once, while the port is idle
            const bool isLit = hosts.cluster.GetNic(0)->GetPort(0)->IsLit();
            dark = isLit ? dark + Simulator::Now() : dark - Simulator::Now();
            darkened += isLit ? 0 : 1;
            ++posted;
            to1.first->Post(10, posted);
            to2.first->Post(10, posted);
        };
        hosts.cluster.GetNic(0)->GetPort(0)->AddLinkChangeCallback(ToCallback(post));
        for (uint32_t i = 0; i < 10; ++i)
        {
            ScheduleCall(MicroSeconds(10 + 10 * i), [&hosts, i] {
                hosts.Switch({{0, 1 + i % 2}}, {{0, 2 - i % 2}});
            });
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(posted, 20, "dark and light for each command");
        NS_TEST_EXPECT_MSG_EQ(darkened, 10, "never from partner to partner");
        NS_TEST_EXPECT_MSG_EQ(dark, NanoSeconds(100), "as long as the switch takes");
        for (uint32_t host = 0; host < 3; ++host)
        {
            NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetNic(host)->GetStatistics().misdelivered,
                                  0,
                                  "misdelivered at " << host);
        }
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).retransmissions, 0, "repeats");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.size(), 20, "at 1, where the port leads now");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[2].received.size(), 18, "at 2, which was left before");
    }
};

/** Pauses at any moment, with and without losses, before the circuit is torn. */
class PauseTestCase : public PicosecondTestCase
{
  public:
    /// @param rate probability that a frame is lost
    explicit PauseTestCase(double rate)
        : PicosecondTestCase("A drained pause makes it safe to tear the circuit, loss rate " +
                             std::to_string(rate)),
          m_rate(rate)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t run = 0; run < 40; ++run)
        {
            RunOne(PicoSeconds(run * 1234567), run);
        }
    }

    void RunOne(Time when, uint32_t seed)
    {
        RdmaHosts hosts(2);
        hosts.Build({{0, 1}});
        std::mt19937 random(seed);
        std::bernoulli_distribution loss(m_rate);
        const auto pick = [&](uint32_t, const RoceHeader&) { return loss(random); };
        hosts.Lose(0, 0, pick);
        hosts.Lose(1, 0, pick);
        auto ends = hosts.Connect(0, 1, {0});
        ends.first->Post(MESSAGE / 2, 1);
        ends.first->Post(MESSAGE / 2, 2);
        uint64_t atPause = 0;
        uint64_t atDrain = 0;
        uint32_t drained = 0;
        ScheduleCall(when, [&] {
            atPause =
                hosts.GetStatistics(0).dataPacketsSent - hosts.GetStatistics(0).retransmissions;
            ends.first->Pause(ToCallback([&] {
                ++drained;
                atDrain = hosts.GetStatistics(0).dataPacketsSent;
                const auto distinct = atDrain - hosts.GetStatistics(0).retransmissions;
                NS_TEST_EXPECT_MSG_LT(distinct, atPause + 2, "one packet more at most");
                NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).bytesDelivered,
                                      distinct * 4096,
                                      "all that was sent has arrived");
                hosts.Switch({{0, 1}}, {});
            }));
        });
        ScheduleCall(Seconds(20), [&] {
            NS_TEST_EXPECT_MSG_EQ(drained, 1, "drained once");
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).dataPacketsSent, atDrain, "and silent");
            hosts.Switch({}, {{0, 1}});
        });
        ScheduleCall(Seconds(21), [&] {
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).dataPacketsSent, atDrain, "still paused");
            ends.first->Resume();
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].GetBytesReceived(), MESSAGE, "received");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent.size(), 2, "reported");
        if (m_rate == 0)
        {
            // With losses, needless repeats may be under way when the last ACK comes.
            NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetOcs(0)->GetBitsLost(), 0, "bits lost");
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).retransmissions, 0, "repeats");
        }
    }

    double m_rate; //!< probability
};

/** Corrupt and foreign frames at a NIC. */
class ForeignFramesTestCase : public PicosecondTestCase
{
  public:
    ForeignFramesTestCase()
        : PicosecondTestCase("A NIC counts what is not for it, and survives any bytes")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2, 2);
        hosts.Build({{0, 2}, {1, 3}});
        auto ends = hosts.Connect(0, 1, {0});
        auto nic = hosts.cluster.GetNic(1);
        auto port = nic->GetPort(0);

        RoceHeader header;
        header.opcode = RoceHeader::WRITE_ONLY_WITH_IMMEDIATE;
        header.destinationMac = port->GetMacAddress();
        header.destinationIp = Ipv4Address("10.0.0.3");
        header.destinationQp = 16;
        const auto deliver = [&](EthernetPortNetDevice& device) {
            auto frame = Create<Packet>(4);
            frame->AddHeader(header);
            nic->Receive(device, frame);
        };
        deliver(*port);
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.size(), 1, "the frame is good");
        deliver(*nic->GetPort(1));
        header.destinationQp = 17;
        deliver(*port);
        header.destinationQp = 15;
        deliver(*port);
        header.destinationQp = 16;
        header.destinationIp = Ipv4Address("10.0.0.4");
        deliver(*port);
        header.destinationIp = Ipv4Address("10.0.0.3");
        header.destinationMac = Mac48Address::GetBroadcast();
        deliver(*port);
        NS_TEST_EXPECT_MSG_EQ(nic->GetStatistics().misdelivered, 5, "port, QP, QP, IP, MAC");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.size(), 1, "none of them accepted");

        header.destinationMac = port->GetMacAddress();
        std::mt19937 random(1);
        for (uint32_t i = 0; i < 100000; ++i)
        {
            header.opcode = static_cast<uint8_t>(i % 3 == 0 ? RoceHeader::ACKNOWLEDGE
                                                            : RoceHeader::WRITE_FIRST + i % 6);
            header.psn = random();
            auto frame = Create<Packet>(4);
            frame->AddHeader(header);
            std::vector<uint8_t> bytes(frame->GetSize());
            frame->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
            for (uint32_t change = random() % 4; change > 0; --change)
            {
                bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1 << random() % 8);
            }
            const auto size =
                static_cast<uint32_t>(random() % 4 == 0 ? random() % bytes.size() : bytes.size());
            nic->Receive(*port, Create<Packet>(bytes.data(), size));
        }
        NS_TEST_EXPECT_MSG_GT(nic->GetStatistics().malformed, 10000, "malformed");
        Simulator::Run();
    }
};

/** Suite of circuits that come and go. */
class RdmaCircuitsTestSuite : public TestSuite
{
  public:
    RdmaCircuitsTestSuite()
        : TestSuite("photonic-rails-rdma-circuits", Type::UNIT)
    {
        AddTestCase(new TornTestCase);
        AddTestCase(new CircuitElsewhereTestCase);
        AddTestCase(new PartnerTestCase);
        AddTestCase(new PauseTestCase(0));
        AddTestCase(new PauseTestCase(0.02));
        AddTestCase(new ForeignFramesTestCase);
    }
};

RdmaCircuitsTestSuite g_rdmaCircuitsTestSuite; //!< the instance

} // namespace
