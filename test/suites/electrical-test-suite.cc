// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The electrical switch: store and forward, hop latency, order, and what has no route.
 */

#include "rdma-hosts.h"

#include "ns3/electrical-switch.h"

#include <map>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** One message through an idle switch. */
class StoreAndForwardTestCase : public PicosecondTestCase
{
  public:
    StoreAndForwardTestCase()
        : PicosecondTestCase("Each packet is received in full, waits the hop latency, and leaves")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& hop : {Time(0), NanoSeconds(500), NanoSeconds(1)})
        {
            for (const uint64_t bytes : {0, 1, 4096, 4097, 8 * 4096 + 1, 200 * 4096})
            {
                RdmaHosts hosts(2);
                hosts.helper.SetSwitchAttribute("HopLatency", TimeValue(hop));
                hosts.Build({}, false);
                hosts.Connect(0, 1, {0}).first->Post(bytes, 1);
                Simulator::Run();
                // A packet leaves when it may and the one before it has left.
                const auto packets = PacketTimes(bytes);
                Time in;
                Time out;
                for (const auto& packet : packets)
                {
                    in += packet;
                    out = std::max(out, in + NanoSeconds(100) + hop) + packet;
                }
                NS_TEST_ASSERT_MSG_EQ(hosts.logs[1].received.size(), 1, "once");
                NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received[0].at,
                                      hosts.start + out + NanoSeconds(100),
                                      bytes << " bytes, " << hop.As(Time::NS));
                NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(0).timeouts, 0, "time-outs");
            }
        }
    }
};

/** Several hosts send to one. */
class SwitchIncastTestCase : public PicosecondTestCase
{
  public:
    SwitchIncastTestCase()
        : PicosecondTestCase("Incast: frames leave in the order in which they came")
    {
    }

  private:
    void Enqueued(Ptr<const Packet> frame, uint32_t port, uint8_t, uint64_t depth)
    {
        m_in[port].push_back(frame->GetUid());
        m_deepest = std::max(m_deepest, depth);
    }

    void Dequeued(Ptr<const Packet> frame, uint32_t port, uint8_t, uint64_t)
    {
        m_out[port].push_back(frame->GetUid());
    }

    void DoRun() override
    {
        RdmaHosts hosts(5);
        hosts.Build({}, false);
        auto railSwitch = hosts.cluster.GetRail(0)->GetObject<ElectricalSwitch>();
        railSwitch->TraceConnectWithoutContext("Enqueue",
                                               MakeCallback(&SwitchIncastTestCase::Enqueued, this));
        railSwitch->TraceConnectWithoutContext("Dequeue",
                                               MakeCallback(&SwitchIncastTestCase::Dequeued, this));
        const uint64_t bytes = 200 * 4096;
        for (uint32_t host = 0; host < 4; ++host)
        {
            hosts.Connect(host, 4, {0}).first->Post(bytes, host);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((m_in == m_out), true, "first in, first out");
        NS_TEST_EXPECT_MSG_GT(m_deepest, 500 * 4096, "three of four had to wait");
        const auto packets = PacketTimes(bytes);
        // The output never idles: the first packet, then all of them.
        const Time end = packets[0] + NanoSeconds(600) + Sum(packets, 200) * 4 + NanoSeconds(100);
        const auto& received = hosts.logs[4].received;
        NS_TEST_ASSERT_MSG_EQ(received.size(), 4, "messages");
        NS_TEST_EXPECT_MSG_EQ(received.back().at, hosts.start + end, "at the line rate");
        for (uint32_t host = 0; host < 4; ++host)
        {
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(host).retransmissions, 0, "host " << host);
        }
    }

    std::map<uint32_t, std::vector<uint64_t>> m_in;  //!< frames by port
    std::map<uint32_t, std::vector<uint64_t>> m_out; //!< frames by port
    uint64_t m_deepest{0};                           //!< queue
};

/** All hosts send and receive at the same time. */
class SwitchRingTestCase : public PicosecondTestCase
{
  public:
    SwitchRingTestCase()
        : PicosecondTestCase("A ring in both directions fills every port")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t count = 6;
        RdmaHosts hosts(count);
        hosts.Build({}, false);
        const uint64_t bytes = 500 * 4096;
        for (uint32_t host = 0; host < count; ++host)
        {
            hosts.Connect(host, (host + 1) % count, {0}).first->Post(bytes, host);
        }
        Simulator::Run();
        const auto packets = PacketTimes(bytes);
        const Time alone = packets[0] + NanoSeconds(700) + Sum(packets, 500);
        for (uint32_t host = 0; host < count; ++host)
        {
            NS_TEST_ASSERT_MSG_EQ(hosts.logs[host].received.size(), 1, "host " << host);
            const Time took = hosts.logs[host].received[0].at - hosts.start;
            // Data shares the ports with one acknowledgement per 32 packets.
            NS_TEST_EXPECT_MSG_EQ((took >= alone && took <= alone + AckTime() * 2 * 16),
                                  true,
                                  took.As(Time::US) << " for host " << host);
        }
    }
};

