// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Congestion control in queue pairs and NICs: pacing, windows, losses, notifications.
 */

#include "rdma-fixed-control.h"
#include "rdma-migration.h"

#include "ns3/double.h"

#include <set>

using namespace ns3;
using namespace ns3::test;

namespace
{

NS_OBJECT_ENSURE_REGISTERED(FixedControl);

/** Rates that a control asks for. */
class PacingTestCase : public PicosecondTestCase
{
  public:
    PacingTestCase()
        : PicosecondTestCase("Packets leave at the rate of the control, and others in between")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t packets = 1000;
        const Time full = Sum(PacketTimes(packets * 4096), packets);
        {
            ControlledHosts hosts("ns3::test::FixedControl");
            auto queuePair = hosts.MakeQueuePair();
            queuePair->Post(packets * 4096, 1);
            const uint64_t before = Simulator::GetEventCount();
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.at(0).at,
                                  hosts.start + full + PathDelay(),
                                  "line rate is line rate");
            const uint64_t events = Simulator::GetEventCount() - before;
            NS_TEST_EXPECT_MSG_LT(events, 2 * packets + 100, "no event more for pacing");
            const auto control = ControlledHosts::GetControl(queuePair);
            NS_TEST_EXPECT_MSG_EQ(PicoSeconds(20 * control->sent), full, "told of all bytes");
            NS_TEST_EXPECT_MSG_EQ(control->acknowledged, packets, "and of all packets");
            // The last packet has a fourth byte of immediate value more.
            NS_TEST_EXPECT_MSG_EQ(control->lastRoundTrip,
                                  WireTime(FIXED_BYTES + 4100) + AckTime() + PathDelay() * 2,
                                  "and of the round trip");
        }
        for (const double part : {0.5, 0.3, 0.01})
        {
            ControlledHosts hosts("ns3::test::FixedControl");
            auto queuePair = hosts.MakeQueuePair();
            ControlledHosts::GetControl(queuePair)->SetRate(part * 400e9);
            queuePair->Post(packets * 4096, 1);
            Simulator::Run();
            // Up to a packet of credit at the beginning.
            const Time took = hosts.logs[1].received.at(0).at - hosts.start - PathDelay();
            const double ratio = took.GetDouble() * part / full.GetDouble();
            NS_TEST_EXPECT_MSG_EQ_TOL(ratio, 1, 0.003, "rate " << part);
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, 0, "time-outs");
        }
        {
            // One at a fifth and one without limit fill the port together.
            ControlledHosts hosts("ns3::test::FixedControl");
            auto slow = hosts.MakeQueuePair();
            auto fast = hosts.MakeQueuePair();
            ControlledHosts::GetControl(slow)->SetRate(80e9);
            slow->Post(packets * 4096, 1);
            fast->Post(4 * packets * 4096, 2);
            Simulator::Run();
            const auto& received = hosts.logs[1].received;
            NS_TEST_ASSERT_MSG_EQ(received.size(), 2, "both");
            for (const auto& event : received)
            {
                const Time took = event.at - hosts.start - PathDelay();
                NS_TEST_EXPECT_MSG_EQ_TOL(took.GetDouble() / (5 * full.GetDouble()),
                                          1,
                                          0.01,
                                          "message " << event.immediate);
            }
        }
    }
};

/** Queue pairs that rest. */
class RestsTestCase : public PicosecondTestCase
{
  public:
    RestsTestCase()
        : PicosecondTestCase("A port wakes up for who is first, and rests end when rates rise")
    {
    }

