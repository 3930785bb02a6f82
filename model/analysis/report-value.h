// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_REPORT_VALUE_H
#define PHOTONIC_RAILS_REPORT_VALUE_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ns3
{

/**
 * @brief A value of a report, as JSON has them: a truth, a number, a text, an array or an object
 * whose members keep their order. A value may also be missing.
 *
 * Reports build their results from it, so that the JSON library is compiled in one file only.
 */
class ReportValue
{
  public:
    using Array = std::vector<ReportValue>;                          //!< of values
    using Object = std::vector<std::pair<std::string, ReportValue>>; //!< members, in order
    using Texts = std::vector<std::pair<std::string, std::string>>;  //!< names and texts

    /// A missing value: left out of objects, empty in tables.
    ReportValue() = default;
    /// A text.
    ReportValue(const char* text);
    /// A text.
    ReportValue(std::string text);
    /// A time, in seconds.
    ReportValue(const Time& time);
    /// An array of values of any types.
    ReportValue(Array array);
    /// An object; its missing members are left out of JSON.
    ReportValue(Object object);
    /// Names and texts, such as flags and their values: an object.
    ReportValue(const Texts& texts);

    /// A truth or a number.
    template <typename Number, std::enable_if_t<std::is_arithmetic_v<Number>, bool> = true>
    ReportValue(Number number)
    {
        if constexpr (std::is_same_v<Number, bool>)
        {
            m_value = number;
        }
        else if constexpr (std::is_floating_point_v<Number>)
        {
            m_value = double{number};
        }
        else if constexpr (std::is_signed_v<Number>)
        {
            m_value = int64_t{number};
        }
        else
        {
            m_value = uint64_t{number};
        }
    }

    /// Values of one type: an array.
    template <typename T>
    ReportValue(const std::vector<T>& values)
        : m_value(Array(values.begin(), values.end()))
    {
    }

    /// A value that may be missing.
    template <typename T>
    ReportValue(const std::optional<T>& value)
    {
        if (value)
        {
            *this = ReportValue(*value);
        }
    }

    /// @return true if there is no value
    bool IsMissing() const;

    /// @return the number with a decimal point, 0 for other values
    double GetNumber() const;

    /**
     * @param decimals of a number; -1: as many as JSON has. With four or more, a number of which
     * fewer than four digits would be left has four
     * @param factor that a number is multiplied with, if it has decimals
     * @return the value in a cell of a table; a text as it is, a missing value as an empty one
     */
    std::string ToText(int decimals = -1, double factor = 1) const;

    /**
     * @brief Write JSON in ASCII. Bytes that are no UTF-8 are replaced, as a name of a file may
     * have any.
     * @param os where to write
     * @param indent spaces of a level; -1: all on one line
     */
    void WriteJson(std::ostream& os, int indent = 2) const;

    /// @return a number with so many decimals, in the notation of the classic locale
    static std::string Fixed(double number, int decimals);
    /// @return a number with so many digits that count, in the notation of the classic locale
    static std::string WithDigits(double number, int digits);

  private:
    friend struct ReportJson;

    std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Array, Object>
        m_value;
};

/// A key of the JSON of a report, as the pages of the documentation list them.
struct ReportKey
{
    std::string path; //!< with [] for every element of an array, such as "rows[].time_s"
    std::string type; //!< boolean, integer, number, string, array or object
    std::string unit; //!< or empty
};

using ReportKeys = std::vector<ReportKey>;

template <typename Row>
class ReportTable;

/**
 * @brief The JSON of a report, whose keys and values are those of the table Report::GetTable.
 *
 * The file with the table instantiates the template.
 * @tparam Report the report, which derives from this type
 */
template <typename Report>
struct JsonReport
{
    /// @return all keys of the JSON object
    static ReportKeys ListKeys();
    /// @return the JSON object
    ReportValue MakeJson() const;
    /// @param os receives the JSON object
    void WriteJson(std::ostream& os) const;
};

/**
 * @brief Seconds for reports. Time::GetSeconds goes through a division of ns-3 that is slow, and
 * shifts negative numbers to the left.
 * @param time of any sign
 * @return the time in seconds, to the picosecond as far as a double has digits
 */
inline double
ToSeconds(const Time& time)
{
    return static_cast<double>(time.GetPicoSeconds()) / 1e12;
}

/**
 * @brief Rows of texts under names of columns, as comma-separated values (RFC 4180): fields with
 * commas, quotes or line ends stand in quotes.
 */
class CsvTable
{
  public:
    /// Bytes of a file that Read takes at most.
    static constexpr std::size_t MAX_BYTES = std::size_t{64} << 20;

    using Row = std::vector<std::string>;

    /// @param columns names
    explicit CsvTable(Row columns = {});

    /// @return names of the columns
    const Row& GetColumns() const
    {
        return m_columns;
    }

    /// @return the rows, each with a field for every column
    const std::vector<Row>& GetRows() const
    {
        return m_rows;
    }

    /**
     * @param name of a column
     * @return its index, or the number of columns if there is none
     */
    std::size_t Find(const std::string& name) const;

    /// @param row as many fields as there are columns
    void Add(Row row);

    /**
     * @brief Read a table in place of the present rows. A last line that does not end is left out:
     * it was being written when the writer was stopped.
     * @param is the input
     * @return an empty string, or the error and its line
     */
    std::string Read(std::istream& is);

    /// @return bytes of the lines that Read has taken; any further bytes are a line without an end
    std::size_t GetBytesRead() const
    {
        return m_bytesRead;
    }

    /// Write names and rows.
    void Write(std::ostream& os) const;

    /// Write a row, or the names, as a line.
    static void WriteRow(std::ostream& os, const Row& row);

  private:
    Row m_columns;
    std::vector<Row> m_rows;
    std::size_t m_bytesRead{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_REPORT_VALUE_H