/** Frames that lead nowhere. */
class UnroutableTestCase : public PicosecondTestCase
{
  public:
    UnroutableTestCase()
        : PicosecondTestCase("Frames without a route are dropped and counted")
    {
    }

  private:
    void Dropped(Ptr<const Packet>,
                 uint32_t port,
                 uint8_t,
                 uint64_t,
                 ElectricalSwitch::DropReason reason)
    {
        NS_TEST_EXPECT_MSG_EQ(reason, ElectricalSwitch::NO_ROUTE, "reason");
        NS_TEST_EXPECT_MSG_EQ(port, 1, "input port");
        ++m_dropped;
    }

    void DoRun() override
    {
        RdmaHosts hosts(2);
        hosts.Build({}, false);
        auto railSwitch = hosts.cluster.GetRail(0)->GetObject<ElectricalSwitch>();
        railSwitch->TraceConnectWithoutContext("Drop",
                                               MakeCallback(&UnroutableTestCase::Dropped, this));
        auto port = DynamicCast<EthernetPortNetDevice>(hosts.cluster.GetRail(0)->GetDevice(1));
        RoceHeader header;
        header.destinationIp = Ipv4Address("10.0.0.3");
        auto frame = Create<Packet>(4);
        frame->AddHeader(header);
        railSwitch->Receive(*port, frame);
        NS_TEST_EXPECT_MSG_EQ(railSwitch->GetUnroutable(), 1, "no such host");
        for (uint32_t size = 0; size < 34; ++size)
        {
            railSwitch->Receive(*port, Create<Packet>(size));
        }
        NS_TEST_EXPECT_MSG_EQ(railSwitch->GetUnroutable(), 35, "cut off");
        std::vector<uint8_t> bytes(60, 0);
        bytes[12] = 0x08;
        bytes[13] = 0x06; // ARP, with a known address where that of an IPv4 packet would be
        bytes[30] = 10;
        bytes[33] = 1;
        railSwitch->Receive(*port, Create<Packet>(bytes.data(), 60));
        NS_TEST_EXPECT_MSG_EQ(railSwitch->GetUnroutable(), 36, "not IPv4");
        NS_TEST_EXPECT_MSG_EQ(m_dropped, 36, "traced");
        bytes[13] = 0; // IPv4, but neither RoCEv2 nor for the MAC address of the NIC
        hosts.cluster.GetNic(0)->GetPort(0)->TraceConnectWithoutContext(
            "MacRxDrop",
            MakeCallback(&UnroutableTestCase::Unclaimed, this));
        railSwitch->Receive(*port, Create<Packet>(bytes.data(), 60));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(railSwitch->GetUnroutable(), 36, "IPv4 is forwarded");
        NS_TEST_EXPECT_MSG_EQ(m_unclaimed, 1, "and arrives");
        NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetNic(0)->GetStatistics().malformed, 0, "no RoCEv2");
        bytes[23] = 17;
        bytes[14] = 0x45;
        bytes[36] = 4791 / 256;
        bytes[37] = 4791 % 256;
        railSwitch->Receive(*port, Create<Packet>(bytes.data(), 60));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_unclaimed, 1, "a frame to the port of RoCEv2 is not passed up");
        NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetNic(0)->GetStatistics().malformed, 1, "malformed");
    }

    void Unclaimed(Ptr<const Packet>, EthernetPortNetDevice::DropReason reason)
    {
        NS_TEST_EXPECT_MSG_EQ(reason, EthernetPortNetDevice::OTHER_HOST, "reason");
        ++m_unclaimed;
    }

    uint32_t m_dropped{0};   //!< frames
    uint32_t m_unclaimed{0}; //!< frames
};

/** Suite of the electrical switch. */
class ElectricalTestSuite : public TestSuite
{
  public:
    ElectricalTestSuite()
        : TestSuite("photonic-rails-electrical", Type::UNIT)
    {
        AddTestCase(new StoreAndForwardTestCase);
        AddTestCase(new SwitchIncastTestCase);
        AddTestCase(new SwitchRingTestCase);
        AddTestCase(new UnroutableTestCase);
    }
};

ElectricalTestSuite g_electricalTestSuite; //!< the instance

} // namespace
