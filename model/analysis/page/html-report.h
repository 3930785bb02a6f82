// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HTML_REPORT_H
#define PHOTONIC_RAILS_HTML_REPORT_H

#include "ns3/cost-report.h"
#include "ns3/latency-histogram.h"
#include "ns3/ocs-port-log.h"
#include "ns3/phase-windows.h"
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

/// A run of communications of one group on one stage, in the last iteration.
struct HtmlReportPhase
{
    Dimension dimension{Dimension::FSDP};
    std::string kinds; //!< such as AllGather+ReduceScatter
    uint32_t count{0}; //!< communications
    uint64_t bytes{0}; //!< input bytes of the rank
    Time start;        //!< the earliest start
    Time end;          //!< the latest end

    /**
     * @param communications of one rank, in the order of its calls
     * @return its phases, as FindPhaseWindows has them
     */
    static std::vector<HtmlReportPhase> Find(const std::vector<Communication>& communications);
};

/**
 * @brief A page about a run: one HTML file that needs no network and no other file.
 *
 * Tables are plain HTML. Charts are drawn by Chart.js, whose text stands in the page, from one
 * block of JSON. Whatever a text of the run contains stays text.
 */
class HtmlReport
{
  public:
    /// @param data what the page is made from; it must outlive the report
    explicit HtmlReport(const HtmlReportData& data);

    /// Write the page.
    void Write(std::ostream& os) const;

  private:
    void WriteHead(std::ostream& os) const;
    void WriteOverview(std::ostream& os) const;
    void WriteIterations(std::ostream& os) const;
    void WriteTimeline(std::ostream& os) const;
    void WriteCircuits(std::ostream& os) const;
    void WriteWindows(std::ostream& os) const;
    void WriteDurations(std::ostream& os) const;
    void WriteTraffic(std::ostream& os) const;
    void WriteFaults(std::ostream& os) const;
    void WriteRecoveries(std::ostream& os) const;
    void WriteCost(std::ostream& os) const;
    void WriteSettings(std::ostream& os) const;
    /// Write a place for each chart of a section.
    void WriteCharts(std::ostream& os, const std::string& section) const;
    /// Write the library, the data of the charts and the script that joins them.
    void WriteScripts(std::ostream& os) const;

    const HtmlReportData& m_data;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HTML_REPORT_H
