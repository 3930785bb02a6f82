// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Queue pairs on a path that loses frames: go-back-N, the timer, and failure.
 */

#include "lambda-call.h"
#include "rdma-hosts.h"

#include <random>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** One packet is lost in the middle of a message. */
class SingleLossTestCase : public PicosecondTestCase
{
  public:
    SingleLossTestCase()
        : PicosecondTestCase("A lost packet costs one NAK, and what was sent until it came")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.UseShortTimeouts();
        hosts.Build({{0, 1}});
        static constexpr uint32_t lost = 10;
        hosts.Lose(1, 0, [](uint32_t number, const RoceHeader&) { return number == lost; });
        hosts.Connect(0, 1, {0}).first->Post(100 * 4096, 1);
        Simulator::Run();

        const auto packets = PacketTimes(100 * 4096);
        // The packet after the lost one reveals the gap.
        const Time nak = Sum(packets, lost + 2) + PathDelay() + AckTime() + PathDelay();
        uint32_t begun = 0;
        while (Sum(packets, begun) < nak)
        {
            ++begun;
        }
        const auto sender = hosts.GetStatistics(0);
        const auto receiver = hosts.GetStatistics(1);
        NS_TEST_EXPECT_MSG_EQ(receiver.naksSent, 1, "NAKs");
        NS_TEST_EXPECT_MSG_EQ(sender.retransmissions, begun - lost, "goes back to the lost one");
        NS_TEST_EXPECT_MSG_EQ(receiver.outOfOrderReceived, begun - lost - 1, "not accepted");
        NS_TEST_EXPECT_MSG_EQ(receiver.duplicatesReceived, 0, "none is repeated in vain");
        NS_TEST_EXPECT_MSG_EQ(sender.timeouts, 0, "time-outs");
        const Time all = Sum(packets, begun) + Sum(packets, 100) - Sum(packets, lost);
        NS_TEST_ASSERT_MSG_EQ(hosts.logs[1].received.size(), 1, "once");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received[0].at,
                              hosts.start + all + PathDelay(),
                              "without a pause");
    }
};

/** The last packet, or what answers it, is lost. */
class TailTestCase : public PicosecondTestCase
{
  public:
    TailTestCase()
        : PicosecondTestCase("The timer covers lost tails, ACKs and NAKs")
    {
    }

  private:
    void DoRun() override
    {
        const auto packets = PacketTimes(5 * 4096);
        {
            // No round trip is known: the initial time-out, from when the tail began to leave.
            RdmaHosts hosts(2);
            hosts.UseShortTimeouts();
            hosts.Build({{0, 1}});
            hosts.Lose(1, 0, [](uint32_t number, const RoceHeader&) { return number == 4; });
            hosts.Connect(0, 1, {0}).first->Post(5 * 4096, 1);
            Simulator::Run();
            Expect(hosts, 1, 5, MilliSeconds(4) + Sum(packets, 4) + Sum(packets, 5), "tail");
        }
        {
            RdmaHosts hosts(2);
            hosts.UseShortTimeouts();
            hosts.Build({{0, 1}});
            hosts.Lose(0, 0, [](uint32_t number, const RoceHeader&) { return number == 0; });
            hosts.Connect(0, 1, {0}).first->Post(5 * 4096, 1);
            Simulator::Run();
            Expect(hosts, 1, 5, Sum(packets, 5), "ACK");
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).duplicatesReceived, 5, "all again");
        }
        {
            RdmaHosts hosts(2);
            hosts.UseShortTimeouts();
            hosts.Build({{0, 1}});
            hosts.Lose(1, 0, [](uint32_t number, const RoceHeader&) { return number == 2; });
            hosts.Lose(0, 0, [](uint32_t number, const RoceHeader&) { return number == 0; });
            hosts.Connect(0, 1, {0}).first->Post(5 * 4096, 1);
            Simulator::Run();
            // Back to the beginning: no ACK has told of the first two.
            Expect(hosts, 1, 5, MilliSeconds(4) + Sum(packets, 4) + Sum(packets, 5), "NAK");
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).naksSent, 1, "one NAK for one gap");
        }
        {
            // A round trip is known: the timer that was set for 4 ms is due after 0.5 ms.
            RdmaHosts hosts(2);
            hosts.UseShortTimeouts();
            hosts.Build({{0, 1}});
            hosts.Lose(1, 0, [](uint32_t number, const RoceHeader&) { return number == 39; });
            hosts.Connect(0, 1, {0}).first->Post(40 * 4096, 1);
            Simulator::Run();
            const auto many = PacketTimes(40 * 4096);
            const Time resent = Sum(many, 40) - Sum(many, 32);
            Expect(hosts, 1, 8, Sum(many, 39) + MicroSeconds(500) + resent, "tail after an ACK");
        }
    }

    void Expect(const RdmaHosts& hosts,
                uint64_t timeouts,
                uint64_t retransmissions,
                Time sent,
                const std::string& what)
    {
        NS_TEST_ASSERT_MSG_EQ(hosts.logs[1].received.size(), 1, "lost " << what << ": once");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received[0].at,
                              hosts.start + sent + PathDelay(),
                              "lost " << what << ": when");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, timeouts, "lost " << what);
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).retransmissions,
                              retransmissions,
                              "lost " << what);
        NS_TEST_ASSERT_MSG_EQ(hosts.logs[0].sent.size(), 1, "lost " << what);
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent[0].value, 1, "lost " << what);
    }
};

