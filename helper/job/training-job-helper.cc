// SPDX-License-Identifier: GPL-2.0-only

#include "training-job-helper.h"

#include "collective-helper.h"
#include "connector-installer.h"
#include "job-demand.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/connectivity-provider.h"
#include "ns3/device-mesh.h"
#include "ns3/double.h"
#include "ns3/find-application.h"
#include "ns3/framework.h"
#include "ns3/job-ranks.h"
#include "ns3/log.h"
#include "ns3/opus-shim.h"
#include "ns3/pipeline-links.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/recovery-agent.h"
#include "ns3/schedule-check.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/training-application.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TrainingJobHelper");

namespace
{

using UnfinishedRanks = std::set<const TrainingApplication*>;

/// Stop the simulation if a rank has ended its last iteration as the last of all ranks.
void
StopIfFinished(std::shared_ptr<UnfinishedRanks> unfinished,
               const TrainingApplication* rank,
               uint32_t /* number */,
               uint32_t iteration)
{
    const bool isLast = iteration + 1 >= rank->GetIterations();
    if (isLast && unfinished->erase(rank) > 0 && unfinished->empty())
    {
        Simulator::Stop();
    }
}

/// Hook of the framework that notifies the shim of the end of an iteration.
void
TellShim(Ptr<OpusShim> shim, uint32_t /* rank */, uint32_t /* iteration */)
{
    shim->NotifyIterationEnd();
}

/**
 * @param cluster the GPUs
 * @param group a group
 * @param kinds kinds of calls on the group
 * @param chosen algorithms that were chosen for the job
 * @return the algorithms, on the terms of the cluster: for kinds without a choice the default
 * across domains and rails if the group is aligned and its domains are networks, else rings; for an
 * AllToAll direct exchange if the group can have direct connectors, else the planned one if its
 * circuits can be lent to pairs
 */
CollectiveAlgorithms
ChooseAlgorithms(const RailCluster& cluster,
                 const ProcessGroup& group,
                 const std::set<CollectiveKind>& kinds,
                 const CollectiveAlgorithms& chosen)
{
    CollectiveAlgorithms algorithms = CollectiveAlgorithms::Rings();
    algorithms.SetTerms(CollectiveHelper::GetTerms(cluster));
    algorithms.SetRates(CollectiveHelper::GetRates(cluster));
    const GroupShape shape = CollectiveHelper::GetShape(cluster, group);
    const bool isAcross = cluster.HasScaleUpNetwork() && shape.perDomain > 1 &&
                          shape.GetDomains() > 1 && CollectiveHelper::IsAligned(cluster, group);
    for (const CollectiveKind kind : CollectiveAlgorithms::GetKinds())
    {
        if (kinds.count(kind) == 0)
        {
            continue;
        }
        if (chosen.IsChosen(kind))
        {
            algorithms.Choose(kind, chosen.Get(kind));
        }
        else if (isAcross && kind != CollectiveKind::ALL_TO_ALL)
        {
            algorithms.Choose(kind, CollectiveAlgorithm::GetDefaultAcross(kind, shape));
        }
        else if (kind == CollectiveKind::ALL_TO_ALL)
        {
            // Where pairs take turns with circuits, pxn is among those that are planned.
            const bool isPlanned = CollectiveHelper::GetTerms(cluster).lendsPairs;
            for (const Variant<CollectiveAlgorithm>& one :
                 {isAcross && !isPlanned ? CollectiveAlgorithm::GetDefaultAcross(kind, shape)
                                         : CollectiveAlgorithm::GetDefault(kind),
                  Variant<CollectiveAlgorithm>("planned")})
            {
                CollectiveAlgorithms better = algorithms;
                better.Choose(kind, one);
                if (CollectiveHelper::CheckFabric(cluster, group, better).empty())
                {
                    algorithms = better;
                    break;
                }
            }
        }
    }
    return algorithms;
}

/// @return an empty string, or the error in the schedules of a kind of collective in groups of a
/// shape that is not too large to try
std::string
TrySchedules(Variant<CollectiveAlgorithm> algorithm,
             CollectiveKind kind,
             const GroupShape& shape,
             const CircuitTerms& terms)
{
    constexpr uint32_t MAX_RANKS = 64;
    if (shape.size > MAX_RANKS)
    {
        return "";
    }
    RankContext part;
    part.call.kind = kind;
    part.call.bytes = (1 << 20) + 1;
    part.shape = shape;
    part.terms = terms;
    const std::string error = CheckSchedules(algorithm, part);
    return error.empty() ? ""
                         : algorithm->GetName() + " " + ToString(kind) + " among " +
                               std::to_string(shape.size) + " ranks: " + error;
}

/// @return an empty string, or a connector of a group that leads through other GPUs
std::string
CheckRelays(const RailCluster& cluster,
            const ProcessGroup& group,
            const CollectiveAlgorithms& algorithms)
{
    const ConnectorInstaller connector(cluster);
    std::string error;
    const GroupShape shape = CollectiveHelper::GetShape(cluster, group);
    for (const auto& one : CollectiveHelper::ListConnectors(shape, algorithms))
    {
        const uint32_t a = group.ranks[one.first];
        const uint32_t b = group.ranks[one.second];
        const auto way = connector.GetWay(a, b);
        if (way != ConnectorInstaller::SCALE_UP && way != ConnectorInstaller::FABRIC)
        {
            error = "messages of ranks " + std::to_string(a) + " and " + std::to_string(b) +
                    " lead through other GPUs, which spare GPUs do not allow";
        }
    }
    return error;
}

/**
 * @param kinds kinds of calls on a group
 * @return the algorithms on the host network; rings for messages between neighbours
 */
CollectiveAlgorithms
ChooseHostAlgorithms(const std::set<CollectiveKind>& kinds)
{
    CollectiveAlgorithms algorithms;
    for (const CollectiveKind kind : kinds)
    {
        if (kind == CollectiveKind::SEND || kind == CollectiveKind::RECV)
        {
            algorithms.Choose(CollectiveKind::ALL_GATHER, "ring");
        }
        else
        {
            algorithms.Choose(kind, CollectiveAlgorithm::GetDefaultOnHosts(kind));
        }
    }
    return algorithms;
}

/**
 * @param cluster the GPUs
 * @param group a group that rails and host network can connect
 * @param bytes volume of a call
 * @return the network of a call of this volume
 */
CollectiveNetwork
FindNetwork(const RailCluster& cluster, const ProcessGroup& group, uint64_t bytes)
{
    const auto provider = cluster.GetGpu(group.ranks.at(0))->GetObject<ConnectivityProvider>();
    CollectiveCall call;
    call.groupId = group.id;
    call.bytes = bytes;
    return provider ? provider->ChooseNetwork(group, call) : CollectiveNetwork::RAILS;
}

/**
 * @param cluster the GPUs
 * @param group a group
 * @return true if the whole group is on one rail that another process simulates
 */
bool
IsElsewhere(const RailCluster& cluster, const ProcessGroup& group)
{
    const uint32_t first = group.ranks.at(0);
    const bool isOnOneRail =
        std::all_of(group.ranks.begin(), group.ranks.end(), [&cluster, first](uint32_t rank) {
            return cluster.GetRailOf(rank) == cluster.GetRailOf(first);
        });
    return isOnOneRail && !cluster.GetFabric().JoinsRails() &&
           !RailPartition::IsHere(cluster.GetGpu(first));
}

/**
 * @brief Connect the ranks of a group over the networks that its calls use.
 * @param cluster the GPUs
 * @param group a group
 * @param use calls on the group
 * @param chosen algorithms that were chosen for the job
 */
void
JoinNetworks(const RailCluster& cluster,
             const ProcessGroup& group,
             const JobGroups::Use& use,
             const CollectiveAlgorithms& chosen)
{
    const auto algorithms = ChooseAlgorithms(cluster, group, use.kinds, chosen);
    bool onFabric = true;
    bool onHosts = false;
    if (cluster.HasHostNetwork() && !CollectiveHelper::StaysInside(cluster, group))
    {
        onFabric = CollectiveHelper::CheckFabric(cluster, group, algorithms).empty();
        onHosts =
            !onFabric || FindNetwork(cluster, group, use.leastBytes) == CollectiveNetwork::HOSTS;
        onFabric =
            onFabric && FindNetwork(cluster, group, use.mostBytes) == CollectiveNetwork::RAILS;
    }
    if (onFabric && !IsElsewhere(cluster, group))
    {
        CollectiveHelper::JoinFabric(cluster, group, algorithms);
    }
    if (onHosts)
    {
        CollectiveHelper::JoinHosts(cluster, group, ChooseHostAlgorithms(use.kinds));
    }
}

/**
 * @param cluster the GPUs
 * @param ranks the ranks of a job
 * @param groups their groups
 * @return the pairs that use links, by id; none unless circuits are leased and ranks have ports for
 * two neighbours
 */
std::map<uint32_t, ProcessGroup>
FindLinks(const RailCluster& cluster, const JobRanks& ranks, const JobGroups& groups)
{
    const CircuitTerms terms = CollectiveHelper::GetTerms(cluster);
    return cluster.IsLent() && terms.hasRings ? PipelineLinks::Find(ranks, groups, terms)
                                              : std::map<uint32_t, ProcessGroup>();
}

/// @return a group of a job as its ranks join it: as a link, if it is one of @p links
const ProcessGroup&
GetJoined(const RankLayout& layout, const std::map<uint32_t, ProcessGroup>& links, uint32_t id)
{
    const auto link = links.find(id);
    return link == links.end() ? layout.GetGroups()[id] : link->second;
}

/// Add the connectors of a group to the job's connector plan.
void
AddConnectors(const RailCluster& cluster,
              const ProcessGroup& group,
              const CollectiveAlgorithms& algorithms,
              RecoveryJob& job)
{
    const ConnectorInstaller connector(cluster);
    const GroupShape shape = CollectiveHelper::GetShape(cluster, group);
    const auto place = static_cast<uint32_t>(job.groups.size());
    job.groups.push_back({group, shape.perDomain, algorithms});
    for (const auto& one : CollectiveHelper::ListConnectors(shape, algorithms))
    {
        const uint32_t a = group.ranks[one.first];
        const uint32_t b = group.ranks[one.second];
        const auto way = connector.GetWay(a, b);
        const bool isInside = way == ConnectorInstaller::SCALE_UP;
        NS_ABORT_MSG_UNLESS(isInside || way == ConnectorInstaller::FABRIC,
                            "ranks " << a << " and " << b << " need other GPUs in between");
        job.connectors.Add(
            place,
            {a, one.atFirst},
            {b, one.atSecond},
            isInside ? ConnectorPlan::SCALE_UP : ConnectorPlan::RAIL,
            connector.GetPortPairs(a,
                                   b,
                                   static_cast<CollectiveConnectorKind>(one.atFirst.connector)));
    }
}

/**
 * @param variation standard deviation
 * @return a log-normal random variable of mean 1
 */
Ptr<RandomVariableStream>
MakeJitter(double variation)
{
    // Mean exp(mu + sigma^2 / 2), variance (exp(sigma^2) - 1) x mean^2.
    const double variance = std::log1p(variation * variation);
    auto jitter = CreateObject<LogNormalRandomVariable>();
    jitter->SetAttribute("Mu", DoubleValue(-variance / 2));
    jitter->SetAttribute("Sigma", DoubleValue(std::sqrt(variance)));
    return jitter;
}

} // namespace

