// SPDX-License-Identifier: GPL-2.0-only

#include "network-cost.h"

#include <utility>

namespace ns3
{

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

double
NetworkCost::GetJoules(double seconds) const
{
    return GetTotal().watts * seconds;
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
