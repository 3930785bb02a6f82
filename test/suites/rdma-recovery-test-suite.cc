// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * After trouble has passed: the recovery time of queue pairs, and the state that they drop.
 */

#include "rdma-hosts.h"
#include "rdma-migration.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/** Everything is lost for a while. */
class OutageTestCase : public PicosecondTestCase
{
  public:
    OutageTestCase()
        : PicosecondTestCase("A message goes on at speed when an outage is over")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string control : {"", "ns3::RdmaDcqcn", "ns3::RdmaSwift"})
        {
            for (const char* recovery : {"GoBackN", "SelectiveRepeat"})
            {
                RdmaHosts hosts(2);
                hosts.UseShortTimeouts();
                hosts.helper.SetQueuePairAttribute("CongestionControl", StringValue(control));
                hosts.helper.SetQueuePairAttribute("LossRecovery", StringValue(recovery));
                hosts.Build({{0, 1}});
                const Time end = hosts.start + MilliSeconds(200);
                const auto pick = [end](uint32_t, const RoceHeader&) {
                    return Simulator::Now() < end;
                };
                hosts.Lose(0, 0, pick);
                hosts.Lose(1, 0, pick);
                hosts.Connect(0, 1, {0}).first->Post(1 << 20, 1);
                Simulator::Run();
                NS_TEST_ASSERT_MSG_EQ(hosts.logs[0].sent.size(), 1, control << recovery);
                NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent[0].value, 1, control << recovery);
                const Time took = hosts.logs[0].sent[0].at - hosts.start;
                std::cout << "# " << control << " " << recovery << ": " << took.As(Time::US)
                          << "\n";
                // Time-outs of 4, 8, ... 128 ms, and then a millisecond for 256 packets.
                NS_TEST_EXPECT_MSG_GT(took, MilliSeconds(252), control << ", " << recovery);
                NS_TEST_EXPECT_MSG_LT(took, MilliSeconds(253), control << ", " << recovery);
            }
        }
    }
};

/** Back-off and its end. */
class BackOffTestCase : public PicosecondTestCase
{
  public:
    BackOffTestCase()
        : PicosecondTestCase("Back-off ends with progress, but not where the time-out is too short")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* recovery : {"GoBackN", "SelectiveRepeat"})
        {
            RdmaHosts hosts(2);
            hosts.UseShortTimeouts();
            hosts.helper.SetQueuePairAttribute("LossRecovery", StringValue(recovery));
            hosts.Build({{0, 1}});
            uint32_t lost = 0;
            auto ends = hosts.Connect(0, 1, {0});
            ends.first->Post(4096, 0); // a round trip is known
            for (const uint32_t message : {1, 2})
            {
                ScheduleCall(MilliSeconds(20 * message),
                             [sender = ends.first, message] { sender->Post(4096, message); });
            }
            hosts.Lose(1, 0, [&lost](uint32_t, const RoceHeader& header) {
                // Five times the second packet, and once the third.
                return (header.psn == 1 && lost < 5 && ++lost > 0) ||
                       (header.psn == 2 && lost < 6 && ++lost > 0);
            });
            Simulator::Run();
            const auto& received = hosts.logs[1].received;
            NS_TEST_ASSERT_MSG_EQ(received.size(), 3, recovery);
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, 6, recovery);
            const Time packet = Sum(PacketTimes(4096), 1) + PathDelay();
            NS_TEST_EXPECT_MSG_EQ(received[1].at,
                                  hosts.start + MilliSeconds(20) + MicroSeconds(500) * 31 + packet,
                                  "five time-outs, " << recovery);
            NS_TEST_EXPECT_MSG_EQ(received[2].at,
                                  hosts.start + MilliSeconds(40) + MicroSeconds(500) + packet,
                                  "one time-out, as if there had been none, " << recovery);
        }
        for (const int milliseconds : {3, 10})
        {
            // The path becomes longer by much more than the time-out: it has to be found out.
            RdmaHosts hosts(2);
            hosts.UseShortTimeouts();
            hosts.Build({{0, 1}});
            const Time change = hosts.start + MilliSeconds(1);
            Migration there(hosts.cluster.GetNic(1), 0, [=](const RoceHeader&) {
                Migration::Fate fate;
                fate.delay = Simulator::Now() < change ? Time(0) : MilliSeconds(milliseconds);
                return fate;
            });
            auto ends = hosts.Connect(0, 1, {0});
            ends.first->Post(4096, 0);
            ScheduleCall(MilliSeconds(2), [sender = ends.first] {
                for (uint32_t message = 1; message <= 20; ++message)
                {
                    sender->Post(1 << 20, message);
                }
            });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.size(), 21, "all");
            NS_TEST_EXPECT_MSG_LT(hosts.GetStatistics(0).timeouts, 7, milliseconds << " ms");
        }
    }
};

