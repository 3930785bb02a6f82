// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_RECORDER_H
#define PHOTONIC_RAILS_TIMELINE_RECORDER_H

#include "timeline-messages.h"
#include "timeline-ranks.h"
#include "timeline-switches.h"
#include "trace-event-writer.h"

#include "ns3/run-summary.h"

#include <cstddef>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Faults in a timeline: a slice from failure to repair, and an instant for each consequence.
class TimelineFaults
{
  public:
    /// @param sheet gets the events; must outlive this object
    explicit TimelineFaults(TimelineSheet& sheet);

    /// A component fails. @param kind of component @param target the component
    void Began(const std::string& kind, const std::string& target);
    /// A component is repaired. @param kind of component @param target the component
    void Ended(const std::string& kind, const std::string& target);
    /// A fault has a consequence. @param kind of component @param target the component @param what
    /// the consequence, in words
    void Served(const std::string& kind, const std::string& target, const std::string& what);

    /// Write faults that are not repaired, up to the end of the sheet.
    void Finish();

  private:
    using Component = std::pair<std::string, std::string>; //!< kind and target

    /// @return the thread of what is done about faults
    TraceEventWriter::Thread GetThread();
    void Write(const Component& component, const Time& begin, const Time& end);

    TimelineSheet& m_sheet;
    std::optional<TraceEventWriter::Thread> m_thread;
    std::map<Component, Time> m_broken; //!< since when
};

/**
 * @brief Recoveries from the loss of GPUs in a timeline: a slice for the lost work, followed by a
 * slice for the recovery, which contains the steps of the recovery.
 *
 * If a recovery starts before the previous recovery has ended (the second GPU is lost before the
 * loss of the first GPU is detected), it gets a thread of its own.
 */
class TimelineRecoveries
{
  public:
    /// @param sheet gets the events; must outlive this object
    explicit TimelineRecoveries(TimelineSheet& sheet);

    /// @param recoveries completed recoveries, in order; may be empty
    void Write(const std::vector<RunRecovery>& recoveries);

  private:
    /// A thread whose slices do not overlap.
    struct Connector
    {
        TraceEventWriter::Thread thread;
        Time end; //!< of its last slice
    };

    /// @return a thread without slices after begin, reserved until end
    TraceEventWriter::Thread TakeThread(const Time& begin, const Time& end);
    void Write(const RunRecovery& recovery, std::size_t index);

    TimelineSheet& m_sheet;
    std::optional<uint32_t> m_process;
    std::vector<Connector> m_connectors;
};

/**
 * @brief Writes the timeline of a run: trace events for Perfetto and chrome://tracing, documented
 * in doc/timeline.md.
 *
 * The recorder does not influence the run. It writes an event as soon as the event has ended.
 */
class TimelineRecorder
{
  public:
    /**
     * @param os stream for the JSON; must outlive this object
     * @param scope ranks and times that the timeline shows
     * @param layout domains and groups of the job
     */
    TimelineRecorder(std::ostream& os, const TimelineScope& scope, const RankLayout& layout);

    /**
     * @brief Write events that have not ended, and the end of the file. Call after Simulator::Run
     * and before Simulator::Destroy.
     * @param facts names and values that describe the run
     */
    void Finish(const std::vector<std::pair<std::string, std::string>>& facts);

    /// @return an empty string, or after Finish one line with the number of events beyond the bound
    std::string GetWarning() const;

    TimelineSheet sheet;           //!< what is written, and where
    TimelineRanks ranks;           //!< what ranks do
    TimelineSwitches switches;     //!< states of ports and commands
    TimelineMessages messages;     //!< messages of the control plane
    TimelineCounters counters;     //!< utilisation of links
    TimelineFaults faults;         //!< faults and their consequences
    TimelineRecoveries recoveries; //!< recoveries from losses of GPUs
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_RECORDER_H
