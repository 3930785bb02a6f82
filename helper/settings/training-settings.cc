// SPDX-License-Identifier: GPL-2.0-only

#include "training-settings.h"

#include "ns3/attribute-flags.h"
#include "ns3/distributed-run.h"
#include "ns3/fabric-file.h"
#include "ns3/fabric-topology.h"
#include "ns3/flag-parser.h"
#include "ns3/gpu-server.h"
#include "ns3/job-demand.h"
#include "ns3/job-description.h"
#include "ns3/memory-estimate.h"
#include "ns3/opus-helper.h"
#include "ns3/pointer.h"
#include "ns3/rail-symmetry.h"
#include "ns3/rotor-helper.h"
#include "ns3/simulator.h"
#include "ns3/time-sum.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <numeric>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace ns3
{

double
SimulationMemory::GetLimit()
{
    double limit =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    rlimit ofProcess{};
    if (getrlimit(RLIMIT_AS, &ofProcess) == 0 && ofProcess.rlim_cur != RLIM_INFINITY)
    {
        limit = std::min(limit, static_cast<double>(ofProcess.rlim_cur));
    }
    return limit;
}

std::string
SimulationMemory::Check(uint64_t gpus, double limit)
{
    if (Estimate(gpus) <= limit)
    {
        return "";
    }
    std::ostringstream error;
    error << std::fixed << std::setprecision(1) << "the simulation of " << gpus
          << " GPUs takes at least " << Estimate(gpus) / 1e9 << " GB of memory, and there are "
          << limit / 1e9 << " GB; allowed are fewer GPUs, and --describe";
    return error.str();
}

std::string
JobFit::Check() const
{
    return FindError([this] { return CheckWorld(); },
                     [this] { return CheckCluster(); },
                     [this] { return CheckGroups(); },
                     [this] { return fabric.CheckSwitches(GetDomains()); });
}

std::string
JobFit::CheckWorld() const
{
    const uint32_t world = ranks.GetWorldSize();
    const uint32_t size = fabric.gpusPerDomain.Get();
    if (world % size == 0)
    {
        return "";
    }
    uint32_t fitting = std::min(world, size);
    while (world % fitting != 0)
    {
        --fitting;
    }
    return "the job has " + std::to_string(world) +
           " ranks, which must fill whole scale-up domains of --gpusPerDomain=" +
           std::to_string(size) +
           "; allowed for instance with --gpusPerDomain=" + std::to_string(fitting);
}

std::string
JobFit::CheckCluster() const
{
    return fabric.MakeClusterHelper(GetDomains()).Check(fabric.GetFabric());
}

std::string
JobFit::CheckPolicy() const
{
    if (!fabric.IsPhotonic())
    {
        return "";
    }
    const std::string error =
        policy->Check({ranks, GetDomains(), fabric.nicPorts.Get(), fabric.GetPortRate(), slotTime},
                      fabric.MakeLightPathCheck(GetDomains()));
    return error.empty() ? "" : "--policy=" + policy->GetName() + ": " + error;
}

std::string
JobFit::CheckGroups() const
{
    const RankLayout& layout = ranks.GetLayout();
    const JobGroups groups(ranks);
    if (auto error = groups.Check(fabric.GetFabric(),
                                  fabric.HasScaleUpNetwork(),
                                  fabric.hostNetwork.IsGiven());
        !error.empty())
    {
        return error;
    }
    if (auto error = CheckPolicy(); !error.empty() || (fabric.IsPhotonic() && !policy->IsLending()))
    {
        return error;
    }
    const LightPathCheck lightPaths = fabric.MakeLightPathCheck(GetDomains());
    for (const auto& [id, use] : groups.GetUses())
    {
        const ProcessGroup& group = layout.GetGroups()[id];
        const bool isBulk = use.mostBytes >= fabric.hostNetwork.GetThreshold();
        if (layout.GetReach(group) == RankLayout::SCALE_OUT && isBulk)
        {
            if (auto error = FindError([&] { return fabric.CheckRing(group.ranks); },
                                       [&] { return lightPaths.CheckRing(group.ranks); });
                !error.empty())
            {
                return error;
            }
        }
    }
    return "";
}

std::vector<std::string>
JobFit::MakeRemarks(const JobDescription& description) const
{
    std::vector<std::string> remarks;
    const auto add = [&remarks](const std::string& remark) {
        if (!remark.empty())
        {
            remarks.push_back(remark);
        }
    };
    add(CheckWorld());
    if (!CheckWorld().empty())
    {
        return remarks; // the other checks need whole domains
    }
    const std::string cluster = CheckCluster();
    add(cluster);
    const std::string reason = JobGroups::CheckAcross(fabric.GetFabric(),
                                                      fabric.HasScaleUpNetwork(),
                                                      fabric.hostNetwork.IsGiven());
    for (const auto& role : description.roles)
    {
        if (!reason.empty() && role.isCalled && role.across > 0)
        {
            add("--fabric=" + fabric.GetName() + " cannot join " + std::to_string(role.across) +
                " " + role.name + (role.across == 1 ? " group" : " groups") +
                " across domains and rails: " + reason);
        }
        if (role.isCalled && role.alongRail > 0 && policy->IsLending())
        {
            std::vector<uint32_t> ring(role.ranks);
            std::iota(ring.begin(), ring.end(), 0U);
            add(fabric.CheckRing(ring));
        }
    }
    add(cluster.empty() ? CheckPolicy() : "");
    remarks.erase(std::unique(remarks.begin(), remarks.end()), remarks.end());
    return remarks;
}

namespace
{

/// @return an attribute whose default is an object by the will of the user, such as a random
/// variable or an error model; an empty string if there is none
std::string
FindSharedObject()
{
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        for (std::size_t k = 0; k < type.GetAttributeN(); ++k)
        {
            const auto attribute = type.GetAttribute(k);
            const auto* pointer =
                dynamic_cast<const PointerValue*>(PeekPointer(attribute.initialValue));
            if (pointer && attribute.initialValue != attribute.originalInitialValue)
            {
                return type.GetName() + "::" + attribute.name;
            }
        }
    }
    return "";
}

} // namespace

