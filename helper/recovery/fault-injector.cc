// SPDX-License-Identifier: GPL-2.0-only

#include "fault-injector.h"

#include "recovery-helper.h"

#include "ns3/collective-engine.h"
#include "ns3/fabric-file.h"
#include "ns3/fabric-rerouter.h"
#include "ns3/fabric-topology.h"
#include "ns3/log.h"
#include "ns3/lost-frames.h"
#include "ns3/ocs-agent.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-helper.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/training-application.h"

#include <algorithm>
#include <functional>
#include <iomanip>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FaultInjector");
NS_OBJECT_ENSURE_REGISTERED(FaultInjector);

namespace
{

/// Longest wait, after the job has failed, for the ABORT messages to reach all ranks.
const Time PATIENCE = Seconds(1);

/// @return "; ", a state and the components in it, of which the first are named; or nothing
std::string
ListFaultComponents(const std::string& state, const std::vector<std::string>& components)
{
    constexpr std::size_t most = 4; // in one line
    std::string text = components.empty() ? "" : "; " + state + ": ";
    for (std::size_t i = 0; i < std::min(components.size(), most); ++i)
    {
        text += (i > 0 ? ", " : "") + components[i];
    }
    return text + (components.size() > most
                       ? " and " + std::to_string(components.size() - most) + " more"
                       : "");
}

/// @return ports of NICs of an electrical fabric that are dark and have something to send
uint64_t
CountWaitingPorts(const RailCluster& cluster)
{
    std::set<std::pair<uint32_t, Mac48Address>> waiting; // by GPU
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus() && !cluster.IsPhotonic(); ++gpu)
    {
        const auto nic = cluster.GetNic(gpu);
        std::set<Mac48Address> dark;
        for (uint32_t port = 0; port < cluster.GetNicPortCount(); ++port)
        {
            if (!nic->GetPort(port)->IsLit())
            {
                dark.insert(Mac48Address::ConvertFrom(nic->GetPort(port)->GetAddress()));
            }
        }
        for (uint32_t i = 0; !dark.empty() && i < nic->GetNQueuePairs(); ++i)
        {
            const auto queuePair = nic->GetQueuePair(i);
            const Mac48Address port = queuePair->GetEndpoint().mac;
            if (queuePair->IsBusy() && dark.count(port) > 0)
            {
                waiting.emplace(gpu, port);
            }
        }
    }
    return waiting.size();
}

} // namespace

std::string
FaultLog::MomentToText(const Time& time)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(6) << time.GetSeconds() << " s";
    return text.str();
}

bool
FaultLog::Begin(const Fault& fault)
{
    const Component component(fault.kind, fault.GetTarget());
    const bool isForGood = fault.duration.IsZero() && fault.kind != FaultKind::SHIM;
    const Time end = isForGood ? Time::Max() : Simulator::Now() + fault.duration;
    const auto [broken, isNew] = m_broken.emplace(component, end);
    const bool isLonger = end > broken->second;
    std::string consequence = isNew ? "" : "it was broken already";
    consequence += !isLonger   ? ""
                   : isForGood ? " and stays so for good"
                               : " and stays so until " + MomentToText(end);
    if (isNew || isLonger)
    {
        broken->second = end;
        m_noted[component] = m_records.size();
    }
    m_records.push_back(
        {ToString(fault.kind), component.second, Simulator::Now(), Time::Max(), consequence});
    return isNew;
}

bool
FaultLog::End(const Fault& fault)
{
    const std::string kind = ToString(fault.kind);
    const std::string target = fault.GetTarget();
    const auto broken = m_broken.find({fault.kind, target});
    if (broken == m_broken.end() || broken->second > Simulator::Now())
    {
        return false;
    }
    for (RunFault& record : m_records)
    {
        if (record.until == Time::Max() && record.kind == kind && record.target == target)
        {
            record.until = Simulator::Now();
        }
    }
    m_broken.erase(broken);
    return true;
}

