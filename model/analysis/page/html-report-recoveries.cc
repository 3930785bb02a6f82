// SPDX-License-Identifier: GPL-2.0-only

// The section of the page on how the job went on after GPUs were lost.

#include "html-chart-parts.h"
#include "html-report-charts.h"
#include "html-report.h"

#include <algorithm>

namespace ns3
{

namespace
{

using Json = HtmlChartParts::Json;

/// Moves of ranks in a cell of the table.
constexpr std::size_t MOVES_SHOWN = 8;

/// @return milliseconds with all microseconds
std::string
ToCell(const Time& time)
{
    return HtmlText::Fixed(HtmlChartParts::ToMilliseconds(time), 3);
}

/// The number of the palette that no step has.
constexpr uint32_t LOST_WORK_COLOR = 7;

} // namespace

HtmlChart
HtmlReportCharts::MakeRecoveries(const HtmlReportData& data)
{
    const auto& recoveries = data.summary.recoveries;
    const std::size_t kept = std::min(recoveries.size(), MAX_LINES);
    Json names = Json::array();
    Json lostWork = Json::array();
    Json sets = Json::array();
    for (std::size_t i = 0; i < kept; ++i)
    {
        const RunRecovery& recovery = recoveries[i];
        names.push_back(std::to_string(i) + ": GPU " + recovery.GetGpusText());
        lostWork.push_back(HtmlChartParts::ToMilliseconds(recovery.lostWork));
        std::size_t number = 0;
        for (const auto& step : recovery.GetSteps())
        {
            if (i == 0)
            {
                sets.push_back(
                    Json{{"label", step.name}, {"data", Json::array()}, {"color", number}});
            }
            sets[number++]["data"].push_back(HtmlChartParts::ToMilliseconds(step.end, step.begin));
        }
    }
    sets.push_back(Json{{"label", "lost work"}, {"data", lostWork}, {"color", LOST_WORK_COLOR}});
    Json x = HtmlChartParts::Axis("ms");
    x["stacked"] = true;
    const Json config{
        {"type", "bar"},
        {"data", {{"labels", names}, {"datasets", sets}}},
        {"options", {{"indexAxis", "y"}, {"scales", {{"x", x}, {"y", {{"stacked", true}}}}}}}};
    return {"chart-recoveries",
            "recoveries",
            "What a loss costs: the steps of the recovery, and work that is done again.",
            "Stacked bars, a line for each recovery. The numbers are in the table of recoveries.",
            static_cast<uint32_t>(130 + 40 * kept),
            HtmlChartParts::Dump(config),
            kept < recoveries.size()
                ? HtmlChartParts::LeftOut(recoveries.size() - kept, recoveries.size(), "recoveries")
                : ""};
}

void
HtmlReport::WriteRecoveries(std::ostream& os) const
{
    const auto& recoveries = m_data.summary.recoveries;
    if (recoveries.empty())
    {
        return;
    }
    os << "<section aria-labelledby=\"recoveries\">\n<h2 id=\"recoveries\">Recoveries</h2>\n";
    HtmlText::WriteParagraph(
        os,
        "How the job went on after GPUs were lost. detect: until the coordinator has heard of it; "
        "stop: until all GPUs have left their groups; plan: until circuits are planned, on "
        "photonic rails; build: until ranks have begun anew, with state and communicators; go: "
        "until the last rank goes on. Lost work is done again: it is from the begin of the "
        "iteration with which the job goes on, or from the last recovery, until the GPU broke.");
    WriteCharts(os, "recoveries");
    std::vector<std::string> columns{"recovery", "lost GPUs", "at, s>"};
    for (const auto& step : recoveries.front().GetSteps())
    {
        columns.push_back(std::string(step.name) + ">");
    }
    columns.insert(columns.end(),
                   {"in sum>", "lost work>", "attempts>", "iteration>", "spares left>", "moves"});
    HtmlTable table("table-recoveries", "Recoveries, steps and lost work in ms", columns);
    for (std::size_t i = 0; i < recoveries.size(); ++i)
    {
        const RunRecovery& recovery = recoveries[i];
        std::vector<std::string> cells{std::to_string(i),
                                       recovery.GetGpusText(),
                                       HtmlText::Seconds(recovery.lost)};
        for (const auto& step : recovery.GetSteps())
        {
            cells.push_back(ToCell(step.end - step.begin));
        }
        cells.insert(cells.end(),
                     {ToCell(recovery.resumed - recovery.lost),
                      ToCell(recovery.lostWork),
                      HtmlText::Whole(recovery.attempts),
                      HtmlText::Whole(recovery.iteration),
                      HtmlText::Whole(recovery.sparesLeft),
                      recovery.GetMovesText(MOVES_SHOWN)});
        table.Add(cells);
    }
    table.Write(os);
    os << "</section>\n";
}

} // namespace ns3
