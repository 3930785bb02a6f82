// SPDX-License-Identifier: GPL-2.0-only

// RDMA, a TCP transfer and UDP echoes on the same NIC ports, between two of three GPUs. On photonic
// rails, the circuit between the two leads to the third GPU for a while. ns-3's FlowMonitor watches
// the IP packets, and the program counts losses and delays from the traces of the ports as well.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/photonic-rails-module.h"

#include <iostream>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// The flags.
struct IpSettings : public OptionGroup
{
    OptionHeading heading{this, "traffic"};
    TextOption fabric{this, "fabric", "photonic", "fabric: a name, or a file FABRIC.json"};
    RateOption portRate{this, "portRate", "100Gbps", {}, "line rate of a NIC port"};
    CountOption mtu{this, "mtu", 9000, {1280, 9216}, "largest IP packet in bytes, 1280 to 9216"};
    CountOption queue{this, "queue", 100, {1, 1000000}, "packets that a port queues, at least 1"};
    BytesOption rdmaBytes{this, "rdmaBytes", "1G", {1}, "bytes of the RDMA transfer"};
    BytesOption tcpBytes{this, "tcpBytes", "256M", {1}, "bytes of the TCP transfer"};
    CountOption echoes{this, "echoes", 100, {1, 1000000}, "UDP echoes, one a millisecond"};
    TextOption pcap{this, "pcap", "", "prefix of packet captures to write, one for each port"};
    FileOption flows{this, "flows", "XML file of FlowMonitor's results to write"};
};

/// Losses and delays of IP packets, as the traces of nodes and ports show them.
class PacketWatch
{
  public:
    /// @param ports the ports that lose packets; all nodes with IP stacks are watched
    void Connect(const NetDeviceContainer& ports)
    {
        const std::string ip = "/NodeList/*/$ns3::Ipv4L3Protocol/";
        Config::ConnectWithoutContext(ip + "SendOutgoing", MakeCallback(&PacketWatch::Sent, this));
        Config::ConnectWithoutContext(ip + "Rx", MakeCallback(&PacketWatch::Received, this));
        for (uint32_t i = 0; i < ports.GetN(); ++i)
        {
            for (const char* source : {"MacTxDrop", "PhyTxDrop", "PhyRxDrop", "MacRxDrop"})
            {
                ports.Get(i)->TraceConnectWithoutContext(source,
                                                         MakeCallback(&PacketWatch::Lost, this));
            }
        }
    }

    /// Print the counters.
    void Print(std::ostream& os) const
    {
        const std::map<EthernetPortNetDevice::DropReason, const char*> names{
            {EthernetPortNetDevice::QUEUE_FULL, "queue full"},
            {EthernetPortNetDevice::LIGHT_LOST, "circuit cut"},
            {EthernetPortNetDevice::NO_LIGHT, "no light"},
            {EthernetPortNetDevice::OTHER_HOST, "other host"}};
        uint64_t sum = 0;
        os << "traces:      " << m_sent << " packets sent, " << m_received << " received in "
           << m_delay.GetPicoSeconds() << " ps";
        for (const auto& [reason, count] : m_lost)
        {
            const auto name = names.find(reason);
            os << ", " << (name == names.end() ? "other" : name->second) << " " << count;
            sum += count;
        }
        os << ", lost " << sum << "\n";
    }

  private:
    /// Source, destination, protocol and identification.
    using Key = std::tuple<uint32_t, uint32_t, uint8_t, uint16_t>;

    static Key GetKey(const Ipv4Header& header)
    {
        return {header.GetSource().Get(),
                header.GetDestination().Get(),
                header.GetProtocol(),
                header.GetIdentification()};
    }

    void Sent(const Ipv4Header& header, Ptr<const Packet>, uint32_t /* interface */)
    {
        ++m_sent;
        m_sentAt[GetKey(header)] = Simulator::Now();
    }

    void Received(Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t /* interface */)
    {
        Ipv4Header header;
        packet->PeekHeader(header);
        const auto sent = m_sentAt.find(GetKey(header));
        if (sent != m_sentAt.end())
        {
            ++m_received;
            m_delay += Simulator::Now() - sent->second;
            m_sentAt.erase(sent);
        }
    }