TrainingJobHelper::TrainingJobHelper(const std::string& model)
{
    const auto spec = TransformerSpec::Find(model);
    NS_ABORT_MSG_UNLESS(spec, "there is no model " << model);
    m_spec.model = *spec;
    m_spec.rules = Variant<Framework>("torchtitan-0.1.0")->MakeRules();
    SetGpu("a100", 0.293);
}

TrainingJobHelper::TrainingJobHelper(const WorkloadSpec& spec)
    : m_spec(spec)
{
}

TrainingJobHelper::TrainingJobHelper(std::shared_ptr<const JobRanks> ranks)
    : m_ranks(std::move(ranks))
{
}

void
TrainingJobHelper::SetGpu(const std::string& gpu, double computeEfficiency)
{
    const auto spec = GpuSpec::Find(gpu);
    NS_ABORT_MSG_UNLESS(spec, "there is no GPU " << gpu);
    m_spec.gpu = *spec;
    m_spec.efficiency.matmul = computeEfficiency;
    m_spec.efficiency.groupedMatmul = computeEfficiency;
    m_spec.efficiency.attention = computeEfficiency;
}

void
TrainingJobHelper::SetJitter(double variation)
{
    NS_ABORT_MSG_UNLESS(variation >= 0 && variation <= 10, "jitter of " << variation);
    m_variation = variation;
}