/** Round trips that are longer than InitialTimeout. */
class LongPathTestCase : public PicosecondTestCase
{
  public:
    LongPathTestCase()
        : PicosecondTestCase("The time-out knows the fiber and the port, and adapts to the rest")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isKnown : {false, true})
        {
            // A switch of 5 ms, of which the queue pair knows nothing unless the cluster tells it.
            RdmaHosts hosts(2);
            hosts.UseShortTimeouts();
            hosts.helper.SetSwitchAttribute("HopLatency", TimeValue(MilliSeconds(5)));
            if (!isKnown)
            {
                hosts.helper.SetQueuePairAttribute("BaseRoundTrip", TimeValue(Time(0)));
            }
            hosts.Build({}, false);
            Run(hosts, 1 << 20);
            const auto statistics = hosts.GetStatistics(0);
            NS_TEST_EXPECT_MSG_EQ(statistics.timeouts,
                                  (isKnown ? 0 : 2),
                                  "4 and 8 ms are too short");
            NS_TEST_EXPECT_MSG_LT(statistics.retransmissions, (isKnown ? 1 : 513), "two windows");
        }
        for (const auto& [rate, delay] : {std::make_pair("400Gbps", "2500us"),
                                          std::make_pair("1Gbps", "1ms"),
                                          std::make_pair("1Gbps", "10ms")})
        {
            for (const bool photonic : {true, false})
            {
                RdmaHosts hosts(2);
                hosts.UseShortTimeouts();
                hosts.helper.SetNic(1, DataRate(rate));
                hosts.helper.SetFiberAttribute("Delay", StringValue(delay));
                hosts.Build({{0, 1}}, photonic);
                Simulator::Stop(MilliSeconds(50)); // light takes its time too
                Simulator::Run();
                Run(hosts, 1 << 18);
                NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, 0, rate << ", " << delay);
                NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).retransmissions, 0, "repeats");
            }
        }
    }

    /// Send twenty messages, both ways.
    void Run(RdmaHosts& hosts, uint64_t bytes)
    {
        auto ends = hosts.Connect(0, 1, {0});
        for (uint32_t message = 0; message < 20; ++message)
        {
            ends.first->Post(bytes, message);
            ends.second->Post(bytes, message);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.size(), 20, "all");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].received.size(), 20, "all");
    }
};

/** Nothing gets through. */
class LossFailureTestCase : public PicosecondTestCase
{
  public:
    LossFailureTestCase()
        : PicosecondTestCase("After the retry limit all work fails, and what is posted later too")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.UseShortTimeouts();
        hosts.Build({{0, 1}});
        hosts.Lose(1, 0, [](uint32_t, const RoceHeader&) { return true; });
        auto ends = hosts.Connect(0, 1, {0});
        ends.first->Post(100, 1);
        ends.first->Post(5 * 4096, 2);
        Simulator::Run();
        const EndLog& log = hosts.logs[0];
        NS_TEST_ASSERT_MSG_EQ(log.sent.size(), 2, "reported");
        NS_TEST_EXPECT_MSG_EQ(log.sent[0].value + log.sent[1].value, 0, "as failed");
        // 4 + 8 + ... + 512 ms; each from when the last packet leaves, a little after the first.
        const Time waited = log.sent[0].at - hosts.start;
        NS_TEST_EXPECT_MSG_EQ((waited > MilliSeconds(1020) && waited < MilliSeconds(1021)),
                              true,
                              "failed after " << waited.As(Time::MS));
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, 8, "seven retries");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).bytesFailed, 100 + 5 * 4096, "bytes");
        ends.first->Post(7, 3);
        NS_TEST_EXPECT_MSG_EQ(log.sent.size(), 2, "never from within Post");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(log.sent.size(), 3, "flushed");
        NS_TEST_EXPECT_MSG_EQ(log.sent[2].value, 0, "as failed");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).dataPacketsSent, 8 * 6, "and silent");

        // What it gets it does not acknowledge, so the other end fails too.
        ends.second->Post(2 * 4096, 4);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].received.size(), 0, "refused");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).refused, 8 * 2, "each time");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).acksSent, 0, "without an answer");
        NS_TEST_ASSERT_MSG_EQ(hosts.logs[1].sent.size(), 1, "reported");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].sent[0].value, 0, "as failed");
    }
};

