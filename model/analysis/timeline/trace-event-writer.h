// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_EVENT_WRITER_H
#define PHOTONIC_RAILS_TRACE_EVENT_WRITER_H

#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <set>
#include <string>

namespace ns3
{

/**
 * @brief The arguments of a trace event: the members of a JSON object, in the order in which they
 * are added.
 *
 * Made as text at once, because a trace has a great many of them.
 */
class TraceArguments
{
  public:
    /// @param name of the argument
    /// @param value a whole number
    TraceArguments& Add(const char* name, uint64_t value);
    /// @param name of the argument
    /// @param value a finite number; it is written so that it can be read back exactly
    TraceArguments& AddNumber(const char* name, double value);
    /// @param name of the argument
    /// @param value any text; bytes that are not UTF-8 are replaced
    TraceArguments& Add(const char* name, const std::string& value);
    /// @param name of the argument, which is going to be true
    /// @param isSet false: there is no such argument
    TraceArguments& AddFlag(const char* name, bool isSet = true);
    /// @param name of the argument, which should say that it is in microseconds
    /// @param value a time
    TraceArguments& AddTime(const char* name, const Time& value);

    /// @return the object as JSON
    std::string GetText() const
    {
        return '{' + m_text + '}';
    }

    /// @return true if nothing has been added
    bool IsEmpty() const
    {
        return m_text.empty();
    }

    /**
     * @param text any text
     * @return it as JSON, with quotes, in ASCII
     */
    static std::string Quote(const std::string& text);

    /**
     * @param time a time that is not negative
     * @return microseconds as JSON, exact to the picosecond
     */
    static std::string ToMicroseconds(const Time& time);

  private:
    /// Add a member whose value is JSON.
    TraceArguments& AddText(const char* name, const std::string& value);

    std::string m_text;
};

/**
 * @brief Writes a file of trace events that Perfetto and chrome://tracing open: the JSON object of
 * the "Trace Event Format" (a document of the Chromium project), one event a line.
 *
 * Events are written at once and not kept, so they may come in any order of time; at the same time
 * on the same thread, an enclosing event must come before the enclosed one.
 *
 * The number of events is bounded. A caller first asks for all events that belong together, so that
 * a begin never lacks its end; after the first refusal, all are refused. Names of processes and
 * threads do not count.
 *
 * Numbers of processes and threads are drawn from one series: for some readers a thread is known by
 * its number alone.
 */
class TraceEventWriter
{
  public:
    /// A thread of a process.
    struct Thread
    {
        uint32_t process{0}; //!< its process
        uint32_t number{0};  //!< of the thread
    };

    /**
     * @param os gets the JSON
     * @param most events that are written
     */
    TraceEventWriter(std::ostream& os, uint64_t most);

    /**
     * @param name for people
     * @return the number of the process; readers show those with lower numbers first
     */
    uint32_t AddProcess(const std::string& name);
    /**
     * @param process its process
     * @param name for people
     * @return the thread; readers show those that were added before it first
     */
    Thread AddThread(uint32_t process, const std::string& name);
    /**
     * @param process its process
     * @return a thread that readers do not see until it has a name
     */
    Thread AddThread(uint32_t process);
    /// @param thread one without a name @param name for people
    void NameThread(Thread thread, const std::string& name);

    /**
     * @brief Ask whether events may be written. If so, they have to be.
     * @param events number of events
     * @param at a time at which they are missed if not
     * @return false if that is more than the bound allows
     */
    bool Admit(uint64_t events, const Time& at);

    /// @brief Something that lasts. One event.
    void Slice(Thread thread,
               const std::string& name,
               const char* category,
               const Time& begin,
               const Time& end,
               const TraceArguments& arguments);

    /// @brief Something that lasts and may overlap with others of its process. Two events.
    void AsyncSlice(uint32_t process,
                    const std::string& name,
                    const char* category,
                    const Time& begin,
                    const Time& end,
                    const TraceArguments& arguments);

    /// @brief Something that happens at a moment. One event.
    void Instant(Thread thread,
                 const std::string& name,
                 const char* category,
                 const Time& at,
                 const TraceArguments& arguments);

