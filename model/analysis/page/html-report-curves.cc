// SPDX-License-Identifier: GPL-2.0-only

#include "html-chart-parts.h"
#include "html-report-charts.h"

#include "ns3/window-report.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

using Json = HtmlChartParts::Json;

/// Curves of one chart.
struct Curves
{
    Json sets = Json::array();
    std::size_t points{0}; //!< drawn
    std::size_t all{0};    //!< times

    /// Add a distribution, if there is anything to draw of it.
    void Add(const std::string& label, const std::vector<Time>& sorted, int color)
    {
        Json data = Json::array();
        for (const auto& [x, y] : HtmlReportCharts::MakeCurve(sorted))
        {
            data.push_back(Json{{"x", x}, {"y", y}});
        }
        if (!data.empty())
        {
            points += data.size();
            all += sorted.size();
            sets.push_back(Json{{"label", label},
                                {"data", std::move(data)},
                                {"stepped", true},
                                {"color", color}});
        }
    }

    /// @return the chart
    HtmlChart Make(const std::string& section, const std::string& title, std::string caption) const
    {
        Json x = HtmlChartParts::Axis(title);
        x["type"] = "logarithmic";
        Json y = HtmlChartParts::Axis("share of all, %");
        y["min"] = 0;
        y["max"] = 100;
        const Json config{{"type", "line"},
                          {"data", {{"datasets", sets}}},
                          {"options", {{"scales", {{"x", x}, {"y", y}}}}}};
        caption += " " + HtmlText::Number(uint64_t{all}) + " times, drawn with " +
                   HtmlText::Number(uint64_t{points}) + " points.";
        return {"chart-" + section,
                section,
                std::move(caption),
                "Distribution functions. Quantiles are in the tables of this section.",
                340,
                HtmlChartParts::Dump(config),
                ""};
    }
};

} // namespace

HtmlChart
HtmlReportCharts::MakeWindows(const HtmlReportData& data)
{
    const WindowReport report(data.summary.windowsOfRails,
                              data.skip,
                              static_cast<uint32_t>(data.summary.iterations.size()),
                              MilliSeconds(1));
    // Rails that do the same are one curve.
    std::map<std::vector<Time>, std::vector<std::size_t>> alike;
    for (std::size_t rail = 0; rail < report.GetRails().size(); ++rail)
    {
        alike[report.GetRails()[rail].sorted].push_back(rail);
    }
    std::vector<std::vector<std::size_t>> groups;
    for (const auto& [sorted, numbers] : alike)
    {
        groups.push_back(numbers);
    }
    std::sort(groups.begin(), groups.end());
    Curves curves;
    for (std::size_t group = 0; group < std::min(groups.size(), MAX_CURVES); ++group)
    {
        const auto& numbers = groups[group];
        std::string label = numbers.size() > 1 ? "rails " : "rail ";
        for (const std::size_t rail : numbers)
        {
            label += (rail == numbers.front() ? "" : ", ") + std::to_string(rail);
        }
        curves.Add(label, report.GetRails()[numbers[0]].sorted, static_cast<int>(group));
    }
    HtmlChart chart = curves.Make(
        "windows",
        "window, ms",
        "Share of the windows that are at most so long. Windows of at most zero (phases that "
        "overlap) are below the begin of a curve.");
    if (groups.size() > MAX_CURVES)
    {
        chart.leftOut =
            HtmlChartParts::LeftOut(groups.size() - MAX_CURVES,
                                    groups.size(),
                                    "rails, those that do the same as another not counted,");
    }
    return chart;
}

HtmlChart
HtmlReportCharts::MakeDurations(const HtmlReportData& data)
{
    std::map<std::pair<Dimension, CollectiveKind>, std::vector<Time>> times;
    for (const auto& stage : data.communications)
    {
        for (const auto& one : stage)
        {
            if (one.iteration >= data.skip && one.iteration < data.summary.iterations.size())
            {
                times[{one.dimension, one.kind}].push_back(one.end - one.start);
            }
        }
    }
    Curves curves;
    int color = 0;
    for (auto& [key, each] : times)
    {
        std::sort(each.begin(), each.end());
        if (curves.sets.size() < MAX_CURVES)
        {
            curves.Add(ToString(key.first) + " " + ToString(key.second), each, color++);
        }
    }
    HtmlChart chart = curves.Make(
        "durations",
        "duration, ms",
        "Share of the communications on the first rail that take at most so long. What a "
        "rank receives that had arrived before it asked takes no time and is below the "
        "begin of a curve.");
    if (times.size() > MAX_CURVES)
    {
        chart.leftOut = HtmlChartParts::LeftOut(times.size() - MAX_CURVES, times.size(), "kinds");
    }
    return chart;
}

std::vector<std::pair<double, double>>
HtmlReportCharts::MakeCurve(const std::vector<Time>& sorted)
{
    const std::size_t size = sorted.size();
    const auto first = static_cast<std::size_t>(
        std::upper_bound(sorted.begin(), sorted.end(), Time()) - sorted.begin());
    std::vector<std::pair<double, double>> points;
    if (first == size)
    {
        return points;
    }
    const auto share = [size](std::size_t number) { return 100.0 * number / size; };
    points.emplace_back(HtmlChartParts::ToMilliseconds(sorted[first]), share(first));
    const std::size_t steps = std::min(size - first, MAX_POINTS - 1);
    for (std::size_t step = 0; step < steps; ++step)
    {
        // From the first to the last, as evenly as it goes.
        const std::size_t index =
            first + (steps > 1 ? step * (size - first - 1) / (steps - 1) : size - first - 1);
        points.emplace_back(HtmlChartParts::ToMilliseconds(sorted[index]), share(index + 1));
    }
    return points;
}

} // namespace ns3