  private:
    void DoRun() override
    {
        {
            // One that sends a packet in 334 us, and while it rests one that sends 300 in that
            // time.
            ControlledHosts hosts("ns3::test::FixedControl");
            auto slow = hosts.MakeQueuePair();
            auto fast = hosts.MakeQueuePair();
            ControlledHosts::GetControl(slow)->SetRate(0.1e9);
            ControlledHosts::GetControl(fast)->SetRate(40e9);
            slow->Post(3 * 4096, 1);
            ScheduleCall(MicroSeconds(10), [fast] { fast->Post(100 * 4096, 2); });
            Simulator::Run();
            const auto& received = hosts.logs[1].received;
            NS_TEST_ASSERT_MSG_EQ(received.size(), 2, "both");
            NS_TEST_EXPECT_MSG_EQ(received[0].immediate, 2, "the fast one is first");
            const Time took = received[0].at - hosts.start - MicroSeconds(10) - PathDelay();
            const Time closedForm = Sum(PacketTimes(100 * 4096), 99) * int64_t{10};
            NS_TEST_EXPECT_MSG_EQ_TOL(took.GetDouble() / closedForm.GetDouble(), 1, 0.01, "fast");
            const Time last = received[1].at - hosts.start;
            NS_TEST_EXPECT_MSG_EQ_TOL(last.GetDouble() / NanoSeconds(334400).GetDouble(),
                                      1,
                                      0.01,
                                      "slow, with a packet of credit");
        }
        {
            // The second packet would leave after 334 us: the acknowledgement of the first frees
            // it.
            ControlledHosts hosts("ns3::test::FixedControl");
            auto queuePair = hosts.MakeQueuePair();
            ControlledHosts::GetControl(queuePair)->SetRate(0.1e9);
            ControlledHosts::GetControl(queuePair)->rateWhenAcknowledged = 400e9;
            queuePair->Post(10 * 4096, 1);
            Simulator::Run();
            const Time all = Sum(PacketTimes(10 * 4096), 10) + AckTime() + PathDelay() * 3;
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.at(0).at, hosts.start + all, "at once");
        }
        {
            // DCQCN far down: a packet in 84 ms, but its timers raise the rate meanwhile.
            RdmaHosts hosts(2);
            hosts.helper.SetQueuePairAttribute("CongestionControl", StringValue("ns3::RdmaDcqcn"));
            hosts.helper.SetCongestionControlAttribute("MinRate", DoubleValue(1e-6));
            hosts.helper.SetCongestionControlAttribute("CutInterval", TimeValue(Time(0)));
            hosts.Build({{0, 1}});
            RoceHeader cnp;
            cnp.opcode = RoceHeader::CONGESTION_NOTIFICATION;
            auto sender = hosts.cluster.GetNic(0)->CreateQueuePair(0);
            auto receiver = hosts.cluster.GetNic(1)->CreateQueuePair(0);
            sender->Connect(receiver->GetEndpoint());
            receiver->Connect(sender->GetEndpoint());
            for (int i = 0; i < 40; ++i)
            {
                sender->Receive(cnp);
            }
            NS_TEST_EXPECT_MSG_EQ(sender->GetCongestionControl()->GetRate(), 4e5, "lowest rate");
            sender->Post(100 * 4096, 1);
            Simulator::Stop(MilliSeconds(3));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(receiver->GetStatistics().bytesDelivered, 100 * 4096, "in 3 ms");
        }
    }
};

/** Windows that a control asks for. */
class ControlWindowTestCase : public PicosecondTestCase
{
  public:
    ControlWindowTestCase()
        : PicosecondTestCase("A window that shrinks below what is in flight stops nothing for good")
    {
    }

  private:
    void DoRun() override
    {
        ControlledHosts hosts("ns3::test::FixedControl");
        hosts.cluster.GetNic(0)->SetQueuePairAttribute("AckInterval", UintegerValue(1024));
        auto queuePair = hosts.MakeQueuePair();
        auto control = ControlledHosts::GetControl(queuePair);
        queuePair->Post(1000 * 4096, 1);
        Time at;
        for (const double window : {0.1, 3.0, 1.0, 100.0, 7.5, 0.5, 1e9, 2.0})
        {
            at += MicroSeconds(5);
            ScheduleCall(at, [control, window] { control->SetWindow(window); });
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.size(), 1, "arrived");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, 0, "time-outs");
        NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).retransmissions, 0, "repeats");
    }
};

/** Losses that are reported to a congestion control. */
class ControlLossTestCase : public PicosecondTestCase
{
  public:
    ControlLossTestCase()
        : PicosecondTestCase("The control is told of each loss once")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* recovery : {"GoBackN", "SelectiveRepeat"})
        {
            ControlledHosts hosts("ns3::test::FixedControl");
            hosts.cluster.GetNic(0)->SetQueuePairAttribute("LossRecovery", StringValue(recovery));
            hosts.cluster.GetNic(1)->SetQueuePairAttribute("LossRecovery", StringValue(recovery));
            // Two gaps far from each other, and the end; not their repeats.
            std::set<uint32_t> lost = {50, 300, 499};
            hosts.Lose(1, 0, [&lost](uint32_t, const RoceHeader& header) {
                return lost.erase(header.psn) > 0;
            });
            auto queuePair = hosts.MakeQueuePair();
            queuePair->Post(500 * 4096, 1);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.size(), 1, recovery);
            const auto control = ControlledHosts::GetControl(queuePair);
            NS_TEST_EXPECT_MSG_EQ(control->gaps, 2, recovery << ": gaps");
            NS_TEST_EXPECT_MSG_EQ(control->timeouts, 1, recovery << ": time-outs");
        }
    }
};

