// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-helper.h"

#include "ns3/inet-socket-address.h"
#include "ns3/management-port.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/training-application.h"

namespace ns3
{

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
RecoveryHelper::SetAgentAttribute(const std::string& name, const AttributeValue& value)
{
    m_agentFactory.Set(name, value);
}

void
RecoveryHelper::SetHostAttribute(const std::string& name, const AttributeValue& value)
{
    m_hostFactory.Set(name, value);
}

void
RecoveryHelper::SetPolicy(SparePool::Policy policy)
{
    m_policy = policy;
}

void
RecoveryHelper::SetControlLatency(Time latency)
{
    m_management.SetLatency(latency);
}

void
RecoveryHelper::SetHostLinkLatency(Time latency)
{
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

Ptr<RecoveryCoordinator>
RecoveryHelper::GetCoordinator() const
{
    return m_coordinator;
}

Ptr<RecoveryAgent>
RecoveryHelper::GetAgent(uint32_t gpu) const
{
    return m_agents.at(gpu);
}

uint32_t
RecoveryHelper::GetNAgents() const
{
    return static_cast<uint32_t>(m_agents.size());
}

} // namespace ns3
