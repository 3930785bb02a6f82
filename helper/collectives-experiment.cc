// SPDX-License-Identifier: GPL-2.0-only

#include "collectives-experiment.h"

#include "collective-calls.h"
#include "collective-helper.h"
#include "static-circuits-helper.h"

#include "ns3/simulator.h"

namespace ns3
{

CollectivesExperiment::CollectivesExperiment(const CollectivesSettings& settings)
    : m_settings(settings)
{
}

std::optional<CollectiveReport::Row>
CollectivesExperiment::Run(uint64_t bytes, FabricProbe* probe) const
{
    const auto& groups = m_settings.GetGroups();
    const auto size = CollectiveSize::Make(m_settings.GetKind(), groups[0].GetSize(), bytes);
    const RailCluster cluster =
        m_settings.MakeClusterHelper().Install(m_settings.GetFabric().GetFabric());
    CollectiveHelper::Install(cluster);
    CollectiveCalls calls;
    for (const auto& group : groups)
    {
        CollectiveHelper::Join(cluster, group, m_settings.MakeAlgorithms());
        CollectiveCall call;
        call.kind = m_settings.GetKind();
        call.bytes = size.callBytes;
        call.peer = group.ranks[0];
        calls.Add(cluster, group, call);
    }
    if (cluster.IsPhotonic())
    {
        StaticCircuitsHelper::LightRings(cluster);
        Simulator::Run(); // until there is light
    }
    FabricProbe ownProbe(false);
    FabricProbe& seen = probe ? *probe : ownProbe;
    seen.Observe(cluster);
    std::optional<Time> time = Time(0);
    if (m_settings.GetWarmups() > 0)
    {
        time = calls.Run(m_settings.GetWarmups());
    }
    if (time)
    {
        seen.Start();
        time = calls.Run(m_settings.GetIterations());
        seen.Stop();
    }
    std::optional<CollectiveReport::Row> row;
    if (time)
    {
        const FabricMeasurement& measurement = seen.GetMeasurement();
        row = m_settings.MakeReport().MakeRow(size, *time / m_settings.GetIterations());
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
