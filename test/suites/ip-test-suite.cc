// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * IP stacks on the ports of RDMA NICs: what waits, what is dropped, who goes first, and who is
 * found on which fabric.
 *
 * Covers model/ip
 * Covers model/link
 */

#include "rdma-hosts.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/ethernet-header.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-socket-factory.h"

#include <map>
#include <memory>
#include <set>

using namespace ns3;
using namespace ns3::test;

namespace
{

using DropReason = EthernetPortNetDevice::DropReason;

/// Counts the frames that a port drops, by reason.
struct DropCount
{
    explicit DropCount(Ptr<EthernetPortNetDevice> port)
    {
        for (const char* source : {"MacTxDrop", "PhyTxDrop", "PhyRxDrop", "MacRxDrop"})
        {
            port->TraceConnectWithoutContext(
                source,
                ToCallback<Ptr<const Packet>, DropReason>(
                    [count = counts](Ptr<const Packet>, DropReason reason) {
                        ++(*count)[reason];
                    }));
        }
    }

    uint32_t Get(DropReason reason) const
    {
        return (*counts)[reason];
    }

    std::shared_ptr<std::map<DropReason, uint32_t>> counts{
        std::make_shared<std::map<DropReason, uint32_t>>()};
};

/// An IPv4 packet of a size, for a MAC address.
void
SendPacket(Ptr<EthernetPortNetDevice> from,
           Mac48Address to,
           uint32_t bytes,
           uint8_t tos = 0,
           Ipv4Address destination = Ipv4Address("10.0.0.2"))
{
    auto packet = Create<Packet>(bytes - 20);
    Ipv4Header header;
    header.SetSource(Ipv4Address("10.0.0.1"));
    header.SetDestination(destination);
    header.SetProtocol(253);
    header.SetTos(tos);
    header.SetPayloadSize(static_cast<uint16_t>(bytes - 20));
    packet->AddHeader(header);
    from->Send(packet, to, Ipv4L3Protocol::PROT_NUMBER);
}

/// Notes when packets arrive at a port.
std::shared_ptr<std::vector<std::pair<Time, uint32_t>>>
ListenTo(Ptr<EthernetPortNetDevice> port)
{
    auto arrivals = std::make_shared<std::vector<std::pair<Time, uint32_t>>>();
    port->TraceConnectWithoutContext(
        "MacRx",
        ToCallback<Ptr<const Packet>>([arrivals](Ptr<const Packet> frame) {
            arrivals->emplace_back(Simulator::Now(), frame->GetSize());
        }));
    return arrivals;
}

/** A port without light, and one without a stack. */
class DarkPortTestCase : public PicosecondTestCase
{
  public:
    DarkPortTestCase()
        : PicosecondTestCase("Packets wait in the queue of a dark port, and all drops are traced")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(3);
        hosts.Build({});
        const auto sender = hosts.cluster.GetNic(0)->GetPort(0);
        const auto receiver = hosts.cluster.GetNic(1)->GetPort(0);
        const auto other = hosts.cluster.GetNic(2)->GetPort(0);
        auto queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize("10p"));
        sender->SetAttribute("TxQueue", PointerValue(queue));
        DropCount sent(sender);
        DropCount received(receiver);
        DropCount diverted(other);
        const auto arrivals = ListenTo(receiver);
        for (uint32_t i = 0; i < 12; ++i)
        {
            SendPacket(sender, receiver->GetMacAddress(), 1000 + i);
        }
        NS_TEST_EXPECT_MSG_EQ(sent.Get(EthernetPortNetDevice::QUEUE_FULL), 2, "queue is full");
        SendPacket(sender, receiver->GetMacAddress(), 4501);
        NS_TEST_EXPECT_MSG_EQ(sent.Get(EthernetPortNetDevice::REFUSED), 1, "above the MTU");
        hosts.Switch({}, {{0, 1}});
        Simulator::Run();
        // A byte lasts 20 ps; light comes at 1 ms and 10 us after the command.
        NS_TEST_ASSERT_MSG_EQ(arrivals->size(), 10, "all that waited");
        for (uint32_t i = 1; i < 10; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ((*arrivals)[i].second, 14 + 1000 + i, "in order");
            NS_TEST_EXPECT_MSG_EQ((*arrivals)[i].first - (*arrivals)[i - 1].first,
                                  WireTime(14 + 1000 + i + 24),
                                  "back to back");
        }
        NS_TEST_EXPECT_MSG_EQ(received.Get(EthernetPortNetDevice::UNCLAIMED), 10, "no stack");
        hosts.Switch({{0, 1}}, {{0, 2}});
        ScheduleCall(MicroSeconds(1), [&] { // when the port knows that there is no light
            SendPacket(sender, receiver->GetMacAddress(), 1000);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(diverted.Get(EthernetPortNetDevice::OTHER_HOST), 1, "led elsewhere");
        NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetNic(1)->GetStatistics().malformed, 0, "no RoCEv2");
    }
};

