// SPDX-License-Identifier: GPL-2.0-only

// How fast does the simulator move data? A ring of hosts, each sending one message to the next, on
// circuits and through an electrical rail (lossless: PFC and ECN are on) without and with DCQCN,
// beside ns-3's PointToPointNetDevice moving as many packets in the same run.

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/photonic-rails-module.h"
#include "ns3/point-to-point-module.h"

#include <ctime>
#include <iomanip>

using namespace ns3;

namespace
{

/// What one run has shown.
struct Result
{
    std::string fabric;
    uint64_t dataPackets{0}; //!< data packets delivered
    uint32_t links{0};       //!< links that each of them crosses
    Time completion;         //!< when the last message was complete
    double cpuSeconds{0};
    uint64_t events{0};
};

/// The experiment.
struct Ring
{
    uint32_t hosts{16};
    uint64_t bytes{64 << 20};
    DataRate rate{"400Gbps"};
    Time linkDelay{NanoSeconds(500)};
    uint32_t mtu{4096};
};

/// A message has arrived.
void
MessageArrived(Result* result, uint32_t /* immediate */, uint64_t /* bytes */)
{
    result->completion = Simulator::Now();
}

/// The sending end of a PointToPointNetDevice link.
struct Sender
{
    Ptr<NetDevice> device;
    uint32_t packetBytes{0};
    uint64_t left{0}; //!< packets to be sent
    Result* result{nullptr};

    void Send()
    {
        if (left > 0)
        {
            --left;
            device->Send(Create<Packet>(packetBytes), device->GetBroadcast(), 0x0800);
        }
    }
};

/// Each arrival sends the next packet, so that the device is busy and its queue short.
bool
PacketArrived(Sender* sender, Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&)
{
    ++sender->result->dataPackets;
    sender->result->completion = Simulator::Now();
    sender->Send();
    return true;
}

/// Run the simulator and measure it.
void
Measure(Result& result)
{
    const std::clock_t begin = std::clock();
    Simulator::Run();
    result.cpuSeconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    result.events = Simulator::GetEventCount();
}

/// @return the ring over RDMA, on circuits or through a switch, with a congestion control or none
Result
RunRails(const Ring& ring, const std::string& name, bool photonic, const std::string& control)
{
    RailClusterHelper helper;
    helper.SetDomains(ring.hosts, 1);
    // One port to the next host and one from the previous, as a ring of circuits needs.
    helper.SetNic(2, ring.rate);
    helper.SetFibreAttribute("Delay", TimeValue(ring.linkDelay));
    helper.SetQueuePairAttribute("Mtu", UintegerValue(ring.mtu));
    helper.SetQueuePairAttribute("CongestionControl", StringValue(control));
    helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(Time(0)));
    RailCluster cluster = photonic ? helper.InstallPhotonic() : helper.InstallElectrical();

    Result result{name, 0, 2, Time(0), 0, 0};
    CircuitSet circuits;
    std::vector<Ptr<RdmaConnection>> senders;
    std::vector<Ptr<RdmaConnection>> receivers;
    for (uint32_t host = 0; host < ring.hosts; ++host)
    {
        const uint32_t next = (host + 1) % ring.hosts;
        auto [sender, receiver] =
            RdmaHelper::Connect(cluster.GetNic(host), {0}, cluster.GetNic(next), {1});
        receiver->SetReceivedCallback(MakeBoundCallback(&MessageArrived, &result));
        senders.push_back(sender);
        receivers.push_back(receiver);
        if (photonic)
        {
            circuits.push_back({cluster.GetOcsPorts(host)[0], cluster.GetOcsPorts(next)[1]});
        }
    }
    if (photonic)
    {
        cluster.GetOcs(0)->Reconfigure({}, circuits);
        Simulator::Stop(MicroSeconds(10)); // light is there before the clock starts
        Simulator::Run();
    }
    const Time start = Simulator::Now();
    for (auto& sender : senders)
    {
        sender->Post(ring.bytes, 1);
    }
    Measure(result);
    result.completion -= start;
    for (uint32_t host = 0; host < ring.hosts; ++host)
    {
        result.dataPackets += cluster.GetNic(host)->GetQueuePairStatistics().dataPacketsSent;
    }
    Simulator::Destroy();
    return result;
}

