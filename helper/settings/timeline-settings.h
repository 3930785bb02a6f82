// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_SETTINGS_H
#define PHOTONIC_RAILS_TIMELINE_SETTINGS_H

#include "ns3/command-line.h"
#include "ns3/device-mesh.h"
#include "ns3/flag.h"
#include "ns3/timeline-sheet.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace ns3
{

/// What of a run is written as a timeline, as flags give it.
class TimelineSettings
{
  public:
    TimelineSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings and work out what the getters below return.
     * @param ranks that are simulated
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(uint64_t ranks);

    /// @return the file, or an empty string if there is no timeline
    const std::string& GetFile() const;

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
    Flag m_file{"timeline", ""};
    Flag m_ranks{"timelineRanks", ""};
    TimeFlag m_from;
    TimeFlag m_to;
    TimeFlag m_bin;
    CountFlag m_events{"timelineEvents", 1'000'000, 1};
    std::set<uint32_t> m_named; //!< ranks; empty: none have been
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_SETTINGS_H
