// SPDX-License-Identifier: GPL-2.0-only

#include "collectives-settings.h"

#include "ns3/boolean.h"
#include "ns3/collective-engine.h"
#include "ns3/collective-helper.h"
#include "ns3/flag-parser.h"
#include "ns3/schedule-check.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @return the names of the algorithms for a collective, the default first
std::vector<std::string>
GetAlgorithmNames(CollectiveKind kind)
{
    std::vector<std::string> names;
    for (const auto& algorithm : CollectiveAlgorithm::GetAll(kind))
    {
        names.push_back(algorithm->GetName());
    }
    return names;
}

} // namespace

CollectivesSettings::CollectivesSettings(OptionGroup* parent, bool hasOneSize)
    : OptionGroup(parent)
{
    lend.Needs({fabric.fabric.IsPhotonic()});
    controlLatency.Needs({lend.IsUsed()});
    if (!hasOneSize)
    {
        bytes.Fix();
        return;
    }
    bytes.SetInitial("16M");
    check.Fix();
    minBytes.Fix();
    maxBytes.Fix();
    stepFactor.Fix();
    lend.Fix();
    controlLatency.Fix();
    json.Fix();
    records.Fix();
    fabric.fabric.Fix();
}

bool
CollectivesSettings::TakesLibraryTime()
{
    TypeId::AttributeInformation attribute;
    CollectiveEngine::GetTypeId().LookupAttributeByName("LibraryTime", &attribute);
    return DynamicCast<const BooleanValue>(attribute.initialValue)->Get();
}

std::vector<std::string>
CollectivesSettings::GetCollectives()
{
    std::vector<std::string> names;
    for (const auto& test : NcclTest::GetAll())
    {
        names.push_back(test.name);
    }
    return names;
}

std::string
CollectivesSettings::ListAlgorithms()
{
    std::string algorithms;
    for (auto kind : CollectiveAlgorithms::GetKinds())
    {
        algorithms += (algorithms.empty() ? "" : "; ") + ToString(kind) + ": " +
                      FlagParser::List(GetAlgorithmNames(kind));
    }
    return algorithms;
}

std::string
CollectivesSettings::Check()
{
    if (auto error = CheckOptions(); !error.empty() || check.Get())
    {
        return error.empty() ? CheckCollective() : error;
    }
    return FindError([this] { return fabric.Check(); },
                     [this] { return CheckNeeds(); },
                     [this] { return CheckGroups(); },
                     [this] { return CheckCollective(); },
                     [this] { return CheckSizes(); },
                     [this] { return CheckFabric(); },
                     [this] { return CheckSchedule(); },
                     [this] { return CheckFiles(); });
}

std::string
CollectivesSettings::CheckCollective()
{
    m_test = &NcclTest::Get(collective.GetText());
    const CollectiveKind kind = m_test->GetCallKind();
    const auto names = GetAlgorithmNames(kind);
    // NCCL sends from rank to rank. Circuits of rings do not join all ranks.
    const std::string initial =
        m_test->makeSizes && fabric.IsPhotonic() ? "ring"
        : IsAcross() && Variant<CollectiveAlgorithm>("tuned")->Supports(kind)
            ? (fabric.IsPhotonic() ? "channels" : "tuned")
            : names[0];
    const std::string& wanted = algorithm.GetText().empty() ? initial : algorithm.GetText();
    const auto found = Variant<CollectiveAlgorithm>::Find(wanted);
    m_chosen = found.value_or(m_chosen);
    if (!found || !m_chosen->Supports(kind))
    {
        return algorithm.Refuse((names.size() > 1 ? "one of " : "") + FlagParser::List(names) +
                                " for " + m_test->name);
    }
    return "";
}

std::string
CollectivesSettings::CheckSizes()
{
    const uint64_t least = m_test->GetLeast(m_groups[0].GetSize());
    const BytesOption& largest = bytes.IsSet() ? bytes : maxBytes;
    if (largest.Get() < least)
    {
        return largest.Refuse("at least " + std::to_string(least) +
                              ", an element of 4 bytes for each part of " + m_test->name);
    }
    // From the root or to the root, the sizes between all pairs of ranks are in memory.
    constexpr uint32_t MAX_ROOTED = 4096;
    if (m_test->makeSizes && m_test->root >= 0 && m_groups[0].GetSize() > MAX_ROOTED)
    {
        return domains.Refuse("such that a " + m_test->name + " is among at most " +
                              std::to_string(MAX_ROOTED) + " GPUs");
    }
    if (minBytes.Get() == 0)
    {
        return minBytes.Refuse("at least 1");
    }
    if (!bytes.IsSet() && maxBytes.Get() < minBytes.Get())
    {
        return maxBytes.Refuse("at least minBytes");
    }
    return "";
}