/** RDMA data and packets of several priorities at one port. */
class SharedPortTestCase : public PicosecondTestCase
{
  public:
    SharedPortTestCase()
        : PicosecondTestCase("Packets and RDMA share a port by bytes, control comes first")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t bytes : {100, 1500, 4500})
        {
            Share(bytes, 0);
        }
        Share(1500, 192); // priority 6
        Pause(3);
        Pause(0);
    }

    /// A backlog of both, of packets of a size.
    void Share(uint32_t bytes, uint8_t tos)
    {
        RdmaHosts hosts(2);
        hosts.Build({{0, 1}});
        const auto sender = hosts.cluster.GetNic(0)->GetPort(0);
        const auto receiver = hosts.cluster.GetNic(1)->GetPort(0);
        auto queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize("100000p"));
        sender->SetAttribute("TxQueue", PointerValue(queue));
        const uint32_t count = 2000000 / bytes;
        const auto arrivals = ListenTo(receiver);
        ScheduleCall(MicroSeconds(10), [&] {
            for (uint32_t i = 0; i < count; ++i)
            {
                SendPacket(sender, receiver->GetMacAddress(), bytes, tos);
            }
        });
        hosts.Connect(0, 1, {0}).first->Post(16 << 20, 1);
        Simulator::Run();
        uint64_t packets = 0;
        uint64_t data = 0;
        const Time from = hosts.start + MicroSeconds(20);
        const Time until = hosts.start + MicroSeconds(tos == 0 ? 60 : 30);
        for (const auto& [at, size] : *arrivals)
        {
            if (at >= from && at < until)
            {
                (size == 14 + bytes ? packets : data) += size;
            }
        }
        if (tos == 0)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(packets),
                                      static_cast<double>(data),
                                      2 * 4600.0,
                                      "half each, of " << bytes << " bytes");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(data, 0, "strict priority");
        }
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].GetBytesReceived(), 16 << 20, "RDMA");
        NS_TEST_EXPECT_MSG_EQ(
            std::count_if(arrivals->begin(),
                          arrivals->end(),
                          [bytes](const auto& one) { return one.second == 14 + bytes; }),
            count,
            "packets");
    }

    /// The link partner pauses a priority.
    void Pause(uint8_t priority)
    {
        RdmaHosts hosts(2);
        hosts.Build({{0, 1}});
        const auto sender = hosts.cluster.GetNic(0)->GetPort(0);
        const auto receiver = hosts.cluster.GetNic(1)->GetPort(0);
        const auto arrivals = ListenTo(receiver);
        receiver->SendPfc(priority, true);
        ScheduleCall(MicroSeconds(100), [&] { receiver->SendPfc(priority, false); });
        auto ends = hosts.Connect(0, 1, {0});
        ScheduleCall(MicroSeconds(10), [&] {
            ends.first->Post(64 << 10, 1);
            SendPacket(sender, receiver->GetMacAddress(), 1500);
        });
        Simulator::Run();
        const auto packet = std::find_if(arrivals->begin(), arrivals->end(), [](const auto& one) {
            return one.second == 1514;
        });
        NS_TEST_ASSERT_MSG_EQ((packet != arrivals->end()), true, "the packet arrives");
        const Time packetAt = packet->first - hosts.start;
        const Time messageAt = hosts.logs[1].received.at(0).at - hosts.start;
        NS_TEST_EXPECT_MSG_EQ((packetAt > MicroSeconds(100)), (priority == 0), "pause of packets");
        NS_TEST_EXPECT_MSG_EQ((messageAt > MicroSeconds(100)), (priority == 3), "pause of data");
    }
};