/** Attributes of controls. */
class ControlAttributesTestCase : public PicosecondTestCase
{
  public:
    ControlAttributesTestCase()
        : PicosecondTestCase("Attributes reach controls that exist and that are made later")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.helper.SetCongestionControlAttribute("Gain", DoubleValue(0.25));
        hosts.helper.SetQueuePairAttribute("CongestionControl", StringValue("ns3::RdmaDcqcn"));
        hosts.Build({{0, 1}});
        auto nic = hosts.cluster.GetNic(0);
        auto first = nic->CreateQueuePair(0);
        auto second = nic->CreateQueuePair(0);
        NS_TEST_EXPECT_MSG_EQ((first->GetCongestionControl() == nullptr), true, "no peer yet");
        const RdmaEndpoint peer{Mac48Address("00:00:00:00:00:09"), Ipv4Address("10.0.0.9"), 16, 0};
        first->Connect(peer);
        ExpectGain(first, 0.25);
        nic->SetCongestionControlAttribute("Gain", DoubleValue(0.5));
        ExpectGain(first, 0.5);
        second->Connect(peer);
        ExpectGain(second, 0.5);
        nic->SetQueuePairAttribute("CongestionControl", StringValue("none"));
        NS_TEST_EXPECT_MSG_EQ((first->GetCongestionControl() == nullptr), true, "taken away");
    }

    void ExpectGain(Ptr<RdmaQueuePair> queuePair, double expected)
    {
        DoubleValue gain;
        queuePair->GetCongestionControl()->GetAttribute("Gain", gain);
        NS_TEST_EXPECT_MSG_EQ(gain.Get(), expected, "gain");
    }
};

/** Marks and their effects. */
class NotificationTestCase : public PicosecondTestCase
{
  public:
    NotificationTestCase()
        : PicosecondTestCase("Marked packets are answered by one CNP in its interval")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string control : {"", "ns3::RdmaDcqcn", "ns3::RdmaSwift"})
        {
            ControlledHosts hosts(control);
            auto queuePair = hosts.MakeQueuePair();
            std::vector<Time> cnps;
            uint64_t wrong = 0;
            // Without a congestion control nobody reacts to marks: Not-ECT.
            const uint8_t tos = control.empty() ? 0x68 : 0x6a;
            const uint32_t marks = control.empty() ? 0 : 2000;
            Migration there(hosts.cluster.GetNic(1), 0, [&](const RoceHeader& header) {
                wrong += header.tos == tos ? 0 : 1;
                Migration::Fate fate;
                fate.marked = true;
                return fate;
            });
            Migration back(hosts.cluster.GetNic(0), 0, [&](const RoceHeader& header) {
                wrong += header.tos == 0xc0 ? 0 : 1;
                if (header.opcode == RoceHeader::CONGESTION_NOTIFICATION)
                {
                    wrong += header.becn ? 0 : 1;
                    cnps.push_back(Simulator::Now());
                }
                return Migration::Fate{};
            });
            queuePair->Post(2000 * 4096, 1);
            Simulator::Run();
            const bool dcqcn = control == "ns3::RdmaDcqcn";
            const auto receiver = hosts.GetStatistics(1);
            NS_TEST_EXPECT_MSG_EQ(wrong, 0, "types of service");
            NS_TEST_EXPECT_MSG_EQ(receiver.marksReceived, marks, "marks");
            NS_TEST_EXPECT_MSG_EQ(receiver.cnpsSent, cnps.size(), "sent");
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).cnpsReceived, cnps.size(), "received");
            NS_TEST_EXPECT_MSG_EQ((cnps.size() > 5), dcqcn, "only DCQCN wants them");
            for (std::size_t i = 1; i < cnps.size(); ++i)
            {
                const Time apart = cnps[i] - cnps[i - 1];
                // From marked packet to marked packet, which are up to 8.4 us apart.
                NS_TEST_EXPECT_MSG_GT(apart, NanoSeconds(3900), "one CNP in 4 us");
                NS_TEST_EXPECT_MSG_LT(apart, NanoSeconds(4000 + 8500), "as soon as it may");
            }
            if (dcqcn)
            {
                const Time first = WireTime(FIXED_BYTES + 16 + 4096) + PathDelay();
                const Time cnp = WireTime(FIXED_BYTES + 16) + PathDelay();
                NS_TEST_EXPECT_MSG_EQ(cnps.at(0), hosts.start + first + cnp, "at once");
            }
        }
    }
};

/** Suite of congestion control. */
class RdmaCongestionTestSuite : public TestSuite
{
  public:
    RdmaCongestionTestSuite()
        : TestSuite("photonic-rails-rdma-congestion", Type::UNIT)
    {
        AddTestCase(new PacingTestCase);
        AddTestCase(new RestsTestCase);
        AddTestCase(new ControlWindowTestCase);
        AddTestCase(new ControlLossTestCase);
        AddTestCase(new ControlAttributesTestCase);
        AddTestCase(new NotificationTestCase);
    }
};

RdmaCongestionTestSuite g_rdmaCongestionTestSuite; //!< the instance

} // namespace
