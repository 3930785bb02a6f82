// SPDX-License-Identifier: GPL-2.0-only

#include "cost-report.h"

#include "ns3/abort.h"
#include "ns3/divide-up.h"
#include "ns3/report-table.h"
#include "ns3/time-unit.h"

#include <algorithm>
#include <charconv>
#include <iomanip>
#include <optional>
#include <type_traits>
#include <utility>

namespace ns3
{

namespace
{

using Tier = NetworkInventory::Tier;
using Tiers = std::vector<Tier>;

constexpr uint32_t MAX_LEVELS = 4; // of OCSes

/// @return GPUs of a rail that levels of switches join, each by so many ports at a level (BCube)
uint64_t
CountLevelGpus(uint32_t radix, uint32_t portsPerLevel, uint32_t levels)
{
    NS_ABORT_MSG_IF(portsPerLevel == 0, "a GPU has at least one port at each level");
    uint64_t gpus = 1;
    for (uint32_t level = 0; level < levels; ++level)
    {
        gpus *= radix / portsPerLevel;
    }
    return gpus;
}

/// @return the sum over tiers
Tier
Sum(const Tiers& tiers)
{
    Tier sum;
    for (const auto& tier : tiers)
    {
        sum.devices += tier.devices;
        sum.ports += tier.ports;
    }
    return sum;
}

/// @return the electrical switches of a network, or why there are none
FabricCount
CountSwitches(const NetworkKind& kind, const InventorySpec& spec, NetworkInventory::Shape shape)
{
    FabricSpec network;
    network.domains = spec.gpus / spec.gpusPerDomain;
    network.gpusPerDomain = spec.gpusPerDomain;
    network.nicPorts = spec.switchPortsPerGpu;
    network.portRate = DataRate(400000000000); // all links alike, so that it does not matter
    network.radix = spec.switchRadix;
    const auto& fabric = kind.fabric.GetElectrical();
    const uint32_t asked = fabric->GetMostTiers() == 1 ? 1 : kind.tiers;
    FabricCount count;
    switch (shape)
    {
    case NetworkInventory::IDEAL:
        count = fabric->CountIdeal(network, asked);
        break;
    case NetworkInventory::BUILT:
        count = fabric->CountBuilt(network);
        break;
    case NetworkInventory::PUBLISHED:
        count.error = "the published counting knows one port of a switch for each GPU";
        count = spec.switchPortsPerGpu > 1 ? count : fabric->CountPublished(network);
        break;
    }
    if (count.error.empty() && asked > 0 && count.tiers.size() != asked)
    {
        return {{},
                std::to_string(spec.gpus) + " GPUs get " + std::to_string(count.tiers.size()) +
                    (count.tiers.size() == 1 ? " tier" : " tiers") + ", not " +
                    std::to_string(asked)};
    }
    return count;
}

/// Optical circuit switches of all rails. @return an error or an empty string
std::string
CountOcs(const NetworkKind& kind,
         const InventorySpec& spec,
         NetworkInventory::Shape shape,
         Tiers& levels)
{
    const uint64_t ofRail = spec.gpus / spec.gpusPerDomain;
    const uint32_t ports = spec.GetOcsPortsPerGpu();
    const uint64_t n = spec.ocsRadix / ports;
    uint32_t need = 1;
    while (need < MAX_LEVELS && CountLevelGpus(spec.ocsRadix, ports, need) < ofRail)
    {
        ++need;
    }
    const bool anyRadix = shape == NetworkInventory::PUBLISHED && kind.tiers == 0;
    if (anyRadix)
    {
        levels = {{spec.gpusPerDomain, uint64_t{spec.gpus} * ports}};
        return "";
    }
    const uint32_t used = kind.tiers > 0 ? kind.tiers : need;
    const uint64_t reachable = CountLevelGpus(spec.ocsRadix, ports, used);
    if (reachable < ofRail)
    {
        return std::to_string(used) + (used == 1 ? " level" : " levels") +
               " of OCSes with a radix of " + std::to_string(spec.ocsRadix) + " join " +
               std::to_string(reachable) + " GPUs of a rail at " + std::to_string(ports) +
               " ports each, not " + std::to_string(ofRail);
    }
    uint64_t size = 1; // of all levels, if they are built
    while (CountLevelGpus(static_cast<uint32_t>(size), 1, used) < ofRail)
    {
        ++size;
    }
    uint64_t stride = 1; // GPUs with the same digits from this level on
    for (uint32_t level = 0; level < used; ++level)
    {
        const uint64_t block = stride * size;
        const uint64_t built = ofRail / block * stride + std::min(ofRail % block, stride);
        const uint64_t devices = shape == NetworkInventory::BUILT ? built : DivideUp(ofRail, n);
        levels.push_back({devices * spec.gpusPerDomain, uint64_t{spec.gpus} * ports});
        stride = block;
    }
    return "";
}

/// Names of countings, the default first.
const std::vector<std::pair<std::string, CostCounting>> COUNTINGS{
    {"ports", {NetworkInventory::IDEAL, false}},
    {"devices", {NetworkInventory::IDEAL, true}},
    {"built-ports", {NetworkInventory::BUILT, false}},
    {"built-devices", {NetworkInventory::BUILT, true}},
    {"published", {NetworkInventory::PUBLISHED, false}},
};

/// @return price and power of some ports of a part
NetworkCost::Sum
Price(uint64_t ports, const NetworkPart& part)
{
    const auto number = static_cast<double>(ports);
    return {number * part.usd / part.ports, number * part.watts / part.ports};
}

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
    const auto joules = [seconds](const auto& row) { return row.cost.GetJoules(seconds); };
    const auto usd = CostOf<&NetworkCost::Sum::usd>;
    const auto watts = CostOf<&NetworkCost::Sum::watts>;
    return {{"gpus", "GPUs", [](const auto& row) { return row.inventory.gpus; }, {"#    GPUs", 9}},
            {"", "", [](const auto& /* row */) { return ""; }, {"", 2}},
            {"network", "", [](const auto& row) { return row.kind.ToText(); }, {"network", -14}},
            {"tiers", "tiers", IfThere([](const auto& row) {
                 return row.inventory.switches.size() + row.inventory.ocs.size();
             })},
            {"switches",
             "switches",
             IfThere([](const auto& row) { return row.inventory.GetSwitches().devices; }),
             {"switches", 10, [](const auto& row) { return ListTiers(row.inventory.switches); }}},
            {"switch_ports",
             "ports",
             IfThere([](const auto& row) { return row.inventory.GetSwitches().ports; }),
             {"ports", 10}},
            {"ocs",
             "switches",
             IfThere([](const auto& row) { return row.inventory.GetOcs().devices; }),
             {"OCS", 10, [](const auto& row) { return ListTiers(row.inventory.ocs); }}},
            {"ocs_ports",
             "ports",
             IfThere([](const auto& row) { return row.inventory.GetOcs().ports; }),
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
             ReportIfSet(&CostRow::usdShare),
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
             ReportIfSet(&CostRow::wattsShare),
             {"of 1st", 9, [](const auto& row) { return ShareToText(row.wattsShare); }}},
            {"joules_per_iteration", "J", ReportIfSet(joules), {"J/iteration", 13, 1}},
            {"error", "", ReportIfSet([](const auto& row) { return row.inventory.error; })}};
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

} // namespace

const ReportTable<CostReport>&
CostReport::GetTable()
{
    static const ReportTable<CostReport> table{
        {"counting", "", &CostReport::counting},
        {"gpus_per_domain", "GPUs", [](const auto& one) { return one.spec.gpusPerDomain; }},
        {"nic_ports", "ports", [](const auto& one) { return one.spec.nicPorts; }},
        {"switch_ports_per_gpu",
         "ports",
         [](const auto& one) { return one.spec.switchPortsPerGpu; }},
        {"ocs_radix", "ports", [](const auto& one) { return one.spec.ocsRadix; }},
        {"simplex", "", [](const auto& one) { return one.spec.simplex; }},
        {"switch_transceivers", "", [](const auto& one) { return one.spec.switchTransceivers; }},
        {"parts", "", ReportObject(&CostReport::parts, COST_PARTS)},
        {"iteration_s", "s", ReportIfSet(&CostReport::iterationSeconds)},
        {"run",
         "",
         [](const CostReport& report) {
             return report.iterationSeconds > 0 ? std::optional(report.run) : std::nullopt;
         }},
        {"rows",
         "",
         {[](const auto& report) {
              return ReportTable<CostRow>(MakeCostColumns(report.iterationSeconds))
                  .Make(report.rows);
          },
          ReportTable<CostRow>(MakeCostColumns(0)).ListKeys("array", "", "[].")}},
    };
    return table;
}

template struct JsonReport<CostReport>;

std::optional<NetworkKind>
NetworkKind::Parse(const std::string& text)
{
    const auto colon = text.find(':');
    const auto fabric = RailFabric::Find(text.substr(0, colon));
    if (!fabric)
    {
        return std::nullopt;
    }
    NetworkKind kind{*fabric, 0};
    if (colon != std::string::npos)
    {
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, kind.tiers);
        const uint32_t most =
            fabric->IsPhotonic() ? MAX_LEVELS : fabric->GetElectrical()->GetMostTiers();
        if (error != std::errc() || stop != end || kind.tiers == 0 || kind.tiers > most)
        {
            return std::nullopt;
        }
    }
    return kind;
}

