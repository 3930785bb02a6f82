// SPDX-License-Identifier: GPL-2.0-only

#include "collectives-experiment.h"

#include "ns3/assert.h"
#include "ns3/collective-calls.h"
#include "ns3/collective-helper.h"
#include "ns3/collective-protocol.h"
#include "ns3/interruption.h"
#include "ns3/rdma-helper.h"
#include "ns3/roce-header.h"
#include "ns3/simulator.h"
#include "ns3/static-policy.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

void
ProbeArrived(Time* at, uint32_t /* immediate */, uint64_t /* bytes */)
{
    *at = Simulator::Now();
}

/// @return alpha from a port to another, and the payload rate of all ports of the first NIC
AlphaBeta
MeasurePorts(Ptr<RdmaNic> from,
             uint32_t portOfFrom,
             Ptr<RdmaNic> to,
             uint32_t portOfTo,
             uint32_t packets)
{
    auto ends = RdmaHelper::Connect(from, {portOfFrom}, to, {portOfTo});
    RoceHeader packet;
    packet.opcode = RoceHeader::WRITE_MIDDLE;
    UintegerValue mtu;
    from->CreateQueuePair(portOfFrom)->GetAttribute("Mtu", mtu);
    packet.payloadBytes = static_cast<uint32_t>(mtu.Get());
    const Time start = Simulator::Now();
    Time arrived;
    ends.second->SetReceivedCallback(MakeBoundCallback(&ProbeArrived, &arrived));
    ends.first->Post(uint64_t{packets} * packet.payloadBytes, 1);
    Interruption::RunSimulator();
    double rate = 0;
    for (uint32_t port = 0; port < from->GetNPorts(); ++port)
    {
        rate += static_cast<double>(from->GetPort(port)->GetDataRate().GetBitRate());
    }
    const auto portRate =
        static_cast<double>(from->GetPort(portOfFrom)->GetDataRate().GetBitRate());
    const double wire = 8.0 * packet.GetWireBytes();
    return {(arrived - start).ToDouble(Time::S) - packets * wire / portRate,
            wire / packet.payloadBytes / rate};
}

} // namespace

FabricLinks
FabricLinks::Measure(const RailCluster& cluster, uint32_t packets)
{
    if (cluster.IsPhotonic())
    {
        StaticCircuitsHelper::LightRings(cluster);
        Interruption::RunSimulator(); // until there is light
    }
    FabricLinks links;
    if (cluster.GetNDomains() > 1)
    {
        // As neighbours on the ring of a rail are connected.
        const auto ports = RdmaHelper::GetRingPorts(cluster.GetNicPortCount());
        links.network = MeasurePorts(cluster.GetNic(0),
                                     ports.next[0],
                                     cluster.GetNic(cluster.GetGpusPerDomain()),
                                     ports.previous[0],
                                     packets);
    }
    else if (!cluster.HasScaleUpNetwork())
    {
        links.network = MeasurePorts(cluster.GetNic(0), 0, cluster.GetNic(1), 0, packets);
    }
    if (cluster.HasScaleUpNetwork() && cluster.GetGpusPerDomain() > 1)
    {
        links.domain =
            MeasurePorts(cluster.GetScaleUpNic(0), 0, cluster.GetScaleUpNic(1), 0, packets);
    }
    Simulator::Destroy();
    return links;
}

CollectivesExperiment::CollectivesExperiment(const CollectivesSettings& settings)
    : m_settings(settings),
      m_links(
          FabricLinks::Measure(settings.MakeClusterHelper().Install(settings.fabric.GetFabric())))
{
    if (settings.lend.Get())
    {
        OpusHelper opus;
        const RailCluster cluster = settings.Install(opus);
        m_terms = CollectiveHelper::GetTerms(cluster);
        m_terms.latency = m_links.network.alpha;
        m_terms.byteSeconds = m_links.network.beta;
        Simulator::Destroy();
    }
}