std::string
VariationSettings::Check(uint64_t ranks)
{
    m_slowdowns.clear();
    std::istringstream entries(m_slowdown.GetText());
    for (std::string entry; std::getline(entries, entry, ',');)
    {
        const std::size_t colon = std::min(entry.find(':'), entry.size());
        const auto rank = FlagParser::ParseCount(entry.substr(0, colon));
        const auto factor =
            FlagParser::ParseFraction(entry.substr(std::min(colon + 1, entry.size())));
        const bool isGood = rank && *rank < ranks && factor && *factor >= 0.1 && *factor <= 100;
        if (!isGood || !m_slowdowns.emplace(*rank, *factor).second)
        {
            return m_slowdown.Refuse("RANK:FACTOR,RANK:FACTOR, with ranks from 0 to " +
                                     std::to_string(ranks - 1) +
                                     ", each once, and factors from 0.1 to 100");
        }
    }
    return "";
}

void
VariationSettings::Apply(TrainingJobHelper& job) const
{
    for (const auto& [rank, factor] : m_slowdowns)
    {
        job.SetSlowdown(rank, factor);
    }
    job.SetJitter(m_jitter.Get());
}

namespace
{

/// Let the settings of a fabric that were not given be those of the server of a GPU.
void
FollowServer(FabricSettings& fabric, const std::string& gpu)
{
    const GpuServer* const server = GpuServer::Find(gpu);
    if (!server)
    {
        return; // the check of the GPU refuses it
    }
    const std::pair<Option*, std::string> defaults[] = {
        {&fabric.gpusPerDomain, std::to_string(server->gpus)},
        {&fabric.nicPorts, std::to_string(server->nicPorts)},
        {&fabric.portRate, server->portRate}};
    for (const auto& [option, text] : defaults)
    {
        if (!option->IsGiven())
        {
            option->SetInitial(text);
        }
    }
}

} // namespace