    /// @brief A quantity of a process has a value from a moment on. One event.
    void Counter(uint32_t process,
                 const std::string& name,
                 const char* series,
                 const Time& at,
                 double value);

    /// The place of an event in an arrow.
    enum class Flow : char
    {
        START = 's',
        STEP = 't',
        END = 'f',
    };

    /// @return the number of an arrow that is going to be drawn
    uint64_t AddFlow()
    {
        return ++m_flows;
    }

    /**
     * @brief An arrow comes by at the slice that was written last, which begins at this moment.
     * One event.
     * @param flow number of the arrow
     * @param place in it
     * @param thread that of the slice
     * @param name of the arrow, the same at all its places
     * @param category the same
     * @param at when
     */
    void FlowPoint(uint64_t flow,
                   Flow place,
                   Thread thread,
                   const std::string& name,
                   const char* category,
                   const Time& at);

    /// @return events that were written
    uint64_t GetEvents() const
    {
        return m_events;
    }

    /// @return events that were not, because of the bound
    uint64_t GetLeftOut() const
    {
        return m_leftOut;
    }

    /// @return at which time the first of them was missed, if any
    const std::optional<Time>& GetLeftOutFrom() const
    {
        return m_leftOutFrom;
    }

    /**
     * @brief Write the end, and the time from which events are missing, if any are. Nothing may
     * follow.
     * @param other JSON of an object with further values
     */
    void Close(const std::string& other);

  private:
    /// Begin an event.
    void Open(char phase, const std::string& name, const char* category, Thread thread);
    /// End it.
    void Finish(const TraceArguments& arguments);
    /// End it; it is one of those that were admitted.
    void Write(const TraceArguments& arguments);
    /// Write the name of a process or a thread, and its place among the others.
    void Name(const std::string& what, Thread thread, uint64_t place, const std::string& name);

    std::ostream& m_os;
    uint64_t m_most;
    uint64_t m_events{0};  //!< admitted
    uint64_t m_pending{0}; //!< admitted and not yet written
    uint64_t m_leftOut{0}; //!< refused
    std::optional<Time> m_leftOutFrom;
    uint32_t m_numbers{0}; //!< of processes and threads
    uint64_t m_flows{0};   //!< numbers of arrows
    uint64_t m_asyncs{0};  //!< numbers of slices that may overlap
    bool m_isFirst{true};  //!< no line has been written
    std::string m_line;    //!< the event that is being written
};

/// The part of a run that goes into a timeline.
struct TimelineScope
{
    std::set<uint32_t> ranks;   //!< whose streams, ports and messages
    Time from;                  //!< what ends before is left out
    Time to{Time::Max()};       //!< what begins later is left out
    Time bin{MilliSeconds(10)}; //!< in which utilisation is measured; zero: it is not
    uint64_t events{1'000'000}; //!< bound to the number of trace events
};

/// The file to which trace sinks write the events within a scope.
class TimelineSheet : public TraceEventWriter
{
  public:
    /**
     * @param os gets the JSON
     * @param scope the part of the run to write
     */
    TimelineSheet(std::ostream& os, const TimelineScope& scope);

    /**
     * @brief Reserve events; if the result is true, the caller must write them.
     * @param events number of trace events that takes
     * @param begin when it began
     * @param end when it ended, not after now
     * @return false if it is out of the scope or beyond the bound
     */
    bool Admit(uint64_t events, const Time& begin, const Time& end);

    /**
     * @brief The same for a value of a counter, which is no news of the run.
     * @param at from when on it holds
     */
    bool AdmitValue(const Time& at);

    /// @return the part of the run to write
    const TimelineScope& GetScope() const
    {
        return m_scope;
    }

    /// @return the time of the last event received, within the scope or not
    const Time& GetEnd() const
    {
        return m_end;
    }

  private:
    /// @return true if a time is within the scope
    bool IsWithin(const Time& begin, const Time& end) const;

    TimelineScope m_scope;
    Time m_end;
};

/// A part of a timeline.
class TimelinePart
{
  public:
    /// @param sheet gets the events; must outlive this object
    explicit TimelinePart(TimelineSheet& sheet)
        : m_sheet(sheet)
    {
    }

  protected:
    TimelineSheet& m_sheet; //!< gets the events
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_EVENT_WRITER_H
