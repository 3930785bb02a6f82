// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TEXT_ARCHIVE_H
#define PHOTONIC_RAILS_TEXT_ARCHIVE_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @file
 * Results that go from one process to another, as text: the reader gets the written values, to the
 * last bit of a number.
 *
 * A type of results has a function that names its fields once, for both ways:
 *
 *     template <typename Archive>
 *     void
 *     VisitFields(Archive& archive, Result& result)
 *     {
 *         archive(result.name, result.time, result.parts);
 *     }
 *
 * A field is a number, a Time, a std::string, a std::vector of fields or has such a function.
 */

/// Name the fields of a pair.
template <typename Archive, typename First, typename Second>
void
VisitFields(Archive& archive, std::pair<First, Second>& pair)
{
    archive(pair.first, pair.second);
}

/// Writes fields.
class TextWriter
{
  public:
    /// An empty text.
    TextWriter()
    {
        m_text.imbue(std::locale::classic());
        m_text.precision(std::numeric_limits<double>::max_digits10);
    }

    /// Write fields, in this order.
    template <typename... Fields>
    void operator()(Fields&... fields)
    {
        (Write(fields), ...);
    }

    /// @return the text written so far
    std::string GetText() const
    {
        return m_text.str();
    }

  private:
    template <typename T>
    void Write(T& field)
    {
        if constexpr (std::is_arithmetic_v<T>)
        {
            m_text << field << ' ';
        }
        else if constexpr (std::is_same_v<T, Time>)
        {
            m_text << field.GetTimeStep() << ' ';
        }
        else
        {
            VisitFields(*this, field);
        }
    }

    void Write(std::string& field)
    {
        m_text << field.size() << ' ' << field << ' ';
    }

    template <typename T>
    void Write(std::vector<T>& fields)
    {
        m_text << fields.size() << ' ';
        for (T& field : fields)
        {
            Write(field);
        }
    }

    std::ostringstream m_text;
};

/// Reads fields; after the first that is not there the others are left as they are.
class TextReader
{
  public:
    /// @param text that a TextWriter has written
    explicit TextReader(const std::string& text)
        : m_text(text)
    {
        m_text.imbue(std::locale::classic());
    }

    /// Read fields, in the order in which they were written.
    template <typename... Fields>
    void operator()(Fields&... fields)
    {
        (Read(fields), ...);
    }

    /// @return true if all fields were there, and nothing else
    bool IsDone()
    {
        return m_text && (m_text >> std::ws).eof();
    }

  private:
    template <typename T>
    void Read(T& field)
    {
        if constexpr (std::is_arithmetic_v<T>)
        {
            m_text >> field;
        }
        else if constexpr (std::is_same_v<T, Time>)
        {
            int64_t steps = 0;
            m_text >> steps;
            field = Time(steps);
        }
        else
        {
            VisitFields(*this, field);
        }
    }

    void Read(std::string& field)
    {
        std::size_t size = 0;
        m_text >> size;
        m_text.get();
        field.clear();
        for (char c = 0; field.size() < size && m_text.get(c);)
        {
            field += c;
        }
    }

    template <typename T>
    void Read(std::vector<T>& fields)
    {
        std::size_t size = 0;
        m_text >> size;
        fields.clear();
        while (m_text && fields.size() < size)
        {
            fields.emplace_back();
            Read(fields.back());
        }
    }

    std::istringstream m_text;
};

/// @param value results @return them as a text
template <typename T>
std::string
WriteText(T value)
{
    TextWriter writer;
    writer(value);
    return writer.GetText();
}

/// @param text that WriteText has made of the same type @return the results; nothing of other texts
template <typename T>
std::optional<T>
ReadText(const std::string& text)
{
    T value;
    TextReader reader(text);
    reader(value);
    return reader.IsDone() ? std::optional<T>(value) : std::nullopt;
}

} // namespace ns3

#endif // PHOTONIC_RAILS_TEXT_ARCHIVE_H
