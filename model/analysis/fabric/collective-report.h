// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_REPORT_H
#define PHOTONIC_RAILS_COLLECTIVE_REPORT_H

#include "latency-histogram.h"

#include "ns3/collective-call.h"
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
 * @brief The size of a collective by the rules of nccl-tests, in elements of four bytes (float).
 *
 * The size is the size of the tensor: the output of an AllGather, and the input of other
 * collectives. AllGather, ReduceScatter and AllToAll divide the tensor among the ranks: the size is
 * rounded down to whole elements for each rank, and the count is the count of one rank.
 */
struct CollectiveSize
{
    uint64_t bytes{0};     //!< bytes of the tensor, after rounding
    uint64_t count{0};     //!< elements, in the column "count"
    uint64_t callBytes{0}; //!< value for CollectiveCall::bytes

    /// Bytes of an element, whose type is always float.
    static constexpr uint32_t ELEMENT_BYTES = 4;

    /**
     * @param kind a collective of a whole group
     * @param ranks ranks in the group
     * @param bytes the wanted size
     * @return the size after rounding
     */
    static CollectiveSize Make(CollectiveKind kind, uint32_t ranks, uint64_t bytes);

    /**
     * @param kind a collective of a whole group
     * @param ranks ranks in the group
     * @return the smallest size that is not rounded down to zero
     */
    static uint64_t GetLeast(CollectiveKind kind, uint32_t ranks);
};

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
        CollectiveKind kind{CollectiveKind::ALL_REDUCE};
        CollectiveSize size;
        Time time;              //!< time of one call
        double alphaSeconds{0}; //!< part of the textbook's time that does not depend on the size
        double betaSeconds{0};  //!< the other part of the textbook's time
        double switches{0};     //!< grants with switching of a call, in the alpha part
        double algorithmBandwidth{}; //!< bytes per second
        double busBandwidth{};       //!< bytes per second
        uint64_t packetsSent{0};     //!< data packets of the timed calls
        uint64_t retransmissions{0}; //!< retransmitted packets among these
        uint64_t bytesPosted{0};     //!< in timed calls
        uint64_t bytesDelivered{0};  //!< in timed calls
        LatencySummary callTimes;    //!< times of the timed calls on each rank
        uint64_t events{0};          //!< simulator events, with set-up and warm-up
    };

    CollectiveKind kind{CollectiveKind::ALL_REDUCE};           //!< kind of the calls
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
     * @brief Fit factors of the textbook's parts to the times of the rows, by least squares of
     * relative differences.
     * @return the fit; no value if the rows do not determine both factors, as a single row does not
     */
    std::optional<Fit> GetFit() const;

    /// @return the sizes to be run, in order
    std::vector<uint64_t> GetSizes() const;

    /**
     * @brief Make a row.
     * @param size size of the call
     * @param time of one call, not zero
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