void
TrainingJobHelper::SetFreeGathers(DataRate nicRate)
{
    NS_ABORT_MSG_IF(nicRate.GetBitRate() == 0, "a NIC without a rate");
    m_freeGathers = nicRate;
}

bool
TrainingJobHelper::IsSimulated(const RailCluster& cluster,
                               const RankLayout& layout,
                               const ProcessGroup& group) const
{
    return layout.GetReach(group) != RankLayout::SCALE_UP ||
           (cluster.HasScaleUpNetwork() && !m_domainsByFormula);
}

WorkloadSpec
TrainingJobHelper::GetSpec(const RailCluster& cluster) const
{
    WorkloadSpec spec = m_spec;
    spec.parallelism.gpusPerDomain = cluster.GetGpusPerDomain();
    return spec;
}

std::shared_ptr<const JobRanks>
TrainingJobHelper::GetRanks(const RailCluster& cluster) const
{
    return FreeGathers(m_ranks ? m_ranks : std::make_shared<const JobRanks>(GetSpec(cluster)));
}

std::string
TrainingJobHelper::Check(const RailCluster& cluster) const
{
    if (auto error = CheckSpec(cluster); !error.empty())
    {
        return error;
    }
    const auto ranks = GetRanks(cluster);
    const std::string error = JobGroups(*ranks).Check(cluster.GetFabric(),
                                                      cluster.HasScaleUpNetwork(),
                                                      cluster.HasHostNetwork());
    return error.empty() ? CheckAlgorithms(cluster) : error;
}

