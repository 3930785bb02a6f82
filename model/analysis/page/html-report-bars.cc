// SPDX-License-Identifier: GPL-2.0-only

#include "html-chart-parts.h"
#include "html-report-charts.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

using Json = HtmlChartParts::Json;

/// Of a bar and what is above it, in CSS pixels.
constexpr uint32_t LINE_HEIGHT = 22;

/// A gap of so small a part of the iteration cannot be seen: half a pixel on a wide screen.
constexpr int64_t GAPS = 2000;

/// @return bars from left to right in lines below each other, over the last iteration
Json
BarConfig(const HtmlReportData& data, const std::vector<std::string>& lines, Json sets)
{
    Json x = HtmlChartParts::Axis("ms since the iteration began");
    const double end = HtmlChartParts::ToMilliseconds(data.GetEnd(), data.GetBegin());
    const double earliest = HtmlChartParts::ToMilliseconds(data.GetEarliest(), data.GetBegin());
    x["min"] = -earliest > end / GAPS ? earliest : 0; // what is earlier by less cannot be seen
    x["max"] = end;
    const Json y{{"stacked", true}, {"grid", {{"display", false}}}};
    return Json{{"type", "bar"},
                {"spans", true},
                {"data", {{"labels", lines}, {"datasets", std::move(sets)}}},
                {"options", {{"indexAxis", "y"}, {"scales", {{"x", x}, {"y", y}}}}}};
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

} // namespace

HtmlChart
HtmlReportCharts::MakeTimeline(const HtmlReportData& data)
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
    const std::size_t kept = std::min(lines.size(), MAX_LINES);
    if (kept < lines.size())
    {
        leftOut = HtmlChartParts::LeftOut(lines.size() - kept, lines.size(), "lines");
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
            if (drawn == MAX_BARS)
            {
                ++missing;
                continue;
            }
            ++drawn;
            list.push_back(Json{{"x",
                                 {HtmlChartParts::ToMilliseconds(bar.start, data.GetBegin()),
                                  HtmlChartParts::ToMilliseconds(bar.end, data.GetBegin())}},
                                {"y", names.back()},
                                {"note",
                                 bar.kinds + ", " + std::to_string(bar.count) + " calls, " +
                                     HtmlText::Bytes(bar.bytes)}});
        }
    }
    if (missing > 0)
    {
        leftOut += HtmlChartParts::LeftOut(missing, drawn + missing, "bars");
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
            HtmlChartParts::Dump(BarConfig(data, names, datasets)),
            leftOut};
}

HtmlChart
HtmlReportCharts::MakeCircuits(const HtmlReportData& data)
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
    const std::size_t kept = std::min(data.ports.size(), MAX_LINES);
    if (kept < data.ports.size())
    {
        leftOut = HtmlChartParts::LeftOut(data.ports.size() - kept, data.ports.size(), "ports");
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
            if (drawn == MAX_BARS)
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
                                 {HtmlChartParts::ToMilliseconds(span.start, data.GetBegin()),
                                  HtmlChartParts::ToMilliseconds(span.end, data.GetBegin())}},
                                {"y", names.back()},
                                {"note", isUp ? "to " + to : "dark until there is light"}});
        }
    }
    if (missing > 0)
    {
        leftOut += HtmlChartParts::LeftOut(missing, drawn + missing, "bars");
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
            HtmlChartParts::Dump(BarConfig(data, names, sets)),
            leftOut};
}

} // namespace ns3
