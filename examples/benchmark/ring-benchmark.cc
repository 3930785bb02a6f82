// SPDX-License-Identifier: GPL-2.0-only

#include "ring-benchmark.h"

#include "ns3/point-to-point-helper.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/run-summary.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr const char* POINT_TO_POINT = "point-to-point";

/// A message has arrived.
void
RingMessageArrived(Time* completion, uint32_t /* immediate */, uint64_t /* bytes */)
{
    *completion = Simulator::Now();
}

/// The sending end of a PointToPointNetDevice link.
struct Sender
{
    Ptr<NetDevice> device;
    uint32_t packetBytes{0};
    uint64_t left{0}; //!< packets to be sent
    BenchmarkRow* row{nullptr};

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
    ++sender->row->dataPackets;
    sender->row->simulated = Simulator::Now();
    sender->Send();
    return true;
}

/// Run the simulator and measure it.
void
RunTimed(BenchmarkRow& row)
{
    row.setupCpuSeconds = GetCpuTime();
    Simulator::Run();
    row.cpuSeconds = GetCpuTime() - row.setupCpuSeconds;
    row.events = Simulator::GetEventCount();
}

} // namespace

std::vector<std::string>
RingBenchmark::GetNames()
{
    return {"circuits", "electrical", "electrical-dcqcn", POINT_TO_POINT};
}

void
RingBenchmark::Measure(BenchmarkRow& row) const
{
    row.gpus = hosts;
    row.bytes = bytes;
    if (row.name == POINT_TO_POINT)
    {
        MeasurePointToPoint(row);
    }
    else
    {
        MeasureRails(row);
    }
    Simulator::Destroy();
}

void
RingBenchmark::MeasureRails(BenchmarkRow& row) const
{
    const bool photonic = row.name == "circuits";
    RailClusterHelper helper;
    helper.SetDomains(hosts, 1);
    // One port to the next host and one from the previous, as a ring of circuits needs.
    helper.SetNic(2, rate);
    helper.SetNicAttribute("Fidelity", StringValue(row.fidelity == "packet" ? "Packet" : "Burst"));
    helper.SetFiberAttribute("Delay", TimeValue(linkDelay));
    helper.SetQueuePairAttribute("Mtu", UintegerValue(mtu));
    if (row.name == "electrical-dcqcn")
    {
        helper.SetQueuePairAttribute("CongestionControl", StringValue("ns3::RdmaDcqcn"));
    }
    helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(Time(0)));
    const RailCluster cluster = photonic ? helper.InstallPhotonic() : helper.InstallElectrical();

    CircuitSet circuits;
    std::vector<RdmaHelper::ConnectionPair> connections;
    Time completion;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        const uint32_t next = (host + 1) % hosts;
        connections.push_back(
            RdmaHelper::Connect(cluster.GetNic(host), {0}, cluster.GetNic(next), {1}));
        connections.back().second->SetReceivedCallback(
            MakeBoundCallback(&RingMessageArrived, &completion));
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
    for (auto& connection : connections)
    {
        connection.first->Post(bytes, 1);
    }
    RunTimed(row);
    row.simulated = completion - start;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        row.dataPackets += cluster.GetNic(host)->GetQueuePairStatistics().dataPacketsSent;
        row.bursts += cluster.GetNic(host)->GetStatistics().bursts;
        row.burstPackets += cluster.GetNic(host)->GetStatistics().burstPackets;
    }
    row.dataHops = 2 * row.dataPackets; // one link to the rail and one from it
}

void
RingBenchmark::MeasurePointToPoint(BenchmarkRow& row) const
{
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", DataRateValue(rate));
    helper.SetDeviceAttribute("Mtu", UintegerValue(9000));
    helper.SetChannelAttribute("Delay", TimeValue(linkDelay));
    const uint64_t packets = (bytes + mtu - 1) / mtu;
    std::vector<Sender> senders(hosts);
    // Enough packets to fill the link and a few more.
    const Time packetTime = rate.CalculateBytesTxTime(mtu);
    const int64_t inFlight = linkDelay.GetTimeStep() / packetTime.GetTimeStep();
    const auto window = static_cast<uint32_t>(std::min<int64_t>(90, inFlight + 8));
    for (uint32_t link = 0; link < hosts; ++link)
    {
        NodeContainer nodes(2);
        NetDeviceContainer devices = helper.Install(nodes);
        senders[link] = Sender{devices.Get(0), mtu, packets, &row};
        devices.Get(1)->SetReceiveCallback(MakeBoundCallback(&PacketArrived, &senders[link]));
        for (uint32_t packet = 0; packet < window; ++packet)
        {
            Simulator::ScheduleNow(&Sender::Send, &senders[link]);
        }
    }
    RunTimed(row);
    row.dataHops = row.dataPackets;
}

} // namespace ns3
