// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-helper.h"

#include "fault-injector.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/ocs-agent.h"
#include "ns3/opus-manager.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/training-application.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RecoveryHelper");

namespace
{

/// Hook of the framework that notifies the agent that the state of an iteration is safe.
void
TellAgent(Ptr<RecoveryAgent> agent, uint32_t /* rank */, uint32_t iteration)
{
    agent->NotifyIterationEnd(iteration);
}

/// @return the locations of all GPUs
std::vector<SparePool::Place>
GetPlaces(const RailCluster& cluster)
{
    const uint32_t inRow = cluster.GetNAllDomains() * cluster.GetGpusPerDomain();
    std::vector<SparePool::Place> places;
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus(); ++gpu)
    {
        places.push_back({cluster.GetDomain(gpu), std::nullopt});
        if (gpu < inRow)
        {
            places.back().rail = cluster.GetRailOf(gpu);
        }
    }
    return places;
}

} // namespace

RecoveryHelper::RecoveryHelper()
    : m_agentFactory("ns3::RecoveryAgent"),
      m_hostFactory("ns3::RecoveryHost"),
      m_hostLatency(MicroSeconds(1)) // as OpusHelper
{
}

void
RecoveryHelper::SetHostLinkLatency(Time latency)
{
    NS_ABORT_MSG_IF(latency.IsStrictlyNegative(), "a latency of host links of " << latency);
    m_hostLatency = latency;
}

std::vector<Ptr<Node>>
RecoveryHelper::InstallHosts(const RailCluster& cluster, OpusHelper* opus)
{
    std::vector<Ptr<Node>> hosts;
    for (uint32_t domain = 0; domain < cluster.GetNAllDomains(); ++domain)
    {
        if (opus)
        {
            hosts.push_back(opus->GetManager(domain)->GetNode());
        }
        else
        {
            hosts.push_back(CreateObject<Node>());
            m_management.Attach(hosts.back());
        }
    }
    return hosts;
}

void
RecoveryHelper::Install(const RailCluster& cluster,
                        std::shared_ptr<const RecoveryJob> job,
                        const ApplicationContainer& ranks,
                        OpusHelper* opus)
{
    NS_LOG_FUNCTION(this << cluster.GetNGpus() << ranks.GetN());
    auto center = CreateObject<Node>();
    const Ipv4Address address = opus ? opus->AttachNode(center) : m_management.Attach(center);
    const InetSocketAddress coordinatorAddress(address, RecoveryCoordinator::PORT);
    m_coordinator = CreateObject<RecoveryCoordinator>();
    const SparePool pool(m_policy, GetPlaces(cluster), cluster.GetNGpus());
    m_coordinator->SetProtocol(RecoveryProtocol(0, pool, cluster.GetNGpus(), opus != nullptr));
    if (opus)
    {
        m_coordinator->SetController(opus->SetCoordinator(coordinatorAddress));
    }
    center->AddApplication(m_coordinator);
    std::vector<Ptr<RecoveryHost>> hosts;
    for (const auto& node : InstallHosts(cluster, opus))
    {
        hosts.push_back(m_hostFactory.Create<RecoveryHost>());
        hosts.back()->SetCoordinator(coordinatorAddress);
        node->AddApplication(hosts.back());
    }
    PointToPointHelper hostLink;
    hostLink.DisableFlowControl(); // there is no traffic control above these devices
    hostLink.SetDeviceAttribute("DataRate", DataRateValue(DataRate("200Gbps")));
    for (uint32_t gpu = 0; gpu < ranks.GetN(); ++gpu)
    {
        const uint32_t domain = cluster.GetDomain(gpu);
        Ptr<Node> host = hosts[domain]->GetNode();
        hostLink.SetChannelAttribute("Delay", TimeValue(m_hostLatency + PicoSeconds(domain)));
        const NetDeviceContainer link = hostLink.Install(cluster.GetGpu(gpu), host);
        auto agent = m_agentFactory.Create<RecoveryAgent>();
        agent->SetJob(gpu, job, gpu < cluster.GetNGpus() ? gpu : RecoveryProtocol::NO_RANK);
        agent->SetHostLink(link.Get(0));
        cluster.GetGpu(gpu)->AddApplication(agent);
        ranks.Get(gpu)->TraceConnectWithoutContext("IterationEnd",
                                                   MakeBoundCallback(&TellAgent, agent));
        hosts[domain]->AddGpu(link.Get(1), gpu);
        m_coordinator->SetHost(
            gpu,
            InetSocketAddress(host->GetObject<ManagementPort>()->GetAddress(), RecoveryHost::PORT));
        m_agents.push_back(agent);
    }
}

