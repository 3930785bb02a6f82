// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_SETTINGS_H
#define PHOTONIC_RAILS_TIMELINE_SETTINGS_H

#include "ns3/device-mesh.h"
#include "ns3/option-group.h"
#include "ns3/timeline-sheet.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace ns3
{

/// What of a run is written as a timeline.
class TimelineSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit TimelineSettings(OptionGroup* parent);

    /**
     * @brief Work out what the getters below return, when each option has been checked.
     * @param ranks that are simulated
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(uint64_t ranks);

    /// @return the file, or an empty string if there is no timeline
    const std::string& GetFile() const
    {
        return m_file.GetText();
    }

    /**
     * @param mesh of the job that is simulated
     * @return what is written. If no ranks have been named: all if there are at most ALL_RANKS,
     * otherwise of each pipeline stage the rank that stands for it in the summary of the run
     */
    TimelineScope GetScope(const DeviceMesh& mesh) const;

    /**
     * @param text such as 0,4,8-11, or all
     * @param ranks all there are
     * @return the ranks, if it is well formed and they are below that number
     */
    static std::optional<std::set<uint32_t>> ParseRanks(const std::string& text, uint64_t ranks);

    /// Jobs of so many ranks are written whole.
    static constexpr uint32_t ALL_RANKS = 16;

  private:
    OptionHeading m_heading{this, "timeline"};
    FileOption m_file{this,
                      "timeline",
                      "write what happens when to this file, for Perfetto (ui.perfetto.dev) or "
                      "chrome://tracing"};
    TextOption m_ranks{
        this,
        "timelineRanks",
        "",
        OptionHelp("whose streams, ports and messages: 0,4,8-11 or all; if empty, all of up to "
                   "16, otherwise one of each pipeline stage")
            .ForOneRun()};
    TimeOption m_from{this,
                      "timelineFrom",
                      "0s",
                      {"0s", "1000000s", "1.5s"},
                      OptionHelp("leave out what ends before").ForOneRun()};
    TimeOption m_to{this,
                    "timelineTo",
                    "",
                    {"0s", "1000000s", "1.5s"},
                    OptionHelp("leave out what begins later; if empty, nothing").ForOneRun()};
    TimeOption m_bin{
        this,
        "timelineBin",
        "10ms",
        {"1us", "1000000s", nullptr, true},
        OptionHelp("in which the utilisation of links is measured; 0s: it is not").ForOneRun()};
    CountOption m_events{this,
                         "timelineEvents",
                         1'000'000,
                         {1},
                         OptionHelp("trace events that are written at most").ForOneRun()};
    std::set<uint32_t> m_named; //!< ranks; empty: none have been
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_SETTINGS_H