TrainingSettings::TrainingSettings(OptionGroup* parent)
    : OptionGroup(parent)
{
    const OptionNeed photonic = fabric.fabric.IsPhotonic();
    faults.linkLoss.Needs({fabric.fabric.IsElectrical()});
    hostRunAhead.Needs({workload.NeedsModel()});
    freeGathers.Needs({workload.NeedsModel()});
    policy.Needs({photonic});
    slotTime.Needs({policy.Fits([this] { return GetPolicy()->HasSlots(); },
                                "--policy=rotor or another one that has slots")});
    controlPlane.Needs(
        photonic,
        policy.Fits([this] { return GetPolicy()->IsLending(); }, "a --policy that lends circuits"),
        {spares.NeedsSpareDomains(), fabric.hostNetwork.rate.IsUsed()});
}

void
TrainingSettings::Apply(TrainingJobHelper& job) const
{
    if (fabric.HasDomainsByFormula())
    {
        job.SetDomainsByFormula();
    }
    if (freeGathers.Get())
    {
        job.SetFreeGathers(DataRate(fabric.GetPortRate().GetBitRate() * fabric.nicPorts.Get()));
    }
    job.SetHostRunAhead(hostRunAhead.GetInForce());
    variation.Apply(job);
    job.SetIterations(iterations.Get());
}

void
TrainingSettings::FixFabric()
{
    fabric.fabric.Fix();
    jobFile.Omit();
    symmetry.SetText("none"); // what is measured of packets is measured on all rails
    symmetry.Fix();
    describe.Fix();
    output.Fix();
}

void
TrainingSettings::OmitSingleRun(const std::set<std::string>& names)
{
    const std::set<std::string> headings{"output", "timeline", "report", "faults", "spares"};
    for (auto* option : GetOptions())
    {
        if (headings.count(option->GetHeading()) > 0 || names.count(option->GetName()) > 0)
        {
            option->Omit();
        }
    }
    describe.Omit();
}

std::string
TrainingSettings::CheckSlotTime() const
{
    const Time least = RotorHelper::GetLeastSlotTime(fabric.GetPortRate(), fabric.GetFiberDelay());
    return slotTime.IsSet() && slotTime.Get() < least
               ? slotTime.Refuse(
                     "at least " + std::to_string(least.GetNanoSeconds() + 1) +
                     "ns, in which packets can be sent over the fibers and acknowledged")
               : "";
}

std::string
TrainingSettings::Check()
{
    FollowServer(fabric, workload.GetGpu());
    const auto checkMemory = [this] {
        m_ranks = IsOneSet() ? std::make_shared<const JobRanks>(
                                   RailSymmetry(GetWorkload(), *m_all, m_railSets).MakeRanks())
                             : m_all;
        return describe.Get() ? "" : SimulationMemory::Check(m_ranks->GetWorldSize());
    };
    const auto checkOutput = [this] {
        return output.CheckRanks(m_planned->GetWorldSize(), m_ranks->GetWorldSize(), IsLending());
    };
    const auto checkCluster = [this] {
        fabric.hostLatency = controlPlane.hostLatency.Get();
        const auto error = describe.Get() ? "" : GetFit().Check();
        const WorkloadSpec& spec = GetWorkload();
        m_all = workload.IsTrace() || spec.popularity.kind == ExpertPopularity::UNIFORM
                    ? m_planned
                    : std::make_shared<const JobRanks>(spec);
        return error;
    };
    const auto deriveHosts = [this] {
        hostRunAhead.SetDerived(workload.IsTrace() ? "none" : "ahead");
        return "";
    };
    return FindError([this] { return CheckOptions(); },
                     [this] { return controlPlane.Check(); },
                     [this] { return fabric.Check(workload.GetGpu()); },
                     [this] { return CheckSlotTime(); },
                     [this] { return workload.Check(fabric.gpusPerDomain.Get()); },
                     [this] { return workload.PlanRanks(m_planned); },
                     deriveHosts,
                     [this] { return AddScaleUp(); },
                     [this] {
                         return freeGathers.Get() && fabric.HasScaleUpNetwork() &&
                                        !fabric.HasDomainsByFormula()
                                    ? "--freeGathers: calls in a domain take its network; allowed "
                                      "with --scaleUp=closed-form"
                                    : "";
                     },
                     [this] { return CheckDuration(); },
                     [this] { return variation.Check(m_planned->GetWorldSize()); },
                     checkCluster,
                     [this] { return CheckSymmetry(); },
                     checkMemory,
                     checkOutput,
                     [this] { return CheckFaults(); },
                     [this] { return CheckNeeds(); },
                     [this] { return describe.Get() ? "" : CheckSparesFit(); },
                     [this] { return describe.Get() ? "" : CheckAlgorithms(); },
                     [this] { return CheckFiles(); });
}