/// UDP and TCP between two GPUs, by ns-3's sockets.
class Conversation
{
  public:
    /**
     * @param from the client
     * @param to the server
     * @param address of the server
     * @param bytes of the TCP transfer
     * @param number of the conversation between the two
     */
    Conversation(Ptr<Node> from,
                 Ptr<Node> to,
                 Ipv4Address address,
                 uint32_t bytes,
                 uint16_t number = 0)
        : m_bytes(bytes)
    {
        const uint16_t port = 9000 + number;
        m_server = Socket::CreateSocket(to, UdpSocketFactory::GetTypeId());
        m_server->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        m_server->SetRecvCallback(MakeCallback(&Conversation::Echo, this));
        m_client = Socket::CreateSocket(from, UdpSocketFactory::GetTypeId());
        m_client->Connect(InetSocketAddress(address, port));
        m_client->SetRecvCallback(MakeCallback(&Conversation::CountReply, this));
        m_listener = Socket::CreateSocket(to, TcpSocketFactory::GetTypeId());
        m_listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        m_listener->Listen();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&Conversation::Accept, this));
        m_sender = Socket::CreateSocket(from, TcpSocketFactory::GetTypeId());
        m_sender->SetSendCallback(MakeCallback(&Conversation::Fill, this));
        m_sender->Connect(InetSocketAddress(address, port));
    }

    /// Send a datagram, which the other end sends back.
    void Ask(uint32_t bytes)
    {
        m_client->Send(Create<Packet>(bytes));
    }

    uint32_t replies{0}; //!< datagrams that came back
    uint64_t repliedBytes{0};
    uint64_t tcpBytes{0}; //!< received

  private:
    void Echo(Ptr<Socket> socket)
    {
        Address from;
        while (auto packet = socket->RecvFrom(from))
        {
            socket->SendTo(packet, 0, from);
        }
    }

    void CountReply(Ptr<Socket> socket)
    {
        while (auto packet = socket->Recv())
        {
            ++replies;
            repliedBytes += packet->GetSize();
        }
    }

    void Accept(Ptr<Socket> socket, const Address&)
    {
        m_accepted = socket;
        socket->SetRecvCallback(MakeCallback(&Conversation::Receive, this));
    }

    void Receive(Ptr<Socket> socket)
    {
        while (auto packet = socket->Recv())
        {
            tcpBytes += packet->GetSize();
        }
    }

    void Fill(Ptr<Socket> socket, uint32_t)
    {
        while (m_sent < m_bytes && socket->GetTxAvailable() > 0)
        {
            const uint32_t next = std::min({m_bytes - m_sent, socket->GetTxAvailable(), 65536u});
            const int accepted = socket->Send(Create<Packet>(next));
            if (accepted <= 0)
            {
                return;
            }
            m_sent += static_cast<uint32_t>(accepted);
        }
        if (m_sent == m_bytes)
        {
            socket->Close();
            m_bytes = 0;
        }
    }

    uint32_t m_bytes;
    uint32_t m_sent{0};
    Ptr<Socket> m_server;
    Ptr<Socket> m_client;
    Ptr<Socket> m_listener;
    Ptr<Socket> m_sender;
    Ptr<Socket> m_accepted;
};

