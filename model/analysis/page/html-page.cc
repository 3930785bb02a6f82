// SPDX-License-Identifier: GPL-2.0-only

#include "html-page.h"

#include "ns3/report-table.h"
#include "ns3/report-value.h"
#include "ns3/window-report.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

// The first and last line of each file make a C++ string of the file: no build has to find the file
// when a program runs.
const char* const PAGE_BEGIN =
#include "page-begin.html"
    ;
const char* const PAGE_END =
#include "page-end.html"
    ;

/// The sections of the page.
const char* const VERDICT_SECTIONS =
#include "verdict.html"
    ;

/// The sections of the page.
const char* const RUN_SECTIONS =
#include "report.html"
    ;

/// A gap of so small a part of the iteration cannot be seen: half a pixel on a wide screen.
constexpr int64_t GAPS = 2000;

/// A bar of a chart over time.
struct PageBar
{
    std::size_t line{0}; //!< on which it is
    std::string set;     //!< bars of one set have one colour
    std::string note;    //!< kinds of communications, or to which port a circuit leads
    Time start;          //!< since the iteration began
    Time end;            //!< likewise
    uint64_t bytes{0};   //!< input bytes of the rank
    uint32_t count{0};   //!< communications
};

const ReportTable<PageBar> PAGE_BARS{{"line", "", &PageBar::line},
                                     {"set", "", &PageBar::set},
                                     {"note", "", &PageBar::note},
                                     {"start_s", "s", &PageBar::start},
                                     {"end_s", "s", &PageBar::end},
                                     {"bytes", "bytes", &PageBar::bytes},
                                     {"count", "", &PageBar::count}};

/// Bars in lines below each other, over the last iteration.
struct PageBars
{
    std::vector<std::string> lines; //!< names, at most MAX_LINES
    std::vector<PageBar> bars;      //!< at most MAX_BARS
    std::size_t allLines{0};        //!< with those that are left out
    std::size_t allBars{0};         //!< of the lines that are not left out
    Time begin;                     //!< of the iteration

    /// Add a line, if there is room.
    void Add(const std::string& name, const std::vector<PageBar>& ofLine)
    {
        if (++allLines > HtmlReport::MAX_LINES)
        {
            return;
        }
        lines.push_back(name);
        allBars += ofLine.size();
        for (const auto& bar : ofLine)
        {
            if (bars.size() < HtmlReport::MAX_BARS)
            {
                bars.push_back(bar);
                bars.back().line = lines.size() - 1;
                bars.back().start -= begin;
                bars.back().end -= begin;
            }
        }
    }
};

const ReportTable<PageBars> PAGE_BAR_CHART{
    {"lines", "", &PageBars::lines},
    {"bars", "", ReportRows(&PageBars::bars, PAGE_BARS)},
    {"all_lines", "", &PageBars::allLines},
    {"all_bars", "", &PageBars::allBars},
};

/// A distribution function.
struct PageCurve
{
    std::string label;
    std::vector<Time> sorted; //!< the times
};

const ReportTable<PageCurve> PAGE_CURVES{
    {"label", "", &PageCurve::label},
    {"count", "", [](const PageCurve& curve) { return curve.sorted.size(); }},
    {"points", "", [](const PageCurve& curve) {
         ReportValue::Array points;
         for (const auto& [time, share] : HtmlReport::MakeCurve(curve.sorted))
         {
             points.emplace_back(ReportValue::Array{time, share});
         }
         return points;
     }}};

/// A phase of a stage, with times since the iteration began.
struct PagePhase : CommunicationPhase
{
    std::size_t stage{0};
};

const ReportTable<PagePhase> PAGE_PHASES{
    {"stage", "", &PagePhase::stage},
    {"dimension", "", [](const auto& one) { return ToString(one.first.dimension); }},
    {"kinds",
     "",
     [](const auto& one) {
         std::string kinds;
         for (const CollectiveKind kind : one.kinds)
         {
             kinds += (kinds.empty() ? "" : "+") + ToString(kind);
         }
         return kinds;
     }},
    {"count", "", &CommunicationPhase::count},
    {"bytes", "bytes", &CommunicationPhase::bytes},
    {"start_s", "s", &CommunicationPhase::start},
    {"end_s", "s", &CommunicationPhase::end},
};