void
FaultLog::Add(RunFault& record, const std::string& consequence)
{
    record.consequence += (record.consequence.empty() ? "" : "; ") + consequence + " at " +
                          MomentToText(Simulator::Now());
}

void
FaultLog::Note(const Fault& fault, const std::string& consequence)
{
    const auto noted = m_noted.find({fault.kind, fault.GetTarget()});
    if (noted != m_noted.end())
    {
        Add(m_records[noted->second], consequence);
    }
}

void
FaultLog::NoteAll(const std::string& consequence)
{
    for (const auto& [component, end] : m_broken)
    {
        Add(m_records[m_noted.at(component)], consequence);
    }
}

bool
FaultLog::HasLostGpu() const
{
    return std::any_of(m_broken.begin(), m_broken.end(), [](const auto& entry) {
        return entry.first.first == FaultKind::GPU;
    });
}

std::string
FaultLog::DescribeComponents() const
{
    std::vector<std::string> broken;
    for (const auto& [component, end] : m_broken)
    {
        broken.push_back(ToString(component.first) + ":" + component.second);
    }
    std::map<std::string, Time> ends; // by component
    for (const RunFault& record : m_records)
    {
        const std::string name = record.kind + ":" + record.target;
        if (std::find(broken.begin(), broken.end(), name) == broken.end())
        {
            ends[name] = Max(ends[name], record.until);
        }
    }
    std::multimap<Time, std::string, std::greater<>> latestFirst;
    for (const auto& [name, end] : ends)
    {
        latestFirst.emplace(end, name + " at " + MomentToText(end));
    }
    std::vector<std::string> repaired;
    for (const auto& [end, text] : latestFirst)
    {
        repaired.push_back(text);
    }
    return ListFaultComponents("broken", broken) + ListFaultComponents("repaired", repaired);
}

TypeId
FaultInjector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FaultInjector")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<FaultInjector>()
                            .AddTraceSource("FaultBegin",
                                            "A component breaks.",
                                            MakeTraceSourceAccessor(&FaultInjector::m_begin),
                                            "ns3::FaultInjector::FaultTracedCallback")
                            .AddTraceSource("FaultEnd",
                                            "A component is mended.",
                                            MakeTraceSourceAccessor(&FaultInjector::m_end),
                                            "ns3::FaultInjector::FaultTracedCallback")
                            .AddTraceSource("Consequence",
                                            "A controller has dealt with a fault.",
                                            MakeTraceSourceAccessor(&FaultInjector::m_consequence),
                                            "ns3::FaultInjector::ConsequenceTracedCallback");
    return tid;
}

FaultInjector::FaultInjector() = default;
FaultInjector::~FaultInjector() = default;

void
FaultInjector::DoDispose()
{
    m_cluster = RailCluster();
    m_agents.clear();
    m_rerouter = nullptr;
    m_shims.clear();
    m_recovery.clear();
    m_ranks = ApplicationContainer();
    Object::DoDispose();
}

FaultScope
FaultInjector::GetScope(const RailCluster& cluster)
{
    FaultScope scope;
    scope.gpus = cluster.GetNAllGpus();
    scope.nicPorts = cluster.GetNicPortCount();
    if (cluster.IsPhotonic())
    {
        scope.switches = cluster.GetGpusPerDomain() + cluster.GetNSpares();
        scope.switchPorts = cluster.GetNDomains() * cluster.GetNicPortCount();
        if (const auto cabling = cluster.GetFabric().GetCabling())
        {
            scope.cabledPorts = cabling->ListOcsPorts();
        }
    }
    else
    {
        scope.fabric = std::make_shared<const FabricNames>(cluster.GetRerouter()->GetTopology());
    }
    return scope;
}

