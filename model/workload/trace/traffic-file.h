// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAFFIC_FILE_H
#define PHOTONIC_RAILS_TRAFFIC_FILE_H

#include "trace-builder.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A traffic matrix over time as comma-separated values: a row for each message, with the
 * columns time_s, source, destination and bytes in any order.
 *
 * The rows become the operations of ranks. A rank has a clock, an operation of the host for each
 * moment at which it sends; each Send waits for its moment, and for the messages before it to the
 * same destination. Messages to the sender itself, or of 0 bytes, are left out. All receives are
 * posted at the start. In every iteration the times count from
 * its begin on that rank.
 */
class TrafficFile
{
  public:
    /**
     * @param file name of a file
     * @return true if the first line of the file has one of the columns time_s, source and
     * destination, which a table of operations has not
     */
    static bool IsTraffic(const std::string& file);

    /// @param file name of a file, which is read now. Throws a TraceError that names the row.
    explicit TrafficFile(const std::string& file);

    /// @return number of messages that send nothing, as text; empty if there are none
    std::string GetRemark() const;

    /**
     * @param gpusPerDomain number of GPUs in a scale-up domain
     * @return the number of ranks: the largest one in the file and those below it, in whole domains
     */
    uint32_t CountRanks(uint32_t gpusPerDomain) const;

    /**
     * @brief Make the operations of the ranks.
     * @param groups process groups of all ranks, which determine the number of ranks
     * @param take called with each rank and its nodes, in order
     */
    void Read(TraceGroups& groups,
              const std::function<void(TraceRank&&, TraceGraph&&)>& take) const;

  private:
    /// A row.
    struct Message
    {
        int64_t picoseconds{0};
        uint32_t source{0};
        uint32_t destination{0};
        uint64_t bytes{0};
    };

    /// Read a row. @param fields of it @param number of it, for errors
    void Add(const std::vector<std::string>& fields, uint64_t number);

    std::string m_file;
    std::vector<std::size_t> m_places; //!< of time_s, source, destination and bytes in a row
    std::vector<Message> m_messages;   //!< in order of time; equal times in the order of the file
    uint32_t m_last{0};                //!< largest rank
    uint64_t m_empty{0};               //!< messages to the sender itself, or of 0 bytes
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAFFIC_FILE_H
