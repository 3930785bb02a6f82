// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Selective repeat: repeated packets, saved packets, and paths that reorder.
 */

#include "rdma-hosts.h"
#include "rdma-migration.h"

#include <random>
#include <set>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// Two hosts on a circuit, whose queue pairs repeat selectively or go back.
class RecoveringHosts : public RdmaHosts
{
  public:
    explicit RecoveringHosts(bool selective,
                             uint32_t tolerance = 0,
                             Time fiber = NanoSeconds(100),
                             uint32_t firstPsn = 0)
        : RdmaHosts(2)
    {
        helper.SetFiberAttribute("Delay", TimeValue(fiber));
        helper.SetQueuePairAttribute("LossRecovery",
                                     StringValue(selective ? "SelectiveRepeat" : "GoBackN"));
        helper.SetQueuePairAttribute("FirstPsn", UintegerValue(firstPsn));
        helper.SetQueuePairAttribute("ReorderTolerance", UintegerValue(tolerance));
        Build({{0, 1}});
    }
};

/** Packets are lost in the middle of a message. */
class RepeatsOnlyTheMissingTestCase : public PicosecondTestCase
{
  public:
    RepeatsOnlyTheMissingTestCase()
        : PicosecondTestCase("What is lost is repeated, and nothing else")
    {
    }

  private:
    void DoRun() override
    {
        RunOne(0);
        RunOne((1 << 24) - 50); // PSNs wrap around, with the gaps before that
        RunOne((1 << 24) - 11); // within a gap
    }

    void RunOne(uint32_t firstPsn)
    {
        RecoveringHosts hosts(true, 0, NanoSeconds(100), firstPsn);
        // One gap of three packets, and one of one; not their repeats.
        std::set<uint32_t> lost;
        for (const uint32_t packet : {10, 11, 12, 70})
        {
            lost.insert((firstPsn + packet) & RoceHeader::PSN_MASK);
        }
        hosts.Lose(1, 0, [&lost](uint32_t, const RoceHeader& header) {
            return lost.erase(header.psn) > 0;
        });
        auto ends = hosts.Connect(0, 1, {0});
        ends.first->Post(100 * 4096 - 1, 1);
        ends.first->Post(50 * 4096, 2);
        Simulator::Run();
        const auto sender = hosts.GetStatistics(0);
        const auto receiver = hosts.GetStatistics(1);
        NS_TEST_EXPECT_MSG_EQ(sender.retransmissions, 4, "four were lost");
        NS_TEST_EXPECT_MSG_EQ(sender.dataPacketsSent, 154, "and no more is sent");
        NS_TEST_EXPECT_MSG_EQ(sender.timeouts, 0, "time-outs");
        NS_TEST_EXPECT_MSG_EQ(receiver.duplicatesReceived, 0, "in vain");
        NS_TEST_EXPECT_MSG_EQ(receiver.naksSent, receiver.outOfOrderReceived, "each is told of");
        const auto& received = hosts.logs[1].received;
        NS_TEST_ASSERT_MSG_EQ(received.size(), 2, "both");
        NS_TEST_EXPECT_MSG_EQ(received[0].value, 100 * 4096 - 1, "the first in full");
        NS_TEST_EXPECT_MSG_EQ(received[1].value, 50 * 4096, "the second in full");
        // Every packet has an address of its own: 16 bytes more in all but the first.
        Time all = WireTime(FIXED_BYTES + 16 + 4096) * 154 + WireTime(4) * 2;
        NS_TEST_EXPECT_MSG_EQ(received[1].at, hosts.start + all + PathDelay(), "without a pause");
    }
};

/** Tails and their acknowledgements are lost. */
class TailsTestCase : public PicosecondTestCase
{
  public:
    TailsTestCase()
        : PicosecondTestCase("After a time-out one packet finds out what is missing")
    {
    }

