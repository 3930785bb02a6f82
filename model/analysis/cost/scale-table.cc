// SPDX-License-Identifier: GPL-2.0-only

#include "scale-table.h"

#include <iomanip>
#include <sstream>

namespace ns3
{

namespace
{

/// @return a time as the paper's table has it, in milliseconds
std::string
ToMilliseconds(uint64_t picoseconds)
{
    std::ostringstream text;
    text << std::setprecision(12) << static_cast<double>(picoseconds) / 1e9;
    return text.str() == "1e-05" ? "0.00001" : text.str();
}

} // namespace

uint64_t
ScaleTable::GetGpus(const OcsTechnology& technology, uint32_t gpusPerDomain) const
{
    InventorySpec spec;
    spec.gpusPerDomain = gpusPerDomain;
    spec.nicPorts = nicPorts;
    spec.simplex = simplex;
    spec.ocsRadix = technology.radix;
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
    for (const auto& technology : OcsTechnology::GetTable())
    {
        os << std::left << std::setw(36) << technology.description << std::right << std::setw(12)
           << ToMilliseconds(technology.reconfigurationPicoseconds) << std::setw(7)
           << technology.radix;
        for (const uint32_t gpus : domains)
        {
            os << std::setw(21) << GetGpus(technology, gpus);
        }
        os << "\n";
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
        for (const auto& technology : OcsTechnology::GetTable())
        {
            table.Add({technology.name,
                       technology.description,
                       ToMilliseconds(technology.reconfigurationPicoseconds),
                       std::to_string(technology.radix),
                       std::to_string(gpus),
                       std::to_string(levels),
                       std::to_string(GetGpus(technology, gpus))});
        }
    }
    return table;
}

} // namespace ns3