NS_OBJECT_ENSURE_REGISTERED(RecoveryRecorder);

TypeId
RecoveryRecorder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RecoveryRecorder")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<RecoveryRecorder>();
    return tid;
}

void
RecoveryRecorder::Observe(const RecoveryHelper& helper,
                          Ptr<FaultInjector> injector,
                          TrainingRecorder& recorder)
{
    const Ptr<RecoveryRecorder> self(this);
    m_recorder = &recorder;
    injector->TraceConnectWithoutContext("FaultBegin",
                                         MakeCallback(&RecoveryRecorder::Broke, self));
    const auto coordinator = helper.GetCoordinator();
    coordinator->TraceConnectWithoutContext("GpuLost", MakeCallback(&RecoveryRecorder::Lost, self));
    coordinator->TraceConnectWithoutContext("Step", MakeCallback(&RecoveryRecorder::Stepped, self));
    for (const auto& agent : helper.GetAgents())
    {
        agent->TraceConnectWithoutContext("Resumed",
                                          MakeCallback(&RecoveryRecorder::Resumed, self));
    }
}

void
RecoveryRecorder::Broke(const std::string& kind, const std::string& target)
{
    if (kind == ToString(FaultKind::GPU))
    {
        m_broken.emplace(static_cast<uint32_t>(std::stoul(target)), Simulator::Now());
    }
}

void
RecoveryRecorder::Stepped(const RecoveryProtocol& protocol)
{
    const Time now = Simulator::Now();
    switch (protocol.GetState())
    {
    case RecoveryProtocol::STOPPING:
        if (!m_isUnderWay)
        {
            m_isUnderWay = true;
            m_current = RunRecovery();
            m_current.lost = m_broken.at(m_lost.back());
            m_current.detected = now;
        }
        ++m_current.attempts;
        m_current.gpus.push_back(m_lost.back());
        break;
    case RecoveryProtocol::REPLACING:
        m_current.stopped = now;
        m_current.replaced = Time();
        break;
    case RecoveryProtocol::RESUMING:
        m_current.replaced = now;
        if (!protocol.HasController())
        {
            m_current.stopped = now;
        }
        m_current.iteration = protocol.GetIteration();
        m_recorder->Restart(protocol.GetIteration());
        break;
    case RecoveryProtocol::RUNNING:
        m_isUnderWay = false;
        m_current.ready = now;
        m_current.resumed = now;
        m_current.sparesLeft = protocol.CountSpares();
        Move(protocol.GetMap());
        m_done.push_back(m_current);
        break;
    case RecoveryProtocol::FAILED:
        break;
    }
}

void
RecoveryRecorder::Move(const SparePool::Map& map)
{
    for (uint32_t rank = 0; rank < map.size(); ++rank)
    {
        const uint32_t before = m_map.empty() ? rank : m_map[rank];
        if (map[rank] != before)
        {
            m_current.moves.push_back({rank, before, map[rank]});
        }
    }
    m_map = map;
}

void
RecoveryRecorder::Resumed(uint32_t, uint32_t, uint32_t)
{
    m_done.back().resumed = Simulator::Now();
}

std::vector<RunRecovery>
RecoveryRecorder::GetRecoveries(const IterationLog& log) const
{
    std::vector<RunRecovery> recoveries = m_done;
    for (std::size_t i = 0; i < recoveries.size(); ++i)
    {
        RunRecovery& one = recoveries[i];
        Time begin = one.iteration > 0 ? log.ends.at(one.iteration - 1) : log.start;
        begin = i > 0 ? std::max(begin, recoveries[i - 1].resumed) : begin;
        one.lostWork = std::max(Time(), one.lost - begin);
    }
    return recoveries;
}

} // namespace ns3