StepWork
TrainingSettings::GetWork() const
{
    if (!workload.IsTrace())
    {
        return StepWork::Make(GetWorkload());
    }
    StepWork work;
    for (uint32_t rank = 0; rank < m_all->GetWorldSize(); ++rank)
    {
        for (const RankOperation& operation : m_all->GetProgram(rank)->GetOperations())
        {
            work.modelFlops += operation.flops;
        }
    }
    return work;
}

std::string
TrainingSettings::CheckDuration() const
{
    double least = 0; // of the computations of a rank
    for (const auto& program : m_planned->GetPrograms())
    {
        double seconds = 0;
        for (const RankOperation& operation : program->GetOperations())
        {
            seconds += operation.place == RankOperation::GPU ? operation.duration.GetSeconds() : 0;
        }
        least = std::max(least, seconds);
    }
    const double limit = GetTimeLimit().GetSeconds();
    if (least * iterations.Get() < limit || describe.Get())
    {
        return "";
    }
    std::ostringstream allowed;
    allowed << std::fixed << std::setprecision(0) << "at most " << std::floor(limit / least)
            << ", as an iteration computes for at least " << least
            << " s, and a simulation lasts at most " << limit << " s";
    return iterations.Refuse(allowed.str());
}

std::string
TrainingSettings::AddScaleUp()
{
    const JobGroups groups(*m_planned);
    m_railSets = groups.CountRailSets();
    m_hasGroupsAcross =
        groups.CountRailSets(fabric.hostNetwork.GetThreshold()) < fabric.gpusPerDomain.Get();
    const bool joinsAll = m_hasGroupsAcross && m_railSets == 1;
    if (IsLending())
    {
        controlPlane.DeriveControllers(joinsAll || faults.IsUsed() || spares.IsGiven());
    }
    if (!m_hasGroupsAcross)
    {
        return "";
    }
    if (fabric.HasDomainsByFormula())
    {
        fabric.AddScaleUpForGroupsAcross(workload.GetGpu());
    }
    return IsLending() && joinsAll && controlPlane.HasControllerPerRail()
               ? "--controllers=rails: groups across domains and rails lease circuits on all "
                 "rails at once; allowed with --controllers=one"
               : "";
}

std::vector<std::string>
TrainingSettings::GetRemarks() const
{
    std::vector<std::string> remarks = workload.GetRemarks();
    if (workload.IsTrace())
    {
        if (const std::string remark = workload.GetTraceRemark(); !remark.empty())
        {
            remarks.push_back(remark);
        }
        return remarks;
    }
    if (const auto memory = MemoryEstimate::Check(GetWorkload()); !memory.empty())
    {
        remarks.insert(remarks.begin(), memory);
    }
    const FrameworkRules& rules = GetWorkload().rules;
    if (rules.products == ProductFormat::BF16 &&
        GetWorkload().parallelism.GetPrecision(rules) == Precision::FP32)
    {
        remarks.emplace_back("activations and products are fp32 without data parallelism "
                             "(--mixesAlways=false): --precision=tf32 multiplies on tensor cores");
    }
    return remarks;
}

