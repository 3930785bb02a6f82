// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How a RailClusterHelper builds optical circuit switches, and spare ones.
 */

#include "fibre-cabling.h"
#include "rail-cluster-helper.h"

#include "ns3/abort.h"
#include "ns3/ocs-net-device.h"
#include "ns3/ocs-technology.h"
#include "ns3/pip-switch-fabric.h"
#include "ns3/protection-switch.h"
#include "ns3/transceiver-net-device.h"
#include "ns3/uinteger.h"

namespace ns3
{

Ptr<CircuitFabric>
RailClusterHelper::MakeOcsFabric() const
{
    const auto fabric = CreateOcs()->GetFabric();
    if (fabric)
    {
        fabric->Change({}, {}); // makes what copies then share
    }
    return fabric;
}

Time
RailClusterHelper::GetReconfigurationDelay() const
{
    auto ocs = CreateObject<OpticalCircuitSwitch>();
    ocs->SetTechnology(m_technology);
    for (const auto& [name, value] : m_ocsAttributes)
    {
        ocs->SetAttribute(name, *value);
    }
    TimeValue delay;
    ocs->GetAttribute("ReconfigurationDelay", delay);
    return delay.Get();
}

Ptr<OpticalCircuitSwitch>
RailClusterHelper::CreateOcs() const
{
    auto ocs = CreateObject<OpticalCircuitSwitch>();
    ocs->SetTechnology(m_technology);
    if (OcsTechnology::Find(m_technology)->isMesh)
    {
        auto mesh = CreateObject<PipSwitchFabric>();
        mesh->SetAttribute("Rows", UintegerValue(m_meshRows));
        mesh->SetAttribute("Columns", UintegerValue(m_meshColumns));
        mesh->SetAttribute("Ports", UintegerValue(GetOcsPorts()));
        for (const auto& [name, value] : m_meshAttributes)
        {
            mesh->SetAttribute(name, *value);
        }
        ocs->SetFabric(mesh);
    }
    for (const auto& [name, value] : m_ocsAttributes)
    {
        ocs->SetAttribute(name, *value);
    }
    return ocs;
}

void
RailClusterHelper::InstallOcses(RailCluster& cluster) const
{
    const ObjectFactory ocsPortFactory("ns3::OcsNetDevice");
    const auto fabric = MakeOcsFabric();
    cluster.m_ocsPorts.resize(cluster.m_gpus.GetN());
    for (uint32_t rail = 0; rail < m_gpusPerDomain; ++rail)
    {
        cluster.m_rails.Create(1, cluster.m_partition.GetProcessOfRail(rail));
        Ptr<Node> node = cluster.m_rails.Get(rail);
        auto ocs = CreateOcs();
        ocs->SetFabric(fabric ? fabric->Copy() : nullptr);
        node->AggregateObject(ocs);
        for (uint32_t domain = 0; domain < GetAllDomains(); ++domain)
        {
            const uint32_t gpu = domain * m_gpusPerDomain + rail;
            auto nic = cluster.GetNic(gpu);
            for (uint32_t port = 0; port < m_nicPorts; ++port)
            {
                auto device = FibreCabling::AddDevice<OcsNetDevice>(ocsPortFactory, node);
                cluster.m_ocsPorts[gpu].push_back(ocs->AddPort(device));
                FibreCabling::Connect(m_fibreFactory, nic->GetPort(port), device);
            }
        }
    }
}

void
RailClusterHelper::InstallSpares(RailCluster& cluster) const
{
    const ObjectFactory ocsPortFactory("ns3::OcsNetDevice");
    const auto fabric = cluster.GetOcs(0)->GetFabric();
    NS_ABORT_MSG_IF(m_spares > 0 && m_processes > 1, "spares join rails: one process has them all");
    for (uint32_t spare = 0; spare < m_spares; ++spare)
    {
        cluster.m_spares.Create(1, cluster.m_partition.GetProcessOfHosts());
        Ptr<Node> node = cluster.m_spares.Get(spare);
        auto ocs = CreateOcs();
        ocs->SetFabric(fabric ? fabric->Copy() : nullptr);
        auto protection = CreateObject<ProtectionSwitch>();
        protection->SetAttribute("ProtectionTime", TimeValue(m_protectionTime));
        node->AggregateObject(ocs);
        node->AggregateObject(protection);
        for (uint32_t port = 0; port < m_domains * m_nicPorts; ++port)
        {
            ocs->AddPort(FibreCabling::AddDevice<OcsNetDevice>(ocsPortFactory, node));
            for (uint32_t rail = 0; rail < m_gpusPerDomain; ++rail)
            {
                protection->AddFibre(rail, cluster.GetOcs(rail), port);
            }
        }
    }
}

} // namespace ns3
