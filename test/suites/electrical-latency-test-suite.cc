// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Latency of the electrical switch, in store-and-forward and in cut-through, to the picosecond.
 */

#include "lambda-call.h"
#include "switch-stations.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/// Time until a cut-through switch can forward a frame: preamble and 64 bytes.
Time
HeaderTime(const std::string& rate = "400Gbps")
{
    return DataRate(rate).CalculateBytesTxTime(72);
}

/** One frame through idle switches. */
class LatencyTestCase : public PicosecondTestCase
{
  public:
    LatencyTestCase()
        : PicosecondTestCase("Latency over one to three switches, to the picosecond")
    {
    }

  private:
    /// @return when a frame arrives over links of these rates
    Time Measure(const std::string& forwarding,
                 const std::vector<std::string>& rates,
                 uint32_t bytes)
    {
        SwitchNetwork network;
        const auto count = static_cast<uint32_t>(rates.size()) - 1;
        for (uint32_t i = 0; i < count; ++i)
        {
            network.AddSwitch()->SetAttribute("Forwarding", StringValue(forwarding));
        }
        SwitchStation& from = network.AddStation(0, rates[0]);
        const Ipv4Address to("10.0.0.2");
        for (uint32_t i = 0; i + 1 < count; ++i)
        {
            const auto ports = network.Join(i, i + 1, rates[i + 1]);
            network.switches[i]->AddRoute(to, ports.first);
        }
        SwitchStation& sink = network.AddStation(count - 1, rates.back());
        from.Send(to, bytes, TOS_3);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sink.arrivals.size(), 1, "arrives");
        return sink.arrivals.empty() ? Time(0) : sink.arrivals[0].at;
    }

    void DoRun() override
    {
        const Time fiber = NanoSeconds(100);
        const Time hop = NanoSeconds(500);
        for (const uint32_t bytes : {60, 61, 1500, 4154, 9000})
        {
            const Time frame = FrameTime(bytes);
            for (int64_t switches = 1; switches <= 3; ++switches)
            {
                const std::vector<std::string> rates(switches + 1, "400Gbps");
                NS_TEST_EXPECT_MSG_EQ(Measure("StoreAndForward", rates, bytes),
                                      (frame + fiber) * (switches + 1) + hop * switches,
                                      bytes << " bytes stored, " << switches << " switches");
                NS_TEST_EXPECT_MSG_EQ(Measure("CutThrough", rates, bytes),
                                      frame + fiber * (switches + 1) +
                                          (HeaderTime() + hop) * switches,
                                      bytes << " bytes cut through, " << switches << " switches");
            }
            // To a slower link the frame cuts through; to a faster one it cannot.
            NS_TEST_EXPECT_MSG_EQ(Measure("CutThrough", {"400Gbps", "100Gbps"}, bytes),
                                  HeaderTime() + fiber + hop + FrameTime(bytes, "100Gbps") + fiber,
                                  bytes << " bytes to a slower link");
            NS_TEST_EXPECT_MSG_EQ(Measure("CutThrough", {"100Gbps", "400Gbps"}, bytes),
                                  FrameTime(bytes, "100Gbps") + fiber + hop + frame + fiber,
                                  bytes << " bytes to a faster link");
        }
    }
};

/** A frame that cuts through meets one that has to arrive in full. */
class SwitchOvertakingTestCase : public PicosecondTestCase
{
  public:
    SwitchOvertakingTestCase()
        : PicosecondTestCase("A frame that cuts through does not wait for one that cannot")
    {
    }

