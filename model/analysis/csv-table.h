// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CSV_TABLE_H
#define PHOTONIC_RAILS_CSV_TABLE_H

#include <cstddef>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

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
    const Row& GetColumns() const;
    /// @return the rows, each with a field for every column
    const std::vector<Row>& GetRows() const;

    /**
     * @param name of a column
     * @return its index, or the number of columns if there is none
     */
    std::size_t Find(const std::string& name) const;

    /// @param row as many fields as there are columns
    void Add(Row row);

    /**
     * @brief Read a table; what it had before is gone. A last line that does not end is left out:
     * it was being written when the writer was stopped.
     * @param is where from
     * @return an empty string, or what is wrong and in which line
     */
    std::string Read(std::istream& is);

    /// Write names and rows.
    void Write(std::ostream& os) const;

    /// Write a row, or the names, as a line.
    static void WriteRow(std::ostream& os, const Row& row);

  private:
    Row m_columns;
    std::vector<Row> m_rows;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CSV_TABLE_H