std::string
TrainingJobHelper::CheckAlgorithms(const RailCluster& cluster) const
{
    // Leased circuits carry the default algorithm of every group on one rail. Chosen algorithms,
    // circuits that stay, spares, and groups across rails may need more.
    const CollectiveAlgorithms& given = m_ranks ? m_ranks->GetAlgorithms() : m_spec.algorithms;
    const bool isUsual =
        given.IsEmpty() && !cluster.GetStaticCircuits() && cluster.GetNSpareGpus() == 0;
    const auto ranks = GetRanks(cluster);
    const CollectiveAlgorithms& chosen = ranks->GetAlgorithms();
    const RankLayout& layout = ranks->GetLayout();
    std::set<CollectiveKind> called;
    std::set<std::tuple<CollectiveKind, uint32_t, uint32_t>> tried;
    const JobGroups groups(*ranks);
    for (const auto& [id, use] : groups.GetUses())
    {
        const ProcessGroup& group = layout.GetGroups()[id];
        const bool isFormula = !IsSimulated(cluster, layout, group);
        const bool isOnHosts =
            cluster.HasHostNetwork() && !CollectiveHelper::StaysInside(cluster, group) &&
            !CollectiveHelper::CheckFabric(cluster, group, CollectiveAlgorithms::Rings()).empty();
        if (isFormula || isOnHosts || (isUsual && layout.GetReach(group) != RankLayout::MIXED))
        {
            continue;
        }
        const auto algorithms = ChooseAlgorithms(cluster, group, use.kinds, chosen);
        const GroupShape shape = CollectiveHelper::GetShape(cluster, group);
        std::string error = CollectiveHelper::CheckFabric(cluster, group, algorithms);
        if (error.empty() && cluster.GetNSpareGpus() > 0)
        {
            error = CheckRelays(cluster, group, algorithms);
        }
        for (const CollectiveKind kind : CollectiveAlgorithms::GetKinds())
        {
            if (use.kinds.count(kind) == 0 || !chosen.IsChosen(kind))
            {
                continue;
            }
            called.insert(kind);
            if (error.empty() && tried.emplace(kind, shape.size, shape.perDomain).second)
            {
                error = TrySchedules(chosen.Get(kind),
                                     kind,
                                     shape,
                                     CollectiveHelper::GetTerms(cluster));
            }
        }
        if (!error.empty())
        {
            return error;
        }
    }
    for (const CollectiveKind kind : CollectiveAlgorithms::GetKinds())
    {
        if (chosen.IsChosen(kind) && called.count(kind) == 0)
        {
            return "no group that is simulated calls " + ToString(kind);
        }
    }
    return "";
}

