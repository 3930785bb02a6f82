// SPDX-License-Identifier: GPL-2.0-only

#include "html-report-charts.h"

#include "html-text.h"

#include "ns3/to-seconds.h"
#include "ns3/window-report.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/// Of a bar and what is above it, in CSS pixels.
constexpr uint32_t LINE_HEIGHT = 22;

/// A gap of so small a part of the iteration cannot be seen: half a pixel on a wide screen.
constexpr int64_t GAPS = 2000;

/// @return milliseconds from the begin of the last iteration
double
ToMilliseconds(const Time& time, const Time& begin = Time())
{
    return 1e3 * ToSeconds(time - begin);
}

/// @return the text of a configuration, whatever bytes its texts have
std::string
Dump(const Json& config)
{
    return config.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// @return an axis with a title
Json
Axis(const std::string& title)
{
    return Json{{"title", {{"display", true}, {"text", title}}}};
}

/// @return bars from left to right in lines below each other, over the last iteration
Json
BarConfig(const HtmlReportData& data, const std::vector<std::string>& lines, Json sets)
{
    Json x = Axis("ms since the iteration began");
    const double end = ToMilliseconds(data.GetEnd(), data.GetBegin());
    const double earliest = ToMilliseconds(data.GetEarliest(), data.GetBegin());
    x["min"] = -earliest > end / GAPS ? earliest : 0; // what is earlier by less cannot be seen
    x["max"] = end;
    const Json y{{"stacked", true}, {"grid", {{"display", false}}}};
    return Json{{"type", "bar"},
                {"spans", true},
                {"data", {{"labels", lines}, {"datasets", std::move(sets)}}},
                {"options", {{"indexAxis", "y"}, {"scales", {{"x", x}, {"y", y}}}}}};
}

/// @return what of how many is left out
std::string
LeftOut(std::size_t part, std::size_t all, const std::string& what)
{
    return HtmlText::Number(uint64_t{part}) + " of " + HtmlText::Number(uint64_t{all}) + " " +
           what + " are left out. ";
}

HtmlChart
MakeIterations(const HtmlReportData& data)
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
    Json right = Axis("reconfigurations");
    right["position"] = "right";
    right["beginAtZero"] = true;
    right["grid"] = {{"drawOnChartArea", false}};
    right["ticks"] = {{"precision", 0}};
    Json left = Axis("seconds");
    left["beginAtZero"] = true;
    Json sets = Json::array();
    sets.push_back(Json{{"label", "time of the iteration, s"}, {"data", times}, {"color", 0}});
    Json scales{{"x", Axis("iteration")}, {"y", left}};
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
            Dump(config),
            ""};
}

/// Bars of one line and one colour, those that touch on the screen drawn as one.
struct Bars
{
    struct Bar
    {
        Time start;
        Time end;
        uint64_t bytes;
        uint32_t count;
        std::string kinds;
    };

    std::vector<Bar> bars;

    /// Join bars with gaps below a threshold.
    void Join(const Time& gap)
    {
        std::stable_sort(bars.begin(), bars.end(), [](const Bar& one, const Bar& other) {
            return one.start < other.start;
        });
        std::vector<Bar> joined;
        for (const auto& bar : bars)
        {
            if (joined.empty() || bar.start - joined.back().end > gap)
            {
                joined.push_back(bar);
                continue;
            }
            Bar& last = joined.back();
            last.end = std::max(last.end, bar.end);
            last.bytes += bar.bytes;
            last.count += bar.count;
            if (last.kinds.find(bar.kinds) == std::string::npos)
            {
                last.kinds += "+" + bar.kinds;
            }
        }
        bars = std::move(joined);
    }
};

HtmlChart
MakeTimeline(const HtmlReportData& data)
{
    const std::size_t stages = data.communications.size();
    std::map<std::pair<std::size_t, Dimension>, Bars> lines;
    std::size_t all = 0;
    for (std::size_t stage = 0; stage < stages; ++stage)
    {
        for (const auto& one : data.GetLast(stage))
        {
            lines[{stage, one.dimension}].bars.push_back(
                {one.start, one.end, one.bytes, 1, ToString(one.kind)});
            ++all;
        }
    }
    std::string leftOut;
    const std::size_t kept = std::min(lines.size(), HtmlReportCharts::MAX_LINES);
    if (kept < lines.size())
    {
        leftOut = LeftOut(lines.size() - kept, lines.size(), "lines");
    }
    const Time gap = PicoSeconds((data.GetEnd() - data.GetBegin()).GetPicoSeconds() / GAPS);
    std::vector<std::string> names;
    std::map<Dimension, Json> sets;
    std::size_t drawn = 0;
    std::size_t missing = 0;
    std::size_t number = 0;
    for (auto& [key, bars] : lines)
    {
        if (number++ == kept)
        {
            break;
        }
        const auto& [stage, dimension] = key;
        names.push_back("stage " + std::to_string(stage) + " " + ToString(dimension));
        bars.Join(gap);
        auto& list = sets.try_emplace(dimension, Json::array()).first->second;
        for (const auto& bar : bars.bars)
        {
            if (drawn == HtmlReportCharts::MAX_BARS)
            {
                ++missing;
                continue;
            }
            ++drawn;
            list.push_back(Json{{"x",
                                 {ToMilliseconds(bar.start, data.GetBegin()),
                                  ToMilliseconds(bar.end, data.GetBegin())}},
                                {"y", names.back()},
                                {"note",
                                 bar.kinds + ", " + std::to_string(bar.count) + " calls, " +
                                     HtmlText::Bytes(bar.bytes)}});
        }
    }
    if (missing > 0)
    {
        leftOut += LeftOut(missing, drawn + missing, "bars");
    }
    Json datasets = Json::array();
    for (auto& [dimension, list] : sets)
    {
        datasets.push_back(Json{{"label", ToString(dimension)},
                                {"data", std::move(list)},
                                {"color", static_cast<int>(dimension) - 1}});
    }
    return {"chart-timeline",
            "timeline",
            HtmlText::Number(uint64_t{all}) + " communications of the last iteration as " +
                HtmlText::Number(uint64_t{drawn}) +
                " bars: those of one parallelism that follow one another within " +
                HtmlText::Milliseconds(gap) + " ms are drawn as one.",
            "Bars over time, a line for each stage and parallelism. The phases are in the table of "
            "phases.",
            static_cast<uint32_t>(100 + LINE_HEIGHT * names.size()),
            Dump(BarConfig(data, names, datasets)),
            leftOut};
}

