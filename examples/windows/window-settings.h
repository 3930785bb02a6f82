// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_WINDOW_SETTINGS_H
#define PHOTONIC_RAILS_WINDOW_SETTINGS_H

#include "ns3/run-summary.h"
#include "ns3/training-settings.h"
#include "ns3/window-report.h"

#include <ostream>
#include <string>

namespace ns3
{

/// A training job and what is asked about the windows between its phases.
class WindowSettings : public OptionGroup
{
  public:
    /// @return the job
    const TrainingSettings& GetJob() const
    {
        return m_job;
    }

    /// @return an empty string, or one line that names the flag and what is allowed
    std::string Check();

    /**
     * @brief Run the job.
     * @param progress where a progress line goes; null for none
     * @return what it has shown, windows of all its rails included
     */
    RunSummary Run(std::ostream* progress) const;

    /// @return what a run has shown of windows
    WindowReport MakeReport(const RunSummary& summary) const;

    /// @return the file for all windows, or an empty string
    const std::string& GetCsvFile() const
    {
        return m_csv.GetText();
    }

  private:
    TrainingSettings m_job{this};
    OptionHeading m_heading{this, "windows"};
    ChoiceOption m_phases{
        this,
        "phases",
        "group",
        {"group", "parallelism"},
        OptionHelp("what makes a phase: calls of one communication group, or of one parallelism "
                   "({})")
            .First()};
    CountOption m_skip{this,
                       "skip",
                       1,
                       {0, 999},
                       OptionHelp("first iterations that do not count").First()};
    TimeOption m_threshold{this,
                           "threshold",
                           "1ms",
                           {"0s", "1000s", "1ms"},
                           OptionHelp("windows above it are counted").First()};
    FileOption m_csv{this,
                     "csv",
                     OptionHelp("file for every window, as comma-separated values").First()};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_WINDOW_SETTINGS_H