    void Lost(Ptr<const Packet> frame, EthernetPortNetDevice::DropReason reason)
    {
        const auto packet = frame->Copy();
        EthernetHeader ethernet(false);
        packet->RemoveHeader(ethernet);
        Ipv4Header header;
        if (ethernet.GetLengthType() == 0x0800)
        {
            packet->PeekHeader(header);
            if (m_sentAt.erase(GetKey(header)) > 0) // not a packet of RDMA
            {
                ++m_lost[reason];
            }
        }
    }

    uint64_t m_sent{0};                                           //!< packets
    uint64_t m_received{0};                                       //!< packets
    Time m_delay;                                                 //!< sum over packets received
    std::map<EthernetPortNetDevice::DropReason, uint64_t> m_lost; //!< packets
    std::map<Key, Time> m_sentAt;                                 //!< packets on their way
};

/// The three transfers from GPU 0 to GPU 1.
class Transfers
{
  public:
    Transfers(const RailCluster& cluster,
              const Ipv4InterfaceContainer& interfaces,
              const IpSettings& settings)
    {
        const Time start = MilliSeconds(30); // the circuit is up by then
        m_rdma = RdmaHelper::Connect(cluster.GetNic(0), {0}, cluster.GetNic(1), {0});
        m_rdma.second->SetReceivedCallback(MakeCallback(&Transfers::RdmaDone, this));
        const uint64_t rdmaBytes = settings.rdmaBytes.Get();
        Simulator::Schedule(start, [this, rdmaBytes] { m_rdma.first->Post(rdmaBytes, 0); });

        const InetSocketAddress tcp(interfaces.GetAddress(1), 5001);
        PacketSinkHelper sink("ns3::TcpSocketFactory", tcp);
        m_sink = DynamicCast<PacketSink>(sink.Install(cluster.GetGpu(1)).Get(0));
        m_sink->TraceConnectWithoutContext("Rx", MakeCallback(&Transfers::TcpReceived, this));
        BulkSendHelper bulk("ns3::TcpSocketFactory", tcp);
        bulk.SetAttribute("MaxBytes", UintegerValue(settings.tcpBytes.Get()));
        bulk.Install(cluster.GetGpu(0)).Start(start);

        constexpr uint16_t port = 7;
        UdpEchoServerHelper(port).Install(cluster.GetGpu(1));
        UdpEchoClientHelper echo(interfaces.GetAddress(1), port);
        echo.SetAttribute("MaxPackets", UintegerValue(settings.echoes.Get()));
        echo.SetAttribute("Interval", TimeValue(MilliSeconds(1)));
        auto client = echo.Install(cluster.GetGpu(0));
        client.Start(start);
        client.Get(0)->TraceConnectWithoutContext("Tx", MakeCallback(&Transfers::EchoSent, this));
        client.Get(0)->TraceConnectWithoutContext("Rx",
                                                  MakeCallback(&Transfers::EchoReceived, this));
    }

    /// Print how far the transfers are.
    void Print(std::ostream& os) const
    {
        os << "RDMA:        " << m_rdmaBytes << " bytes by " << m_rdmaAt.As(Time::MS) << "\n"
           << "TCP:         " << m_sink->GetTotalRx() << " bytes by " << m_tcpAt.As(Time::MS)
           << "\nUDP echo:    " << m_echoes << " requests, " << m_replies << " replies\n";
    }

  private:
    void RdmaDone(uint32_t, uint64_t bytes)
    {
        m_rdmaBytes += bytes;
        m_rdmaAt = Simulator::Now();
    }

    void TcpReceived(Ptr<const Packet>, const Address&)
    {
        m_tcpAt = Simulator::Now();
    }

    void EchoSent(Ptr<const Packet>)
    {
        ++m_echoes;
    }

    void EchoReceived(Ptr<const Packet>)
    {
        ++m_replies;
    }

    std::pair<Ptr<RdmaConnection>, Ptr<RdmaConnection>> m_rdma;
    Ptr<PacketSink> m_sink;
    uint64_t m_rdmaBytes{0};
    uint32_t m_echoes{0};
    uint32_t m_replies{0};
    Time m_rdmaAt;
    Time m_tcpAt;
};

