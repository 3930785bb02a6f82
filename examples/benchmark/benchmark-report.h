// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_BENCHMARK_REPORT_H
#define PHOTONIC_RAILS_BENCHMARK_REPORT_H

#include "benchmark-row.h"

#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A ratio or an exponent of growth of rows of one run: less dependent on the machine than times.
struct BenchmarkFigure
{
    std::string bench;  //!< whose rows
    std::string figure; //!< which figure: see doc/benchmark-json.md
    std::string of;     //!< of what
    double value{0};
};

/**
 * @brief The exponent p of a growth y = c x^p that fits best: least squares of the logarithms.
 * @param points pairs of x and y; those that are not positive have no logarithm and do not count
 * @return the exponent, or nothing unless there are two different x
 */
std::optional<double> FitGrowthExponent(const std::vector<std::pair<double, double>>& points);

/**
 * @brief The results of a run of benchmarks.
 *
 * The JSON is documented in doc/benchmark-json.md.
 */
struct BenchmarkReport
{
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<BenchmarkRow> rows;                            //!< in the order of measurement

    /// @return ratios between rows, medians where they were repeated, and exponents of growth
    std::vector<BenchmarkFigure> GetFigures() const;

    /**
     * @brief Rows that differ only in detail, scheduler, processes or repetition are simulations of
     * the same, so they must have taken the same simulated time and packets.
     * @return an empty string, or which rows disagree
     */
    std::string CheckInvariants() const;

    /// @param os gets the header of the table
    static void WriteHeader(std::ostream& os);
    /**
     * @param os gets a row
     * @param row the row
     */
    static void WriteRow(std::ostream& os, const BenchmarkRow& row);
    /// @param os gets the figures, a line each
    void WriteFigures(std::ostream& os) const;
    /// @param os gets the JSON object
    void WriteJson(std::ostream& os) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_BENCHMARK_REPORT_H
