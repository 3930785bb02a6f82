// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_REPORT_TABLE_H
#define PHOTONIC_RAILS_REPORT_TABLE_H

#include "report-value.h"
#include "time-unit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

/// The type of a value in JSON: a value that may be missing has the type of the value.
template <typename T>
struct ReportType
{
    using type = T; //!< itself
};

template <typename T>
struct ReportType<std::optional<T>>
{
    using type = T; //!< of the value
};

/**
 * @tparam T type of a value
 * @param unit of the value, or of the elements of an array
 * @return the keys of such a value, with paths that begin behind it
 */
template <typename T>
ReportKeys
MakeReportKeys(const std::string& unit)
{
    if constexpr (std::is_same_v<T, bool>)
    {
        return {{"", "boolean", unit}};
    }
    else if constexpr (std::is_integral_v<T>)
    {
        return {{"", "integer", unit}};
    }
    else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, Time>)
    {
        return {{"", "number", unit}};
    }
    else if constexpr (std::is_constructible_v<std::string, T>)
    {
        return {{"", "string", unit}};
    }
    else if constexpr (std::is_same_v<T, ReportValue::Array>)
    {
        return {{"", "array", unit}};
    }
    else if constexpr (std::is_same_v<T, ReportValue::Object> ||
                       std::is_same_v<T, ReportValue::Texts>)
    {
        return {{"", "object", unit}};
    }
    else
    {
        using Element = std::decay_t<decltype(*std::declval<T>().begin())>;
        return {{"", "array", ""}, {"[]", MakeReportKeys<Element>(unit)[0].type, unit}};
    }
}

/**
 * @brief A member of a report that another table describes; made by ReportRows and ReportObject.
 * @tparam IS_ARRAY true for an array of rows, false for an object, which is one row
 */
template <typename Get, typename Sub, bool IS_ARRAY>
struct ReportMember
{
    Get get;                       //!< a member or a function, which gives the rows or the row
    const ReportTable<Sub>& table; //!< of the rows
};

/**
 * @param get a member or a function, which gives a container of rows
 * @param table of these rows; must outlive the result
 * @return a member of a report that is an array of rows
 */
template <typename Get, typename Sub>
ReportMember<Get, Sub, true>
ReportRows(Get get, const ReportTable<Sub>& table)
{
    return {get, table};
}

/**
 * @param get a member or a function, which gives a row, or a pointer to one; the object is left out
 * if the pointer is null
 * @param table of this row; must outlive the result
 * @return a member of a report that is an object
 */
template <typename Get, typename Sub>
ReportMember<Get, Sub, false>
ReportObject(Get get, const ReportTable<Sub>& table)
{
    return {get, table};
}

/**
 * @param get a member or a function of a row
 * @return a function that gives no value instead of 0 or an empty text
 */
template <typename Get>
auto
ReportIfSet(Get get)
{
    return [get](const auto& row) {
        using T = std::decay_t<std::invoke_result_t<Get, decltype(row)>>;
        const T value = std::invoke(get, row);
        return value > T() ? std::optional<T>(value) : std::nullopt;
    };
}

/// The unit of a column of times in a text table; see ReportTable::FitTimes.
enum class ReportUnit : uint8_t
{
    NONE, //!< the column has no times, or times in a unit of its own choice
    FITS, //!< the unit that fits the longest time of the column
    SAME, //!< the unit of the time column before, because times of both are compared
};

/**
 * @brief Declares the values of the rows of a report, each once: its key and unit in JSON, the
 * function that finds the value, and its column in the text table.
 *
 * The table writes rows as text, JSON and CSV, and lists the keys, which a test compares with the
 * documentation.
 * @tparam Row type of the rows
 */
template <typename Row>
class ReportTable
{
  public:
    using Function = std::function<ReportValue(const Row&)>; //!< finds a value

