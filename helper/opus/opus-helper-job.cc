// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Installation of a job by OpusHelper: a manager on each host, a shim on each GPU.
 */

#include "application-port.h"
#include "opus-helper.h"

#include "ns3/abort.h"
#include "ns3/connectivity-provider.h"
#include "ns3/inet-socket-address.h"

namespace ns3
{

uint32_t
OpusHelper::Install(const RailCluster& cluster)
{
    NS_ABORT_MSG_UNLESS(cluster.IsPhotonic(), "Opus controls photonic rails only");
    const auto job = static_cast<uint32_t>(m_shims.size());
    const uint32_t gpus = cluster.GetNAllGpus();
    m_shims.emplace_back(gpus);
    auto directory = std::make_shared<OpusShim::Directory>(gpus);
    for (uint32_t gpu = 0; m_detectionTime.IsStrictlyPositive() && gpu < gpus; ++gpu)
    {
        (*directory)[gpu] = cluster.GetNic(gpu)->GetPorts();
    }
    m_directory = directory;
    if (m_planes.empty())
    {
        m_firstRail = cluster.GetRail(0);
        const uint32_t rails = cluster.GetGpusPerDomain();
        const uint32_t together = m_perRail ? 1 : rails;
        for (uint32_t first = 0; first < rails; first += together)
        {
            m_planes.push_back(
                Plane{first, together, m_management, CreateObject<OpusController>(), Address()});
            InstallPlane(cluster, m_planes.back());
            InstallJob(cluster, m_planes.back());
        }
    }
    else
    {
        NS_ABORT_MSG_UNLESS(cluster.GetRail(0) == m_firstRail,
                            "a job on other switches needs an OpusHelper of its own");
        for (auto& plane : m_planes)
        {
            InstallJob(cluster, plane);
        }
    }
    m_domains += cluster.GetNAllDomains();
    return job;
}

void
OpusHelper::InstallJob(const RailCluster& cluster, Plane& plane)
{
    const auto job = static_cast<uint32_t>(m_shims.size() - 1);
    for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
    {
        const uint32_t rail = cluster.GetRailOf(gpu);
        if (rail < plane.firstRail || rail >= plane.firstRail + plane.rails)
        {
            continue;
        }
        std::vector<OcsPortId> ports;
        for (uint32_t port : cluster.GetOcsPorts(gpu))
        {
            ports.push_back(OcsPortId{rail, port});
        }
        for (const auto& controller : GetBoth(plane))
        {
            const std::string error = controller->AddRank(job, gpu, ports);
            NS_ABORT_MSG_UNLESS(error.empty(), error);
        }
    }
    for (uint32_t domain = 0; domain < cluster.GetNAllDomains(); ++domain)
    {
        InstallHost(cluster, plane, domain);
    }
}

void
OpusHelper::InstallHost(const RailCluster& cluster, Plane& plane, uint32_t domain)
{
    const auto job = static_cast<uint32_t>(m_shims.size() - 1);
    auto host = CreateObject<Node>(plane.process);
    auto manager = CreateObject<OpusManager>();
    RailPartition::AddApplication(host, manager);
    manager->SetController(plane.address);
    if (m_detectionTime.IsStrictlyPositive())
    {
        manager->SetAttribute("DetectionTime", TimeValue(m_detectionTime));
    }
    m_managers[{job, domain, plane.firstRail}] = manager;
    const InetSocketAddress address(plane.management.GetNext(), GetApplicationPort(manager));
    for (uint32_t rail = plane.firstRail; rail < plane.firstRail + plane.rails; ++rail)
    {
        const uint32_t gpu = domain * cluster.GetGpusPerDomain() + rail;
        InstallShim(cluster, plane, gpu, host, manager, address);
    }
    const uint32_t gpus = cluster.GetNAllGpus();
    const uint32_t firstShared = cluster.GetNAllDomains() * cluster.GetGpusPerDomain();
    for (uint32_t gpu = firstShared; gpu < gpus; ++gpu)
    {
        if (cluster.GetDomain(gpu) == domain)
        {
            InstallShim(cluster, plane, gpu, host, manager, address);
        }
    }
    Attach(plane, host);
}

void
OpusHelper::InstallShim(const RailCluster& cluster,
                        Plane& plane,
                        uint32_t gpu,
                        Ptr<Node> host,
                        Ptr<OpusManager> manager,
                        const Address& address)
{
    const auto job = static_cast<uint32_t>(m_shims.size() - 1);
    const bool isSpare = gpu >= cluster.GetNGpus();
    Ptr<Node> node = cluster.GetGpu(gpu);
    const uint32_t domain = m_domains + cluster.GetDomain(gpu);
    m_hostLink.SetChannelAttribute("Delay", TimeValue(m_hostLatency + PicoSeconds(domain)));
    const NetDeviceContainer link = m_hostLink.Install(node, host);
    auto shim = m_shimFactory.Create<OpusShim>();
    shim->SetRank(job, isSpare ? OpusShim::NO_RANK : gpu);
    shim->SetDirectory(m_directory);
    shim->SetHostLink(link.Get(0));
    RailPartition::AddApplication(node, shim);
    node->AggregateObject(shim->GetProvider());
    m_shims[job][gpu] = shim;
    if (!isSpare)
    {
        manager->AddHostLink(link.Get(1), job, gpu);
        for (const auto& controller : GetBoth(plane))
        {
            controller->SetManager(job, gpu, address);
        }
        return;
    }
    manager->AddHostLink(link.Get(1));
    std::map<uint32_t, std::vector<OcsPortId>> ports;
    for (const auto& [rail, ofRail] : cluster.GetSparePorts(gpu))
    {
        for (const uint32_t port : ofRail)
        {
            ports[rail].push_back(OcsPortId{rail, port});
        }
    }
    for (const auto& controller : GetBoth(plane))
    {
        controller->AddSpareGpu(gpu, ports, address);
    }
}

} // namespace ns3
