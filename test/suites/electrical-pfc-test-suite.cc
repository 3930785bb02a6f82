// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Flow control by priority: timers to the picosecond, what is paused and what is not, and pauses
 * that travel from switch to switch.
 */

#include "lambda-call.h"
#include "optical-rail.h"
#include "switch-stations.h"

#include "ns3/priority-flow-control.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <array>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// @return the duration of a number of pause quanta (512 bits) at 400 Gbit/s
Time
Quanta(int64_t count)
{
    return PicoSeconds(1280 * count);
}

/** A port obeys pause frames, for the time that they ask. */
class PfcTimerTestCase : public PicosecondTestCase
{
  public:
    PfcTimerTestCase()
        : PicosecondTestCase("A pause begins when its frame is here, and ends in time or when told")
    {
    }

  private:
    /// @return when 3,000 bytes arrive that are to be sent at 1 us, after a pause at 0
    Time Measure(uint8_t enabled, uint16_t quanta, Time secondAt, uint16_t secondQuanta)
    {
        SwitchNetwork network;
        network.AddSwitch();
        SwitchStation& a = network.AddStation(0);
        SwitchStation& b = network.AddStation(0);
        auto pause = [&a, enabled](uint16_t time) {
            PfcHeader header;
            header.enabled = enabled;
            header.quanta.fill(time);
            auto frame = Create<Packet>();
            frame->AddHeader(header);
            a.SendFrame(frame, 0);
        };
        pause(quanta);
        ScheduleCall(secondAt, [pause, secondQuanta] { pause(secondQuanta); });
        ScheduleCall(MicroSeconds(1), [&] { b.Send(a.address, 3000, TOS_3); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(a.arrivals.size(), 1, "it arrives");
        NS_TEST_EXPECT_MSG_EQ(network.switches[0]->GetStatistics().pfcFramesReceived, 2, "PFC");
        NS_TEST_EXPECT_MSG_EQ(network.switches[0]->GetUnroutable(), 0, "ends at the port");
        return a.arrivals.empty() ? Time(0) : a.arrivals[0].at;
    }

    void DoRun() override
    {
        const Time never = Seconds(1);
        const Time idle = MicroSeconds(1) + FrameTime(3000) * 2 + NanoSeconds(700);
        const Time out = FrameTime(3000) + NanoSeconds(100); // from the switch to the station
        const Time here = FrameTime(60) + NanoSeconds(100);  // of a PFC frame sent at 0
        NS_TEST_EXPECT_MSG_EQ(Measure(1 << 2, 5000, never, 0), idle, "another priority");
        NS_TEST_EXPECT_MSG_EQ(Measure(1 << 3, 0, never, 0), idle, "no pause");
        NS_TEST_EXPECT_MSG_EQ(Measure(1 << 3, 5000, never, 0),
                              here + Quanta(5000) + out,
                              "until the time is over");
        NS_TEST_EXPECT_MSG_EQ(Measure(0xff, 0xffff, MicroSeconds(20), 0),
                              MicroSeconds(20) + here + out,
                              "until it is resumed");
        NS_TEST_EXPECT_MSG_EQ(Measure(1 << 3, 5000, MicroSeconds(5), 5000),
                              MicroSeconds(5) + here + Quanta(5000) + out,
                              "longer");
        NS_TEST_EXPECT_MSG_EQ(Measure(1 << 3, 60000, MicroSeconds(5), 1000),
                              MicroSeconds(5) + here + Quanta(1000) + out,
                              "shorter");
    }
};

/** A port repeats its request while it stands. */
class PfcRefreshTestCase : public PicosecondTestCase
{
  public:
    PfcRefreshTestCase()
        : PicosecondTestCase("A pause is repeated before it ends, until it is taken back")
    {
    }

  private:
    void DoRun() override
    {
        SwitchNetwork network;
        network.AddSwitch();
        SwitchStation& a = network.AddStation(0);
        SwitchStation& b = network.AddStation(0);
        std::vector<Time> frames;
        network.GetPort(0, 0)->TraceConnectWithoutContext(
            "PfcRx",
            ToCallback<Ptr<const Packet>>(
                [&frames](Ptr<const Packet>) { frames.push_back(Simulator::Now()); }));
        const Time length = MicroSeconds(300);
        a.device->SendPfc(3, true);
        a.device->SendPfc(3, true); // asked already
        ScheduleCall(length, [&a] { a.device->SendPfc(3, false); });
        ScheduleCall(MicroSeconds(1), [&] { b.Send(a.address, 1000, TOS_3); });
        ScheduleCall(MicroSeconds(1), [&] { b.Send(a.address, 900, TOS_0); });
        Simulator::Run();
        const Time here = FrameTime(60) + NanoSeconds(100);
        const Time period = Quanta(0xffff / 2);
        const auto repeats = static_cast<uint64_t>(length.GetTimeStep() / period.GetTimeStep());
        NS_TEST_ASSERT_MSG_EQ(frames.size(), 1 + repeats + 1, "first, repeats, and the end");
        for (uint64_t i = 0; i <= repeats; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(frames[i], here + period * i, "repeat " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(frames.back(), length + here, "the end");
        NS_TEST_EXPECT_MSG_EQ(a.device->GetPfcFramesSent(), frames.size(), "counted");
        NS_TEST_ASSERT_MSG_EQ(a.arrivals.size(), 2, "both arrive");
        NS_TEST_EXPECT_MSG_EQ(a.arrivals[0].frame->GetSize(), 900, "the priority that goes on");
        NS_TEST_EXPECT_MSG_EQ(a.arrivals[1].at,
                              length + here + FrameTime(1000) + NanoSeconds(100),
                              "and the other afterwards");
    }
};

/** A port that becomes slower. */
class PfcRateTestCase : public PicosecondTestCase
{
  public:
    PfcRateTestCase()
        : PicosecondTestCase("Quanta last as long as the rate of the port says now")
    {
    }

  private:
    void DoRun() override
    {
        SwitchNetwork network;
        network.AddSwitch();
        SwitchStation& a = network.AddStation(0);
        SwitchStation& b = network.AddStation(0);
        const auto pause = [&a](uint16_t quanta) {
            PfcHeader header;
            header.enabled = 1 << 3;
            header.quanta.fill(quanta);
            auto frame = Create<Packet>();
            frame->AddHeader(header);
            a.SendFrame(frame, 0);
        };
        pause(1);
        ScheduleCall(MicroSeconds(1), [&network] {
            network.GetPort(0, 0)->SetAttribute("DataRate", StringValue("100Gbps"));
        });
        ScheduleCall(MicroSeconds(2), [pause] { pause(5000); });
        ScheduleCall(MicroSeconds(2), [&] { b.Send(a.address, 3000, TOS_3); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(a.arrivals.size(), 1, "it arrives");
        NS_TEST_EXPECT_MSG_EQ(a.arrivals[0].at,
                              MicroSeconds(2) + FrameTime(60) + Quanta(4 * 5000) +
                                  FrameTime(3000, "100Gbps") + NanoSeconds(200),
                              "four times as long");
    }
};

/** Circuits move between hosts that pause each other. */
class PfcCircuitTestCase : public PicosecondTestCase
{
  public:
    PfcCircuitTestCase()
        : PicosecondTestCase("A pause ends with the circuit; the next link partner is asked anew")
    {
    }

  private:
    void DoRun() override
    {
        std::array<SwitchStation, 4> hosts;
        OpticalRail rail(hosts.size());
        for (uint32_t i = 0; i < hosts.size(); ++i)
        {
            hosts[i].address = Ipv4Address(0x0a000001 + i);
            hosts[i].device = rail.devices[i];
            rail.devices[i]->SetMacClient(&hosts[i]);
        }
        rail.ocs->SetAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(1)));
        rail.Join({{0, 1}});
        Time asked;
        rail.devices[3]->TraceConnectWithoutContext(
            "PfcRx",
            ToCallback<Ptr<const Packet>>([&asked](Ptr<const Packet>) {
                asked = asked.IsZero() ? Simulator::Now() : asked;
            }));
        const Time start = Simulator::Now();
        rail.devices[1]->SendPfc(3, true);
        ScheduleCall(MicroSeconds(5), [&] { hosts[0].Send(hosts[2].address, 1000, TOS_3); });
        ScheduleCall(MicroSeconds(10), [&] {
            NS_TEST_EXPECT_MSG_EQ(rail.devices[0]->IsPaused(3), true, "paused by host 1");
            rail.ocs->Reconfigure({{0, 1}}, {{0, 2}, {1, 3}});
        });
        ScheduleCall(MicroSeconds(20), [&] { hosts[3].Send(hosts[1].address, 1000, TOS_3); });
        ScheduleCall(MicroSeconds(50), [&rail] { rail.devices[1]->SendPfc(3, false); });
        Simulator::Run();
        const Time fiber = rail.fibers[0]->GetDelay();
        const Time lit = start + MicroSeconds(11) + fiber;
        const auto here = [fiber](uint32_t bytes) {
            return FrameTime(bytes, "100Gbps") + fiber * int64_t{2};
        };
        NS_TEST_ASSERT_MSG_EQ(hosts[2].arrivals.size(), 1, "host 0 to host 2");
        NS_TEST_EXPECT_MSG_EQ(hosts[2].arrivals[0].at, lit + here(1000), "as soon as it is lit");
        NS_TEST_EXPECT_MSG_EQ(asked, lit + here(60), "host 3 is asked to pause at once");
        NS_TEST_ASSERT_MSG_EQ(hosts[1].arrivals.size(), 1, "host 3 to host 1");
        NS_TEST_EXPECT_MSG_EQ(hosts[1].arrivals[0].at,
                              start + MicroSeconds(50) + here(60) + here(1000),
                              "when host 1 says so");
    }
};

/** A slow receiver behind two switches. */
class PfcPropagationTestCase : public PicosecondTestCase
{
  public:
    PfcPropagationTestCase()
        : PicosecondTestCase("Pauses travel upstream, nothing is lost, control is not held up")
    {
    }

  private:
    void DoRun() override
    {
        SwitchNetwork network;
        for (uint32_t i = 0; i < 2; ++i)
        {
            network.AddSwitch()->SetAttribute("BufferSize", UintegerValue(1'500'000));
        }
        SwitchStation& a = network.AddStation(0);
        SwitchStation& b = network.AddStation(0);
        SwitchStation& control = network.AddStation(0);
        SwitchStation& sink = network.AddStation(1, "100Gbps");
        const auto ports = network.Join(0, 1);
        network.switches[0]->AddRoute(sink.address, ports.first);
        constexpr uint32_t frames = 2000;
        for (uint32_t i = 0; i < frames; ++i)
        {
            a.Send(sink.address, 4154, TOS_3);
            b.Send(sink.address, 9000, TOS_3);
        }
        const Time midway = FrameTime(9000, "100Gbps") * int64_t{frames / 2};
        ScheduleCall(midway, [&] { control.Send(sink.address, 62, TOS_6); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(sink.arrivals.size(), 2 * frames + 1, "all arrive");
        // The slow port has been busy all the time.
        const Time busy =
            (FrameTime(4154, "100Gbps") + FrameTime(9000, "100Gbps")) * int64_t{frames} +
            FrameTime(62, "100Gbps");
        const Time first = FrameTime(4154) * 2 + NanoSeconds(1300);
        NS_TEST_EXPECT_MSG_EQ(sink.arrivals.back().at, first + busy, "at the line rate");
        for (const auto& bench : network.switches)
        {
            const auto seen = bench->GetStatistics();
            NS_TEST_EXPECT_MSG_EQ((seen.dropped == decltype(seen.dropped){}), true, "no drop");
            NS_TEST_EXPECT_MSG_GT(seen.pausesSent, 1, "it pauses");
            NS_TEST_EXPECT_MSG_EQ(seen.pausesSent, seen.resumesSent, "and resumes");
            NS_TEST_EXPECT_MSG_EQ(bench->GetBuffer().GetUsed(), 0, "and is empty again");
        }
        NS_TEST_EXPECT_MSG_GT(network.switches[0]->GetStatistics().pfcFramesReceived,
                              1,
                              "the first is paused by the second");
        NS_TEST_EXPECT_MSG_GT(a.device->GetPfcFramesReceived(), 1, "and pauses the senders");
        NS_TEST_EXPECT_MSG_GT(b.device->GetPfcFramesReceived(), 1, "both of them");
        for (const auto& arrival : sink.arrivals)
        {
            if (arrival.header.tos == TOS_6)
            {
                const Time took = arrival.at - midway;
                NS_TEST_EXPECT_MSG_LT(took,
                                      NanoSeconds(1300) + FrameTime(62) * 2 +
                                          FrameTime(62, "100Gbps") + FrameTime(9000) +
                                          FrameTime(9000, "100Gbps"),
                                      "control waits for one frame a hop");
            }
        }
    }
};

/** Suite of flow control. */
class ElectricalPfcTestSuite : public TestSuite
{
  public:
    ElectricalPfcTestSuite()
        : TestSuite("photonic-rails-electrical-pfc", Type::UNIT)
    {
        AddTestCase(new PfcTimerTestCase);
        AddTestCase(new PfcRefreshTestCase);
        AddTestCase(new PfcRateTestCase);
        AddTestCase(new PfcCircuitTestCase);
        AddTestCase(new PfcPropagationTestCase);
    }
};

ElectricalPfcTestSuite g_electricalPfcTestSuite; //!< the instance

} // namespace