/// @return as many packets over as many links of PointToPointNetDevices, without any headers
Result
RunPointToPoint(const Ring& ring)
{
    Result result{"point-to-point", 0, 1, Time(0), 0, 0};
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", DataRateValue(ring.rate));
    helper.SetDeviceAttribute("Mtu", UintegerValue(9000));
    helper.SetChannelAttribute("Delay", TimeValue(ring.linkDelay));
    const uint64_t packets = (ring.bytes + ring.mtu - 1) / ring.mtu;
    std::vector<Sender> senders(ring.hosts);
    // Enough packets to fill the link and a few more.
    const Time packetTime = ring.rate.CalculateBytesTxTime(ring.mtu);
    const int64_t inFlight = ring.linkDelay.GetTimeStep() / packetTime.GetTimeStep();
    const auto window = static_cast<uint32_t>(std::min<int64_t>(90, inFlight + 8));
    for (uint32_t link = 0; link < ring.hosts; ++link)
    {
        NodeContainer nodes(2);
        NetDeviceContainer devices = helper.Install(nodes);
        senders[link] = Sender{devices.Get(0), ring.mtu, packets, &result};
        devices.Get(1)->SetReceiveCallback(MakeBoundCallback(&PacketArrived, &senders[link]));
        for (uint32_t packet = 0; packet < window; ++packet)
        {
            Simulator::ScheduleNow(&Sender::Send, &senders[link]);
        }
    }
    Measure(result);
    Simulator::Destroy();
    return result;
}

/// What can be run, by the names of the rows.
const std::vector<std::string> ROWS = {"circuits",
                                       "electrical",
                                       "electrical-dcqcn",
                                       "point-to-point"};

/// @return a row of the table
Result
Run(const Ring& ring, const std::string& row)
{
    if (row == "point-to-point")
    {
        return RunPointToPoint(ring);
    }
    const std::string control = row == "electrical-dcqcn" ? "ns3::RdmaDcqcn" : "";
    return RunRails(ring, row, row == "circuits", control);
}

/// Write a row of the table.
void
Print(const Result& result)
{
    const double hops = static_cast<double>(result.dataPackets) * result.links;
    std::cout << std::left << std::setw(17) << result.fabric << std::right << std::fixed
              << std::setprecision(2) << std::setw(9) << result.completion.GetNanoSeconds() / 1e3
              << " us" << std::setw(15) << result.dataPackets << std::setw(8) << result.cpuSeconds
              << std::setw(16) << static_cast<double>(result.events) / result.dataPackets
              << std::setw(18) << result.dataPackets / result.cpuSeconds / 1e6 << std::setw(20)
              << hops / result.cpuSeconds / 1e6 << std::endl;
}

/// Run the program. @return what is wrong
std::string
RunAll(const std::vector<std::string>& arguments)
{
    CountFlag hosts("hosts", 16, 2, 288);
    BytesFlag bytes("bytes", "64M", 1);
    Flag rate("rate", "400Gbps");
    TimeFlag delay("delay", "500ns", 1e-3, "a time from 0s to 1ms such as 500ns");
    ChoiceFlag row("row", "all", {"all", ROWS[0], ROWS[1], ROWS[2], ROWS[3]});
    CommandLine cmd(__FILE__);
    hosts.AddTo(cmd, "hosts on the ring, 2 to 288");
    bytes.AddTo(cmd, "bytes of each message");
    rate.AddTo(cmd, "line rate of a port");
    delay.AddTo(cmd, "propagation delay of a link");
    row.AddTo(cmd, "rows to run: " + row.GetChoices());
    if (auto error = ParseFlags(cmd, arguments); !error.empty())
    {
        return error;
    }
    const auto parsedRate = FlagParser::ParseRate(rate.GetText());
    const std::string rateError =
        parsedRate ? "" : RefuseFlag("rate", rate.GetText(), FlagParser::RATE_FORM);
    for (const auto& error : {hosts.Check(), bytes.Check(), rateError, delay.Check(), row.Check()})
    {
        if (!error.empty())
        {
            return error;
        }
    }
    const Ring ring{hosts.Get(), bytes.Get(), *parsedRate, delay.Get()};

    const Time payload = Seconds(ring.bytes * 8.0 / ring.rate.GetBitRate());
    std::cout << ring.hosts << " hosts, ring, " << ring.bytes << " bytes each at " << ring.rate
              << ", links of " << ring.linkDelay.As(Time::NS) << ", MTU " << ring.mtu
              << "\npayload alone takes " << payload.As(Time::US) << "\n\n"
              << "row                completion   data packets   CPU s   events/packet   M "
                 "packets/CPU s   M data hops/CPU s"
              << std::endl;
    for (const auto& name : ROWS)
    {
        if (row.GetText() == "all" || row.GetText() == name)
        {
            Print(Run(ring, name));
        }
    }
    return "";
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, RunAll);
}
