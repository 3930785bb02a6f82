// SPDX-License-Identifier: GPL-2.0-only

#include "html-text.h"

#include "ns3/assert.h"
#include "ns3/to-seconds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <locale>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// @return a number with so many decimals, whole digits in groups of three
std::string
Group(double value, int decimals)
{
    std::ostringstream digits;
    digits.imbue(std::locale::classic());
    digits << std::fixed << std::setprecision(decimals) << value;
    std::string text = digits.str();
    const std::size_t first = text[0] == '-' ? 1 : 0;
    for (std::size_t place = std::min(text.find('.'), text.size()); place > first + 3; place -= 3)
    {
        text.insert(place - 3, ",");
    }
    return text;
}

} // namespace

std::string
HtmlText::Escape(const std::string& text)
{
    std::string escaped;
    for (const char c : text)
    {
        switch (c)
        {
        case '&':
            escaped += "&amp;";
            break;
        case '<':
            escaped += "&lt;";
            break;
        case '>':
            escaped += "&gt;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        case '\'':
            escaped += "&#39;";
            break;
        default:
            // HTML has no other control characters.
            escaped += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? '?' : c;
        }
    }
    return escaped;
}

std::string
HtmlText::EscapeScript(const std::string& json)
{
    std::string escaped;
    for (const char c : json)
    {
        // Outside of strings, JSON has none of them.
        escaped += c == '<'   ? "\\u003c"
                   : c == '>' ? "\\u003e"
                   : c == '&' ? "\\u0026"
                              : std::string(1, c);
    }
    return escaped;
}

std::string
HtmlText::Number(double value, uint32_t digits)
{
    NS_ASSERT(std::isfinite(value) && digits > 0);
    const int whole =
        value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
    return Group(value, std::clamp(static_cast<int>(digits) - whole, 0, 12));
}

std::string
HtmlText::Fixed(double value, uint32_t decimals)
{
    return Group(value, static_cast<int>(decimals));
}

std::string
HtmlText::Number(uint64_t count)
{
    std::string text = std::to_string(count);
    for (std::size_t place = text.size(); place > 3; place -= 3)
    {
        text.insert(place - 3, ",");
    }
    return text;
}

std::string
HtmlText::Seconds(const Time& time)
{
    return Group(ToSeconds(time), 6);
}

std::string
HtmlText::Milliseconds(const Time& time)
{
    return Group(1e3 * ToSeconds(time), 6);
}

std::string
HtmlText::Percent(double share)
{
    return Group(100 * share, 2) + " %";
}

std::string
HtmlText::Bytes(uint64_t bytes)
{
    constexpr std::array<const char*, 5> UNITS{"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < UNITS.size(); ++unit)
    {
        value /= 1024;
    }
    return (unit == 0 ? Number(bytes) : Number(value, 4)) + " " + UNITS[unit];
}

void
HtmlText::WriteParagraph(std::ostream& os, const std::string& text, const std::string& style)
{
    os << "<p" << (style.empty() ? "" : " class=\"" + style + "\"") << ">" << Escape(text)
       << "</p>\n";
}

HtmlTable::HtmlTable(std::string id, std::string caption, std::vector<std::string> columns)
    : m_id(std::move(id)),
      m_caption(std::move(caption)),
      m_columns(std::move(columns))
{
    for (auto& column : m_columns)
    {
        m_isNumber.push_back(!column.empty() && column.back() == '>');
        column.resize(column.size() - (m_isNumber.back() ? 1 : 0));
    }
}

void
HtmlTable::Add(std::vector<std::string> cells)
{
    NS_ASSERT(cells.size() == m_columns.size());
    m_rows.push_back(std::move(cells));
}

void
HtmlTable::Write(std::ostream& os) const
{
    const auto write = [this, &os](std::size_t column, const char* element, const char* scope) {
        return [&os, element, scope, isNumber = m_isNumber[column]](const std::string& text) {
            os << "<" << element << scope << (isNumber ? " class=\"n\">" : ">")
               << HtmlText::Escape(text) << "</" << element << ">";
        };
    };
    const std::string caption = HtmlText::Escape(m_caption);
    // What scrolls has to be reached with the keyboard too.
    os << "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" << caption
       << "\"><table id=\"" << HtmlText::Escape(m_id) << "\"><caption>" << caption
       << "</caption>\n<thead><tr>";
    for (std::size_t column = 0; column < m_columns.size(); ++column)
    {
        write(column, "th", " scope=\"col\"")(m_columns[column]);
    }
    os << "</tr></thead>\n<tbody>\n";
    for (std::size_t row = 0; row < std::min(m_rows.size(), MAX_ROWS); ++row)
    {
        os << "<tr>";
        for (std::size_t column = 0; column < m_columns.size(); ++column)
        {
            const bool isHead = column == 0;
            write(column, isHead ? "th" : "td", isHead ? " scope=\"row\"" : "")(
                m_rows[row][column]);
        }
        os << "</tr>\n";
    }
    os << "</tbody></table></div>\n";
    if (m_rows.size() > MAX_ROWS)
    {
        os << "<p class=\"left-out\">" << HtmlText::Number(uint64_t{m_rows.size() - MAX_ROWS})
           << " of " << HtmlText::Number(uint64_t{m_rows.size()})
           << " rows are left out: the table ends after " << MAX_ROWS << ".</p>\n";
    }
}

} // namespace ns3
