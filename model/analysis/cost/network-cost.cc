// SPDX-License-Identifier: GPL-2.0-only

#include "network-cost.h"

#include "ns3/abort.h"
#include "ns3/divide-up.h"

#include <algorithm>
#include <charconv>
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

} // namespace

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

namespace
{

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

} // namespace

std::optional<CostCounting>
CostCounting::Parse(const std::string& name)
{
    for (const auto& [known, counting] : COUNTINGS)
    {
        if (known == name)
        {
            return counting;
        }
    }
    return std::nullopt;
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

} // namespace ns3
