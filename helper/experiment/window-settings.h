// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_WINDOW_SETTINGS_H
#define PHOTONIC_RAILS_WINDOW_SETTINGS_H

#include "ns3/command-line.h"
#include "ns3/flag.h"
#include "ns3/run-summary.h"
#include "ns3/training-settings.h"
#include "ns3/window-report.h"

#include <ostream>
#include <string>

namespace ns3
{

/// A training job and what is asked about the windows between its phases, as flags give them.
class WindowSettings
{
  public:
    /// @param cmd gets the flags of the job and those of the windows
    void AddFlags(CommandLine& cmd);

    /// @return the job
    TrainingSettings& GetJob();

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
    const std::string& GetCsvFile() const;

  private:
    TrainingSettings m_job;
    ChoiceFlag m_phases{"phases", "group", {"group", "parallelism"}};
    CountFlag m_skip{"skip", 1, 0, 999};
    TimeFlag m_threshold{"threshold", "1ms", 1000, "a time of at most 1000 s, such as 1ms"};
    Flag m_csv{"csv", ""};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_WINDOW_SETTINGS_H
