// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Light on its way: lost bits, late cabling, corrupted frames, and ns-3's internet stack on top.
 */

#include "lambda-call.h"
#include "optical-rail.h"
#include "picosecond-test-case.h"

#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/pointer.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** A circuit is torn under traffic: every bit is accounted for. */
class LostBitsTestCase : public PicosecondTestCase
{
  public:
    LostBitsTestCase()
        : PicosecondTestCase("Lost bits are those that had not passed the switch")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(2);
        rail.fibers[0]->SetAttribute("Delay", TimeValue(NanoSeconds(500)));
        rail.Join({{0, 1}});
        // Frame k passes the switch from k F + 500 ns on. A quarter of frame 20 has passed when the
        // circuit goes dark; the sender sees it 500 ns later.
        rail.Send(0, 1000, Time(0));
        const Time dark = FrameTime() * 20 + FrameTime() / 4 + NanoSeconds(500);
        ScheduleCall(dark, [&rail] { rail.ocs->Reconfigure({{0, 1}}, {}); });
        Simulator::Run();

        const uint64_t sent = rail.stations[0]->sentAt.size();
        const int64_t f = FrameTime().GetTimeStep();
        const auto before = [f](Time end) { return uint64_t((end.GetTimeStep() + f - 1) / f); };
        NS_TEST_EXPECT_MSG_EQ(sent, before(dark + NanoSeconds(500)), "sent until it saw the dark");
        NS_TEST_EXPECT_MSG_EQ(rail.stations[1]->arrivedAt.size(), 20, "whole frames");
        const uint64_t underWay = before(dark); // begun before the circuit went
        NS_TEST_EXPECT_MSG_EQ(rail.circuitDownBits, 6000 + (underWay - 21) * 8000, "cut off");
        NS_TEST_EXPECT_MSG_EQ(rail.noCircuitBits, (sent - underWay) * 8000, "sent into the dark");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetBitsLost(), sent * 8000 - 20 * 8000 - 2000, "the sum");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetFramesLost(), sent - 20, "frames");
    }
};

/** The same between a fast sender and a slow receiver. */
class LostBitsOfUnequalEndsTestCase : public PicosecondTestCase
{
  public:
    LostBitsOfUnequalEndsTestCase()
        : PicosecondTestCase("What is cut off of a frame goes by the rate of its sender")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string receiver : {"10Gbps", "100Gbps", "400Gbps"})
        {
            OpticalRail rail(2);
            rail.devices[1]->SetAttribute("DataRate", StringValue(receiver));
            rail.Join({{0, 1}});
            rail.Send(0, 1, Time(0));
            const Time dark = rail.fibers[0]->GetDelay() + FrameTime() / 4;
            ScheduleCall(dark, [&rail] { rail.ocs->Reconfigure({{0, 1}}, {}); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(rail.stations[1]->arrivedAt.size(), 0, "cut off");
            NS_TEST_EXPECT_MSG_EQ(rail.circuitDownBits, 6000, "three quarters, to " << receiver);
        }
    }
};

/** Frames of a near sender overtake the lost frames of a far one. */
class LightOvertakingTestCase : public PicosecondTestCase
{
  public:
    LightOvertakingTestCase()
        : PicosecondTestCase("A shorter new circuit overtakes frames that the old one has cut off")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(3);
        rail.fibers[0]->SetAttribute("Delay", TimeValue(MicroSeconds(10)));
        rail.Join({{0, 1}});
        rail.ocs->SetAttribute("ReconfigurationDelay", TimeValue(NanoSeconds(10)));
        const Time start = Simulator::Now();
        rail.Send(0, 20, Time(0));
        ScheduleCall(MicroSeconds(2), [&rail] { rail.ocs->Reconfigure({{0, 1}}, {{2, 1}}); });
        rail.Send(2, 100, Time(0)); // waits for light
        Simulator::Run();
        const auto& arrived = rail.stations[1]->arrivedAt;
        NS_TEST_ASSERT_MSG_EQ(arrived.size(), 100, "all of 2, none of 0");
        const Time light = start + NanoSeconds(2110);
        for (uint32_t i = 0; i < arrived.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(arrived[i],
                                  light + FrameTime() * (i + 1) + NanoSeconds(200),
                                  "frame " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(rail.circuitDownBits, 20 * 8000, "all of 0");
    }
};

/** Frames that an error model corrupts. */
class ErrorModelTestCase : public PicosecondTestCase
{
  public:
    ErrorModelTestCase()
        : PicosecondTestCase("Corrupted frames are dropped with a reason and counted")
    {
    }

