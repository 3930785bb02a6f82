// SPDX-License-Identifier: GPL-2.0-only

#include "csv-table.h"

#include "ns3/assert.h"
#include "ns3/rank-program.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{

CsvTable::CsvTable(Row columns)
    : m_columns(std::move(columns))
{
}

const CsvTable::Row&
CsvTable::GetColumns() const
{
    return m_columns;
}

const std::vector<CsvTable::Row>&
CsvTable::GetRows() const
{
    return m_rows;
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
    std::size_t bytes = 0;
    std::size_t line = 1;
    bool quoted = false;
    bool wasQuoted = false; // the field has ended with a quote
    Row row(1);
    for (char c = 0; is.get(c);)
    {
        if (++bytes > MAX_BYTES)
        {
            return "it has more than " + std::to_string(MAX_BYTES >> 20) + " MiB";
        }
        if (quoted)
        {
            if (c == '"' && is.peek() == '"')
            {
                row.back() += static_cast<char>(is.get());
            }
            else if (c == '"')
            {
                quoted = false;
                wasQuoted = true;
            }
            else
            {
                line += c == '\n' ? 1 : 0;
                row.back() += c;
            }
        }
        else if (c == ',')
        {
            row.emplace_back();
            wasQuoted = false;
        }
        else if (c == '\n')
        {
            if (m_columns.empty())
            {
                m_columns = row;
            }
            else if (row.size() != m_columns.size())
            {
                return "line " + std::to_string(line) + " has " + std::to_string(row.size()) +
                       " fields, not " + std::to_string(m_columns.size());
            }
            else
            {
                m_rows.push_back(row);
            }
            row.assign(1, "");
            wasQuoted = false;
            ++line;
        }
        else if (c == '"' && row.back().empty() && !wasQuoted)
        {
            quoted = true;
        }
        else if (c != '\r')
        {
            if (wasQuoted || c == '"')
            {
                return "line " + std::to_string(line) + " has a quote within a field";
            }
            row.back() += c;
        }
    }
    return m_columns.empty() ? "it has no line" : "";
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
