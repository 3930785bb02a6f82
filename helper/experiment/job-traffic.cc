// SPDX-License-Identifier: GPL-2.0-only

#include "job-traffic.h"

#include "training-experiment.h"

namespace ns3
{

JobTraffic::JobTraffic(OptionGroup* options)
    : m_settings(options)
{
    m_settings.FixFabric();
}

std::string
JobTraffic::Check(const std::string& fabric)
{
    m_settings.SetFabric(fabric);
    return m_settings.Check();
}

FabricRun
JobTraffic::Run(FabricProbe& probe)
{
    const RunSummary summary = TrainingExperiment(m_settings).Run(nullptr, &probe);
    FabricRun run;
    run.reason = ToOneLine(summary.CheckInvariants());
    std::vector<Time> times;
    for (const auto& iteration : summary.iterations)
    {
        times.push_back(iteration.duration);
    }
    run.messageTimes = LatencySummary::Make(times);
    run.completion = times.empty() ? Time(0) : times.back();
    return run;
}

FabricReport
JobTraffic::MakeReport(bool circuits) const
{
    FabricReport report;
    report.traffic = "job";
    report.description = m_settings.DescribeJob();
    if (circuits)
    {
        report.remarks = {"photonic: circuits are lent by Opus (" +
                          m_settings.GetFabric().GetOcs() + ", " +
                          m_settings.GetFabric().GetReconfigurationDelay() + ")"};
    }
    report.messages = "iteration";
    report.completion = "last iteration";
    report.settings = m_settings.GetInForce();
    return report;
}

} // namespace ns3
