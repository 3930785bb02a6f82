// SPDX-License-Identifier: GPL-2.0-only

#include "trace-arguments.h"

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
TraceArguments::AddFlag(const char* name)
{
    return AddText(name, "true");
}

TraceArguments&
TraceArguments::AddTime(const char* name, const Time& value)
{
    return AddText(name, ToMicroseconds(value));
}

} // namespace ns3