    /// How a value is found, and which keys it has.
    struct Value
    {
        /// @param get a member or a function of a row
        template <typename Get, std::enable_if_t<std::is_invocable_v<Get, const Row&>, bool> = true>
        Value(Get get)
            : get([get](const Row& row) { return ReportValue(std::invoke(get, row)); })
        {
            using Result = std::decay_t<std::invoke_result_t<Get, const Row&>>;
            using T = typename ReportType<Result>::type;
            makeKeys = [](const std::string& unit) { return MakeReportKeys<T>(unit); };
        }

        /// @param get a function of a row @param keys of its value, with paths behind its own
        Value(Function get, const ReportKeys& keys)
            : get(std::move(get)),
              makeKeys([keys](const std::string& /* unit */) { return keys; })
        {
        }

        /// @param rows of another table
        template <typename Get, typename Sub>
        Value(const ReportMember<Get, Sub, true>& rows)
            : get([rows](const Row& row) { return rows.table.Make(std::invoke(rows.get, row)); }),
              makeKeys([table = &rows.table](const std::string& unit) {
                  using Rows = std::decay_t<std::invoke_result_t<Get, const Row&>>;
                  constexpr bool isFlat = std::is_same_v<typename Rows::value_type, Sub>;
                  return table->ListKeys("array", unit, isFlat ? "[]." : "[][].");
              })
        {
        }

        /// @param object a row of another table
        template <typename Get, typename Sub>
        Value(const ReportMember<Get, Sub, false>& object)
            : get([object](const Row& row) {
                  const auto value = std::invoke(object.get, row);
                  if constexpr (std::is_same_v<decltype(value), const Sub>)
                  {
                      return object.table.MakeObject(value);
                  }
                  else
                  {
                      return value ? object.table.MakeObject(*value) : ReportValue();
                  }
              }),
              makeKeys([table = &object.table](const std::string& unit) {
                  return table->ListKeys("object", unit, ".");
              })
        {
        }

        Function get; //!< finds the value
        /// Lists the keys of the value, whose unit is given, with paths that begin behind the
        /// value.
        std::function<ReportKeys(const std::string& unit)> makeKeys;
    };

    /// A column of the text table.
    struct Text
    {
        /// No column.
        Text() = default;

        /**
         * @param heading of the column
         * @param width in characters; negative: aligned to the left
         * @param decimals of a number; -1: it is whole
         * @param factor that a number with decimals is multiplied with
         */
        Text(std::string heading, int width, int decimals = -1, double factor = 1)
            : heading(std::move(heading)),
              width(width),
              decimals(decimals),
              factor(factor)
        {
        }

        /**
         * @param heading of the column
         * @param width in characters; negative: aligned to the left
         * @param get finds the value, which is not that of the JSON
         * @param decimals of a number; -1: it is whole
         */
        Text(std::string heading, int width, Function get, int decimals = -1)
            : heading(std::move(heading)),
              width(width),
              decimals(decimals),
              get(std::move(get))
        {
        }

        /**
         * @param heading of the column; {} in it stands for the unit
         * @param width in characters; negative: aligned to the left
         * @param unit of the times; the values of the column are seconds. A missing one is "-"
         */
        Text(std::string heading, int width, ReportUnit unit)
            : heading(std::move(heading)),
              width(width),
              decimals(TimeUnit::DIGITS),
              unit(unit)
        {
        }

        std::string heading; //!< above the column
        int width{0};        //!< in characters; negative: aligned to the left; 0: no column
        int decimals{-1};    //!< of a number; -1: it is whole
        double factor{1};    //!< that a number with decimals is multiplied with
        Function get;        //!< finds the value, if it is not that of the JSON
        ReportUnit unit{ReportUnit::NONE}; //!< of a column of times
    };

    /// A value of each row.
    struct Column
    {
        std::string key;  //!< in JSON and CSV; empty: only in the text table
        std::string unit; //!< of the JSON; that of the elements, of an array
        Value value;      //!< in all forms
        Text text;        //!< the column; none in JSON and CSV only
    };

