// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_PROGRAM_CSV_H
#define PHOTONIC_RAILS_RANK_PROGRAM_CSV_H

#include "rank-program.h"

#include "ns3/device-mesh.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace ns3
{

/// The operations of a rank as comma-separated values (RFC 4180, except for line ends of one byte).
class RankProgramCsv
{
  public:
    /**
     * @brief Write a header and a row for each operation, in program order.
     *
     * Columns: index; stream; place (gpu, scale-up, scale-out); dimension; role, kind, ranks (size
     * of the group), peer (Send and Recv) and bytes (input), empty for computations; flops and
     * duration_s, empty if an operation has none; label; dependencies, indices separated by blanks.
     * @param program the program of the rank's class
     * @param mesh the mesh of the job
     * @param rank a global rank
     * @param out output stream
     */
    static void Write(const RankProgram& program,
                      const DeviceMesh& mesh,
                      uint32_t rank,
                      std::ostream& out);

    /**
     * @param field any text
     * @return the text, in quotation marks if it has a comma, a quotation mark or a line end
     */
    static std::string Quote(const std::string& field);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_PROGRAM_CSV_H