std::string
NetworkKind::ToText() const
{
    return fabric.GetName() + (tiers > 0 ? ":" + std::to_string(tiers) : "");
}

std::string
InventorySpec::Check() const
{
    if (gpus == 0 || gpusPerDomain == 0 || gpus % gpusPerDomain != 0)
    {
        return std::to_string(gpus) + " GPUs are no whole scale-up domains of " +
               std::to_string(gpusPerDomain);
    }
    if (nicPorts == 0 || switchPortsPerGpu == 0)
    {
        return "a GPU needs at least one port";
    }
    if (switchRadix < 2 || GetOcsPortsPerGpu() > ocsRadix)
    {
        return "a switch needs at least 2 ports, and an OCS those of a GPU, " +
               std::to_string(GetOcsPortsPerGpu());
    }
    return "";
}

uint32_t
InventorySpec::GetOcsPortsPerGpu() const
{
    return nicPorts * (simplex ? 2 : 1);
}

Tier
NetworkInventory::GetSwitches() const
{
    return Sum(switches);
}

Tier
NetworkInventory::GetOcs() const
{
    return Sum(ocs);
}

NetworkInventory
NetworkInventory::Count(const NetworkKind& kind, const InventorySpec& spec, Shape shape)
{
    NetworkInventory inventory;
    inventory.gpus = spec.gpus;
    inventory.switchRadix = spec.switchRadix;
    inventory.ocsRadix = spec.ocsRadix;
    inventory.error = spec.Check();
    if (!inventory.error.empty())
    {
        return inventory;
    }
    if (kind.fabric.IsPhotonic())
    {
        inventory.error = CountOcs(kind, spec, shape, inventory.ocs);
        inventory.nicTransceivers = uint64_t{spec.gpus} * inventory.ocs.size();
        return inventory;
    }
    FabricCount count = CountSwitches(kind, spec, shape);
    inventory.error = count.error;
    inventory.switches = std::move(count.tiers);
    inventory.nicTransceivers =
        inventory.error.empty() ? uint64_t{spec.gpus} * spec.switchPortsPerGpu : 0;
    inventory.switchTransceivers = spec.switchTransceivers ? inventory.GetSwitches().ports : 0;
    return inventory;
}