std::string
TrainingJobHelper::CheckSpec(const RailCluster& cluster) const
{
    if (auto error = m_ranks ? "" : GetSpec(cluster).Validate(); !error.empty())
    {
        return error;
    }
    const uint64_t world = m_ranks ? m_ranks->GetWorldSize() : m_spec.parallelism.GetWorldSize();
    if (cluster.GetNGpus() != world)
    {
        return "the job has " + std::to_string(world) + " ranks, the cluster " +
               std::to_string(cluster.GetNGpus()) + " GPUs";
    }
    if (m_ranks && m_ranks->GetLayout().GetRails() != cluster.GetGpusPerDomain())
    {
        return "the ranks are in domains of " + std::to_string(m_ranks->GetLayout().GetRails()) +
               ", the GPUs of the cluster in domains of " +
               std::to_string(cluster.GetGpusPerDomain());
    }
    return "";
}

RankLayout
TrainingJobHelper::GetLayout(const RailCluster& cluster) const
{
    return m_ranks ? m_ranks->GetLayout() : DeviceMesh(GetSpec(cluster).parallelism);
}

std::shared_ptr<const JobRanks>
TrainingJobHelper::FreeGathers(std::shared_ptr<const JobRanks> ranks) const
{
    if (m_freeGathers.GetBitRate() == 0)
    {
        return ranks;
    }
    JobRanks::Programs freed;
    for (const auto& program : ranks->GetPrograms())
    {
        std::vector<RankOperation> operations = program->GetOperations();
        for (RankOperation& operation : operations)
        {
            if (operation.place == RankOperation::SCALE_OUT &&
                operation.dimension == Dimension::FSDP &&
                operation.kind == CollectiveKind::ALL_GATHER &&
                operation.label.rfind("backward", 0) == 0)
            {
                const uint64_t peers = ranks->GetLayout().GetGroup(0, operation.role).GetSize() - 1;
                operation.place = RankOperation::SCALE_UP;
                operation.duration = Seconds(static_cast<double>(peers * operation.bytes) * 8 /
                                             static_cast<double>(m_freeGathers.GetBitRate()));
            }
        }
        freed.push_back(std::make_shared<const RankProgram>(std::move(operations),
                                                            program->WaitsForMessages()));
    }
    auto result = std::make_shared<JobRanks>(*ranks);
    result->SetPrograms(std::move(freed));
    return result;
}

ApplicationContainer
TrainingJobHelper::Install(const RailCluster& cluster) const
{
    NS_LOG_FUNCTION(this << cluster.GetNGpus() << m_iterations);
    const std::string error = CheckSpec(cluster);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    const auto ranks = GetRanks(cluster);
    const RankLayout& layout = ranks->GetLayout();
    CollectiveHelper::Install(cluster);
    const JobGroups groups(*ranks);
    const std::string reason =
        groups.Check(cluster.GetFabric(), cluster.HasScaleUpNetwork(), cluster.HasHostNetwork());
    NS_ABORT_MSG_UNLESS(reason.empty(), reason);
    const auto links = FindLinks(cluster, *ranks, groups);
    for (const auto& [id, use] : groups.GetUses())
    {
        const ProcessGroup& group = GetJoined(layout, links, id);
        if (IsSimulated(cluster, layout, group))
        {
            JoinNetworks(cluster, group, use, ranks->GetAlgorithms());
        }
    }
    ApplicationContainer applications;
    for (uint32_t rank = 0; rank < ranks->GetWorldSize(); ++rank)
    {
        auto application = CreateRank(cluster);
        application->SetProgram(ranks->GetProgram(rank), ranks->Bind(rank));
        if (const auto slowdown = m_slowdowns.find(rank); slowdown != m_slowdowns.end())
        {
            application->SetAttribute("ComputeSlowdown", DoubleValue(slowdown->second));
        }
        AddRank(cluster.GetGpu(rank), application);
        applications.Add(application);
    }
    return applications;
}

