// SPDX-License-Identifier: GPL-2.0-only

#include "html-report.h"
#include "html-text.h"

#include "ns3/to-seconds.h"
#include "ns3/window-report.h"

#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// @return the row of a distribution
std::vector<std::string>
MakeRow(const std::string& name, const LatencySummary& times, bool isMicro)
{
    const auto write = [isMicro](const Time& time) {
        return isMicro ? HtmlText::Number(1e6 * ToSeconds(time), 5) : HtmlText::Milliseconds(time);
    };
    return {name,
            HtmlText::Number(times.count),
            write(times.min),
            write(times.median),
            write(times.p99),
            write(times.max)};
}

} // namespace

void
HtmlReport::WriteWindows(std::ostream& os) const
{
    const auto iterations = static_cast<uint32_t>(m_data.summary.iterations.size());
    const Time threshold = MilliSeconds(1);
    const WindowReport report(m_data.summary.windowsOfRails, m_data.skip, iterations, threshold);
    os << "<section aria-labelledby=\"windows\">\n<h2 id=\"windows\">Windows between phases</h2>\n";
    HtmlText::WriteParagraph(
        os,
        "A window is the time from the end of all communications of one phase to the "
        "first start of the next, as one rank of each stage sees it (arXiv 2507.08119, "
        "section 3.1). It is negative where phases overlap. Iterations from " +
            std::to_string(m_data.skip) + " on count.");
    WriteCharts(os, "windows");
    HtmlTable rails("table-windows",
                    "Windows, ms",
                    {"rail",
                     "windows>",
                     "10 %>",
                     "25 %>",
                     "50 %>",
                     "75 %>",
                     "90 %>",
                     "largest>",
                     "above 1 ms>",
                     "distance to rail 0>"});
    for (std::size_t rail = 0; rail < report.GetRails().size(); ++rail)
    {
        const auto& one = report.GetRails()[rail];
        std::vector<std::string> cells{std::to_string(rail), HtmlText::Whole(one.sorted.size())};
        for (const double share : {0.1, 0.25, 0.5, 0.75, 0.9, 1.0})
        {
            cells.push_back(HtmlText::Milliseconds(one.GetQuantile(share)));
        }
        cells.push_back(HtmlText::Percent(one.shareAbove));
        cells.push_back(HtmlText::Fixed(one.distance, 3));
        rails.Add(cells);
    }
    rails.Write(os);
    HtmlText::WriteParagraph(
        os,
        "Quantiles are by nearest rank. The distance is the largest difference of the "
        "distribution functions (Kolmogorov and Smirnov).",
        "note");
    HtmlTable following("table-following",
                        "What follows the windows of rail 0",
                        {"communications",
                         "volume>",
                         "windows>",
                         "per iteration>",
                         "shortest, ms>",
                         "mean, ms>",
                         "longest, ms>"});
    for (const auto& one : report.GetFollowing())
    {
        const double counting = iterations > m_data.skip ? iterations - m_data.skip : 1;
        following.Add({one.name.empty() ? "anything" : one.name,
                       one.name.empty() ? "< 1 MiB" : HtmlText::Bytes(one.bytes),
                       HtmlText::Whole(one.each.size()),
                       HtmlText::Fixed(static_cast<double>(one.each.size()) / counting, 1),
                       HtmlText::Milliseconds(one.each.front()),
                       HtmlText::Milliseconds(one.GetMean()),
                       HtmlText::Milliseconds(one.each.back())});
    }
    following.Write(os);
    os << "</section>\n";
}

void
HtmlReport::WriteDurations(std::ostream& os) const
{
    os << "<section aria-labelledby=\"durations\">\n"
          "<h2 id=\"durations\">Durations and latency</h2>\n";
    HtmlText::WriteParagraph(
        os,
        "From the arrival of the last rank of a communication on rail 0 to its end on "
        "all of them, waiting for light included. Iterations from " +
            std::to_string(m_data.skip) + " on count.");
    WriteCharts(os, "durations");
    std::map<std::pair<Dimension, CollectiveKind>, std::vector<Time>> times;
    for (const auto& stage : m_data.communications)
    {
        for (const auto& one : stage)
        {
            if (one.iteration >= m_data.skip && one.iteration < m_data.summary.iterations.size())
            {
                times[{one.dimension, one.kind}].push_back(one.end - one.start);
            }
        }
    }
    const std::vector<std::string> columns{"what",
                                           "count>",
                                           "shortest>",
                                           "median>",
                                           "99 %>",
                                           "longest>"};
    HtmlTable table("table-durations", "Durations of communications, ms", columns);
    for (const auto& [key, each] : times)
    {
        table.Add(MakeRow(ToString(key.first) + " " + ToString(key.second),
                          LatencySummary::Make(each),
                          false));
    }
    table.Write(os);
    if (m_data.latencies)
    {
        HtmlTable latency("table-latency", "Latency on all rails, \xC2\xB5s", columns);
        latency.Add(MakeRow("data packets, NIC to NIC", m_data.latencies->packets, true));
        latency.Add(MakeRow("RDMA Writes, until acknowledged", m_data.latencies->writes, true));
        latency.Write(os);
        HtmlText::WriteParagraph(os, "Quantiles of latency are within 0.4 %.", "note");
    }
    else
    {
        HtmlText::WriteParagraph(
            os,
            "The latency of packets and RDMA Writes was not measured: with the flag "
            "reportLatency it is, but then every packet is simulated by itself.",
            "note");
    }
    os << "</section>\n";
}

} // namespace ns3