/** Stacks on all electrical fabrics. */
class ElectricalInternetTestCase : public PicosecondTestCase
{
  public:
    ElectricalInternetTestCase()
        : PicosecondTestCase("UDP and TCP find all GPUs of a fabric, beside RDMA")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& fabric : Variant<ElectricalFabric>::GetNames())
        {
            Talk(fabric);
        }
    }

    void Talk(const std::string& fabric)
    {
        RailClusterHelper helper;
        helper.SetDomains(6, 2);
        helper.SetNic(2, DataRate("100Gbps"));
        if (fabric != "electrical")
        {
            helper.SetSwitchRadix(8); // several paths
        }
        const RailCluster cluster = helper.Install(fabric.c_str());
        const auto interfaces = RailClusterHelper::InstallInternet(cluster);
        NS_TEST_ASSERT_MSG_EQ(interfaces.GetN(), 24, fabric << ": interfaces");
        const uint32_t to = cluster.IsReachable(1, 10) ? 10 : 11;
        Conversation talk(cluster.GetGpu(1),
                          cluster.GetGpu(to),
                          interfaces.GetAddress(to * 2 + 1),
                          1000000);
        talk.Ask(100);
        // In fragments, which take one path. While ARP has no answer, ns-3 keeps three packets
        // only.
        ScheduleCall(MilliSeconds(1), [&talk] { talk.Ask(9000); });
        auto ends = RdmaHelper::Connect(cluster.GetNic(1), {0, 1}, cluster.GetNic(to), {0, 1});
        uint64_t rdma = 0;
        ends.second->SetReceivedCallback(
            ToCallback<uint32_t, uint64_t>([&rdma](uint32_t, uint64_t bytes) { rdma += bytes; }));
        ends.first->Post(1 << 20, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(talk.replies, 2, fabric << ": echoes");
        NS_TEST_EXPECT_MSG_EQ(talk.repliedBytes, 9100, fabric << ": bytes of echoes");
        NS_TEST_EXPECT_MSG_EQ(talk.tcpBytes, 1000000, fabric << ": TCP");
        NS_TEST_EXPECT_MSG_EQ(rdma, 1 << 20, fabric << ": RDMA");
        for (const auto& one : cluster.GetSwitches())
        {
            NS_TEST_EXPECT_MSG_EQ(one.device->GetUnroutable(), 0, fabric << ": all have a route");
        }
        CheckSubnets(cluster, interfaces, fabric);
        Simulator::Destroy();
    }

    /// GPUs are in one subnet if and only if the fabric joins them.
    void CheckSubnets(const RailCluster& cluster,
                      const Ipv4InterfaceContainer& interfaces,
                      const std::string& fabric)
    {
        const Ipv4Mask mask = cluster.GetSubnetMask();
        std::set<Ipv4Address> addresses;
        for (uint32_t i = 0; i < interfaces.GetN(); ++i)
        {
            addresses.insert(interfaces.GetAddress(i));
            const bool same = interfaces.GetAddress(i).CombineMask(mask) ==
                              interfaces.GetAddress(0).CombineMask(mask);
            NS_TEST_EXPECT_MSG_EQ(same, cluster.IsReachable(0, i / 2), fabric << ": subnet");
        }
        NS_TEST_EXPECT_MSG_EQ(addresses.size(), interfaces.GetN(), fabric << ": no address twice");
    }
};

/** Stacks on circuits that move. */
class CircuitInternetTestCase : public PicosecondTestCase
{
  public:
    CircuitInternetTestCase()
        : PicosecondTestCase("Routes follow the circuits; packets wait for a circuit that is down")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(3, 2);
        hosts.Build({{0, 3}}); // port 0 of GPU 0 and port 1 of GPU 1
        const auto interfaces = RailClusterHelper::InstallInternet(hosts.cluster);
        const Ipv4Address first = interfaces.GetAddress(2); // port 0 of GPU 1
        Conversation talk(hosts.cluster.GetGpu(0), hosts.cluster.GetGpu(1), first, 200000);
        const auto ask = [&talk](uint32_t replies) {
            const uint32_t before = talk.replies;
            talk.Ask(100);
            Simulator::Stop(MilliSeconds(1));
            Simulator::Run();
            return talk.replies == before + replies;
        };
        const auto move = [&hosts](const CircuitSet& from, const CircuitSet& to) {
            hosts.Switch(from, to);
            Simulator::Stop(MicroSeconds(20));
            Simulator::Run();
        };
        NS_TEST_EXPECT_MSG_EQ(ask(1), true, "over another port than that of the address");
        ExpectRoute(hosts, first, 0);
        move({{0, 3}}, {{1, 2}});
        NS_TEST_EXPECT_MSG_EQ(ask(1), true, "follows the circuit to another port");
        ExpectRoute(hosts, first, 1);
        move({}, {{0, 3}}); // both circuits lead there
        NS_TEST_EXPECT_MSG_EQ(ask(1), true, "over either");
        move({{1, 2}}, {{1, 4}});
        NS_TEST_EXPECT_MSG_EQ(ask(1), true, "back to the circuit that has stayed");
        ExpectRoute(hosts, first, 0);
        move({{0, 3}}, {});
        NS_TEST_EXPECT_MSG_EQ(ask(0), true, "no circuit leads there");
        const uint32_t before = talk.replies;
        move({}, {{0, 3}});
        NS_TEST_EXPECT_MSG_EQ(talk.replies, before + 1, "the packet has waited for the circuit");
        DropCount diverted(hosts.cluster.GetNic(2)->GetPort(1));
        move({{0, 3}}, {{0, 5}});
        NS_TEST_EXPECT_MSG_EQ(ask(0), true, "the circuit leads elsewhere");
        NS_TEST_EXPECT_MSG_EQ(diverted.Get(EthernetPortNetDevice::OTHER_HOST), 1, "dropped there");
        Conversation late(hosts.cluster.GetGpu(0), hosts.cluster.GetGpu(1), first, 200000, 1);
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(diverted.Get(EthernetPortNetDevice::OTHER_HOST), 2, "the first SYN");
        move({{0, 5}}, {{0, 3}});
        Simulator::Stop(Seconds(300));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(talk.tcpBytes, 200000, "TCP");
        NS_TEST_EXPECT_MSG_EQ(late.tcpBytes, 200000, "TCP that has lost a packet");
    }

    /// GPU 0 sends to an address over one of its ports.
    void ExpectRoute(const RdmaHosts& hosts, Ipv4Address to, uint32_t port)
    {
        const auto ipv4 = hosts.cluster.GetGpu(0)->GetObject<Ipv4>();
        Ipv4Header header;
        header.SetDestination(to);
        Socket::SocketErrno error;
        const auto route = ipv4->GetRoutingProtocol()->RouteOutput(nullptr, header, nullptr, error);
        NS_TEST_ASSERT_MSG_EQ((route != nullptr), true, "a route to " << to);
        NS_TEST_EXPECT_MSG_EQ((route->GetOutputDevice() == hosts.cluster.GetNic(0)->GetPort(port)),
                              true,
                              "over port " << port);
    }
};