void
FaultInjector::Install(const std::vector<Fault>& faults,
                       const RailCluster& cluster,
                       const OpusHelper* opus,
                       const RecoveryHelper* recovery,
                       const ApplicationContainer& ranks,
                       uint32_t iterations)
{
    m_cluster = cluster;
    m_ranks = ranks;
    m_iterations = iterations;
    const Ptr<FaultInjector> self(this);
    if (opus)
    {
        ObserveOpus(*opus);
    }
    if (recovery)
    {
        ObserveRecovery(*recovery);
    }
    if (!cluster.IsPhotonic())
    {
        ObserveFabric();
    }
    for (uint32_t gpu = 0; gpu < ranks.GetN(); ++gpu)
    {
        ranks.Get(gpu)->TraceConnectWithoutContext(
            "IterationEnd",
            MakeCallback(&FaultInjector::IterationEnded, self));
        cluster.GetGpu(gpu)->GetObject<CollectiveEngine>()->TraceConnectWithoutContext(
            "CallFailed",
            MakeCallback(&FaultInjector::CallFailed, self));
    }
    for (const Fault& fault : faults)
    {
        Simulator::ScheduleWithContext(GetNode(fault)->GetId(),
                                       fault.at,
                                       &FaultInjector::Begin,
                                       self,
                                       fault);
    }
}

void
FaultInjector::ObserveOpus(const OpusHelper& opus)
{
    const Ptr<FaultInjector> self(this);
    for (uint32_t ocs = 0; ocs < GetScope(m_cluster).switches; ++ocs)
    {
        m_agents[ocs] = opus.GetAgent(ocs);
    }
    for (const auto& controller : opus.GetAllControllers())
    {
        controller->TraceConnectWithoutContext("FaultServed",
                                               MakeCallback(&FaultInjector::Served, self));
        controller->TraceConnectWithoutContext("JobFailed",
                                               MakeCallback(&FaultInjector::JobFailed, self));
    }
    for (uint32_t gpu = 0; gpu < m_ranks.GetN(); ++gpu)
    {
        m_shims.push_back(opus.GetShim(gpu));
        m_shims.back()->TraceConnectWithoutContext("Aborted",
                                                   MakeCallback(&FaultInjector::Aborted, self));
    }
}

void
FaultInjector::ObserveRecovery(const RecoveryHelper& recovery)
{
    const Ptr<FaultInjector> self(this);
    const auto coordinator = recovery.GetCoordinator();
    coordinator->TraceConnectWithoutContext("JobFailed",
                                            MakeCallback(&FaultInjector::JobFailed, self));
    coordinator->TraceConnectWithoutContext("GpuLost",
                                            MakeCallback(&FaultInjector::GpuMissed, self));
    coordinator->TraceConnectWithoutContext("Step",
                                            MakeCallback(&FaultInjector::RecoveryStepped, self));
    m_recovery = recovery.GetAgents();
    for (const auto& agent : m_recovery)
    {
        agent->TraceConnectWithoutContext("Aborted", MakeCallback(&FaultInjector::Aborted, self));
    }
}

void
FaultInjector::ObserveFabric()
{
    const Ptr<FaultInjector> self(this);
    m_rerouter = m_cluster.GetRerouter();
    m_rerouter->TraceConnectWithoutContext("Rerouted",
                                           MakeCallback(&FaultInjector::Rerouted, self));
}

Ptr<Node>
FaultInjector::GetNode(const Fault& fault) const
{
    switch (fault.kind)
    {
    case FaultKind::OCS:
    case FaultKind::OCS_PORT:
        return m_agents.at(fault.component)->GetNode();
    case FaultKind::LINK:
        return m_cluster.GetSwitches().front().node;
    case FaultKind::SWITCH:
        return m_cluster.GetSwitches().at(fault.component).node;
    default:
        return m_cluster.GetGpu(fault.component);
    }
}

void
FaultInjector::Begin(Fault fault)
{
    if (m_log.Begin(fault))
    {
        NS_LOG_INFO(ToString(fault.kind) << " " << fault.GetTarget() << " breaks");
        m_begin(ToString(fault.kind), fault.GetTarget());
        m_outages[ToString(fault.kind) + ":" + fault.GetTarget()] = {
            fault,
            CountLostAtSwitches(m_cluster)};
        Act(fault, false);
    }
    // Faults at the instant of a repair have begun before: their events are older.
    if (fault.duration.IsStrictlyPositive())
    {
        Simulator::Schedule(fault.duration, &FaultInjector::End, Ptr<FaultInjector>(this), fault);
    }
    else if (fault.kind == FaultKind::SHIM)
    {
        End(fault); // a shim without a duration restarts at once
    }
}

