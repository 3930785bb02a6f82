// SPDX-License-Identifier: GPL-2.0-only

#include "opus-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/collective-engine.h"
#include "ns3/connectivity-provider.h"
#include "ns3/controller-standby.h"
#include "ns3/fault-monitor.h"
#include "ns3/inet-socket-address.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/ocs-agent.h"
#include "ns3/optical-fiber-link.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpusHelper");

namespace
{

/// Interval of the checks whether heartbeats are still needed.
constexpr int64_t END_MILLISECONDS = 100;
/// Time without a served message after which heartbeats stop.
constexpr int64_t STANDSTILL_SECONDS = 600;
/// Number of random streams reserved for each management network.
constexpr int64_t STREAMS_PER_PLANE = 100000;
/// Number of heartbeats in the detection time of an agent, unless more of them are lost.
constexpr int64_t HEARTBEATS = 3;
/// Share of cases in which all heartbeats of a detection time may be lost.
constexpr double ALL_LOST = 1e-9;

/**
 * @param loss share of frames that a link of the management network loses
 * @return number of heartbeats in the detection time
 */
int64_t
CountHeartbeats(double loss)
{
    const double lost = 1 - (1 - loss) * (1 - loss); // on one of two links
    return lost > 0 && lost < 1
               ? std::max(HEARTBEATS,
                          static_cast<int64_t>(std::ceil(std::log(ALL_LOST) / std::log(lost))))
               : HEARTBEATS;
}

} // namespace

OpusHelper::OpusHelper()
    : m_shimFactory("ns3::OpusShim"),
      m_controllerFactory("ns3::OpusController"),
      // A doorbell or a small DMA write over PCIe takes about a microsecond.
      m_hostLatency(MicroSeconds(1))
{
    m_hostLink.DisableFlowControl(); // there is no traffic control above these devices
    m_hostLink.SetDeviceAttribute("DataRate", DataRateValue(DataRate("200Gbps")));
}

OpusHelper::~OpusHelper() = default;

void
OpusHelper::SetReliable()
{
    // Longer than a round trip, plus the time for which a receiver may delay an acknowledgement.
    const Time initial = Max(MilliSeconds(1), 4 * m_controlLatency);
    m_management.SetPortAttribute("Reliable", BooleanValue(true));
    m_management.SetPortAttribute("InitialTimeout", TimeValue(initial));
    m_management.SetPortAttribute("MaxTimeout", TimeValue(20 * initial));
    m_management.SetPortAttribute("GiveUpAfter", TimeValue(50 * 20 * initial));
}

void
OpusHelper::SetControlLoss(double share, int64_t stream)
{
    NS_ABORT_MSG_UNLESS(share >= 0 && share <= 1, "a share of lost messages of " << share);
    m_loss = share;
    m_lossStream = stream;
    SetReliable();
}

void
OpusHelper::SetHostLinkLatency(Time latency)
{
    NS_ABORT_MSG_IF(latency.IsStrictlyNegative(), "a latency of host links of " << latency);
    m_hostLatency = latency;
}

CircuitTerms
OpusHelper::MakeTerms(Ptr<const OpticalCircuitSwitch> ocs,
                      Time fiberDelay,
                      DataRate portRate,
                      uint32_t nicPorts) const
{
    const Time grant = 2 * m_hostLatency + 4 * m_controlLatency + ocs->GetSwitchingTime();
    CircuitTerms terms;
    terms.lendsPairs = !ocs->GetFabric();
    terms.hasRings = nicPorts > 1;
    terms.switchSeconds = grant.GetSeconds();
    terms.latency = 2 * fiberDelay.GetSeconds();
    terms.byteSeconds = 8 / (static_cast<double>(portRate.GetBitRate()) * nicPorts);
    return terms;
}

void
OpusHelper::SetInstantControl()
{
    const DataRate infinite(1000000000000000); // a frame takes picoseconds
    m_hostLink.SetDeviceAttribute("DataRate", DataRateValue(infinite));
    m_management.SetRate(infinite);
    SetControlLatency(Time());
    SetHostLinkLatency(Time());
}

void
OpusHelper::StopHeartbeatsWhen(const std::function<bool()>& hasEnded) const
{
    if (m_hasStandby)
    {
        Simulator::Schedule(MilliSeconds(END_MILLISECONDS),
                            &OpusHelper::CheckEnd,
                            m_planes,
                            hasEnded);
    }
}