  private:
    void Dropped(Ptr<const Packet>, EthernetPortNetDevice::DropReason reason)
    {
        NS_TEST_EXPECT_MSG_EQ(reason, EthernetPortNetDevice::CORRUPTED, "reason");
        ++m_dropped;
    }

    void DoRun() override
    {
        OpticalRail rail(2);
        rail.Join({{0, 1}});
        auto errors = CreateObject<RateErrorModel>();
        errors->SetAttribute("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
        errors->SetAttribute("ErrorRate", DoubleValue(0.1));
        errors->AssignStreams(1);
        rail.devices[1]->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        rail.devices[1]->TraceConnectWithoutContext(
            "PhyRxDrop",
            MakeCallback(&ErrorModelTestCase::Dropped, this));
        rail.Send(0, 1000, Time(0));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((m_dropped > 50 && m_dropped < 150), true, m_dropped << " dropped");
        NS_TEST_EXPECT_MSG_EQ(rail.devices[1]->GetFramesCorrupted(), m_dropped, "counted");
        NS_TEST_EXPECT_MSG_EQ(rail.stations[1]->arrivedAt.size(), 1000 - m_dropped, "the rest");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetBitsLost(), 0, "not the switch's fault");
    }

    uint64_t m_dropped{0}; //!< frames
};

/** Cables, nodes and circuits in any order. */
class OrderTestCase : public PicosecondTestCase
{
  public:
    OrderTestCase()
        : PicosecondTestCase(
              "Devices may be cabled before they have a node or a switch, or a circuit up")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(2);
        rail.Join({{0, 1}});
        rail.ocs->SetAttribute("ReconfigurationDelay", TimeValue(Time(0)));
        rail.ocs->Reconfigure({{0, 1}}, {{0, 2}}); // nobody has port 2 yet
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rail.devices[0]->IsLit(), false, "leads nowhere");

        auto device = CreateObject<EthernetPortNetDevice>();
        auto entry = CreateObject<OcsNetDevice>();
        auto fiber = CreateObject<OpticalFiberLink>();
        fiber->Attach(entry);
        fiber->Attach(device);
        auto host = CreateObject<Node>();
        device->SetNode(host);
        host->AddDevice(device);
        device->SetAddress(Mac48Address::Allocate());
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->AddPort(entry), 2, "next port");
        entry->SetNode(rail.ocs->GetObject<Node>());
        NS_TEST_EXPECT_MSG_EQ(entry->IsLinkUp(), true, "its circuit is up");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(device->IsLit(), true, "the light has come");
        Station station;
        station.toSend = 1;
        device->SetMacClient(&station);
        uint32_t context = 0;
        device->TraceConnectWithoutContext(
            "PhyTxEnd",
            ToCallback<Ptr<const Packet>>(
                [&context](Ptr<const Packet>) { context = Simulator::GetContext(); }));
        device->Kick();
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rail.stations[0]->arrivedAt.size(), 1, "from the new port to 0");
        NS_TEST_EXPECT_MSG_EQ(context, host->GetId(), "events run under the device's node");

        NS_TEST_EXPECT_MSG_EQ(device->GetFrameTime(1000), PicoSeconds(40960), "at 200 Gbit/s");
        device->SetAttribute("DataRate", StringValue("400Gbps"));
        NS_TEST_EXPECT_MSG_EQ(device->GetFrameTime(1000), PicoSeconds(20480), "not the old rate's");
        NS_TEST_EXPECT_MSG_EQ(device->GetFrameTime(4170), PicoSeconds(83880), "MTU 4096");
        NS_TEST_EXPECT_MSG_EQ(device->GetFrameTime(1), PicoSeconds(1680), "the smallest frame");
        device->SetMacClient(nullptr);
    }
};