std::string
CollectivesSettings::CheckFabric()
{
    const std::string unusable = "--algorithm=" + m_chosen->GetName() + " cannot be used: ";
    // Before a cluster is built, which takes long if it is large.
    if (auto error = CollectiveHelper::CheckShape(GetShape(), MakeAlgorithms()); !error.empty())
    {
        return unusable + error;
    }
    OpusHelper opus;
    const RailCluster cluster = Install(opus);
    std::string error = CollectiveHelper::Check(cluster, m_groups[0], MakeAlgorithms());
    error = error.empty() ? cluster.CheckSwitches() : unusable + error;
    Simulator::Destroy();
    return error;
}

std::string
CollectivesSettings::CheckSchedule() const
{
    // More ranks or bytes would take long.
    constexpr uint32_t MAX_RANKS = 64;
    constexpr uint64_t MAX_BYTES = 64 << 20;
    const GroupShape shape = GetShape();
    std::string error;
    for (const uint64_t bytes : MakeReport().GetSizes())
    {
        if (shape.size <= MAX_RANKS && bytes <= MAX_BYTES && error.empty())
        {
            RankContext part;
            part.call = m_test->MakeCall(shape.size, m_test->GetSize(shape.size, bytes));
            part.shape = shape;
            part.terms.lendsPairs = lend.Get();
            error = CheckSchedules(m_chosen, part);
        }
    }
    return error.empty() ? "" : "--algorithm=" + m_chosen->GetName() + " cannot be used: " + error;
}

std::string
CollectivesSettings::RunCheck(std::ostream& os) const
{
    constexpr uint32_t MAX_RANKS = 16;
    const CollectiveKind kind = m_test->GetCallKind();
    AlgorithmCheck check(m_chosen, kind);
    const std::string error = check.Run(MAX_RANKS);
    const std::string what = m_chosen->GetName() + " " + ToString(kind);
    if (error.empty())
    {
        os << what << ", 2 to " << MAX_RANKS << " ranks: " << check.GetCalls()
           << " calls are right, " << check.GetRefused() << " groups are refused"
           << (check.GetRefused() > 0 ? ", the first one: " + check.GetRefusal() : "") << std::endl;
    }
    return error.empty() ? "" : what + ", " + error;
}

std::string
CollectivesSettings::CheckGroups()
{
    const uint32_t rails = fabric.gpusPerDomain.Get();
    if (auto error = MakeClusterHelper().Check(fabric.GetFabric()); !error.empty())
    {
        return error;
    }
    const bool isWorld = groupChoice.GetText() == "world";
    m_groups.assign(isWorld ? 1 : rails, ProcessGroup{});
    for (uint32_t gpu = 0; gpu < domains.Get() * rails; ++gpu)
    {
        ProcessGroup& group = m_groups[gpu % m_groups.size()];
        group.id = gpu % m_groups.size();
        group.ranks.push_back(gpu);
    }
    if (m_groups[0].GetSize() < 2)
    {
        return domains.Refuse("such that a group has at least 2 GPUs");
    }
    std::string error = rails == 1 || !isWorld ? fabric.CheckRing(m_groups[0].ranks) : "";
    if (error.empty() && fabric.IsPhotonic() && domains.Get() > 1)
    {
        std::vector<uint32_t> rail; // whose circuits are a ring, see StaticCircuitsHelper
        for (uint32_t domain = 0; domain < domains.Get(); ++domain)
        {
            rail.push_back(domain * rails);
        }
        error = fabric.MakeLightPathCheck(domains.Get()).CheckRing(rail);
    }
    return error;
}

RailCluster
CollectivesSettings::Install(OpusHelper& opus) const
{
    RailCluster cluster = MakeClusterHelper().Install(fabric.GetFabric());
    if (lend.Get())
    {
        opus.SetControlLatency(controlLatency.Get());
        opus.SetPolicy("on-demand");
        opus.Install(cluster);
    }
    return cluster;
}