    /// @param columns in the order of all forms
    ReportTable(std::initializer_list<Column> columns)
        : m_columns(columns)
    {
    }

    /// @param columns likewise
    ReportTable(std::vector<Column> columns)
        : m_columns(std::move(columns))
    {
    }

    /// @param row a row @return the JSON object of it
    ReportValue MakeObject(const Row& row) const
    {
        ReportValue::Object object;
        for (const auto& column : m_columns)
        {
            if (!column.key.empty())
            {
                object.emplace_back(column.key, column.value.get(row));
            }
        }
        return object;
    }

    /// @param rows any number of them, or lists of rows @return the JSON array of their objects
    template <typename Rows>
    ReportValue Make(const Rows& rows) const
    {
        ReportValue::Array array;
        for (const auto& row : rows)
        {
            if constexpr (std::is_same_v<std::decay_t<decltype(row)>, Row>)
            {
                array.push_back(MakeObject(row));
            }
            else
            {
                array.push_back(Make(row));
            }
        }
        return array;
    }

    /// Write the one row of a report as the JSON object of a file.
    void WriteJson(std::ostream& os, const Row& row) const
    {
        MakeObject(row).WriteJson(os);
        os << "\n";
    }

    /**
     * @brief Choose the units of the columns of times. WriteText and WriteTransposed call this
     * function; WriteHeadings and WriteRow write the columns as they are.
     * @param rows that the text table will have
     * @return the same table with these units
     */
    template <typename Rows>
    ReportTable FitTimes(const Rows& rows) const
    {
        ReportTable fitted = *this;
        const auto end = fitted.m_columns.end();
        for (auto first = fitted.m_columns.begin(); first != end;)
        {
            const auto next = std::find_if(first + 1, end, [](const Column& column) {
                return column.text.unit == ReportUnit::FITS;
            });
            fitted.FitColumns(first, next, rows);
            first = next;
        }
        return fitted;
    }

    /// Write the headings of the text table, without the end of the line.
    void WriteHeadings(std::ostream& os) const
    {
        WriteCells(os, [](const Column& column) { return column.text.heading; });
    }

    /// Write a row of the text table, without the end of the line.
    void WriteRow(std::ostream& os, const Row& row) const
    {
        WriteCells(os, [&row](const Column& column) { return MakeText(column, row); });
    }

    /// Write a text table: headings and rows.
    template <typename Rows>
    void WriteText(std::ostream& os, const Rows& rows) const
    {
        const ReportTable fitted = FitTimes(rows);
        fitted.WriteHeadings(os);
        os << "\n";
        for (const auto& row : rows)
        {
            fitted.WriteRow(os, row);
            os << "\n";
        }
    }

    /**
     * @brief Write a text table that lies on its side: a line for each heading, a column for each
     * row, as wide as the widest cell.
     */
    template <typename Rows>
    void WriteTransposed(std::ostream& os, const Rows& rows) const
    {
        std::vector<CsvTable::Row> lines;
        std::size_t first = 0;
        std::size_t others = 0;
        const ReportTable fitted = FitTimes(rows);
        for (const auto& column : fitted.m_columns)
        {
            if (column.text.width == 0)
            {
                continue;
            }
            lines.push_back({column.text.heading});
            first = std::max(first, column.text.heading.size());
            for (const auto& row : rows)
            {
                lines.back().push_back(MakeText(column, row));
                others = std::max(others, lines.back().back().size());
            }
        }
        for (const auto& line : lines)
        {
            os << std::left << std::setw(static_cast<int>(first)) << line[0] << std::right;
            for (std::size_t i = 1; i < line.size(); ++i)
            {
                os << std::setw(static_cast<int>(others) + 2) << line[i];
            }
            os << "\n";
        }
    }

