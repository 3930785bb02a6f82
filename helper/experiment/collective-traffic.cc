// SPDX-License-Identifier: GPL-2.0-only

#include "collective-traffic.h"

#include "collectives-experiment.h"

namespace ns3
{

CollectiveTraffic::CollectiveTraffic(OptionGroup* options)
    : m_settings(options, true)
{
}

std::string
CollectiveTraffic::Check(const std::string& fabric)
{
    m_settings.SetFabric(fabric);
    return m_settings.Check();
}

FabricRun
CollectiveTraffic::Run(FabricProbe& probe)
{
    const auto row =
        CollectivesExperiment(m_settings).Run(m_settings.MakeReport().GetSizes()[0], &probe);
    FabricRun run;
    if (!row)
    {
        run.reason = "the calls came to a standstill";
        return run;
    }
    run.completion = row->time;
    run.messageTimes = row->callTimes;
    return run;
}

FabricReport
CollectiveTraffic::MakeReport(bool circuits) const
{
    const CollectiveReport calls = m_settings.MakeReport();
    FabricReport report;
    report.traffic = "collective";
    report.description = calls.algorithm + " " + ToString(calls.kind) + " of " +
                         std::to_string(calls.minBytes) + " bytes by " +
                         std::to_string(m_settings.GetGroups().size()) + " group(s) of " +
                         std::to_string(calls.ranks) + " GPUs, " +
                         std::to_string(m_settings.GetFabric().GetNicPorts()) + " x " +
                         m_settings.GetFabric().GetPortRateText() + " a GPU";
    if (circuits)
    {
        report.remarks.emplace_back("photonic: the circuits of the rings are set up before");
    }
    if (const auto remark = m_settings.GetRingRemark(); !remark.empty())
    {
        report.remarks.push_back(remark);
    }
    report.messages = "call of a rank";
    report.completion = "call, start to last end";
    report.settings = {{"collective", ToString(calls.kind)},
                       {"algorithm", calls.algorithm},
                       {"bytes", std::to_string(calls.minBytes)},
                       {"warmups", std::to_string(calls.warmups)},
                       {"iterations", std::to_string(calls.iterations)}};
    report.settings.insert(report.settings.end(), calls.settings.begin(), calls.settings.end());
    return report;
}

} // namespace ns3