void
OpusHelper::CheckEnd(std::vector<Plane> planes, std::function<bool()> hasEnded)
{
    Time lastServed;
    for (const Plane& plane : planes)
    {
        for (const auto& controller : plane.controllers)
        {
            lastServed = Max(lastServed, controller->GetLastServed());
        }
    }
    if (!hasEnded() && Simulator::Now() - lastServed < Seconds(STANDSTILL_SECONDS))
    {
        Simulator::Schedule(MilliSeconds(END_MILLISECONDS),
                            &OpusHelper::CheckEnd,
                            planes,
                            hasEnded);
        return;
    }
    NS_LOG_LOGIC("heartbeats end: the last message was served at " << lastServed);
    for (const Plane& plane : planes)
    {
        for (const auto& standby : plane.standbys)
        {
            standby->StopWatching();
        }
    }
}

void
OpusHelper::SetFaultDetection(Time detectionTime, const std::vector<std::pair<Time, Time>>& spans)
{
    NS_ABORT_MSG_IF(detectionTime.IsStrictlyNegative(), "faults detected after " << detectionTime);
    m_detectionTime = detectionTime;
    m_detectionSpans = spans;
}

Ptr<OpusController>
OpusHelper::GetController(uint32_t rail) const
{
    return m_planes.at(rail % m_controllers).controllers.front();
}

std::vector<Ptr<OpusController>>
OpusHelper::GetAllControllers() const
{
    std::vector<Ptr<OpusController>> all;
    for (const Plane& plane : m_planes)
    {
        all.insert(all.end(), plane.controllers.begin(), plane.controllers.end());
    }
    return all;
}

std::vector<Ptr<OpusController>>
OpusHelper::GetControllers() const
{
    std::vector<Ptr<OpusController>> controllers;
    for (const Plane& plane : m_planes)
    {
        // The one that is active, or otherwise the one that was active last.
        Ptr<OpusController> active = plane.controllers.front();
        for (const auto& controller : plane.controllers)
        {
            const ControllerCrashStats stats = controller->GetCrashStats();
            const bool isDown = active->GetCrashStats().downSince || !active->IsActive();
            active = stats.leads && (isDown || !stats.downSince) ? controller : active;
        }
        controllers.push_back(active);
    }
    return controllers;
}

ControllerCrashStats
OpusHelper::GetCrashStats() const
{
    ControllerCrashStats sum;
    for (const Plane& plane : m_planes)
    {
        for (const auto& controller : plane.controllers)
        {
            const ControllerCrashStats stats = controller->GetCrashStats();
            sum.crashes += stats.crashes;
        }
        for (const auto& standby : plane.standbys)
        {
            sum.takeovers += standby->GetTakeovers();
        }
        if (plane.outage)
        {
            const auto& since = plane.outage->since;
            sum.down += plane.outage->sum + (since ? Simulator::Now() - *since : Time());
        }
    }
    return sum;
}

void
OpusHelper::BeginOutage(std::shared_ptr<Outage> outage)
{
    outage->since = outage->since.value_or(Simulator::Now());
}

void
OpusHelper::ObserveLearning(std::shared_ptr<Outage> outage, bool begins)
{
    if (begins)
    {
        BeginOutage(outage); // if the former controller has not crashed, but was disconnected
    }
    else if (outage->since)
    {
        outage->sum += Simulator::Now() - *outage->since;
        outage->since.reset();
    }
}

void
OpusHelper::ObserveOutages(Plane& plane)
{
    plane.outage = std::make_shared<Outage>();
    for (const auto& controller : plane.controllers)
    {
        controller->TraceConnectWithoutContext(
            "Crash",
            MakeBoundCallback(&OpusHelper::BeginOutage, plane.outage));
        controller->TraceConnectWithoutContext(
            "Learn",
            MakeBoundCallback(&OpusHelper::ObserveLearning, plane.outage));
    }
}

Ptr<OpusShim>
OpusHelper::GetShim(uint32_t rank, uint32_t job) const
{
    return m_shims.at(job).at(rank);
}

Ptr<OpusManager>
OpusHelper::GetManager(uint32_t domain, uint32_t job, uint32_t rail) const
{
    return m_managers.at({job, domain, rail % m_controllers});
}

