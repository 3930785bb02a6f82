// SPDX-License-Identifier: GPL-2.0-only

#include "run-counters.h"

#include "training-circuits.h"

#include "ns3/rdma-relay.h"

namespace ns3
{

namespace
{

/// Add what a NIC has counted.
void
AddTraffic(Ptr<RdmaNic> nic, RunTraffic& traffic)
{
    const auto statistics = nic->GetQueuePairStatistics();
    traffic.Add({statistics.dataPacketsSent,
                 statistics.retransmissions,
                 statistics.bytesPosted,
                 statistics.bytesDelivered,
                 nic->GetStatistics().bursts,
                 nic->GetStatistics().burstPackets,
                 statistics.bytesFailed});
}

/// Add what a controller has done, if it is simulated here.
void
AddController(Ptr<OpusController> controller, ControlShare& sum)
{
    if (!controller->GetNode())
    {
        return;
    }
    const auto stats = controller->GetStats();
    const auto& server = controller->GetServerStats();
    ControlShare share;
    share.requests = stats.requests;
    share.grants = stats.grants;
    share.cacheHits = stats.cacheHits;
    share.commands = stats.reconfigurations;
    share.plans = stats.plans;
    share.planHits = stats.planHits;
    share.messages = server.served;
    share.longestQueue = server.longest;
    share.queued = server.waited;
    share.waitedRanks = stats.waited.ranks;
    share.waitedPorts = stats.waited.ports;
    share.waitedLight = stats.waited.light;
    // Not until the simulator ends, whose last event may be one of the progress line.
    const double elapsed = controller->GetLastServed().GetSeconds();
    for (const auto& port : controller->GetPorts())
    {
        const double up = controller->GetUpTime(port).GetSeconds();
        share.upShares.push_back(elapsed > 0 ? up / elapsed : 0);
    }
    sum.Add(share);
}

} // namespace

uint64_t
RunCounters::CountPackets(const RailCluster& cluster)
{
    uint64_t sum = 0;
    for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
    {
        sum += cluster.GetNic(gpu)->GetQueuePairStatistics().dataPacketsSent;
        for (const auto& nic : {cluster.GetScaleUpNic(gpu), cluster.GetHostNic(gpu)})
        {
            sum += nic ? nic->GetQueuePairStatistics().dataPacketsSent : 0;
        }
    }
    return sum;
}

uint64_t
RunCounters::CountRailPorts(const RailCluster& cluster)
{
    uint64_t ports = 0;
    for (uint32_t rail = 0; rail < cluster.GetGpusPerDomain(); ++rail)
    {
        if (RailPartition::IsHere(cluster.GetRail(rail)))
        {
            ports += cluster.GetNDomains() * cluster.GetNicPortCount();
        }
    }
    return ports;
}

void
RunCounters::Add(const RailCluster& cluster, RunShare& share)
{
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus(); ++gpu)
    {
        AddTraffic(cluster.GetNic(gpu), share.rails);
        if (auto scaleUp = cluster.GetScaleUpNic(gpu))
        {
            AddTraffic(scaleUp, share.scaleUp);
        }
        if (auto host = cluster.GetHostNic(gpu))
        {
            AddTraffic(host, share.hosts);
        }
        if (const auto relay = cluster.GetGpu(gpu)->GetObject<RdmaRelay>())
        {
            share.bytesForwarded += relay->GetStatistics().bytes;
        }
    }
    for (const auto& ocs : TrainingCircuits::GetSwitches(cluster))
    {
        share.packetsLostAtOcs += ocs->GetFramesLost();
    }
}

void
RunCounters::Add(const OpusHelper& opus, ControlShare& sum)
{
    for (const auto& controller : opus.GetControllers())
    {
        AddController(controller, sum);
    }
    for (const auto& port : opus.GetManagementPorts())
    {
        sum.retransmissions += port->GetChannelStats().repeated;
    }
    const OpusController::Lives lives = opus.GetLives();
    sum.crashes += lives.crashes;
    sum.takeovers += lives.takeovers;
    sum.down += lives.down;
}

} // namespace ns3