JobDescription
TrainingSettings::MakeDescription() const
{
    JobNetwork network;
    network.nicRate =
        static_cast<double>(fabric.GetPortRate().GetBitRate()) * fabric.nicPorts.Get();
    network.hasScaleUpNetwork = fabric.HasScaleUpNetwork();
    network.domainsByFormula = fabric.HasDomainsByFormula();
    network.isRingOnly = fabric.IsPhotonic();
    if (IsLending())
    {
        network.terms = MakeCircuitTerms();
    }
    network.hasHostNetwork = fabric.hostNetwork.IsGiven();
    network.hostRate = static_cast<double>(fabric.hostNetwork.rate.Get().GetBitRate());
    network.hostThreshold = fabric.hostNetwork.GetThreshold();
    network.joinsAcross =
        JobGroups::CheckAcross(fabric.GetFabric(), network.hasScaleUpNetwork, false).empty();
    network.joinsRails = fabric.GetFabric().JoinsRails();
    JobDescription description = JobDescription::Make(*m_all, network);
    if (!workload.IsTrace())
    {
        description.AddModel(GetWorkload());
        description.recomputation = workload.DescribeRecomputation();
    }
    description.model = workload.GetName();
    description.gpu = GetWorkload().gpu.name;
    description.gpuMemory = static_cast<uint64_t>(GetWorkload().gpu.memory);
    description.fabric = fabric.GetName();
    description.settings = GetList();
    description.derived = GetDerived();
    description.remarks = GetFit().MakeRemarks(description);
    if (fabric.IsPhotonic() && !IsLending() && HasDefaultAllToAll())
    {
        description.remarks.emplace_back(
            "bytes of AllToAlls are those of rings (--algorithms=AllToAll=ring); a run takes "
            "direct or pxn where the circuits of the policy join all ranks of a group, and other "
            "GPUs may pass on the messages");
    }
    if (const auto memory = workload.IsTrace() ? "" : MemoryEstimate::Check(GetWorkload());
        !memory.empty())
    {
        description.remarks.insert(description.remarks.begin(), memory);
    }
    if (const auto error = GetFit().Check().empty()
                               ? FindError([this] { return CheckSparesFit(); },
                                           [this] { return CheckAlgorithms(); })
                               : "";
        !error.empty())
    {
        description.remarks.push_back(error);
    }
    for (const auto& remark : workload.GetRemarks())
    {
        description.remarks.push_back(remark);
    }
    return description;
}

CircuitTerms
TrainingSettings::MakeCircuitTerms() const
{
    RailClusterHelper helper = fabric.MakeClusterHelper(1);
    GetPolicy()->Configure(helper);
    OpusHelper opus;
    opus.SetControlLatency(controlPlane.controlLatency.Get());
    opus.SetHostLinkLatency(controlPlane.hostLatency.Get());
    opus.SetPolicy(GetPolicy()->GetName());
    return opus.MakeTerms(helper.MakeOcs(),
                          fabric.fiberDelay.Get(),
                          fabric.GetPortRate(),
                          fabric.nicPorts.Get());
}

std::string
TrainingSettings::CheckAlgorithms() const
{
    const bool areChosen = !workload.GetAlgorithms().empty();
    const bool isLent = !fabric.IsPhotonic() || GetPolicy()->IsLending();
    // With two ports, leased circuits carry the rings of every group, on one rail or several.
    const bool isScarce = fabric.IsPhotonic() && (!isLent || fabric.nicPorts.Get() == 1);
    if (!areChosen && !spares.IsGiven() && !(isScarce && m_hasGroupsAcross))
    {
        return "";
    }
    RailCluster cluster = MakeClusterHelper().Install(fabric.GetFabric());
    OpusHelper opus;
    if (cluster.IsPhotonic())
    {
        GetPolicy()->Install(cluster,
                             opus,
                             {GetPlannedRanks(),
                              GetFit().GetDomains(),
                              fabric.nicPorts.Get(),
                              fabric.GetPortRate(),
                              GetSlotTime()});
    }
    TrainingJobHelper job(m_ranks);
    Apply(job);
    const std::string error = job.CheckAlgorithms(cluster);
    Simulator::Destroy();
    const std::string flag = areChosen
                                 ? "--algorithms=" + workload.GetAlgorithms() + " cannot be used"
                             : spares.IsGiven() ? "--spareGpus, --spareDomains"
                             : isLent           ? "--nicPorts=1"
                                                : "--policy=" + policy.GetText();
    return error.empty() ? "" : flag + ": " + error;
}

