// SPDX-License-Identifier: GPL-2.0-only

#include "trace-event-writer.h"

#include "ns3/assert.h"

namespace ns3
{

TraceEventWriter::TraceEventWriter(std::ostream& os, uint64_t most)
    : m_os(os),
      m_most(most)
{
    // The unit comes first: Perfetto looks for it nowhere else.
    m_os << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
}

void
TraceEventWriter::Open(char phase, const std::string& name, const char* category, Thread thread)
{
    m_line = "{\"ph\":\"";
    m_line += phase;
    m_line += "\",\"pid\":" + std::to_string(thread.process) +
              ",\"tid\":" + std::to_string(thread.number) +
              ",\"name\":" + TraceArguments::Quote(name);
    if (category)
    {
        m_line += ",\"cat\":\"";
        m_line += category;
        m_line += '"';
    }
}

void
TraceEventWriter::Finish(const TraceArguments& arguments)
{
    if (!arguments.IsEmpty())
    {
        m_line += ",\"args\":" + arguments.GetText();
    }
    m_os << (m_isFirst ? "\n" : ",\n") << m_line << '}';
    m_isFirst = false;
}

void
TraceEventWriter::Name(const char* what, Thread thread, const TraceArguments& arguments)
{
    Open('M', what, nullptr, thread);
    Finish(arguments);
}

uint32_t
TraceEventWriter::AddProcess(const std::string& name)
{
    const Thread process{++m_numbers, m_numbers};
    Name("process_name", process, TraceArguments().Add("name", name));
    Name("process_sort_index",
         process,
         TraceArguments().Add("sort_index", uint64_t{process.process}));
    return process.process;
}

TraceEventWriter::Thread
TraceEventWriter::AddThread(uint32_t process, const std::string& name)
{
    const Thread thread = AddThread(process);
    NameThread(thread, name);
    return thread;
}

TraceEventWriter::Thread
TraceEventWriter::AddThread(uint32_t process)
{
    return {process, ++m_numbers};
}

void
TraceEventWriter::NameThread(Thread thread, const std::string& name)
{
    Name("thread_name", thread, TraceArguments().Add("name", name));
    Name("thread_sort_index", thread, TraceArguments().Add("sort_index", uint64_t{thread.number}));
}

bool
TraceEventWriter::Admit(uint64_t events, const Time& at)
{
    NS_ASSERT_MSG(m_pending == 0, "events that were admitted have not been written");
    if (m_leftOutFrom || m_events + events > m_most)
    {
        m_leftOut += events;
        m_leftOutFrom = m_leftOutFrom ? Min(*m_leftOutFrom, at) : at;
        return false;
    }
    m_events += events;
    m_pending = events;
    return true;
}

void
TraceEventWriter::Write(const TraceArguments& arguments)
{
    NS_ASSERT_MSG(m_pending > 0, "an event has not been admitted");
    --m_pending;
    Finish(arguments);
}

void
TraceEventWriter::Slice(Thread thread,
                        const std::string& name,
                        const char* category,
                        const Time& begin,
                        const Time& end,
                        const TraceArguments& arguments)
{
    NS_ASSERT_MSG(begin <= end, name << " ends before it begins");
    Open('X', name, category, thread);
    m_line += ",\"ts\":" + TraceArguments::ToMicroseconds(begin) +
              ",\"dur\":" + TraceArguments::ToMicroseconds(end - begin);
    Write(arguments);
}

void
TraceEventWriter::AsyncSlice(uint32_t process,
                             const std::string& name,
                             const char* category,
                             const Time& begin,
                             const Time& end,
                             const TraceArguments& arguments)
{
    NS_ASSERT_MSG(begin <= end, name << " ends before it begins");
    const std::string id = ",\"id2\":{\"local\":\"" + std::to_string(++m_asyncs) + "\"}";
    Open('b', name, category, {process, process});
    m_line += id + ",\"ts\":" + TraceArguments::ToMicroseconds(begin);
    Write(arguments);
    Open('e', name, category, {process, process});
    m_line += id + ",\"ts\":" + TraceArguments::ToMicroseconds(end);
    Write({});
}

void
TraceEventWriter::Instant(Thread thread,
                          const std::string& name,
                          const char* category,
                          const Time& at,
                          const TraceArguments& arguments)
{
    Open('i', name, category, thread);
    m_line += ",\"s\":\"t\",\"ts\":" + TraceArguments::ToMicroseconds(at);
    Write(arguments);
}

void
TraceEventWriter::Counter(uint32_t process,
                          const std::string& name,
                          const char* series,
                          const Time& at,
                          double value)
{
    Open('C', name, nullptr, {process, process});
    m_line += ",\"ts\":" + TraceArguments::ToMicroseconds(at);
    Write(TraceArguments().AddNumber(series, value));
}

uint64_t
TraceEventWriter::AddFlow()
{
    return ++m_flows;
}

void
TraceEventWriter::FlowPoint(uint64_t flow,
                            Flow place,
                            Thread thread,
                            const std::string& name,
                            const char* category,
                            const Time& at)
{
    Open(static_cast<char>(place), name, category, thread);
    m_line += ",\"id\":" + std::to_string(flow) + ",\"ts\":" + TraceArguments::ToMicroseconds(at);
    if (place == Flow::END)
    {
        m_line += ",\"bp\":\"e\""; // the slice there, not the next one
    }
    Write({});
}

uint64_t
TraceEventWriter::GetEvents() const
{
    return m_events;
}

uint64_t
TraceEventWriter::GetLeftOut() const
{
    return m_leftOut;
}

const std::optional<Time>&
TraceEventWriter::GetLeftOutFrom() const
{
    return m_leftOutFrom;
}

void
TraceEventWriter::Close(const std::string& other)
{
    if (m_leftOutFrom)
    {
        Open('i', "the file is full: events are missing from here on", nullptr, {0, 0});
        m_line += ",\"s\":\"g\",\"ts\":" + TraceArguments::ToMicroseconds(*m_leftOutFrom);
        Finish(TraceArguments().Add("events", m_leftOut));
    }
    m_os << "\n],\"otherData\":" << other << "}\n";
}

} // namespace ns3
