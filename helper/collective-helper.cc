// SPDX-License-Identifier: GPL-2.0-only

#include "collective-helper.h"

#include "rdma-helper.h"

#include "ns3/connectivity-provider.h"

namespace ns3
{

void
CollectiveHelper::Install(const RailCluster& cluster)
{
    for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
    {
        Ptr<Node> node = cluster.GetGpu(gpu);
        auto engine = CreateObject<CollectiveEngine>();
        engine->SetRank(gpu);
        auto provider = node->GetObject<ConnectivityProvider>();
        if (!provider)
        {
            provider = CreateObject<AlwaysConnected>();
        }
        engine->SetConnectivityProvider(provider);
        node->AggregateObject(engine);
    }
}

void
CollectiveHelper::Join(const RailCluster& cluster, const ProcessGroup& group)
{
    const uint32_t size = group.GetSize();
    std::vector<Ptr<RdmaConnection>> next(size);
    std::vector<Ptr<RdmaConnection>> previous(size);
    for (uint32_t i = 0; size > 1 && i < size; ++i)
    {
        const uint32_t j = (i + 1) % size;
        auto nic = cluster.GetNic(group.ranks[i]);
        const auto ports = RdmaHelper::GetRingPorts(nic->GetNPorts());
        std::tie(next[i], previous[j]) =
            RdmaHelper::Connect(nic, ports.next, cluster.GetNic(group.ranks[j]), ports.previous);
    }
    for (uint32_t i = 0; i < size; ++i)
    {
        auto engine = cluster.GetGpu(group.ranks[i])->GetObject<CollectiveEngine>();
        engine->Join(group, next[i], previous[i]);
    }
}

} // namespace ns3
