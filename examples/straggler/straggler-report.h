// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STRAGGLER_REPORT_H
#define PHOTONIC_RAILS_STRAGGLER_REPORT_H

#include "ns3/nstime.h"
#include "ns3/report-value.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The results of AllReduces with one late rank: the table, and the object of --json, which
 * is documented in doc/straggler-json.md.
 */
struct StragglerReport
{
    /// The rounds of StragglAR for a number of ranks.
    struct Plan
    {
        uint32_t ranks{0};     //!< N
        uint32_t rounds{0};    //!< from the arrival of the straggler on
        uint32_t least{0};     //!< N - 2 + ceil(log2 N)
        uint32_t latencies{0}; //!< rounds, calls and replies that wait for each other
        double wallSeconds{0}; //!< real time to compute the plan
    };

    /// One AllReduce.
    struct Row
    {
        uint32_t ranks{0};            //!< N
        std::string algorithm;        //!< name of the algorithm
        uint64_t bytes{0};            //!< of the tensor
        uint32_t rounds{0};           //!< of the algorithm; of stragglar after the arrival
        Time scatter;                 //!< model: ReduceScatter of the others
        Time delay;                   //!< by which the straggler is late
        Time time;                    //!< from the call of the others to the end on the last rank
        Time model;                   //!< the same by the alpha-beta model
        uint64_t packetsSent{0};      //!< data packets
        uint64_t retransmissions{0};  //!< data packets that were sent again
        uint64_t bytesPosted{0};      //!< payload
        uint64_t bytesDelivered{0};   //!< payload
        uint64_t lostAtOcs{0};        //!< frames that lost light
        uint64_t reconfigurations{0}; //!< commands to switches of circuits
        uint64_t events{0};           //!< that the simulator ran

        /// @return from the arrival of the straggler to the end
        Time GetAfterArrival() const
        {
            return time - delay;
        }
    };

    std::string fabric;                                        //!< name of the fabric
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<std::string> remarks;                          //!< remarks for the reader
    std::vector<Plan> plans;                                   //!< by number of ranks
    std::vector<Row> rows;                                     //!< in the order of the runs
    double wallSeconds{0};                                     //!< real time of the program
    uint64_t peakRssBytes{0};                                  //!< peak memory of the process

    /// @param os gets the table of the plans
    void WritePlans(std::ostream& os) const;
    /// @param os receives the headings of the rows
    static void WriteHeader(std::ostream& os);
    /**
     * @param os gets a row
     * @param row the row
     */
    static void WriteRow(std::ostream& os, const Row& row);
    /// @return all keys of the JSON object
    static ReportKeys ListKeys();
    /// @param os gets the JSON object
    void WriteJson(std::ostream& os) const;
    /// @return an empty string, or which of the invariants of a run does not hold
    std::string CheckInvariants() const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STRAGGLER_REPORT_H
