// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_RECORDER_H
#define PHOTONIC_RAILS_TIMELINE_RECORDER_H

#include "timeline-messages.h"
#include "timeline-ranks.h"
#include "timeline-switches.h"
#include "trace-event-writer.h"

#include "ns3/recovery-report.h"

#include <cstddef>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// What breaks, in a timeline: a slice until it is mended, and instants for what became of it.
class TimelineFaults
{
  public:
    /// @param sheet where they are written; it must outlive this object
    explicit TimelineFaults(TimelineSheet& sheet);

    /// @param kind of component @param target which one: it breaks
    void Began(const std::string& kind, const std::string& target);
    /// @param kind of component @param target which one: it is mended
    void Ended(const std::string& kind, const std::string& target);
    /// @param kind of component @param target which one @param what has been done about it
    void Served(const std::string& kind, const std::string& target, const std::string& what);

    /// The simulation has ended: write what has not, up to the end of the sheet.
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
 * @brief How a job went on after losses of GPUs, in a timeline: the work that is done again, the
 * recovery after it, and within that its steps.
 *
 * A recovery that begins before the one ahead of it has ended, because its GPU was missed later, is
 * on a thread of its own.
 */
class TimelineRecoveries
{
  public:
    /// @param sheet where they are written; it must outlive this object
    explicit TimelineRecoveries(TimelineSheet& sheet);

    /// @param recoveries that were completed, in order; nothing is written if there are none
    void Write(const std::vector<RunRecovery>& recoveries);

  private:
    /// A thread whose slices do not overlap.
    struct Connector
    {
        TraceEventWriter::Thread thread;
        Time end; //!< of its last slice
    };

    /// @return a thread on which nothing is at a moment; it is taken until another
    TraceEventWriter::Thread TakeThread(const Time& begin, const Time& end);
    void Write(const RunRecovery& recovery, std::size_t index);

    TimelineSheet& m_sheet;
    std::optional<uint32_t> m_process;
    std::vector<Connector> m_connectors;
};

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

    /**
     * @brief The simulation has ended, and is not torn down yet: write the rest.
     * @param facts about the run, as names and texts
     */
    void Finish(const std::vector<std::pair<std::string, std::string>>& facts);

    /// @return an empty string, or one line that says what the bound has kept out, after Finish
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
