// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CHAKRA_WRITER_H
#define PHOTONIC_RAILS_CHAKRA_WRITER_H

#include "ns3/job-ranks.h"

#include <string>

namespace ns3
{

/**
 * @brief Writes the ranks of a job as execution traces in Chakra's format, schema 0.0.4.
 *
 * An operation is a node, whose id is its index. Dependencies are data dependencies, and the order
 * of a stream is one of control dependencies. Attributes of this module hold what the schema does
 * not: picoseconds, streams, parallelism, roles of groups, and sizes of an AllToAll whose parts
 * differ. TraceJob makes the same ranks from the files again.
 */
class ChakraWriter
{
  public:
    /**
     * @brief Write PREFIX.RANK.et for each rank, and the process groups into PREFIX.json.
     * @param ranks the ranks
     * @param prefix of the names of files
     * @return an empty string, or one line that names the file that is in the way or could not be
     * written
     */
    static std::string Write(const JobRanks& ranks, const std::string& prefix);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CHAKRA_WRITER_H
