// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Priorities of queue pairs that a link partner pauses.
 */

#include "rdma-hosts.h"
#include "rdma-migration.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/** Acknowledgements and CNPs are paused. */
class PausedControlTestCase : public PicosecondTestCase
{
  public:
    PausedControlTestCase()
        : PicosecondTestCase("Acknowledgements and CNPs obey pauses of their priority")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.helper.SetSwitchAttribute("LosslessPriorities", UintegerValue(0x48));
        hosts.helper.SetQueuePairAttribute("CongestionControl", StringValue("ns3::RdmaDcqcn"));
        hosts.Build({}, false);
        auto port = DynamicCast<EthernetPortNetDevice>(
            hosts.cluster.GetSwitches().at(0).node->GetDevice(1));
        Migration there(hosts.cluster.GetNic(1), 0, [](const RoceHeader&) {
            Migration::Fate fate;
            fate.marked = true;
            return fate;
        });
        std::vector<Time> cnps;
        std::vector<Time> acks;
        Migration back(hosts.cluster.GetNic(0), 0, [&](const RoceHeader& header) {
            const bool ack = header.opcode == RoceHeader::ACKNOWLEDGE;
            (ack ? acks : cnps).push_back(Simulator::Now() - hosts.start);
            return Migration::Fate{};
        });
        ScheduleCall(MicroSeconds(10), [port] { port->SendPfc(6, true); });
        ScheduleCall(MicroSeconds(310), [port] { port->SendPfc(6, false); });
        hosts.Connect(0, 1, {0}).first->Post(2000 * 4096, 1);
        Simulator::Run();
        Expect(acks, "acknowledgements");
        Expect(cnps, "CNPs");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.size(), 1, "arrived");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, 0, "time-outs");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).retransmissions, 0, "repeats");
    }

    /// Some before the pause and some after, and at once; none meanwhile.
    void Expect(const std::vector<Time>& times, const std::string& what)
    {
        // Frames sent before arrive within 2 us.
        const Time begin = MicroSeconds(12);
        const Time end = MicroSeconds(310);
        const auto first = std::upper_bound(times.begin(), times.end(), begin);
        NS_TEST_EXPECT_MSG_GT(std::distance(times.begin(), first), 0, what << " before");
        NS_TEST_ASSERT_MSG_EQ((first != times.end()), true, what << " after");
        NS_TEST_EXPECT_MSG_GT(*first, end, what << " meanwhile");
        NS_TEST_EXPECT_MSG_LT(*first, end + MicroSeconds(2), what << " at once");
    }
};

/** Data of one of two priorities is paused. */
class PausedDataTestCase : public PicosecondTestCase
{
  public:
    PausedDataTestCase()
        : PicosecondTestCase("Who is paused does not keep other priorities waiting")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.Build({{0, 1}});
        std::vector<Ptr<RdmaQueuePair>> senders;
        std::vector<Time> arrivals(3);
        for (uint32_t i = 0; i < 3; ++i)
        {
            senders.push_back(hosts.cluster.GetNic(0)->CreateQueuePair(0));
            auto receiver = hosts.cluster.GetNic(1)->CreateQueuePair(0);
            senders[i]->SetAttribute("Tos", UintegerValue(i == 1 ? 0x8a : 0x6a));
            senders[i]->Connect(receiver->GetEndpoint());
            receiver->Connect(senders[i]->GetEndpoint());
            receiver->SetReceivedCallback(ToCallback<uint32_t, uint64_t>(
                [&arrivals, i](uint32_t, uint64_t) { arrivals[i] = Simulator::Now(); }));
        }
        auto partner = hosts.cluster.GetNic(1)->GetPort(0);
        partner->SendPfc(3, true);
        // Priorities 3, 4 and 3, in this order.
        const Time posted = MicroSeconds(10);
        ScheduleCall(posted, [&senders] {
            for (const auto& sender : senders)
            {
                sender->Post(200 * 4096, 1);
            }
        });
        ScheduleCall(MicroSeconds(200), [partner] { partner->SendPfc(3, false); });
        Simulator::Run();
        const Time alone = Sum(PacketTimes(200 * 4096), 200) + PathDelay();
        NS_TEST_EXPECT_MSG_EQ(arrivals[1], hosts.start + posted + alone, "as if it were alone");
        for (const uint32_t i : {0, 2})
        {
            const Time after = arrivals[i] - hosts.start - MicroSeconds(200);
            NS_TEST_EXPECT_MSG_GT(after, alone, "when the pause is over");
            NS_TEST_EXPECT_MSG_LT(after, alone * int64_t{2} + MicroSeconds(1), "in turn");
        }
    }
};

/** A CNP that is due when light goes. */
class ClosedPathTestCase : public PicosecondTestCase
{
  public:
    ClosedPathTestCase()
        : PicosecondTestCase("What was due when the path closed is forgotten")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.helper.SetQueuePairAttribute("CongestionControl", StringValue("ns3::RdmaDcqcn"));
        hosts.Build({{0, 1}});
        Migration there(hosts.cluster.GetNic(1), 0, [&hosts](const RoceHeader&) {
            Migration::Fate fate;
            fate.marked = Simulator::Now() < hosts.start + MicroSeconds(5);
            return fate;
        });
        // The CNP and the acknowledgement cannot leave.
        hosts.cluster.GetNic(0)->GetPort(0)->SendPfc(6, true);
        auto ends = hosts.Connect(0, 1, {0});
        ScheduleCall(MicroSeconds(2), [sender = ends.first] { sender->Post(5 * 4096, 1); });
        ScheduleCall(MicroSeconds(5), [this, &hosts] {
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).marksReceived, 5, "marked");
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).acksSent, 0, "paused");
            hosts.Switch({{0, 1}}, {{0, 1}});
            hosts.cluster.GetNic(0)->GetPort(0)->SendPfc(6, false); // not on the new circuit
        });
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).duplicatesReceived, 5, "sent again");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).acksSent, 1, "acknowledged once");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(1).cnpsSent, 0, "the mark was before");
    }
};

/** Suite of priorities. */
class RdmaPrioritiesTestSuite : public TestSuite
{
  public:
    RdmaPrioritiesTestSuite()
        : TestSuite("photonic-rails-rdma-priorities", Type::UNIT)
    {
        AddTestCase(new PausedControlTestCase);
        AddTestCase(new PausedDataTestCase);
        AddTestCase(new ClosedPathTestCase);
    }
};

RdmaPrioritiesTestSuite g_rdmaPrioritiesTestSuite; //!< the instance

} // namespace
