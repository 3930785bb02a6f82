// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HTML_TEXT_H
#define PHOTONIC_RAILS_HTML_TEXT_H

#include "ns3/nstime.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// Texts and numbers as they stand in an HTML page: pure functions.
class HtmlText
{
  public:
    /**
     * @param text anything, such as the name of a file
     * @return the text, which cannot end an element or a quoted attribute
     */
    static std::string Escape(const std::string& text);

    /**
     * @param json a text in JSON
     * @return the same values, which cannot end the script element in which they stand
     */
    static std::string EscapeScript(const std::string& json);

    /**
     * @param value finite
     * @param digits that count, at least 1; whole digits are never rounded away
     * @return the number without an exponent, whole digits in groups of three: 1,234.5
     */
    static std::string Number(double value, uint32_t digits = 5);
    /**
     * @param value finite
     * @param decimals how many
     * @return the number with them, whole digits in groups of three
     */
    static std::string Fixed(double value, uint32_t decimals);
    /// @param count a whole number @return it in groups of three
    static std::string Number(uint64_t count);

    /// @param count a whole number of any type, not negative @return it in groups of three
    template <typename Count>
    static std::string Whole(Count count)
    {
        return Number(static_cast<uint64_t>(count));
    }

    /// @param time of any sign @return it in seconds, with all microseconds: 1.234567
    static std::string Seconds(const Time& time);
    /// @param time of any sign @return it in milliseconds, with all nanoseconds: 1.234567
    static std::string Milliseconds(const Time& time);
    /**
     * @param share 0 to 1
     * @return it with its unit: 12.34 %
     */
    static std::string Percent(double share);
    /**
     * @param bytes a volume
     * @return it with the largest binary unit of which it is at least one: 1.5 MiB
     */
    static std::string Bytes(uint64_t bytes);

    /**
     * @param os where to write a paragraph
     * @param text plain
     * @param style a class of the style sheet, or none
     */
    static void WriteParagraph(std::ostream& os,
                               const std::string& text,
                               const std::string& style = "");
};

/// A table with a caption, and with a limit of rows that the page owns up to.
class HtmlTable
{
  public:
    /// How many rows are written.
    static constexpr std::size_t MAX_ROWS = 200;

    /**
     * @param id of the element, unique on the page
     * @param caption above it
     * @param columns names; those that end with ">" have numbers, aligned to the right
     */
    HtmlTable(std::string id, std::string caption, std::vector<std::string> columns);

    /// @param cells of a row, plain texts; the first one is the row's head
    void Add(std::vector<std::string> cells);

    /// Write it; rows beyond MAX_ROWS are left out, and a line says how many.
    void Write(std::ostream& os) const;

  private:
    std::string m_id;
    std::string m_caption;
    std::vector<std::string> m_columns;
    std::vector<bool> m_isNumber; //!< of each column
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HTML_TEXT_H
