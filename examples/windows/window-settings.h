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

/// The flags of photonic-rails-windows: a training job, and how to count windows between phases.
class WindowSettings : public OptionGroup
{
  public:
    /// @return an empty string, or one line that names the flag and its allowed values
    std::string Check();

    /**
     * @brief Run the job and record the windows of all rails.
     * @param progress stream for a progress line, or null
     * @return the summary of the run
     */
    RunSummary Run(std::ostream* progress) const;

    /// @param summary of Run @return statistics of the windows that count
    WindowReport MakeReport(const RunSummary& summary) const;

    TrainingSettings job{this}; //!< the flags of photonic-rails-training

  private:
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

  public:
    FileOption csv{this,
                   "csv",
                   OptionHelp("file for every window, as comma-separated values").First()};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_WINDOW_SETTINGS_H