/** One of two ports loses everything. */
class FailedPortTestCase : public PicosecondTestCase
{
  public:
    FailedPortTestCase()
        : PicosecondTestCase("A connection stripes over the queue pairs that have not failed")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2, 2);
        hosts.UseShortTimeouts();
        hosts.Build({{0, 2}, {1, 3}});
        hosts.Lose(1, 0, [](uint32_t, const RoceHeader&) { return true; });
        auto ends = hosts.Connect(0, 1, {0, 1});
        ends.first->Post(100, 1);
        Simulator::Run();
        ends.first->Post(100, 2);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(hosts.logs[0].sent.size(), 2, "reported");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent[0].value, 0, "half of it was lost");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent[1].value, 1, "over the other port");
    }
};

/** Random losses of data and acknowledgements, with pauses. */
class RandomLossTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param rate probability that a frame is lost
     * @param seeds number of runs
     */
    RandomLossTestCase(double rate, uint32_t seeds)
        : PicosecondTestCase("Exactly once, at a loss rate of " + std::to_string(rate)),
          m_rate(rate),
          m_seeds(seeds)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= m_seeds; ++seed)
        {
            uint64_t first = 0;
            uint64_t second = 1;
            RunOne(seed, first);
            RunOne(seed, second);
            NS_TEST_EXPECT_MSG_EQ(first, second, "same seed, same events, seed " << seed);
        }
    }

    /// @param digest set to a number that depends on all that has happened
    void RunOne(uint32_t seed, uint64_t& digest)
    {
        RdmaHosts hosts(2);
        hosts.UseShortTimeouts();
        hosts.Build({{0, 1}});
        std::mt19937 random(seed);
        std::bernoulli_distribution loss(m_rate);
        const auto pick = [&](uint32_t, const RoceHeader&) { return loss(random); };
        hosts.Lose(0, 0, pick);
        hosts.Lose(1, 0, pick);
        auto ends = hosts.Connect(0, 1, {0});
        std::vector<uint64_t> sizes;
        uint64_t bytes = 0;
        for (uint32_t message = 0; message < 50; ++message)
        {
            sizes.push_back(random() % 3 == 0 ? random() % 3 : random() % 400000);
            bytes += sizes.back();
            ends.first->Post(sizes.back(), message);
            ends.second->Post(sizes.back(), message);
        }
        uint32_t drained = 0;
        for (uint32_t pause = 0; pause < 20; ++pause)
        {
            const Time at = MicroSeconds(random() % 1000);
            ScheduleCall(at, [&drained, sender = ends.first] {
                sender->Pause(MakeCallback(&RdmaConnection::Resume, sender));
                ++drained;
            });
        }
        Simulator::Run();
        for (const auto& log : hosts.logs)
        {
            NS_TEST_ASSERT_MSG_EQ(log.received.size(), 50, "received, seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(log.sent.size(), 50, "reported, seed " << seed);
            for (uint32_t message = 0; message < 50; ++message)
            {
                NS_TEST_EXPECT_MSG_EQ(log.received[message].immediate, message, "in order");
                NS_TEST_EXPECT_MSG_EQ(log.received[message].value, sizes[message], "in full");
                NS_TEST_EXPECT_MSG_EQ(log.sent[message].value, 1, "delivered");
            }
        }
        for (uint32_t host = 0; host < 2; ++host)
        {
            const auto statistics = hosts.GetStatistics(host);
            NS_TEST_EXPECT_MSG_EQ(statistics.bytesPosted, bytes, "posted");
            NS_TEST_EXPECT_MSG_EQ(statistics.bytesDelivered, bytes, "delivered once");
            NS_TEST_EXPECT_MSG_EQ(statistics.bytesFailed, 0, "failed");
        }
        digest = Simulator::GetEventCount() ^ (uint64_t(Simulator::Now().GetTimeStep()) << 20) ^
                 hosts.GetStatistics(0).acksSent;
    }

    double m_rate;    //!< probability
    uint32_t m_seeds; //!< runs
};

/** Suite of losses. */
class RdmaLossTestSuite : public TestSuite
{
  public:
    RdmaLossTestSuite()
        : TestSuite("photonic-rails-rdma-loss", Type::UNIT)
    {
        AddTestCase(new SingleLossTestCase);
        AddTestCase(new TailTestCase);
        AddTestCase(new LongPathTestCase);
        AddTestCase(new LossFailureTestCase);
        AddTestCase(new FailedPortTestCase);
        AddTestCase(new RandomLossTestCase(1e-4, 20));
        AddTestCase(new RandomLossTestCase(1e-2, 40));
        AddTestCase(new RandomLossTestCase(1e-1, 10));
    }
};

RdmaLossTestSuite g_rdmaLossTestSuite; //!< the instance

} // namespace
