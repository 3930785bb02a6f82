// SPDX-License-Identifier: GPL-2.0-only

#include "cost-report.h"

#include "ns3/abort.h"

#include <iomanip>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/// Names of columns and what is in them; a text stands for nothing if it is empty.
using CostCells = std::vector<std::pair<std::string, Json>>;

/// @return numbers per tier in a row, such as 16/16/8
template <typename Member>
std::string
ListTiers(const std::vector<NetworkInventory::Tier>& tiers, Member member)
{
    std::string text;
    for (const auto& tier : tiers)
    {
        text += (text.empty() ? "" : "/") + std::to_string(tier.*member);
    }
    return text.empty() ? "0" : text;
}

/// @return what is said of a network, for all forms
CostCells
MakeCostCells(const CostReport& report, const CostReport::Row& row)
{
    const auto& inventory = row.inventory;
    const bool isThere = inventory.error.empty();
    const auto switches = inventory.GetSwitches();
    const auto ocs = inventory.GetOcs();
    const auto total = row.cost.GetTotal();
    const double gpus = inventory.gpus;
    CostCells cells{{"gpus", inventory.gpus},
                    {"network", row.kind.ToText()},
                    {"tiers", inventory.switches.size() + inventory.ocs.size()},
                    {"switches", switches.devices},
                    {"switch_ports", switches.ports},
                    {"ocs", ocs.devices},
                    {"ocs_ports", ocs.ports},
                    {"nic_transceivers", inventory.nicTransceivers},
                    {"switch_transceivers", inventory.switchTransceivers},
                    {"transceivers_usd", row.cost.transceivers.usd},
                    {"switches_usd", row.cost.switches.usd},
                    {"ocs_usd", row.cost.ocs.usd},
                    {"usd", total.usd},
                    {"usd_per_gpu", total.usd / gpus},
                    {"usd_share", row.usdShare},
                    {"transceivers_w", row.cost.transceivers.watts},
                    {"switches_w", row.cost.switches.watts},
                    {"ocs_w", row.cost.ocs.watts},
                    {"watts", total.watts},
                    {"watts_per_gpu", total.watts / gpus},
                    {"watts_share", row.wattsShare},
                    {"joules_per_iteration", row.cost.GetJoules(report.iterationSeconds)},
                    {"error", inventory.error}};
    for (auto& [name, value] : cells)
    {
        const bool isMissing = !isThere && name != "gpus" && name != "network" && name != "error";
        const bool isEnergy = name == "joules_per_iteration" && report.iterationSeconds == 0;
        const bool isShare = name.find("_share") != std::string::npos && value == 0.0;
        value = isMissing || isEnergy || isShare ? Json("") : value;
    }
    return cells;
}

/// @return the description of a part
Json
PartToJson(const NetworkPart& part)
{
    return Json{{"name", part.name},
                {"ports", part.ports},
                {"price_usd", part.usd},
                {"watts", part.watts},
                {"source", part.source},
                {"date", part.date}};
}

/// Write an amount with separators of thousands, right-aligned.
void
WriteAmount(std::ostream& os, double amount, int width)
{
    std::ostringstream digits;
    digits << std::fixed << std::setprecision(0) << amount;
    std::string text = digits.str();
    for (int place = static_cast<int>(text.size()) - 3; place > 0; place -= 3)
    {
        text.insert(static_cast<std::size_t>(place), ",");
    }
    os << std::setw(width) << text;
}

/// Write a share of the first network, if there is that.
void
WriteShare(std::ostream& os, double share)
{
    if (share > 0)
    {
        os << std::setprecision(2) << std::setw(8) << 100 * share << "%";
    }
    else
    {
        os << std::setw(9) << "-";
    }
}

} // namespace

void
CostReport::Fill()
{
    const auto how = CostCounting::Parse(counting);
    NS_ABORT_MSG_IF(!how, "no counting is named " << counting);
    rows.clear();
    for (const uint32_t size : gpus)
    {
        const std::size_t first = rows.size();
        for (const auto& kind : kinds)
        {
            InventorySpec one = spec;
            one.gpus = size;
            one.switchRadix = parts.packetSwitch.ports;
            Row row{kind, NetworkInventory::Count(kind, one, how->shape), {}, 0, 0};
            if (row.inventory.error.empty())
            {
                row.cost = NetworkCost::Find(row.inventory, parts, how->wholeDevices);
                const auto total = row.cost.GetTotal();
                const auto other = rows.size() > first ? rows[first].cost.GetTotal() : total;
                row.usdShare = other.usd > 0 ? total.usd / other.usd : 0;
                row.wattsShare = other.watts > 0 ? total.watts / other.watts : 0;
            }
            rows.push_back(std::move(row));
        }
    }
}