/// @return time for which a port was in a state
template <OpticalCircuitSwitch::PortState STATE>
Time
SumSpans(const HtmlReport::Port& port)
{
    Time sum;
    for (const auto& span : port.spans)
    {
        sum += span.state == STATE ? span.end - span.start : Time();
    }
    return sum;
}

const ReportTable<HtmlReport::Port> PAGE_PORTS{
    {"number", "", &HtmlReport::Port::number},
    {"rank", "", &HtmlReport::Port::rank},
    {"nic_port", "", &HtmlReport::Port::nicPort},
    {"circuits",
     "",
     [](const HtmlReport::Port& port) {
         return std::count_if(port.spans.begin(), port.spans.end(), [](const auto& span) {
             return span.state == OpticalCircuitSwitch::UP;
         });
     }},
    {"light_s", "s", &SumSpans<OpticalCircuitSwitch::UP>},
    {"switching_s", "s", &SumSpans<OpticalCircuitSwitch::SWITCHING>},
    {"dark_s", "s", &SumSpans<OpticalCircuitSwitch::DARK>},
};

/// Times of one kind.
struct PageTimes : LatencySummary
{
    std::string name;
};

const ReportTable<PageTimes> PAGE_TIMES{
    {"name", "", &PageTimes::name},
    {"count", "", &LatencySummary::count},
    {"min_s", "s", &LatencySummary::min},
    {"median_s", "s", &LatencySummary::median},
    {"p99_s", "s", &LatencySummary::p99},
    {"max_s", "s", &LatencySummary::max},
};

/// @return rows that a table of the page shows, and how many there are
template <typename Row>
ReportValue
LimitRows(const ReportTable<Row>& table, const std::vector<Row>& rows)
{
    const auto shown = static_cast<std::ptrdiff_t>(std::min(rows.size(), HtmlReport::MAX_ROWS));
    return ReportValue::Object{
        {"rows", table.Make(std::vector<Row>(rows.begin(), rows.begin() + shown))},
        {"all", rows.size()}};
}

/// @return curves that a chart of the page shows, and how many there are
ReportValue
LimitCurves(std::vector<PageCurve> curves)
{
    const std::size_t all = curves.size();
    curves.resize(std::min(all, HtmlReport::MAX_CURVES));
    return ReportValue::Object{{"curves", PAGE_CURVES.Make(curves)}, {"all", all}};
}

/// @return bars in the order of time, those with gaps below a threshold joined
std::vector<PageBar>
JoinBars(std::vector<PageBar> bars, const Time& gap)
{
    std::stable_sort(bars.begin(), bars.end(), [](const PageBar& one, const PageBar& other) {
        return one.start < other.start;
    });
    std::vector<PageBar> joined;
    for (const auto& bar : bars)
    {
        if (joined.empty() || bar.start - joined.back().end > gap)
        {
            joined.push_back(bar);
            continue;
        }
        PageBar& last = joined.back();
        last.end = std::max(last.end, bar.end);
        last.bytes += bar.bytes;
        last.count += bar.count;
        if (last.note.find(bar.note) == std::string::npos)
        {
            last.note += "+" + bar.note;
        }
    }
    return joined;
}

/// @return bars of communications, a line for each stage and parallelism, and their captions
ReportValue::Object
MakeTimeline(const HtmlReport& data)
{
    std::map<std::pair<std::size_t, Dimension>, std::vector<PageBar>> lines;
    std::vector<PagePhase> phases;
    std::size_t calls = 0;
    for (std::size_t stage = 0; stage < data.communications.size(); ++stage)
    {
        const auto communications = data.GetLast(stage);
        calls += communications.size();
        for (const auto& one : communications)
        {
            lines[{stage, one.dimension}].push_back(
                {0, ToString(one.dimension), ToString(one.kind), one.start, one.end, one.bytes, 1});
        }
        for (auto phase : FindPhases(communications))
        {
            phase.start -= data.GetBegin();
            phase.end -= data.GetBegin();
            phases.push_back({phase, stage});
        }
    }
    const Time gap = PicoSeconds((data.GetEnd() - data.GetBegin()).GetPicoSeconds() / GAPS);
    PageBars chart;
    chart.begin = data.GetBegin();
    for (const auto& [key, bars] : lines)
    {
        chart.Add("stage " + std::to_string(key.first) + " " + ToString(key.second),
                  JoinBars(bars, gap));
    }
    const Time early = data.GetBegin() - data.GetEarliest();
    return {{"calls", calls},
            {"gap_s", gap},
            {"begin_s",
             early > gap ? Time() - early : Time()}, // what is earlier by less cannot be seen
            {"end_s", data.GetEnd() - data.GetBegin()},
            {"chart", PAGE_BAR_CHART.MakeObject(chart)},
            {"phases", LimitRows(PAGE_PHASES, phases)}};
}