RailClusterHelper
TrainingSettings::MakeClusterHelper() const
{
    RailClusterHelper helper = fabric.MakeClusterHelper(GetFit().GetDomains());
    if (IsOneSet())
    {
        helper.SetDomains(GetFit().GetDomains(), fabric.gpusPerDomain.Get() / m_railSets);
        if (fabric.hostNetwork.IsGiven())
        {
            HostNetworkSpec hosts = fabric.MakeHostNetwork();
            hosts.nicRate = DataRate(hosts.nicRate.GetBitRate() / m_railSets);
            helper.SetHostNetwork(hosts);
        }
    }
    GetPolicy()->Configure(helper);
    faults.Apply(helper);
    spares.Apply(helper);
    helper.SetPcapSnapLength(output.pcapSnapLength.Get());
    return helper;
}

std::string
TrainingSettings::DescribeJob() const
{
    return workload.Describe(m_planned->GetWorldSize()) + ", " +
           std::to_string(fabric.nicPorts.Get()) + " x " + fabric.portRate.GetText() + " a GPU";
}

std::string
TrainingSettings::DescribeCircuits() const
{
    const bool isInstant = MakeClusterHelper().MakeOcs()->GetReconfigurationDelay().IsZero();
    return fabric.ocs.GetText() + ", " + (isInstant ? "0ms" : fabric.GetReconfigurationDelay()) +
           ", " + GetPolicy()->Describe();
}

std::string
TrainingSettings::Describe() const
{
    return DescribeJob() + ", " + fabric.Describe(GetFit().GetDomains()) +
           (fabric.IsPhotonic() ? " (" + DescribeCircuits() + ")" : "") +
           (fabric.hostNetwork.IsGiven() ? ", hosts at " + fabric.hostNetwork.rate.GetText() : "");
}

std::string
TrainingSettings::DescribeTiers() const
{
    return fabric.DescribeTiers(GetFit().GetDomains());
}

JobFit
TrainingSettings::GetFit() const
{
    return {*m_planned, fabric, GetPolicy(), GetSlotTime()};
}

std::string
TrainingSettings::CheckFaults()
{
    if (auto error = spares.Check(); !error.empty())
    {
        return error;
    }
    if (faults.linkLoss.Get() > 0 && DistributedRun::GetLaunched() > 1)
    {
        return "--linkLoss: allowed in a single process";
    }
    const uint32_t ranks = m_planned->GetWorldSize();
    const uint32_t domains = ranks / std::max(1U, fabric.gpusPerDomain.Get());
    FaultScope scope;
    scope.gpus = ranks + spares.Count(domains, fabric.gpusPerDomain.Get());
    scope.nicPorts = fabric.nicPorts.Get();
    if (!fabric.IsPhotonic() && faults.IsAsked())
    {
        const FabricPlan plan = MakeClusterHelper().GetPlan(fabric.GetFabric().GetElectrical());
        if (!plan.error.empty())
        {
            return "--fabric=" + fabric.GetName() + ": " + plan.error;
        }
        scope.fabric = std::make_shared<const FabricNames>(
            std::make_shared<const FabricTopology>(plan.topology));
    }
    if (fabric.IsPhotonic() && (IsLending() || !spares.IsGiven()))
    {
        scope.switches = fabric.gpusPerDomain.Get();
        scope.switchPorts = domains * scope.nicPorts;
        const auto cabling = fabric.GetFabric().GetCabling();
        if (cabling && cabling->Check({domains, scope.switches, scope.nicPorts}).empty())
        {
            scope.cabledPorts = cabling->ListOcsPorts();
        }
    }
    if (auto error = faults.Check(scope); !error.empty())
    {
        return error;
    }
    if (spares.IsGiven())
    {
        return CheckSpares();
    }
    if (!faults.IsUsed())
    {
        return "";
    }
    const std::string flag = faults.HasSpares() ? "--spareRails: " : "--fault: ";
    return FindObjection(
        {{!IsLending() && (fabric.IsPhotonic() || faults.HasSpares()),
          flag +
              "nobody would notice it; allowed with --fabric=photonic and a --policy that "
              "lends circuits" +
              (faults.HasSpares() ? "" : ", or with electrical fabrics")},
         {faults.HasSpares() && controlPlane.HasControllerPerRail(),
          flag + "a spare may take over any rail; allowed with --controllers=one"},
         {DistributedRun::GetLaunched() > 1, flag + "allowed in a single process"}});
}