/** ns-3's internet stack on plain devices. */
class UdpTestCase : public PicosecondTestCase
{
  public:
    UdpTestCase()
        : PicosecondTestCase("UDP over IPv4 and ARP of the internet stack passes a circuit")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(2);
        NodeContainer nodes;
        NetDeviceContainer devices;
        for (auto& device : rail.devices)
        {
            device->SetMacClient(nullptr);
            NS_TEST_EXPECT_MSG_EQ(device->SetMtu(9000), true, "jumbo frames");
            NS_TEST_EXPECT_MSG_EQ(device->SetMtu(9500), false, "too jumbo");
            devices.Add(device);
            nodes.Add(device->GetNode());
        }
        InternetStackHelper internet;
        internet.Install(nodes);
        Ipv4AddressHelper addresses("10.9.0.0", "255.255.255.0");
        auto interfaces = addresses.Assign(devices);
        auto server = Socket::CreateSocket(nodes.Get(1), UdpSocketFactory::GetTypeId());
        server->Bind(InetSocketAddress(Ipv4Address::GetAny(), 7));
        std::vector<uint32_t> sizes;
        server->SetRecvCallback(ToCallback<Ptr<Socket>>([&sizes](Ptr<Socket> socket) {
            while (auto packet = socket->Recv())
            {
                sizes.push_back(packet->GetSize());
            }
        }));
        auto client = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
        client->Connect(InetSocketAddress(interfaces.GetAddress(1), 7));
        const auto sendAt = [client](Time when, uint32_t size) {
            ScheduleCall(when, [client, size] { client->Send(Create<Packet>(size)); });
        };
        // Frames sent before there is light are lost: a link that changes empties ns-3's ARP cache.
        sendAt(MilliSeconds(1), 1);
        sendAt(MilliSeconds(26), 1);
        sendAt(MilliSeconds(27), 1000);
        sendAt(MilliSeconds(28), 8972);
        sendAt(MilliSeconds(100), 20000); // in fragments, of which ARP would hold three at most
        rail.ocs->Reconfigure({}, {{0, 1}});
        Simulator::Run();
        std::sort(sizes.begin(), sizes.end());
        NS_TEST_EXPECT_MSG_EQ((sizes == std::vector<uint32_t>{1, 1000, 8972, 20000}),
                              true,
                              sizes.size() << " datagrams arrived");
    }
};

/** A simulation that is destroyed half-way leaves nothing behind. */
class DestroyTestCase : public PicosecondTestCase
{
  public:
    DestroyTestCase()
        : PicosecondTestCase("Simulator::Destroy with frames and commands under way, and again")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<Time> first;
        for (int run = 0; run < 3; ++run)
        {
            OpticalRail rail(4);
            rail.Join({{0, 1}});
            rail.fibers[0]->SetAttribute("Delay", TimeValue(MicroSeconds(1)));
            rail.Send(0, 1000, Time(0));
            rail.Send(1, 1000, Time(0));
            rail.ocs->Reconfigure({}, {{2, 3}});
            Simulator::Stop(MicroSeconds(20));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ((rail.stations[1]->arrivedAt.size() > 100), true, "frames");
            if (run == 0)
            {
                first = rail.stations[1]->arrivedAt;
            }
            NS_TEST_EXPECT_MSG_EQ((rail.stations[1]->arrivedAt == first), true, "run " << run);
        }
    }
};

/** Suite of the light. */
class OpticalLightTestSuite : public TestSuite
{
  public:
    OpticalLightTestSuite()
        : TestSuite("photonic-rails-optical-light", Type::UNIT)
    {
        AddTestCase(new LostBitsTestCase);
        AddTestCase(new LostBitsOfUnequalEndsTestCase);
        AddTestCase(new LightOvertakingTestCase);
        AddTestCase(new ErrorModelTestCase);
        AddTestCase(new OrderTestCase);
        AddTestCase(new UdpTestCase);
        AddTestCase(new DestroyTestCase);
    }
};

OpticalLightTestSuite g_opticalLightTestSuite; //!< the instance

} // namespace
