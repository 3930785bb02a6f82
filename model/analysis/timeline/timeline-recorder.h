// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_RECORDER_H
#define PHOTONIC_RAILS_TIMELINE_RECORDER_H

#include "timeline-faults.h"
#include "timeline-messages.h"
#include "timeline-ranks.h"
#include "timeline-switches.h"
#include "trace-event-writer.h"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Listens to a run and writes its timeline: trace events that Perfetto and chrome://tracing
 * open, as doc/timeline.md describes them.
 *
 * It changes nothing of the run. What it hears goes out at once; it keeps what has not ended.
 */
class TimelineRecorder
{
  public:
    /**
     * @param os where the JSON goes; it must outlive this object
     * @param scope what is written
     * @param mesh the mesh of the job
     */
    TimelineRecorder(std::ostream& os, const TimelineScope& scope, const DeviceMesh& mesh);

    /// @return what is written
    const TimelineScope& GetScope() const;
    /// @return what listens to ranks
    TimelineRanks& GetRanks();
    /// @return what listens to switches
    TimelineSwitches& GetSwitches();
    /// @return what listens to the control plane
    TimelineMessages& GetMessages();
    /// @return what looks at links
    TimelineCounters& GetCounters();
    /// @return what listens to faults
    TimelineFaults& GetFaults();

    /// @return where recoveries are written
    TimelineRecoveries& GetRecoveries();

    /**
     * @brief The simulation has ended, and is not torn down yet: write the rest.
     * @param facts about the run, as names and texts
     */
    void Finish(const std::vector<std::pair<std::string, std::string>>& facts);

    /// @return an empty string, or one line that says what the bound has kept out, after Finish
    std::string GetWarning() const;

  private:
    TimelineSheet m_sheet;
    TimelineRanks m_ranks;
    TimelineSwitches m_switches;
    TimelineMessages m_messages;
    TimelineCounters m_counters;
    TimelineFaults m_faults;
    TimelineRecoveries m_recoveries;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_RECORDER_H
