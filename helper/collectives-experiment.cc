// SPDX-License-Identifier: GPL-2.0-only

#include "collectives-experiment.h"

#include "collective-calls.h"
#include "collective-helper.h"
#include "static-circuits-helper.h"

#include "ns3/simulator.h"

namespace ns3
{

namespace
{

/// @return the sums over all NICs
RdmaQueuePair::Statistics
GetTotals(const RailCluster& cluster)
{
    RdmaQueuePair::Statistics sum;
    for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
    {
        for (const auto& nic : {cluster.GetNic(gpu), cluster.GetScaleUpNic(gpu)})
        {
            if (nic)
            {
                const auto statistics = nic->GetQueuePairStatistics();
                sum.dataPacketsSent += statistics.dataPacketsSent;
                sum.retransmissions += statistics.retransmissions;
                sum.bytesPosted += statistics.bytesPosted;
                sum.bytesDelivered += statistics.bytesDelivered;
            }
        }
    }
    return sum;
}

} // namespace

CollectivesExperiment::CollectivesExperiment(const CollectivesSettings& settings)
    : m_settings(settings)
{
}

std::optional<CollectiveReport::Row>
CollectivesExperiment::Run(uint64_t bytes) const
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
    std::optional<Time> time = Time(0);
    if (m_settings.GetWarmups() > 0)
    {
        time = calls.Run(m_settings.GetWarmups());
    }
    const auto before = GetTotals(cluster);
    if (time)
    {
        time = calls.Run(m_settings.GetIterations());
    }
    std::optional<CollectiveReport::Row> row;
    if (time)
    {
        const auto after = GetTotals(cluster);
        row = m_settings.MakeReport().MakeRow(size, *time / m_settings.GetIterations());
        row->packetsSent = after.dataPacketsSent - before.dataPacketsSent;
        row->retransmissions = after.retransmissions - before.retransmissions;
        row->bytesPosted = after.bytesPosted - before.bytesPosted;
        row->bytesDelivered = after.bytesDelivered - before.bytesDelivered;
        row->events = Simulator::GetEventCount();
    }
    Simulator::Destroy();
    return row;
}

} // namespace ns3