/// Lead the circuit from GPU 0 to GPU 1, to GPU 2 and back.
void
MoveCircuit(const RailCluster& cluster)
{
    const Circuit first{cluster.GetOcsPorts(0)[0], cluster.GetOcsPorts(1)[0]};
    const Circuit second{cluster.GetOcsPorts(0)[0], cluster.GetOcsPorts(2)[0]};
    const auto ocs = cluster.GetOcs(0);
    ocs->Reconfigure({}, {first}); // light after 25 ms
    Simulator::Schedule(MilliSeconds(60),
                        [ocs, first, second] { ocs->Reconfigure({first}, {second}); });
    Simulator::Schedule(MilliSeconds(100),
                        [ocs, first, second] { ocs->Reconfigure({second}, {first}); });
}

/// Set the queues and MTU of the ports, and TCP for links of this speed.
void
SetPorts(const RailCluster& cluster, const IpSettings& settings)
{
    const auto ports = cluster.GetNicPorts();
    for (uint32_t i = 0; i < ports.GetN(); ++i)
    {
        auto queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, settings.queue.Get()));
        ports.Get(i)->SetAttribute("TxQueue", PointerValue(queue));
        ports.Get(i)->SetMtu(static_cast<uint16_t>(settings.mtu.Get()));
    }
    constexpr uint32_t headers = 20 + 20 + 12; // IPv4, TCP and its options
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(settings.mtu.Get() - headers));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(5)));
}

/// Print FlowMonitor's sums, and write the results.
void
PrintFlows(const Ptr<FlowMonitor>& monitor, std::ostream& os, const std::string& file)
{
    monitor->CheckForLostPackets(Time(0)); // none is on its way any more
    uint64_t sent = 0;
    uint64_t received = 0;
    uint64_t lost = 0;
    Time delay;
    for (const auto& [id, flow] : monitor->GetFlowStats())
    {
        sent += flow.txPackets;
        received += flow.rxPackets;
        lost += flow.lostPackets;
        delay += flow.delaySum;
    }
    os << "FlowMonitor: " << sent << " packets sent, " << received << " received in "
       << delay.GetPicoSeconds() << " ps"
       << ", lost " << lost << "\n";
    if (!file.empty())
    {
        monitor->SerializeToXmlFile(file, false, false);
    }
}

/// Run the program. @return an empty string, or an error in one line
std::string
RunIpBesideRdma(const std::vector<std::string>& arguments)
{
    IpSettings settings;
    CommandLine cmd(__FILE__);
    std::string error = ParseFlags(cmd, settings, arguments);
    error = error.empty() ? settings.CheckOptions() : error;
    error = error.empty() ? settings.CheckFiles() : error;
    if (!error.empty())
    {
        return error;
    }
    RailClusterHelper helper;
    helper.SetDomains(3, 1); // three servers of a GPU each, on one rail
    helper.SetNic(1, settings.portRate.Get());
    const auto fabric = RailFabric::Find(settings.fabric.GetText(), error);
    error = fabric ? helper.Check(*fabric) : error;
    if (!error.empty())
    {
        return settings.fabric.Refuse(error);
    }
    const RailCluster cluster = helper.Install(*fabric);
    SetPorts(cluster, settings);
    const auto interfaces = RailClusterHelper::InstallInternet(cluster);
    if (cluster.IsPhotonic())
    {
        MoveCircuit(cluster);
    }
    const Transfers transfers(cluster, interfaces, settings);
    PacketWatch watch;
    watch.Connect(cluster.GetNicPorts());
    FlowMonitorHelper flows;
    const auto monitor = flows.InstallAll();
    if (!settings.pcap.GetText().empty())
    {
        helper.SetPcapSnapLength(96);
        helper.EnablePcap(settings.pcap.GetText(), cluster.GetNicPorts());
    }
    Simulator::Stop(Seconds(10) + MilliSeconds(settings.echoes.Get()));
    Simulator::Run();
    transfers.Print(std::cout);
    watch.Print(std::cout);
    PrintFlows(monitor, std::cout, settings.flows.GetText());
    Simulator::Destroy();
    return "";
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, RunIpBesideRdma);
}
