// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What happens at one instant does not depend on the order in which its events were made: a node
 * receives all frames, in the order of its ports, and only then chooses a frame to send.
 */

#include "lambda-call.h"
#include "rdma-hosts.h"
#include "switch-stations.h"

#include "ns3/uinteger.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** Senders in lockstep into one output, which marks at random. */
class LockstepTestCase : public PicosecondTestCase
{
  public:
    LockstepTestCase()
        : PicosecondTestCase("A switch takes what arrives at one instant in the order of its ports")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 4;
    static constexpr uint32_t FRAMES = 50;

    /// @return sender, number and mark of each frame that a station receives
    std::vector<std::string> Receive(const std::vector<uint32_t>& order, Time hopLatency)
    {
        SwitchNetwork network;
        auto bench = network.AddSwitch();
        bench->SetAttribute("HopLatency", TimeValue(hopLatency));
        bench->SetAttribute("Kmin", UintegerValue(20'000));
        bench->SetAttribute("Kmax", UintegerValue(200'000));
        for (uint32_t i = 0; i <= SENDERS; ++i)
        {
            network.AddStation(0);
        }
        auto& sink = *network.stations.back();
        for (const uint32_t sender : order)
        {
            auto& station = *network.stations[sender];
            ScheduleCall(NanoSeconds(10), [&station, &sink] {
                for (uint32_t i = 0; i < FRAMES; ++i)
                {
                    station.Send(sink.address, 1000 + i, TOS_3, static_cast<uint16_t>(i));
                }
            });
        }
        Simulator::Run();
        std::vector<std::string> received;
        for (const auto& arrival : sink.arrivals)
        {
            const bool marked = (arrival.header.tos & 3) == RoceHeader::CE;
            received.push_back(std::to_string(arrival.header.sourceIp.Get() - 0x0a000001) + "/" +
                               std::to_string(arrival.header.sourcePort - 0xc000) +
                               (marked ? "!" : ""));
        }
        return received;
    }

    void DoRun() override
    {
        for (const Time& latency : {Time(0), NanoSeconds(300)})
        {
            const auto up = Receive({0, 1, 2, 3}, latency);
            const auto down = Receive({3, 2, 1, 0}, latency);
            const auto mixed = Receive({2, 0, 3, 1}, latency);
            NS_TEST_ASSERT_MSG_EQ(up.size(), SENDERS * FRAMES, "all of them");
            uint32_t marks = 0;
            for (std::size_t i = 0; i < up.size(); ++i)
            {
                const auto expected =
                    std::to_string(i % SENDERS) + "/" + std::to_string(i / SENDERS);
                NS_TEST_EXPECT_MSG_EQ(up[i].substr(0, expected.size()), expected, "in turn");
                NS_TEST_EXPECT_MSG_EQ(down.at(i), up[i], "in any order");
                NS_TEST_EXPECT_MSG_EQ(mixed.at(i), up[i], "in any order");
                marks += up[i].back() == '!';
            }
            NS_TEST_EXPECT_MSG_GT(marks, 0, "some marked");
            NS_TEST_EXPECT_MSG_LT(marks, SENDERS * FRAMES, "some not");
        }
    }
};

/** A frame of a higher priority arrives when the output becomes free. */
class FreeOutputTestCase : public PicosecondTestCase
{
  public:
    FreeOutputTestCase()
        : PicosecondTestCase("An output that becomes free knows what arrives at that instant")
    {
    }

  private:
    /// @param bytes of the frame in service: its end is scheduled before or after the arrival
    void RunOne(uint32_t bytes)
    {
        SwitchNetwork network;
        network.AddSwitch()->SetAttribute("HopLatency", TimeValue(Time(0)));
        for (uint32_t i = 0; i < 3; ++i)
        {
            network.AddStation(0);
        }
        auto& first = *network.stations[0];
        auto& second = *network.stations[1];
        auto& sink = *network.stations[2];
        first.Send(sink.address, bytes, TOS_0, 0);
        first.Send(sink.address, 500, TOS_0, 1);
        const Time fiber = NanoSeconds(100);
        const Time free = FrameTime(bytes) * int64_t{2} + fiber;
        ScheduleCall(free - fiber - FrameTime(60),
                     [&second, &sink] { second.Send(sink.address, 60, TOS_6, 2); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(sink.arrivals.size(), 3, "all of them");
        const std::vector<uint32_t> flows = {0, 2, 1};
        const std::vector<Time> times = {free + fiber,
                                         free + FrameTime(60) + fiber,
                                         free + FrameTime(60) + FrameTime(500) + fiber};
        for (uint32_t i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(sink.arrivals[i].header.sourcePort, 0xc000 + flows[i], "flow");
            NS_TEST_EXPECT_MSG_EQ(sink.arrivals[i].at, times[i], "without a gap");
        }
    }

    void DoRun() override
    {
        RunOne(1000); // 20 ns in service
        RunOne(9000); // 180 ns, longer than the other has been on its way
    }
};

/// Records the frames that arrive at a port.
class FrameLog
{
  public:
    explicit FrameLog(Ptr<EthernetPortNetDevice> port)
    {
        port->TraceConnectWithoutContext("MacRx", MakeCallback(&FrameLog::Add, this));
    }

    std::string frames; //!< A for an acknowledgement, D for data

  private:
    void Add(Ptr<const Packet> frame)
    {
        RoceHeader header;
        frame->PeekHeader(header);
        frames += header.opcode == RoceHeader::ACKNOWLEDGE ? 'A' : 'D';
    }
};

/** Data and an acknowledgement become ready at an idle port. */
class IdleNicTestCase : public PicosecondTestCase
{
  public:
    IdleNicTestCase()
        : PicosecondTestCase("An idle port of a NIC sends acknowledgements before data")
    {
    }

  private:
    /// @param early true if the event that posts the data is made before that of the arrival
    void RunOne(bool early)
    {
        RdmaHosts hosts(2);
        hosts.Build({{0, 1}});
        auto [sender, receiver] = hosts.Connect(0, 1, {0});
        FrameLog log(hosts.cluster.GetNic(0)->GetPort(0));
        const Time arrival = Sum(PacketTimes(4096), 1) + PathDelay();
        auto post = [receiver = receiver] { receiver->Post(4096, 2); };
        if (early)
        {
            ScheduleCall(arrival, post);
        }
        else
        {
            ScheduleCall(arrival - PicoSeconds(1), [post] { ScheduleCall(PicoSeconds(1), post); });
        }
        sender->Post(4096, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(log.frames, "AD", "the acknowledgement first");
        NS_TEST_ASSERT_MSG_EQ(hosts.logs[0].received.size(), 1, "arrived");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].received[0].at,
                              hosts.start + arrival * int64_t{2} + AckTime(),
                              "behind the acknowledgement");
    }

    void DoRun() override
    {
        RunOne(true);
        RunOne(false);
    }
};

/** A packet arrives when the port becomes free. */
class FreeNicTestCase : public PicosecondTestCase
{
  public:
    FreeNicTestCase()
        : PicosecondTestCase("A port of a NIC that becomes free knows what arrives at that instant")
    {
    }

  private:
    /// @param fiber delay of each: the arrival is scheduled before or after the end of the packet
    void RunOne(Time fiber)
    {
        RdmaHosts hosts(2);
        hosts.helper.SetFiberAttribute("Delay", TimeValue(fiber));
        hosts.Build({{0, 1}});
        auto [there, back] = hosts.Connect(0, 1, {0});
        FrameLog log(hosts.cluster.GetNic(0)->GetPort(0));
        const Time free = MicroSeconds(1) + Sum(PacketTimes(5 * 4096), 2);
        ScheduleCall(MicroSeconds(1), [back = back] { back->Post(5 * 4096, 2); });
        ScheduleCall(free - Sum(PacketTimes(4), 1) - fiber * int64_t{2},
                     [there = there] { there->Post(4, 1); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(log.frames, "DDADDD", "the acknowledgement after two packets");
    }

    void DoRun() override
    {
        RunOne(NanoSeconds(100));
        RunOne(NanoSeconds(10));
    }
};

/** Messages arrive at two ports. */
class TwoPortsTestCase : public PicosecondTestCase
{
  public:
    TwoPortsTestCase()
        : PicosecondTestCase("A NIC takes what arrives at one instant in the order of its ports")
    {
    }

  private:
    void RunOne(uint32_t first)
    {
        RdmaHosts hosts(2, 2);
        hosts.Build({{0, 2}, {1, 3}});
        auto zero = hosts.Connect(0, 1, {0});
        auto one = hosts.Connect(0, 1, {1});
        (first == 0 ? zero : one).first->Post(4096, first);
        (first == 0 ? one : zero).first->Post(4096, 1 - first);
        Simulator::Run();
        const auto& received = hosts.logs[1].received;
        NS_TEST_ASSERT_MSG_EQ(received.size(), 2, "both");
        NS_TEST_EXPECT_MSG_EQ(received[0].at, received[1].at, "at once");
        NS_TEST_EXPECT_MSG_EQ(received[0].immediate, 0, "the first port first");
    }

    void DoRun() override
    {
        RunOne(0);
        RunOne(1);
    }
};

/** An acknowledgement arrives when the time is up. */
class TimeoutTestCase : public PicosecondTestCase
{
  public:
    TimeoutTestCase()
        : PicosecondTestCase("An acknowledgement that arrives when the time is up is in time")
    {
    }

  private:
    /// Send a packet behind a queue, for longer than the least time-out without queues.
    /// @param timeout time-out of the packet @return its round trip, and time-outs
    std::pair<Time, uint64_t> Send(Time timeout)
    {
        RdmaHosts hosts(4);
        hosts.helper.SetQueuePairAttribute("AckInterval", UintegerValue(1));
        hosts.Build({}, false);
        hosts.cluster.GetNic(0)->SetQueuePairAttribute("InitialTimeout", TimeValue(timeout));
        hosts.cluster.GetNic(0)->SetQueuePairAttribute("MinTimeout", TimeValue(timeout));
        for (uint32_t host = 1; host <= 2; ++host)
        {
            hosts.Connect(host, 3, {0}).first->Post(200 * 4096, host);
        }
        const Time delay = MicroSeconds(12);
        auto pair = hosts.Connect(0, 3, {0});
        ScheduleCall(delay, [&pair] { pair.first->Post(4096, 0); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[0].sent.size(), 1, "acknowledged");
        return {hosts.logs[0].sent.at(0).at - hosts.start - delay, hosts.GetStatistics(0).timeouts};
    }

    void DoRun() override
    {
        const Time roundTrip = Send(Seconds(1)).first;
        NS_TEST_EXPECT_MSG_EQ(Send(roundTrip).second, 0, "in time");
        NS_TEST_EXPECT_MSG_EQ(Send(roundTrip - PicoSeconds(1)).second, 1, "late");
    }
};

/** Suite of events at one instant. */
class SameInstantTestSuite : public TestSuite
{
  public:
    SameInstantTestSuite()
        : TestSuite("photonic-rails-same-instant", Type::UNIT)
    {
        AddTestCase(new LockstepTestCase());
        AddTestCase(new FreeOutputTestCase());
        AddTestCase(new IdleNicTestCase());
        AddTestCase(new FreeNicTestCase());
        AddTestCase(new TwoPortsTestCase());
        AddTestCase(new TimeoutTestCase());
    }
};

SameInstantTestSuite g_sameInstantTestSuite; //!< the instance

} // namespace
