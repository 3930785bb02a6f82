// SPDX-License-Identifier: GPL-2.0-only

#include "scale-table.h"

#include <algorithm>
#include <iomanip>
#include <set>
#include <sstream>

namespace ns3
{

namespace
{

/// @return a time as the paper's table has it, in milliseconds
std::string
ToMilliseconds(Time time)
{
    std::ostringstream text;
    text << std::setprecision(12) << static_cast<double>(time.GetPicoSeconds()) / 1e9;
    return text.str() == "1e-05" ? "0.00001" : text.str();
}

} // namespace

std::vector<Variant<OcsTechnology>>
ScaleTable::GetTechnologies()
{
    std::vector<Variant<OcsTechnology>> technologies;
    for (const auto& name : Variant<OcsTechnology>::GetNames())
    {
        if (const Variant<OcsTechnology> technology(name); !technology->MakeFabric())
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
    os << "# GPUs = GPUs per domain x (radix / " << nicPorts * (simplex ? 2 : 1) << ")"
       << (levels > 1 ? "^" + std::to_string(levels) : "") << "\n"
       << std::left << std::setw(36) << "# technology" << std::right << std::setw(12)
       << "reconf. ms" << std::setw(7) << "radix";
    for (const uint32_t gpus : domains)
    {
        os << std::setw(18) << "GPUs, domains of " << std::setw(3) << gpus;
    }
    os << "\n";
    std::set<std::string> sources;
    for (const auto& technology : GetTechnologies())
    {
        os << std::left << std::setw(36) << technology->Describe() << std::right << std::setw(12)
           << ToMilliseconds(technology->GetReconfigurationDelay()) << std::setw(7)
           << technology->GetRadix();
        for (const uint32_t gpus : domains)
        {
            os << std::setw(21) << GetGpus(*technology, gpus);
        }
        os << "\n";
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
    CsvTable table({"technology",
                    "description",
                    "reconfiguration_ms",
                    "radix",
                    "gpus_per_domain",
                    "levels",
                    "gpus"});
    for (const uint32_t gpus : domains)
    {
        for (const auto& technology : GetTechnologies())
        {
            table.Add({technology->GetName(),
                       technology->Describe(),
                       ToMilliseconds(technology->GetReconfigurationDelay()),
                       std::to_string(technology->GetRadix()),
                       std::to_string(gpus),
                       std::to_string(levels),
                       std::to_string(GetGpus(*technology, gpus))});
        }
    }
    return table;
}

} // namespace ns3
