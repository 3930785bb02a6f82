// SPDX-License-Identifier: GPL-2.0-only

#include "html-report-charts.h"

#include "html-chart-parts.h"

#include "ns3/to-seconds.h"

namespace ns3
{

namespace
{

using Json = HtmlChartParts::Json;

} // namespace

HtmlChart
HtmlReportCharts::MakeIterations(const HtmlReportData& data)
{
    Json labels = Json::array();
    Json times = Json::array();
    Json exposed = Json::array();
    Json commands = Json::array();
    for (const auto& iteration : data.summary.iterations)
    {
        labels.push_back(std::to_string(iteration.index));
        times.push_back(ToSeconds(iteration.duration));
        exposed.push_back(ToSeconds(iteration.exposedReconfiguration));
        commands.push_back(iteration.reconfigurations);
    }
    Json right = HtmlChartParts::Axis("reconfigurations");
    right["position"] = "right";
    right["beginAtZero"] = true;
    right["grid"] = {{"drawOnChartArea", false}};
    right["ticks"] = {{"precision", 0}};
    Json left = HtmlChartParts::Axis("seconds");
    left["beginAtZero"] = true;
    Json sets = Json::array();
    sets.push_back(Json{{"label", "time of the iteration, s"}, {"data", times}, {"color", 0}});
    Json scales{{"x", HtmlChartParts::Axis("iteration")}, {"y", left}};
    if (data.summary.fabric == "photonic")
    {
        sets.push_back(
            Json{{"label", "exposed reconfiguration, s"}, {"data", exposed}, {"color", 1}});
        sets.push_back(Json{{"label", "reconfigurations"},
                            {"type", "line"},
                            {"data", commands},
                            {"yAxisID", "right"},
                            {"color", 2}});
        scales["right"] = right;
    }
    const Json config{{"type", "bar"},
                      {"data", {{"labels", labels}, {"datasets", sets}}},
                      {"options", {{"scales", scales}}}};
    return {"chart-iterations",
            "iterations",
            "Time of each iteration and, of the rank that waited longest, the time for which it "
            "waited for light; the number of commands to switches on the right.",
            "Bars: times of iterations. The numbers are in the table of iterations.",
            300,
            HtmlChartParts::Dump(config),
            ""};
}

HtmlChart
HtmlReportCharts::MakeCost(const HtmlReportData& data, bool isPower)
{
    Json names = Json::array();
    std::vector<Json> parts(3, Json::array());
    for (const auto& row : data.cost->rows)
    {
        if (!row.inventory.error.empty())
        {
            continue;
        }
        names.push_back(row.kind.ToText());
        const auto& cost = row.cost;
        std::size_t part = 0;
        for (const auto* sum : {&cost.transceivers, &cost.switches, &cost.ocs})
        {
            parts[part++].push_back(isPower ? sum->watts : sum->usd);
        }
    }
    Json sets = Json::array();
    std::size_t part = 0;
    for (const char* label : {"transceivers", "electrical switches", "optical circuit switches"})
    {
        sets.push_back(Json{{"label", label}, {"data", parts[part]}, {"color", part}});
        ++part;
    }
    Json x = HtmlChartParts::Axis(isPower ? "W" : "USD");
    x["stacked"] = true;
    const Json config{
        {"type", "bar"},
        {"data", {{"labels", names}, {"datasets", sets}}},
        {"options", {{"indexAxis", "y"}, {"scales", {{"x", x}, {"y", {{"stacked", true}}}}}}}};
    return {isPower ? "chart-power" : "chart-cost",
            "cost",
            isPower ? "Power of the networks." : "Price of the networks.",
            "Stacked bars, a line for each network. The numbers are in the table of networks.",
            static_cast<uint32_t>(130 + 40 * names.size()),
            HtmlChartParts::Dump(config),
            ""};
}

std::vector<HtmlChart>
HtmlReportCharts::Make(const HtmlReportData& data)
{
    std::vector<HtmlChart> charts;
    if (!data.summary.iterations.empty())
    {
        charts.push_back(MakeIterations(data));
        charts.push_back(MakeTimeline(data));
        if (!data.ports.empty())
        {
            charts.push_back(MakeCircuits(data));
        }
        charts.push_back(MakeWindows(data));
        charts.push_back(MakeDurations(data));
    }
    if (!data.summary.recoveries.empty())
    {
        charts.push_back(MakeRecoveries(data));
    }
    if (data.cost)
    {
        charts.push_back(MakeCost(data, false));
        charts.push_back(MakeCost(data, true));
    }
    return charts;
}

} // namespace ns3
