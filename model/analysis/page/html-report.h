// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HTML_REPORT_H
#define PHOTONIC_RAILS_HTML_REPORT_H

#include "ns3/cost-report.h"
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

/// All that a page about a run is made from.
struct HtmlReportData
{
    /// A port of the circuit switch of the first rail.
    struct Port
    {
        uint32_t number{0};                  //!< at the switch
        uint32_t rank{0};                    //!< whose NIC is at the other end of the fibre
        uint32_t nicPort{0};                 //!< there
        uint32_t stage{0};                   //!< of the rank
        std::vector<OcsPortLog::Span> spans; //!< in the last iteration
    };

    /// What the packets of the run have taken; not measured unless it is asked for.
    struct Latencies
    {
        LatencySummary packets; //!< from the first bit that leaves a NIC to the last that arrives
        LatencySummary writes;  //!< RDMA Writes, from posting to the last acknowledgement
    };

    std::string sentence; //!< what was run, in one line
    RunSummary summary;
    uint32_t skip{0}; //!< first iterations that do not count for windows and durations
    /// On the first rail, per stage those of its rank, in the order of its calls.
    std::vector<std::vector<Communication>> communications;
    std::vector<Port> ports; //!< none without optical circuit switches
    std::optional<Latencies> latencies;
    std::optional<CostReport> cost;
    std::string costRemark;    //!< what has to be said of the cost, or why there is none
    std::string library;       //!< text of Chart.js; without it there are tables only
    std::string libraryRemark; //!< why there is none

    /// @return when the last iteration began; zero if none has ended
    Time GetBegin() const;
    /// @return when charts of it begin: a rank that is ahead is in it earlier than the others
    Time GetEarliest() const;
    /// @return when it ended
    Time GetEnd() const;
    /// @return communications of a stage in the last iteration that has ended
    std::vector<Communication> GetLast(std::size_t stage) const;
};

/**
 * @brief A page about a run: one HTML file that needs no network and no other file.
 *
 * The page is an HtmlPage with the sections of report.html. The object that the page is drawn from
 * has the summary of the run as --json writes it, and series that --json does not have, cut to the
 * size that a browser can draw.
 */
class HtmlReport
{
  public:
    static constexpr std::size_t MAX_ROWS = 200;   //!< of a table
    static constexpr std::size_t MAX_BARS = 3000;  //!< of a chart
    static constexpr std::size_t MAX_LINES = 64;   //!< of bars, below each other
    static constexpr std::size_t MAX_POINTS = 400; //!< of a curve
    static constexpr std::size_t MAX_CURVES = 12;  //!< of a chart

    /// @param data what the page is made from; it must outlive the report
    explicit HtmlReport(const HtmlReportData& data);

    /// @return the object that the page is drawn from
    ReportValue MakeData() const;

    /// Write the page.
    void Write(std::ostream& os) const;

    /**
     * @brief A distribution function, thinned out.
     * @param sorted times, the shortest first
     * @return times and shares in percent, at most MAX_POINTS; the first and the last time are
     * among them. Times of at most zero have no place on a logarithmic axis: the curve begins with
     * their share.
     */
    static std::vector<std::pair<Time, double>> MakeCurve(const std::vector<Time>& sorted);

  private:
    const HtmlReportData& m_data;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HTML_REPORT_H
