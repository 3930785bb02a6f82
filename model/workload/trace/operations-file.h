// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPERATIONS_FILE_H
#define PHOTONIC_RAILS_OPERATIONS_FILE_H

#include "trace-builder.h"

#include "ns3/job-ranks.h"

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The operations of all ranks as comma-separated values: the columns of RankProgramCsv
 * behind the rank, the ranks of the group, its root and the sizes of an AllToAll whose parts
 * differ.
 *
 * Rows of a rank follow each other in program order, rank after rank.
 */
class OperationsFile
{
  public:
    /**
     * @param ranks the ranks of a job
     * @param out output stream
     */
    static void Write(const JobRanks& ranks, std::ostream& out);

    /**
     * @param name of a file
     * @return true if it has the ending of these files, .csv
     */
    static bool IsName(const std::string& name);

    /// @param columns of a table @return its first line as errors show it
    static std::string QuoteColumns(const std::vector<std::string>& columns);

    /// @param file name of a file @param rank a rank @return name of the rank's rows in errors
    static std::string Describe(const std::string& file, uint32_t rank);

    /// @param file name of a file
    explicit OperationsFile(const std::string& file);

    /// @return the number of ranks. Throws a TraceError.
    uint32_t CountRanks() const;

    /**
     * @brief Read the ranks. Throws a TraceError that names the row.
     * @param groups process groups of all ranks
     * @param take called with each rank and its nodes, in order
     */
    void Read(TraceGroups& groups,
              const std::function<void(TraceRank&&, TraceGraph&&)>& take) const;

  private:
    /// The fields of a row, by name of the column.
    using Row = std::map<std::string, std::string>;

    /// Call a function with each row.
    void ReadRows(const std::function<void(const Row&)>& visit) const;

    std::string m_file; //!< name of the file
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPERATIONS_FILE_H
