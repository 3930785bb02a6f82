// SPDX-License-Identifier: GPL-2.0-only

#include "report-value.h"

#include "ns3/assert.h"
#include "ns3/csv-row.h"
#include "ns3/rank-program.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iterator>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace ns3
{

/// Makes values of the JSON library.
struct ReportJson
{
    using Json = nlohmann::ordered_json;

    /// @param value not missing @return the same
    static Json Make(const ReportValue& value)
    {
        return std::visit([](const auto& one) { return Convert(one); }, value.m_value);
    }

    template <typename T>
    static Json Convert(const T& value)
    {
        return Json(value);
    }

    static Json Convert(const std::monostate& /* missing */)
    {
        return Json();
    }

    static Json Convert(const ReportValue::Array& array)
    {
        Json json = Json::array();
        for (const auto& value : array)
        {
            json.push_back(Make(value));
        }
        return json;
    }

    static Json Convert(const ReportValue::Object& object)
    {
        Json json = Json::object();
        for (const auto& [key, value] : object)
        {
            if (!value.IsMissing())
            {
                json[key] = Make(value);
            }
        }
        return json;
    }

    static std::string Dump(const ReportValue& value, int indent)
    {
        return Make(value).dump(indent, ' ', true, Json::error_handler_t::replace);
    }
};

ReportValue::ReportValue(const char* text)
    : m_value(std::string(text))
{
}

ReportValue::ReportValue(std::string text)
    : m_value(std::move(text))
{
}

ReportValue::ReportValue(const Time& time)
    : m_value(ToSeconds(time))
{
}

ReportValue::ReportValue(Array array)
    : m_value(std::move(array))
{
}

ReportValue::ReportValue(Object object)
    : m_value(std::move(object))
{
}

ReportValue::ReportValue(const Texts& texts)
    : m_value(Object(texts.begin(), texts.end()))
{
}

bool
ReportValue::IsMissing() const
{
    return std::holds_alternative<std::monostate>(m_value);
}

double
ReportValue::GetNumber() const
{
    const auto* number = std::get_if<double>(&m_value);
    return number ? *number : 0;
}

std::string
ReportValue::ToText(int decimals, double factor) const
{
    if (const auto* text = std::get_if<std::string>(&m_value))
    {
        return *text;
    }
    if (const auto* number = std::get_if<double>(&m_value); number && decimals >= 0)
    {
        const double value = factor * *number;
        // Times of milliseconds in a column of seconds keep digits that count.
        constexpr int DIGITS = 4;
        const bool isSmall =
            decimals >= DIGITS && std::abs(value) < std::pow(10.0, DIGITS - 1 - decimals);
        return isSmall && value != 0 ? WithDigits(value, DIGITS) : Fixed(value, decimals);
    }
    return IsMissing() ? "" : ReportJson::Dump(*this, -1);
}

void
ReportValue::WriteJson(std::ostream& os, int indent) const
{
    os << ReportJson::Dump(*this, indent);
}

std::string
ReportValue::WithDigits(double number, int digits)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::setprecision(digits) << number;
    return text.str();
}

std::string
ReportValue::Fixed(double number, int decimals)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::fixed << std::setprecision(decimals) << number;
    return text.str();
}

CsvTable::CsvTable(Row columns)
    : m_columns(std::move(columns))
{
}

std::size_t
CsvTable::Find(const std::string& name) const
{
    return std::find(m_columns.begin(), m_columns.end(), name) - m_columns.begin();
}

void
CsvTable::Add(Row row)
{
    NS_ASSERT_MSG(row.size() == m_columns.size(), "a row has a field for every column");
    m_rows.push_back(std::move(row));
}

std::string
CsvTable::Read(std::istream& is)
{
    m_columns.clear();
    m_rows.clear();
    m_bytesRead = 0;
    CsvPlace place;
    for (Row row;
         ReadCsvRow(is, row, place, MAX_BYTES) && place.isWhole && place.bytes <= MAX_BYTES;)
    {
        if (m_columns.empty())
        {
            m_columns = std::move(row);
        }
        else if (row.size() == m_columns.size())
        {
            m_rows.push_back(std::move(row));
        }
        else
        {
            return "line " + std::to_string(place.line) + " has " + std::to_string(row.size()) +
                   " fields, not " + std::to_string(m_columns.size());
        }
        m_bytesRead = place.bytes;
    }
    if (place.bytes > MAX_BYTES)
    {
        return "it has more than " + std::to_string(MAX_BYTES >> 20) + " MiB";
    }
    return m_columns.empty() && place.error.empty() ? "it has no line" : place.error;
}

void
CsvTable::Write(std::ostream& os) const
{
    WriteRow(os, m_columns);
    for (const Row& row : m_rows)
    {
        WriteRow(os, row);
    }
}

void
CsvTable::WriteRow(std::ostream& os, const Row& row)
{
    for (std::size_t i = 0; i < row.size(); ++i)
    {
        os << (i == 0 ? "" : ",") << RankProgramCsv::Quote(row[i]);
    }
    os << '\n';
}

} // namespace ns3
