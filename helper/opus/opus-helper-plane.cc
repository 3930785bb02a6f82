// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Construction of a control plane by OpusHelper: a controller, its standby, and switch agents.
 */

#include "application-port.h"
#include "opus-helper.h"

#include "ns3/abort.h"
#include "ns3/fault-monitor.h"
#include "ns3/inet-socket-address.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

/// Number of random streams reserved for each management network.
constexpr int64_t STREAMS_PER_PLANE = 100000;

/// Number of heartbeats in the detection time of an agent.
constexpr int64_t HEARTBEATS = 3;

} // namespace

void
OpusHelper::InstallPlane(const RailCluster& cluster, Plane& plane)
{
    const RailPartition& partition = cluster.GetPartition();
    plane.process =
        m_perRail ? partition.GetProcessOfRail(plane.firstRail) : partition.GetProcessOfHosts();
    plane.management.SetProcess(plane.process);
    plane.management.SetLoss(m_loss, m_lossStream + STREAMS_PER_PLANE * plane.firstRail);
    auto node = CreateObject<Node>(plane.process);
    RailPartition::AddApplication(node, plane.controller);
    plane.address = InetSocketAddress(Attach(plane, node), GetApplicationPort(plane.controller));
    InstallCrashes(plane, node);
    if (m_hasStandby)
    {
        InstallStandby(plane);
    }
    InstallAgents(cluster, plane);
}

Ipv4Address
OpusHelper::Attach(Plane& plane, Ptr<Node> node)
{
    const Ipv4Address address = plane.management.Attach(node);
    auto port = node->GetObject<ManagementPort>();
    m_ports.push_back(port);
    if (plane.second)
    {
        const auto primary = InetSocketAddress::ConvertFrom(plane.address).GetIpv4();
        port->AddAlternate(primary, plane.secondAddress);
    }
    return address;
}

void
OpusHelper::InstallStandby(Plane& plane)
{
    auto node = CreateObject<Node>(plane.process);
    plane.secondAddress = Attach(plane, node);
    plane.second = CreateObject<OpusController>();
    auto log = Create<ControllerLog>();
    plane.second->SetLog(log);
    plane.second->SetWaiting();
    node->AddApplication(plane.second);
    plane.standby = CreateObject<ControllerStandby>();
    const auto primary = InetSocketAddress::ConvertFrom(plane.address).GetIpv4();
    plane.standby->SetControllers(primary, plane.second, log);
    node->AddApplication(plane.standby);
    plane.controller->SetStandby(InetSocketAddress(plane.secondAddress, ControllerStandby::PORT));
}

void
OpusHelper::InstallCrashes(Plane& plane, Ptr<Node> node) const
{
    if ((m_crashes.empty() && !m_hasStandby) || !RailPartition::IsHere(node))
    {
        return;
    }
    plane.controller->SetLog(Create<ControllerLog>());
    for (const auto& [at, restart] : m_crashes)
    {
        if (restart.IsNegative())
        {
            Simulator::ScheduleWithContext(node->GetId(),
                                           at,
                                           &OpusController::Die,
                                           plane.controller);
        }
        else
        {
            Simulator::ScheduleWithContext(node->GetId(),
                                           at,
                                           &OpusController::Crash,
                                           plane.controller,
                                           restart);
        }
    }
}

void
OpusHelper::InstallAgents(const RailCluster& cluster, Plane& plane)
{
    for (uint32_t rail = plane.firstRail; rail < plane.firstRail + plane.rails; ++rail)
    {
        NS_ABORT_MSG_IF(cluster.GetOcs(rail)->GetMode() == OpticalCircuitSwitch::WHOLE_SWITCH,
                        "Opus needs switches that leave other circuits alone (Mode=PerPort)");
        InstallAgent(cluster.GetRail(rail), rail, plane);
        for (const auto& controller : GetBoth(plane))
        {
            controller->AddOcs(rail, plane.agents[rail]);
            if (const auto fabric = cluster.GetOcs(rail)->GetFabric())
            {
                controller->SetFabric(rail, fabric->Copy());
            }
        }
    }
    NS_ABORT_MSG_IF(m_perRail && cluster.GetNSpares() > 0,
                    "a spare can take over any rail, so it needs one controller for all");
    for (uint32_t i = 0; i < cluster.GetNSpares(); ++i)
    {
        const uint32_t ocs = cluster.GetGpusPerDomain() + i;
        InstallAgent(cluster.GetSpare(i), ocs, plane);
        for (const auto& controller : GetBoth(plane))
        {
            controller->AddSpare(ocs, plane.agents[ocs]);
        }
    }
    if (m_detectionTime.IsStrictlyPositive())
    {
        InstallMonitor(plane);
    }
}

Ptr<OcsAgent>
OpusHelper::InstallAgent(Ptr<Node> node, uint32_t ocs, Plane& plane)
{
    auto agent = CreateObject<OcsAgent>();
    m_agents[ocs] = agent;
    agent->AddController(plane.address);
    if (m_detectionTime.IsStrictlyPositive())
    {
        agent->SetAttribute("LightTimeout", TimeValue(m_detectionTime));
    }
    RailPartition::AddApplication(node, agent);
    plane.agents[ocs] = InetSocketAddress(Attach(plane, node), GetApplicationPort(agent));
    return agent;
}

void
OpusHelper::InstallMonitor(Plane& plane)
{
    auto node = CreateObject<Node>(plane.process);
    auto monitor = CreateObject<FaultMonitor>();
    monitor->SetAttribute("DetectionTime", TimeValue(m_detectionTime));
    monitor->SetController(plane.address);
    monitor->SetEnd(m_detectionEnd);
    RailPartition::AddApplication(node, monitor);
    const InetSocketAddress address(Attach(plane, node), GetApplicationPort(monitor));
    for (const auto& controller : GetBoth(plane))
    {
        controller->SetMonitor(address);
    }
    for (const auto& [ocs, agent] : plane.agents)
    {
        monitor->Watch(ocs, agent);
        m_agents.at(ocs)->SendHeartbeats(address,
                                         m_detectionTime / HEARTBEATS,
                                         m_detectionEnd + m_detectionTime);
    }
}

Ipv4Address
OpusHelper::AttachNode(Ptr<Node> node)
{
    return Attach(m_planes.at(0), node);
}

Address
OpusHelper::SetCoordinator(const Address& coordinator)
{
    NS_ABORT_MSG_IF(m_planes.size() != 1, "a recovery needs one controller for all rails");
    for (const auto& controller : GetBoth(m_planes.front()))
    {
        controller->SetCoordinator(coordinator);
    }
    return m_planes.front().address;
}

} // namespace ns3