CollectiveAlgorithms
CollectivesSettings::MakeAlgorithms() const
{
    CollectiveAlgorithms algorithms;
    algorithms.Choose(m_test->GetCallKind(), m_chosen);
    return algorithms;
}

std::vector<std::string>
CollectivesSettings::GetRemarks() const
{
    std::vector<std::string> remarks = {
        std::to_string(domains.Get()) + " scale-up domains of " +
            std::to_string(fabric.gpusPerDomain.Get()) + ", " +
            std::to_string(fabric.nicPorts.Get()) + " x " + fabric.portRate.GetText() + " a GPU, " +
            fabric.Describe(domains.Get()) +
            (m_groups.size() > 1
                 ? ", " + std::to_string(m_groups.size()) + " rails at the same time"
                 : ""),
        "every size is a simulation of its own",
        "time: from the start of the timed calls on all ranks to the end on the last, by iters",
        TakesLibraryTime() ? "launches, steps and protocols take the time that NCCL counts with; "
                             "--ns3::CollectiveEngine::LibraryTime=false leaves it out"
                           : "no time is taken by launches, copies and reductions on the GPUs"};
    if (const uint64_t least = m_test->GetLeast(m_groups[0].GetSize()); minBytes.Get() < least)
    {
        remarks.push_back("a size below " + std::to_string(least) +
                          " has no element for each rank: it is rounded down to 0, and nothing is "
                          "sent");
    }
    if (m_test->makeSizes)
    {
        remarks.push_back(m_test->name + " is sent as an AllToAll whose other parts are empty" +
                          (m_chosen == "ring" ? ": the rounds of the ring follow each other, also "
                                                "where they have no data"
                                              : ""));
    }
    if (lend.Get())
    {
        remarks.push_back("circuits are lent on demand: " + fabric.GetReconfigurationDelay() +
                          " (" + fabric.ocs.GetText() + ") and four times " +
                          controlLatency.GetText() + " for those that are not up");
    }
    else if (fabric.IsPhotonic())
    {
        remarks.push_back("circuits of the ring are set up before the first call: " +
                          fabric.GetReconfigurationDelay() + " (" + fabric.ocs.GetText() +
                          ") that are not counted");
    }
    if (const auto remark = GetRingRemark(); !remark.empty())
    {
        remarks.push_back(remark);
    }
    return remarks;
}

std::string
CollectivesSettings::GetRingRemark() const
{
    const GroupShape shape = GetShape();
    if (m_chosen != "ring" || shape.perDomain < 2 || shape.GetDomains() < 2)
    {
        return "";
    }
    const auto names = GetAlgorithmNames(m_test->GetCallKind());
    const std::string other = "channels";
    const bool hasOther = std::find(names.begin(), names.end(), other) != names.end();
    return "one ring enters and leaves a domain through one NIC each, where NCCL has a channel for "
           "each NIC" +
           (hasOther ? "; --algorithm=" + other + " uses all NICs" : "");
}

bool
CollectivesSettings::IsAcross() const
{
    return groupChoice.GetText() == "world" && fabric.HasScaleUpNetwork() &&
           fabric.gpusPerDomain.Get() > 1 && domains.Get() > 1;
}

CollectiveReport
CollectivesSettings::MakeReport() const
{
    CollectiveReport report;
    report.test = m_test;
    report.algorithm = m_chosen->GetName();
    report.fabric = fabric.GetName();
    report.settings = GetInForce();
    report.remarks = GetRemarks();
    report.ranks = m_groups[0].GetSize();
    const bool oneSize = bytes.IsSet();
    report.minBytes = (oneSize ? bytes : minBytes).Get();
    report.maxBytes = (oneSize ? bytes : maxBytes).Get();
    report.stepFactor = stepFactor.Get();
    report.warmups = warmups.Get();
    report.iterations = iterations.Get();
    return report;
}

GroupShape
CollectivesSettings::GetShape() const
{
    const bool isWorld = groupChoice.GetText() == "world";
    return {m_groups[0].GetSize(), isWorld ? fabric.gpusPerDomain.Get() : 1};
}

} // namespace ns3