Ptr<TrainingApplication>
TrainingJobHelper::CreateRank(const RailCluster& cluster) const
{
    auto application = CreateObject<TrainingApplication>();
    application->SetAttribute("Iterations", UintegerValue(m_iterations));
    application->SetAttribute("HostRunAhead", StringValue(m_hostRunAhead));
    application->SetAttribute("ScaleUpOnNetwork",
                              BooleanValue(cluster.HasScaleUpNetwork() && !m_domainsByFormula));
    if (m_variation > 0)
    {
        application->SetAttribute("ComputeJitter", PointerValue(MakeJitter(m_variation)));
    }
    return application;
}

void
TrainingJobHelper::AddRank(Ptr<Node> node, Ptr<TrainingApplication> application)
{
    if (auto shim = FindApplication<OpusShim>(node))
    {
        application->TraceConnectWithoutContext("IterationEnd", MakeBoundCallback(&TellShim, shim));
    }
    RailPartition::AddApplication(node, application);
}

ApplicationContainer
TrainingJobHelper::InstallSpares(const RailCluster& cluster) const
{
    ApplicationContainer spares;
    for (uint32_t spare = 0; spare < cluster.GetNSpareGpus(); ++spare)
    {
        auto application = CreateRank(cluster);
        AddRank(cluster.GetGpu(cluster.GetNGpus() + spare), application);
        spares.Add(application);
    }
    return spares;
}

std::shared_ptr<const RecoveryJob>
TrainingJobHelper::MakeRecoveryJob(const RailCluster& cluster) const
{
    const auto ranks = GetRanks(cluster);
    const RankLayout& layout = ranks->GetLayout();
    auto job = std::make_shared<RecoveryJob>();
    job->connectors = ConnectorPlan(ranks->GetWorldSize());
    const JobGroups groups(*ranks);
    const auto links = FindLinks(cluster, *ranks, groups);
    for (const auto& [id, use] : groups.GetUses())
    {
        const ProcessGroup& group = GetJoined(layout, links, id);
        if (IsSimulated(cluster, layout, group))
        {
            AddConnectors(cluster,
                          group,
                          ChooseAlgorithms(cluster, group, use.kinds, ranks->GetAlgorithms()),
                          *job);
        }
    }
    for (uint32_t rank = 0; rank < ranks->GetWorldSize(); ++rank)
    {
        job->programs.push_back(ranks->GetProgram(rank));
        job->bindings.push_back(ranks->Bind(rank));
        job->rails.push_back(cluster.GetRailOf(rank));
    }
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus(); ++gpu)
    {
        const auto scaleUp = cluster.GetScaleUpNic(gpu);
        job->nics.push_back(
            {cluster.GetNic(gpu)->GetPorts(), scaleUp ? scaleUp->GetPorts() : nullptr});
    }
    return job;
}

uint64_t
TrainingJobHelper::GetStateBytes(const RailCluster& cluster) const
{
    return GetRanks(cluster)->GetStateBytes();
}

int64_t
TrainingJobHelper::AssignStreams(const ApplicationContainer& ranks, int64_t stream)
{
    int64_t next = stream;
    for (uint32_t i = 0; i < ranks.GetN(); ++i)
    {
        next += DynamicCast<TrainingApplication>(ranks.Get(i))->AssignStreams(next);
    }
    return next - stream;
}

void
TrainingJobHelper::StopWhenFinished(const ApplicationContainer& ranks)
{
    const auto unfinished = std::make_shared<UnfinishedRanks>();
    for (uint32_t i = 0; i < ranks.GetN(); ++i)
    {
        const auto rank = DynamicCast<TrainingApplication>(ranks.Get(i));
        // Bind () does not convert: a bound value must have the very type of the parameter.
        const TrainingApplication* const bound = PeekPointer(rank);
        unfinished->insert(bound);
        rank->TraceConnectWithoutContext("IterationEnd",
                                         MakeCallback(&StopIfFinished).Bind(unfinished, bound));
    }
}

} // namespace ns3
