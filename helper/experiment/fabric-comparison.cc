// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-comparison.h"

#include "ns3/child-process.h"
#include "ns3/fabric-file.h"
#include "ns3/interruption.h"
#include "ns3/run-summary.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @return the traffic that the arguments ask for if there is such a traffic, or the default
std::string
FindTraffic(const std::vector<std::string>& arguments)
{
    const auto kinds = ComparedTraffic::GetKinds();
    std::string wanted = kinds[0];
    for (const auto& argument : arguments)
    {
        // ns-3 takes flags with one dash or two, and the last of several.
        const auto [flag, kind] = FlagParser::SplitFlag(argument);
        const bool isKind = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
        wanted = argument[0] == '-' && flag == "traffic" && isKind ? kind : wanted;
    }
    return wanted;
}

} // namespace

FabricComparison::FabricComparison(const std::vector<std::string>& arguments)
    : m_made(FindTraffic(arguments)),
      m_traffic(ComparedTraffic::Make(m_made, this))
{
}

std::string
FabricComparison::Check()
{
    if (auto error =
            FindError([this] { return m_kind.Check(); }, [this] { return m_latency.Check(); });
        !error.empty())
    {
        return error;
    }
    if (m_kind.GetText() != m_made)
    {
        return m_kind.Refuse(m_made + ", which the other flags are of");
    }
    const auto all = RailFabric::GetNames();
    const auto names = m_fabrics.GetText() == "all" ? all : FlagParser::Split(m_fabrics.GetText());
    m_runs.clear();
    bool possible = false;
    for (const auto& name : names)
    {
        std::string error;
        if (!RailFabric::Find(name, error) && FabricContent::IsFile(name))
        {
            return m_fabrics.Refuse(error);
        }
        if (!error.empty() || std::count(names.begin(), names.end(), name) > 1)
        {
            return m_fabrics.Refuse("all, or some of " + FlagParser::List(all) + ", each once");
        }
        // In a process of its own, so that the memory of the others does not grow by it.
        const auto reason = RunInChild([this, &name] { return m_traffic->Check(name); });
        m_runs.emplace_back();
        m_runs.back().fabric = name;
        m_runs.back().reason = reason.value_or("the settings could not be checked");
        possible = possible || m_runs.back().reason.empty();
    }
    if (!possible)
    {
        return m_runs.empty()
                   ? m_fabrics.Refuse("all, or some of " + FlagParser::List(all) + ", each once")
                   : m_runs[0].reason;
    }
    return CheckFiles();
}

FabricRun
FabricComparison::RunOne(const std::string& fabric) const
{
    m_traffic->Check(fabric);
    FabricProbe probe(m_latency.Get());
    FabricRun run = m_traffic->Run(probe);
    run.fabric = fabric;
    run.measurement = probe.GetMeasurement();
    run.setupCpuSeconds = probe.GetSetupCpuSeconds();
    run.cpuSeconds = probe.GetCpuSeconds();
    run.peakRssBytes = GetPeakRss();
    return run;
}

FabricReport
FabricComparison::Run(std::ostream* progress)
{
    std::string first;
    for (auto& run : m_runs)
    {
        if (!run.reason.empty())
        {
            continue;
        }
        if (progress && Interruption::GetSignal() == 0)
        {
            *progress << "running on " << run.fabric << std::endl;
        }
        first = first.empty() ? run.fabric : first;
        const auto text = RunInChild([this, &run] { return RunOne(run.fabric).ToText(); });
        auto result = text ? FabricRun::FromText(*text) : std::nullopt;
        if (result)
        {
            run = *result;
        }
        else
        {
            const std::string signal = Interruption::GetName();
            run.reason =
                signal.empty() ? "its process ended without a result" : "interrupted by " + signal;
        }
        run.failed = !run.reason.empty();
    }
    m_traffic->Check(first);
    const auto isPhotonic = [](const FabricRun& run) {
        return run.reason.empty() && run.fabric == RailFabric().GetName();
    };
    FabricReport report =
        m_traffic->MakeReport(std::any_of(m_runs.begin(), m_runs.end(), isPhotonic));
    report.runs = m_runs;
    report.interrupted = Interruption::GetName();
    if (const auto remark = report.GetSameFabrics(); !remark.empty())
    {
        report.remarks.push_back(remark);
    }
    return report;
}

} // namespace ns3
