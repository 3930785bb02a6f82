// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-agent.h"

#include "recovery-protocol.h"

#include "ns3/assert.h"
#include "ns3/collective-engine.h"
#include "ns3/fiber-switches.h"
#include "ns3/find-application.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/opus-shim.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-nic.h"
#include "ns3/secondary-nic.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/training-application.h"
#include "ns3/uinteger.h"

#include <map>
#include <tuple>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RecoveryAgent");
NS_OBJECT_ENSURE_REGISTERED(RecoveryAgent);

TypeId
RecoveryAgent::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RecoveryAgent")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<RecoveryAgent>()
            .AddAttribute("AbortTime",
                          "Time to abort the communicators of a rank and to drain outstanding "
                          "transfers, at least 0. An assumption: the published recovery of about 1 "
                          "s (arXiv:2505.23105) is not broken down.",
                          TimeValue(MilliSeconds(50)),
                          MakeTimeAccessor(&RecoveryAgent::m_abortTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ProcessTime",
                          "Time until the framework has restarted a rank on a GPU whose process is "
                          "running, such as a hot spare; at least 0. An assumption, see AbortTime.",
                          TimeValue(MilliSeconds(300)),
                          MakeTimeAccessor(&RecoveryAgent::m_processTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CommunicatorTime",
                          "Time to initialise a communicator (ncclCommInitRank) of each group of "
                          "the rank, one after the other; at least 0. An assumption: some 100 ms "
                          "for a few ranks, see AbortTime.",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&RecoveryAgent::m_communicatorTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("StateBytes",
                          "State of a rank that is loaded: its shard of weights and optimizer "
                          "state, as of the end of the last iteration that all ranks have ended.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RecoveryAgent::m_stateBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("StateRate",
                          "Rate at which each rank loads its state, above 0. 200 Gbit/s is what a "
                          "PCIe 4.0 x16 link moves from the memory of the host (31.5 GB/s less "
                          "its overhead), where states are kept in memory; an assumption.",
                          DataRateValue(DataRate("200Gbps")),
                          MakeDataRateAccessor(&RecoveryAgent::m_stateRate),
                          MakeDataRateChecker())
            .AddTraceSource("Stopped",
                            "The GPU has left the groups of the job.",
                            MakeTraceSourceAccessor(&RecoveryAgent::m_stoppedTrace),
                            "ns3::RecoveryAgent::StepTracedCallback")
            .AddTraceSource("Ready",
                            "The communicators of the rank exist.",
                            MakeTraceSourceAccessor(&RecoveryAgent::m_readyTrace),
                            "ns3::RecoveryAgent::StepTracedCallback")
            .AddTraceSource("Resumed",
                            "The rank continues.",
                            MakeTraceSourceAccessor(&RecoveryAgent::m_resumed),
                            "ns3::RecoveryAgent::StepTracedCallback")
            .AddTraceSource("Aborted",
                            "The job has failed.",
                            MakeTraceSourceAccessor(&RecoveryAgent::m_aborted),
                            "ns3::RecoveryAgent::AbortedTracedCallback");
    return tid;
}

RecoveryAgent::RecoveryAgent()
    : m_rank(RecoveryProtocol::NO_RANK)
{
}

void
RecoveryAgent::SetJob(uint32_t gpu, std::shared_ptr<const RecoveryJob> job, uint32_t rank)
{
    m_gpu = gpu;
    m_job = std::move(job);
    m_rank = rank;
}

void
RecoveryAgent::SetHostLink(Ptr<NetDevice> device)
{
    m_link =
        std::make_unique<HostLink>(device, 0, MakeCallback(&RecoveryAgent::HandleMessage, this));
}

void
RecoveryAgent::DoDispose()
{
    m_timer.Cancel();
    m_link.reset();
    m_job.reset();
    Application::DoDispose();
}

Ptr<TrainingApplication>
RecoveryAgent::GetTraining() const
{
    return FindApplication<TrainingApplication>(GetNode());
}

Ptr<OpusShim>
RecoveryAgent::GetShim() const
{
    return FindApplication<OpusShim>(GetNode());
}

Ptr<RdmaNic>
RecoveryAgent::GetNic(ConnectorPlan::Network network) const
{
    if (network == ConnectorPlan::RAIL)
    {
        return GetNode()->GetObject<RdmaNic>();
    }
    auto holder = GetNode()->GetObject<ScaleUpNic>();
    return holder ? holder->GetNic() : nullptr;
}

void
RecoveryAgent::Send(const OpusMessage& message)
{
    if (m_link)
    {
        m_link->Send({message});
    }
}

void
RecoveryAgent::NotifyIterationEnd(uint32_t iteration)
{
    Send(OpusProgress{{m_gpu}, iteration + 1});
}

void
RecoveryAgent::Leave()
{
    NS_LOG_FUNCTION(this << m_gpu);
    if (m_state == GONE)
    {
        return;
    }
    // Stands for the loss of the link, which the root port of the host detects.
    Send(OpusLost{{m_gpu}, 0});
    m_state = GONE;
    m_timer.Cancel();
}

void
RecoveryAgent::HandleMessage(uint32_t, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    if (m_state == GONE || !m_job)
    {
        return;
    }
    if (const auto* stop = message.Get<OpusStop>())
    {
        HandleStop(static_cast<uint32_t>(stop->generation));
    }
    else if (const auto* resume = message.Get<OpusResume>())
    {
        if (resume->generation == m_generation && m_state == STOPPED)
        {
            HandleResume(*resume);
        }
    }
    else if (const auto* go = message.Get<OpusGo>())
    {
        if (go->generation == m_generation && m_state == READY)
        {
            m_state = RUNNING;
            m_resumed(m_gpu, m_generation, m_rank);
            GetTraining()->Resume(m_iteration);
        }
    }
    else if (const auto* giveUp = message.Get<OpusGiveUp>())
    {
        Halt();
        m_state = GONE;
        m_aborted(m_gpu, giveUp->error);
    }
    else
    {
        NS_LOG_WARN("unexpected " << message);
    }
}

void
RecoveryAgent::Halt()
{
    m_timer.Cancel();
    GetTraining()->Leave();
    if (auto engine = GetNode()->GetObject<CollectiveEngine>())
    {
        engine->Abort();
    }
    if (auto shim = GetShim())
    {
        shim->Halt();
    }
}

void
RecoveryAgent::HandleStop(uint32_t generation)
{
    m_generation = generation;
    switch (m_state)
    {
    case RUNNING:
    case BUILDING:
    case READY:
        if (m_state == RUNNING)
        {
            m_iteration = GetTraining()->GetIterationsEnded();
        }
        Halt();
        m_state = STOPPING;
        m_timer = Simulator::Schedule(m_abortTime, &RecoveryAgent::Stopped, this);
        break;
    case STOPPED:
        Stopped();
        break;
    default:
        break; // Stopped answers for the latest generation
    }
}

void
RecoveryAgent::Stopped()
{
    m_state = STOPPED;
    if (auto shim = GetShim())
    {
        shim->ReleaseLeases();
    }
    const auto scaleUp = GetNic(ConnectorPlan::SCALE_UP);
    NS_LOG_INFO("GPU " << m_gpu << " has stopped in iteration " << m_iteration);
    m_stoppedTrace(m_gpu, m_generation, m_rank);
    const OpusStopped::Numbers next{GetNic(ConnectorPlan::RAIL)->GetNextQueuePair(),
                                    scaleUp ? scaleUp->GetNextQueuePair() : 0};
    Send(OpusStopped{{m_gpu}, {m_generation}, m_rank, m_iteration, next});
    m_rank = RecoveryProtocol::NO_RANK; // until a RESUME assigns a rank
}

void
RecoveryAgent::HandleResume(const OpusResume& message)
{
    if (message.rank >= m_job->programs.size() || message.places.size() != m_job->programs.size())
    {
        NS_LOG_WARN("not of this job: rank " << message.rank << " of " << message.places.size());
        return;
    }
    m_state = BUILDING;
    m_rank = message.rank;
    m_iteration = message.iteration;
    m_places = message.places;
    m_partsLeft = 1;
    std::map<uint32_t, bool> groups;
    for (const auto& side : m_job->connectors.GetSides(m_rank))
    {
        groups[side.group] = true;
    }
    const double bits = 8.0 * static_cast<double>(m_stateBytes);
    const Time state = Seconds(bits / static_cast<double>(m_stateRate.GetBitRate()));
    const Time time =
        m_processTime + static_cast<int64_t>(groups.size()) * m_communicatorTime + state;
    const auto generation = m_generation;
    NS_LOG_INFO("GPU " << m_gpu << " starts rank " << m_rank << ", which takes " << time);
    m_timer = Simulator::Schedule(time, &RecoveryAgent::PartDone, this, generation);
    if (auto selector = GetNode()->GetObject<FiberSelector>())
    {
        ++m_partsLeft;
        selector->Select(
            m_job->rails.at(m_rank),
            MakeCallback(&RecoveryAgent::PartDone, Ptr<RecoveryAgent>(this)).Bind(generation));
    }
}

void
RecoveryAgent::PartDone(uint32_t generation)
{
    if (generation != m_generation || m_state != BUILDING || --m_partsLeft > 0)
    {
        return;
    }
    Build();
    m_state = READY;
    NS_LOG_INFO("GPU " << m_gpu << " is ready as rank " << m_rank);
    m_readyTrace(m_gpu, m_generation, m_rank);
    Send(OpusReady{{m_gpu}, {m_generation}});
}

std::unique_ptr<CollectiveConnector>
RecoveryAgent::MakeConnector(const ConnectorPlan::Side& side) const
{
    const auto nic = GetNic(side.network);
    const OpusResume::Place& peer = m_places[side.peer];
    const bool isRail = side.network == ConnectorPlan::RAIL;
    const uint32_t base = isRail ? peer.railNumber : peer.domainNumber;
    const RecoveryJob::Nics& nics = m_job->nics.at(static_cast<uint32_t>(peer.gpu));
    const std::shared_ptr<const RdmaPorts>& ports = isRail ? nics.rail : nics.scaleUp;
    auto connection = CreateObject<RdmaConnection>();
    for (uint32_t i = 0; i < side.ports.size(); ++i)
    {
        const auto& [port, peerPort] = side.ports[i];
        auto queuePair = nic->CreateQueuePair(port);
        RdmaEndpoint remote = queuePair->GetEndpoint(); // all queue pairs start with the same PSN
        std::tie(remote.mac, remote.ip) = ports->at(peerPort);
        remote.queuePair = base + side.peerFirst + i;
        queuePair->Connect(remote);
        queuePair->SetPeerPorts(ports);
        connection->AddQueuePair(queuePair);
    }
    return std::make_unique<RdmaConnector>(connection);
}

void
RecoveryAgent::Build()
{
    auto engine = GetNode()->GetObject<CollectiveEngine>();
    engine->SetRank(m_rank);
    std::map<uint32_t, std::vector<CollectiveConnectorPlace>> connectors; // by group
    for (const auto& side : m_job->connectors.GetSides(m_rank))
    {
        connectors[side.group].push_back(
            {side.id, MakeConnector(side), side.network == ConnectorPlan::RAIL});
    }
    for (auto& [place, ofGroup] : connectors)
    {
        const RecoveryJob::Group& group = m_job->groups.at(place);
        engine->JoinOver(group.group, group.perDomain, group.algorithms, std::move(ofGroup));
    }
    GetNic(ConnectorPlan::RAIL)->MigrateNewQueuePairs();
    GetTraining()->SetProgram(m_job->programs.at(m_rank), m_job->bindings.at(m_rank));
    if (auto shim = GetShim())
    {
        shim->Begin(m_rank, m_generation);
    }
}

} // namespace ns3
