// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_EVENT_WRITER_H
#define PHOTONIC_RAILS_TRACE_EVENT_WRITER_H

#include "trace-arguments.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

namespace ns3
{

/**
 * @brief Writes a file of trace events that Perfetto and chrome://tracing open: the JSON object of
 * the "Trace Event Format" (a document of the Chromium project), one event a line.
 *
 * It knows nothing of what it writes. Events go out as they come and nothing is kept of them, so
 * they may come in any order of time; at the same time on the same thread, what encloses comes
 * before what is enclosed.
 *
 * There is a bound to the number of events. Who writes asks first, for all events that belong
 * together, so that a begin never lacks its end; from the first refusal on, all are refused. Names
 * of processes and threads do not count.
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
     * @param os where the JSON goes
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
     * @param events how many
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
    uint64_t AddFlow();

    /**
     * @brief An arrow comes by at the slice that was written last, which begins at this moment.
     * One event.
     * @param flow number of the arrow
     * @param place where in it
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
    uint64_t GetEvents() const;
    /// @return events that were not, because of the bound
    uint64_t GetLeftOut() const;
    /// @return at which time the first of them was missed, if any
    const std::optional<Time>& GetLeftOutFrom() const;

    /**
     * @brief Write the end, and where events begin to be missing, if they do. Nothing may follow.
     * @param other JSON of an object with what else there is to say
     */
    void Close(const std::string& other);

  private:
    /// Begin an event.
    void Open(char phase, const std::string& name, const char* category, Thread thread);
    /// End it.
    void Finish(const TraceArguments& arguments);
    /// End it; it is one of those that were admitted.
    void Write(const TraceArguments& arguments);
    /// Write an event that names something.
    void Name(const char* what, Thread thread, const TraceArguments& arguments);

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

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_EVENT_WRITER_H