void
FaultInjector::End(Fault fault)
{
    if (m_log.End(fault))
    {
        if (const uint64_t waiting = CountWaitingPorts(m_cluster); waiting > 0)
        {
            m_log.Note(fault,
                       std::to_string(waiting) + (waiting == 1 ? " NIC port" : " NIC ports") +
                           " had waited for light");
        }
        Act(fault, true);
        const auto outage = m_outages.find(ToString(fault.kind) + ":" + fault.GetTarget());
        NoteLosses(outage->second);
        m_outages.erase(outage);
        NS_LOG_INFO(ToString(fault.kind) << " " << fault.GetTarget() << " works again");
        m_end(ToString(fault.kind), fault.GetTarget());
    }
}

void
FaultInjector::NoteLosses(const Outage& outage)
{
    const uint64_t lost = CountLostAtSwitches(m_cluster) - outage.lostBefore;
    if (lost > 0)
    {
        m_log.Note(outage.fault,
                   std::to_string(lost) + (lost == 1 ? " packet" : " packets") + " had been lost");
    }
}

void
FaultInjector::Act(const Fault& fault, bool mend)
{
    switch (fault.kind)
    {
    case FaultKind::OCS:
        mend ? m_agents.at(fault.component)->Repair() : m_agents.at(fault.component)->Fail();
        break;
    case FaultKind::OCS_PORT:
        GetNode(fault)->GetObject<OpticalCircuitSwitch>()->SetPortStuck(fault.port, !mend);
        break;
    case FaultKind::NIC_PORT:
        m_cluster.GetNic(fault.component)
            ->GetPort(fault.port)
            ->SetFailed(!mend || m_log.IsBroken(FaultKind::GPU, fault.component));
        break;
    case FaultKind::GPU:
        LeaveGpu(fault.component);
        break;
    case FaultKind::SHIM:
        mend ? m_shims.at(fault.component)->Restart() : m_shims.at(fault.component)->Fail();
        break;
    case FaultKind::LINK:
        m_rerouter->SetLinkFailed(fault.component, !mend);
        break;
    case FaultKind::SWITCH:
        m_rerouter->SetSwitchFailed(fault.component, !mend);
        break;
    }
}

void
FaultInjector::LeaveGpu(uint32_t gpu)
{
    DynamicCast<TrainingApplication>(m_ranks.Get(gpu))->Leave();
    if (!m_shims.empty())
    {
        m_shims[gpu]->Leave();
    }
    if (!m_recovery.empty())
    {
        m_recovery[gpu]->Leave();
        m_cluster.GetGpu(gpu)->GetObject<CollectiveEngine>()->Abort();
    }
    for (const auto& nic :
         {m_cluster.GetNic(gpu), m_cluster.GetScaleUpNic(gpu), m_cluster.GetHostNic(gpu)})
    {
        for (uint32_t port = 0; nic && port < nic->GetNPorts(); ++port)
        {
            nic->GetPort(port)->SetFailed(true);
        }
    }
    Aborted(gpu, "");
}

void
FaultInjector::Served(const OpusFault& message, const std::string& consequence)
{
    Fault fault;
    fault.kind = message.kind;
    const bool isOfSwitch = fault.kind == FaultKind::OCS || fault.kind == FaultKind::OCS_PORT;
    fault.component = isOfSwitch ? message.ocs : message.rank;
    fault.port = message.port;
    if (m_recovery.empty() ||
        fault.kind != FaultKind::GPU) // with recovery, the coordinator's report counts for GPUs
    {
        Note(fault, consequence);
    }
}