bool
TrainingSettings::HasDefaultAllToAll() const
{
    const RankLayout& layout = m_all->GetLayout();
    const JobGroups groups(*m_all);
    const auto leaves = [&layout](const auto& use) {
        return use.second.kinds.count(CollectiveKind::ALL_TO_ALL) > 0 &&
               layout.GetReach(layout.GetGroups()[use.first]) != RankLayout::SCALE_UP;
    };
    return !m_all->GetAlgorithms().IsChosen(CollectiveKind::ALL_TO_ALL) &&
           std::any_of(groups.GetUses().begin(), groups.GetUses().end(), leaves);
}

bool
TrainingSettings::HasGroupsInDomains() const
{
    const RankLayout& layout = m_planned->GetLayout();
    const auto& groups = layout.GetGroups();
    return std::any_of(groups.begin(), groups.end(), [&layout](const ProcessGroup& group) {
        return group.GetSize() > 1 && layout.GetReach(group) != RankLayout::SCALE_OUT;
    });
}

std::string
TrainingSettings::CheckSpares() const
{
    const std::string flag = "--spareGpus, --spareDomains: ";
    const bool isAcross = m_hasGroupsAcross && fabric.GetFabric().JoinsRails();
    const bool isSimulated =
        fabric.HasScaleUpNetwork() && (isAcross || !fabric.HasDomainsByFormula());
    const std::string reason = fabric.IsPhotonic() ? GetPolicy()->CheckSpares() : "";
    return FindObjection(
        {{workload.IsTrace(),
          flag + "the size of a rank's state is not in a trace; allowed with a model"},
         {isSimulated && spares.GetPolicy() == SparePool::ON_RAIL && HasGroupsInDomains(),
          "--recovery=rail: a rank that moves to another domain leaves the scale-up network "
          "of its groups; allowed with --scaleUp=" +
              std::string(isAcross ? "none" : "closed-form") + " or --recovery=migration"},
         {!reason.empty(),
          flag + "--policy=" + policy.GetText() + ": " + reason +
              "; allowed with a --policy that lends circuits, or with electrical fabrics"},
         {controlPlane.HasControllerPerRail(),
          flag + "a spare may be led to any rail; allowed with --controllers=one"},
         {DistributedRun::GetLaunched() > 1, flag + "allowed in a single process"},
         {!describe.Get() && fabric.hostNetwork.IsGiven(),
          flag + "spares have no ports on a host network; allowed with --hostNetwork=none"}});
}

std::string
TrainingSettings::CheckSparesFit() const
{
    if (!spares.IsGiven() && !faults.HasSpares())
    {
        return "";
    }
    const std::string error = MakeClusterHelper().Check(fabric.GetFabric());
    const std::string flag = spares.IsGiven() ? "--spareGpus, --spareDomains: " : "--spareRails: ";
    return error.empty() ? "" : flag + error;
}

uint32_t
TrainingSettings::GetControllers() const
{
    if (!controlPlane.HasControllerPerRail())
    {
        return 1;
    }
    const uint32_t all = m_hasGroupsAcross ? m_railSets : fabric.gpusPerDomain.Get();
    return IsOneSet() ? all / m_railSets : all;
}

std::string
TrainingSettings::CheckSymmetry()
{
    const bool isDemanded = symmetry.GetText() == "rails";
    m_isOneSet = false;
    m_railsDiffer.clear();
    if (describe.Get() || symmetry.GetText() == "none" ||
        (!isDemanded && fabric.gpusPerDomain.Get() == 1))
    {
        return "";
    }
    m_railsDiffer = FindError([&] { return isDemanded ? "" : FindViewOfAllRails(); },
                              [&] { return FindDifference(isDemanded); });
    m_isOneSet = m_railsDiffer.empty();
    return isDemanded && !m_isOneSet ? "--symmetry=rails: " + m_railsDiffer : "";
}

