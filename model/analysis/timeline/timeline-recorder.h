// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_RECORDER_H
#define PHOTONIC_RAILS_TIMELINE_RECORDER_H

#include "timeline-ranks.h"
#include "timeline-switches.h"
#include "trace-event-writer.h"

#include "ns3/opus-controller.h"
#include "ns3/opus-manager.h"
#include "ns3/opus-shim.h"
#include "ns3/ptr.h"
#include "ns3/run-summary.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The messages between shims, managers and controllers of Opus in a timeline.
 *
 * Each shim, manager and controller is a thread. A message has a slice of zero length on each
 * thread that it passes, and arrows between these slices: from the shim through the manager to the
 * controller, or back. The class writes a message when the message arrives at its destination;
 * Finish writes messages that have not arrived.
 */
class TimelineMessages : public TimelinePart
{
  public:
    using TimelinePart::TimelinePart;

    /**
     * @param shim the shim of a rank in the scope of the sheet
     * @param rank the rank
     * @param process the process of the rank in the timeline
     */
    void Observe(Ptr<OpusShim> shim, uint32_t rank, uint32_t process);
    /**
     * @param manager a manager
     * @param name for people
     */
    void Observe(Ptr<OpusManager> manager, const std::string& name);
    /**
     * @param controller a controller
     * @param name for people
     */
    void Observe(Ptr<OpusController> controller, const std::string& name);

    /// Write messages that have not arrived; call after Simulator::Run.
    void Finish();

    /**
     * @param group the number of a group of a lease, see OpusShim::GetLeaseGroup
     * @return the number as text, or both ranks if the lease is for a pair within a group
     */
    static std::string GetGroupName(uint64_t group);

  private:
    /// The components that a message passes, in the order of a message from a rank.
    enum Station : uint8_t
    {
        SHIM,
        MANAGER,
        CONTROLLER,
    };

    /// A message at a component.
    struct Hop
    {
        TraceEventWriter::Thread thread;
        Time at;
    };

    /// A message and the components that it has passed so far.
    struct Journey
    {
        OpusMessage message;
        std::vector<Hop> hops;
    };

    /// Key of a message: type, job, rank, group, lease. Messages with equal keys keep their order.
    using Key = std::tuple<OpusMessageType, uint32_t, uint32_t, uint64_t, uint32_t>;

    /// A component and its thread.
    struct Place
    {
        Station station{SHIM};
        TraceEventWriter::Thread thread;
    };

    void ShimGranted(uint32_t rank, uint64_t group, Time waited, Time exposed, bool speculative);
    /**
     * @brief Connect to the trace sources of the messages of a component.
     * @return its index in m_places
     */
    uint32_t AddPlace(Ptr<Object> component,
                      const Place& place,
                      std::initializer_list<const char*> sources);
    /// Add a component to a message; write the message if the component is its destination.
    void Pass(uint32_t index, const OpusMessage& message);
    /// Write a message; isComplete: the message has arrived.
    void Write(const Journey& journey, bool isComplete);

    std::vector<Place> m_places;          //!< shims, managers and controllers
    std::map<uint32_t, uint32_t> m_shims; //!< index in m_places by rank
    std::map<Key, std::deque<Journey>> m_journeys;
};

/// Faults in a timeline: a slice from failure to repair, and an instant for each consequence.
class TimelineFaults : public TimelinePart
{
  public:
    using TimelinePart::TimelinePart;

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

    /// @return the thread of the consequences of faults
    TraceEventWriter::Thread GetThread();
    void Write(const Component& component, const Time& begin, const Time& end);

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
class TimelineRecoveries : public TimelinePart
{
  public:
    using TimelinePart::TimelinePart;

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