  private:
    void DoRun() override
    {
        {
            RecoveringHosts hosts(true);
            hosts.Lose(1, 0, [](uint32_t number, const RoceHeader&) {
                return number >= 20 && number < 40;
            });
            hosts.Connect(0, 1, {0}).first->Post(40 * 4096, 1);
            Simulator::Run();
            // Nothing was acknowledged: the first packet asks again, and the 20 follow.
            Expect(hosts, 1, 21, "the last 20 of 40");
        }
        {
            RecoveringHosts hosts(true);
            hosts.Lose(0, 0, [](uint32_t number, const RoceHeader&) { return number == 0; });
            hosts.Connect(0, 1, {0}).first->Post(20 * 4096, 1);
            Simulator::Run();
            Expect(hosts, 1, 1, "the acknowledgement of all");
        }
        {
            // The repeat of a lost packet is lost, and later packets tell of that.
            RecoveringHosts hosts(true);
            uint32_t lost = 0;
            hosts.Lose(1, 0, [&lost](uint32_t, const RoceHeader& header) {
                return header.psn == 5 && lost++ < 2;
            });
            hosts.Connect(0, 1, {0}).first->Post(100 * 4096, 1);
            Simulator::Run();
            Expect(hosts, 0, 2, "a repeat");
        }
        {
            // The acknowledgements are lost: packets that arrived are repeated in vain.
            RecoveringHosts hosts(true);
            hosts.Lose(1, 0, [](uint32_t number, const RoceHeader&) { return number == 5; });
            hosts.Lose(0, 0, [](uint32_t number, const RoceHeader&) { return number < 3; });
            hosts.Connect(0, 1, {0}).first->Post(20 * 4096, 1);
            Simulator::Run();
            Expect(hosts, 0, 4, "three NAKs");
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).duplicatesReceived, 3, "6, 7 and 8");
        }
    }

    void Expect(const RdmaHosts& hosts, uint64_t timeouts, uint64_t repeats, const char* what)
    {
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.size(), 1, "lost " << what << ": once");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent.size(), 1, "lost " << what << ": reported");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, timeouts, "lost " << what);
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).retransmissions, repeats, "lost " << what);
    }
};

/** The same losses, both ways of recovery. */
class SavingsTestCase : public PicosecondTestCase
{
  public:
    SavingsTestCase()
        : PicosecondTestCase("Selective repeat repeats as many packets as are lost")
    {
    }

  private:
    void DoRun() override
    {
        std::cout << "# loss rate, recovery: packets, lost, repeated, time-outs, completion\n";
        for (const double rate : {1e-4, 1e-2})
        {
            const auto back = RunOne(rate, false);
            const auto selective = RunOne(rate, true);
            NS_TEST_EXPECT_MSG_GT(back.retransmissions, 10 * selective.retransmissions, rate);
            NS_TEST_EXPECT_MSG_LT(selective.duplicatesReceived * 20,
                                  selective.retransmissions + 20,
                                  "next to none in vain");
        }
    }

    RdmaQueuePair::Statistics RunOne(double rate, bool selective)
    {
        // A round trip of 10 us, or 120 packets, which go-back-N repeats.
        RecoveringHosts hosts(selective, 0, NanoSeconds(2500));
        std::mt19937 random(7);
        std::bernoulli_distribution loss(rate);
        uint64_t lost = 0;
        hosts.Lose(1, 0, [&](uint32_t, const RoceHeader&) {
            const bool pick = loss(random);
            lost += pick ? 1 : 0;
            return pick;
        });
        auto ends = hosts.Connect(0, 1, {0});
        const uint32_t messages = rate < 1e-3 ? 200 : 20;
        for (uint32_t message = 0; message < messages; ++message)
        {
            ends.first->Post(1 << 20, message);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].GetBytesReceived(), uint64_t{messages} << 20, "all");
        auto statistics = hosts.GetStatistics(0);
        statistics.duplicatesReceived = hosts.GetStatistics(1).duplicatesReceived;
        std::cout << "# " << rate << (selective ? " selective repeat: " : " go-back-N: ")
                  << statistics.dataPacketsSent << ", " << lost << ", "
                  << statistics.retransmissions << ", " << statistics.timeouts << ", "
                  << (hosts.logs[1].received.back().at - hosts.start).As(Time::US) << "\n";
        return statistics;
    }
};

/** Frames take two paths of different delay. */
class TwoPathsTestCase : public PicosecondTestCase
{
  public:
    TwoPathsTestCase()
        : PicosecondTestCase("Two paths of different delay: in order, once, and loss on top")
    {
    }