std::string
TrainingSettings::GetSpeedRemark() const
{
    const std::pair<bool, std::string> perPacket[] = {
        {fabric.HasPackets(), "--fidelity=packet"},
        {!fabric.GetCongestionControl().empty(), "--cc=" + fabric.GetCongestionControl()},
        {output.pcap.IsSet(), "--pcap"},
        {output.ascii.IsSet(), "--ascii"},
        {output.report.file.IsSet() && output.report.latency.Get(), "--reportLatency"}};
    std::string flags;
    for (const auto& [isUsed, flag] : perPacket)
    {
        flags += isUsed ? (flags.empty() ? "" : ", ") + flag : "";
    }
    std::string remark =
        flags.empty() ? "" : "each packet has events of its own because of " + flags;
    if (!m_railsDiffer.empty())
    {
        remark += (remark.empty() ? "" : "; ") + std::string("all ") +
                  std::to_string(fabric.gpusPerDomain.Get()) + " rails are simulated, because " +
                  m_railsDiffer;
    }
    return remark;
}

std::string
TrainingSettings::FindViewOfAllRails() const
{
    if (DistributedRun::GetLaunched() > 1)
    {
        return "the rails are shared out among processes";
    }
    const std::set<const Option*> ofJob{&output.json,
                                        &output.operations,
                                        &output.operationsRank,
                                        &output.writeTrace,
                                        &output.quiet};
    for (const auto* option : output.GetOptions())
    {
        const bool isFile = dynamic_cast<const FileOption*>(option) && option->IsSet();
        if ((isFile || option->IsGiven()) && ofJob.count(option) == 0)
        {
            return "--" + option->GetName() + " is about the ranks of all rails";
        }
    }
    return "";
}

std::string
TrainingSettings::FindDifference(bool sharesHostNics) const
{
    const std::string shared = FindSharedObject();
    const RailFabric rails = fabric.GetFabric();
    const std::string reason = rails.IsPhotonic() ? GetPolicy()->CheckOneRail() : "";
    const std::string difference = FindObjection(
        {{workload.IsTrace(), "each rank has a trace of its own"},
         {faults.IsUsed() || spares.IsGiven() || faults.linkLoss.Get() > 0,
          "what breaks tells rails apart; allowed without faults and spares"},
         {!shared.empty(),
          "--" + shared + ": an object that ranks of all rails share; allowed without it"},
         {ConfigStoreFlags::HasObjects(),
          "a configuration file may set attributes of single objects; allowed without it"},
         {!rails.HasEqualRails(),
          "--fabric=" + fabric.GetName() + " has rails that differ; allowed: " +
              RailFabric::GetNames(&RailFabric::HasEqualRails)},
         {!reason.empty(),
          "--policy=" + policy.GetText() + ": " + reason +
              "; allowed with a --policy that lends circuits"},
         {!rails.IsPhotonic() && !fabric.GetCongestionControl().empty(),
          "switches mark packets at random, on each rail others; allowed with --cc=none"},
         {controlPlane.loss.Get() > 0,
          "frames are lost at random, on each rail others; allowed with --controlLoss=0"},
         {fabric.HasScaleUpNetwork() && !fabric.HasDomainsByFormula(),
          "the network of a domain joins rails; allowed with --scaleUp=closed-form"},
         {m_railSets == 1 && fabric.gpusPerDomain.Get() > 1,
          "groups across domains and rails join all rails"},
         {IsLending() && !controlPlane.HasControllerPerRail(),
          "one controller serves rails one after the other, so that they differ by some "
          "100 ns; allowed with --controllers=rails"},
         {fabric.hostNetwork.IsGiven() && !sharesHostNics,
          "the GPUs of a domain take turns on the NIC of their host; --symmetry=rails gives "
          "each an equal share of its rate"},
         {!variation.IsEven(), "--slowdown and --jitter tell rails apart; allowed without them"},
         {output.pcap.IsSet(), "--pcap captures all rails; allowed without it"},
         {output.ascii.IsSet(), "--ascii traces all rails; allowed without it"},
         {output.qpStats.IsSet(), "--qpStats lists all rails; allowed without it"}});
    if (!difference.empty())
    {
        return difference;
    }
    return RailSymmetry(GetWorkload(), *m_all, m_railSets).Check();
}

} // namespace ns3
