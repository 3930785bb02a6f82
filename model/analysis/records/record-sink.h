// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECORD_SINK_H
#define PHOTONIC_RAILS_RECORD_SINK_H

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// A file that a table is written to row by row; no row is kept in memory.
class RecordSink
{
  public:
    /// Fields of a row as texts, one for each column.
    using Row = std::vector<std::string>;

    virtual ~RecordSink() = default;

    /**
     * @param file name of a file: with .sqlite at the end a SQLite database, otherwise
     * comma-separated values (RFC 4180, except for line ends of one byte)
     * @return the file, which appears with Finish
     */
    static std::unique_ptr<RecordSink> Open(const std::string& file);

    /// @param file name of a file @return an empty string, or why the file cannot be written
    static std::string Check(const std::string& file);

    /**
     * @brief Begin with the table, before the first row.
     * @param table its name
     * @param columns their names. In a database, columns whose names end in _s are REAL, and others
     * INTEGER if the field is a whole number and TEXT if not
     */
    virtual void Begin(const std::string& table, const Row& columns) = 0;

    /// @param row the next row
    virtual void Add(const Row& row) = 0;

    /// Let the file appear. @return an empty string, or why the file could not be written
    virtual std::string Finish() = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECORD_SINK_H