void
FaultInjector::Note(const Fault& fault, const std::string& consequence)
{
    NS_LOG_INFO(ToString(fault.kind) << " " << fault.GetTarget() << ": " << consequence);
    m_log.Note(fault, consequence);
    m_consequence(ToString(fault.kind), fault.GetTarget(), consequence);
}

void
FaultInjector::Rerouted(bool isSwitch, uint32_t number, bool failed)
{
    const FabricNames names(m_rerouter->GetTopology());
    Fault fault;
    fault.kind = isSwitch ? FaultKind::SWITCH : FaultKind::LINK;
    fault.name = isSwitch ? names.GetSwitchName(number) : names.GetLinkName(number);
    Note(fault, failed ? "all switches route around it" : "all switches use it again");
}

void
FaultInjector::CallFailed(uint32_t rank, const CollectiveCall& call, uint64_t)
{
    NS_LOG_FUNCTION(this << rank << ToString(call.kind) << call.groupId);
    // The recovery repeats calls that failed because a GPU was lost.
    const bool mayRecover = !m_recovery.empty() && m_log.HasLostGpu();
    if (m_failure.empty() && !mayRecover)
    {
        m_failure = "job 0 failed at " + FaultLog::MomentToText(Simulator::Now()) + ": rank " +
                    std::to_string(rank) + ": " + ToString(call.kind) + " on group " +
                    std::to_string(call.groupId) + " failed, as nothing is acknowledged" +
                    m_log.DescribeComponents();
        m_log.NoteAll("job 0 failed");
        Simulator::Stop();
    }
}

std::string
FaultInjector::DescribeStandstill() const
{
    return m_log.GetRecords().empty()
               ? ""
               : "job 0 failed: nothing is left to happen at " +
                     FaultLog::MomentToText(Simulator::Now()) + m_log.DescribeComponents();
}

void
FaultInjector::GpuMissed(uint32_t gpu)
{
    Note({FaultKind::GPU, gpu}, "it was missed");
    m_missed = gpu; // a step follows at once, unless the GPU was an idle spare
}

void
FaultInjector::RecoveryStepped(const RecoveryProtocol& protocol)
{
    m_ranksEnded.clear(); // after a restart, ranks repeat iterations
    if (m_missed)
    {
        m_unserved.push_back(*m_missed); // the job needs a replacement
        m_missed.reset();
    }
    const bool isOver = protocol.GetState() == RecoveryProtocol::RUNNING ||
                        protocol.GetState() == RecoveryProtocol::FAILED;
    if (!isOver)
    {
        return;
    }
    const bool goesOn = protocol.GetFailure().empty();
    for (const uint32_t gpu : m_unserved)
    {
        Note({FaultKind::GPU, gpu},
             goesOn ? "the job goes on without it, with iteration " +
                          std::to_string(protocol.GetIteration())
                    : "job 0 failed");
    }
    m_unserved.clear();
}

void
FaultInjector::JobFailed(uint32_t job, const std::string& reason)
{
    NS_LOG_FUNCTION(this << job << reason);
    if (!m_failure.empty())
    {
        return;
    }
    m_failure = "job " + std::to_string(job) + " failed at " +
                FaultLog::MomentToText(Simulator::Now()) + ": " + reason;
    Simulator::Stop(PATIENCE);
    StopIfAllTold();
}

void
FaultInjector::Aborted(uint32_t gpu, const std::string&)
{
    m_told.insert(gpu);
    StopIfAllTold();
}

void
FaultInjector::StopIfAllTold()
{
    if (m_told.size() == m_ranks.GetN() && !m_failure.empty())
    {
        Simulator::Stop();
    }
}

void
FaultInjector::IterationEnded(uint32_t rank, uint32_t iteration)
{
    if (iteration + 1 < m_iterations)
    {
        return;
    }
    m_ranksEnded.insert(rank);
    if (m_ranksEnded.size() == m_cluster.GetNGpus())
    {
        for (const auto& [name, outage] : m_outages)
        {
            NoteLosses(outage);
        }
        Simulator::Stop();
    }
}

} // namespace ns3