uint32_t
OpusHelper::Install(const RailCluster& cluster)
{
    NS_LOG_FUNCTION(this << cluster.GetNGpus() << m_controllers);
    NS_ABORT_MSG_UNLESS(cluster.IsPhotonic(), "Opus controls photonic rails only");
    NS_ABORT_MSG_IF(cluster.GetGpu(0)->GetObject<CollectiveEngine>(),
                    "Opus must be installed before the job, whose collectives would not use it");
    const auto job = static_cast<uint32_t>(m_shims.size());
    const uint32_t gpus = cluster.GetNAllGpus();
    m_shims.emplace_back(gpus);
    auto directory = std::make_shared<OpusShim::Directory>(gpus);
    for (uint32_t gpu = 0; m_detectionTime.IsStrictlyPositive() && gpu < gpus; ++gpu)
    {
        (*directory)[gpu] = cluster.GetNic(gpu)->GetPorts();
    }
    m_directory = directory;
    const auto port = cluster.GetNic(0)->GetPort(0);
    m_terms = MakeTerms(cluster.GetOcs(0),
                        DynamicCast<OpticalFiberLink>(port->GetChannel())->GetDelay(),
                        port->GetDataRate(),
                        cluster.GetNicPortCount());
    if (m_planes.empty())
    {
        m_firstRail = cluster.GetRail(0);
        const uint32_t rails = cluster.GetGpusPerDomain();
        NS_ABORT_MSG_IF(m_controllers == 0 || m_controllers > rails,
                        m_controllers << " controllers for " << rails << " rails");
        for (uint32_t first = 0; first < m_controllers; ++first)
        {
            std::vector<uint32_t> together;
            for (uint32_t rail = first; rail < rails; rail += m_controllers)
            {
                together.push_back(rail);
            }
            m_planes.push_back(Plane{first,
                                     together,
                                     m_management,
                                     {m_controllerFactory.Create<OpusController>()},
                                     Address()});
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
        if (cluster.GetRailOf(gpu) % m_controllers != plane.firstRail)
        {
            continue;
        }
        for (const auto& controller : plane.controllers)
        {
            const std::string error =
                controller->GetJobs().AddRank(job, gpu, cluster.GetMember(gpu).ports);
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
    for (const uint32_t rail : plane.rails)
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
    shim->SetCircuitTerms(m_terms);
    RailPartition::AddApplication(node, shim);
    node->AggregateObject(shim->GetProvider());
    m_shims[job][gpu] = shim;
    if (!isSpare)
    {
        manager->AddHostLink(link.Get(1), job, gpu);
        for (const auto& controller : plane.controllers)
        {
            controller->GetJobs().SetManager(job, gpu, address);
        }
        return;
    }
    manager->AddHostLink(link.Get(1));
    for (const auto& controller : plane.controllers)
    {
        controller->GetJobs().AddSpareGpu(gpu, cluster.GetSparePorts(gpu), address);
    }
}

void
OpusHelper::InstallPlane(const RailCluster& cluster, Plane& plane)
{
    NS_LOG_FUNCTION(this << plane.firstRail << plane.rails.size());
    const RailPartition& partition = cluster.GetPartition();
    plane.process = m_controllers == cluster.GetGpusPerDomain() && m_controllers > 1
                        ? partition.GetProcessOfRail(plane.firstRail)
                        : partition.GetProcessOfHosts();
    plane.management.SetProcess(plane.process);
    plane.management.SetLoss(m_loss, m_lossStream + STREAMS_PER_PLANE * plane.firstRail);
    auto node = CreateObject<Node>(plane.process);
    const auto controller = plane.controllers.front();
    RailPartition::AddApplication(node, controller);
    plane.address = InetSocketAddress(Attach(plane, node), GetApplicationPort(controller));
    if (m_hasStandby)
    {
        InstallStandby(plane);
    }
    if (m_hasStandby || (!m_crashes.empty() && RailPartition::IsHere(node)))
    {
        InstallCrashes(controller, m_crashes);
        ObserveOutages(plane);
    }
    InstallAgents(cluster, plane);
}

Ipv4Address
OpusHelper::Attach(Plane& plane, Ptr<Node> node)
{
    const Ipv4Address address = plane.management.Attach(node);
    auto port = node->GetObject<ManagementPort>();
    m_ports.push_back(port);
    if (plane.controllers.size() > 1)
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
    auto second = m_controllerFactory.Create<OpusController>();
    second->SetPassive();
    node->AddApplication(second);
    plane.controllers.push_back(second);
    const auto primary = InetSocketAddress::ConvertFrom(plane.address).GetIpv4();
    for (const auto& controller : plane.controllers)
    {
        const Ipv4Address other = controller == second ? primary : plane.secondAddress;
        auto standby = CreateObject<ControllerStandby>();
        standby->SetPair(other, controller, primary);
        standby->SetAttribute("Latency", TimeValue(m_controlLatency));
        controller->GetNode()->AddApplication(standby);
        plane.standbys.push_back(standby);
    }
    InstallCrashes(second, m_standbyCrashes);
}

void
OpusHelper::InstallCrashes(Ptr<OpusController> controller,
                           const std::vector<std::pair<Time, Time>>& crashes)
{
    const uint32_t node = controller->GetNode()->GetId();
    for (const auto& [at, restart] : crashes)
    {
        if (restart.IsNegative())
        {
            Simulator::ScheduleWithContext(node, at, &OpusController::CrashForGood, controller);
        }
        else
        {
            Simulator::ScheduleWithContext(node, at, &OpusController::Crash, controller, restart);
        }
    }
}

void
OpusHelper::InstallAgents(const RailCluster& cluster, Plane& plane)
{
    for (const uint32_t rail : plane.rails)
    {
        NS_ABORT_MSG_IF(cluster.GetOcs(rail)->GetMode() == OpticalCircuitSwitch::WHOLE_SWITCH,
                        "Opus needs switches that leave other circuits alone (Mode=PerPort)");
        InstallAgent(cluster.GetRail(rail), rail, plane);
        for (const auto& controller : plane.controllers)
        {
            controller->GetJobs().GetPlaces().AddSwitch(rail, plane.agents[rail]);
            if (const auto fabric = cluster.GetOcs(rail)->GetFabric())
            {
                controller->SetFabric(rail, fabric->Copy());
            }
        }
    }
    NS_ABORT_MSG_IF(m_controllers > 1 && cluster.GetNSpares() > 0,
                    "a spare can take over any rail, so it needs one controller for all");
    for (uint32_t i = 0; i < cluster.GetNSpares(); ++i)
    {
        const uint32_t ocs = cluster.GetGpusPerDomain() + i;
        InstallAgent(cluster.GetSpare(i), ocs, plane);
        for (const auto& controller : plane.controllers)
        {
            controller->GetJobs().GetPlaces().AddSpare(ocs, plane.agents[ocs]);
        }
    }
    if (m_detectionTime.IsStrictlyPositive())
    {
        InstallMonitor(plane);
    }
}

void
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
}

void
OpusHelper::InstallMonitor(Plane& plane)
{
    auto node = CreateObject<Node>(plane.process);
    auto monitor = CreateObject<FaultMonitor>();
    monitor->SetAttribute("DetectionTime", TimeValue(m_detectionTime));
    monitor->SetAttribute("Latency", TimeValue(m_controlLatency));
    monitor->SetController(plane.address);
    monitor->SetSpans(m_detectionSpans);
    RailPartition::AddApplication(node, monitor);
    const InetSocketAddress address(Attach(plane, node), GetApplicationPort(monitor));
    for (const auto& controller : plane.controllers)
    {
        controller->GetRights().SetMonitor(address);
    }
    auto sent = m_detectionSpans; // no heartbeat is missing at the end of supervision
    for (auto& span : sent)
    {
        span.second += m_detectionTime;
    }
    for (const auto& [ocs, agent] : plane.agents)
    {
        monitor->Watch(ocs, agent);
        m_agents.at(ocs)->SendHeartbeats(address, m_detectionTime / CountHeartbeats(m_loss), sent);
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
    for (const auto& controller : m_planes.front().controllers)
    {
        controller->GetRights().SetCoordinator(coordinator);
    }
    return m_planes.front().address;
}

Ptr<OcsAgent>
OpusHelper::GetAgent(uint32_t rail) const
{
    return m_agents.at(rail);
}

} // namespace ns3
