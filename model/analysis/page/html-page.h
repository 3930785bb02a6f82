// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HTML_PAGE_H
#define PHOTONIC_RAILS_HTML_PAGE_H

#include "ns3/cost-report.h"
#include "ns3/job-verdict.h"
#include "ns3/latency-histogram.h"
#include "ns3/ocs-port-log.h"
#include "ns3/rail-phases.h"
#include "ns3/report-value.h"
#include "ns3/run-summary.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief One HTML file that needs no network and no other file.
 *
 * All pages have the template page-begin.html, page-end.html in common; the sections of a kind of
 * page stand between the two. The template has two insertions: one JSON object, from which scripts
 * make tables and charts, and the text of Chart.js.
 */
struct HtmlPage
{
    /**
     * @brief Write a page.
     * @param os receives the page
     * @param sections script of the sections of the page
     * @param library text of Chart.js, or an empty string
     * @param data the object that the page is drawn from
     */
    static void Write(std::ostream& os,
                      const std::string& sections,
                      const std::string& library,
                      const ReportValue& data);

    /**
     * @param value of JSON
     * @return the same value as text that cannot end the script element in which the text stands
     */
    static std::string Embed(const ReportValue& value);
};

/// A page about a job on several networks: an HtmlPage with the sections of verdict.html.
struct VerdictPage
{
    const JobVerdict& verdict;
    std::string library;       //!< text of Chart.js; empty: the page has tables only
    std::string libraryRemark; //!< reason for an empty library

    /// @return the data of the page as an object: the verdict in the form of --json, and limits
    ReportValue MakeData() const;

    /// @param os receives the page
    void Write(std::ostream& os) const;
};

/**
 * @brief A page about a run: one HTML file that needs no network and no other file.
 *
 * The page is an HtmlPage with the sections of report.html. The object of the page contains the
 * summary of the run in the form of --json, and series that --json does not have, limited to a size
 * that a browser can draw.
 */
struct HtmlReport
{
    static constexpr std::size_t MAX_ROWS = 200;   //!< of a table
    static constexpr std::size_t MAX_BARS = 3000;  //!< of a chart
    static constexpr std::size_t MAX_LINES = 64;   //!< of bars, below each other
    static constexpr std::size_t MAX_POINTS = 400; //!< of a curve
    static constexpr std::size_t MAX_CURVES = 12;  //!< of a chart

    /// A port of the circuit switch of the first rail.
    struct Port
    {
        uint32_t number{0};                  //!< number of the port at the switch
        uint32_t rank{0};                    //!< rank of the NIC at the other end of the fiber
        uint32_t nicPort{0};                 //!< port of this NIC
        uint32_t stage{0};                   //!< stage of the rank
        std::vector<OcsPortLog::Span> spans; //!< states in the last iteration
    };

    /// Latencies of packets; measured only on request.
    struct Latencies
    {
        LatencySummary
            packets; //!< data packets, from the first bit sent by a NIC to the last bit received
        LatencySummary writes; //!< RDMA Writes, from posting to the last acknowledgement
    };

    std::string sentence; //!< description of the run, in one line
    RunSummary summary;
    uint32_t skip{0}; //!< first iterations that do not count for windows and durations
    /// For each stage the communications of one rank of the first rail, in the order of the calls.
    std::vector<std::vector<Communication>> communications;
    std::vector<Port> ports; //!< none without optical circuit switches
    std::optional<Latencies> latencies;
    std::optional<CostReport> cost;
    std::string costRemark;    //!< limits of the cost, or the reason why there is no cost
    std::string library;       //!< text of Chart.js; empty: the page has tables only
    std::string libraryRemark; //!< reason for an empty library

    /// @return begin of the last iteration; zero if no iteration has ended
    Time GetBegin() const;
    /// @return begin of the charts of the last iteration, in which some ranks may be earlier than
    /// others
    Time GetEarliest() const;
    /// @return end of the last iteration
    Time GetEnd() const;
    /// @return communications of a stage in the last iteration that has ended
    std::vector<Communication> GetLast(std::size_t stage) const;

    /// @return the object of the page
    ReportValue MakeData() const;

    /// Write the page.
    void Write(std::ostream& os) const;

    /**
     * @brief Make a distribution function of at most MAX_POINTS points.
     * @param sorted times, the shortest first
     * @return times and shares in percent, with the first and the last time. A logarithmic axis has
     * no place for times of zero or less: the curve begins with the share of these times.
     */
    static std::vector<std::pair<Time, double>> MakeCurve(const std::vector<Time>& sorted);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HTML_PAGE_H