/** Marks on packets that are no RoCEv2. */
class MarkedPacketTestCase : public PicosecondTestCase
{
  public:
    MarkedPacketTestCase()
        : PicosecondTestCase("Switches mark ECN-capable packets of IP stacks")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(3);
        hosts.helper.SetSwitchAttribute("Kmin", UintegerValue(1));
        hosts.helper.SetSwitchAttribute("Kmax", UintegerValue(1));
        hosts.Build({}, false);
        const auto receiver = hosts.cluster.GetNic(1)->GetPort(0);
        receiver->SetReceiveCallback(MakeCallback(&MarkedPacketTestCase::Receive, this));
        for (uint32_t i = 0; i < 20; ++i)
        {
            for (const uint32_t host : {0, 2})
            {
                SendPacket(hosts.cluster.GetNic(host)->GetPort(0),
                           receiver->GetMacAddress(),
                           1500,
                           host == 0 ? Ipv4Header::ECN_ECT0 : Ipv4Header::ECN_NotECT);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_seen[Ipv4Header::ECN_NotECT], 20, "not capable of ECN");
        NS_TEST_EXPECT_MSG_GT(m_seen[Ipv4Header::ECN_CE], 10, "marked");
        NS_TEST_EXPECT_MSG_EQ(m_seen[Ipv4Header::ECN_CE] + m_seen[Ipv4Header::ECN_ECT0],
                              20,
                              "all arrive");
        NS_TEST_EXPECT_MSG_EQ(m_bytes, 40 * 1500, "with their payload");
    }

    bool Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&)
    {
        Ipv4Header header;
        packet->PeekHeader(header);
        ++m_seen[header.GetEcn()];
        m_bytes += packet->GetSize();
        return true;
    }

    std::map<Ipv4Header::EcnType, uint32_t> m_seen;
    uint64_t m_bytes{0};
};

/** Suite of IP beside RDMA. */
class IpTestSuite : public TestSuite
{
  public:
    IpTestSuite()
        : TestSuite("photonic-rails-ip", Type::UNIT)
    {
        AddTestCase(new DarkPortTestCase);
        AddTestCase(new SharedPortTestCase);
        AddTestCase(new ElectricalInternetTestCase);
        AddTestCase(new CircuitInternetTestCase);
        AddTestCase(new MarkedPacketTestCase);
    }
};

IpTestSuite g_ipTestSuite; //!< the instance

} // namespace
