// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_REPORT_H
#define PHOTONIC_RAILS_COLLECTIVE_REPORT_H

#include "latency-histogram.h"
#include "nccl-test.h"

#include "ns3/nstime.h"
#include "ns3/report-value.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The results of a series of collectives of different sizes, as a table in the form of
 * nccl-tests and as the object of --json.
 *
 * The JSON is documented in doc/collectives-json.md.
 */
struct CollectiveReport : JsonReport<CollectiveReport>
{
    /// The results for one size.
    struct Row
    {
        const NcclTest* test{&NcclTest::Get("AllReduce")}; //!< the benchmark
        CollectiveSize size;
        Time time; //!< time of one call; 0 if the size is 0, since NCCL then does nothing
        /// Part of the textbook's time that does not depend on the size; no value without a
        /// formula.
        std::optional<double> alphaSeconds;
        std::optional<double> betaSeconds; //!< the other part of the textbook's time
        double switches{0};                //!< grants with switching of a call, in the alpha part
        double algorithmBandwidth{};       //!< bytes per second
        double busBandwidth{};             //!< bytes per second
        uint64_t packetsSent{0};           //!< data packets of the timed calls
        uint64_t retransmissions{0};       //!< retransmitted packets among these
        uint64_t bytesPosted{0};           //!< in timed calls
        uint64_t bytesDelivered{0};        //!< in timed calls
        LatencySummary callTimes;          //!< times of the timed calls on each rank
        uint64_t events{0};                //!< simulator events, with set-up and warm-up
    };

    const NcclTest* test{&NcclTest::Get("AllReduce")};         //!< the benchmark
    std::string algorithm;                                     //!< algorithm of the calls
    std::string fabric;                                        //!< name of the fabric
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<std::string> remarks;                          //!< limits of the numbers
    uint32_t ranks{0};                                         //!< in the group
    uint64_t minBytes{0};                                      //!< smallest size asked for
    uint64_t maxBytes{0};                                      //!< largest size asked for
    uint32_t stepFactor{2};                                    //!< from one size to the next
    uint32_t warmups{0};                                       //!< calls before those timed
    uint32_t iterations{1};                                    //!< timed calls
    std::vector<Row> rows;                                     //!< by size
    std::string interrupted;  //!< signal that has stopped the program; or empty
    double wallSeconds{0};    //!< real time of all sizes
    uint64_t peakRssBytes{0}; //!< peak memory of the process

    /// Measured times in multiples of the textbook's time, T = alpha part + beta part.
    struct Fit
    {
        double alpha{0}; //!< best factor of the alpha part
        double beta{0};  //!< best factor of the beta part
        double worst{0}; //!< largest difference between a measured time and the fit, relative to
                         //!< the measured time
    };

    /**
     * @brief Fit factors of the textbook's parts to the times of the rows that have them, by least
     * squares of relative differences.
     * @return the fit; no value if the rows do not determine both factors, as a single row does not
     */
    std::optional<Fit> GetFit() const;

    /// @return the sizes to be run, in order
    std::vector<uint64_t> GetSizes() const;

    /**
     * @brief Make a row.
     * @param size size of the call
     * @param time of one call, not zero unless the size is
     * @return the row with its bandwidths
     */
    Row MakeRow(const CollectiveSize& size, Time time) const;

    /// @return mean of the bus bandwidths of all rows in bytes per second, as in nccl-tests;
    /// nothing without a row
    std::optional<double> GetAverageBusBandwidth() const;

    /// @param os receives the lines above the rows
    void WriteHeader(std::ostream& os) const;
    /**
     * @param os receives a row
     * @param row the row
     */
    void WriteRow(std::ostream& os, const Row& row) const;
    /// @param os receives the lines below the rows
    void WriteFooter(std::ostream& os) const;

    /// @return the keys and values of the JSON object
    static const ReportTable<CollectiveReport>& GetTable();

    /// @return an empty string, or the invariant of a run that does not hold
    std::string CheckInvariants() const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_REPORT_H
