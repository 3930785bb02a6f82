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
 * @brief The size of a collective as nccl-tests counts it, in elements of four bytes (float).
 *
 * The size is that of the tensor: what an AllGather puts out, what the others put in. AllGather,
 * ReduceScatter and AllToAll divide it among the ranks, so it is rounded down to whole elements for
 * each of them, and their count is that of one rank.
 */
struct CollectiveSize
{
    uint64_t bytes{0};     //!< of the tensor, after rounding
    uint64_t count{0};     //!< elements, as the column "count" has them
    uint64_t callBytes{0}; //!< what CollectiveCall::bytes has to be

    /// Bytes of an element: the type is always float.
    static constexpr uint32_t ELEMENT_BYTES = 4;

    /**
     * @param kind a collective of a whole group
     * @param ranks ranks in the group
     * @param bytes the size that was asked for
     * @return the size that is run
     */
    static CollectiveSize Make(CollectiveKind kind, uint32_t ranks, uint64_t bytes);

    /**
     * @param kind a collective of a whole group
     * @param ranks ranks in the group
     * @return the smallest size that is not rounded down to nothing
     */
    static uint64_t GetLeast(CollectiveKind kind, uint32_t ranks);
};

/**
 * @brief What a series of collectives of different sizes has shown: the table that users of
 * nccl-tests know, and the object behind --json.
 *
 * The JSON is documented in doc/collectives-json.md.
 */
struct CollectiveReport
{
    /// One size.
    struct Row
    {
        CollectiveKind kind{CollectiveKind::ALL_REDUCE};
        CollectiveSize size;
        Time time;                   //!< of one call
        double alphaSeconds{0};      //!< of the textbook's time: what does not depend on the size
        double betaSeconds{0};       //!< the rest of it
        double algorithmBandwidth{}; //!< bytes per second
        double busBandwidth{};       //!< bytes per second
        uint64_t packetsSent{0};     //!< data packets of the timed calls
        uint64_t retransmissions{0}; //!< those of them that had been sent before
        uint64_t bytesPosted{0};     //!< in timed calls
        uint64_t bytesDelivered{0};  //!< in timed calls
        LatencySummary callTimes;    //!< of the timed calls of each rank
        uint64_t events{0};          //!< simulator events, of setting up and warming up as well
    };

    CollectiveKind kind{CollectiveKind::ALL_REDUCE};           //!< what is called
    std::string algorithm;                                     //!< how it is carried out
    std::string fabric;                                        //!< what it runs on
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<std::string> remarks;                          //!< what the reader has to know
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

    /// How measured times compare to those of the textbook, T = alpha part + beta part.
    struct Fit
    {
        double alpha{0}; //!< what the alpha part is multiplied with, to fit best
        double beta{0};  //!< what the beta part is multiplied with
        double worst{0}; //!< largest difference between a measured time and the fit, of the former
    };

    /**
     * @brief Fit multiples of the textbook's parts to the times of the rows, by least squares of
     * relative differences.
     * @return the fit; nothing if the rows do not tell the two parts from each other, as one row
     * does not
     */
    std::optional<Fit> GetFit() const;

    /// @return the sizes to be run, in order
    std::vector<uint64_t> GetSizes() const;

    /**
     * @brief Make a row.
     * @param size what was run
     * @param time of one call, not zero
     * @return the row with its bandwidths
     */
    Row MakeRow(const CollectiveSize& size, Time time) const;

    /// @return mean of the bus bandwidths of all rows in bytes per second, as nccl-tests take it
    double GetAverageBusBandwidth() const;

    /// @param os where to write what stands above the rows
    void WriteHeader(std::ostream& os) const;
    /**
     * @param os where to write a row
     * @param row the row
     */
    void WriteRow(std::ostream& os, const Row& row) const;
    /// @param os where to write what stands below the rows
    void WriteFooter(std::ostream& os) const;

    /// @return all keys of the JSON object
    static ReportKeys ListKeys();
    /// @param os where to write the JSON object
    void WriteJson(std::ostream& os) const;

    /// @return an empty string, or which of the invariants of a run does not hold
    std::string CheckInvariants() const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_REPORT_H
