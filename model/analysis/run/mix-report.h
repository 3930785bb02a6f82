// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MIX_REPORT_H
#define PHOTONIC_RAILS_MIX_REPORT_H

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
 * @brief Several jobs on one cluster, and each of them alone on the same GPUs.
 *
 * The JSON is documented in doc/jobs-json.md.
 */
struct MixReport : JsonReport<MixReport>
{
    /// A job.
    struct Job
    {
        std::string name;
        uint32_t gpus{0};
        std::vector<uint32_t> domains; //!< scale-up domains, in the order of the job's own domains
        Time start;                    //!< of its first iteration
        std::vector<Time> alone;       //!< iterations without the other jobs
        std::vector<Time> together;    //!< iterations with all jobs
        std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values

        /// @return time of all iterations without the other jobs
        Time GetAlone() const;
        /// @return time of all iterations with all jobs
        Time GetTogether() const;
        /// @return GetTogether over GetAlone; 0 if the job has taken no time
        double GetSlowdown() const;
    };

    std::string cluster;              //!< size and fabric, in one line
    std::string placement;            //!< value of --placement
    std::vector<std::string> remarks; //!< limits of the numbers
    std::vector<Job> jobs;            //!< in the order of the file
    std::string interrupted;          //!< signal that has stopped the program; or empty
    double wallSeconds{0};            //!< real time
    uint64_t peakRssBytes{0};         //!< largest resident memory

    /// @param os receives a text table
    void WriteTable(std::ostream& os) const;
    /// @return the keys and values of the JSON object
    static const ReportTable<MixReport>& GetTable();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MIX_REPORT_H