HtmlChart
MakeCircuits(const HtmlReportData& data)
{
    std::map<uint32_t, const HtmlReportData::Port*> places; // by number
    for (const auto& port : data.ports)
    {
        places[port.number] = &port;
    }
    const auto getName = [](const HtmlReportData::Port& port) {
        return "rank " + std::to_string(port.rank) + ", " + std::to_string(port.nicPort);
    };
    std::string leftOut;
    const std::size_t kept = std::min(data.ports.size(), HtmlReportCharts::MAX_LINES);
    if (kept < data.ports.size())
    {
        leftOut = LeftOut(data.ports.size() - kept, data.ports.size(), "ports");
    }
    std::vector<std::string> names;
    std::vector<Json> bars(3, Json::array());
    std::size_t drawn = 0;
    std::size_t missing = 0;
    for (std::size_t line = 0; line < kept; ++line)
    {
        const auto& port = data.ports[line];
        names.push_back(getName(port));
        for (const auto& span : port.spans)
        {
            if (span.state == OpticalCircuitSwitch::DARK)
            {
                continue;
            }
            if (drawn == HtmlReportCharts::MAX_BARS)
            {
                ++missing;
                continue;
            }
            ++drawn;
            const bool isUp = span.state == OpticalCircuitSwitch::UP;
            const auto peer = places.find(span.peer);
            const bool isKnown = peer != places.end();
            const bool isAcross = isKnown && peer->second->stage != port.stage;
            const std::string to =
                isKnown ? getName(*peer->second) : "port " + std::to_string(span.peer);
            bars[!isUp      ? 2
                 : isAcross ? 1
                            : 0]
                .push_back(Json{{"x",
                                 {ToMilliseconds(span.start, data.GetBegin()),
                                  ToMilliseconds(span.end, data.GetBegin())}},
                                {"y", names.back()},
                                {"note", isUp ? "to " + to : "dark until there is light"}});
        }
    }
    if (missing > 0)
    {
        leftOut += LeftOut(missing, drawn + missing, "bars");
    }
    // The colours of fsdp and pp, which mostly take them, and one that no parallelism has.
    Json sets = Json::array();
    sets.push_back(Json{{"label", "light, within a stage"}, {"data", bars[0]}, {"color", 1}});
    sets.push_back(Json{{"label", "light, to another stage"}, {"data", bars[1]}, {"color", 2}});
    sets.push_back(Json{{"label", "switching"}, {"data", bars[2]}, {"color", 7}});
    return {"chart-circuits",
            "circuits",
            "Ports of the circuit switch by the rank and the port of the NIC at the other end of "
            "the fibre. A port without a bar is dark.",
            "Bars over time, a line for each port. Sums are in the table of ports.",
            static_cast<uint32_t>(100 + LINE_HEIGHT * names.size()),
            Dump(BarConfig(data, names, sets)),
            leftOut};
}

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
        Json x = Axis(title);
        x["type"] = "logarithmic";
        Json y = Axis("share of all, %");
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
                Dump(config),
                ""};
    }
};

HtmlChart
MakeWindows(const HtmlReportData& data)
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
    for (std::size_t group = 0; group < std::min(groups.size(), HtmlReportCharts::MAX_CURVES);
         ++group)
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
    if (groups.size() > HtmlReportCharts::MAX_CURVES)
    {
        chart.leftOut = LeftOut(groups.size() - HtmlReportCharts::MAX_CURVES,
                                groups.size(),
                                "rails, those that do the same as another not counted,");
    }
    return chart;
}

HtmlChart
MakeDurations(const HtmlReportData& data)
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
        if (curves.sets.size() < HtmlReportCharts::MAX_CURVES)
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
    if (times.size() > HtmlReportCharts::MAX_CURVES)
    {
        chart.leftOut = LeftOut(times.size() - HtmlReportCharts::MAX_CURVES, times.size(), "kinds");
    }
    return chart;
}

HtmlChart
MakeCost(const HtmlReportData& data, bool isPower)
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
    Json x = Axis(isPower ? "W" : "USD");
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
            Dump(config),
            ""};
}

} // namespace

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
    points.emplace_back(ToMilliseconds(sorted[first]), share(first));
    const std::size_t steps = std::min(size - first, MAX_POINTS - 1);
    for (std::size_t step = 0; step < steps; ++step)
    {
        // From the first to the last, as evenly as it goes.
        const std::size_t index =
            first + (steps > 1 ? step * (size - first - 1) / (steps - 1) : size - first - 1);
        points.emplace_back(ToMilliseconds(sorted[index]), share(index + 1));
    }
    return points;
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
    if (data.cost)
    {
        charts.push_back(MakeCost(data, false));
        charts.push_back(MakeCost(data, true));
    }
    return charts;
}

} // namespace ns3