uint64_t
NetworkInventory::GetMaxGpus(const InventorySpec& spec, uint32_t levels)
{
    return spec.gpusPerDomain * CountLevelGpus(spec.ocsRadix, spec.GetOcsPortsPerGpu(), levels);
}

std::optional<CostCounting>
CostCounting::Parse(const std::string& name)
{
    const auto counting = std::find_if(COUNTINGS.begin(),
                                       COUNTINGS.end(),
                                       [&name](const auto& one) { return one.first == name; });
    return counting == COUNTINGS.end() ? std::nullopt : std::optional(counting->second);
}

std::vector<std::string>
CostCounting::GetNames()
{
    std::vector<std::string> names;
    for (const auto& counting : COUNTINGS)
    {
        names.push_back(counting.first);
    }
    return names;
}

NetworkCost::Sum
NetworkCost::GetTotal() const
{
    return {transceivers.usd + switches.usd + ocs.usd,
            transceivers.watts + switches.watts + ocs.watts};
}

NetworkCost
NetworkCost::Find(const NetworkInventory& inventory, const NetworkParts& parts, bool wholeDevices)
{
    const auto switches = inventory.GetSwitches();
    const auto ocs = inventory.GetOcs();
    uint64_t transceiverPorts = inventory.GetTransceivers();
    if (wholeDevices)
    {
        // One with several ports is not bought in parts either.
        const uint64_t ports = parts.transceiver.ports;
        transceiverPorts = (transceiverPorts + ports - 1) / ports * ports;
    }
    NetworkCost cost;
    cost.transceivers = Price(transceiverPorts, parts.transceiver);
    cost.switches = Price(wholeDevices ? switches.devices * inventory.switchRadix : switches.ports,
                          parts.packetSwitch);
    cost.ocs = Price(wholeDevices ? ocs.devices * inventory.ocsRadix : ocs.ports, parts.ocs);
    return cost;
}

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
    os << "# not counted: NICs, cables and fiber, scale-up and management networks\n";
    if (iterationSeconds > 0)
    {
        os << "# energy: of an iteration of " << TimeUnit::Write(iterationSeconds, 6) << ", " << run
           << "\n";
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

} // namespace ns3
