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
    : m_shimFactory("ns3::OpusShim")
{
    // A doorbell or a small DMA write over PCIe takes about a microsecond.
    SetHostLinkLatency(MicroSeconds(1));
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
    m_hostLink.SetChannelAttribute("Delay", TimeValue(latency));
}

void
OpusHelper::Install(const RailCluster& cluster)
{
    NS_ABORT_MSG_UNLESS(cluster.IsPhotonic(), "Opus controls photonic rails only");
    auto node = CreateObject<Node>();
    m_controller = CreateObject<OpusController>();
    node->AddApplication(m_controller);
    const InetSocketAddress address(m_management.Attach(node), GetPort(m_controller));
    for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
    {
        std::vector<OcsPortId> ports;
        for (uint32_t port : cluster.GetOcsPorts(gpu))
        {
            ports.push_back(OcsPortId{gpu % cluster.GetGpusPerDomain(), port});
        }
        m_controller->AddRank(JOB, gpu, ports);
    }
    InstallAgents(cluster);
    for (uint32_t domain = 0; domain < cluster.GetNDomains(); ++domain)
    {
        InstallDomain(cluster, domain, address);
    }
}

void
OpusHelper::InstallAgents(const RailCluster& cluster)
{
    for (uint32_t rail = 0; rail < cluster.GetGpusPerDomain(); ++rail)
    {
        Ptr<Node> node = cluster.GetRail(rail);
        NS_ABORT_MSG_IF(cluster.GetOcs(rail)->GetMode() == OpticalCircuitSwitch::WHOLE_SWITCH,
                        "Opus needs switches that leave other circuits alone (Mode=PerPort)");
        auto agent = CreateObject<OcsAgent>();
        node->AddApplication(agent);
        m_controller->AddOcs(rail, InetSocketAddress(m_management.Attach(node), GetPort(agent)));
    }
}

void
OpusHelper::InstallDomain(const RailCluster& cluster, uint32_t domain, const Address& controller)
{
    auto host = CreateObject<Node>();
    auto manager = CreateObject<OpusManager>();
    host->AddApplication(manager);
    manager->SetController(controller);
    for (uint32_t local = 0; local < cluster.GetGpusPerDomain(); ++local)
    {
        const uint32_t rank = domain * cluster.GetGpusPerDomain() + local;
        Ptr<Node> gpu = cluster.GetGpu(rank);
        const NetDeviceContainer link = m_hostLink.Install(gpu, host);
        auto shim = m_shimFactory.Create<OpusShim>();
        shim->SetRank(JOB, rank);
        shim->SetHostLink(link.Get(0));
        gpu->AddApplication(shim);
        gpu->AggregateObject(shim->GetProvider());
        manager->AddHostLink(link.Get(1));
        m_shims.Add(shim);
    }
    m_management.Attach(host);
}

Ptr<OpusController>
OpusHelper::GetController() const
{
    return m_controller;
}

Ptr<OpusShim>
OpusHelper::GetShim(uint32_t rank) const
{
    return DynamicCast<OpusShim>(m_shims.Get(rank));
}

} // namespace ns3
