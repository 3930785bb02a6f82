// SPDX-License-Identifier: GPL-2.0-only

#include "trace-event-writer.h"

#include "ns3/assert.h"
#include "ns3/report-value.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

constexpr int64_t PICOSECONDS_PER_MICROSECOND = 1'000'000;
constexpr std::size_t DIGITS = 6; // after the point

/// @return true if a character stands for itself in JSON
bool
IsPlain(char c)
{
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

} // namespace

std::string
TraceArguments::Quote(const std::string& text)
{
    if (std::all_of(text.begin(), text.end(), IsPlain))
    {
        return '"' + text + '"';
    }
    std::ostringstream quoted;
    ReportValue(text).WriteJson(quoted);
    return quoted.str();
}

std::string
TraceArguments::ToMicroseconds(const Time& time)
{
    const int64_t picoseconds = time.GetPicoSeconds();
    NS_ASSERT_MSG(picoseconds >= 0, "a time before the begin of the simulation");
    std::string text = std::to_string(picoseconds / PICOSECONDS_PER_MICROSECOND);
    if (const int64_t rest = picoseconds % PICOSECONDS_PER_MICROSECOND; rest > 0)
    {
        const std::string digits = std::to_string(rest);
        text += '.' + std::string(DIGITS - digits.size(), '0') + digits;
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text;
}

TraceArguments&
TraceArguments::AddText(const char* name, const std::string& value)
{
    if (!m_text.empty())
    {
        m_text += ',';
    }
    m_text += '"';
    m_text += name;
    m_text += "\":";
    m_text += value;
    return *this;
}

TraceArguments&
TraceArguments::Add(const char* name, uint64_t value)
{
    return AddText(name, std::to_string(value));
}

TraceArguments&
TraceArguments::AddNumber(const char* name, double value)
{
    return AddText(name, ReportValue(value).ToText());
}

TraceArguments&
TraceArguments::Add(const char* name, const std::string& value)
{
    return AddText(name, Quote(value));
}

TraceArguments&
TraceArguments::AddFlag(const char* name, bool isSet)
{
    return isSet ? AddText(name, "true") : *this;
}

TraceArguments&
TraceArguments::AddTime(const char* name, const Time& value)
{
    return AddText(name, ToMicroseconds(value));
}

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
TraceEventWriter::Name(const std::string& what,
                       Thread thread,
                       uint64_t place,
                       const std::string& name)
{
    Open('M', what + "_name", nullptr, thread);
    Finish(TraceArguments().Add("name", name));
    Open('M', what + "_sort_index", nullptr, thread);
    Finish(TraceArguments().Add("sort_index", place));
}

uint32_t
TraceEventWriter::AddProcess(const std::string& name)
{
    const Thread process{++m_numbers, m_numbers};
    Name("process", process, process.process, name);
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
    Name("thread", thread, thread.number, name);
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

TimelineSheet::TimelineSheet(std::ostream& os, const TimelineScope& scope)
    : TraceEventWriter(os, scope.events),
      m_scope(scope)
{
}

bool
TimelineSheet::Admit(uint64_t events, const Time& begin, const Time& end)
{
    m_end = Max(m_end, end);
    return IsWithin(begin, end) && TraceEventWriter::Admit(events, end);
}

bool
TimelineSheet::AdmitValue(const Time& at)
{
    return IsWithin(at, at) && TraceEventWriter::Admit(1, at);
}

bool
TimelineSheet::IsWithin(const Time& begin, const Time& end) const
{
    return begin <= m_scope.to && end >= m_scope.from;
}

} // namespace ns3
