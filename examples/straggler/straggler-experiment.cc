// SPDX-License-Identifier: GPL-2.0-only

#include "straggler-experiment.h"

#include "ns3/boolean.h"
#include "ns3/collective-algorithm.h"
#include "ns3/collective-calls.h"
#include "ns3/collective-helper.h"
#include "ns3/collectives-experiment.h"
#include "ns3/config.h"
#include "ns3/fabric-probe.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-helper.h"
#include "ns3/simulator.h"
#include "ns3/static-policy.h"
#include "ns3/stragglar-algorithm.h"
#include "ns3/stragglar-calls.h"
#include "ns3/stragglar-plan.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace ns3
{

namespace
{

/// Packets of the message by which alpha is measured: enough that switches on the way are busy.
constexpr uint32_t PROBE_PACKETS = 8;

Time
ToTime(double seconds)
{
    return Time::FromDouble(seconds * 1e12, Time::PS);
}

/// The ranks of a cluster.
ProcessGroup
MakeGroup(uint32_t ranks)
{
    ProcessGroup group;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        group.ranks.push_back(rank);
    }
    return group;
}

} // namespace

StragglerExperiment::StragglerExperiment(const StragglerSettings& settings)
    : m_settings(settings)
{
}

bool
StragglerExperiment::IsLent(const Point& point) const
{
    const auto& fabric = m_settings.fabric;
    return fabric.IsPhotonic() && !fabric.HasScaleUpNetwork() && point.algorithm == "stragglar";
}

RankContext
StragglerExperiment::MakePart(const Point& point) const
{
    RankContext part;
    part.call.kind = CollectiveKind::ALL_REDUCE;
    part.call.bytes = point.bytes;
    part.root = m_settings.GetStraggler(point.ranks);
    part.call.peer = part.root;
    // On one rail each rank is a domain; in one domain levels make no difference.
    part.shape = {point.ranks, m_settings.fabric.HasScaleUpNetwork() ? point.ranks : 1};
    return part;
}

StragglerExperiment::Links
StragglerExperiment::MeasureLinks(uint32_t ranks) const
{
    const auto& fabric = m_settings.fabric;
    const auto measure = [&](uint32_t packets) {
        const auto links =
            FabricLinks::Measure(m_settings.MakeClusterHelper(ranks).Install(fabric.GetFabric()),
                                 packets);
        return fabric.HasScaleUpNetwork() ? links.domain : links.network;
    };
    return {measure(PROBE_PACKETS), measure(0).alpha};
}

void
StragglerExperiment::AddPlan(uint32_t ranks, StragglerReport& report)
{
    if (!CheckStragglarRanks(ranks).empty())
    {
        report.remarks.push_back(std::to_string(ranks) +
                                 " ranks, stragglar: " + CheckStragglarRanks(ranks));
        return;
    }
    const auto begin = std::chrono::steady_clock::now();
    StragglerReport::Plan plan;
    plan.ranks = ranks;
    plan.rounds = static_cast<uint32_t>(GetStragglarPlan(ranks)->rounds.size());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    plan.wallSeconds = elapsed.count();
    plan.least = GetLeastStragglarRounds(ranks);
    plan.latencies = GetStragglarChain(ranks, 0).GetMessages();
    report.plans.push_back(plan);
}

std::string
StragglerExperiment::CheckPoint(const Point& point) const
{
    const auto part = MakePart(point);
    if (auto error = point.algorithm->Check(part.call.kind, part.shape); !error.empty())
    {
        return error;
    }
    if (IsLent(point))
    {
        return "";
    }
    CollectiveAlgorithms algorithms;
    algorithms.Choose(CollectiveKind::ALL_REDUCE, point.algorithm);
    const RailCluster cluster =
        m_settings.MakeClusterHelper(point.ranks).Install(m_settings.fabric.GetFabric());
    const std::string error = CollectiveHelper::Check(cluster, MakeGroup(point.ranks), algorithms);
    Simulator::Destroy();
    return error;
}

std::string
StragglerExperiment::Run(std::ostream& os, StragglerReport& report) const
{
    for (const uint32_t ranks : m_settings.numbers)
    {
        AddPlan(ranks, report);
    }
    const bool areScaled = std::any_of(m_settings.delays.begin(),
                                       m_settings.delays.end(),
                                       [](const auto& delay) { return delay.scales; });
    if (areScaled && std::count(m_settings.numbers.begin(), m_settings.numbers.end(), 2) > 0)
    {
        report.remarks.emplace_back(
            "2 ranks: multiples (x) of --stragglerDelay are 0, as one other rank has no "
            "ReduceScatter");
    }
    for (const auto& remark : report.remarks)
    {
        os << "# " << remark << "\n";
    }
    report.WritePlans(os);
    if (m_settings.planOnly.Get())
    {
        return "";
    }
    os << "\n";
    StragglerReport::WriteHeader(os);
    for (const uint32_t ranks : m_settings.numbers)
    {
        const Links links = MeasureLinks(ranks);
        for (const auto& algorithm : m_settings.algorithms)
        {
            const Point first{ranks, algorithm, m_settings.sizes[0]};
            if (auto error = CheckPoint(first); !error.empty())
            {
                report.remarks.push_back(std::to_string(ranks) + " ranks: " + error);
                os << "# " << report.remarks.back() << std::endl;
                continue;
            }
            for (const uint64_t bytes : m_settings.sizes)
            {
                const auto error = RunPoint({ranks, algorithm, bytes}, links, os, report);
                if (!error.empty())
                {
                    return error;
                }
            }
        }
    }
    return report.rows.empty() ? "--algorithms: none of them can be used" : "";
}