    /// @param rows any number of them @return them under the keys
    template <typename Rows>
    CsvTable MakeCsv(const Rows& rows) const
    {
        std::vector<const Column*> columns;
        CsvTable::Row keys;
        for (const auto& column : m_columns)
        {
            if (!column.key.empty())
            {
                columns.push_back(&column);
                keys.push_back(column.key);
            }
        }
        CsvTable table(keys);
        for (const auto& row : rows)
        {
            CsvTable::Row cells;
            for (const Column* column : columns)
            {
                cells.push_back(column->value.get(row).ToText());
            }
            table.Add(cells);
        }
        return table;
    }

    /// @return all keys, in order
    ReportKeys ListKeys() const
    {
        ReportKeys keys = ListKeys("", "", "");
        keys.erase(keys.begin());
        return keys;
    }

    /**
     * @param type of the value that consists of rows: array or object
     * @param unit of that value
     * @param separator between the path of that value and a key of a row
     * @return that value and the keys of its rows, with paths that begin behind the value
     */
    ReportKeys ListKeys(const std::string& type,
                        const std::string& unit,
                        const std::string& separator) const
    {
        ReportKeys keys{{"", type, unit}};
        for (const auto& column : m_columns)
        {
            if (!column.key.empty())
            {
                for (auto& key : column.value.makeKeys(column.unit))
                {
                    keys.push_back({separator + column.key + key.path, key.type, key.unit});
                }
            }
        }
        return keys;
    }

  private:
    /// @return the cell of a row in the text table
    static std::string MakeText(const Column& column, const Row& row)
    {
        const auto& get = column.text.get ? column.text.get : column.value.get;
        const ReportValue value = get(row);
        return value.IsMissing() && column.text.unit != ReportUnit::NONE
                   ? "-"
                   : value.ToText(column.text.decimals, column.text.factor);
    }

    using Columns = std::vector<Column>; //!< in order

    /**
     * @brief Give columns of times the unit that fits the longest time of all of them.
     * @param first a column
     * @param last after the columns; those between that have no times stay as they are
     * @param rows of the text table
     */
    template <typename Rows>
    void FitColumns(typename Columns::iterator first,
                    typename Columns::iterator last,
                    const Rows& rows)
    {
        double longest = 0;
        for (auto column = first; column != last; ++column)
        {
            for (const auto& row : rows)
            {
                longest = std::max(longest,
                                   column->text.unit == ReportUnit::NONE
                                       ? 0
                                       : std::abs(column->value.get(row).GetNumber()));
            }
        }
        const TimeUnit unit = TimeUnit::Find(longest);
        for (auto column = first; column != last; ++column)
        {
            if (column->text.unit != ReportUnit::NONE)
            {
                column->text.factor = 1 / unit.seconds;
                const std::size_t place = column->text.heading.find("{}");
                if (place != std::string::npos)
                {
                    column->text.heading.replace(place, 2, unit.name);
                }
            }
        }
    }

    /// Write a line of the text table.
    template <typename Make>
    void WriteCells(std::ostream& os, Make make) const
    {
        for (const auto& column : m_columns)
        {
            if (column.text.width != 0)
            {
                os << (column.text.width < 0 ? std::left : std::right)
                   << std::setw(std::abs(column.text.width)) << make(column);
            }
        }
        os << std::right;
    }

    Columns m_columns;
};

template <typename Report>
ReportKeys
JsonReport<Report>::ListKeys()
{
    return Report::GetTable().ListKeys();
}

template <typename Report>
ReportValue
JsonReport<Report>::MakeJson() const
{
    return Report::GetTable().MakeObject(static_cast<const Report&>(*this));
}

template <typename Report>
void
JsonReport<Report>::WriteJson(std::ostream& os) const
{
    Report::GetTable().WriteJson(os, static_cast<const Report&>(*this));
}

} // namespace ns3

#endif // PHOTONIC_RAILS_REPORT_TABLE_H