  private:
    void DoRun() override
    {
        for (const double rate : {0.0, 1e-3, 1e-2})
        {
            for (uint32_t seed = 1; seed <= 10; ++seed)
            {
                RunOne(rate, seed, 0);
                const uint64_t repeats = RunOne(rate, seed, 64);
                if (rate == 0)
                {
                    NS_TEST_EXPECT_MSG_EQ(repeats, 0, "nothing is lost, and nothing repeated");
                }
            }
        }
    }

    /// @return packets repeated
    uint64_t RunOne(double rate, uint32_t seed, uint32_t tolerance)
    {
        RecoveringHosts hosts(true, tolerance);
        std::mt19937 random(seed);
        const auto decide = [&](const RoceHeader&) {
            Migration::Fate fate;
            fate.lost = std::bernoulli_distribution(rate)(random);
            // 3 us are some 36 packets.
            fate.delay = random() % 2 == 0 ? MicroSeconds(3) : Time(0);
            return fate;
        };
        Migration there(hosts.cluster.GetNic(1), 0, decide);
        Migration back(hosts.cluster.GetNic(0), 0, decide);
        auto ends = hosts.Connect(0, 1, {0});
        std::vector<uint64_t> sizes;
        uint64_t bytes = 0;
        for (uint32_t message = 0; message < 40; ++message)
        {
            sizes.push_back(random() % 3 == 0 ? random() % 3 : random() % 200000);
            bytes += sizes.back();
            ends.first->Post(sizes.back(), message);
        }
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        const auto& received = hosts.logs[1].received;
        NS_TEST_EXPECT_MSG_EQ(received.size(), 40, "received, seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent.size(), 40, "reported, seed " << seed);
        for (uint32_t message = 0; message < received.size(); ++message)
        {
            NS_TEST_EXPECT_MSG_EQ(received[message].immediate, message, "in order");
            NS_TEST_EXPECT_MSG_EQ(received[message].value, sizes[message], "in full");
        }
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).bytesDelivered, bytes, "once");
        return hosts.GetStatistics(0).retransmissions;
    }
};

/** Circuits come and go, and pauses, with losses. */
class SelectiveCircuitsTestCase : public PicosecondTestCase
{
  public:
    SelectiveCircuitsTestCase()
        : PicosecondTestCase("Messages survive torn circuits and pauses")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 20; ++seed)
        {
            RecoveringHosts hosts(true);
            std::mt19937 random(seed);
            std::bernoulli_distribution loss(0.01 * (seed % 3));
            const auto pick = [&](uint32_t, const RoceHeader&) { return loss(random); };
            hosts.Lose(0, 0, pick);
            hosts.Lose(1, 0, pick);
            auto ends = hosts.Connect(0, 1, {0});
            for (uint32_t message = 0; message < 20; ++message)
            {
                ends.first->Post(100000, message);
                ends.second->Post(100000, message);
            }
            for (uint32_t i = 0; i < 4; ++i)
            {
                ScheduleCall(MicroSeconds(10 + 100 * i + random() % 50), [&hosts] {
                    hosts.Switch({{0, 1}}, {{0, 1}});
                });
                ScheduleCall(MicroSeconds(random() % 500), [sender = ends.first] {
                    sender->Pause(MakeCallback(&RdmaConnection::Resume, sender));
                });
            }
            Simulator::Stop(Seconds(20));
            Simulator::Run();
            for (const auto& log : hosts.logs)
            {
                NS_TEST_EXPECT_MSG_EQ(log.received.size(), 20, "received, seed " << seed);
                NS_TEST_EXPECT_MSG_EQ(log.GetBytesReceived(), 20 * 100000, "in full");
                NS_TEST_EXPECT_MSG_EQ(log.sent.size(), 20, "reported, seed " << seed);
            }
        }
    }
};

/** Suite of selective repeat. */
class RdmaSelectiveTestSuite : public TestSuite
{
  public:
    RdmaSelectiveTestSuite()
        : TestSuite("photonic-rails-rdma-selective", Type::UNIT)
    {
        AddTestCase(new RepeatsOnlyTheMissingTestCase);
        AddTestCase(new TailsTestCase);
        AddTestCase(new SavingsTestCase);
        AddTestCase(new TwoPathsTestCase);
        AddTestCase(new SelectiveCircuitsTestCase);
    }
};

RdmaSelectiveTestSuite g_rdmaSelectiveTestSuite; //!< the instance

} // namespace
