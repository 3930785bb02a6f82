// SPDX-License-Identifier: GPL-2.0-only

#include "html-report.h"

#include "html-report-charts.h"
#include "html-report-page.h"
#include "html-text.h"

#include "ns3/to-seconds.h"

#include <map>
#include <utility>

namespace ns3
{

HtmlReport::HtmlReport(const HtmlReportData& data)
    : m_data(data)
{
}

void
HtmlReport::Write(std::ostream& os) const
{
    WriteHead(os);
    os << "<main>\n";
    WriteOverview(os);
    WriteIterations(os);
    WriteTimeline(os);
    WriteCircuits(os);
    WriteWindows(os);
    WriteDurations(os);
    WriteTraffic(os);
    WriteFaults(os);
    WriteRecoveries(os);
    WriteCost(os);
    WriteSettings(os);
    os << "</main>\n<footer><p>Written by photonic-rails-training. Times are simulated times. The "
          "page needs no network: everything on it is in this file.</p></footer>\n";
    WriteScripts(os);
    os << "</body>\n</html>\n";
}

void
HtmlReport::WriteHead(std::ostream& os) const
{
    const std::string fabric = HtmlText::Escape(m_data.summary.fabric);
    // Nothing may be loaded from anywhere, whatever the page contains.
    os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>Training run: "
       << fabric << "</title>\n<style>" << HtmlReportPage::STYLE << "</style>\n</head>\n<body>\n"
       << "<header>\n<h1>Training run on the fabric \xE2\x80\x9C" << fabric
       << "\xE2\x80\x9D</h1>\n<p id=\"sentence\">" << HtmlText::Escape(m_data.sentence)
       << "</p>\n<nav aria-label=\"Sections\"><ul>";
    std::vector<std::pair<const char*, const char*>> sections{{"iterations", "Iterations"},
                                                              {"timeline", "Timeline"},
                                                              {"windows", "Windows"},
                                                              {"durations", "Durations"},
                                                              {"traffic", "Traffic"}};
    if (!m_data.summary.recoveries.empty())
    {
        sections.emplace_back("recoveries", "Recoveries");
    }
    sections.insert(sections.end(), {{"cost", "Cost and energy"}, {"flags", "Settings"}});
    for (const auto& [id, name] : sections)
    {
        os << "<li><a href=\"#" << id << "\">" << name << "</a></li>";
    }
    os << "</ul></nav>\n</header>\n";
}

void
HtmlReport::WriteOverview(std::ostream& os) const
{
    const RunSummary& summary = m_data.summary;
    if (const std::string error = summary.CheckInvariants(); !error.empty())
    {
        HtmlText::WriteParagraph(os, "This run did not end as it should: " + error, "warn");
    }
    os << "<p id=\"no-charts\" class=\"warn\"" << (m_data.library.empty() ? ">" : " hidden>")
       << HtmlText::Escape(m_data.libraryRemark) << "</p>\n";
    if (!m_data.library.empty())
    {
        os << "<noscript><p class=\"warn\">Charts need JavaScript; the tables have all "
              "numbers.</p></noscript>\n";
    }
    os << "<dl class=\"facts\">\n";
    const auto fact = [&os](const std::string& name, const std::string& value) {
        os << "<div><dt>" << HtmlText::Escape(name) << "</dt><dd>" << HtmlText::Escape(value)
           << "</dd></div>\n";
    };
    fact("GPUs", HtmlText::Whole(summary.worldSize));
    if (!summary.iterations.empty())
    {
        const auto& last = summary.iterations.back();
        fact("last iteration", HtmlText::Seconds(last.duration) + " s");
        if (summary.fabric == "photonic")
        {
            fact("reconfigurations in it", HtmlText::Whole(last.reconfigurations));
            fact("exposed reconfiguration", HtmlText::Seconds(last.exposedReconfiguration) + " s");
        }
    }
    fact("sent over the rails", HtmlText::Bytes(summary.rails.bytesPosted));
    if (summary.light.all > 0)
    {
        fact("ports had light", HtmlText::Percent(summary.light.GetShare()));
    }
    os << "</dl>\n";
}

void
HtmlReport::WriteIterations(std::ostream& os) const
{
    os << "<section aria-labelledby=\"iterations\">\n<h2 id=\"iterations\">Iterations</h2>\n";
    HtmlText::WriteParagraph(
        os,
        "An iteration ends when its last rank ends it, and begins with the end of the "
        "one before.");
    WriteCharts(os, "iterations");
    HtmlTable table("table-iterations",
                    "Iterations",
                    {"iteration", "time, s>", "reconfigurations>", "exposed reconfiguration, s>"});
    for (const auto& one : m_data.summary.iterations)
    {
        table.Add({std::to_string(one.index),
                   HtmlText::Seconds(one.duration),
                   HtmlText::Whole(one.reconfigurations),
                   HtmlText::Seconds(one.exposedReconfiguration)});
    }
    table.Write(os);
    os << "</section>\n";
}

void
HtmlReport::WriteTimeline(std::ostream& os) const
{
    os << "<section aria-labelledby=\"timeline\">\n<h2 id=\"timeline\">Timeline of rail 0</h2>\n";
    HtmlText::WriteParagraph(
        os,
        "The last iteration as one rank of each pipeline stage sees it. A communication "
        "begins when the last of its ranks arrives and ends when it has ended on all of "
        "them. A rank that is ahead begins its last iteration before the others end the "
        "one before: at times below zero.");
    WriteCharts(os, "timeline");
    HtmlTable table(
        "table-phases",
        "Phases of the last iteration: runs of communications of one group",
        {"stage", "parallelism", "communications", "calls>", "volume>", "start, ms>", "end, ms>"});
    for (std::size_t stage = 0; stage < m_data.communications.size(); ++stage)
    {
        for (const auto& phase : HtmlReportPhase::Find(m_data.GetLast(stage)))
        {
            table.Add({std::to_string(stage),
                       ToString(phase.dimension),
                       phase.kinds,
                       HtmlText::Whole(phase.count),
                       HtmlText::Bytes(phase.bytes),
                       HtmlText::Milliseconds(phase.start - m_data.GetBegin()),
                       HtmlText::Milliseconds(phase.end - m_data.GetBegin())});
        }
    }
    os << "<details><summary>Phases as a table</summary>\n";
    table.Write(os);
    os << "</details>\n</section>\n";
}

void
HtmlReport::WriteCircuits(std::ostream& os) const
{
    if (m_data.ports.empty())
    {
        return;
    }
    os << "<section aria-labelledby=\"circuits\">\n<h3 id=\"circuits\">Circuits of rail 0</h3>\n";
    WriteCharts(os, "circuits");
    HtmlTable table(
        "table-ports",
        "Ports of the circuit switch of rail 0 in the last iteration",
        {"port", "rank>", "port of its NIC>", "circuits>", "light>", "switching>", "dark>"});
    for (const auto& port : m_data.ports)
    {
        std::map<OpticalCircuitSwitch::PortState, double> sums;
        double all = 0;
        uint64_t circuits = 0;
        for (const auto& span : port.spans)
        {
            const double seconds = ToSeconds(span.end - span.start);
            sums[span.state] += seconds;
            all += seconds;
            circuits += span.state == OpticalCircuitSwitch::UP ? 1 : 0;
        }
        const auto share = [&](OpticalCircuitSwitch::PortState state) {
            return HtmlText::Percent(all > 0 ? sums[state] / all : 0);
        };
        table.Add({std::to_string(port.number),
                   std::to_string(port.rank),
                   std::to_string(port.nicPort),
                   HtmlText::Number(circuits),
                   share(OpticalCircuitSwitch::UP),
                   share(OpticalCircuitSwitch::SWITCHING),
                   share(OpticalCircuitSwitch::DARK)});
    }
    if (m_data.summary.railsPerRun > 1)
    {
        HtmlText::WriteParagraph(os,
                                 "Ranks are counted on the one rail that was simulated.",
                                 "note");
    }
    if (!m_data.summary.recoveries.empty())
    {
        HtmlText::WriteParagraph(
            os,
            "Ranks are those that GPUs began with; the ports of spare GPUs are not shown.",
            "note");
    }
    else if (!m_data.summary.faults.empty())
    {
        HtmlText::WriteParagraph(
            os,
            "This is the switch that the rail began with: fibres that have been led to "
            "a spare one are dark here.",
            "note");
    }
    os << "<details><summary>Ports as a table</summary>\n";
    table.Write(os);
    os << "</details>\n</section>\n";
}

void
HtmlReport::WriteCharts(std::ostream& os, const std::string& section) const
{
    for (const auto& chart : HtmlReportCharts::Make(m_data))
    {
        if (chart.section == section && !m_data.library.empty())
        {
            os << "<figure><div style=\"height:" << chart.height << "px\"><canvas id=\"" << chart.id
               << "\" role=\"img\" aria-label=\"" << HtmlText::Escape(chart.alternative)
               << "\"></canvas></div>\n<figcaption>" << HtmlText::Escape(chart.caption);
            if (!chart.leftOut.empty())
            {
                os << " <strong class=\"left-out\">" << HtmlText::Escape(chart.leftOut)
                   << "</strong>";
            }
            os << "</figcaption></figure>\n";
        }
    }
}

void
HtmlReport::WriteScripts(std::ostream& os) const
{
    if (m_data.library.empty())
    {
        return;
    }
    os << "<script id=\"library\">" << m_data.library
       << "</script>\n<script type=\"application/json\" id=\"data\">{\"charts\":[";
    bool isFirst = true;
    for (const auto& chart : HtmlReportCharts::Make(m_data))
    {
        os << (isFirst ? "\n" : ",\n") << "{\"id\":\"" << chart.id
           << "\",\"config\":" << HtmlText::EscapeScript(chart.config) << "}";
        isFirst = false;
    }
    os << "\n]}</script>\n<script>" << HtmlReportPage::SCRIPT << "</script>\n";
}

} // namespace ns3
