// SPDX-License-Identifier: GPL-2.0-only

#include "cost-report.h"

#include "ns3/abort.h"
#include "ns3/report-table.h"

#include <algorithm>
#include <iomanip>
#include <optional>
#include <type_traits>
#include <utility>

namespace ns3
{

namespace
{

/// @return numbers of devices per tier, such as 16/16/8
std::string
ListTiers(const std::vector<NetworkInventory::Tier>& tiers)
{
    std::string text;
    for (const auto& tier : tiers)
    {
        text += (text.empty() ? "" : "/") + std::to_string(tier.devices);
    }
    return text.empty() ? "0" : text;
}

/// @return an amount with separators of thousands
std::string
GroupAmount(double amount)
{
    std::string text = ReportValue::Fixed(amount, 0);
    for (int place = static_cast<int>(text.size()) - 3; place > 0; place -= 3)
    {
        text.insert(static_cast<std::size_t>(place), ",");
    }
    return text;
}

using CostRow = CostReport::Row;

/// @return a share of the first network, if there is that
std::string
ShareToText(double share)
{
    return share > 0 ? ReportValue::Fixed(100 * share, 2) + "%" : "-";
}

/// @return a function that gives no value of a network that cannot be built
template <typename Get>
auto
IfThere(Get get)
{
    return [get](const CostRow& row) {
        using T = std::decay_t<std::invoke_result_t<Get, const CostRow&>>;
        return row.inventory.error.empty() ? std::optional<T>(get(row)) : std::nullopt;
    };
}

/// @return a function that gives nothing instead of 0
auto
IfPositive(double CostRow::*member)
{
    return [member](const CostRow& row) {
        return row.*member > 0 ? std::optional(row.*member) : std::nullopt;
    };
}

/// @return a function that gives price or power of the parts of a kind
template <double NetworkCost::Sum::*MEMBER>
auto
CostOf(NetworkCost::Sum NetworkCost::*part)
{
    return IfThere([part](const CostRow& row) { return row.cost.*part.*MEMBER; });
}

/**
 * @param seconds of an iteration, for the energy; 0: there is none
 * @return the columns of all forms
 */
std::vector<ReportTable<CostRow>::Column>
MakeCostColumns(double seconds)
{
    const auto joules = [seconds](const CostRow& row) {
        const double energy = row.cost.GetJoules(seconds);
        return energy > 0 ? std::optional(energy) : std::nullopt;
    };
    const auto usd = CostOf<&NetworkCost::Sum::usd>;
    const auto watts = CostOf<&NetworkCost::Sum::watts>;
    const auto switches = [](const auto& row) { return row.inventory.GetSwitches(); };
    const auto ocs = [](const auto& row) { return row.inventory.GetOcs(); };
    return {{"gpus", "GPUs", [](const auto& row) { return row.inventory.gpus; }, {"#    GPUs", 9}},
            {"", "", [](const auto& /* row */) { return ""; }, {"", 2}},
            {"network", "", [](const auto& row) { return row.kind.ToText(); }, {"network", -14}},
            {"tiers", "tiers", IfThere([](const auto& row) {
                 return row.inventory.switches.size() + row.inventory.ocs.size();
             })},
            {"switches",
             "switches",
             IfThere([switches](const auto& row) { return switches(row).devices; }),
             {"switches", 10, [](const auto& row) { return ListTiers(row.inventory.switches); }}},
            {"switch_ports",
             "ports",
             IfThere([switches](const auto& row) { return switches(row).ports; }),
             {"ports", 10}},
            {"ocs",
             "switches",
             IfThere([ocs](const auto& row) { return ocs(row).devices; }),
             {"OCS", 10, [](const auto& row) { return ListTiers(row.inventory.ocs); }}},
            {"ocs_ports",
             "ports",
             IfThere([ocs](const auto& row) { return ocs(row).ports; }),
             {"OCS ports", 10}},
            {"nic_transceivers",
             "",
             IfThere([](const auto& row) { return row.inventory.nicTransceivers; }),
             {"transceivers", 13, [](const auto& row) { return row.inventory.GetTransceivers(); }}},
            {"switch_transceivers", "", IfThere([](const auto& row) {
                 return row.inventory.switchTransceivers;
             })},
            {"transceivers_usd", "USD", usd(&NetworkCost::transceivers)},
            {"switches_usd", "USD", usd(&NetworkCost::switches)},
            {"ocs_usd", "USD", usd(&NetworkCost::ocs)},
            {"usd",
             "USD",
             IfThere([](const auto& row) { return row.cost.GetTotal().usd; }),
             {"USD", 14, [](const auto& row) { return GroupAmount(row.cost.GetTotal().usd); }}},
            {"usd_per_gpu", "USD", IfThere([](const auto& row) {
                 return row.cost.GetTotal().usd / row.inventory.gpus;
             })},
            {"usd_share",
             "",
             IfPositive(&CostRow::usdShare),
             {"of 1st", 9, [](const auto& row) { return ShareToText(row.usdShare); }}},
            {"transceivers_w", "W", watts(&NetworkCost::transceivers)},
            {"switches_w", "W", watts(&NetworkCost::switches)},
            {"ocs_w", "W", watts(&NetworkCost::ocs)},
            {"watts",
             "W",
             IfThere([](const auto& row) { return row.cost.GetTotal().watts; }),
             {"W", 10, [](const auto& row) { return GroupAmount(row.cost.GetTotal().watts); }}},
            {"watts_per_gpu", "W", IfThere([](const auto& row) {
                 return row.cost.GetTotal().watts / row.inventory.gpus;
             })},
            {"watts_share",
             "",
             IfPositive(&CostRow::wattsShare),
             {"of 1st", 9, [](const auto& row) { return ShareToText(row.wattsShare); }}},
            {"joules_per_iteration", "J", joules, {"J/iteration", 13, 1}},
            {"error", "", [](const auto& row) {
                 const std::string& error = row.inventory.error;
                 return error.empty() ? std::nullopt : std::optional(error);
             }}};
}

const ReportTable<NetworkPart> COST_PART{
    {"name", "", &NetworkPart::name},
    {"ports", "ports", &NetworkPart::ports},
    {"price_usd", "USD", &NetworkPart::usd},
    {"watts", "W", &NetworkPart::watts},
    {"source", "", &NetworkPart::source},
    {"date", "", &NetworkPart::date},
};

const ReportTable<NetworkParts> COST_PARTS{
    {"transceiver", "", ReportObject(&NetworkParts::transceiver, COST_PART)},
    {"switch", "", ReportObject(&NetworkParts::packetSwitch, COST_PART)},
    {"ocs", "", ReportObject(&NetworkParts::ocs, COST_PART)},
};

const ReportTable<CostReport> COST_REPORT{
    {"counting", "", &CostReport::counting},
    {"gpus_per_domain", "GPUs", [](const CostReport& report) { return report.spec.gpusPerDomain; }},
    {"nic_ports", "ports", [](const CostReport& report) { return report.spec.nicPorts; }},
    {"switch_ports_per_gpu",
     "ports",
     [](const CostReport& report) { return report.spec.switchPortsPerGpu; }},
    {"ocs_radix", "ports", [](const CostReport& report) { return report.spec.ocsRadix; }},
    {"simplex", "", [](const CostReport& report) { return report.spec.simplex; }},
    {"switch_transceivers",
     "",
     [](const CostReport& report) { return report.spec.switchTransceivers; }},
    {"parts", "", ReportObject(&CostReport::parts, COST_PARTS)},
    {"iteration_s",
     "s",
     [](const CostReport& report) {
         const double seconds = report.iterationSeconds;
         return seconds > 0 ? std::optional(seconds) : std::nullopt;
     }},
    {"run",
     "",
     [](const CostReport& report) {
         return report.iterationSeconds > 0 ? std::optional(report.run) : std::nullopt;
     }},
    {"rows",
     "",
     {[](const auto& report) {
          return ReportTable<CostRow>(MakeCostColumns(report.iterationSeconds)).Make(report.rows);
      },
      ReportTable<CostRow>(MakeCostColumns(0)).ListKeys("array", "", "[].")}},
};

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
    os << "#\n";
    auto columns = MakeCostColumns(iterationSeconds);
    if (iterationSeconds == 0)
    {
        columns.erase(columns.end() - 2); // no energy
    }
    const ReportTable<CostRow> table(columns);
    table.WriteHeadings(os);
    os << "\n";
    for (const auto& row : rows)
    {
        if (row.inventory.error.empty())
        {
            table.WriteRow(os, row);
        }
        else
        {
            os << std::setw(9) << row.inventory.gpus << "  " << std::left << std::setw(14)
               << row.kind.ToText() << std::right << "  none: " << row.inventory.error;
        }
        os << "\n";
    }
}

CsvTable
CostReport::GetCsv() const
{
    auto columns = MakeCostColumns(iterationSeconds);
    const auto domain = [this](const Row& /* row */) { return spec.gpusPerDomain; };
    columns.insert(columns.begin(),
                   {{"counting", "", [this](const Row& /* row */) { return counting; }},
                    {"gpus_per_domain", "", domain}});
    return ReportTable<Row>(columns).MakeCsv(rows);
}

ReportKeys
CostReport::ListKeys()
{
    return COST_REPORT.ListKeys();
}

ReportValue
CostReport::MakeJson() const
{
    return COST_REPORT.MakeObject(*this);
}

void
CostReport::WriteJson(std::ostream& os) const
{
    COST_REPORT.WriteJson(os, *this);
}

} // namespace ns3
