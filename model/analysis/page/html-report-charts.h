// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HTML_REPORT_CHARTS_H
#define PHOTONIC_RAILS_HTML_REPORT_CHARTS_H

#include "html-report.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A chart of a page: a configuration of Chart.js, whose colours are numbers of the page's palette.
struct HtmlChart
{
    std::string id;          //!< of its element, unique on the page
    std::string section;     //!< where it stands
    std::string caption;     //!< below it
    std::string alternative; //!< what those read who do not see it
    uint32_t height{320};    //!< in CSS pixels
    std::string config;      //!< as JSON
    std::string leftOut;     //!< what is not drawn; empty if nothing
};

/// The charts of a page: pure functions of its data.
class HtmlReportCharts
{
  public:
    static constexpr std::size_t MAX_BARS = 3000;  //!< of a chart
    static constexpr std::size_t MAX_LINES = 64;   //!< of bars, below each other
    static constexpr std::size_t MAX_POINTS = 400; //!< of a curve
    static constexpr std::size_t MAX_CURVES = 12;  //!< of a chart

    /// @param data what the page is made from @return all its charts, in order
    static std::vector<HtmlChart> Make(const HtmlReportData& data);

    /**
     * @brief A distribution function, thinned out.
     * @param sorted times, the shortest first
     * @return milliseconds and shares in percent, at most MAX_POINTS; the first and the last time
     * are among them. Times of at most zero have no place on a logarithmic axis: the curve begins
     * with their share.
     */
    static std::vector<std::pair<double, double>> MakeCurve(const std::vector<Time>& sorted);

  private:
    static HtmlChart MakeIterations(const HtmlReportData& data);
    static HtmlChart MakeTimeline(const HtmlReportData& data);
    static HtmlChart MakeCircuits(const HtmlReportData& data);
    static HtmlChart MakeWindows(const HtmlReportData& data);
    static HtmlChart MakeDurations(const HtmlReportData& data);
    static HtmlChart MakeRecoveries(const HtmlReportData& data);
    static HtmlChart MakeCost(const HtmlReportData& data, bool isPower);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HTML_REPORT_CHARTS_H
