// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_ARGUMENTS_H
#define PHOTONIC_RAILS_TRACE_ARGUMENTS_H

#include "ns3/nstime.h"

#include <cstdint>
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
    TraceArguments& AddFlag(const char* name);
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

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_ARGUMENTS_H