/// @return bars of the states of ports, a line for each port
ReportValue
MakeCircuits(const HtmlReport& data)
{
    const auto getName = [](const HtmlReport::Port& port) {
        return "rank " + std::to_string(port.rank) + ", " + std::to_string(port.nicPort);
    };
    std::map<uint32_t, const HtmlReport::Port*> places; // by number
    for (const auto& port : data.ports)
    {
        places[port.number] = &port;
    }
    PageBars chart;
    chart.begin = data.GetBegin();
    for (const auto& port : data.ports)
    {
        std::vector<PageBar> bars;
        for (const auto& span : port.spans)
        {
            const auto peer = places.find(span.peer);
            const bool isKnown = peer != places.end();
            if (span.state == OpticalCircuitSwitch::SWITCHING)
            {
                bars.push_back({0, "switching", "", span.start, span.end, 0, 1});
            }
            else if (span.state == OpticalCircuitSwitch::UP)
            {
                const bool isAcross = isKnown && peer->second->stage != port.stage;
                const std::string set = isAcross ? "across" : "within";
                const std::string name =
                    isKnown ? getName(*peer->second) : "port " + std::to_string(span.peer);
                bars.push_back({0, set, name, span.start, span.end, 0, 1});
            }
        }
        chart.Add(getName(port), bars);
    }
    return PAGE_BAR_CHART.MakeObject(chart);
}

/// @return distributions of the windows of rails, and tables of the traffic that follows them
ReportValue
MakeWindows(const HtmlReport& data)
{
    const WindowReport report(data.summary.windowsOfRails,
                              data.skip,
                              static_cast<uint32_t>(data.summary.iterations.size()),
                              MilliSeconds(1));
    // Rails that do the same are one curve.
    std::map<std::vector<Time>, std::string> alike;
    for (std::size_t rail = 0; rail < report.GetRails().size(); ++rail)
    {
        std::string& rails = alike[report.GetRails()[rail].sorted];
        rails += (rails.empty() ? "" : ", ") + std::to_string(rail);
    }
    std::vector<PageCurve> curves;
    for (const auto& rail : report.GetRails())
    {
        if (const auto found = alike.find(rail.sorted); found != alike.end())
        {
            const bool isOne = found->second.find(',') == std::string::npos;
            curves.push_back({(isOne ? "rail " : "rails ") + found->second, rail.sorted});
            alike.erase(found);
        }
    }
    return ReportValue::Object{{"tables", report.MakeTables()}, {"chart", LimitCurves(curves)}};
}

/// @return distributions of the times of communications
ReportValue
MakeDurations(const HtmlReport& data)
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
    std::vector<PageTimes> rows;
    std::vector<PageCurve> curves;
    for (auto& [key, each] : times)
    {
        std::sort(each.begin(), each.end());
        const std::string name = ToString(key.first) + " " + ToString(key.second);
        rows.push_back({LatencySummary::Make(each), name});
        curves.push_back({name, each});
    }
    return ReportValue::Object{{"rows", PAGE_TIMES.Make(rows)}, {"chart", LimitCurves(curves)}};
}

} // namespace

std::string
HtmlPage::Embed(const ReportValue& value)
{
    std::ostringstream text; // in ASCII
    value.WriteJson(text, -1);
    std::string embedded;
    for (const char c : text.str())
    {
        // JSON has these characters in strings only.
        embedded += c == '<'   ? "\\u003c"
                    : c == '>' ? "\\u003e"
                    : c == '&' ? "\\u0026"
                               : std::string(1, c);
    }
    return embedded;
}

