// SPDX-License-Identifier: GPL-2.0-only

#include "opus-helper.h"

#include "ns3/abort.h"
#include "ns3/connectivity-provider.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ocs-agent.h"
#include "ns3/opus-manager.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

constexpr uint32_t JOB = 0; // a cluster runs one job so far

/// @return an application's TCP port
uint16_t
GetPort(Ptr<Application> application)
{
    UintegerValue port;
    application->GetAttribute("Port", port);
    return static_cast<uint16_t>(port.Get());
}

} // namespace

OpusHelper::OpusHelper()
    : m_shimFactory("ns3::OpusShim"),
      // A doorbell or a small DMA write over PCIe takes about a microsecond.
      m_hostLatency(MicroSeconds(1))
{
    m_hostLink.SetDeviceAttribute("DataRate", DataRateValue(DataRate("200Gbps")));
}

void
OpusHelper::SetShimAttribute(const std::string& name, const AttributeValue& value)
{
    m_shimFactory.Set(name, value);
}

void
OpusHelper::SetControlLatency(Time latency)
{
    m_management.SetLatency(latency);
}

void
OpusHelper::SetHostLinkLatency(Time latency)
{
    m_hostLatency = latency;
}

void
OpusHelper::SetControllerPerRail(bool perRail)
{
    m_perRail = perRail;
}

void
OpusHelper::Install(const RailCluster& cluster)
{
    NS_ABORT_MSG_UNLESS(cluster.IsPhotonic(), "Opus controls photonic rails only");
    m_shims.resize(cluster.GetNGpus());
    const uint32_t rails = cluster.GetGpusPerDomain();
    const uint32_t together = m_perRail ? 1 : rails;
    for (uint32_t first = 0; first < rails; first += together)
    {
        m_planes.push_back(Plane{first, together, m_management, CreateObject<OpusController>()});
        InstallPlane(cluster, m_planes.back());
    }
}

void
OpusHelper::InstallPlane(const RailCluster& cluster, Plane& plane)
{
    const RailPartition& partition = cluster.GetPartition();
    plane.process =
        m_perRail ? partition.GetProcessOfRail(plane.firstRail) : partition.GetProcessOfHosts();
    plane.management.SetProcess(plane.process);
    auto node = CreateObject<Node>(plane.process);
    RailPartition::AddApplication(node, plane.controller);
    const InetSocketAddress address(plane.management.Attach(node), GetPort(plane.controller));
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
        plane.controller->AddRank(JOB, gpu, ports);
    }
    InstallAgents(cluster, plane);
    for (uint32_t domain = 0; domain < cluster.GetNDomains(); ++domain)
    {
        InstallHost(cluster, plane, domain, address);
    }
}

void
OpusHelper::InstallAgents(const RailCluster& cluster, Plane& plane)
{
    for (uint32_t rail = plane.firstRail; rail < plane.firstRail + plane.rails; ++rail)
    {
        Ptr<Node> node = cluster.GetRail(rail);
        NS_ABORT_MSG_IF(cluster.GetOcs(rail)->GetMode() == OpticalCircuitSwitch::WHOLE_SWITCH,
                        "Opus needs switches that leave other circuits alone (Mode=PerPort)");
        auto agent = CreateObject<OcsAgent>();
        RailPartition::AddApplication(node, agent);
        plane.controller->AddOcs(rail,
                                 InetSocketAddress(plane.management.Attach(node), GetPort(agent)));
    }
}

void
OpusHelper::InstallHost(const RailCluster& cluster,
                        Plane& plane,
                        uint32_t domain,
                        const Address& controller)
{
    auto host = CreateObject<Node>(plane.process);
    auto manager = CreateObject<OpusManager>();
    RailPartition::AddApplication(host, manager);
    manager->SetController(controller);
    for (uint32_t rail = plane.firstRail; rail < plane.firstRail + plane.rails; ++rail)
    {
        const uint32_t rank = domain * cluster.GetGpusPerDomain() + rail;
        Ptr<Node> gpu = cluster.GetGpu(rank);
        m_hostLink.SetChannelAttribute("Delay", TimeValue(m_hostLatency + PicoSeconds(domain)));
        const NetDeviceContainer link = m_hostLink.Install(gpu, host);
        auto shim = m_shimFactory.Create<OpusShim>();
        shim->SetRank(JOB, rank);
        shim->SetHostLink(link.Get(0));
        RailPartition::AddApplication(gpu, shim);
        gpu->AggregateObject(shim->GetProvider());
        manager->AddHostLink(link.Get(1));
        m_shims[rank] = shim;
    }
    plane.management.Attach(host);
}

Ptr<OpusController>
OpusHelper::GetController(uint32_t rail) const
{
    return m_planes.at(m_perRail ? rail : 0).controller;
}

Ptr<OpusShim>
OpusHelper::GetShim(uint32_t rank) const
{
    return m_shims.at(rank);
}

} // namespace ns3