const CostReport::Row*
CostReport::Find(uint32_t size, const std::string& kind) const
{
    for (const auto& row : rows)
    {
        if (row.inventory.gpus == size && row.kind.ToText() == kind)
        {
            return &row;
        }
    }
    return nullptr;
}

void
CostReport::WriteTable(std::ostream& os) const
{
    os << "# counting: " << counting << ", " << spec.gpusPerDomain
       << " GPUs per scale-up domain, OCS radix " << spec.ocsRadix << ", "
       << spec.GetOcsPortsPerGpu() << " ports of an OCS a GPU and level\n"
       << std::fixed << std::setprecision(2);
    for (const auto* part : {&parts.transceiver, &parts.packetSwitch, &parts.ocs})
    {
        os << "# " << part->name << ": " << part->usd << " USD, " << part->watts << " W, "
           << part->ports << (part->ports == 1 ? " port (" : " ports (") << part->date << ")\n";
    }
    os << "# not counted: NICs, cables and fibre, scale-up and management networks\n";
    if (iterationSeconds > 0)
    {
        os << "# energy: of an iteration of " << std::setprecision(6) << iterationSeconds << " s, "
           << run << "\n";
    }
    os << "#\n#    GPUs  network         switches     ports       OCS OCS ports transceivers"
          "           USD   of 1st         W   of 1st"
       << (iterationSeconds > 0 ? "  J/iteration" : "") << "\n";
    for (const auto& row : rows)
    {
        const auto& inventory = row.inventory;
        os << std::setw(9) << inventory.gpus << "  " << std::left << std::setw(14)
           << row.kind.ToText() << std::right;
        if (!inventory.error.empty())
        {
            os << "  none: " << inventory.error << "\n";
            continue;
        }
        const auto total = row.cost.GetTotal();
        os << std::setw(10) << ListTiers(inventory.switches, &NetworkInventory::Tier::devices)
           << std::setw(10) << inventory.GetSwitches().ports << std::setw(10)
           << ListTiers(inventory.ocs, &NetworkInventory::Tier::devices) << std::setw(10)
           << inventory.GetOcs().ports << std::setw(13) << inventory.GetTransceivers();
        WriteAmount(os, total.usd, 14);
        WriteShare(os, row.usdShare);
        WriteAmount(os, total.watts, 10);
        WriteShare(os, row.wattsShare);
        if (iterationSeconds > 0)
        {
            os << std::setprecision(1) << std::setw(13) << row.cost.GetJoules(iterationSeconds);
        }
        os << "\n";
    }
}

CsvTable
CostReport::GetCsv() const
{
    CsvTable::Row columns{"counting", "gpus_per_domain"};
    for (const auto& cell : MakeCostCells(*this, Row()))
    {
        columns.push_back(cell.first);
    }
    CsvTable table(columns);
    for (const auto& row : rows)
    {
        CsvTable::Row fields{counting, std::to_string(spec.gpusPerDomain)};
        for (const auto& [name, value] : MakeCostCells(*this, row))
        {
            fields.push_back(value.is_string() ? value.get<std::string>() : value.dump());
        }
        table.Add(fields);
    }
    return table;
}

void
CostReport::WriteJson(std::ostream& os) const
{
    Json list = Json::array();
    for (const auto& row : rows)
    {
        Json one = Json::object();
        for (auto& [name, value] : MakeCostCells(*this, row))
        {
            if (value != "")
            {
                one[name] = std::move(value);
            }
        }
        list.push_back(std::move(one));
    }
    Json json{{"counting", counting},
              {"gpus_per_domain", spec.gpusPerDomain},
              {"nic_ports", spec.nicPorts},
              {"switch_ports_per_gpu", spec.switchPortsPerGpu},
              {"ocs_radix", spec.ocsRadix},
              {"simplex", spec.simplex},
              {"switch_transceivers", spec.switchTransceivers},
              {"parts",
               {{"transceiver", PartToJson(parts.transceiver)},
                {"switch", PartToJson(parts.packetSwitch)},
                {"ocs", PartToJson(parts.ocs)}}}};
    if (iterationSeconds > 0)
    {
        json["iteration_s"] = iterationSeconds;
        json["run"] = run;
    }
    json["rows"] = std::move(list);
    os << json.dump(2, ' ', true, Json::error_handler_t::replace) << "\n";
}

} // namespace ns3