std::optional<CollectiveCost>
CollectivesExperiment::GetCost(const CollectiveCall& call, const CollectiveRates& rates) const
{
    if (call.sizes)
    {
        return std::nullopt; // formulas are for parts that are alike
    }
    RankContext part;
    part.call = call;
    part.shape = m_settings.GetShape();
    part.terms = m_terms;
    part.rates = rates;
    NS_ASSERT(part.shape.size == m_settings.GetGroups()[0].GetSize());
    const auto algorithms = m_settings.MakeAlgorithms();
    return algorithms.Get(part.call.kind)
        ->GetCost(part)
        .On(part.shape, m_settings.fabric.HasScaleUpNetwork());
}

std::optional<CollectiveReport::Row>
CollectivesExperiment::Run(uint64_t bytes, FabricProbe* probe, RecordTables* records) const
{
    const auto& groups = m_settings.GetGroups();
    const NcclTest& test = m_settings.GetTest();
    const auto size = test.GetSize(groups[0].GetSize(), bytes);
    if (size.bytes == 0)
    {
        return m_settings.MakeReport().MakeRow(size, Time(0));
    }
    CollectiveCall call = test.MakeCall(groups[0].GetSize(), size);
    OpusHelper opus;
    const RailCluster cluster = m_settings.Install(opus);
    CollectiveHelper::Install(cluster);
    CollectiveCalls calls;
    for (const auto& group : groups)
    {
        CollectiveHelper::Join(cluster, group, m_settings.MakeAlgorithms());
        call.peer = group.ranks[0];
        calls.Add(cluster, group, call);
    }
    if (cluster.IsPhotonic() && !m_settings.lend.Get())
    {
        StaticCircuitsHelper::LightRings(cluster);
        Interruption::RunSimulator(); // until there is light
    }
    FabricProbe ownProbe(false);
    FabricProbe& seen = probe ? *probe : ownProbe;
    seen.Observe(cluster);
    std::optional<Time> time = Time(0);
    if (m_settings.warmups.Get() > 0)
    {
        time = calls.Run(m_settings.warmups.Get());
    }
    if (time)
    {
        seen.Start();
        for (uint32_t gpu = 0; records && gpu < cluster.GetNGpus(); ++gpu)
        {
            records->Observe(cluster.GetGpu(gpu)->GetObject<CollectiveEngine>());
        }
        time = calls.Run(m_settings.iterations.Get());
        seen.Stop();
    }
    std::optional<CollectiveReport::Row> row;
    if (time)
    {
        const FabricMeasurement& measurement = seen.GetMeasurement();
        row = m_settings.MakeReport().MakeRow(size, *time / m_settings.iterations.Get());
        const auto rates = CollectiveHelper::GetRates(cluster);
        if (const auto cost = GetCost(call, rates))
        {
            const auto protocol =
                CollectivesSettings::TakesLibraryTime()
                    ? CollectiveProtocol::Choose(*cost, m_settings.GetShape(), rates)
                    : CollectiveProtocol();
            row->alphaSeconds =
                protocol.GetLaunch() +
                cost->rounds * (protocol.GetLink(true).step + m_links.network.alpha) +
                cost->domainRounds * (protocol.GetLink(false).step + m_links.domain.alpha) +
                cost->switches * m_terms.switchSeconds;
            row->betaSeconds = cost->GetDataSeconds(m_links.network.beta, m_links.domain.beta);
            row->switches = cost->switches;
        }
        row->packetsSent = measurement.dataPackets;
        row->retransmissions = measurement.retransmissions;
        row->bytesPosted = measurement.bytesPosted;
        row->bytesDelivered = measurement.bytesDelivered;
        row->callTimes = LatencySummary::Make(calls.GetDurations());
        row->events = Simulator::GetEventCount();
    }
    Simulator::Destroy();
    return row;
}

} // namespace ns3
