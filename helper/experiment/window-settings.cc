// SPDX-License-Identifier: GPL-2.0-only

#include "window-settings.h"

#include "training-experiment.h"

namespace ns3
{

void
WindowSettings::AddFlags(CommandLine& cmd)
{
    m_job.AddFlags(cmd);
    m_phases.AddTo(cmd,
                   "what makes a phase: calls of one communication group, or of one parallelism (" +
                       m_phases.GetChoices() + ")");
    m_skip.AddTo(cmd, "first iterations that do not count");
    m_threshold.AddTo(cmd, "windows above it are counted");
    m_csv.AddTo(cmd, "file for every window, as comma-separated values");
}

TrainingSettings&
WindowSettings::GetJob()
{
    return m_job;
}

std::string
WindowSettings::Check()
{
    for (const auto& error : {m_job.Check(),
                              m_phases.Check(),
                              m_skip.Check(),
                              m_threshold.Check(),
                              CheckWritable(m_csv)})
    {
        if (!error.empty())
        {
            return error;
        }
    }
    if (m_skip.Get() >= m_job.GetIterations())
    {
        return RefuseFlag(m_skip.GetName(),
                          m_skip.GetText(),
                          "below --iterations=" + std::to_string(m_job.GetIterations()));
    }
    if (m_job.IsDescribing())
    {
        return "--describe is for photonic-rails-training: no windows without a run";
    }
    return "";
}

RunSummary
WindowSettings::Run(std::ostream* progress) const
{
    TrainingExperiment experiment(m_job);
    experiment.KeepRails(m_job.IsOneRail() ? 1 : m_job.GetFabric().GetGpusPerDomain(),
                         m_phases.GetText() == "group" ? PhaseRule::GROUP : PhaseRule::PARALLELISM);
    return experiment.Run(progress);
}

WindowReport
WindowSettings::MakeReport(const RunSummary& summary) const
{
    return {summary.windowsOfRails,
            m_skip.Get(),
            static_cast<uint32_t>(summary.iterations.size()),
            m_threshold.Get()};
}

const std::string&
WindowSettings::GetCsvFile() const
{
    return m_csv.GetText();
}

} // namespace ns3
