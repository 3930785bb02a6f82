// SPDX-License-Identifier: GPL-2.0-only

#include "scale-table.h"

#include "ns3/cost-report.h"
#include "ns3/report-table.h"

#include <algorithm>
#include <iomanip>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

using Technology = Variant<OcsTechnology>;

/// @return the reconfiguration delay as the paper's table has it, in milliseconds
std::string
GetMilliseconds(const Technology& technology)
{
    std::ostringstream text;
    text << std::setprecision(12)
         << static_cast<double>(technology->GetReconfigurationDelay().GetPicoSeconds()) / 1e9;
    return text.str() == "1e-05" ? "0.00001" : text.str();
}

} // namespace

std::vector<Technology>
ScaleTable::GetTechnologies()
{
    std::vector<Technology> technologies;
    for (const auto& name : Technology::GetNames())
    {
        if (const Technology technology(name); !technology->MakeFabric())
        {
            technologies.push_back(technology);
        }
    }
    std::stable_sort(technologies.begin(), technologies.end(), [](const auto& a, const auto& b) {
        return a->GetReconfigurationDelay() < b->GetReconfigurationDelay();
    });
    return technologies;
}

uint64_t
ScaleTable::GetGpus(const OcsTechnology& technology, uint32_t gpusPerDomain) const
{
    InventorySpec spec;
    spec.gpusPerDomain = gpusPerDomain;
    spec.nicPorts = nicPorts;
    spec.simplex = simplex;
    spec.ocsRadix = technology.GetRadix();
    return NetworkInventory::GetMaxGpus(spec, levels);
}

void
ScaleTable::WriteTable(std::ostream& os) const
{
    std::vector<ReportTable<Technology>::Column> columns{
        {"", "", [](const auto& one) { return one->Describe(); }, {"# technology", -36}},
        {"", "", [](const auto& one) { return GetMilliseconds(one); }, {"reconf. ms", 12}},
        {"", "", [](const auto& one) { return one->GetRadix(); }, {"radix", 7}},
    };
    for (const uint32_t gpus : domains)
    {
        std::ostringstream heading;
        heading << "GPUs, domains of " << std::setw(3) << gpus;
        columns.push_back({"",
                           "",
                           [this, gpus](const Technology& one) { return GetGpus(*one, gpus); },
                           {heading.str(), 21}});
    }
    os << "# GPUs = GPUs per domain x (radix / " << nicPorts * (simplex ? 2 : 1) << ")"
       << (levels > 1 ? "^" + std::to_string(levels) : "") << "\n";
    ReportTable<Technology>(columns).WriteText(os, GetTechnologies());
    std::set<std::string> sources;
    for (const auto& technology : GetTechnologies())
    {
        sources.insert(technology->GetSource());
    }
    for (const auto& source : sources)
    {
        os << "# reconfiguration time and radix: " << source << "\n";
    }
}

CsvTable
ScaleTable::GetCsv() const
{
    using Row = std::pair<uint32_t, Technology>; // GPUs of a domain, and the switches
    std::vector<Row> rows;
    for (const uint32_t gpus : domains)
    {
        for (const auto& technology : GetTechnologies())
        {
            rows.emplace_back(gpus, technology);
        }
    }
    return ReportTable<Row>{
        {"technology", "", [](const Row& row) { return row.second->GetName(); }},
        {"description", "", [](const Row& row) { return row.second->Describe(); }},
        {"reconfiguration_ms", "ms", [](const Row& row) { return GetMilliseconds(row.second); }},
        {"radix", "ports", [](const Row& row) { return row.second->GetRadix(); }},
        {"gpus_per_domain", "GPUs", [](const Row& row) { return row.first; }},
        {"levels", "", [this](const Row& /* row */) { return levels; }},
        {"gpus", "GPUs", [this](const Row& row) { return GetGpus(*row.second, row.first); }}}
        .MakeCsv(rows);
}

} // namespace ns3