/** A path that opens again. */
class FreshStartTestCase : public PicosecondTestCase
{
  public:
    FreshStartTestCase()
        : PicosecondTestCase("A path that opens again has all retries, and no back-off")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* recovery : {"GoBackN", "SelectiveRepeat"})
        {
            RdmaHosts hosts(2);
            hosts.UseShortTimeouts();
            hosts.helper.SetQueuePairAttribute("LossRecovery", StringValue(recovery));
            hosts.Build({{0, 1}});
            hosts.Lose(1, 0, [](uint32_t, const RoceHeader&) { return true; });
            hosts.Connect(0, 1, {0}).first->Post(100, 1);
            // After time-outs of 4, 8 and 16 ms.
            ScheduleCall(MilliSeconds(40), [&hosts] { hosts.Switch({{0, 1}}, {{0, 1}}); });
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(hosts.logs[0].sent.size(), 1, "reported");
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent[0].value, 0, "as failed");
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, 3 + 8, "seven retries more");
            const Time waited = hosts.logs[0].sent[0].at - hosts.start;
            NS_TEST_EXPECT_MSG_GT(waited, MilliSeconds(40 + 1020), recovery);
            NS_TEST_EXPECT_MSG_LT(waited, MilliSeconds(40 + 1021), recovery);
        }
    }
};

/** A user that never gives up. */
class PostAgainTestCase : public PicosecondTestCase
{
  public:
    PostAgainTestCase()
        : PicosecondTestCase("Posting again on failure does not keep time from passing")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.UseShortTimeouts();
        hosts.helper.SetQueuePairAttribute("RetryLimit", UintegerValue(1));
        hosts.Build({{0, 1}});
        hosts.Lose(1, 0, [](uint32_t, const RoceHeader&) { return true; });
        auto sender = hosts.cluster.GetNic(0)->CreateQueuePair(0);
        auto receiver = hosts.cluster.GetNic(1)->CreateQueuePair(0);
        sender->Connect(receiver->GetEndpoint());
        receiver->Connect(sender->GetEndpoint());
        std::vector<Time> reports;
        sender->SetSentCallback(ToCallback<uint32_t, bool>([&](uint32_t immediate, bool delivered) {
            NS_TEST_EXPECT_MSG_EQ(delivered, false, "nothing gets through");
            NS_TEST_EXPECT_MSG_EQ(immediate, reports.size() % 3, "in order");
            reports.push_back(Simulator::Now());
            if (reports.size() < 3000) // a loop is seen, and ends
            {
                sender->Post(10, immediate);
            }
        }));
        for (uint32_t message = 0; message < 3; ++message)
        {
            sender->Post(10, message);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(reports.size(), 3002, "each once");
        const Time failed = hosts.start + MilliSeconds(12);
        NS_TEST_EXPECT_MSG_LT(reports[0] - failed, MicroSeconds(1), "after 4 and 8 ms");
        for (std::size_t i = 0; i < reports.size(); ++i)
        {
            const Time expected = reports[0] + MicroSeconds(1) * static_cast<int64_t>(i / 3);
            NS_TEST_EXPECT_MSG_EQ(reports[i], expected, "report " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(sender->GetStatistics().bytesFailed, 30020, "bytes");
    }
};

/** Suite of recovery after trouble. */
class RdmaRecoveryTestSuite : public TestSuite
{
  public:
    RdmaRecoveryTestSuite()
        : TestSuite("photonic-rails-rdma-recovery", Type::UNIT)
    {
        AddTestCase(new OutageTestCase);
        AddTestCase(new BackOffTestCase);
        AddTestCase(new FreshStartTestCase);
        AddTestCase(new PostAgainTestCase);
    }
};

RdmaRecoveryTestSuite g_rdmaRecoveryTestSuite; //!< the instance

} // namespace