std::string
StragglerExperiment::RunPoint(const Point& point,
                              const Links& links,
                              std::ostream& os,
                              StragglerReport& report) const
{
    const std::string standstill = std::to_string(point.ranks) + " ranks, " +
                                   point.algorithm->GetName() + ": the calls came to a standstill";
    const auto part = MakePart(point);
    const double scatter = GetStragglarScatter(part).GetSeconds(links.data);
    std::optional<double> lent; // latency of a round and of its grant
    if (IsLent(point))
    {
        // So late that the chunks are there.
        StragglerReport::Row empty;
        empty.delay = Seconds(1000);
        if (!Simulate({point.ranks, point.algorithm, 0}, empty))
        {
            return standstill;
        }
        lent = empty.GetAfterArrival().ToDouble(Time::S) /
               static_cast<double>(GetStragglarPlan(point.ranks)->rounds.size());
    }
    for (const auto& delay : m_settings.delays)
    {
        StragglerReport::Row row;
        row.ranks = point.ranks;
        row.algorithm = point.algorithm->GetName();
        row.bytes = point.bytes;
        row.scatter = ToTime(scatter);
        row.delay = delay.Get(row.scatter);
        row.rounds = GetRounds(part, point.algorithm);
        if (!Simulate(point, row))
        {
            return standstill;
        }
        row.model = ToTime(GetModel(part, point.algorithm, links, row.delay, lent));
        StragglerReport::WriteRow(os, row);
        report.rows.push_back(row);
    }
    return "";
}

uint32_t
StragglerExperiment::GetRounds(const RankContext& part, Variant<CollectiveAlgorithm> algorithm)
{
    if (algorithm == "stragglar")
    {
        return static_cast<uint32_t>(GetStragglarPlan(part.shape.size)->rounds.size());
    }
    const auto cost = algorithm->GetCost(part);
    return static_cast<uint32_t>(cost.rounds + cost.domainRounds);
}

double
StragglerExperiment::GetModel(const RankContext& part,
                              Variant<CollectiveAlgorithm> algorithm,
                              const Links& links,
                              Time delay,
                              std::optional<double> lent)
{
    // A call ends when the last message has been acknowledged, by a packet without data.
    const double late = delay.ToDouble(Time::S);
    if (algorithm != "stragglar")
    {
        const auto cost = algorithm->GetCost(part);
        return late + cost.GetSeconds(links.data, links.data) + links.callAlpha;
    }
    const auto cost = GetStragglarCost(part);
    if (!lent)
    {
        return cost.GetSeconds(links.data, links.callAlpha, late) + links.callAlpha;
    }
    // The others wait for circuits before they scatter, and all pairs in each round.
    const double rounds = GetRounds(part, algorithm);
    const bool hasScatter = cost.scatter.rounds > 0; // one other has all chunks
    const double scatter = hasScatter ? *lent + cost.scatter.GetSeconds(links.data) : 0;
    return std::max(late, scatter) + rounds * *lent + cost.rounds.bytes * links.data.beta;
}

bool
StragglerExperiment::Simulate(const Point& point, StragglerReport::Row& row) const
{
    const RailCluster cluster =
        m_settings.MakeClusterHelper(point.ranks).Install(m_settings.fabric.GetFabric());
    const ProcessGroup group = MakeGroup(point.ranks);
    const auto part = MakePart(point);
    OpusHelper opus;
    CollectiveCalls calls;
    if (IsLent(point))
    {
        opus.SetPolicy("per-call");
        opus.Install(cluster);
        CollectiveHelper::Install(cluster);
        const StragglarCalls plan(group, part.root, point.bytes, 0);
        for (const auto& one : plan.GetGroups())
        {
            CollectiveHelper::Join(cluster, one);
        }
        for (uint32_t rank = 0; rank < point.ranks; ++rank)
        {
            calls.AddSteps(cluster, rank, plan.GetSteps(rank));
        }
    }
    else
    {
        CollectiveHelper::Install(cluster);
        CollectiveAlgorithms algorithms;
        algorithms.Choose(CollectiveKind::ALL_REDUCE, point.algorithm);
        CollectiveHelper::Join(cluster, group, algorithms);
        calls.Add(cluster, group, part.call);
        if (cluster.IsPhotonic())
        {
            StaticCircuitsHelper::LightRings(cluster);
            Simulator::Run(); // until there is light
        }
    }
    // The published model has messages only.
    Config::Set("/NodeList/*/$ns3::CollectiveEngine/LibraryTime", BooleanValue(false));
    calls.SetDelay(part.root, row.delay);
    FabricProbe probe(false);
    probe.Observe(cluster);
    probe.Start();
    const auto time = calls.Run(1);
    probe.Stop();
    if (time)
    {
        const auto& seen = probe.GetMeasurement();
        row.time = *time;
        row.packetsSent = seen.dataPackets;
        row.retransmissions = seen.retransmissions;
        row.bytesPosted = seen.bytesPosted;
        row.bytesDelivered = seen.bytesDelivered;
        row.lostAtOcs = seen.lostAtOcs;
        row.reconfigurations =
            IsLent(point) ? opus.GetController()->GetStats().reconfigurations : 0;
        row.events = Simulator::GetEventCount();
    }
    Simulator::Destroy();
    return time.has_value();
}

} // namespace ns3