  private:
    void DoRun() override
    {
        SwitchNetwork network;
        network.AddSwitch()->SetAttribute("Forwarding", StringValue("CutThrough"));
        SwitchStation& slow = network.AddStation(0, "100Gbps");
        SwitchStation& fast = network.AddStation(0);
        SwitchStation& sink = network.AddStation(0);
        const Time later = NanoSeconds(50);
        slow.Send(sink.address, 9000, TOS_0);
        ScheduleCall(later, [&] { fast.Send(sink.address, 1500, TOS_3); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(sink.arrivals.size(), 2, "both arrive");
        NS_TEST_EXPECT_MSG_EQ(sink.arrivals[0].at,
                              later + HeaderTime() + NanoSeconds(700) + FrameTime(1500),
                              "as if it were alone");
        NS_TEST_EXPECT_MSG_EQ(sink.arrivals[1].at,
                              FrameTime(9000, "100Gbps") + NanoSeconds(700) + FrameTime(9000),
                              "and the other, too");
    }
};

/** A fiber whose ends send at different rates. */
class UnequalEndsTestCase : public PicosecondTestCase
{
  public:
    UnequalEndsTestCase()
        : PicosecondTestCase("A frame comes at the rate of its sender, not of the port it comes to")
    {
    }

  private:
    /// @return when a frame arrives that comes to a port of some rate and leaves at another
    Time Measure(const std::string& forwarding,
                 const std::string& sender,
                 const std::string& port,
                 const std::string& output)
    {
        SwitchNetwork network;
        network.AddSwitch()->SetAttribute("Forwarding", StringValue(forwarding));
        SwitchStation& from = network.AddStation(0, sender, port, false);
        SwitchStation& to = network.AddStation(0, output);
        from.Send(to.address, 9000, TOS_3);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(to.arrivals.size(), 1, "arrives");
        return to.arrivals.empty() ? Time(0) : to.arrivals[0].at;
    }

    void DoRun() override
    {
        const Time between = NanoSeconds(700);
        for (const std::string port : {"10Gbps", "100Gbps", "400Gbps"})
        {
            NS_TEST_EXPECT_MSG_EQ(Measure("StoreAndForward", "400Gbps", port, "100Gbps"),
                                  FrameTime(9000) + between + FrameTime(9000, "100Gbps"),
                                  "stored by a port of " << port);
            NS_TEST_EXPECT_MSG_EQ(Measure("CutThrough", "400Gbps", port, "100Gbps"),
                                  HeaderTime() + between + FrameTime(9000, "100Gbps"),
                                  "cut through a port of " << port);
            NS_TEST_EXPECT_MSG_EQ(Measure("CutThrough", "400Gbps", port, "400Gbps"),
                                  HeaderTime() + between + FrameTime(9000),
                                  "as fast as it comes, to a port of " << port);
            NS_TEST_EXPECT_MSG_EQ(Measure("CutThrough", "10Gbps", port, "100Gbps"),
                                  FrameTime(9000, "10Gbps") + between + FrameTime(9000, "100Gbps"),
                                  "slower than it leaves, to a port of " << port);
        }
    }
};

/** A frame that is corrupted on the fiber to a cut-through switch. */
class CorruptedTestCase : public PicosecondTestCase
{
  public:
    CorruptedTestCase()
        : PicosecondTestCase("A corrupted frame is dropped at its input, in cut-through, too")
    {
    }

  private:
    void DoRun() override
    {
        SwitchNetwork network;
        network.AddSwitch()->SetAttribute("Forwarding", StringValue("CutThrough"));
        SwitchStation& from = network.AddStation(0);
        SwitchStation& to = network.AddStation(0);
        auto error = CreateObject<RateErrorModel>();
        error->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        error->SetRate(1);
        network.GetPort(0, 0)->SetAttribute("ReceiveErrorModel", PointerValue(error));
        from.Send(to.address, 1000, TOS_3);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(to.arrivals.size(), 0, "not forwarded");
        NS_TEST_EXPECT_MSG_EQ(network.GetPort(0, 0)->GetFramesCorrupted(), 1, "counted");
        NS_TEST_EXPECT_MSG_EQ(network.switches[0]->GetStatistics().enqueued, 0, "never queued");
    }
};

/** Suite of latencies. */
class ElectricalLatencyTestSuite : public TestSuite
{
  public:
    ElectricalLatencyTestSuite()
        : TestSuite("photonic-rails-electrical-latency", Type::UNIT)
    {
        AddTestCase(new LatencyTestCase);
        AddTestCase(new SwitchOvertakingTestCase);
        AddTestCase(new UnequalEndsTestCase);
        AddTestCase(new CorruptedTestCase);
    }
};

ElectricalLatencyTestSuite g_electricalLatencyTestSuite; //!< the instance

} // namespace
