// SPDX-License-Identifier: GPL-2.0-only

#include "window-settings.h"

#include "ns3/training-experiment.h"

namespace ns3
{

std::string
WindowSettings::Check()
{
    if (auto error = FindError([this] { return CheckOptions(); },
                               [this] { return job.Check(); },
                               [this] { return CheckFiles(); });
        !error.empty())
    {
        return error;
    }
    if (m_skip.Get() >= job.iterations.Get())
    {
        return m_skip.Refuse("below --iterations=" + std::to_string(job.iterations.Get()));
    }
    if (job.describe.Get())
    {
        return "--describe is for photonic-rails-training: no windows without a run";
    }
    return "";
}

RunSummary
WindowSettings::Run(std::ostream* progress) const
{
    TrainingExperiment experiment(job);
    experiment.KeepRails(job.fabric.gpusPerDomain.Get(),
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

} // namespace ns3