void
HtmlPage::Write(std::ostream& os,
                const std::string& sections,
                const std::string& library,
                const ReportValue& data)
{
    const std::string begin = PAGE_BEGIN;
    std::size_t written = 0;
    for (const auto& [mark, text] :
         {std::pair<std::string, std::string>("@LIBRARY@", library), {"@DATA@", Embed(data)}})
    {
        const std::size_t at = begin.find(mark);
        os << begin.substr(written, at - written) << text;
        written = at + mark.size();
    }
    os << begin.substr(written) << sections << PAGE_END;
}

ReportValue
VerdictPage::MakeData() const
{
    return ReportValue::Object{
        {"limits",
         ReportValue::Object{{"rows", HtmlReport::MAX_ROWS}, {"lines", HtmlReport::MAX_LINES}}},
        {"library_remark", libraryRemark},
        {"verdict", verdict.MakeJson()}};
}

void
VerdictPage::Write(std::ostream& os) const
{
    HtmlPage::Write(os, VERDICT_SECTIONS, library, MakeData());
}

Time
HtmlReport::GetBegin() const
{
    return summary.iterations.empty() ? Time() : GetEnd() - summary.iterations.back().duration;
}

Time
HtmlReport::GetEarliest() const
{
    Time earliest = GetBegin();
    for (std::size_t stage = 0; stage < communications.size(); ++stage)
    {
        for (const auto& one : GetLast(stage))
        {
            earliest = std::min(earliest, one.start);
        }
    }
    return earliest;
}

Time
HtmlReport::GetEnd() const
{
    Time end = summary.iterations.empty() ? Time() : summary.start;
    for (const auto& iteration : summary.iterations)
    {
        end += iteration.duration;
    }
    return end;
}

std::vector<Communication>
HtmlReport::GetLast(std::size_t stage) const
{
    std::vector<Communication> last;
    for (const auto& one : communications.at(stage))
    {
        if (one.iteration + 1 == summary.iterations.size())
        {
            last.push_back(one);
        }
    }
    return last;
}

std::vector<std::pair<Time, double>>
HtmlReport::MakeCurve(const std::vector<Time>& sorted)
{
    const std::size_t size = sorted.size();
    const auto first = static_cast<std::size_t>(
        std::upper_bound(sorted.begin(), sorted.end(), Time()) - sorted.begin());
    std::vector<std::pair<Time, double>> points;
    if (first == size)
    {
        return points;
    }
    const auto share = [size](std::size_t number) { return 100.0 * number / size; };
    points.emplace_back(sorted[first], share(first));
    const std::size_t steps = std::min(size - first, MAX_POINTS - 1);
    for (std::size_t step = 0; step < steps; ++step)
    {
        // From the first to the last, as evenly as it goes.
        const std::size_t index =
            first + (steps > 1 ? step * (size - first - 1) / (steps - 1) : size - first - 1);
        points.emplace_back(sorted[index], share(index + 1));
    }
    return points;
}

ReportValue
HtmlReport::MakeData() const
{
    ReportValue::Object data{
        {"limits", ReportValue::Object{{"rows", MAX_ROWS}, {"lines", MAX_LINES}}},
        {"sentence", sentence},
        {"problem", summary.CheckInvariants()},
        {"library_remark", libraryRemark},
        {"run", summary.MakeJson()},
        {"rails_per_run", summary.railsPerRun},
        {"skip", skip},
        {"timeline", MakeTimeline(*this)},
        {"windows", MakeWindows(*this)},
        {"durations", MakeDurations(*this)},
        {"cost_remark", costRemark}};
    if (!ports.empty())
    {
        data.emplace_back("circuits", MakeCircuits(*this));
        data.emplace_back("ports", LimitRows(PAGE_PORTS, ports));
    }
    if (latencies)
    {
        const std::vector<PageTimes> rows{{latencies->packets, "data packets, NIC to NIC"},
                                          {latencies->writes, "RDMA Writes, until acknowledged"}};
        data.emplace_back("latency", PAGE_TIMES.Make(rows));
    }
    if (cost)
    {
        data.emplace_back("cost", cost->MakeJson());
    }
    return data;
}

void
HtmlReport::Write(std::ostream& os) const
{
    HtmlPage::Write(os, RUN_SECTIONS, library, MakeData());
}

} // namespace ns3
