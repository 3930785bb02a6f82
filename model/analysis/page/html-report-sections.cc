// SPDX-License-Identifier: GPL-2.0-only

// The sections of the page that only have tables, and that on cost.

#include "html-report.h"
#include "html-text.h"

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

void
HtmlReport::WriteTraffic(std::ostream& os) const
{
    const RunSummary& summary = m_data.summary;
    os << "<section aria-labelledby=\"traffic\">\n<h2 id=\"traffic\">Traffic and control</h2>\n";
    HtmlTable traffic(
        "table-traffic",
        "What NICs have counted in the whole run",
        {"network", "data packets>", "retransmissions>", "bytes posted>", "bytes delivered>"});
    for (const auto& [name, one] : {std::pair("rails", summary.rails),
                                    std::pair("scale-up", summary.scaleUp),
                                    std::pair("hosts", summary.hosts)})
    {
        traffic.Add({name,
                     HtmlText::Number(one.packetsSent),
                     HtmlText::Number(one.retransmissions),
                     HtmlText::Number(one.bytesPosted),
                     HtmlText::Number(one.bytesDelivered)});
    }
    traffic.Write(os);
    HtmlTable volumes("table-volumes",
                      "Collectives of rank 0 in its last iteration",
                      {"collective", "parallelism", "calls>", "input bytes>"});
    for (const auto& [key, volume] : summary.collectives)
    {
        volumes.Add({ToString(key.first),
                     ToString(key.second),
                     HtmlText::Number(volume.count),
                     HtmlText::Number(volume.inputBytes)});
    }
    volumes.Write(os);
    if (summary.control.requests > 0)
    {
        const ControlShare& control = summary.control;
        HtmlTable table("table-control", "Controllers in the whole run", {"count", "value>"});
        table.Add({"requests", HtmlText::Number(control.requests)});
        table.Add({"grants", HtmlText::Number(control.grants)});
        table.Add({"grants without switching", HtmlText::Number(control.cacheHits)});
        table.Add({"commands to switches", HtmlText::Number(control.commands)});
        table.Add({"messages served", HtmlText::Number(control.messages)});
        table.Add({"waited for ranks, in sum, s", HtmlText::Seconds(control.waitedRanks)});
        table.Add({"waited for ports, in sum, s", HtmlText::Seconds(control.waitedPorts)});
        table.Add({"waited for light, in sum, s", HtmlText::Seconds(control.waitedLight)});
        table.Write(os);
    }
    if (summary.railsPerRun > 1)
    {
        HtmlText::WriteParagraph(os,
                                 "One rail was simulated; it stands for " +
                                     std::to_string(summary.railsPerRun) +
                                     " that do the same. Counts are those of all.",
                                 "note");
    }
    os << "</section>\n";
}

void
HtmlReport::WriteFaults(std::ostream& os) const
{
    if (m_data.summary.faults.empty())
    {
        return;
    }
    os << "<section aria-labelledby=\"faults\">\n<h2 id=\"faults\">Faults</h2>\n";
    HtmlTable table("table-faults",
                    "What broke",
                    {"what", "which", "at, s>", "until, s>", "what was done"});
    for (const auto& fault : m_data.summary.faults)
    {
        table.Add({fault.kind,
                   fault.target,
                   HtmlText::Seconds(fault.at),
                   fault.until == Time::Max() ? "-" : HtmlText::Seconds(fault.until),
                   fault.consequence.empty() ? "nobody has noticed" : fault.consequence});
    }
    table.Write(os);
    os << "</section>\n";
}

void
HtmlReport::WriteCost(std::ostream& os) const
{
    os << "<section aria-labelledby=\"cost\">\n<h2 id=\"cost\">Cost and energy</h2>\n";
    if (!m_data.costRemark.empty())
    {
        HtmlText::WriteParagraph(os, m_data.costRemark);
    }
    if (!m_data.cost)
    {
        os << "</section>\n";
        return;
    }
    const CostReport& cost = *m_data.cost;
    HtmlText::WriteParagraph(
        os,
        "Counting \xE2\x80\x9C" + cost.counting +
            "\xE2\x80\x9D: ports with a link are paid pro rata. NICs, cables and fibre, "
            "the scale-up and the management network are not counted. Power is what "
            "sources rate, at all times; the energy is that of the last iteration, of "
            "other networks as if it took them the same time.");
    WriteCharts(os, "cost");
    HtmlTable networks("table-networks",
                       "Networks for " + HtmlText::Whole(m_data.summary.worldSize) + " GPUs",
                       {"network",
                        "switches>",
                        "ports>",
                        "OCS>",
                        "OCS ports>",
                        "transceivers>",
                        "USD>",
                        "of the first>",
                        "W>",
                        "of the first>",
                        "J/iteration>"});
    for (const auto& row : cost.rows)
    {
        std::vector<std::string> cells{row.kind.ToText()};
        if (!row.inventory.error.empty())
        {
            cells.resize(11, "-");
            networks.Add(cells);
            continue;
        }
        const auto total = row.cost.GetTotal();
        cells.insert(cells.end(),
                     {HtmlText::Number(row.inventory.GetSwitches().devices),
                      HtmlText::Number(row.inventory.GetSwitches().ports),
                      HtmlText::Number(row.inventory.GetOcs().devices),
                      HtmlText::Number(row.inventory.GetOcs().ports),
                      HtmlText::Number(row.inventory.GetTransceivers()),
                      HtmlText::Fixed(total.usd, 2),
                      HtmlText::Percent(row.usdShare),
                      HtmlText::Fixed(total.watts, 1),
                      HtmlText::Percent(row.wattsShare),
                      HtmlText::Number(row.cost.GetJoules(cost.iterationSeconds), 5)});
        networks.Add(cells);
    }
    networks.Write(os);
    HtmlTable parts("table-parts",
                    "Parts",
                    {"part", "USD>", "W>", "ports>", "date>", "where the figures are from"});
    for (const auto* part : {&cost.parts.transceiver, &cost.parts.packetSwitch, &cost.parts.ocs})
    {
        parts.Add({part->name,
                   HtmlText::Fixed(part->usd, 2),
                   HtmlText::Fixed(part->watts, 1),
                   HtmlText::Whole(part->ports),
                   part->date,
                   part->source});
    }
    parts.Write(os);
    os << "</section>\n";
}

void
HtmlReport::WriteSettings(std::ostream& os) const
{
    os << "<section aria-labelledby=\"flags\">\n<h2 id=\"flags\">Settings</h2>\n";
    HtmlText::WriteParagraph(os,
                             "Flags of photonic-rails-training; a job file has the same names.");
    for (const auto& [id, caption, texts] :
         {std::tuple("settings", "Settings", &m_data.summary.settings),
          std::tuple("derived", "What holds for flags not given", &m_data.summary.derived)})
    {
        HtmlTable table(id, caption, {"flag", "value"});
        for (const auto& [name, text] : *texts)
        {
            table.Add({name, text});
        }
        table.Write(os);
    }
    os << "</section>\n";
}

} // namespace ns3
